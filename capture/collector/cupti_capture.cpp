// Life of the GPU capture in one process.
//
// States: off -> waiting (somebody else holds CUPTI; asked again every second) -> running <-> paused.
// Order of the calls and the traps behind them: Subscribe, timestamp callback, buffer callbacks, then
// Enable. Buffers are fetched by our own thread with FlushAll(0) every 50 ms, since
// cuptiActivityFlushPeriod hands out full buffers only. No lock of ours is held over a call into CUPTI
// that may call back; GetNumDroppedRecords is called under none.
//
// Takeover: a profiler that registers buffer callbacks of its own later simply replaces ours, without
// an error. Then launches go on (we count some API callbacks) while no buffer comes back: after
// kSilence of that the capture is paused, with a message. It resumes when the Python hook says so.
//
// A forked child cannot use CUDA: everything here checks that it still runs in the process it started in.

#include "capture/collector/cupti_capture.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/collector/cupti_records.h"
#include "capture/wire/handshake.h"

namespace lacuna::cupti {
namespace {

using collector::Locked;
using collector::Process;
using wire::MessageKind;

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr unsigned kMostBuffers = 64;
constexpr long kFlushEveryNs = 50'000'000;
constexpr std::uint64_t kSilenceNs = 2'000'000'000;
constexpr std::uint64_t kAskAgainNs = 1'000'000'000;

constexpr Kind kKinds[] = {
    Kind::kRuntime,         Kind::kDriver,   Kind::kConcurrentKernel, Kind::kMemcpy,  Kind::kMemcpyPeer, Kind::kMemset,
    Kind::kSynchronization, Kind::kOverhead, Kind::kDevice,           Kind::kContext, Kind::kStream};

enum State : int { kOff, kWaiting, kRunning, kPaused };

struct Capture {
  Library library;
  RecordReader reader;
  std::atomic<int> state{kOff};
  pid_t pid = 0;
  Subscriber subscriber = nullptr;
  pthread_t thread{};
  std::atomic<bool> has_thread{false};
  std::atomic<bool> stop{false};
  collector::Lock changes;  ///< start, pause and resume, one at a time

  collector::Lock buffers;  ///< guards the free list
  std::uint8_t* free_buffers[kMostBuffers * 4] = {};
  unsigned free_count = 0;
  std::uint8_t* made_buffers[kMostBuffers * 4] = {};
  unsigned made = 0;

  std::atomic<bool> driver_started{false};  ///< cuInit was called
  bool is_loaded = false;
  bool ends_are_reported = false;
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> buffers_done{0};
};
Capture capture;

bool is_our_process() {
  return capture.pid == getpid();
}

// --- what CUPTI calls ----------------------------------------------------------------------------

std::uint64_t timestamp() {
  return wire::monotonic_ns();
}

std::uint8_t* make_buffer() {
  void* memory = mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const Locked locked(capture.buffers);
  if (capture.made < 4 * kMostBuffers) capture.made_buffers[capture.made++] = static_cast<std::uint8_t*>(memory);
  return static_cast<std::uint8_t*>(memory);
}

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *most_records = 0;
  *size = kBufferBytes;
  *buffer = nullptr;
  {
    const Locked locked(capture.buffers);
    if (capture.free_count > 0) {
      *buffer = capture.free_buffers[--capture.free_count];
      return;
    }
    const unsigned most = capture.library.version >= kMayRefuseBuffers ? kMostBuffers : 4 * kMostBuffers;
    if (capture.made >= most) {
      *size = 0;
      return;  // CUPTI drops and counts; versions before 12.9 get four times as many before that
    }
  }
  *buffer = make_buffer();
  if (*buffer == nullptr) *size = 0;
}

/// Keeps a buffer for the next request. A foreign one (of a profiler that had replaced our callbacks, and
/// whose last buffer comes to us) is not ours to keep.
void give_back(std::uint8_t* buffer) {
  const Locked locked(capture.buffers);
  for (unsigned i = 0; i < capture.made; ++i) {
    if (capture.made_buffers[i] != buffer) continue;
    if (capture.free_count < std::size(capture.free_buffers)) capture.free_buffers[capture.free_count++] = buffer;
    return;
  }
}

void buffer_done(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  Process* process = is_our_process() ? collector::attached_process() : nullptr;
  if (process != nullptr && buffer != nullptr && valid > 0) {
    const bool is_our_thread = capture.has_thread.load() && pthread_equal(pthread_self(), capture.thread) != 0;
    const Locked locked(process->gpu_lock);
    capture.reader.read(*process, buffer, valid, is_our_thread);
  }
  capture.buffers_done.fetch_add(1, std::memory_order_relaxed);
  if (buffer != nullptr) give_back(buffer);
  std::size_t dropped = 0;
  if (process != nullptr &&
      capture.library.functions.ActivityGetNumDroppedRecords(context, stream, &dropped) == kSuccess && dropped > 0)
    process->header->gpu_records_lost.fetch_add(dropped, std::memory_order_relaxed);
}

void api_called(void*, CallbackDomain, std::uint32_t, const void*) {
  // Only ever compared with itself a while ago: threads may overwrite each other's, which saves a locked addition.
  capture.launches.store(capture.launches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// --- starting and stopping -----------------------------------------------------------------------

const char* text_of(Status status) {
  const char* text = nullptr;
  return capture.library.functions.GetResultString(status, &text) == kSuccess && text != nullptr ? text
                                                                                                 : "unknown error";
}

Status subscribe(char* holder, std::size_t holder_size) {
  const Functions& f = capture.library.functions;
  *holder = '\0';
  if (f.SubscribeV2 == nullptr) return f.Subscribe(&capture.subscriber, api_called, nullptr);
  SubscriberParams params;
  params.name = "lacuna";
  params.old_name = holder;
  params.old_name_size = holder_size;
  const Status status = f.SubscribeV2(&capture.subscriber, api_called, nullptr, &params);
  holder[holder_size - 1] = '\0';
  return status;
}

/// Clocks, callbacks and kinds. Messages name what could not be enabled.
void enable_all() {
  const Functions& f = capture.library.functions;
  std::int64_t offset = 0;
  if (f.ActivityRegisterTimestampCallback == nullptr || f.ActivityRegisterTimestampCallback(timestamp) != kSuccess) {
    std::uint64_t theirs = 0;  // CUPTI's own clock (CLOCK_REALTIME): steps of that clock show
    if (f.GetTimestamp != nullptr && f.GetTimestamp(&theirs) == kSuccess)
      offset = static_cast<std::int64_t>(theirs - wire::monotonic_ns());
  }
  capture.reader.start(f, offset);
  if (f.SetThreadIdType != nullptr && f.SetThreadIdType(kThreadIdTypeSystem) == kSuccess)
    if (Process* process = collector::attached_process()) process->header->api_thread_is_tid = 1;
  f.ActivityRegisterCallbacks(request_buffer, buffer_done);
  const auto enable = [](Kind kind) {
    const Status status = f.ActivityEnable(kind);
    if (status == kSuccess) return;
    char text[160];
    std::snprintf(text, sizeof text, "CUPTI does not give records of kind %u: error %d %s", static_cast<unsigned>(kind),
                  status, text_of(status));
    collector::say(MessageKind::kInfo, text);
  };
  for (const Kind kind : kKinds) enable(kind);
  if (const Process* process = collector::attached_process()) {
    if (process->captures_memory) enable(Kind::kMemory);
    if (process->captures_whole_graphs) enable(Kind::kGraphTrace);  // in place of the records of their nodes
  }
  if (f.EnableCallback != nullptr) {
    for (const std::uint32_t cbid : kRuntimeLaunches)
      f.EnableCallback(1, capture.subscriber, CallbackDomain::kRuntime, cbid);
    for (const std::uint32_t cbid : kDriverLaunches)
      f.EnableCallback(1, capture.subscriber, CallbackDomain::kDriver, cbid);
  }
}

bool has_driver() {
  if (void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    dlclose(handle);
    return true;
  }
  return false;
}

/// One attempt; the caller holds `changes`. `is_first`: say why not.
void try_to_start(bool is_first) {
  char holder[128];
  const Status status = subscribe(holder, sizeof holder);
  char text[512];
  if (status == kSuccess) {
    enable_all();
    capture.state = kRunning;
    char version[32];
    describe_version(capture.library.version, version, sizeof version);
    std::snprintf(text, sizeof text, "GPU recording runs: CUPTI of %s (API %u), %s", version, capture.library.version,
                  capture.library.path);
    collector::say(is_first ? MessageKind::kInfo : MessageKind::kGpuResumed, text);
  } else if (status == kMultipleSubscribers) {
    capture.state = kWaiting;
    std::snprintf(text, sizeof text,
                  "GPU recording paused: CUPTI is held by %s (error 39). CPU ranges continue. "
                  "Stop it, or use CUDA 13.3 or newer with a driver r610 or newer.",
                  *holder != '\0' ? holder : "another profiler");
    if (is_first) collector::say(MessageKind::kGpuPaused, text);
  } else if (status == kUnknownError && !has_driver()) {
    capture.state = kOff;
    collector::say(MessageKind::kGpuOff, "no GPU recording: no NVIDIA driver (libcuda.so.1) in this process");
  } else {
    capture.state = kOff;
    std::snprintf(text, sizeof text, "no GPU recording: cuptiSubscribe gave error %d %s", status, text_of(status));
    collector::say(MessageKind::kGpuOff, text);
  }
}

/// Notices that buffers stopped coming back although the target launches work.
class Watchdog {
 public:
  bool is_taken_over(std::uint64_t time) {
    const std::uint64_t launches = capture.launches.load(std::memory_order_relaxed);
    const std::uint64_t done = capture.buffers_done.load(std::memory_order_relaxed);
    if (done != done_ || launches == launches_seen_) {
      done_ = done;
      launches_seen_ = launches;
      since_ = time;
      return false;
    }
    return time - since_ > kSilenceNs;
  }

 private:
  std::uint64_t done_ = 0;
  std::uint64_t launches_seen_ = 0;
  std::uint64_t since_ = 0;
};

/// Page faults are the dearest part of a record: here they cost the target nothing. Two buffers go round at
/// ordinary rates. Before Linux 5.14 this does nothing.
void populate_memory() {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE: the headers may be older than the kernel
  if (const Process* process = collector::attached_process())
    (void)madvise(process->segment + process->layout.ring_offset(wire::kGpuRing),
                  wire::ring_bytes(process->layout.gpu_slots), kPopulateWrite);
  for (int i = 0; i < 2; ++i) {
    std::uint8_t* buffer = make_buffer();
    if (buffer == nullptr) return;
    (void)madvise(buffer, kBufferBytes, kPopulateWrite);
    give_back(buffer);
  }
}

void* fetch_records(void*) {
  pthread_setname_np(pthread_self(), "lacuna-fetch");
  populate_memory();
  Watchdog watchdog;
  std::uint64_t asked = wire::monotonic_ns();
  while (!capture.stop.load()) {
    const timespec pause{0, kFlushEveryNs};
    nanosleep(&pause, nullptr);
    const std::uint64_t time = wire::monotonic_ns();
    const int state = capture.state.load();
    if (state == kRunning) {
      capture.library.functions.ActivityFlushAll(0);
      if (watchdog.is_taken_over(time) && capture.state.exchange(kPaused) == kRunning)
        collector::say(MessageKind::kGpuPaused,
                       "GPU recording paused: CUPTI's buffers go to another profiler that started in this process. "
                       "CPU ranges continue.");
    } else if (state == kWaiting && time - asked > kAskAgainNs) {
      asked = time;
      const Locked locked(capture.changes);
      if (capture.state == kWaiting) try_to_start(false);
    } else if (state == kOff) {
      break;
    }
  }
  return nullptr;
}

void finish();

void start_thread() {
  if (!std::exchange(capture.ends_are_reported, true)) std::atexit(finish);
  if (capture.has_thread.exchange(true)) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the target's signals are not for our thread
  if (pthread_create(&capture.thread, nullptr, fetch_records, nullptr) != 0) capture.has_thread = false;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// At exit: what CUPTI still holds. cuptiFinalize is not called: it crashes while others use CUDA.
void finish() {
  if (!is_our_process()) return;
  capture.stop = true;
  if (capture.has_thread) pthread_join(capture.thread, nullptr);
  capture.has_thread = false;
  if (capture.state == kRunning) capture.library.functions.ActivityFlushAll(1);
}

}  // namespace

void start_capture() {
  capture.driver_started = true;
  Process* process = collector::attached_process();
  if (process == nullptr || !process->captures_cuda) return;
  const Locked locked(capture.changes);
  if (capture.pid != 0) return;  // running already, or inherited by a forked child
  capture.pid = getpid();
  char why[512];
  if (!load_library(capture.library, why, sizeof why)) {
    char text[600];
    std::snprintf(text, sizeof text, "no GPU recording: %s", why);
    collector::say(MessageKind::kGpuOff, text);
    return;
  }
  capture.is_loaded = true;
  try_to_start(true);
  if (capture.state != kOff) start_thread();
}

void wake() {
  if (!capture.driver_started) return;
  if (capture.pid == 0) return start_capture();
  const Process* process = collector::attached_process();
  if (process == nullptr || !process->captures_cuda || !is_our_process() || !capture.is_loaded) return;
  const Locked locked(capture.changes);
  capture.reader.forget();
  try_to_start(true);
  if (capture.state != kOff) start_thread();
}

void sleep() {
  if (!capture.driver_started || !is_our_process()) return;
  capture.stop = true;  // the thread may be waiting for `changes`
  if (capture.has_thread) pthread_join(capture.thread, nullptr);
  capture.has_thread = false;
  capture.stop = false;
  const Locked locked(capture.changes);
  const Functions& f = capture.library.functions;
  if (capture.state == kRunning) {
    f.ActivityFlushAll(1);
    for (const Kind kind : kKinds) f.ActivityDisable(kind);
    f.ActivityDisable(Kind::kMemory);
    f.ActivityDisable(Kind::kGraphTrace);
  }
  if (capture.state != kOff && capture.subscriber != nullptr) f.Unsubscribe(capture.subscriber);
  capture.subscriber = nullptr;
  capture.state = kOff;
}

void pause_capture(const char* holder) {
  const Locked locked(capture.changes);
  if (!is_our_process() || capture.state != kRunning) return;
  capture.library.functions.ActivityFlushAll(1);  // what is ours already
  capture.state = kPaused;
  if (capture.subscriber != nullptr) capture.library.functions.Unsubscribe(capture.subscriber);
  capture.subscriber = nullptr;
  char text[256];
  std::snprintf(text, sizeof text, "GPU recording paused: CUPTI is held by %s. CPU ranges continue.", holder);
  collector::say(MessageKind::kGpuPaused, text);
}

void resume_capture() {
  const Locked locked(capture.changes);
  if (!is_our_process() || capture.state != kPaused) return;
  if (capture.subscriber != nullptr) {  // paused by the watchdog: we are still subscribed
    enable_all();
    capture.state = kRunning;
    collector::say(MessageKind::kGpuResumed, "GPU recording resumed.");
    return;
  }
  try_to_start(false);
}

const Library* library_in_use() {
  return capture.state.load(std::memory_order_acquire) != kOff && is_our_process() ? &capture.library : nullptr;
}

}  // namespace lacuna::cupti
