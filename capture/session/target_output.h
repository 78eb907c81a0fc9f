#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// Receives a target's stdout or stderr for a console: an unlinked file, which the target writes and
/// we read behind it. Unlike a pipe it never blocks the target when we are slow, and causes no SIGPIPE in it
/// when we die. Bytes read are freed on the disk; when a program writes faster than we read,
/// all but the newest bytes are skipped and counted. One thread.
class TargetOutput {
 public:
  /// Creates the file in `folder`, which must exist.
  static Result<TargetOutput> create(const std::string& folder);
  /// The descriptor that the target will write to (close-on-exec here).
  int descriptor() const { return descriptor_.get(); }
  static constexpr std::uint64_t kMostBehind = std::uint64_t{8} << 20;

  /// Reads the next bytes into `out`; returns how many, 0 = none now.
  std::size_t read(std::span<char> out);
  /// The number of bytes skipped since the last call.
  std::uint64_t take_passed_over();

 private:
  explicit TargetOutput(Descriptor file) : descriptor_(std::move(file)) {}
  Descriptor descriptor_;
  std::uint64_t position_ = 0;
  std::uint64_t passed_over_ = 0;
  std::uint64_t freed_ = 0;  // bytes at the front that were freed on the disk
};

}  // namespace lacuna
