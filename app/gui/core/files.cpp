#include "app/gui/core/files.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lacuna {

Result<void> write_file_atomically(const std::string& named, std::string_view text) {
  // Settings may be a link into a folder that somebody keeps under version control: what it points to is replaced.
  std::string path = named;
  if (char* const real = ::realpath(named.c_str(), nullptr); real != nullptr) {
    path = real;
    std::free(real);
  }
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());  // mode 0600, a name that nobody can guess
  if (fd < 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int cause = errno;
      ::close(fd);
      ::unlink(temporary.c_str());
      return fail(ErrorCode::kNotWritable, std::strerror(cause), path);
    }
    written += static_cast<std::size_t>(n);
  }
  if (::close(fd) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int cause = errno;
    ::unlink(temporary.c_str());
    return fail(ErrorCode::kNotWritable, std::strerror(cause), path);
  }
  return {};
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string with_extension(std::string path, std::string_view extension) {
  const std::string name = file_name(path);
  // A dot at its begin makes a file hidden, no extension.
  if (!name.empty() && name.find('.', 1) == std::string::npos) path += extension;
  return path;
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string files_title(const std::vector<std::string>& paths) {
  if (paths.empty()) return "trace";
  std::string text = file_name(paths.front());
  if (paths.size() > 1) text += " and " + std::to_string(paths.size() - 1) + " more";
  return text;
}

}  // namespace lacuna
