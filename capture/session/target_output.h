#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// Where a target's stdout or stderr goes for a console: a file without a name, which the target writes and
/// we read behind it. Unlike a pipe it never blocks the target when we are slow, and raises no SIGPIPE in it
/// when we die. What was read is given back to the disk; of what a program writes faster than we read,
/// all but the newest is passed over and counted. One thread.
class TargetOutput {
 public:
  /// Makes the file in `folder`, which must exist.
  static Result<TargetOutput> create(const std::string& folder);
  /// The descriptor that the target will write to (close-on-exec here).
  int descriptor() const { return descriptor_.get(); }
  static constexpr std::uint64_t kMostBehind = std::uint64_t{8} << 20;

  /// The next bytes, as many as there are and fit; 0 = nothing now.
  std::size_t read(std::span<char> out);
  /// Bytes passed over since the last call.
  std::uint64_t take_passed_over();

 private:
  explicit TargetOutput(Descriptor file) : descriptor_(std::move(file)) {}
  Descriptor descriptor_;
  std::uint64_t position_ = 0;
  std::uint64_t passed_over_ = 0;
  std::uint64_t freed_ = 0;  // bytes at the front that the disk has back
};

}  // namespace lacuna
