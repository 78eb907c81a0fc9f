#include "model/cache/trace_thinner.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lacuna {
namespace {

constexpr Nanos kOuterParts = 512;  // as many pixels as an overview has
constexpr Nanos kFirstParts = 1000;
constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 20;
/// A run as busy as this is one slice.
constexpr double kDense = 0.9;

/// A third of the rows are for what is not looked at.
constexpr std::uint64_t kMostOuterRows = TraceThinner::kMostRows / 3;

Nanos doubled(Nanos ns) {
  return saturating_add(ns, ns);
}

/// Where the grid cell of `width` in which t lies ends.
Nanos cell_end(Nanos t, Nanos width) {
  Nanos into = t % width;
  if (into < 0) into += width;
  return saturating_add(t, width - into);
}

/// Calls visit(first, last) for the events at `times` that share a cell: width_at(t) wide, and never across an edge.
template <class TimeOf, class WidthAt, class Visit>
void for_each_cell(std::size_t size, TimeOf time_of, const std::array<Nanos, 2>& edges, WidthAt width_at, Visit visit) {
  for (std::size_t i = 0; i < size;) {
    const Nanos t = time_of(i);
    Nanos end = cell_end(t, width_at(t));
    for (const Nanos edge : edges)
      if (t < edge) end = std::min(end, edge);
    // Gallop: mostly the next pixel is near.
    std::size_t low = i + 1;
    std::size_t step = 1;
    while (low + step < size && time_of(low + step) < end) {
      low += step;
      step *= 2;
    }
    std::size_t high = std::min(size, low + step);
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (time_of(middle) < end) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    visit(i, low);
    i = low;
  }
}

}  // namespace

TraceThinner::TraceThinner(const Trace& trace, const std::vector<FoldIndex>& folds, std::vector<std::string> paths)
    : trace_(trace), folds_(folds), paths_(std::move(paths)) {
  forget_texts();
}

void TraceThinner::forget_texts() {
  texts_.assign(trace_.strings().size(), kNoIndex);
  in_order_.clear();
  text_bytes_ = 0;
}

StringId TraceThinner::text_of(StringId there) {
  if (there == kEmptyString || there.value >= texts_.size()) return kEmptyString;
  std::uint32_t& number = texts_[there.value];
  if (number == kNoIndex) {
    in_order_.push_back(there);
    text_bytes_ += trace_.text(there).size();
    number = static_cast<std::uint32_t>(in_order_.size());
  }
  return StringId{number};
}

template <class Visit>
void TraceThinner::for_each_run(const Plan& plan, std::uint32_t number, Visit&& visit) const {
  static const FoldIndex kNotFolded;
  const Lane& lane = trace_.lanes()[number];
  const FoldIndex& folds = number < folds_.size() ? folds_[number] : kNotFolded;
  std::uint32_t done = 0;
  const auto zone = [&](TimeSpan span, Nanos fold_ns) {
    if (span.begin >= span.end) return;
    folds.for_each_run(lane, span, fold_ns, [&](FoldedRun run) {
      if (run.last <= done) return;
      if (run.first < done) {  // its begin was in the zone before
        run.first = done;
        run.start = lane.start(done);
        run.end = lane.end(run.last - 1);
        run.busy = run.last - run.first == 1 ? run.end - run.start : -1;
        run.longest = lane.longest(run.first, run.last);
        run.name = lane.name(run.longest);
        run.category = lane.category(run.longest);
        run.flags = lane.flags(run.longest);
      }
      done = run.last;
      visit(run);
    });
  };
  if (!plan.sees(lane.track)) return zone(TimeSpan::everything(), plan.outer_ns);
  // What lies across the edge is there as closely as what lies inside.
  TimeSpan inner = plan.inner;
  if (const std::uint32_t i = lane.first_visible_from(inner.begin); i < lane.size())
    inner.begin = std::min(inner.begin, lane.start(i));
  zone({kMinNanos, inner.begin}, plan.outer_ns);
  zone(inner, plan.inner_ns);
  zone({plan.inner.end, kMaxNanos}, plan.outer_ns);
}

std::uint64_t TraceThinner::count(const Plan& plan, std::uint64_t most) const {
  std::uint64_t rows = 0;
  for (std::uint32_t i = 0; i < trace_.lanes().size() && rows <= most; ++i)
    for_each_run(plan, i, [&rows](const FoldedRun&) { ++rows; });
  const std::array<Nanos, 2> edges = {plan.inner.begin, plan.inner.end};
  for (const Track& track : trace_.tracks()) {
    const auto width_at = [&](Nanos t) {
      return plan.sees(track.id) && t >= plan.inner.begin && t < plan.inner.end ? plan.inner_ns : plan.outer_ns;
    };
    const auto add = [&rows](std::size_t, std::size_t) { ++rows; };
    for_each_cell(
        track.instants.size(), [&](std::size_t i) { return track.instants[i].time; }, edges, width_at, add);
    for_each_cell(
        track.counter.times.size(), [&](std::size_t i) { return track.counter.times[i]; }, edges, width_at, add);
    if (rows > most) break;
  }
  return rows;
}

void TraceThinner::thin_instants(const Plan& plan, const Track& from, Track& to) {
  const auto width_at = [&](Nanos t) {
    return plan.sees(from.id) && t >= plan.inner.begin && t < plan.inner.end ? plan.inner_ns : plan.outer_ns;
  };
  for_each_cell(
      from.instants.size(), [&](std::size_t i) { return from.instants[i].time; }, {plan.inner.begin, plan.inner.end},
      width_at,
      [&](std::size_t first, std::size_t) {
        Instant instant = from.instants[first];
        instant.name = text_of(instant.name);
        to.instants.push_back(instant);
      });
}

void TraceThinner::thin_counter(const Plan& plan, const Track& from, Track& to) const {
  const CounterSeries& series = from.counter;
  to.counter.min = series.min;
  to.counter.max = series.max;
  const auto add = [&](std::size_t i, double value) {
    to.counter.times.push_back(series.times[i]);
    to.counter.values.push_back(value);
  };
  const auto width_at = [&](Nanos t) {
    return plan.sees(from.id) && t >= plan.inner.begin && t < plan.inner.end ? plan.inner_ns : plan.outer_ns;
  };
  for_each_cell(
      series.times.size(), [&](std::size_t i) { return series.times[i]; }, {plan.inner.begin, plan.inner.end}, width_at,
      [&](std::size_t first, std::size_t last) {
        // The peaks of the cell, and at its end the value that holds on.
        if (last - first > 3) {
          const auto a = static_cast<std::uint32_t>(first);
          const auto b = static_cast<std::uint32_t>(last);
          add(first, series.values[series.extremes.greatest(a, b, series.values)]);
          add(first + 1, series.values[series.extremes.least(a, b, series.values)]);
          first = last - 1;
        }
        for (; first < last; ++first) add(first, series.values[first]);
      });
}

void TraceThinner::thin_lane(const Plan& plan, std::uint32_t number, std::vector<Lane>& lanes, std::uint64_t& real) {
  const Lane& lane = trace_.lanes()[number];
  std::vector<SliceRecord> rows;
  for_each_run(plan, number, [&](const FoldedRun& run) {
    SliceRecord row{.start = run.start,
                    .duration = run.end - run.start,
                    .file_offset = run.last - run.first,
                    .name = text_of(run.name),
                    .category = static_cast<std::uint16_t>(run.category.value),
                    .flags = kSliceFolded};
    if (run.last - run.first == 1) {
      // What is alone is as it was; a level's copy of its end is rounded.
      row.duration = lane.duration(run.first);
      row.file_offset = lane.file_offset(run.first);
      row.flags = run.flags;
      ++real;
      rows.push_back(row);
      return;
    }
    const bool is_dense = run.busy < 0 || static_cast<double>(run.busy) >= kDense * static_cast<double>(row.duration);
    if (is_dense) {
      rows.push_back(row);
      return;
    }
    // Idle time lies in the middle; both parts begin in the cell of the run, so that they are drawn as it is.
    const Nanos second = std::min(run.end - run.busy / 2, lane.start(run.last - 1));
    SliceRecord other = row;
    row.duration = std::clamp<Nanos>(run.busy - (run.end - second), 0, second - run.start);
    other.start = second;
    other.duration = run.end - second;
    other.file_offset = row.file_offset / 2;
    row.file_offset -= other.file_offset;
    rows.push_back(row);
    rows.push_back(other);
  });
  // Levels round the ends of their runs up, and rows never overlap.
  for (std::size_t i = 1; i < rows.size(); ++i)
    rows[i - 1].duration = std::min(rows[i - 1].duration, rows[i].start - rows[i - 1].start);
  Lane& thin = lanes[number];
  thin.nest = lane.nest;
  thin.depth = lane.depth;
  thin.track = lane.track;
  thin.reserve(static_cast<std::uint32_t>(rows.size()), false);
  const Lane* above = lane.depth == 0 || number == 0 ? nullptr : &lanes[number - 1];
  std::uint32_t at = 0;
  std::uint32_t next = 0;
  for (const SliceRecord& row : rows) {
    std::uint32_t parent = Lane::kNoParent;
    if (above != nullptr) {
      while (at + 1 < above->size() && above->start(at + 1) <= row.start) ++at;
      const bool holds =
          at < above->size() && above->start(at) <= row.start && above->end(at) >= row.start + row.duration;
      if (holds) parent = at;
    }
    thin.put(next++, row, parent);
  }
  thin.complete();
}

void TraceThinner::copy_tracks(TraceParts& out, const Plan& plan) {
  out.process_order.assign(trace_.process_order().begin(), trace_.process_order().end());
  out.processes.assign(trace_.processes().begin(), trace_.processes().end());
  for (Process& process : out.processes)
    for (StringId* text : {&process.pid, &process.name, &process.labels}) *text = text_of(*text);
  out.categories.assign(trace_.categories().begin(), trace_.categories().end());
  for (Category& category : out.categories) category.name = text_of(category.name);
  out.tracks.reserve(trace_.tracks().size());
  for (const Track& from : trace_.tracks()) {
    Track& to = out.tracks.emplace_back();
    to.id = from.id;
    to.kind = from.kind;
    to.process = from.process;
    to.name = text_of(from.name);
    to.tid = text_of(from.tid);
    to.device = text_of(from.device);
    to.stream = text_of(from.stream);
    to.sort_index = from.sort_index;
    to.name_is_given = from.name_is_given;
    to.first_lane = from.first_lane;
    to.lane_count = from.lane_count;
    to.nest_count = from.nest_count;
    to.sample_period = from.sample_period;
    to.span = from.span;
    thin_instants(plan, from, to);
    thin_counter(plan, from, to);
  }
}

ThinTrace TraceThinner::make(const ThinView& view, Statistics statistics) {
  if (text_bytes_ > kMostTextBytes) forget_texts();
  const TimeSpan whole = trace_.span();
  const Nanos length = std::max<Nanos>(1, whole.duration());
  const TimeSpan seen = view.span.intersect(whole);
  const Nanos half = seen.duration() / 2;
  Plan plan;
  plan.inner = seen.empty() ? TimeSpan{whole.begin, whole.begin}
                            : TimeSpan{saturating_sub(seen.begin, half), saturating_add(seen.end, half)};
  // Slices that begin where the trace ends lie in it, too.
  if (plan.inner.end >= whole.end) plan.inner.end = kMaxNanos;
  if (plan.inner.begin <= whole.begin) plan.inner.begin = kMinNanos;
  plan.inner_ns = view.fold_ns > 0 ? view.fold_ns : std::max<Nanos>(1, seen.duration() / kFirstParts);
  plan.outer_ns = std::max({Nanos{1}, plan.inner_ns, length / kOuterParts});
  if (!view.tracks.empty()) {
    plan.is_in_view.assign(trace_.tracks().size(), false);
    for (const TrackId track : view.tracks)
      if (track.value < plan.is_in_view.size()) plan.is_in_view[track.value] = true;
  }
  Plan outer = plan;
  outer.inner = {whole.begin, whole.begin};
  while (outer.outer_ns < length && count(outer, kMostOuterRows) > kMostOuterRows)
    outer.outer_ns = doubled(outer.outer_ns);
  plan.outer_ns = outer.outer_ns;
  while (plan.inner_ns < length && count(plan, kMostRows) > kMostRows) {
    plan.inner_ns = doubled(plan.inner_ns);
    plan.outer_ns = std::max(plan.outer_ns, plan.inner_ns);
  }

  ThinTrace thin;
  TraceParts parts;
  parts.sources.assign(trace_.sources().begin(), trace_.sources().end());
  for (std::size_t i = 0; i < parts.sources.size(); ++i) {
    TraceSource& source = parts.sources[i];
    if (i < paths_.size()) source.path = paths_[i];
    source.bytes.reset();
    source.side_data.reset();
  }
  copy_tracks(parts, plan);
  parts.lanes.resize(trace_.lanes().size());
  for (std::uint32_t i = 0; i < parts.lanes.size(); ++i) thin_lane(plan, i, parts.lanes, thin.real);
  const auto shown = std::ranges::find_if(parts.lanes, [](const Lane& lane) { return lane.size() > 0; });
  const SliceId any{LaneId{static_cast<std::uint32_t>(shown - parts.lanes.begin())}, 0};
  for (StatisticsRow& row : statistics.rows) {
    row.name = text_of(row.name);
    row.longest = any;
  }
  if (shown == parts.lanes.end()) statistics.rows.clear();  // they count slices
  thin.statistics = std::move(statistics);
  parts.span = whole;
  parts.report = trace_.report();
  for (const StringId text : in_order_) parts.texts.push_back(trace_.text(text));
  thin.trace = TraceCodec::assemble(std::move(parts));
  thin.span = plan.inner.intersect(whole);
  thin.fold_ns = plan.inner_ns;
  thin.outer_ns = plan.outer_ns;
  return thin;
}

}  // namespace lacuna
