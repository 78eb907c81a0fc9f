#pragma once

#include <memory>
#include <string>

#include "model/base/result.h"
#include "model/export/output_file.h"

namespace lacuna {

/// What to do with an existing file. Devices and pipes are written to directly; an empty file
/// may always be replaced, except by kKeep.
enum class Existing : std::uint8_t {
  kKeep,         ///< keep it; the call fails
  kReplaceOurs,  ///< replace it if Lacuna wrote it (is_own_trace); else keep it, and the call fails
  kReplace,      ///< replace it in any case
};

/// A path reserved for one writer, and the file to be put there.
///
///   auto claimed = ClaimedFile::claim(path, Existing::kReplaceOurs);
///   claimed->file().write(…);
/// only now the previous file at the path is replaced
///   claimed->file().finish();  // before or after
///
/// claim() locks the file at the path (creating an empty one if there is none) and creates a hidden file
/// beside it, exclusively, under a unique name. publish() renames the hidden file. If destroyed before, leaves the path
/// as it was. Follows links. One thread at a time.
class ClaimedFile {
 public:
  /// kInvalidArgument: the existing file must be kept. kNotWritable: the path cannot be written, or another process is
  /// writing it.
  static Result<ClaimedFile> claim(const std::string& path, Existing existing);
  ClaimedFile(ClaimedFile&&) noexcept;
  ClaimedFile& operator=(ClaimedFile&&) = delete;
  ~ClaimedFile();

  OutputFile& file();
  /// The final path of the file.
  const std::string& path() const;
  /// The current path of the file.
  const std::string& written_path() const;
  bool is_published() const;
  /// Whether publish() replaces a file that is not empty.
  bool replaces() const;
  /// Moves the file to its path; later writes go there, too. Further calls do nothing. kInvalidArgument:
  /// another program has created a file there meanwhile, which is kept.
  Result<void> publish();
  /// Like publish(), but uses a free path if it is taken: "out-2.json". path() returns it.
  Result<void> publish_beside();

 private:
  struct State;
  explicit ClaimedFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns "out-2.json.gz" for "out.json.gz" and "-2".
std::string with_suffix(const std::string& path, const std::string& suffix);

}  // namespace lacuna
