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

/// Where in the program threads spent time: the innermost Python function of its own (no library's) with what it calls,
/// or the innermost native function where there is no Python. By sampling: times are estimates.
struct SeenPlace {
  StringId function = kEmptyString;
  Nanos time = 0;
  double share = 0;  ///< of all that was sampled of the question asked
  TimeSpan longest;
  SliceId slice;  ///< innermost, of the longest stretch
};

/// "train.py:9: throttle → time.sleep": where the function was most, what it called, and the innermost call.
std::string path_of_place(const Trace& trace, const SeenPlace& place);
/// The same with its share: "… (~86.9 %)".
std::string place_in_words(const Trace& trace, const SeenPlace& place, std::string (*percent)(double));

/// What a sampled stack says of its purpose, by frames on it that are known by name.
enum class KnownWork : std::uint8_t {
  kOutput,      ///< print, logging
  kSync,        ///< fsync and the like
  kCollection,  ///< gc.collect()
  kNameLookup,  ///< DNS
  kEventLoop,   ///< a callback of asyncio's event loop, anything but waiting for the next event
};
inline constexpr std::size_t kKnownWorkCount = 5;

/// Sums up where time went. One thread at a time.
class PlaceSums {
 public:
  explicit PlaceSums(const Trace& trace) : trace_(&trace) {}

  /// Adds what `parts` (ascending, disjoint) have inside `spans` (likewise). O(parts + spans).
  void add(std::span<const SampledPart> parts, std::span<const TimeSpan> spans);
  /// The same, without what is of libraries alone: their threads wait and serve by themselves.
  void add_own(std::span<const SampledPart> parts, std::span<const TimeSpan> spans);
  /// Most time first.
  std::vector<SeenPlace> rows() const;
  Nanos total() const { return total_; }

 private:
  void add_some(std::span<const SampledPart> parts, std::span<const TimeSpan> spans, bool own_only);

  const Trace* trace_;
  std::map<std::tuple<StringId, StringId>, SeenPlace> rows_;  // by function and what it called
  Nanos total_ = 0;
};

/// Finds known work on sampled stacks. One thread at a time.
class KnownWorkFinder {
 public:
  explicit KnownWorkFinder(const Trace& trace);
  /// Is a frame of that work on the stack whose innermost frame is `innermost`?
  bool is(KnownWork work, SliceId innermost);

 private:
  const Trace& trace_;
  std::array<NameMemo, kKnownWorkCount> names_;
};

}  // namespace lacuna
