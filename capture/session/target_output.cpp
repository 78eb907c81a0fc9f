#include "capture/session/target_output.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/base/os/files.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kFreeEvery = std::uint64_t{1} << 20;

}  // namespace

Result<TargetOutput> TargetOutput::create(const std::string& folder) {
  std::string path = folder + "/output-XXXXXX";
  Descriptor file(mkostemp(path.data(), O_APPEND | O_CLOEXEC));  // mode 0600
  if (!file.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  unlink(path.c_str());
  return TargetOutput(std::move(file));
}

std::size_t TargetOutput::read(std::span<char> out) {
  const auto now = facts_of(descriptor_.get());
  if (now && now->bytes > position_ + kMostBehind) {
    const std::uint64_t skipped = now->bytes - position_ - kMostBehind / 8;
    position_ += skipped;
    passed_over_ += skipped;
  }
  // Not what comes next: the place in the file is the target's, too.
  const std::size_t got = read_at(descriptor_.get(), position_, out);
  position_ += got;
  if (position_ - freed_ >= kFreeEvery) {
    const std::uint64_t whole = (position_ - freed_) / kFreeEvery * kFreeEvery;
    // Where the file system cannot, the space comes back when the target ends.
    discard_part(descriptor_.get(), freed_, whole);
    freed_ += whole;
  }
  return got;
}

std::uint64_t TargetOutput::take_passed_over() {
  return std::exchange(passed_over_, 0);
}

}  // namespace lacuna
