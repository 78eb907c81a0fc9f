#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
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
/// The gap that ends where `slice` starts (`slice` is its `after`); invalid when there is none. O(streams), or of that
/// stream O(log gaps).
GapRef gap_before(const Document& document, SliceId slice);
GapRef gap_before(const Document& document, std::uint32_t stream, SliceId slice);

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

/// Which gaps are listed, and how.
struct GapFilter {
  Nanos min_ns = 0;
  TimeSpan range = TimeSpan::everything();  ///< gaps that overlap it
  /// `range` is the measured time: idle time of whole GPUs is cut to it, and what lies at its edges counts, as in the
  /// report.
  bool is_measured = false;
  std::vector<std::uint32_t> streams{};  ///< of these only (Document::streams); none = all
  bool has(std::uint32_t stream) const;
  bool operator==(const GapFilter&) const = default;
};

/// A list of gaps in the order of a table. Immutable; holds the gaps that it speaks of, not their document.
struct GapRows {
  struct Stream {
    SourceId source;
    StringId device = kEmptyString;
    StringId stream = kEmptyString;
    SharedVector<Gap> gaps;
  };
  struct Order {
    GapFilter filter;
    GapColumn column = GapColumn::kDuration;
    bool descending = true;
    bool operator==(const Order&) const = default;
  };
  std::vector<Stream> streams;  ///< those of its document
  GapVerdicts verdicts;         ///< where the order goes by them
  Order order;
  std::vector<GapRef> rows;
  Nanos total = 0;  ///< sum of the durations listed
  /// Gaps of the range and streams that are too short to be listed.
  GapSum left_out;

  const Gap& gap(GapRef ref) const { return streams[ref.stream].gaps[ref.gap]; }
};

/// Lists the gaps of a document; those that `before` (may be null), a list of an earlier document of the same
/// recording, has in the same order are only looked at where they are in the way: O(rows copied + n log rows), n gaps
/// being new. `verdicts` may be null. Any thread.
std::shared_ptr<const GapRows> list_gaps(const Document& document, const GapRows::Order& order,
                                         const GapVerdicts* verdicts, const GapRows* before);

/// The gaps that the table lists and that `N` walks through: those of a least length, in a range. Few are listed at
/// once; many on a thread of its own, while the list before is still there: then rows are of an earlier document, in
/// which now() finds them again. Stepping always is through the gaps of the document. UI thread.
class GapList {
 public:
  using Filter = GapFilter;
  /// The most gaps that are listed at once.
  static constexpr std::size_t kListedAtOnce = 20'000;

  explicit GapList(BackgroundJobs& jobs) : job_(jobs) {}

  /// Does nothing when neither document, filter, order nor verdicts changed. `verdicts`, if any, are of the document.
  void update(const DocumentPtr& document, const Filter& filter, GapColumn column, bool descending,
              const GapVerdicts* verdicts = nullptr);
  /// Fetches a list that was made meanwhile. True: it did.
  bool take();
  /// The list is of an earlier document or order, or there is none yet.
  bool is_listing() const { return job_.is_busy(); }

  const std::vector<GapRef>& rows() const { return listed().rows; }  ///< in the order of the table
  const Gap& gap(GapRef row) const { return listed().gap(row); }
  /// The gap of a row in `document`, the one of update(); invalid when it is none there any more.
  GapRef now(const Document& document, GapRef row) const;
  /// The index of the row that is this gap of `document`; rows().size() when it is not listed. O(rows).
  std::size_t row_of(const Document& document, GapRef gap) const;
  Nanos total() const { return listed().total; }
  const GapSum& left_out() const { return listed().left_out; }
  const Filter& filter() const { return asked_.filter; }

  /// The gap in which the whole GPU was idle for longest, of those to be listed; of equals the longest. Invalid without
  /// any. O(streams log gaps) for each gap that is longer than the answer is idle.
  GapRef longest(const Document& document) const;
  /// The gap to be listed after (`direction` > 0) or before the moment `from` in time, over all streams;
  /// `current` itself is never the answer. Invalid at the end. O(streams log² gaps).
  GapRef step(const Document& document, GapRef current, Nanos from, int direction) const;

 private:
  const GapRows& listed() const;

  DocumentPtr document_;
  GapRows::Order asked_;
  const GapVerdicts* verdicts_ = nullptr;  // to compare, not to read
  std::shared_ptr<const GapRows> list_;    // null: none yet
  LatestJob<std::shared_ptr<const GapRows>> job_;
};

/// The least length that makes a good first list: 10 us where some gaps are longer, else none. O(streams log gaps).
Nanos default_min_gap(const Document& document);

}  // namespace lacuna
