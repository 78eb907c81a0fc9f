#include "model/torch/torch_order.h"

#include <algorithm>
#include <array>
#include <queue>
#include <span>
#include <utility>

namespace lacuna {
namespace {

using Run = std::vector<OrderedSlice>;

/// Merges runs, the shortest first, so that the few long ones are copied seldom.
template <class Before>
Run merge_runs(std::vector<Run> runs, const Before& before) {
  if (runs.empty()) return {};
  const auto longer = [&](std::size_t a, std::size_t b) { return runs[a].size() > runs[b].size(); };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(longer)> by_size(longer);
  for (std::size_t i = 0; i < runs.size(); ++i) by_size.push(i);
  while (by_size.size() > 1) {
    const std::size_t a = by_size.top();
    by_size.pop();
    const std::size_t b = by_size.top();
    by_size.pop();
    Run merged(runs[a].size() + runs[b].size());
    std::ranges::merge(runs[a], runs[b], merged.begin(), before);
    runs[a] = std::move(merged);
    runs[b] = {};
    by_size.push(a);
  }
  return std::move(runs[by_size.top()]);
}

/// One nest's slices, outer before inner: which is by start, longest first.
class NestWalk {
 public:
  NestWalk(const Trace& trace, const OrderOptions& options) : trace_(trace), options_(options) {}

  Run walk(LaneId first, std::uint32_t rows, Nanos shift) {
    const std::span<const Lane> lanes = trace_.lanes().subspan(first.value, rows);
    std::vector<std::uint32_t> next(rows, 0);  // per row: the first slice not yet taken
    std::size_t total = 0;
    for (const Lane& lane : lanes) total += lane.size();
    Run run;
    run.reserve(total);
    for (std::uint32_t row = 0;;) {
      const Lane& lane = lanes[row];
      const std::uint32_t i = next[row];
      const bool is_here = i < lane.size() && (row == 0 || lane.parent(i) == next[row - 1] - 1);
      if (!is_here) {
        if (row == 0) return run;
        --row;
        continue;
      }
      ++next[row];
      if (wanted(lane, i))
        run.push_back({lane.start(i) + shift, SliceId{LaneId{first.value + row}, i}});
      if (row + 1 < rows) ++row;
    }
  }

 private:
  bool wanted(const Lane& lane, std::uint32_t i) const {
    const std::uint32_t category = lane.category(i).value;
    if (category < options_.skipped_categories.size() && options_.skipped_categories[category])
      return false;
    return !options_.skipped_names[lane.name(i).value] && options_.range.contains(lane.start(i));
  }

  const Trace& trace_;
  const OrderOptions& options_;
};

bool has_start(const Trace& trace, const Track& track, Nanos t) {
  return std::ranges::any_of(trace.lanes_of(track), [&](const Lane& lane) {
    const std::uint32_t i = lane.first_starting_from(t);
    return i < lane.size() && lane.start(i) == t;
  });
}

bool has_end(const Trace& trace, const Track& track, Nanos t) {
  return std::ranges::any_of(trace.lanes_of(track), [&](const Lane& lane) {
    const std::uint32_t i = lane.first_visible_from(t - 1);
    return i < lane.size() && lane.end(i) == t;
  });
}

}  // namespace

AnnotationShift find_annotation_shift(const Trace& trace, SourceId source) {
  constexpr std::array<AnnotationShift, 3> kKnown{{{0, 0}, {1, 1}, {1000, 0}}};
  std::array<std::uint64_t, kKnown.size()> fits{};
  for (const Track& annotations : trace.tracks()) {
    if (annotations.kind != TrackKind::kGpuAnnotation) continue;
    if (trace.process(annotations.process).source != source) continue;
    for (const Track& stream : trace.tracks()) {
      if (stream.kind != TrackKind::kGpuStream || stream.device != annotations.device ||
          stream.stream != annotations.stream || trace.process(stream.process).source != source)
        continue;
      for (const Lane& lane : trace.lanes_of(annotations))
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          for (std::size_t k = 0; k < kKnown.size(); ++k)
            fits[k] += has_start(trace, stream, lane.start(i) + kKnown[k].early) &&
                       has_end(trace, stream, lane.end(i) - kKnown[k].late);
    }
  }
  return kKnown[static_cast<std::size_t>(std::ranges::max_element(fits) - fits.begin())];
}

std::vector<OrderedSlice> order_slices(const Trace& trace, SourceId source,
                                       const OrderOptions& options) {
  const auto end_of = [&](SliceId slice) {
    const Lane& lane = trace.lane(slice);
    const bool is_shifted = trace.track(lane.track).kind == TrackKind::kGpuAnnotation;
    return lane.end(slice.index) - (is_shifted ? options.shift.late : 0);
  };
  const auto before = [&](const OrderedSlice& a, const OrderedSlice& b) {
    if (a.start != b.start) return a.start < b.start;
    const Nanos end_a = end_of(a.slice), end_b = end_of(b.slice);
    if (end_a != end_b) return end_a > end_b;
    return trace.lane(a.slice).file_offset(a.slice.index) <
           trace.lane(b.slice).file_offset(b.slice.index);
  };

  std::vector<Run> runs;
  NestWalk nests(trace, options);
  for (const Track& track : trace.tracks()) {
    if (track.kind == TrackKind::kAsync || track.kind == TrackKind::kCounter) continue;
    if (trace.process(track.process).source != source) continue;
    const Nanos shift = track.kind == TrackKind::kGpuAnnotation ? options.shift.early : 0;
    const std::span<const Lane> lanes = trace.lanes_of(track);
    for (std::uint32_t row = 0; row < lanes.size();) {
      std::uint32_t end = row + 1;
      while (end < lanes.size() && lanes[end].nest == lanes[row].nest) ++end;
      Run run = nests.walk(LaneId{track.first_lane.value + row}, end - row, shift);
      if (!std::ranges::is_sorted(run, before)) std::ranges::sort(run, before);
      if (!run.empty()) runs.push_back(std::move(run));
      row = end;
    }
  }
  return merge_runs(std::move(runs), before);
}

}  // namespace lacuna
