#include "capture/share/share_socket.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace lacuna {
namespace {

bool fill(const std::string& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return true;
}

ucred peer_of(int descriptor) {
  ucred peer{0, static_cast<uid_t>(-1), 0};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) peer.uid = static_cast<uid_t>(-1);
  return peer;
}

}  // namespace

Result<ShareSocket> ShareSocket::connect(const std::string& path) {
  sockaddr_un address;
  if (!fill(path, address)) return fail(ErrorCode::kInvalidArgument, "the path of a socket has 1 to 107 bytes", path);
  ShareSocket made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.is_open() ||
      ::connect(made.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const bool is_nobody = errno == ECONNREFUSED || errno == ENOENT;
    return fail(is_nobody ? ErrorCode::kNotFound : ErrorCode::kNotReadable,
                is_nobody ? "no recording under way listens there" : std::strerror(errno), path);
  }
  if (peer_of(made.descriptor()).uid != geteuid())
    return fail(ErrorCode::kInvalidArgument, "the recording belongs to another user", path);
  return made;
}

Result<ShareSocket> ShareSocket::listen(const std::string& path) {
  sockaddr_un address;
  if (!fill(path, address)) return fail(ErrorCode::kInvalidArgument, "the path of a socket has 1 to 107 bytes", path);
  struct stat found {};
  if (lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode)) return fail(ErrorCode::kNotWritable, "the path exists and is not a socket", path);
    const Result<ShareSocket> other = connect(path);
    if (other || other.error().code != ErrorCode::kNotFound)
      return fail(ErrorCode::kNotWritable, "another recording listens there", path);
    unlink(path.c_str());
  }
  ShareSocket made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Before the file is there, so that it is never open to others.
  if (!made.is_open() || fchmod(made.descriptor(), 0600) != 0 ||
      bind(made.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || ::listen(made.descriptor(), 16) != 0)
    return fail(ErrorCode::kNotWritable, std::string("cannot listen: ") + std::strerror(errno), path);
  return made;
}

ShareSocket ShareSocket::accept() {
  for (;;) {
    ShareSocket accepted(accept4(descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!accepted.is_open() || peer_of(accepted.descriptor()).uid == geteuid()) return accepted;
  }
}

int ShareSocket::peer() const {
  return is_open() ? peer_of(descriptor()).pid : 0;
}

ShareSocket::Sent ShareSocket::send(std::string_view message, int descriptor) {
  iovec part{const_cast<char*>(message.data()), message.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (descriptor >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&header);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  }
  for (;;) {
    if (sendmsg(descriptor_.get(), &header, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return Sent::kYes;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? Sent::kFull : Sent::kGone;
  }
}

ShareSocket::Got ShareSocket::receive(std::string& message, int* descriptor) {
  message.resize(kMostBytes);
  iovec part{message.data(), message.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 4)];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t got = -1;
  do {
    got = recvmsg(descriptor_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Got::kNothing : Got::kGone;
  for (cmsghdr* head = CMSG_FIRSTHDR(&header); head != nullptr; head = CMSG_NXTHDR(&header, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t i = 0; i < (head->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
      int came = -1;
      std::memcpy(&came, CMSG_DATA(head) + i * sizeof(int), sizeof came);
      if (descriptor != nullptr && *descriptor < 0) {
        *descriptor = came;
      } else {
        ::close(came);
      }
    }
  }
  if (got == 0) return Got::kGone;
  message.resize(static_cast<std::size_t>(got));
  return Got::kMessage;
}

void ShareSocket::wait(int timeout_ms) const {
  pollfd ready{descriptor(), POLLIN, 0};
  (void)::poll(&ready, 1, timeout_ms);
}

}  // namespace lacuna
