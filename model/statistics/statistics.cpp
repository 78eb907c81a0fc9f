#include "model/statistics/statistics.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/base/quantiles.h"
#include "model/base/stable_sort.h"
#include "model/statistics/row_table.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kRangePiece = 1u << 15;  // slices of one piece of work
constexpr std::size_t kRound = 24;               // pieces between two looks at the clock

/// Part of one row of one track.
struct Piece {
  const Track* track;
  LaneId lane;
  std::uint32_t first, last;
};

/// What one thread has added up.
class Sums {
 public:
  Sums(const Trace& trace, const StatisticsOptions& options)
      : trace_(trace), range_(options.range), keeps_durations_(options.percentiles) {}

  void add(const Piece& piece) {
    const Lane& lane = trace_.lane(piece.lane);
    const TrackKind kind = piece.track->kind;
    const bool nests = traits_of(kind).nests && lane.depth > 0 && piece.lane != piece.track->first_lane;
    const Lane* above = nests ? &trace_.lane(LaneId{piece.lane.value - 1}) : nullptr;
    for (std::uint32_t i = piece.first; i < piece.last; ++i) {
      const std::uint32_t index = row_of(lane.name(i), lane.category(i));
      StatisticsRow& row = rows[index];
      const Nanos whole = lane.duration(i);
      const Nanos clipped = lane.span(i).intersect(range_).duration();
      const SliceId id{piece.lane, i};
      if (row.count > 0 && whole == row.max && before(id, row.longest)) row.longest = id;
      row.add(id, whole, clipped);
      if (keeps_durations_) durations[index].push_back(whole);
      totals.count(trace_, kind, row, clipped);
      // A child lies inside its parent, which is in the range then, too. Its row need not be here yet. Of a damaged
      // cache the parent need not be there at all.
      const std::uint32_t parent = lane.parent(i);
      if (above == nullptr || parent >= above->size()) continue;
      if (clipped == 0 && !above->span(parent).overlaps(range_)) continue;
      StatisticsRow& outer = rows[row_of(above->name(parent), above->category(parent))];
      outer.self = saturating_sub(outer.self, clipped);
      totals.count(trace_, kind, outer, -clipped);
    }
  }

  static bool before(SliceId a, SliceId b) {
    return a.lane.value != b.lane.value ? a.lane.value < b.lane.value : a.index < b.index;
  }

  std::uint32_t row_of(StringId name, CategoryId category) {
    const std::uint32_t index = table_.row(name.value, category, rows);
    rows[index].name = name;
    if (keeps_durations_) durations.resize(rows.size());
    return index;
  }

  std::vector<StatisticsRow> rows;
  std::vector<std::vector<Nanos>> durations;  // by row, for percentiles
  ShareTotals totals;

 private:
  const Trace& trace_;
  const TimeSpan range_;
  const bool keeps_durations_;
  RowTable table_;
};

std::vector<Piece> pieces_of(const Trace& trace, const StatisticsOptions& what, std::uint64_t& slices) {
  std::vector<Piece> pieces;
  const auto add = [&](const Track& track) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      const std::uint32_t first = lane.first_visible_from(what.range.begin);
      const std::uint32_t last =
          what.range.end == kMaxNanos ? lane.size() : lane.first_starting_from(what.range.end, first);
      for (std::uint32_t i = first; i < last; i += std::min(kRangePiece, last - i))
        pieces.push_back({&track, id, i, i + std::min(kRangePiece, last - i)});
      slices += last - first;
    }
  };
  if (what.tracks.empty()) {
    for (const Track& track : trace.tracks())
      if (traits_of(track.kind).is_of_run) add(track);
  } else {
    for (const TrackId id : what.tracks) add(trace.track(id));
  }
  return pieces;
}

/// By row, the durations that each thread has found.
using Durations = std::vector<std::vector<const std::vector<Nanos>*>>;

/// Adds the rows of all threads. `durations`: those of the result's rows; null: not wanted.
Statistics merge(const Trace& trace, const std::vector<std::unique_ptr<Sums>>& all, Durations* durations) {
  Sums merged(trace, {});
  Statistics result;
  for (const auto& sums : all) {
    if (sums == nullptr) continue;
    result.cpu_self = saturating_add(result.cpu_self, sums->totals.cpu_self);
    result.gpu_total = saturating_add(result.gpu_total, sums->totals.gpu_total);
    result.sampled_self = saturating_add(result.sampled_self, sums->totals.sampled_self);
    for (std::size_t r = 0; r < sums->rows.size(); ++r) {
      const StatisticsRow& from = sums->rows[r];
      const std::uint32_t index = merged.row_of(from.name, from.category);
      StatisticsRow& to = merged.rows[index];
      to.total = saturating_add(to.total, from.total);
      to.self = saturating_add(to.self, from.self);
      to.counted = saturating_add(to.counted, from.counted);
      to.min = std::min(to.min, from.min);
      if (from.count > 0 &&
          (to.count == 0 || from.max > to.max || (from.max == to.max && Sums::before(from.longest, to.longest)))) {
        to.max = from.max;
        to.longest = from.longest;
      }
      to.count += from.count;
      if (durations == nullptr) continue;
      if (durations->size() <= index) durations->resize(index + 1);
      (*durations)[index].push_back(&sums->durations[r]);
    }
  }
  result.rows = std::move(merged.rows);
  return result;
}

void add_percentiles_of_row(StatisticsRow& row, const std::vector<const std::vector<Nanos>*>& from) {
  std::vector<Nanos> all;
  all.reserve(row.count);
  for (const std::vector<Nanos>* part : from) all.insert(all.end(), part->begin(), part->end());
  if (all.empty()) return;
  const auto at = [&](std::size_t percent) {
    return all.begin() + static_cast<std::ptrdiff_t>(nearest_rank_index(all.size(), percent));
  };
  std::nth_element(all.begin(), at(50), all.end());
  row.p50 = *at(50);
  std::nth_element(at(50), at(99), all.end());
  row.p99 = *at(99);
}

void add_percentiles(std::vector<StatisticsRow>& rows, const Durations& durations, const StatisticsOptions& options) {
  std::vector<std::uint32_t> order;  // the longest first
  for (std::uint32_t r = 0; r < rows.size(); ++r) order.push_back(r);
  std::ranges::sort(order, std::greater<>{}, [&](std::uint32_t r) { return rows[r].count; });
  parallel_for(order.size(), options.threads, [&](std::size_t i) {
    if (!is_cancelled(options.cancel)) add_percentiles_of_row(rows[order[i]], durations[order[i]]);
  });
}

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
  using Clock = std::chrono::steady_clock;
  std::uint64_t slices = 0;
  const std::vector<Piece> pieces = pieces_of(trace, options, slices);
  const unsigned threads = std::max(1u, options.threads);
  std::vector<std::unique_ptr<Sums>> sums(threads);
  auto shown_at = Clock::now();
  std::uint64_t done = 0;
  for (std::size_t begin = 0; begin < pieces.size() && !is_cancelled(options.cancel);) {
    const std::size_t end = options.progress ? std::min(pieces.size(), begin + kRound * threads) : pieces.size();
    std::atomic<std::size_t> next{begin};
    parallel_for(threads, threads, [&](std::size_t t) {
      for (std::size_t i; (i = next.fetch_add(1)) < end && !is_cancelled(options.cancel);) {
        if (sums[t] == nullptr) sums[t] = std::make_unique<Sums>(trace, options);
        sums[t]->add(pieces[i]);
      }
    });
    for (; begin < end; ++begin) done += pieces[begin].last - pieces[begin].first;
    const std::chrono::duration<double, std::milli> since = Clock::now() - shown_at;
    if (options.progress && begin < pieces.size() && since.count() >= options.every_ms &&
        !is_cancelled(options.cancel)) {
      options.progress(merge(trace, sums, nullptr), static_cast<double>(done) / static_cast<double>(slices));
      shown_at = Clock::now();
    }
  }
  Durations durations;
  Statistics result = merge(trace, sums, options.percentiles ? &durations : nullptr);
  if (options.percentiles) add_percentiles(result.rows, durations, options);
  // A row that only children have told of so far is no row: possible only when cancelled.
  std::erase_if(result.rows, [](const StatisticsRow& row) { return row.count == 0; });
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
