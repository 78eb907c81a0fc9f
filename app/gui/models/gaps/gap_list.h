#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/causes/chosen_gaps.h"

namespace lacuna {

/// One gap of a document: index of the stream and of the gap in it.
struct GapRef {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::uint32_t stream = kNone;
  std::uint32_t gap = 0;

  bool valid() const { return stream != kNone; }
  auto operator<=>(const GapRef&) const = default;
};

/// One gap of a whole GPU, in which all of its streams are idle: index in CauseAnalysis::devices, and
/// index of the gap there.
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
/// Returns the gap that ends where `slice` (its `after`) starts; invalid when there is none. O(streams), plus
/// O(log gaps) of that stream.
GapRef gap_before(const Document& document, SliceId slice);
GapRef gap_before(const Document& document, std::uint32_t stream, SliceId slice);

/// Returns how long all streams of the GPU were idle during the gap. O(streams (log gaps + gaps inside)).
Nanos gpu_idle_in(const Document& document, GapRef ref);

enum class GapColumn { kDuration, kCause, kStream, kStart, kBefore, kAfter, kLaunch };

/// The causes of a document's gaps, by stream and gap. For a running recording, only of each stream's first gaps.
using GapVerdicts = std::vector<SharedVector<GapDiagnosis>>;

/// Which gaps are listed.
struct GapFilter {
  Nanos min_ns = 0;
  TimeSpan range = TimeSpan::everything();  ///< gaps that overlap it
  /// Whether `range` is the measured time: idle time of whole GPUs is then cut to it, including the idle time at its
  /// edges, as in the report.
  bool is_measured = false;
  std::vector<std::uint32_t> streams{};  ///< only gaps of these (Document::streams); empty = all
  bool has(std::uint32_t stream) const;
  bool operator==(const GapFilter&) const = default;
};

/// A list of gaps in the order of a table. Immutable; holds its gaps, but not their document.
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
  std::vector<Stream> streams;  ///< those of the document
  GapVerdicts verdicts;         ///< set if the list is sorted by them
  Order order;
  std::vector<GapRef> rows;
  Nanos total = 0;  ///< sum of the durations listed
  /// Gaps of the range and streams below the minimum length.
  GapSum left_out;

  const Gap& gap(GapRef ref) const { return streams[ref.stream].gaps[ref.gap]; }
};

/// Lists the gaps of a document. `before` (may be null) is a list of an earlier document of the same recording in the
/// same order, whose rows are copied: O(rows copied + n log rows) for n new gaps.
/// `verdicts` may be null. Any thread.
std::shared_ptr<const GapRows> list_gaps(const Document& document, const GapRows::Order& order,
                                         const GapVerdicts* verdicts, const GapRows* before);

/// The gaps that the table lists and that `N` steps through: those of a minimum length in a range. Short lists are made
/// at once, long ones on a worker thread. Meanwhile the previous list stays, whose rows are of an earlier document;
/// now() maps them to the present one. Stepping always uses the gaps of the present document. UI thread.
class GapList {
 public:
  /// The most gaps that are listed at once.
  static constexpr std::size_t kListedAtOnce = 20'000;

  explicit GapList(BackgroundJobs& jobs) : job_(jobs) {}

  /// Does nothing if document, filter, order and verdicts are the same. `verdicts`, if any, are of the document.
  void update(const DocumentPtr& document, const GapFilter& filter, GapColumn column, bool descending,
              const GapVerdicts* verdicts = nullptr);
  /// Takes a list computed in the background. Returns true if there was one.
  bool take();
  /// Whether the list is of an earlier document or order, or does not exist yet.
  bool is_listing() const { return job_.is_busy(); }

  const std::vector<GapRef>& rows() const { return listed().rows; }  ///< in the order of the table
  const Gap& gap(GapRef row) const { return listed().gap(row); }
  /// Maps a row to its gap in `document`, the one of update(); invalid when that has no such gap any more.
  GapRef now(const Document& document, GapRef row) const;
  /// Returns the index of the row of this gap of `document`; rows().size() when it is not listed. O(rows).
  std::size_t row_of(const Document& document, GapRef gap) const;
  Nanos total() const { return listed().total; }
  const GapSum& left_out() const { return listed().left_out; }
  const GapFilter& filter() const { return asked_.filter; }

  /// Returns the listed gap in which the whole GPU was idle for longest; among equals the longest gap. Invalid if
  /// there is none. O(streams log gaps) for each gap longer than the answer's GPU idle time.
  GapRef longest(const Document& document) const;
  /// Returns the first listed gap after (`direction` > 0) or the last one before time `from`, over all streams, but
  /// never `current`. Invalid at the end. O(streams log² gaps).
  GapRef step(const Document& document, GapRef current, Nanos from, int direction) const;

 private:
  const GapRows& listed() const;

  DocumentPtr document_;
  GapRows::Order asked_;
  const GapVerdicts* verdicts_ = nullptr;  // for comparing only, never dereferenced
  std::shared_ptr<const GapRows> list_;    // null: none yet
  LatestJob<std::shared_ptr<const GapRows>> job_;
};

/// Returns a sensible default minimum length: 10 us if some gaps are longer, else 0. O(streams log gaps).
Nanos default_min_gap(const Document& document);

}  // namespace lacuna
