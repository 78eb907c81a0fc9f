#pragma once

#include <cstdint>
#include <string>

#include "capture/session/segment_reader.h"
#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// The private socket on which collectors of captured processes introduce themselves: mode 0600 in a
/// folder of mode 0700 in XDG_RUNTIME_DIR, else in the temporary folder. Processes of other users are
/// refused. Removed with the object.
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
    Descriptor process;     ///< pidfd, readable when the process has ended; none where there is none
    std::uint32_t pid = 0;  ///< as the kernel says; 0 in another pid namespace
    SegmentReader segment;
  };
  /// The next process that waits; nothing to accept is kNotFound, a process that makes no sense is any
  /// other error (and closed). Never blocks longer than `patience_ms` for a hello that does not come.
  Result<Connection> accept(int patience_ms = 100);
  /// What a process says that is connected by `socket`, which becomes ours; errors as above.
  static Result<Connection> take_hello(int socket, int patience_ms);

 private:
  Listener() = default;
  std::string folder_;
  std::string path_;
  Descriptor descriptor_;
};

}  // namespace lacuna
