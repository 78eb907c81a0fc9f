#include "model/causes/cpu_timeline.h"

#include <algorithm>
#include <utility>

#include "model/causes/known_names.h"

namespace lacuna {

/// Walks the slices of one nest in the order of time and keeps, per level, what is innermost.
class CpuTimeline::NestFlattener {
 public:
  NestFlattener(const Trace& trace, TimeSpan window, Levels& out) : trace_(trace), window_(window), out_(out) {
    for (auto& level : out_) level.assign(1, {window.begin, {}});
  }

  /// `rows`: the lanes of the nest, outermost first.
  void run(std::span<const LaneId> rows) {
    std::vector<std::uint32_t> next;
    std::vector<std::uint32_t> end;
    for (const LaneId row : rows) {
      const Lane& lane = trace_.lane(row);
      next.push_back(lane.first_visible_from(window_.begin));
      end.push_back(lane.first_starting_from(window_.end, next.back()));
    }
    // Depth first without recursion: Python stacks are hundreds of rows deep.
    std::vector<std::uint32_t> path;  // the open slice of each row
    while (true) {
      const std::size_t depth = path.size();
      // Children of a slice that ended before the window.
      while (depth > 0 && depth < rows.size() && next[depth] < end[depth] &&
             trace_.lane(rows[depth]).parent(next[depth]) < path.back())
        ++next[depth];
      const bool has_next = depth < rows.size() && next[depth] < end[depth];
      const bool is_child = has_next && (depth == 0 || trace_.lane(rows[depth]).parent(next[depth]) == path.back());
      if (is_child) {
        const std::uint32_t i = next[depth]++;
        path.push_back(i);
        enter({rows[depth], i});
      } else if (depth > 0) {
        leave({rows[depth - 1], path.back()});
        path.pop_back();
      } else {
        return;
      }
    }
  }

 private:
  void enter(SliceId slice) {
    const Lane& lane = trace_.lane(slice);
    const Nanos start = lane.start(slice.index);
    switch (trace_.category_class(lane.category(slice.index))) {
      case CategoryClass::kCpuOperator:
        if (is_annotation_name(trace_.name(slice))) {
          push(annotations_, CpuLevel::kAnnotation, start, slice);
          break;
        }
        if (operators_.empty()) set(CpuLevel::kCalledOperator, start, slice);
        push(operators_, CpuLevel::kOperator, start, slice);
        break;
      case CategoryClass::kCpuAnnotation:
        push(annotations_, CpuLevel::kAnnotation, start, slice);
        break;
      case CategoryClass::kPythonFunction:
        if (!is_builtin_frame(trace_.name(slice))) push(frames_, CpuLevel::kPython, start, slice);
        break;
      case CategoryClass::kRuntime:
        push(calls_, CpuLevel::kRuntime, start, slice);
        break;
      default:
        break;
    }
  }

  void leave(SliceId slice) {
    const Nanos end = trace_.span(slice).end;
    if (pop(operators_, CpuLevel::kOperator, end, slice)) {
      if (operators_.empty()) set(CpuLevel::kCalledOperator, end, {});
    } else if (!pop(annotations_, CpuLevel::kAnnotation, end, slice) && !pop(frames_, CpuLevel::kPython, end, slice)) {
      pop(calls_, CpuLevel::kRuntime, end, slice);
    }
  }

  void push(std::vector<SliceId>& open, CpuLevel level, Nanos t, SliceId slice) {
    open.push_back(slice);
    set(level, t, slice);
  }
  bool pop(std::vector<SliceId>& open, CpuLevel level, Nanos t, SliceId slice) {
    if (open.empty() || open.back() != slice) return false;
    open.pop_back();
    set(level, t, open.empty() ? SliceId{} : open.back());
    return true;
  }
  void set(CpuLevel level, Nanos t, SliceId slice) {
    if (t >= window_.end) return;
    auto& stretches = out_[static_cast<std::size_t>(level)];
    t = std::max(t, window_.begin);
    if (stretches.back().begin == t) stretches.pop_back();
    if (stretches.empty() || stretches.back().slice != slice) stretches.push_back({t, slice});
  }

  const Trace& trace_;
  TimeSpan window_;
  Levels& out_;
  std::vector<SliceId> operators_, annotations_, frames_, calls_;  // the open ones
};

CpuTimeline::CpuTimeline(const Trace& trace, TrackId thread, TimeSpan window) {
  const Track& track = trace.track(thread);
  window_ = window.intersect(track.span);
  if (window.begin > kMinNanos) window_.begin = window.begin;
  if (window.end < kMaxNanos) window_.end = window.end;
  if (window_.empty()) {
    window_ = {0, 0};
    return;
  }
  std::array<std::vector<std::vector<Stretch>>, kCpuLevelCount> nests;
  std::vector<LaneId> rows;
  Levels levels;
  for (std::uint32_t first = 0; first < track.lane_count;) {
    rows.clear();
    const std::uint32_t nest = trace.lane(LaneId{track.first_lane.value + first}).nest;
    for (; first < track.lane_count; ++first) {
      const LaneId id{track.first_lane.value + first};
      if (trace.lane(id).nest != nest) break;
      rows.push_back(id);
    }
    const Lane& outer = trace.lane(rows.front());
    const std::uint32_t seen = outer.first_visible_from(window_.begin);
    if (seen == outer.first_starting_from(window_.end, seen)) continue;  // nor is anything inside of it
    NestFlattener(trace, window_, levels).run(rows);
    for (std::size_t l = 0; l < kCpuLevelCount; ++l)
      if (levels[l].size() > 1 || levels[l].front().slice.valid()) nests[l].push_back(std::exchange(levels[l], {}));
  }
  for (std::size_t l = 0; l < kCpuLevelCount; ++l) {
    // Neighbours first: each stretch is then looked at as often as the number of nests can be halved.
    for (auto& of_level = nests[l]; of_level.size() > 1;) {
      std::size_t count = 0;
      for (std::size_t n = 0; n + 1 < of_level.size(); n += 2) {
        overlay(trace, of_level[n], of_level[n + 1], static_cast<CpuLevel>(l) == CpuLevel::kCalledOperator);
        std::swap(of_level[count++], of_level[n]);
      }
      if (of_level.size() % 2 == 1) std::swap(of_level[count++], of_level.back());
      of_level.resize(count);
    }
    if (!nests[l].empty()) levels_[l] = std::move(nests[l].front());
    if (levels_[l].empty()) levels_[l].push_back({window_.begin, {}});
  }
}

void CpuTimeline::overlay(const Trace& trace, std::vector<Stretch>& below, const std::vector<Stretch>& above,
                          bool earliest_wins) {
  std::vector<Stretch> result;
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < below.size() || b < above.size()) {
    const bool take_a = b >= above.size() || (a < below.size() && below[a].begin <= above[b].begin);
    const bool take_b = a >= below.size() || (b < above.size() && above[b].begin <= below[a].begin);
    const Nanos t = take_a ? below[a].begin : above[b].begin;
    a += take_a;
    b += take_b;
    const SliceId x = below[a - 1].slice;
    const SliceId y = above[b - 1].slice;
    const bool y_is_later = y.valid() && x.valid() && trace.span(y).begin >= trace.span(x).begin;
    const bool y_wins = y.valid() && (!x.valid() || y_is_later != earliest_wins);
    const SliceId winner = y_wins ? y : x;
    if (result.empty() || result.back().slice != winner) result.push_back({t, winner});
  }
  below = std::move(result);
}

}  // namespace lacuna
