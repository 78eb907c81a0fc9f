#include "capture/session/listener.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/wire/handshake.h"
#include "model/base/os/files.h"
#include "model/base/os/user_folders.h"

namespace lacuna {
namespace {

std::string system_error(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

constexpr std::string_view kFolderStart = "lacuna-";
constexpr std::size_t kFolderChars = 13;
constexpr std::time_t kYoungSeconds = 60;

/// Nobody has this socket any more. Who has is not disturbed: it is of another type.
bool is_abandoned(const std::string& path) {
  struct stat found {};
  sockaddr_un address{};
  if (lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode) || path.size() >= sizeof address.sun_path)
    return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const Descriptor probe(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return probe.is_open() && connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

struct CloseListing {
  void operator()(DIR* listing) const { closedir(listing); }
};

/// What recordings left that were killed. A recorder that is just opening its socket has bound it and does not listen
/// yet, as if it were abandoned: what is younger than a minute stays.
void remove_abandoned(const std::string& parent) {
  // Not by std::filesystem, whose iterators end the program where they find no memory.
  const std::unique_ptr<DIR, CloseListing> listing(opendir(parent.c_str()));
  const std::time_t now = std::time(nullptr);
  while (const dirent* entry = listing ? readdir(listing.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    const std::string folder = parent + "/" + entry->d_name;
    struct stat found {};
    if (!name.starts_with(kFolderStart) || name.size() != kFolderChars || lstat(folder.c_str(), &found) != 0 ||
        !S_ISDIR(found.st_mode) || found.st_uid != geteuid() || now - found.st_mtime < kYoungSeconds ||
        !is_abandoned(folder + "/socket"))
      continue;
    unlink((folder + "/socket").c_str());
    rmdir(folder.c_str());
  }
}

/// A fresh folder that only we may enter; its socket's path must fit in sockaddr_un (108 bytes).
Result<std::string> make_folder() {
  for (const std::string& parent : {user_runtime_folder(), temporary_folder(), std::string("/tmp")}) {
    if (parent.empty() || parent.size() > 70) continue;
    std::string folder = parent + "/" + std::string(kFolderStart) + "XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) continue;  // mode 0700
    remove_abandoned(parent);
    return folder;
  }
  return fail(ErrorCode::kNotWritable, system_error("no folder for the recording's socket"));
}

/// poll() of one descriptor that a signal does not end before its time.
int poll_again(pollfd& ready, int patience_ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const int count = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (count >= 0 || errno != EINTR) return count;
  }
}

}  // namespace

Result<Listener> Listener::open() {
  Result<std::string> folder = make_folder();
  if (!folder) return tl::make_unexpected(folder.error());
  Listener listener;
  listener.folder_ = *folder;
  listener.path_ = *folder + "/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, listener.path_.c_str(), listener.path_.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  listener.descriptor_ = Descriptor(socket);
  if (socket < 0 || bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(listener.path_.c_str(), 0600) != 0 || listen(socket, 1024) != 0)
    return fail(ErrorCode::kNotWritable, system_error("cannot listen"), listener.path_);
  return listener;
}

Listener::Listener(Listener&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      path_(std::exchange(other.path_, {})),
      descriptor_(std::move(other.descriptor_)) {}

Listener::~Listener() {
  (void)descriptor_.close();
  if (!path_.empty()) unlink(path_.c_str());
  if (!folder_.empty()) rmdir(folder_.c_str());
}

Result<Listener::Connection> Listener::accept(int patience_ms) {
  int connected = -1;
  do {
    connected = accept4(descriptor_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  } while (connected < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (connected < 0) return fail(ErrorCode::kNotFound, "nobody waits");
  return take_hello(connected, patience_ms);
}

Result<Listener::Connection> Listener::take_hello(int connected, int patience_ms) {
  Descriptor socket(connected);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
    return fail(ErrorCode::kInvalidArgument, "a process of another user wanted to be recorded; refused");

  pollfd ready{socket.get(), POLLIN, 0};
  wire::Hello hello;
  iovec part{&hello, sizeof hello};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (poll_again(ready, patience_ms) != 1)
    return fail(ErrorCode::kInvalidArgument, "a process connected but said nothing");
  ssize_t got = -1;
  do {
    got = recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  Descriptor memory;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); got >= 0 && head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(head) + i * sizeof(int), sizeof descriptor);
      memory = Descriptor(descriptor);
    }
  }
  if (got != static_cast<ssize_t>(sizeof hello) || !memory.is_open() ||
      std::memcmp(hello.magic, wire::kHelloMagic, sizeof hello.magic) != 0)
    return fail(ErrorCode::kInvalidArgument, "a process connected that is not one of Lacuna's");
  if (hello.version != wire::kWireVersion)
    return fail(ErrorCode::kUnsupported, "a process brought a collector of another version of Lacuna; not recorded");
  Result<SegmentReader> segment = SegmentReader::open(memory.release());
  if (!segment) return tl::make_unexpected(segment.error());
  Connection connection{.socket = std::move(socket), .process = {}, .segment = std::move(*segment)};
  connection.pid = static_cast<std::uint32_t>(peer.pid);
#ifdef SYS_pidfd_open
  if (peer.pid > 0) {
    connection.process = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0u)));
    if (connection.process.is_open()) fcntl(connection.process.get(), F_SETFD, FD_CLOEXEC);
  }
#endif
  return connection;
}

}  // namespace lacuna
