#include "capture/session/dormant.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/session/installation.h"
#include "capture/session/process_tree.h"
#include "capture/wire/handshake.h"
#include "model/base/os/files.h"
#include "model/base/shell_words.h"

namespace lacuna {
namespace {

constexpr int kDormantAnswerMs = 500;
constexpr int kWakeMs = 5000;

/// Names of abstract sockets that listen, of dormant programs, with the pids that these gave themselves.
std::vector<std::pair<std::string, int>> rendezvous() {
  std::vector<std::pair<std::string, int>> found;
  std::ifstream file("/proc/net/unix");
  const std::string start = std::string("@") + wire::kDormantSocket;
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(start);
    constexpr std::string_view kListens = " 00010000 ";
    if (at == line.npos || line.find(kListens) == line.npos) continue;
    const std::string name = line.substr(at + 1);
    int pid = 0;
    const char* digits = name.c_str() + std::strlen(wire::kDormantSocket);
    std::from_chars(digits, name.c_str() + name.size(), pid);
    if (pid > 0) found.emplace_back(name, pid);
  }
  return found;
}

/// Connected to somebody of this user whose pid the kernel says; 0: not there, or a stranger.
int connect_to(const std::string& address, Descriptor& connection) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (address.size() + 1 > sizeof name.sun_path) return 0;
  std::memcpy(name.sun_path + 1, address.data(), address.size());
  connection = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + address.size());
  if (!connection.is_open() || connect(connection.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0) return 0;
  ucred peer{};
  socklen_t peer_size = sizeof peer;
  if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0 || peer.uid != geteuid()) return 0;
  return peer.pid;
}

bool send_wish(int socket, wire::DormantWish wish, const std::string& capture = {}, std::uint32_t ring_kib = 0) {
  wire::DormantRequest request;
  std::memcpy(request.magic, wire::kDormantMagic, sizeof request.magic);
  request.version = wire::kWireVersion;
  request.wish = wish;
  request.ring_kib = ring_kib;
  capture.copy(request.capture, sizeof request.capture - 1);
  return send(socket, &request, sizeof request, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof request);
}

bool waits_for_answer(int socket, int timeout_ms) {
  pollfd ready{socket, POLLIN, 0};
  return poll(&ready, 1, timeout_ms) == 1;
}

bool receive_answer(int socket, wire::DormantAnswer& answer, int flags) {
  return recv(socket, &answer, sizeof answer, flags) == static_cast<ssize_t>(sizeof answer) &&
         std::memcmp(answer.magic, wire::kDormantMagic, sizeof answer.magic) == 0;
}

}  // namespace

std::vector<DormantProgram> find_dormant() {
  std::vector<DormantProgram> found;
  for (const auto& [address, said_pid] : rendezvous()) {
    Descriptor connection;
    DormantProgram program;
    program.address = address;
    program.pid = connect_to(address, connection);
    wire::DormantAnswer answer;
    if (program.pid <= 0 || !send_wish(connection.get(), wire::DormantWish::kAsk) ||
        !waits_for_answer(connection.get(), kDormantAnswerMs) ||
        !receive_answer(connection.get(), answer, MSG_DONTWAIT))
      continue;
    if (answer.state == wire::DormantState::kWatched) program.watcher = static_cast<int>(answer.watcher);
    program.command = join_words(arguments_of(program.pid));
    found.push_back(std::move(program));
  }
  std::ranges::sort(found, {}, &DormantProgram::pid);
  return found;
}

std::vector<DormantProgram> find_dormant(const std::vector<int>& pids) {
  std::vector<DormantProgram> found;
  for (auto& [address, said_pid] : rendezvous()) {
    if (std::ranges::find(pids, said_pid) == pids.end()) continue;
    found.push_back({said_pid, std::move(address), 0, {}});
  }
  std::ranges::sort(found, {}, &DormantProgram::pid);
  return found;
}

Result<Listener::Connection> wake_dormant(const DormantProgram& program, const std::string& capture,
                                          std::uint32_t ring_kib) {
  const std::string name = fmt::format("process {}", program.pid);
  Descriptor connection;
  const int pid = connect_to(program.address, connection);
  if (pid <= 0) return fail(ErrorCode::kNotFound, name + " has ended, or is another user's");
  if (pid != program.pid) return fail(ErrorCode::kNotFound, name + " has ended");
  if (!send_wish(connection.get(), wire::DormantWish::kWake, capture, ring_kib) ||
      !waits_for_answer(connection.get(), kWakeMs))
    return fail(ErrorCode::kUnsupported, name + " does not answer (it may be stopped)");
  wire::DormantAnswer answer;
  if (receive_answer(connection.get(), answer, MSG_PEEK | MSG_DONTWAIT)) {
    if (answer.state == wire::DormantState::kWatched)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{} is looked at by another lacuna already (process {})", name, answer.watcher));
    return fail(ErrorCode::kUnsupported,
                name + " does not wake: it has a collector of another version of Lacuna, or no memory for the rings");
  }
  return Listener::take_hello(connection.release(), kDormantAnswerMs);
}

void ask_to_sleep(int socket) {
  (void)send_wish(socket, wire::DormantWish::kSleep);
}

bool is_asleep(int socket) {
  if (!waits_for_answer(socket, 0)) return false;
  wire::DormantAnswer answer;
  (void)receive_answer(socket, answer, MSG_DONTWAIT);
  return true;
}

std::vector<DormantVariable> dormant_environment(bool torch, bool shapes, bool allocator) {
  const Installation installation = find_installation();
  std::vector<DormantVariable> set = {{wire::kDormantVariable, "1", false},
                                      {"LACUNA_COLLECTOR", installation.collector, false},
                                      {"NVTX_INJECTION64_PATH", installation.collector, false},
                                      {"CUDA_INJECTION64_PATH", installation.collector, false}};
  if (torch && !installation.python_hook.empty()) {
    set.push_back({"PYTHONPATH", installation.python_hook, true});
    if (shapes) set.push_back({"LACUNA_TORCH_SHAPES", "1", false});
    if (allocator) set.push_back({"LACUNA_TORCH_ALLOCATOR", "1", false});
  }
  return set;
}

}  // namespace lacuna
