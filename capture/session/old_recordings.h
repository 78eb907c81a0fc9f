#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// A recording whose window or process ended before it was saved or thrown away: what its RecordingSpool
/// left on disk.
struct OldRecording {
  std::string folder;
  std::string command;  ///< as a shell would read it; empty: not known
  std::time_t began = 0;
  std::uint64_t bytes = 0;         ///< of the events
  std::vector<std::string> parts;  ///< oldest first; each a trace of its own

  std::string name() const { return folder.substr(folder.rfind('/') + 1); }
};

/// Old recordings in `parent` (recordings_folder()), newest first. Those under way are left alone, by the
/// lock that their owner holds. Removes what is left of recordings that had been saved, or have nothing.
std::vector<OldRecording> find_old_recordings(const std::string& parent);

/// Finds the recordings under way, newest first; ask_to_save() saves what they have so far.
std::vector<OldRecording> find_recordings_under_way(const std::string& parent);
/// Whether a living process holds the recording in `folder`.
bool is_under_way(const std::string& folder);

/// Removes it for good. An Error when its owner has come back to life, or it cannot be removed.
Result<void> delete_old_recording(const OldRecording& recording);

/// Hears how many bytes of the parts are read, now and then; false: stop.
using JoinProgress = std::function<bool(std::uint64_t bytes)>;

/// Writes its parts as one trace.json (.gz or .zst by name). kCancelled when `go_on` says so: nothing is left then.
Result<void> save_old_recording(const OldRecording& recording, const std::string& path, Existing existing,
                                const JoinProgress& go_on = {});

/// The one trace that its parts are, to be opened: a part that is alone, else the file that join_old_recording()
/// makes, beside them.
std::string whole_path(const OldRecording& recording);
/// Makes it, unless it is there: never seen half-made, whoever makes it besides. For a worker thread: takes as long
/// as reading and writing the parts.
Result<void> join_old_recording(const OldRecording& recording, const JoinProgress& go_on);

}  // namespace lacuna
