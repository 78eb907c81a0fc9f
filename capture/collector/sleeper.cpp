// Life of a dormant program: asleep -> awake while somebody looks -> asleep …
//
// Only the sleeper's thread changes the state. Going to sleep puts a fresh Process in the place of the one that was
// captured: threads find out with their next call, since theirs is another one, and a thread that is in the middle of a
// record writes into memory that stays mapped. Nobody in the target ever waits for us or for the other side.

#include "capture/collector/sleeper.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/collector/announce.h"
#include "capture/collector/attach.h"
#include "capture/collector/cupti_capture.h"
#include "capture/collector/domains.h"
#include "capture/collector/process.h"
#include "capture/wire/handshake.h"

namespace lacuna::collector {
namespace {

constexpr int kWordMs = 1000;                  // a guest that says nothing for so long is turned away
constexpr int kOtherWordMs = 200;              // … while somebody else looks
constexpr int kLastReadMs = 2000;              // for the other side to read the rest and go
constexpr std::size_t kStackBytes = 2u << 20;  // Python runs on it when it is asked to hook operators

std::atomic<void (*)(int)> waking_call{nullptr};

/// A descriptor of ours, as the target may close it and open something else under its number.
struct Rendezvous {
  int descriptor = -1;
  dev_t device = 0;
  ino_t inode = 0;

  void set(int fd) {
    struct stat now {};
    descriptor = fd >= 0 && fstat(fd, &now) == 0 ? fd : -1;
    device = now.st_dev;
    inode = now.st_ino;
  }
  bool is_ours() const {
    struct stat now {};
    return descriptor >= 0 && fstat(descriptor, &now) == 0 && now.st_dev == device && now.st_ino == inode;
  }
  void close_ours() {
    if (is_ours()) close(descriptor);
    descriptor = -1;
  }
};
Rendezvous listener;  // of this process or, right after a fork, of its parent
Rendezvous guest;

/// Low numbers belong to the target.
int moved_up(int descriptor) {
  const int high = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 200);
  if (high < 0) return descriptor;
  close(descriptor);
  return high;
}

int open_listener() {
  unsigned random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof random))
    random = static_cast<unsigned>(wire::monotonic_ns());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s%d-%08x", wire::kDormantSocket,
                                   static_cast<int>(getpid()), random);
  const int descriptor = moved_up(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (descriptor < 0) return -1;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<unsigned>(length));
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(descriptor, 8) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

bool is_readable(int descriptor, int timeout_ms) {
  pollfd ready{descriptor, POLLIN, 0};
  return poll(&ready, 1, timeout_ms) == 1;
}

/// The next one of this user, or root; -1: none.
int accept_guest() {
  const int descriptor = moved_up(accept4(listener.descriptor, nullptr, nullptr, SOCK_CLOEXEC));
  if (descriptor < 0) return -1;
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0))
    return descriptor;
  close(descriptor);
  return -1;
}

/// False: it is gone, or talks nonsense.
bool receive(int from, wire::DormantRequest& request, int timeout_ms) {
  if (!is_readable(from, timeout_ms)) return false;
  const ssize_t got = recv(from, &request, sizeof request, MSG_DONTWAIT);
  request.capture[sizeof request.capture - 1] = '\0';
  return got == static_cast<ssize_t>(sizeof request) &&
         std::memcmp(request.magic, wire::kDormantMagic, sizeof request.magic) == 0;
}

void answer(int to, wire::DormantState state, int watcher = 0) {
  wire::DormantAnswer words;
  std::memcpy(words.magic, wire::kDormantMagic, sizeof words.magic);
  words.version = wire::kWireVersion;
  words.state = state;
  words.watcher = static_cast<std::uint32_t>(watcher);
  (void)send(to, &words, sizeof words, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void call_others(int is_awake) {
  if (auto* call = waking_call.load()) call(is_awake);
}

bool wake(const wire::DormantRequest& request) {
  Process* process = known_process();
  if (process == nullptr || request.version != wire::kWireVersion) return false;
  {
    const Locked locked(process->lock);
    process->was_dormant = true;
    if (process->next_range < 1) process->next_range = 1;
    process->first_range = process->next_range;
    if (!attach_to(*process, guest.descriptor, request.capture, request.ring_kib)) return false;
    announce_names(*process);
    announce_rank(*process);
    process->state.store(Process::kReady, std::memory_order_release);
    is_sleeping = false;
  }
  cupti::wake();
  call_others(1);
  return true;
}

void sleep_again() {
  call_others(0);
  cupti::sleep();
  Process* process = known_process();
  if (begin_sleep(*process) == nullptr) process->state.store(Process::kOff);
  const timespec pause{0, 2'000'000};  // for records that threads are in the middle of
  nanosleep(&pause, nullptr);
}

/// Until the one who looks has had enough, or is gone. Others are told that somebody looks.
void stay_awake() {
  ucred watcher{};
  socklen_t size = sizeof watcher;
  (void)getsockopt(guest.descriptor, SOL_SOCKET, SO_PEERCRED, &watcher, &size);
  for (;;) {
    pollfd ready[2] = {{guest.descriptor, POLLIN, 0}, {listener.descriptor, POLLIN, 0}};
    const bool may_come = listener.is_ours();
    if (poll(ready, may_come ? 2 : 1, -1) < 0 && errno != EINTR) return;
    if (!guest.is_ours()) return;  // the target closed it
    if (may_come && ready[1].revents != 0) {
      if (const int other = accept_guest(); other >= 0) {
        wire::DormantRequest any;  // taken before the socket is closed: else the answer would be lost
        (void)receive(other, any, kOtherWordMs);
        answer(other, wire::DormantState::kWatched, watcher.pid);
        close(other);
      }
    }
    if (ready[0].revents == 0) continue;
    wire::DormantRequest request;
    if (!receive(guest.descriptor, request, 0) || request.wish == wire::DormantWish::kSleep) return;
  }
}

void serve(int descriptor) {
  wire::DormantRequest request;
  guest.set(descriptor);
  if (!receive(descriptor, request, kWordMs)) return guest.close_ours();
  if (request.wish != wire::DormantWish::kWake) {
    answer(descriptor, wire::DormantState::kAsleep);
    return guest.close_ours();
  }
  const Process* process = known_process();
  if (!wake(request)) {
    answer(descriptor, wire::DormantState::kFailed);
    return guest.close_ours();
  }
  stay_awake();
  sleep_again();
  if (guest.is_ours()) {
    answer(descriptor, wire::DormantState::kAsleep);
    wire::DormantRequest nothing;  // its end
    (void)receive(descriptor, nothing, kLastReadMs);
  }
  guest.close_ours();
  leave_segment(*process);
}

void* wait_for_guests(void*) {
  pthread_setname_np(pthread_self(), "lacuna-sleep");
  for (;;) {
    if (!listener.is_ours()) {  // the target closes what it does not know (daemons do): once more
      const timespec pause{1, 0};
      nanosleep(&pause, nullptr);
      listener.set(open_listener());
      continue;
    }
    if (const int descriptor = accept_guest(); descriptor >= 0) {
      serve(descriptor);
    } else if (errno == EMFILE || errno == ENFILE || errno == EBADF) {
      const timespec pause{1, 0};
      nanosleep(&pause, nullptr);
    }
  }
}

}  // namespace

bool is_dormant() {
  const char* socket_path = std::getenv(wire::kSocketVariable);
  const char* dormant = std::getenv(wire::kDormantVariable);
  return (socket_path == nullptr || *socket_path == '\0') && dormant != nullptr && *dormant == '1';
}

bool start_sleeper() {
  watch_forks();
  close_inherited_rendezvous();
  listener.set(open_listener());
  if (listener.descriptor < 0) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the target's signals are not for our thread
  pthread_t thread{};
  const bool is_started = pthread_create(&thread, &attributes, wait_for_guests, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (!is_started) listener.close_ours();
  return is_started;
}

void close_inherited_rendezvous() {
  listener.close_ours();
  guest.close_ours();
}

void use_waking_call(void (*call)(int)) {
  waking_call = call;
}

}  // namespace lacuna::collector
