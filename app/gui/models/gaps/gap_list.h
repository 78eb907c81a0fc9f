#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/gui/core/document.h"
#include "model/causes/gap_cause.h"

namespace lacuna {

/// One gap of a document: index of the stream and of the gap in it.
struct GapRef {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::uint32_t stream = kNone;
  std::uint32_t gap = 0;

  bool valid() const { return stream != kNone; }
  auto operator<=>(const GapRef&) const = default;
};

/// One gap of a whole GPU, in which all of its streams are idle: index in CauseAnalysis::devices and
/// of the gap in it.
struct DeviceGapRef {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::uint32_t device = kNone;
  std::uint32_t gap = 0;

  bool valid() const { return device != kNone; }
  auto operator<=>(const DeviceGapRef&) const = default;
};

inline const Gap& get(const Document& document, GapRef ref) {
  return document.streams[ref.stream].gaps[ref.gap];
}
/// The gap that ends where `slice` starts (`slice` is its `after`); invalid when there is none.
GapRef gap_before(const Document& document, SliceId slice);

/// How much of the gap all streams of its GPU were idle. O(streams (log gaps + gaps inside)).
Nanos gpu_idle_in(const Document& document, GapRef ref);

enum class GapColumn { kDuration, kCause, kStream, kStart, kBefore, kAfter, kLaunch };

/// Gaps in numbers.
struct GapSum {
  Nanos time = 0;
  std::uint64_t gaps = 0;
  void add(Nanos duration) {
    time = saturating_add(time, duration);
    ++gaps;
  }
  bool operator==(const GapSum&) const = default;
};

/// The causes of the gaps of a document, by stream and gap. Of a recording under way, of the first gaps of each.
using GapVerdicts = std::vector<SharedVector<GapDiagnosis>>;

/// The gaps that the table lists and that `N` walks through: those of a least length, in a range.
/// Rebuilding is O(n log n) in the number of gaps; happens on a change only. UI thread.
class GapList {
 public:
  struct Filter {
    Nanos min_ns = 0;
    TimeSpan range = TimeSpan::everything();  ///< gaps that overlap it
    std::vector<std::uint32_t> streams{};     ///< of these only (Document::streams); none = all
    bool has(std::uint32_t stream) const;
    bool operator==(const Filter&) const = default;
  };

  /// Does nothing when neither document, filter, order nor verdicts changed. `verdicts` may be null;
  /// they are read during the call only.
  void update(const DocumentPtr& document, const Filter& filter, GapColumn column, bool descending,
              const GapVerdicts* verdicts = nullptr);

  const std::vector<GapRef>& rows() const { return rows_; }  ///< in the order of the table
  Nanos total() const { return total_; }                     ///< sum of the durations listed
  /// Gaps of the range and streams that are too short to be listed.
  const GapSum& left_out() const { return left_out_; }
  const Filter& filter() const { return filter_; }

  /// The listed gap in which the whole GPU was idle for longest; of equals the longest. Invalid without any.
  GapRef longest(const Document& document) const;
  /// The listed gap after (`direction` > 0) or before the moment `from` in time, over all streams;
  /// `current` itself is never the answer. Invalid at the end of the list.
  GapRef step(const Document& document, GapRef current, Nanos from, int direction) const;

 private:
  DocumentPtr document_;
  Filter filter_;
  GapColumn column_ = GapColumn::kDuration;
  bool descending_ = true;
  const GapVerdicts* verdicts_ = nullptr;  // to compare, not to read
  std::vector<GapRef> rows_;
  std::vector<GapRef> by_time_;
  Nanos total_ = 0;
  GapSum left_out_;
};

/// The least length that makes a good first list: 10 us where some gaps are longer, else none.
Nanos default_min_gap(const Document& document);

}  // namespace lacuna
