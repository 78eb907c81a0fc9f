#pragma once

#include <cstdint>
#include <string>

#include "capture/session/segment_reader.h"
#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// The private socket to which collectors of captured processes connect: mode 0600 in a
/// folder of mode 0700 in XDG_RUNTIME_DIR, else in the temporary folder. Processes of other users are
/// refused. Destroying the listener removes it.
class Listener {
 public:
  static Result<Listener> open();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  const std::string& path() const { return path_; }
  /// The descriptor to wait for with poll().
  int descriptor() const { return descriptor_.get(); }

  struct Connection {
    Descriptor socket;      ///< end of file: the process has ended or has closed it
    Descriptor process;     ///< pidfd, readable when the process has ended; invalid where the system has no pidfds
    std::uint32_t pid = 0;  ///< as reported by the kernel; 0 in another pid namespace
    SegmentReader segment;
  };
  /// Accepts the next waiting process. kNotFound when none waits; any other error for an invalid
  /// hello (the connection is closed). Blocks at most `patience_ms` for a hello that does not come.
  Result<Connection> accept(int patience_ms = 100);
  /// Reads the hello of a process connected by `socket`, which it takes ownership of; errors as above.
  static Result<Connection> take_hello(int socket, int patience_ms);

 private:
  Listener() = default;
  std::string folder_;
  std::string path_;
  Descriptor descriptor_;
};

}  // namespace lacuna
