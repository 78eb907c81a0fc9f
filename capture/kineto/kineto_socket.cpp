#include "capture/kineto/kineto_socket.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/kineto/kineto_messages.h"
#include "capture/sampling/proc_files.h"
#include "model/base/os/descriptor.h"

namespace lacuna {
namespace {

constexpr std::string_view kDaemonName = "dynolog";
constexpr std::size_t kPathAt = offsetof(sockaddr_un, sun_path);

/// The bytes of the address behind its family.
std::string daemon_address(const std::string& folder) {
  if (folder.empty()) return fmt::format("{}{}{}", '\0', kDaemonName, '\0');
  return fmt::format("{}/{}{}", folder, kDaemonName, '\0');
}

bool fill_address(std::string_view bytes, sockaddr_un& address, socklen_t& size) {
  address = {};
  address.sun_family = AF_UNIX;
  if (bytes.empty() || bytes.size() > sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, bytes.data(), bytes.size());
  size = static_cast<socklen_t>(kPathAt + bytes.size());
  return true;
}

/// A file of ours to which nobody listens: what a daemon left that was killed.
bool is_left_over(const std::string& path, const sockaddr_un& address, socklen_t size) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode) || found.st_uid != geteuid()) return false;
  const Descriptor probe(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return probe.is_open() && connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

std::string kineto_socket_holder(const std::string& folder) {
  // "ADDRESS: RefCount Protocol Flags Type St Inode Path", NULs shown as '@'.
  const std::string name =
      folder.empty() ? fmt::format("@{}@", kDaemonName) : fmt::format("{}/{}", folder, kDaemonName);
  const std::string table = proc_text("/proc/net/unix");
  std::string inode;
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = std::min(table.find('\n', at), table.size());
    const std::string_view line = std::string_view(table).substr(at, end - at);
    at = end + 1;
    if (!line.ends_with(" " + name)) continue;
    const std::string_view before = line.substr(0, line.size() - name.size() - 1);
    inode = before.substr(before.rfind(' ') + 1);
  }
  if (inode.empty()) return {};
  const std::string wanted = fmt::format("socket:[{}]", inode);
  for (const int pid : numbers_in("/proc")) {
    for (const int fd : numbers_in(fmt::format("/proc/{}/fd", pid))) {
      char target[64];
      const ssize_t length = readlink(fmt::format("/proc/{}/fd/{}", pid, fd).c_str(), target, sizeof target);
      if (length <= 0 || std::string_view(target, static_cast<std::size_t>(length)) != wanted) continue;
      std::string comm = proc_text(fmt::format("/proc/{}/comm", pid));
      if (comm.ends_with('\n')) comm.pop_back();
      return fmt::format("{} (process {})", comm, pid);
    }
  }
  return {};
}

Result<KinetoSocket> KinetoSocket::open(const std::string& folder) {
  const std::string bytes = daemon_address(folder);
  const std::string where = folder.empty() ? "the socket \"dynolog\"" : folder + "/" + std::string(kDaemonName);
  sockaddr_un address;
  socklen_t size = 0;
  if (!fill_address(bytes, address, size))
    return fail(ErrorCode::kInvalidArgument, "the path of a socket has at most 107 bytes", where);
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), where);
  KinetoSocket made(descriptor, {});  // without a file of its own yet
  const int on = 1;
  if (setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
    return fail(ErrorCode::kNotWritable, std::strerror(errno), where);
  if (!folder.empty() && is_left_over(where, address, size)) unlink(where.c_str());
  if (!folder.empty()) fchmod(descriptor, 0600);  // before the file is there: it is never open to others
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    const int cause = errno;
    struct stat found {};
    if (cause != EADDRINUSE)
      return fail(ErrorCode::kNotWritable,
                  fmt::format("{}{}", std::strerror(cause), folder.empty() ? "" : " (KINETO_IPC_SOCKET_DIR names it)"),
                  where);
    if (!folder.empty() && lstat(where.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode))
      return fail(ErrorCode::kNotWritable, "the path exists and is not a socket; it is not replaced", where);
    const std::string holder = kineto_socket_holder(folder);
    return fail(ErrorCode::kNotWritable,
                fmt::format("another program answers the jobs there{}{}; it stays: ask it (dynolog's command is dyno "
                            "gputrace), or stop it",
                            holder.empty() ? "" : ": ", holder),
                where);
  }
  made.folder_ = folder;
  return made;
}

KinetoSocket::KinetoSocket(KinetoSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), folder_(std::exchange(other.folder_, {})) {}

KinetoSocket::~KinetoSocket() {
  if (descriptor_ < 0) return;
  if (!folder_.empty()) unlink((folder_ + "/" + std::string(kDaemonName)).c_str());
  close(descriptor_);
}

std::optional<KinetoSocket::Letter> KinetoSocket::receive() {
  for (;;) {
    Letter letter;
    letter.bytes.resize(kMostKinetoBytes + 1);  // a longer one is cut, and then refused
    sockaddr_un address{};
    iovec part{letter.bytes.data(), letter.bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int) * 4)];
    msghdr header{};
    header.msg_name = &address;
    header.msg_namelen = sizeof address;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(descriptor_, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    letter.bytes.resize(static_cast<std::size_t>(got));
    if (header.msg_namelen > kPathAt) letter.sender.assign(address.sun_path, header.msg_namelen - kPathAt);
    for (cmsghdr* head = CMSG_FIRSTHDR(&header); head != nullptr; head = CMSG_NXTHDR(&header, head)) {
      if (head->cmsg_level != SOL_SOCKET) continue;
      if (head->cmsg_type == SCM_CREDENTIALS && head->cmsg_len >= CMSG_LEN(sizeof(ucred))) {
        ucred who;
        std::memcpy(&who, CMSG_DATA(head), sizeof who);
        letter.pid = who.pid;
        letter.is_ours = who.uid == geteuid();
      } else if (head->cmsg_type == SCM_RIGHTS) {  // nobody was asked for any
        for (std::size_t i = 0; i < (head->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
          int came = -1;
          std::memcpy(&came, CMSG_DATA(head) + i * sizeof(int), sizeof came);
          ::close(came);
        }
      }
    }
    return letter;
  }
}

bool KinetoSocket::send(const std::string& address, std::string_view bytes) {
  sockaddr_un to;
  socklen_t size = 0;
  if (!fill_address(address, to, size)) return false;
  // A job that asked at FOLDER/dynolog ends itself when an answer comes from elsewhere, and the other way round.
  if (folder_.empty() ? address.front() != '\0' : !address.starts_with(folder_ + "/")) return false;
  for (;;) {
    if (sendto(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&to), size) >= 0)
      return true;
    if (errno != EINTR) return false;
  }
}

}  // namespace lacuna
