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

/// Settings of a session; the target's environment passes them to the collector.
struct SessionOptions {
  std::string collector;    ///< path of liblacuna_collector.so; empty = none (tests)
  std::string python_hook;  ///< folder of our sitecustomize.py; empty = no PyTorch operators
  bool nvtx = true;
  bool cuda = true;
  bool memory = false;         ///< CUDA memory allocations
  bool whole_graphs = false;   ///< a CUDA graph as one slice, without its kernels
  bool shapes = false;         ///< input shapes of PyTorch operators
  bool allocator = false;      ///< allocations and frees of PyTorch's allocators
  bool verbose = false;        ///< the collector writes messages to the target's stderr
  std::uint32_t ring_kib = 0;  ///< ring size per thread; 0 = the collector's default
  StepSchedule schedule;       ///< counts the steps that end within the window
  RecordWindow window;
  std::string step_range;  ///< only ranges of this name are steps
  Nanos step_every = 0;    ///< > 0: steps of this length, whatever the program marks
  SamplingOptions sampling{.stacks = false, .switches = false};  ///< for the target of launch()
  MetricsOptions metrics{.gpus = false, .host = false};          ///< sampled beside it
};

/// Returns the variables to set for a target on top of `inherited` ("NAME=value" each; of two of the same name the last
/// counts): socket, injection paths, PYTHONPATH with the hook in front of its present value.
std::vector<std::pair<std::string, std::string>> collector_environment(const SessionOptions& options,
                                                                       const std::string& socket,
                                                                       const std::vector<std::string>& inherited);

/// A live capture: accepts processes, reads their rings, decodes them into a sink.
///
///   Session session = *Session::start(options, sink);
///   launch(argv, session.environment(), …);
///   while (running) session.poll(10);        // on one thread, the capture thread
///   session.finish();
///
/// Only the thread that calls poll() may touch the session and the sink. To feed a window,
/// use a BatchSink as the sink and pass its batches on. Destroying the session without finish()
/// is harmless for the targets: they find the ring full and drop records.
class Session {
 public:
  static Result<std::unique_ptr<Session>> start(SessionOptions options, EventSink& sink);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Returns the variables to set for the target, on top of `inherited`.
  std::vector<std::pair<std::string, std::string>> environment(const std::vector<std::string>& inherited) const {
    return collector_environment(options_, listener_.path(), inherited);
  }

  /// The socket to which collectors connect.
  const std::string& socket() const { return listener_.path(); }

  /// Starts the target, and samples it from outside if the options say so. Call once.
  Result<Launcher> launch(const LaunchOptions& options);
  /// Samples a running process from outside, in place of launch(). Call once.
  void look_at(std::uint32_t pid);
  /// Wakes the dormant programs among a process and its present and future descendants (LACUNA_DORMANT), captures them
  /// until finish(). Returns how many woke now. Errors: there is one, but none could be woken.
  Result<std::size_t> wake(std::uint32_t pid);
  /// Begins a window that waits for a request (RecordWindow::on_word), at a CLOCK_MONOTONIC time, from the next
  /// poll() on. Call once.
  void begin_window(std::uint64_t monotonic_ns);
  /// Waits up to `timeout_ms` for news, accepts new processes, and decodes the contents of all
  /// rings. Call it at least every 20 ms or so: rings are finite.
  void poll(int timeout_ms);
  /// Runs a last round and closes what is open. Call no poll() afterwards.
  void finish();

  /// Names of ranges that were no steps, where steps are ranges of a name (ProcessDecoder::other_ranges).
  std::vector<std::string> other_ranges() const;
  CaptureStatus status() const;
  /// Returns the messages of the collectors since the last call.
  std::vector<CaptureMessage> take_messages();

  /// The time window of the options; null when they have none.
  const RecordGate* gate() const { return gate_ ? &*gate_ : nullptr; }
  Nanos base_time_ns() const { return clocks_.base_ns(); }
  /// The present trace time.
  Nanos now() const;
  /// Returns "distributedInfo" as torch.profiler writes it, from the ranks that the processes reported; for many ranks
  /// "ranks" and "local_ranks" in place of "rank". Empty when there are none.
  std::string distributed_info() const;
  /// Returns the pids of all captured processes, oldest first.
  std::vector<std::uint32_t> pids() const;
  /// Passes on the ranges still running, as if they ended at `now` (ProcessDecoder::add_open).
  void add_open(EventSink& sink, Nanos now) const;
  /// Calls visit(pid, tid, OpenRange, name) for the ranges still running.
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
    bool was_dormant = false;  // becomes dormant again when its socket is closed

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
  EventSink& sink_;  // the gate, else the filter, else the caller's sink
  std::vector<std::unique_ptr<Process>> processes_;
  std::unique_ptr<ProgramSampler> sampler_;
  std::unique_ptr<MetricsSampler> metrics_;
  std::map<unsigned, std::vector<std::uint32_t>> gpu_users_;  ///< pids, by NVML's GPU index
  std::map<unsigned, std::int32_t> gpu_ranks_;                ///< as last passed to the sink
  std::vector<CaptureMessage> messages_;
  std::vector<wire::Slot> slots_;
  std::vector<std::uint64_t> heads_;
  std::optional<std::uint32_t> step_process_;  ///< index of the first process that reported a step
  std::optional<Nanos> step_time_;             ///< end of the last step of fixed length
  std::uint64_t steps_ = 0;
  std::uint64_t states_ = 0;
  std::uint64_t refused_ = 0;
  std::uint32_t woken_root_ = 0;  ///< dormant programs among its descendants are woken; 0: none
  std::uint64_t woken_looked_ = 0;
  bool is_finished_ = false;
};

}  // namespace lacuna
