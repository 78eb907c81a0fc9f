#pragma once
// The requests of a window to a remote end, and their data. Paths are on the remote machine; "~/"
// and relative ones are in the user's home there.

#include <cstdint>
#include <string>
#include <vector>

#include "capture/remote/remote_questions.h"
#include "model/cache/trace_thinner.h"

namespace lacuna {

class FieldReader;
class FieldWriter;

enum class RemoteVerb : std::uint64_t {
  kRun = 1,  ///< command line for lacuna. Frames: out, err; done: exit code
  kList,     ///< lists a folder. Answers: entries; done: the folder's path, number of entries left out
  kFind,     ///< finds the trace files of some paths. Answers: files
  /// A file from an offset on; the next number limits the packed bytes before a kMay; 0 or none: no limit. Answer, only
  /// if there is a limit: empty. Data; done: checksum of the whole file.
  kFetch,
  kStart,  ///< starts a recording that outlives the connection. Done: its socket and the file with its program's output
  kWatch,  ///< watches a shared recording. Answer: description; then state, data, text; done: it ended
  kSee,    ///< a picture of traces (RemoteViewRequest), before all waiting requests. Answers: RemoteViewState
           ///< while they are being read; then RemoteViewHead, and data: a stored trace; done: its computing
           ///< time in ns
  kLookAt,  ///< wakes a dormant program and records it while a window watches. Done: as for kStart
};

struct RemoteEntry {
  std::string name;
  bool is_folder = false;
  bool may_be_trace = false;  ///< by its name, or a folder
  std::uint64_t bytes = 0;
  std::int64_t modified_s = 0;  ///< seconds since 1970
};

/// A file on the remote machine, and what identifies this version of it.
struct RemoteFile {
  std::string path;  ///< absolute
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< ns since 1970
  std::uint64_t sample = 0;      ///< checksum of a sample of its bytes (model/cache/file_proof.h)

  bool operator==(const RemoteFile&) const = default;
};

/// A file that is shown on another machine, and its name there.
struct SeenFile {
  RemoteFile file;
  std::string name;
  bool operator==(const SeenFile&) const = default;
};

/// The requested part of some files.
struct RemoteViewRequest {
  std::string format;     ///< remote_view_format() of the requesting end: must be the same
  bool is_first = false;  ///< starts a new packed stream
  std::vector<SeenFile> files;
  ThinView view;
  RemoteQuestions questions;
};
/// The progress of reading.
struct RemoteViewState {
  std::uint64_t bytes = 0, total = 0, events = 0;
};
/// ThinTrace's description of the trace that follows, its unpacked size, and that of the answers after it.
struct RemoteViewHead {
  TimeSpan span;
  Nanos fold_ns = 1, outer_ns = 1;
  std::uint64_t bytes = 0;         ///< of trace and answers
  std::uint64_t answer_bytes = 0;  ///< of the answers
};
/// The kind of an answer to kSee.
enum class RemoteViewReply : std::uint64_t { kReading = 1, kComes };

/// Returns the format id of stored traces: builds with the same id can exchange them.
std::string remote_view_format();
/// Limit of a picture with its answers.
inline constexpr std::uint64_t kMostRemoteViewBytes = std::uint64_t{64} << 20;
/// Limit of the tracks in a view.
inline constexpr std::size_t kMostRemoteViewTracks = 10'000;

void put(FieldWriter& out, const RemoteViewRequest& wish);
RemoteViewRequest get_remote_view_request(FieldReader& in);
void put(FieldWriter& out, const RemoteViewState& state);
RemoteViewState get_remote_view_state(FieldReader& in);
void put(FieldWriter& out, const RemoteViewHead& head);
RemoteViewHead get_remote_view_head(FieldReader& in);

/// Limits: entries of a folder, files of a request, and words of a command.
inline constexpr std::size_t kMostEntries = 10'000;
inline constexpr std::size_t kMostFiles = 4096;
inline constexpr std::size_t kMostWords = 4096;

void put(FieldWriter& out, const RemoteFile& file);
RemoteFile get_remote_file(FieldReader& in);
void put(FieldWriter& out, const RemoteEntry& entry);
RemoteEntry get_remote_entry(FieldReader& in);
void put(FieldWriter& out, const std::vector<std::string>& words);
/// Reads at most kMostWords words; returns none if more are announced.
std::vector<std::string> get_words(FieldReader& in);

}  // namespace lacuna
