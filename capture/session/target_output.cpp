#include "capture/session/target_output.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lacuna {
namespace {

constexpr std::uint64_t kFreeEvery = std::uint64_t{1} << 20;

}  // namespace

Result<TargetOutput> TargetOutput::create(const std::string& folder) {
  std::string path = folder + "/output-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_APPEND | O_CLOEXEC);  // mode 0600
  if (descriptor < 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  unlink(path.c_str());
  return TargetOutput(descriptor);
}

TargetOutput::TargetOutput(TargetOutput&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      position_(other.position_),
      passed_over_(other.passed_over_),
      freed_(other.freed_) {}

TargetOutput::~TargetOutput() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::size_t TargetOutput::read(std::span<char> out) {
  struct stat now {};
  if (fstat(descriptor_, &now) == 0 && static_cast<std::uint64_t>(now.st_size) > position_ + kMostBehind) {
    const std::uint64_t skipped = static_cast<std::uint64_t>(now.st_size) - position_ - kMostBehind / 8;
    position_ += skipped;
    passed_over_ += skipped;
  }
  // pread: the file offset is the target's, too.
  const ssize_t got = pread(descriptor_, out.data(), out.size(), static_cast<off_t>(position_));
  if (got <= 0) return 0;
  position_ += static_cast<std::uint64_t>(got);
  if (position_ - freed_ >= kFreeEvery) {
    const std::uint64_t whole = (position_ - freed_) / kFreeEvery * kFreeEvery;
    // Where the file system cannot, the space comes back when the target ends.
    (void)fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(freed_),
                    static_cast<off_t>(whole));
    freed_ += whole;
  }
  return static_cast<std::size_t>(got);
}

std::uint64_t TargetOutput::take_passed_over() {
  return std::exchange(passed_over_, 0);
}

}  // namespace lacuna
