#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// A Unix socket that preserves message boundaries (SOCK_SEQPACKET), between two processes of one user. Owns its
/// descriptor. Calls do not block unless they say so, and raise no SIGPIPE.
class ShareSocket {
 public:
  /// Largest message; below the largest that Linux accepts by default.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

  ShareSocket() = default;
  explicit ShareSocket(int descriptor) : descriptor_(descriptor) {}

  /// Connects. kNotFound: no listener. kInvalidArgument: another user listens, or the path is too long.
  static Result<ShareSocket> connect(const std::string& path);
  /// Listens, mode 0600. Replaces a socket without a listener; kNotWritable when there is one.
  static Result<ShareSocket> listen(const std::string& path);
  /// Accepts a waiting connection of the same user and refuses others. Returns a closed socket when none waits.
  ShareSocket accept();

  bool is_open() const { return descriptor_.is_open(); }
  int descriptor() const { return descriptor_.get(); }
  void close() { (void)descriptor_.close(); }
  /// The pid of the other side; 0 = unknown.
  int peer() const;

  enum class Sent { kYes, kFull, kGone };
  /// Sends a message, with `descriptor` unless that is negative.
  Sent send(std::string_view message, int descriptor = -1);

  enum class Got { kMessage, kNothing, kGone };
  /// Receives into `message`. A descriptor that came with it goes to *descriptor, owned by the caller, else is closed.
  Got receive(std::string& message, int* descriptor = nullptr);
  /// Waits for a message or the end of the connection, at most `timeout_ms`.
  void wait(int timeout_ms) const;

 private:
  Descriptor descriptor_;
};

}  // namespace lacuna
