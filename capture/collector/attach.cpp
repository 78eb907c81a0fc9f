#include "capture/collector/attach.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/collector/sleeper.h"
#include "capture/collector/threads.h"
#include "capture/wire/handshake.h"

namespace lacuna::collector {
namespace {

constexpr std::uint64_t kControlSlots = std::uint64_t{1} << 18;  //  4 MiB
constexpr std::uint64_t kGpuSlots = std::uint64_t{1} << 20;      // 16 MiB
constexpr std::uint64_t kThreadSlots = std::uint64_t{1} << 18;   //  4 MiB: a quarter of a second at 500,000 ranges
constexpr std::uint64_t kMostThreadRings = 4096;                 // at a time; threads beyond share the control ring
constexpr std::uint64_t kMostDormantRings = 1024;                // each wake takes addresses for so many

/// The socket of this process or, right after a fork, of its parent. In memory that fork copies. The
/// target may have closed it and opened something else under its number: never touched unless it
/// still is what it was.
struct {
  int descriptor = -1;
  dev_t device = 0;
  ino_t inode = 0;
} open_socket;

void close_inherited_socket() {
  struct stat now {};
  if (open_socket.descriptor >= 0 && fstat(open_socket.descriptor, &now) == 0 && now.st_dev == open_socket.device &&
      now.st_ino == open_socket.inode)
    close(open_socket.descriptor);
  open_socket.descriptor = -1;
}

/// In a forked child: the socket's end of file must mean that the parent is gone. And where the
/// kernel did not clear our memory, do that.
void after_fork_in_child() {
  close_inherited_socket();
  Process* process = known_process();
  close_inherited_rendezvous();
  is_sleeping = false;
  if (process != nullptr && process->pid != 0 && process->pid != static_cast<std::uint32_t>(getpid())) {
    new (process) Process{};
    forget_this_thread();
  }
}

int connect_to_viewer(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path, length);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  for (int tries = 0;; ++tries) {
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) break;
    if ((errno != EAGAIN && errno != EINTR) || tries == 20) {
      close(descriptor);
      return -1;
    }
    const timespec pause{0, 5'000'000};
    nanosleep(&pause, nullptr);
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || (peer.uid != geteuid() && peer.uid != 0)) {
    close(descriptor);
    return -1;
  }
  // Low numbers belong to the target: programs count on 3 being the first that they open.
  const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) {
    close(descriptor);
    return high;
  }
  return descriptor;
}

bool send_hello(int descriptor, int segment) {
  wire::Hello hello;
  std::memcpy(hello.magic, wire::kHelloMagic, sizeof hello.magic);
  hello.version = wire::kWireVersion;
  hello.pid = static_cast<std::uint32_t>(getpid());
  iovec part{&hello, sizeof hello};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &segment, sizeof segment);
  return sendmsg(descriptor, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof hello);
}

std::uint64_t thread_slots_wanted(unsigned long kib) {
  const char* text = std::getenv(wire::kRingVariable);
  if (kib == 0 && text != nullptr) kib = std::strtoul(text, nullptr, 10);
  if (kib == 0) return kThreadSlots;
  std::uint64_t slots = 256;  // a page of slots at least
  while (slots * wire::kSlotBytes < kib * 1024 && slots < (std::uint64_t{1} << 24)) slots *= 2;
  return slots;
}

/// Address ranges of segments that nobody uses any more, but for a thread that may still be in the middle of a record:
/// they stay mapped, and are used again when they have lain long enough.
struct OldRange {
  char* memory = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t since = 0;
  int pid = 0;  // a forked child has nothing there
};
constexpr std::uint64_t kRangeRestsNs = 30'000'000'000;
OldRange old_ranges[256];  // of the sleeper's thread

char* take_old_range(std::uint64_t bytes) {
  const std::uint64_t now = wire::monotonic_ns();
  for (OldRange& range : old_ranges) {
    if (range.memory == nullptr || range.pid != getpid() || range.bytes != bytes || now - range.since < kRangeRestsNs)
      continue;
    char* memory = range.memory;
    range = {};
    return memory;
  }
  return nullptr;
}

/// The sealed memfd, mapped; -1 when it cannot be had. Fewer thread rings where address space is short.
int make_segment(Process& process, unsigned long ring_kib) {
  const int descriptor = memfd_create("lacuna", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  process.layout = {kControlSlots, kGpuSlots, thread_slots_wanted(ring_kib)};
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) limit.rlim_cur = RLIM_INFINITY;
  const std::uint64_t most = process.was_dormant ? kMostDormantRings : kMostThreadRings;
  for (std::uint64_t rings = most; rings >= 4; rings /= 4) {
    const std::uint64_t bytes =
        process.layout.ring_offset(wire::kFirstThreadRing) + rings * wire::ring_bytes(process.layout.thread_slots);
    if (bytes > limit.rlim_cur) continue;  // growing beyond it would raise SIGXFSZ
    if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) continue;
    void* place = take_old_range(bytes);
    void* memory = mmap(place, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | (place != nullptr ? MAP_FIXED : 0), descriptor, 0);
    if (memory == MAP_FAILED) continue;
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
      munmap(memory, bytes);
      break;
    }
    (void)madvise(memory, bytes, MADV_DONTFORK);  // a child must not write into its parent's rings
    (void)madvise(memory, bytes, MADV_DONTDUMP);
    process.segment = static_cast<char*>(memory);
    process.most_thread_rings = rings;
    process.header = new (memory) wire::SegmentHeader;
    process.header->file_bytes = bytes;
    return descriptor;
  }
  close(descriptor);
  return -1;
}

void read_proc(const char* path, char* into, std::size_t size) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t got = read(file, into, size - 1);
  close(file);
  into[got > 0 ? static_cast<std::size_t>(got) : 0] = '\0';
  if (got > 0 && into[got - 1] == '\n') into[got - 1] = '\0';
}

void fill_header(Process& process) {
  wire::SegmentHeader& header = *process.header;
  header.version = wire::kWireVersion;
  header.pid = static_cast<std::uint32_t>(getpid());
  header.parent_pid = static_cast<std::uint32_t>(getppid());
  header.control_slots = process.layout.control_slots;
  header.gpu_slots = process.layout.gpu_slots;
  header.thread_slots = process.layout.thread_slots;
  header.clock = process.clock;
  header.start = wire::read_triple();
  read_proc("/proc/self/comm", header.process_name, sizeof header.process_name);
  read_proc("/proc/self/cmdline", header.command_line, sizeof header.command_line);
  std::memcpy(header.magic, wire::kMagic, sizeof header.magic);
}

bool has_word(const char* list, const char* word) {
  const std::size_t length = std::strlen(word);
  for (const char* at = list; (at = std::strstr(at, word)) != nullptr; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ',')) return true;
  return false;
}

}  // namespace

void watch_forks() {
  static std::atomic<bool> is_watching{false};
  if (!is_watching.exchange(true)) pthread_atfork(nullptr, nullptr, after_fork_in_child);
}

bool attach_to(Process& process, int descriptor, const char* capture, unsigned long ring_kib) {
  // In memory that fork copies: no generation of a child is one of its parent's.
  static std::atomic<std::uint32_t> generations{0};
  process.generation = generations.fetch_add(1) + 1;
  process.pid = static_cast<std::uint32_t>(getpid());
  process.next_name = wire::kFirstName;
  process.captures_nvtx = has_word(capture, "nvtx");
  process.captures_cuda = has_word(capture, "cuda");
  process.captures_memory = has_word(capture, "memory");
  process.captures_whole_graphs = has_word(capture, "graphs");
  const char* verbose = std::getenv(wire::kVerboseVariable);
  process.is_verbose = verbose != nullptr && *verbose == '1';
  process.clock = wire::tsc_is_reliable() ? wire::ClockKind::kTsc : wire::ClockKind::kMonotonic;
  const int segment = make_segment(process, ring_kib);
  if (segment < 0) {
    if (process.is_verbose) std::fprintf(stderr, "lacuna: no memory for the rings: not recorded\n");
    return false;
  }
  fill_header(process);
  process.control.attach(process.segment + process.layout.ring_offset(wire::kControlRing),
                         process.layout.control_slots);
  process.gpu.attach(process.segment + process.layout.ring_offset(wire::kGpuRing), process.layout.gpu_slots);
  const bool sent = send_hello(descriptor, segment);
  close(segment);
  if (!sent) {
    munmap(process.segment, process.header->file_bytes);
    process.segment = nullptr;
  }
  return sent;
}

void leave_segment(const Process& process) {
  if (process.segment == nullptr) return;
  const std::uint64_t bytes = process.layout.ring_offset(wire::kFirstThreadRing) +
                              process.most_thread_rings * wire::ring_bytes(process.layout.thread_slots);
  (void)madvise(process.segment, bytes, MADV_REMOVE);
  for (OldRange& range : old_ranges) {
    if (range.memory != nullptr && range.pid == getpid()) continue;
    range = {process.segment, bytes, wire::monotonic_ns(), getpid()};
    return;
  }
}

bool attach(Process& process) {
  // The memory of a process is never constructed, only zeroed: by mmap, or by a fork.
  process.pid = static_cast<std::uint32_t>(getpid());
  process.next_range = 1;
  watch_forks();
  close_inherited_socket();
  const char* path = std::getenv(wire::kSocketVariable);
  if (path == nullptr || *path == '\0') return false;
  const char* capture = std::getenv(wire::kCaptureVariable);
  const int descriptor = connect_to_viewer(path);
  if (descriptor < 0) {
    const char* verbose = std::getenv(wire::kVerboseVariable);
    if (verbose != nullptr && *verbose == '1')
      std::fprintf(stderr, "lacuna: no recording listens at %s: not recorded\n", path);
    return false;
  }
  if (!attach_to(process, descriptor, capture == nullptr ? "nvtx,cuda" : capture, 0)) {
    close(descriptor);
    return false;
  }
  struct stat now {};
  if (fstat(descriptor, &now) == 0) open_socket = {descriptor, now.st_dev, now.st_ino};
  return true;
}

}  // namespace lacuna::collector
