#include "model/groups/group_table.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_map>

#include "model/base/cancel.h"
#include "model/base/quantiles.h"
#include "model/columns/argument_columns.h"
#include "model/groups/group_keys.h"
#include "model/roofline/gpu_peaks.h"
#include "model/statistics/row_table.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kNone = kNoIndex;

/// A call, and the time of the GPU work that belongs to it.
struct TimedLaunch {
  SliceId launch;
  Nanos time = 0;
};

/// Walks over the launches and all slices around them, however deeply nested, each once: enter(SliceId) comes before
/// what lies inside it, leave(SliceId, Nanos) after that, with the time of the launches at and inside it added up.
/// O(launches * log launches + slices around them + lanes).
template <class Enter, class Leave>
void walk_around(const Trace& trace, std::vector<TimedLaunch> launches, Enter&& enter, Leave&& leave) {
  std::vector<std::uint32_t> outermost(trace.lanes().size(), 0);  // row of the nest, by row
  for (std::uint32_t l = 0; l < outermost.size(); ++l)
    outermost[l] = trace.lanes()[l].depth == 0 ? l : outermost[l - 1];
  std::ranges::sort(launches, {}, [&](const TimedLaunch& of) {
    return std::tuple(outermost[of.launch.lane.value], trace.span(of.launch).begin, of.launch);
  });

  std::vector<TimedLaunch> open;  // from the outermost one in, each in the row below that of the one before
  const auto close_until = [&](std::size_t left) {
    while (open.size() > left) {
      const TimedLaunch inner = open.back();
      open.pop_back();
      leave(inner.launch, inner.time);
      if (!open.empty()) open.back().time = saturating_add(open.back().time, inner.time);
    }
  };
  std::vector<SliceId> path;
  for (const TimedLaunch& next : launches) {
    path.clear();
    std::size_t left = 0;  // of the open ones, those around it
    for (SliceId slice = next.launch; slice.valid(); slice = trace.parent(slice)) {
      const std::size_t depth = open.empty() ? 0 : slice.lane.value - open.front().launch.lane.value;
      if (depth < open.size() && open[depth].launch == slice) {
        left = depth + 1;
        break;
      }
      path.push_back(slice);
    }
    close_until(left);
    for (; !path.empty(); path.pop_back()) {
      enter(path.back());
      open.push_back({path.back(), 0});
    }
    open.back().time = saturating_add(open.back().time, next.time);
  }
  close_until(0);
}

/// Fills the table: first the times, remembering the row of each slice, then column by column.
class Filler {
 public:
  Filler(const Trace& trace, const GroupOptions& options)
      : trace_(trace), options_(options), keys_(trace, options), slices_(trace.lanes().size()) {}

  Result<std::vector<SliceId>> slices_of(std::uint32_t row) {
    if (const auto read = add_slices(); !read) return tl::make_unexpected(read.error());
    std::vector<SliceId> slices;
    for_each_slice([&](SliceId slice, std::uint32_t of) {
      if (of == row) slices.push_back(slice);
    });
    return slices;
  }

  Result<GroupTable> run() {
    if (const auto read = add_slices(); !read) return tl::make_unexpected(read.error());
    const GroupColumns& columns = options_.columns;
    if (columns.percentiles) add_percentiles();
    if (columns.launch_delay) add_launch_delays();
    if (columns.gpu_time || columns.flops) add_gpu_times();
    if (columns.gpu_arguments)
      if (const auto added = add_gpu_arguments(); !added) return tl::make_unexpected(added.error());
    if (columns.flops)
      if (const auto added = add_flops(); !added) return tl::make_unexpected(added.error());
    if (columns.roofline)
      if (const auto added = add_roofline(); !added) return tl::make_unexpected(added.error());
    return std::move(table_);
  }

 private:
  /// Gives every slice its row.
  Result<void> add_slices() {
    if (const auto prepared = keys_.prepare(); !prepared) return prepared;
    if (options_.tracks.empty()) {
      // Captured calls are of another run, but what graphs replay of them is GPU time of this one.
      const GroupColumns& columns = options_.columns;
      const bool takes_captured = columns.gpu_time || columns.flops || columns.roofline;
      for (const Track& track : trace_.tracks())
        if (takes_captured || traits_of(track.kind).is_of_run) add_track(track);
    } else {
      for (const TrackId id : options_.tracks) add_track(trace_.track(id));
    }
    if (is_cancelled(options_.cancel)) return fail(ErrorCode::kCancelled, "cancelled");
    return {};
  }

  /// The rows of the slices [first, first + rows.size()) of one lane.
  struct RowsOfLane {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> rows;
  };

  void add_track(const Track& track) {
    for (std::uint32_t k = 0; k < track.lane_count && !is_cancelled(options_.cancel); ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      RowsOfLane& own = slices_[id.value];
      own.first = lane.first_visible_from(options_.range.begin);
      const std::uint32_t last =
          options_.range.end == kMaxNanos ? lane.size() : lane.first_starting_from(options_.range.end, own.first);
      own.rows.reserve(last - own.first);
      for (std::uint32_t i = own.first; i < last; ++i) add_slice(track, {id, i}, lane, own);
    }
  }

  void add_slice(const Track& track, SliceId slice, const Lane& lane, RowsOfLane& own) {
    const std::uint32_t i = slice.index;
    const std::uint32_t key = keys_.of(slice);
    const std::uint32_t index = row_table_.row(key, lane.category(i), table_.rows);
    own.rows.push_back(index);
    GroupRow& row = table_.rows[index];
    if (row.count == 0) row.label = keys_.label(key);
    const Nanos clipped = lane.span(i).intersect(options_.range).duration();
    row.add(slice, lane.duration(i), clipped);
    table_.count(trace_, track.kind, row, clipped);
    if (!traits_of(track.kind).nests || lane.depth == 0) return;
    const RowsOfLane& above = slices_[slice.lane.value - 1];
    const std::uint32_t p = lane.parent(i) - above.first;
    if (lane.parent(i) == Lane::kNoParent || p >= above.rows.size()) return;
    GroupRow& parent = table_.rows[above.rows[p]];
    parent.self = saturating_sub(parent.self, clipped);
    table_.count(trace_, track.kind, parent, -clipped);
  }

  /// The row of a slice; kNone if it does not count.
  std::uint32_t row_at(SliceId slice) const {
    const RowsOfLane& own = slices_[slice.lane.value];
    const std::uint32_t i = slice.index - own.first;
    return i < own.rows.size() ? own.rows[i] : kNone;
  }

  /// Calls visit(SliceId, row) for every slice that counts.
  template <class Visit>
  void for_each_slice(Visit&& visit) const {
    for (std::uint32_t l = 0; l < slices_.size(); ++l)
      for (std::uint32_t i = 0; i < slices_[l].rows.size(); ++i)
        visit(SliceId{LaneId{l}, slices_[l].first + i}, slices_[l].rows[i]);
  }

  void add_percentiles() {
    std::vector<std::size_t> ends(table_.rows.size() + 1, 0);
    for (std::size_t r = 0; r < table_.rows.size(); ++r) ends[r + 1] = ends[r] + table_.rows[r].count;
    std::vector<Nanos> durations(ends.back());
    std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
    for_each_slice(
        [&](SliceId slice, std::uint32_t row) { durations[next[row]++] = trace_.lane(slice).duration(slice.index); });
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      const auto of_row = std::span(durations).subspan(ends[r], ends[r + 1] - ends[r]);
      table_.rows[r].p99 = nearest_rank(of_row, 99);
      table_.rows[r].p50 = nearest_rank(of_row, 50);
    }
  }

  void add_launch_delays() {
    for (const LaunchLink& link : trace_.links().launches()) {
      const std::uint32_t row = row_at(link.activity);
      if (row == kNone) continue;
      const Nanos delay = saturating_sub(trace_.span(link.activity).begin, trace_.span(link.launch).end);
      GroupRow& to = table_.rows[row];
      to.launch_delay = saturating_add(to.launch_delay, std::max<Nanos>(delay, 0));
      ++to.launch_delays;
    }
  }

  void add_gpu_times() {
    add_gpu_times(timed_launches(options_.range));
    // What a CUDA graph runs belongs to the calls that were captured as well.
    std::vector<TimedLaunch> captured;
    for (const GraphOrigins::Entry& node : keys_.graphs().entries())
      if (node.captured_by.valid()) captured.push_back({node.captured_by, gpu_time(node.activity, options_.range)});
    add_gpu_times(std::move(captured));
  }

  /// Each launch counts once for a row, however many slices of the row lie around it.
  void add_gpu_times(std::vector<TimedLaunch> launches) {
    std::vector<std::uint32_t> around(table_.rows.size(), 0);  // slices of the row that the walk is inside of
    const auto enter = [&](SliceId slice) {
      if (const std::uint32_t row = row_at(slice); row != kNone) ++around[row];
    };
    walk_around(trace_, std::move(launches), enter, [&](SliceId slice, Nanos time) {
      const std::uint32_t row = row_at(slice);
      if (row == kNone || --around[row] > 0) return;
      table_.rows[row].gpu_time = saturating_add(table_.rows[row].gpu_time, time);
    });
  }

  Nanos gpu_time(SliceId activity, TimeSpan range) const { return trace_.span(activity).intersect(range).duration(); }

  std::vector<TimedLaunch> timed_launches(TimeSpan range) const {
    std::vector<TimedLaunch> launches;
    for (const LaunchLink& link : trace_.links().launches()) {
      if (launches.empty() || launches.back().launch != link.launch) launches.push_back({link.launch, 0});
      launches.back().time = saturating_add(launches.back().time, gpu_time(link.activity, range));
    }
    return launches;
  }

  Result<void> add_gpu_arguments() {
    std::vector<double> weights(table_.rows.size(), 0), sums(table_.rows.size(), 0);
    for (std::uint32_t s = 0; s < trace_.sources().size(); ++s) {
      ArgumentColumns::GpuPtr arguments;
      for (std::uint32_t l = 0; l < slices_.size(); ++l) {
        const Track& track = trace_.track(trace_.lanes()[l].track);
        if (slices_[l].rows.empty() || track.kind != TrackKind::kGpuStream ||
            trace_.process(track.process).source.value != s)
          continue;
        if (!arguments) {
          auto read = argument_columns(trace_).gpu(trace_, SourceId{s}, options_.threads, options_.cancel);
          if (!read) return tl::make_unexpected(read.error());
          arguments = std::move(*read);
        }
        for (std::uint32_t i = 0; i < slices_[l].rows.size(); ++i) {
          const SliceId slice{LaneId{l}, slices_[l].first + i};
          if (!is_gpu_activity(trace_.category_class(slice))) continue;
          const std::uint32_t row = slices_[l].rows[i];
          add_gpu_arguments(slice, arguments->of(slice), table_.rows[row], weights[row], sums[row]);
        }
      }
    }
    for (std::size_t r = 0; r < table_.rows.size(); ++r)
      if (weights[r] > 0) table_.rows[r].occupancy = sums[r] / weights[r];
    return {};
  }

  void add_gpu_arguments(SliceId slice, const GpuArguments& facts, GroupRow& row, double& weights, double& sum) const {
    // As of durations, the part in the range counts.
    const TimeSpan span = trace_.span(slice);
    const TimeSpan part = span.intersect(options_.range);
    row.bytes +=
        part == span
            ? facts.bytes
            : static_cast<std::uint64_t>(static_cast<double>(facts.bytes) *
                                         (static_cast<double>(part.duration()) / static_cast<double>(span.duration())));
    if (facts.grid[0] != 0) {
      if (row.grid[0] == 0) {
        row.grid = facts.grid;
        row.block = facts.block;
      } else if (row.grid != facts.grid || row.block != facts.block) {
        row.grids_differ = true;
      }
    }
    if (facts.occupancy < 0) return;
    const auto weight = static_cast<double>(part.duration());
    weights += weight;
    sum += weight * static_cast<double>(facts.occupancy);
  }

  /// The GPU that the work of a source ran on, if it is one of the table.
  const GpuPeak* peak_of(SliceId slice) const {
    const TraceSource& source = trace_.source_of(trace_.track_of(slice));
    return source.devices.empty() ? nullptr : gpu_peak(source.devices.front().name);
  }

  Result<void> add_flops() {
    std::vector<std::uint8_t> has_formula(trace_.strings().size());
    for (std::uint32_t n = 0; n < has_formula.size(); ++n) has_formula[n] = has_flop_formula(trace_.text(StringId{n}));
    std::unordered_map<SliceId, Nanos> launched;  // time of the work inside, where there is a formula
    walk_around(
        trace_, timed_launches(TimeSpan::everything()), [](SliceId) {},
        [&](SliceId slice, Nanos time) {
          if (has_formula[trace_.lane(slice).name(slice.index).value])
            launched[slice] = saturating_add(launched[slice], time);
        });
    std::vector<ArgumentColumns::OperatorsPtr> columns(trace_.sources().size());
    for (std::uint32_t l = 0; l < slices_.size(); ++l) {
      const Track& track = trace_.track(trace_.lanes()[l].track);
      if (slices_[l].rows.empty() || track.kind != TrackKind::kThread) continue;
      const SourceId source = trace_.process(track.process).source;
      ArgumentColumns::OperatorsPtr& column = columns[source.value];
      for (std::uint32_t i = 0; i < slices_[l].rows.size(); ++i) {
        const SliceId slice{LaneId{l}, slices_[l].first + i};
        if (!has_formula[trace_.lane(slice).name(slice.index).value]) continue;
        if (!column) {
          auto read = argument_columns(trace_).operators(trace_, source, options_.threads, options_.cancel);
          if (!read) return tl::make_unexpected(read.error());
          column = std::move(*read);
        }
        const OperatorArguments& facts = column->of(slice);
        if (facts.flops < 0) continue;
        const auto inside = launched.find(slice);
        add_flops(slice, facts.flops, inside == launched.end() ? 0 : inside->second, facts.flop_type);
      }
    }
    return {};
  }

  void add_flops(SliceId slice, double flops, Nanos on_gpu, FlopType type) {
    GroupRow& row = table_.rows[row_at(slice)];
    row.flops += flops;
    row.flop_time = saturating_add(row.flop_time, on_gpu > 0 ? on_gpu : trace_.span(slice).duration());
    if (row.flop_calls++ > 0) return;
    row.flop_type = type;
    if (const GpuPeak* peak = peak_of(slice); peak != nullptr && on_gpu > 0) row.peak_tflops = peak->tflops(type);
  }

  Result<void> add_roofline() {
    std::shared_ptr<const Roofline> roofline = options_.roofline;
    if (!roofline) {
      RooflineOptions whole;
      whole.with_calls = true;
      whole.threads = options_.threads;
      whole.cancel = options_.cancel;
      Result<Roofline> computed = compute_roofline(trace_, whole);
      if (!computed) return tl::make_unexpected(computed.error());
      roofline = std::make_shared<const Roofline>(std::move(*computed));
    }
    std::unordered_map<SliceId, std::vector<const ModelledCall*>> calls;
    std::vector<TimedLaunch> places;
    for (const ModelledCall& call : roofline->calls) {
      if (row_at(call.slice) == kNone) continue;
      auto& of_slice = calls[call.slice];
      if (of_slice.empty()) places.push_back({call.slice, 0});
      of_slice.push_back(&call);
    }
    std::vector<std::uint32_t> around(table_.rows.size(), 0);  // calls of the row that the walk is inside of
    const auto enter = [&](SliceId slice) {
      const auto found = calls.find(slice);
      if (found == calls.end()) return;
      const std::uint32_t row = row_at(slice);
      if (around[row]++ > 0) return;
      for (const ModelledCall* call : found->second)
        add_call(roofline->rows[call->row], *call, table_.rows[row].roofline);
    };
    walk_around(trace_, std::move(places), enter, [&](SliceId slice, Nanos) {
      if (calls.contains(slice)) --around[row_at(slice)];
    });
    return {};
  }

  static void add_call(const RooflineRow& modelled, const ModelledCall& call, GroupRoofline& sums) {
    const auto runs = static_cast<double>(call.count);
    const Work& work = modelled.work.work;
    sums.flop += runs * work.flop;
    sums.bytes += runs * work.bytes;
    if (call.gpu_time <= 0) return;
    sums.timed_bytes += runs * work.bytes;
    sums.time = saturating_add(sums.time, call.gpu_time);
    if (modelled.roof_share < 0) return;
    const double taken = static_cast<double>(modelled.gpu_time) / static_cast<double>(modelled.count);
    sums.best_time += runs * modelled.roof_share * taken;
    sums.roofed_time = saturating_add(sums.roofed_time, call.gpu_time);
    Nanos& of_bound = sums.bound_time[static_cast<std::size_t>(modelled.bound)];
    of_bound = saturating_add(of_bound, call.gpu_time);
  }

  const Trace& trace_;
  const GroupOptions& options_;
  GroupKeys keys_;
  GroupTable table_;
  RowTable row_table_;
  std::vector<RowsOfLane> slices_;  // by lane
};

}  // namespace

RooflineBound GroupRoofline::bound() const {
  const auto most = std::max_element(bound_time.begin() + 1, bound_time.end());
  return *most == 0 ? RooflineBound::kUnknown : static_cast<RooflineBound>(most - bound_time.begin());
}

Result<GroupTable> compute_groups(const Trace& trace, const GroupOptions& options) {
  return Filler(trace, options).run();
}

Result<std::vector<SliceId>> find_group_slices(const Trace& trace, const GroupOptions& options, std::uint32_t row) {
  return Filler(trace, options).slices_of(row);
}

}  // namespace lacuna
