#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// A Unix socket that keeps messages apart (SOCK_SEQPACKET), between two processes of one user. Owns its
/// descriptor. Nothing waits unless said so; nothing raises SIGPIPE.
class ShareSocket {
 public:
  /// Largest message; below what Linux takes in one piece by default.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

  ShareSocket() = default;
  explicit ShareSocket(int descriptor) : descriptor_(descriptor) {}

  /// kNotFound: no listener. kInvalidArgument: the listener is another user's, or the path is too long.
  static Result<ShareSocket> connect(const std::string& path);
  /// Mode 0600. Replaces a socket without a listener; kNotWritable where there is one.
  static Result<ShareSocket> listen(const std::string& path);
  /// Accepts a waiting connection of the same user and refuses others. Closed socket: none waits.
  ShareSocket accept();

  bool is_open() const { return descriptor_.is_open(); }
  int descriptor() const { return descriptor_.get(); }
  void close() { (void)descriptor_.close(); }
  /// Pid of the other side, 0 = unknown.
  int peer() const;

  enum class Sent { kYes, kFull, kGone };
  /// Sends a message and, where `descriptor` is not negative, that with it.
  Sent send(std::string_view message, int descriptor = -1);

  enum class Got { kMessage, kNothing, kGone };
  /// Into `message`. A descriptor that came along goes into *descriptor, and is the caller's; else it is closed.
  Got receive(std::string& message, int* descriptor = nullptr);
  /// Waits for a message or the end, at most `timeout_ms`.
  void wait(int timeout_ms) const;

 private:
  Descriptor descriptor_;
};

}  // namespace lacuna
