#include "app/finding/write_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "model/base/os/files.h"

namespace lacuna {

Result<void> write_file_atomically(const std::string& named, std::string_view text) {
  // Settings may be a link into a folder that somebody keeps under version control: what it points to is replaced.
  std::error_code failed;
  std::string path = std::filesystem::canonical(named, failed).string();
  if (failed) path = named;
  std::string temporary = path + ".";
  Descriptor file = create_temporary(temporary);
  if (!file.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
  if (write_all(file.get(), text) && file.close() && rename_file(temporary, path)) return {};
  const int cause = errno;
  (void)remove_file(temporary);
  return fail(ErrorCode::kNotWritable, std::strerror(cause), path);
}

}  // namespace lacuna
