#include "app/finding/write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

}  // namespace lacuna
