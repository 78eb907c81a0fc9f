#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/metrics/metrics_options.h"
#include "capture/sampling/sampling_options.h"
#include "capture/session/capture_status.h"
#include "capture/session/clock_map.h"
#include "capture/session/launcher.h"
#include "capture/session/listener.h"
#include "capture/session/process_decoder.h"
#include "capture/session/record_gate.h"
#include "capture/session/step_filter.h"
#include "model/base/os/descriptor.h"
#include "model/base/result.h"
#include "model/trace/import_report.h"

namespace lacuna {

class MetricsSampler;
class ProgramSampler;
struct SampledSlice;

/// What a target's environment says to the collector.
struct SessionOptions {
  std::string collector;    ///< path of liblacuna_collector.so; empty = none (tests)
  std::string python_hook;  ///< folder of our sitecustomize.py; empty = no PyTorch operators
  bool nvtx = true;
  bool cuda = true;
  bool memory = false;         ///< allocations of CUDA memory
  bool whole_graphs = false;   ///< a CUDA graph as one slice, not its kernels
  bool shapes = false;         ///< input shapes of PyTorch operators
  bool allocator = false;      ///< what PyTorch's allocators give and take back
  bool verbose = false;        ///< the collector speaks on the target's stderr
  std::uint32_t ring_kib = 0;  ///< per thread; 0 = the collector's own choice
  StepSchedule schedule;       ///< of the steps that end within the window
  RecordWindow window;
  std::string step_range;  ///< ranges of this name are the steps, and nothing else is
  Nanos step_every = 0;    ///< > 0: steps of this length, whatever the program does
  SamplingOptions sampling{.stacks = false, .switches = false};  ///< of what launch() starts
  MetricsOptions metrics{.gpus = false, .host = false};          ///< beside it
};

/// Variables to set for a target on top of `inherited` ("NAME=value" each; of two of a name the last
/// counts): socket, injection paths, PYTHONPATH with the hook in front of what it was.
std::vector<std::pair<std::string, std::string>> collector_environment(const SessionOptions& options,
                                                                       const std::string& socket,
                                                                       const std::vector<std::string>& inherited);

/// A live capture: listens for processes, reads their rings, decodes them into a sink.
///
///   Session session = *Session::start(options, sink);
///   launch(argv, session.environment(), …);
///   while (running) session.poll(10);        // on one thread, the capture thread
///   session.finish();
///
/// The thread that calls poll() is the only one that touches the session and the sink. To feed a window,
/// let the sink be a BatchSink and hand its batches over. Destroying the session without finish()
/// loses nothing for the targets: they find the ring full and drop.
class Session {
 public:
  static Result<std::unique_ptr<Session>> start(SessionOptions options, EventSink& sink);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Variables to set for the target, on top of `inherited`.
  std::vector<std::pair<std::string, std::string>> environment(const std::vector<std::string>& inherited) const {
    return collector_environment(options_, listener_.path(), inherited);
  }

  /// The socket to which collectors connect.
  const std::string& socket() const { return listener_.path(); }

  /// Starts the target, and looks at it from outside if the options say so. Once.
  Result<Launcher> launch(const LaunchOptions& options);
  /// Looks at a process that runs already, from outside, in place of launch(). Once.
  void look_at(std::uint32_t pid);
  /// Wakes the dormant programs among a process and what it started and starts (LACUNA_DORMANT), and captures them
  /// until finish(). Returns how many woke now. Errors: one is there, but none wakes.
  Result<std::size_t> wake(std::uint32_t pid);
  /// Begins a window that waits for our word (RecordWindow::on_word), at a time of CLOCK_MONOTONIC, from the next
  /// poll() on. Once.
  void begin_window(std::uint64_t monotonic_ns);
  /// Waits up to `timeout_ms` for something to happen, accepts new processes, and decodes what all rings
  /// hold. Call it at least every 20 ms or so: rings are finite.
  void poll(int timeout_ms);
  /// A last round; closes what is open. No poll() afterwards.
  void finish();

  /// Names of ranges that were no steps, where steps are ranges of a name (ProcessDecoder::other_ranges).
  std::vector<std::string> other_ranges() const;
  CaptureStatus status() const;
  /// Messages of the collectors since the last call.
  std::vector<CaptureMessage> take_messages();

  /// The window of time that the options ask for; null when they ask for none.
  const RecordGate* gate() const { return gate_ ? &*gate_ : nullptr; }
  Nanos base_time_ns() const { return clocks_.base_ns(); }
  /// Now, in times of the trace.
  Nanos now() const;
  /// "distributedInfo" as torch.profiler writes it, from what the processes said of their ranks; of several ranks
  /// "ranks" and "local_ranks" in place of "rank". Empty when there are none.
  std::string distributed_info() const;
  /// Pids of all captured processes, oldest first.
  std::vector<std::uint32_t> pids() const;
  /// Hands over the ranges that run now, as if they ended at `now` (ProcessDecoder::add_open).
  void add_open(EventSink& sink, Nanos now) const;
  /// Calls visit(pid, tid, OpenRange, name) for ranges that run now.
  template <class Visit>
  void for_each_open(Visit&& visit) const {
    for (const auto& process : processes_)
      process->decoder.for_each_open([&](std::uint32_t tid, const OpenRange& range, std::string_view name) {
        visit(process->decoder.identity().pid, tid, range, name);
      });
  }

 private:
  struct Process {
    Descriptor socket;
    Descriptor descriptor;  // pidfd
    SegmentReader segment;
    ProcessDecoder decoder;
    bool is_finished = false;
    bool was_dormant = false;  // sleeps again when its socket is closed

    Process(Listener::Connection connection, ProcessDecoder::Identity identity, const ClockMap& clocks, EventSink& sink,
            std::vector<CaptureMessage>& messages);
    ~Process();
  };

  Session(SessionOptions options, Listener listener, ClockMap clocks, EventSink& sink);
  void wait(int timeout_ms);
  void accept_all();
  void take_in(Listener::Connection connection, bool was_dormant);
  Result<std::size_t> wake_new();
  void put_to_sleep();
  void read_all();
  void take_samples();
  void measure(int pid, const std::vector<std::string>& environment);
  void take_metrics();
  void add_sampled(EventSink& sink, const SampledSlice& slice) const;
  void read(Process& process);
  void finish(Process& process);
  static bool has_ended(const Process& process);
  bool skips_operators_of(const Process& process) const;

  SessionOptions options_;
  Listener listener_;
  ClockMap clocks_;
  std::uint64_t clock_read_ns_ = 0;
  std::optional<StepFilter> filter_;
  std::optional<RecordGate> gate_;
  EventSink& sink_;  // the gate, else the filter, else the user's
  std::vector<std::unique_ptr<Process>> processes_;
  std::unique_ptr<ProgramSampler> sampler_;
  std::unique_ptr<MetricsSampler> metrics_;
  std::map<unsigned, std::vector<std::uint32_t>> gpu_users_;  ///< pids, by GPU as NVML counts them
  std::map<unsigned, std::int32_t> gpu_ranks_;                ///< as told
  std::vector<CaptureMessage> messages_;
  std::vector<wire::Slot> slots_;
  std::vector<std::uint64_t> heads_;
  std::optional<std::uint32_t> step_process_;  ///< index of the first process that had a step
  std::optional<Nanos> step_time_;             ///< end of the last step by time
  std::uint64_t steps_ = 0;
  std::uint64_t states_ = 0;
  std::uint64_t refused_ = 0;
  std::uint32_t woken_root_ = 0;  ///< dormant programs below it are woken; 0: none
  std::uint64_t woken_looked_ = 0;
  bool is_finished_ = false;
};

}  // namespace lacuna
