#include "model/statistics/statistics.h"

#include <algorithm>

#include "model/base/stable_sort.h"
#include "model/statistics/row_table.h"

namespace lacuna {
namespace {

/// Adds up one lane after the other. Keeps which row each slice of the lane above went to, so that
/// a child can take its time from its parent's row.
class Accumulator {
 public:
  Accumulator(const Trace& trace, TimeSpan range, Statistics& result) : trace_(trace), range_(range), result_(result) {}

  void add_track(const Track& track) {
    above_.rows.clear();
    for (std::uint32_t k = 0; k < track.lane_count; ++k) add_lane(track, LaneId{track.first_lane.value + k});
  }

 private:
  /// The rows of the slices [first, first + rows.size()) of one lane.
  struct RowsOfLane {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> rows;
  };

  void add_lane(const Track& track, LaneId id) {
    const Lane& lane = trace_.lane(id);
    const bool nests = traits_of(track.kind).nests;
    const std::uint32_t first = lane.first_visible_from(range_.begin);
    const std::uint32_t last = range_.end == kMaxNanos ? lane.size() : lane.first_starting_from(range_.end, first);
    current_.first = first;
    current_.rows.clear();
    current_.rows.reserve(last - first);
    for (std::uint32_t i = first; i < last; ++i) {
      const std::uint32_t index = table_.row(lane.name(i).value, lane.category(i), result_.rows);
      current_.rows.push_back(index);
      StatisticsRow& row = result_.rows[index];
      row.name = lane.name(i);
      const Nanos clipped = lane.span(i).intersect(range_).duration();
      row.add({id, i}, lane.duration(i), clipped);
      result_.count(trace_, track.kind, row, clipped);
      if (nests && lane.depth > 0) take_from_parent(track.kind, lane.parent(i), clipped);
    }
    std::swap(above_, current_);
  }

  /// A child lies inside its parent, so its clipped time is part of the parent's clipped time.
  void take_from_parent(TrackKind kind, std::uint32_t parent, Nanos clipped) {
    // An invalid parent wraps around to a large number; one outside of the range took no time in it.
    const std::uint32_t i = parent - above_.first;
    if (parent == Lane::kNoParent || i >= above_.rows.size()) return;
    StatisticsRow& row = result_.rows[above_.rows[i]];
    row.self = saturating_sub(row.self, clipped);
    result_.count(trace_, kind, row, -clipped);
  }

  const Trace& trace_;
  const TimeSpan range_;
  Statistics& result_;
  RowTable table_;
  RowsOfLane above_;
  RowsOfLane current_;
};

/// Three-way comparison by one column, ascending.
std::weak_ordering compare(const Trace& trace, const Statistics& statistics, StatisticsColumn column,
                           const StatisticsRow& a, const StatisticsRow& b) {
  switch (column) {
    case StatisticsColumn::kName:
      return trace.text(a.name) <=> trace.text(b.name);
    case StatisticsColumn::kCategory:
      return trace.category_name(a.category) <=> trace.category_name(b.category);
    case StatisticsColumn::kCount:
      return a.count <=> b.count;
    case StatisticsColumn::kTotal:
      return a.total <=> b.total;
    case StatisticsColumn::kSelf:
      return a.self <=> b.self;
    case StatisticsColumn::kAverage:
      return a.average() <=> b.average();
    case StatisticsColumn::kMin:
      return a.min <=> b.min;
    case StatisticsColumn::kP50:
      return a.p50 <=> b.p50;
    case StatisticsColumn::kP99:
      return a.p99 <=> b.p99;
    case StatisticsColumn::kMax:
      return a.max <=> b.max;
    case StatisticsColumn::kShare: {
      const double x = statistics.share(trace, a);
      const double y = statistics.share(trace, b);
      return x < y ? std::weak_ordering::less : x > y ? std::weak_ordering::greater : std::weak_ordering::equivalent;
    }
  }
  return std::weak_ordering::equivalent;
}

}  // namespace

bool comes_last(const Trace& trace, CategoryId category) {
  return is_recording(trace, category) || trace.category_class(category) == CategoryClass::kThreadState;
}

bool is_sampled(const Trace& trace, CategoryId category) {
  return trace.category_class(category) == CategoryClass::kSample;
}

double ShareTotals::share(const Trace& trace, const StatisticsRow& row) const {
  const CategoryClass category = trace.category_class(row.category);
  const Nanos whole = is_gpu_activity(category)            ? gpu_total
                      : category == CategoryClass::kSample ? sampled_self
                                                           : cpu_self;
  return whole == 0 ? 0 : static_cast<double>(row.counted) / static_cast<double>(whole);
}

Statistics compute_statistics(const Trace& trace, const StatisticsOptions& options) {
  Statistics result;
  Accumulator accumulator(trace, options.range, result);
  if (options.tracks.empty()) {
    for (const Track& track : trace.tracks())
      if (traits_of(track.kind).is_of_run) accumulator.add_track(track);
  } else {
    for (const TrackId id : options.tracks) accumulator.add_track(trace.track(id));
  }
  return result;
}

void sort_rows(const Trace& trace, Statistics& statistics, StatisticsColumn column, bool descending) {
  sort_stably(statistics.rows, [&](const StatisticsRow& a, const StatisticsRow& b) {
    const bool last_a = comes_last(trace, a.category), last_b = comes_last(trace, b.category);
    if (last_a != last_b) return last_b;
    const std::weak_ordering order = compare(trace, statistics, column, a, b);
    if (order != 0) return descending ? order > 0 : order < 0;
    if (a.total != b.total) return a.total > b.total;
    if (a.name != b.name) return trace.text(a.name) < trace.text(b.name);
    return trace.category_name(a.category) < trace.category_name(b.category);
  });
}

}  // namespace lacuna
