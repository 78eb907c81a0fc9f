#pragma once

#include <cstdint>
#include <string_view>

#include "model/base/time.h"
#include "model/trace/track.h"

namespace lacuna {

// Single events, as decoded by a capture, on their way into a trace.json (TraceJsonWriter), into
// the model (capture/session/batch_sink.h), or both.

/// The track of an event. CPU threads have the pid and tid of the system; for GPU tracks `pid` stands
/// for a device of one process (gpu_pid() in capture/session/gpu_decoder.h) and `tid` for a stream.
/// A tid of ~0 is written as -1, as Kineto does for "no stream".
struct StreamedTrack {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  TrackKind kind = TrackKind::kThread;
  std::uint32_t device = 0;  ///< for GPU tracks: the ordinal
  bool operator==(const StreamedTrack&) const = default;
};

/// A range with a start and an end. Texts and args of all events need to be valid during the call only. Times
/// are the trace's: ns since its base time.
struct StreamedSlice {
  StreamedTrack track;
  std::string_view name;
  std::string_view category;
  Nanos start = 0;
  Nanos duration = 0;
  std::uint64_t correlation = 0;  ///< 0 = none
  /// The members of "args" as JSON, without braces: `"device":0,"stream":7`. Empty = none.
  std::string_view args;
  bool is_open = false;  ///< the range never ended: only `start` is known
};

struct StreamedInstant {
  StreamedTrack track;
  std::string_view name;
  std::string_view category;
  Nanos time = 0;
  std::string_view args;
  /// New values of a counter of the track's process: `args` are numbers by series, `category` is not used.
  bool is_counter = false;
};

/// Start or end of a range that may cross threads; `id` is unique in the trace.
struct StreamedAsync {
  StreamedTrack track;
  std::string_view name;
  std::string_view category;
  Nanos time = 0;
  std::uint64_t id = 0;
  bool is_begin = false;
  std::string_view args;
};

/// Category and name of arrows: from a launch to a GPU activity, and from a forward operator to its backward one.
inline constexpr std::string_view kLaunchToGpu = "ac2g";
inline constexpr std::string_view kForwardBackward = "fwdbwd";

/// An arrow with both ends.
struct StreamedFlow {
  StreamedTrack from;
  Nanos from_time = 0;
  StreamedTrack to;
  Nanos to_time = 0;
  std::uint64_t id = 0;  ///< unique within its category
  std::string_view category = kLaunchToGpu;
};

/// Information about a process or thread; may come late and repeatedly: the last one counts.
struct StreamedName {
  /// Sort indices, ranks and periods are numbers, as decimal text in `name`. kSamplePeriod: the ns between two
  /// samples of a kStacks track.
  enum class What : std::uint8_t {
    kProcess,
    kProcessLabels,
    kThread,
    kProcessSortIndex,
    kThreadSortIndex,
    kProcessRank,
    kSamplePeriod
  };
  What what = What::kProcess;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string_view name;
};

/// A GPU, for deviceProperties.
struct StreamedDevice {
  std::uint32_t id = 0;
  std::string_view name;
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
  std::uint32_t multiprocessors = 0;
};

/// Receives events in no particular order of time; one thread at a time.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void add(const StreamedSlice& slice) = 0;
  virtual void add(const StreamedInstant& instant) = 0;
  virtual void add(const StreamedAsync& async) = 0;
  virtual void add(const StreamedFlow& flow) = 0;
  virtual void add(const StreamedName& name) = 0;
  virtual void add(const StreamedDevice& device) = 0;
};

}  // namespace lacuna
