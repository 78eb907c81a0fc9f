#pragma once

#include <memory>
#include <string>

#include "model/base/result.h"
#include "model/export/output_file.h"

namespace lacuna {

/// What may happen to a file that is there already. Devices and pipes are written into as they are; an empty file
/// may always be replaced but by kKeep.
enum class Existing : std::uint8_t {
  kKeep,         ///< it stays; the call fails
  kReplaceOurs,  ///< it is replaced if Lacuna wrote it (is_own_trace), else it stays and the call fails
  kReplace,      ///< it is replaced, whatever it is
};

/// A path reserved for one writer, and the file that will be there.
///
///   auto claimed = ClaimedFile::claim(path, Existing::kReplaceOurs);
///   claimed->file().write(…);
///   claimed->publish();        // now, and not before, what was at the path is gone
///   claimed->file().finish();  // before or after
///
/// claim() locks what lies at the path (an empty file that it makes where there is nothing) and makes a hidden file
/// beside it, exclusively, under a name of its own. publish() renames that one. Destroyed before, it leaves the path
/// as it was. A link is followed. One thread at a time.
class ClaimedFile {
 public:
  /// kInvalidArgument: something is there that stays. kNotWritable: it cannot be written, or another process is writing
  /// it.
  static Result<ClaimedFile> claim(const std::string& path, Existing existing);
  ClaimedFile(ClaimedFile&&) noexcept;
  ClaimedFile& operator=(ClaimedFile&&) = delete;
  ~ClaimedFile();

  OutputFile& file();
  /// The path at which the file will be, or is once it is published.
  const std::string& path() const;
  /// The path at which it lies now.
  const std::string& written_path() const;
  bool is_published() const;
  /// Whether publish() replaces something that is not empty.
  bool replaces() const;
  /// Puts the file at the path; what is written later goes there, too. Again: nothing happens. kInvalidArgument:
  /// another program has put something there meanwhile, which stays.
  Result<void> publish();
  /// The same, beside the path where it is taken: "out-2.json". path() tells.
  Result<void> publish_beside();

 private:
  struct State;
  explicit ClaimedFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// "out.json.gz" with "-2": "out-2.json.gz".
std::string with_suffix(const std::string& path, const std::string& suffix);

}  // namespace lacuna
