#include "capture/sampling/perf_events.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lacuna {
namespace {

constexpr std::size_t kMostPages = 128;  // half a MiB a CPU: what the kernel lets everybody lock
constexpr std::size_t kLeastPages = 8;

perf_event_attr perf_attributes(const PerfEvents::Wanted& wanted, bool with_kernel) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  if (wanted.stacks_per_second > 0) {
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    attr.sample_period = 1'000'000'000u / wanted.stacks_per_second;
    attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.sample_regs_user = kSampleRegisters;
    attr.sample_stack_user = PerfEvents::kStackBytes;
  }
  attr.context_switch = wanted.switches ? 1 : 0;
  attr.task = 1;
  attr.comm = 1;
  attr.comm_exec = 1;
  attr.inherit = 1;
  attr.disabled = 1;
  attr.enable_on_exec = 1;
  attr.sample_id_all = 1;
  attr.exclude_kernel = with_kernel ? 0 : 1;
  attr.exclude_hv = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.wakeup_events = 1;  // each sample of a stack: Python's is read at the same moment
  return attr;
}

int open_perf_event(perf_event_attr& attr, int cpu) {
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

std::string perf_advice(int error) {
  int paranoid = 0;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
  if (error == ENOSYS || error == ENOENT) return "this kernel has no perf events";
  if (paranoid > 2) return "sysctl kernel.perf_event_paranoid=2 (or give lacuna CAP_PERFMON)";
  return "in a container: start it with --cap-add PERFMON, or a seccomp profile that allows perf_event_open";
}

Result<PerfEvents> PerfEvents::open(const Wanted& wanted) {
  PerfEvents events;
  events.sees_kernel_ = wanted.stacks_per_second > 0;
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  events.rings_.reserve(static_cast<std::size_t>(cpus));  // nothing is thrown while a descriptor has no owner
  events.polled_.reserve(static_cast<std::size_t>(cpus));
  std::size_t pages = kMostPages;
  int error = ENOENT;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    perf_event_attr attr = perf_attributes(wanted, events.sees_kernel_);
    int descriptor = open_perf_event(attr, cpu);
    if (descriptor < 0 && (errno == EACCES || errno == EPERM) && events.sees_kernel_ && cpu == 0) {
      events.sees_kernel_ = false;
      attr = perf_attributes(wanted, false);
      descriptor = open_perf_event(attr, cpu);
    }
    if (descriptor < 0) {
      error = errno;
      if (error == ENODEV) continue;  // this CPU is off
      return fail(ErrorCode::kUnsupported,
                  fmt::format("perf_event_open: {}; {}", std::strerror(error), perf_advice(error)));
    }
    void* memory = MAP_FAILED;
    for (; pages >= kLeastPages; pages /= 2) {  // the less where little may be locked
      memory = mmap(nullptr, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
      if (memory != MAP_FAILED) break;
    }
    if (memory == MAP_FAILED) {
      error = errno;
      close(descriptor);
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("perf events: {} (raise ulimit -l, or sysctl kernel.perf_event_mlock_kb)", std::strerror(error)));
    }
    events.rings_.push_back({descriptor, static_cast<char*>(memory), (pages + 1) * page, {}, 0});
    events.polled_.push_back({descriptor, POLLIN, 0});
  }
  if (events.rings_.empty())
    return fail(ErrorCode::kUnsupported, fmt::format("perf_event_open: {}", std::strerror(error)));
  return events;
}

PerfEvents::PerfEvents(PerfEvents&& other) noexcept
    : rings_(std::exchange(other.rings_, {})),
      polled_(std::exchange(other.polled_, {})),
      sees_kernel_(other.sees_kernel_) {}

PerfEvents& PerfEvents::operator=(PerfEvents&& other) noexcept {
  std::swap(rings_, other.rings_);
  std::swap(polled_, other.polled_);
  std::swap(sees_kernel_, other.sees_kernel_);
  return *this;
}

PerfEvents::~PerfEvents() {
  for (const Ring& ring : rings_) {
    if (ring.memory != nullptr) munmap(ring.memory, ring.bytes);
    if (ring.descriptor >= 0) close(ring.descriptor);
  }
}

void PerfEvents::take_out(Ring& ring) {
  auto* page = reinterpret_cast<perf_event_mmap_page*>(ring.memory);
  const std::uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
  const std::uint64_t tail = page->data_tail;
  const std::size_t offset = page->data_offset, size = page->data_size;
  if (head == tail || size == 0) return;
  const auto begin = static_cast<std::size_t>(tail % size);
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(head - tail, size));
  const auto* data = reinterpret_cast<const std::byte*>(ring.memory + offset);
  const std::size_t first = std::min(count, size - begin);
  ring.text.insert(ring.text.end(), data + begin, data + begin + first);
  ring.text.insert(ring.text.end(), data, data + (count - first));
  std::atomic_ref(page->data_tail).store(head, std::memory_order_release);
}

bool PerfEvents::wait_for_sample(std::uint64_t until) {
  timespec clock{};
  clock_gettime(CLOCK_MONOTONIC, &clock);
  const auto now = static_cast<std::uint64_t>(clock.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(clock.tv_nsec);
  if (now >= until) return false;
  const timespec rest{static_cast<time_t>((until - now) / 1'000'000'000),
                      static_cast<long>((until - now) % 1'000'000'000)};
  if (ppoll(polled_.data(), polled_.size(), &rest, nullptr) <= 0) return false;
  bool any = false;
  for (pollfd& polled : polled_) {
    any |= (polled.revents & POLLIN) != 0;
    if ((polled.revents & ~POLLIN) != 0) polled.fd = -1;  // nothing wakes us any more, and it would at once
  }
  return any;
}

void PerfEvents::see_samples(const std::function<void(const PerfRecord&)>& visit) {
  for (Ring& ring : rings_) {
    take_out(ring);
    std::span<const std::byte> rest = std::span<const std::byte>(ring.text).subspan(ring.seen);
    for (PerfRecord record; take_record(rest, record);)
      if (record.kind == PerfRecord::Kind::kSample) visit(record);
    ring.seen = ring.text.size() - rest.size();
  }
}

void PerfEvents::read(std::uint64_t until, const std::function<void(const PerfRecord&)>& visit) {
  struct Next {
    Ring* ring;
    std::span<const std::byte> rest;
    PerfRecord record;
    std::size_t used = 0;  // bytes of records that were handed over
    bool has_record = false;
  };
  std::vector<Next> next;
  const auto advance = [](Next& n) {
    n.used = n.ring->text.size() - n.rest.size();
    n.has_record = take_record(n.rest, n.record);
  };
  for (Ring& ring : rings_) {
    take_out(ring);
    next.push_back({&ring, ring.text, {}, 0, false});
    advance(next.back());
  }
  for (;;) {
    Next* earliest = nullptr;
    for (Next& n : next)
      if (n.has_record && (earliest == nullptr || n.record.time < earliest->record.time)) earliest = &n;
    if (earliest == nullptr || earliest->record.time >= until) break;
    visit(earliest->record);
    advance(*earliest);
  }
  for (Next& n : next) {
    // What is no record can never be read: it goes, so that it is not looked at for ever.
    const std::size_t done = n.has_record ? n.used : n.ring->text.size();
    n.ring->text.erase(n.ring->text.begin(), n.ring->text.begin() + static_cast<std::ptrdiff_t>(done));
    n.ring->seen -= std::min(n.ring->seen, done);
  }
}

}  // namespace lacuna
