#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/result.h"

namespace lacuna {

/// The socket at which jobs with KINETO_USE_DAEMON ask for requests: a Unix datagram socket with the abstract name
/// "dynolog" (its NUL at the end is part of it), one per network namespace; or FOLDER/dynolog for jobs that have
/// KINETO_IPC_SOCKET_DIR=FOLDER. While it is open, jobs talk to us and not to a daemon started meanwhile, so keep it
/// open only while needed. Owns its descriptor and its file. One thread.
class KinetoSocket {
 public:
  /// `folder` empty: the abstract name; else exactly as in the jobs' environment, since they exit when an answer
  /// comes from elsewhere. kNotWritable: a daemon already holds it; the cause names the daemon if it is
  /// visible.
  static Result<KinetoSocket> open(const std::string& folder);
  KinetoSocket(KinetoSocket&& other) noexcept;
  KinetoSocket& operator=(KinetoSocket&&) = delete;
  ~KinetoSocket();

  /// A message from a process.
  struct Letter {
    std::string bytes;
    std::string sender;    ///< its address, for send()
    int pid = 0;           ///< from the kernel, as in our /proc; 0 = in a namespace that we do not see
    bool is_ours = false;  ///< sent by our user, according to the kernel
  };
  /// Returns the next message, if any. Never blocks.
  std::optional<Letter> receive();
  /// Returns false if the process is gone, or its queue is full. Never blocks.
  bool send(const std::string& address, std::string_view bytes);

  int descriptor() const { return descriptor_; }
  const std::string& folder() const { return folder_; }

 private:
  KinetoSocket(int descriptor, std::string folder) : descriptor_(descriptor), folder_(std::move(folder)) {}
  int descriptor_ = -1;
  std::string folder_;
};

/// Returns the holder of the socket, "dynolog (process 12)"; empty if unknown (another user, another container).
std::string kineto_socket_holder(const std::string& folder);

}  // namespace lacuna
