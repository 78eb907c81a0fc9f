#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/extremes_index.h"

namespace lacuna {

enum class TrackKind : std::uint8_t {
  kThread,         ///< a CPU thread: operators, runtime calls, Python frames, annotations
  kStacks,         ///< sampled stacks of a CPU thread (model/trace/sampled_tracks.h)
  kThreadStates,   ///< when a CPU thread ran, waited or was preempted (model/trace/sampled_tracks.h)
  kGpuStream,      ///< kernels, copies and sets of one stream of one device
  kGpuAnnotation,  ///< gpu_user_annotation slices of one stream, separate from its kernels
  kAsync,          ///< b/n/e and S/T/p/F events of one process with the same root name
  kCounter,        ///< one series of numbers over time
  kCaptured,       ///< a CPU thread of a capture trace: where CUDA graphs of other sources were captured
};

/// What is true of all tracks of a kind, and what a new kind has to decide.
struct TrackTraits {
  bool has_tid = true;       ///< told apart by its tid in a process; else by its name
  bool nests = true;         ///< slices lie in others; else none does, and those that cross get lanes of their own
  bool is_cpu_code = false;  ///< what a thread did, by its own word: operators, calls, annotations
  bool is_work = false;      ///< what ran: operators and calls of a thread, kernels and copies of a stream
  bool is_on_gpu = false;    ///< its device and stream are known
  bool is_observed = false;  ///< a thread as it was seen from outside
  bool is_of_run = true;     ///< part of what ran: counted in statistics
  float row_height = 1;      ///< of a lane on the timeline, in usual rows
};

constexpr TrackTraits traits_of(TrackKind kind) {
  switch (kind) {
    case TrackKind::kThread:
      return {.is_cpu_code = true, .is_work = true};
    case TrackKind::kStacks:
      return {.is_observed = true};
    case TrackKind::kThreadStates:
      return {.is_observed = true, .row_height = 0.5f};
    case TrackKind::kGpuStream:
      return {.nests = false, .is_work = true, .is_on_gpu = true};
    case TrackKind::kGpuAnnotation:
      return {.is_on_gpu = true};
    case TrackKind::kAsync:
    case TrackKind::kCounter:
      return {.has_tid = false};
    case TrackKind::kCaptured:
      return {.is_cpu_code = true, .is_of_run = false};
  }
  return {};
}

/// A point event (i, I, R, and the steps of async events).
struct Instant {
  Nanos time = 0;
  std::uint64_t file_offset = 0;
  StringId name = kEmptyString;
  CategoryId category;
  char scope = 't';  ///< t thread, p process, g global
};

/// The values of a counter: `values[i]` holds from `times[i]` to `times[i+1]`. Ascending by time.
struct CounterSeries {
  std::vector<Nanos> times;
  std::vector<double> values;
  double min = 0;
  double max = 0;
  ExtremesIndex extremes;  ///< of values, for folding
};

/// One horizontal line of the timeline. Its slices lie in the lanes
/// [first_lane, first_lane + lane_count), outermost first.
struct Track {
  TrackId id;
  TrackKind kind = TrackKind::kThread;
  ProcessId process;
  StringId name = kEmptyString;    ///< display name; generated if the file gives none
  StringId tid = kEmptyString;     ///< as written in the file, number or string
  StringId device = kEmptyString;  ///< GPU tracks: args.device, else the pid
  StringId stream = kEmptyString;  ///< GPU tracks: args.stream, else the tid ("stream 7" -> "7")
  std::int64_t sort_index = 0;     ///< thread_sort_index, if given
  bool name_is_given = false;      ///< whether thread_name metadata gives it
  LaneId first_lane;
  std::uint32_t lane_count = 0;
  std::uint32_t nest_count = 0;  ///< runs of lanes; > 1 when slices cross
  Nanos sample_period = 0;       ///< kStacks: time between two samples; 0 = not known
  std::uint64_t slice_count = 0;
  TimeSpan span = TimeSpan::nothing();  ///< of slices, instants and counter samples
  std::vector<Instant> instants;        ///< ascending by time
  CounterSeries counter;                ///< kCounter only
};

/// A process of the trace: a real one, a GPU (Kineto's pid is then the device ordinal), or one of
/// Kineto's extra rows ("Spans", "Traces").
struct Process {
  ProcessId id;
  SourceId source;
  StringId pid = kEmptyString;     ///< as written in the file
  StringId name = kEmptyString;    ///< process_name metadata, or generated
  StringId labels = kEmptyString;  ///< process_labels metadata ("CPU", "GPU 0")
  std::int64_t sort_index = 0;
  bool sort_index_is_given = false;
  bool is_gpu = false;               ///< has a GPU stream
  std::optional<std::int64_t> rank;  ///< process_rank metadata, as in Lacuna's recordings
  std::vector<TrackId> tracks;       ///< in display order
};

/// The deviceProperties of one GPU.
struct DeviceProperties {
  std::string id;    ///< ordinal
  std::string name;  ///< "NVIDIA H100 80GB HBM3"
  std::uint64_t total_memory_bytes = 0;
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
  std::uint32_t multiprocessors = 0;
};

}  // namespace lacuna
