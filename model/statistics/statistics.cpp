#include "model/statistics/statistics.h"

#include <algorithm>
#include <limits>

#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

/// Finds the row of a (name, category) without hashing: names are small integers, so a table
/// indexed by name gives the first row of that name; the few rows that share a name but not the
/// category form a chain.
class RowTable {
 public:
  RowTable(std::uint32_t names, std::vector<StatisticsRow>& rows) : first_(names, kNone), rows_(rows) {}

  std::uint32_t row(StringId name, CategoryId category) {
    std::uint32_t* link = &first_[name.value];
    while (*link != kNone) {
      if (rows_[*link].category == category) return *link;
      link = &next_[*link];
    }
    *link = static_cast<std::uint32_t>(rows_.size());
    const std::uint32_t index = *link;
    next_.push_back(kNone);  // invalidates `link`
    StatisticsRow& row = rows_.emplace_back();
    row.name = name;
    row.category = category;
    row.min = std::numeric_limits<Nanos>::max();
    return index;
  }

 private:
  static constexpr std::uint32_t kNone = kNoIndex;
  std::vector<std::uint32_t> first_;  // by name
  std::vector<std::uint32_t> next_;   // by row
  std::vector<StatisticsRow>& rows_;
};

/// Adds up one lane after the other. Keeps which row each slice of the lane above went to, so that
/// a child can take its time from its parent's row.
class Accumulator {
 public:
  Accumulator(const Trace& trace, TimeSpan range, Statistics& result)
      : trace_(trace), range_(range), result_(result), table_(trace.strings().size(), result.rows) {}

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
    const bool nests = track.kind != TrackKind::kGpuStream;
    const std::uint32_t first = lane.first_visible_from(range_.begin);
    const std::uint32_t last = range_.end == kMaxNanos ? lane.size() : lane.first_starting_from(range_.end, first);
    current_.first = first;
    current_.rows.clear();
    current_.rows.reserve(last - first);
    for (std::uint32_t i = first; i < last; ++i) {
      const std::uint32_t index = table_.row(lane.name(i), lane.category(i));
      current_.rows.push_back(index);
      StatisticsRow& row = result_.rows[index];
      const Nanos whole = lane.duration(i);
      const Nanos clipped = lane.span(i).intersect(range_).duration();
      if (row.count++ == 0 || whole > row.max) {
        row.max = whole;
        row.longest = {id, i};
      }
      row.min = std::min(row.min, whole);
      row.total = saturating_add(row.total, clipped);
      row.self = saturating_add(row.self, clipped);
      count_share(track.kind, row, clipped);
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
    count_share(kind, row, -clipped);
  }

  void count_share(TrackKind kind, StatisticsRow& row, Nanos clipped) {
    if (kind == TrackKind::kGpuStream && is_gpu_activity(trace_.category_class(row.category))) {
      row.counted = saturating_add(row.counted, clipped);
      result_.gpu_total = saturating_add(result_.gpu_total, clipped);
    } else if (kind == TrackKind::kThread && !is_recording(trace_, row.category)) {
      row.counted = saturating_add(row.counted, clipped);
      result_.cpu_self = saturating_add(result_.cpu_self, clipped);
    } else if (kind == TrackKind::kStacks) {
      row.counted = saturating_add(row.counted, clipped);
      result_.sampled_self = saturating_add(result_.sampled_self, clipped);
    }
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

bool is_recording(const Trace& trace, CategoryId category) {
  return trace.category_name(category) == "Trace";
}

bool comes_last(const Trace& trace, CategoryId category) {
  return is_recording(trace, category) || trace.category_class(category) == CategoryClass::kThreadState;
}

bool is_sampled(const Trace& trace, CategoryId category) {
  return trace.category_class(category) == CategoryClass::kSample;
}

double Statistics::share(const Trace& trace, const StatisticsRow& row) const {
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
      if (track.kind != TrackKind::kCaptured) accumulator.add_track(track);  // of another run
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
