#pragma once
// What a window's side may ask a far side to do, and what goes over the line for it. Paths are of the far side; "~/"
// and relative ones are of the user's home there.

#include <cstdint>
#include <string>
#include <vector>

namespace lacuna {

class FieldReader;
class FieldWriter;

enum class RemoteVerb : std::uint64_t {
  kRun = 1,      ///< words of our own command line. Frames: out, err; done: exit code
  kList,         ///< a folder. Answers: entries; done: the folder's path, entries that were left out
  kFind,         ///< trace files that paths stand for. Answers: files
  kFetch,        ///< a file from an offset on. Data; done: checksum of the whole file
  kStart,        ///< a recording that outlives the line. Done: its socket and the file with its program's output
  kLookAt = 32,  ///< a dormant program is woken, and recorded while somebody watches. Done: as kStart
  kWatch = 6,    ///< a recording that is shared. Answer: description; then state, data, text; done: it is over
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

/// Most entries of a folder that come over, files that a request stands for, and words of a command.
inline constexpr std::size_t kMostEntries = 10'000;
inline constexpr std::size_t kMostFiles = 4096;
inline constexpr std::size_t kMostWords = 4096;

void put(FieldWriter& out, const RemoteFile& file);
RemoteFile get_remote_file(FieldReader& in);
void put(FieldWriter& out, const RemoteEntry& entry);
RemoteEntry get_remote_entry(FieldReader& in);
void put(FieldWriter& out, const std::vector<std::string>& words);
/// At most kMostWords; none where more are claimed.
std::vector<std::string> get_words(FieldReader& in);

}  // namespace lacuna
