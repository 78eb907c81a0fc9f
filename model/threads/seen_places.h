#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "model/causes/known_names.h"
#include "model/threads/thread_from_outside.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A place in the program where threads spent time: the innermost Python function of its own (no library's) with its
/// callee, or the innermost native function without Python. From samples: times are estimates.
struct SeenPlace {
  StringId function = kEmptyString;
  Nanos time = 0;
  double share = 0;  ///< fraction of all samples that the query covers
  TimeSpan longest;
  SliceId slice;  ///< the innermost slice of the longest stretch
};

/// "train.py:9: throttle → time.sleep": the function's most frequent line, its callee, and the innermost call.
std::string path_of_place(const Trace& trace, const SeenPlace& place);
/// Like path_of_place(), with the share: "… (~86.9 %)".
std::string place_in_words(const Trace& trace, const SeenPlace& place, std::string (*percent)(double));

/// Known purposes of a sampled stack, recognised by the names of its frames.
enum class KnownWork : std::uint8_t {
  kOutput,      ///< print, logging
  kSync,        ///< fsync and the like
  kCollection,  ///< gc.collect()
  kNameLookup,  ///< DNS
  kEventLoop,   ///< a callback of asyncio's event loop: anything but waiting for the next event
};
inline constexpr std::size_t kKnownWorkCount = 5;

/// Sums time by place. One thread at a time.
class PlaceSums {
 public:
  explicit PlaceSums(const Trace& trace) : trace_(&trace) {}

  /// Adds the time of `parts` (ascending, disjoint) inside `spans` (likewise). O(parts + spans).
  void add(std::span<const SampledPart> parts, std::span<const TimeSpan> spans);
  /// Like add(), without stacks of libraries only: their threads wait and serve by themselves.
  void add_own(std::span<const SampledPart> parts, std::span<const TimeSpan> spans);
  /// Returns the places, most time first.
  std::vector<SeenPlace> rows() const;
  Nanos total() const { return total_; }

 private:
  void add_some(std::span<const SampledPart> parts, std::span<const TimeSpan> spans, bool own_only);

  const Trace* trace_;
  std::map<std::tuple<StringId, StringId>, SeenPlace> rows_;  // by function and callee
  Nanos total_ = 0;
};

/// Recognises known work in sampled stacks. One thread at a time.
class KnownWorkFinder {
 public:
  explicit KnownWorkFinder(const Trace& trace);
  /// Whether the stack whose innermost frame is `innermost` contains a frame of that work.
  bool is(KnownWork work, SliceId innermost);

 private:
  const Trace& trace_;
  std::array<NameMemo, kKnownWorkCount> names_;
};

}  // namespace lacuna
