#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/result.h"

namespace lacuna {

/// The place at which jobs with KINETO_USE_DAEMON ask for requests: a Unix datagram socket with the abstract name
/// "dynolog" (its NUL at the end is part of it), one per network namespace; or FOLDER/dynolog for jobs that have
/// KINETO_IPC_SOCKET_DIR=FOLDER. While it is open, jobs talk to us and not to a daemon that starts meanwhile, so it is
/// open only while it is needed. Owns its descriptor and its file. One thread.
class KinetoSocket {
 public:
  /// `folder` empty: the abstract name; else exactly as the jobs have it, since they end themselves when an answer
  /// comes from elsewhere. kNotWritable: a daemon is there already, which stays; the cause names it where it can be
  /// seen.
  static Result<KinetoSocket> open(const std::string& folder);
  KinetoSocket(KinetoSocket&& other) noexcept;
  KinetoSocket& operator=(KinetoSocket&&) = delete;
  ~KinetoSocket();

  /// A message of a process.
  struct Letter {
    std::string bytes;
    std::string sender;    ///< its address, for send()
    int pid = 0;           ///< by the kernel's word, as our /proc shows it; 0 = in a namespace that we do not see
    bool is_ours = false;  ///< of our user, by the kernel's word
  };
  /// The next one that has come; nothing: none has. Never waits.
  std::optional<Letter> receive();
  /// False: it is gone, or takes no more. Never waits.
  bool send(const std::string& address, std::string_view bytes);

  int descriptor() const { return descriptor_; }
  const std::string& folder() const { return folder_; }

 private:
  KinetoSocket(int descriptor, std::string folder) : descriptor_(descriptor), folder_(std::move(folder)) {}
  int descriptor_ = -1;
  std::string folder_;
};

/// Who holds the socket, "dynolog (process 12)"; empty where that cannot be seen (another user, another container).
std::string kineto_socket_holder(const std::string& folder);

}  // namespace lacuna
