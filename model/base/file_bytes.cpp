#include "model/base/file_bytes.h"

#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

namespace lacuna {

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::size_t FileBytes::read_at(std::uint64_t offset, std::span<char> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::uint64_t FileBytes::size() const {
  struct stat found {};
  return fstat(descriptor_, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

}  // namespace lacuna
