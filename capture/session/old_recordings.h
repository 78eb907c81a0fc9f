#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// A recording whose process or window ended before it was saved or discarded: the folder that its RecordingSpool
/// left on disk.
struct OldRecording {
  std::string folder;
  std::string command;  ///< quoted as for a shell; empty: not known
  std::time_t began = 0;
  std::uint64_t bytes = 0;         ///< size of the events
  std::vector<std::string> parts;  ///< oldest first; each a trace of its own

  std::string name() const { return folder.substr(folder.rfind('/') + 1); }
};

/// Finds old recordings in `parent` (recordings_folder()), newest first. Recordings under way, whose owner holds
/// a lock, are skipped. Removes the remains of recordings that were saved, or are empty.
std::vector<OldRecording> find_old_recordings(const std::string& parent);

/// Finds the recordings under way, newest first; ask_to_save() saves what they have so far.
std::vector<OldRecording> find_recordings_under_way(const std::string& parent);
/// Whether a running process holds the lock of the recording in `folder`.
bool is_under_way(const std::string& folder);

/// Deletes the recording. An Error when its owner is running after all, or the folder cannot be removed.
Result<void> delete_old_recording(const OldRecording& recording);

/// Called regularly with the number of bytes of the parts read so far; false: cancel.
using JoinProgress = std::function<bool(std::uint64_t bytes)>;

/// Writes the parts as one trace.json (.gz or .zst by name). kCancelled when `go_on` cancels; nothing is left then.
Result<void> save_old_recording(const OldRecording& recording, const std::string& path, Existing existing,
                                const JoinProgress& go_on = {});

/// Returns the path of the one trace to open: the single part, else the joined file beside the parts, made by
/// join_old_recording().
std::string whole_path(const OldRecording& recording);
/// Makes the joined file unless it exists; other processes that make it too never see it half written. For a worker
/// thread: takes as long as reading and writing the parts.
Result<void> join_old_recording(const OldRecording& recording, const JoinProgress& go_on);

}  // namespace lacuna
