#pragma once
// What a window's side may ask a far side to do, and what goes over the line for it. Paths are of the far side; "~/"
// and relative ones are of the user's home there.

#include <cstdint>
#include <string>
#include <vector>

#include "capture/remote/remote_questions.h"
#include "model/cache/trace_thinner.h"

namespace lacuna {

class FieldReader;
class FieldWriter;

enum class RemoteVerb : std::uint64_t {
  kRun = 1,  ///< words of our own command line. Frames: out, err; done: exit code
  kList,     ///< a folder. Answers: entries; done: the folder's path, entries that were left out
  kFind,     ///< trace files that paths stand for. Answers: files
  /// A file from an offset on, and how many packed bytes may come before a kMay; 0, or none said: all. Answer, only
  /// where it waits for these: nothing in it. Data; done: checksum of the whole file.
  kFetch,
  kStart,  ///< a recording that outlives the line. Done: its socket and the file with its program's output
  kWatch,  ///< a recording that is shared. Answer: description; then state, data, text; done: it is over
  kSee,  ///< what a picture of traces needs (RemoteViewRequest), before all else that waits. Answers: RemoteViewState,
         ///< while they are read there; then what comes (RemoteViewHead), and data: a stored trace; done: how long it
         ///< took, in ns
  kLookAt,  ///< a dormant program is woken, and recorded while a window watches. Done: as kStart
};

struct RemoteEntry {
  std::string name;
  bool is_folder = false;
  bool may_be_trace = false;  ///< by its name, or a folder
  std::uint64_t bytes = 0;
  std::int64_t modified_s = 0;  ///< since 1970
};

/// A file there, and what tells it from another, or from an older one of its name.
struct RemoteFile {
  std::string path;  ///< absolute
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since 1970
  std::uint64_t sample = 0;      ///< checksum of a sample of its bytes (model/cache/file_proof.h)

  bool operator==(const RemoteFile&) const = default;
};

/// A file that is looked at from another machine, and what it is called there.
struct SeenFile {
  RemoteFile file;
  std::string name;
  bool operator==(const SeenFile&) const = default;
};

/// Which part of which files is to be seen.
struct RemoteViewRequest {
  std::string format;     ///< remote_view_format() of the asking side: others are refused
  bool is_first = false;  ///< the packed stream begins anew
  std::vector<SeenFile> files;
  ThinView view;
  RemoteQuestions questions;
};
/// How far the reading is.
struct RemoteViewState {
  std::uint64_t bytes = 0, total = 0, events = 0;
};
/// What ThinTrace says of the trace that follows, the unpacked size of it, and of the answers behind it.
struct RemoteViewHead {
  TimeSpan span;
  Nanos fold_ns = 1, outer_ns = 1;
  std::uint64_t bytes = 0;         ///< of both
  std::uint64_t answer_bytes = 0;  ///< of the answers
};
/// The kind of an answer to kSee.
enum class RemoteViewReply : std::uint64_t { kReading = 1, kComes };

/// Builds that say the same write and read the same stored traces.
std::string remote_view_format();
/// Most bytes of a trace's picture and the answers with it.
inline constexpr std::uint64_t kMostRemoteViewBytes = std::uint64_t{64} << 20;
/// Most tracks of a wish.
inline constexpr std::size_t kMostRemoteViewTracks = 10'000;

void put(FieldWriter& out, const RemoteViewRequest& wish);
RemoteViewRequest get_remote_view_request(FieldReader& in);
void put(FieldWriter& out, const RemoteViewState& state);
RemoteViewState get_remote_view_state(FieldReader& in);
void put(FieldWriter& out, const RemoteViewHead& head);
RemoteViewHead get_remote_view_head(FieldReader& in);

/// Most entries of a folder that come over, files that a request stands for, and words of a command.
inline constexpr std::size_t kMostEntries = 10'000;
inline constexpr std::size_t kMostFiles = 4096;
inline constexpr std::size_t kMostWords = 4096;

void put(FieldWriter& out, const RemoteFile& file);
RemoteFile get_remote_file(FieldReader& in);
void put(FieldWriter& out, const RemoteEntry& entry);
RemoteEntry get_remote_entry(FieldReader& in);
void put(FieldWriter& out, const std::vector<std::string>& words);
/// Reads at most kMostWords words; none where more are claimed.
std::vector<std::string> get_words(FieldReader& in);

}  // namespace lacuna
