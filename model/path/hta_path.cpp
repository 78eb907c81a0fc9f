#include "model/path/hta_path.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "model/base/natural_order.h"
#include "model/base/seeded_hash.h"
#include "model/base/stable_sort.h"
#include "model/path/hta_events.h"
#include "model/path/hta_graph.h"

namespace lacuna {
namespace {

constexpr std::string_view kHtaTypeNames[] = {"critical_path_operator", "critical_path_dependency",
                                              "critical_path_kernel_launch_delay", "critical_path_kernel_kernel_delay",
                                              "critical_path_sync_dependency"};

std::uint32_t start_node(std::uint32_t row) {
  return 2 * row;
}
std::uint32_t end_node(std::uint32_t row) {
  return 2 * row + 1;
}

/// A call that launched one activity, as _get_cuda_runtime_calls_df() lists them.
struct HtaLaunch {
  Nanos ts = 0;
  std::uint32_t row = 0;
  std::uint32_t activity = 0;
  ProcessId device;
  std::int64_t stream = -1;
  ProcessId process;
  StringId tid = kEmptyString;
};

/// Builds the graph of one annotation. Named after HTA's functions, which it follows line by line.
class HtaGraphBuilder {
 public:
  HtaGraphBuilder(const Trace& trace, const HtaEvents& events, const HtaNames& names)
      : trace_(trace), events_(events), names_(names), has_node_(events.rows.size(), false) {
    for (const std::uint32_t row : events.clipped) {
      const HtaEvent& e = events[row];
      has_node_[row] = is_call(e.category) || (e.stream != -1 && e.correlation >= 0);
    }
  }

  HtaGraph build() {
    add_call_stacks();
    add_kernels();
    return std::move(graph_);
  }

 private:
  bool is_call(StringId category) const {
    return (names_.cpu_op.valid() && category == names_.cpu_op) ||
           (names_.cuda_runtime.valid() && category == names_.cuda_runtime) ||
           (names_.cuda_driver.valid() && category == names_.cuda_driver);
  }
  Nanos time_of(std::uint32_t node) const {
    const HtaEvent& e = events_[node / 2];
    return node % 2 == 0 ? e.ts : e.end();
  }

  HtaEdge& connect(std::uint32_t from, std::uint32_t to, HtaEdgeType type, bool weightless = false) {
    const bool no_weight = weightless || type == HtaEdgeType::kDependency || type == HtaEdgeType::kSync;
    return graph_.add(from, to, no_weight ? 0 : time_of(to) - time_of(from), type);
  }
  /// An operator edge between nodes of one stack: attributed to the event whose time it is.
  void connect_in_stack(std::uint32_t from, std::uint32_t to, bool weightless, std::uint32_t parent_of_from) {
    const bool from_start = from % 2 == 0;
    const bool to_start = to % 2 == 0;
    connect(from, to, HtaEdgeType::kOperator, weightless).row = from_start  ? from / 2
                                                                : !to_start ? to / 2
                                                                            : parent_of_from;
  }

  // _construct_graph_from_call_stacks()
  void add_call_stacks() {
    struct Thread {
      ProcessId process;
      StringId tid;
      std::vector<std::uint32_t> rows;
    };
    std::vector<Thread> threads;
    std::unordered_map<std::uint64_t, std::size_t, SeededHash> known;
    for (const std::uint32_t row : events_.clipped) {
      const Track& track = trace_.track(events_[row].track);
      const std::uint64_t key = std::uint64_t{track.process.value} << 32 | track.tid.value;
      const auto [found, is_new] = known.try_emplace(key, threads.size());
      if (is_new) threads.push_back({track.process, track.tid, {}});
      threads[found->second].rows.push_back(row);
    }
    const auto pid = [&](const Thread& t) { return trace_.text(trace_.process(t.process).pid); };
    sort_stably(threads, [&](const Thread& a, const Thread& b) {
      if (a.process != b.process) return natural_less(pid(a), pid(b));
      return natural_less(trace_.text(a.tid), trace_.text(b.tid));
    });
    for (const Thread& thread : threads) {
      const bool is_cpu = std::ranges::all_of(thread.rows, [&](std::uint32_t r) { return events_[r].stream == -1; });
      if (is_cpu && pid(thread) != "0" && trace_.text(thread.tid) != "0") add_call_stack(thread.rows);
    }
  }

  // CallStackGraph and _construct_graph_from_call_stack(): its depth-first walk visits in the order of the points.
  void add_call_stack(const std::vector<std::uint32_t>& rows) {
    struct Point {
      Nanos time;
      bool is_start;
      std::uint32_t row;
    };
    std::vector<Point> points;
    points.reserve(2 * rows.size());
    for (const std::uint32_t row : rows) {
      points.push_back({events_[row].ts, true, row});
      points.push_back({events_[row].end(), false, row});
    }
    std::ranges::sort(points, [&](const Point& a, const Point& b) {
      if (a.time != b.time) return a.time < b.time;
      if (a.is_start != b.is_start) return b.is_start;
      const Nanos x = events_[a.row].duration;
      const Nanos y = events_[b.row].duration;
      if (x != y) return a.is_start ? x > y : x < y;
      return a.is_start ? a.row < b.row : a.row > b.row;
    });
    constexpr std::uint32_t kNone = kNoIndex;
    std::vector<std::uint32_t> stack;
    std::uint32_t last = kNone;
    std::uint32_t last_outermost = kNone;
    std::uint32_t last_parent = 0;
    std::int64_t depth = 0;
    for (const Point& point : points) {
      if (point.is_start) {
        const std::uint32_t parent = stack.empty() ? 0 : stack.back();
        stack.push_back(point.row);
        if (!has_node_[point.row]) continue;
        const std::uint32_t node = start_node(point.row);
        if (depth == 0 && last_outermost != kNone) connect(last_outermost, node, HtaEdgeType::kDependency);
        ++depth;
        if (last != kNone) connect_in_stack(last, node, false, last_parent);
        last = node;
        last_parent = parent;
        continue;
      }
      // Where slices cross, the innermost open one ends, whichever it is: as there.
      const std::uint32_t row = stack.back();
      stack.pop_back();
      if (!has_node_[row]) continue;
      const std::uint32_t node = end_node(row);
      --depth;
      if (last != kNone) connect_in_stack(last, node, names_.is_blocking(events_[row].name), last_parent);
      if (depth == 0) {
        last = kNone;
        last_outermost = node;
      } else {
        last = node;
        last_parent = stack.empty() ? 0 : stack.back();
      }
    }
  }

  // _get_cuda_runtime_calls_df()
  std::vector<HtaLaunch> list_launches() const {
    std::vector<HtaLaunch> launches;
    for (const std::uint32_t row : events_.order) {
      const HtaEvent& call = events_[row];
      if (call.link == 0 || !names_.is_launch(call.name)) continue;
      const HtaEvent& activity = events_[call.link];
      if (activity.stream == -1 || activity.link == 0) continue;
      const Track& track = trace_.track(call.track);
      launches.push_back(
          {call.ts, row, call.link, trace_.track(activity.track).process, activity.stream, track.process, track.tid});
    }
    std::ranges::stable_sort(launches, {}, &HtaLaunch::ts);
    return launches;
  }

  // _get_cuda_event_record_df(): the last launch to the stream before an event was recorded on it, by the correlation
  // of the record.
  std::unordered_map<std::int64_t, std::uint32_t, SeededHash> launches_before_records(
      const std::vector<HtaLaunch>& launches) const {
    std::unordered_map<std::int64_t, std::pair<std::int64_t, ProcessId>, SeededHash> stream_of;
    for (const std::uint32_t row : events_.order)
      if (const HtaEvent& e = events_[row]; e.wait_on_stream > -1)
        stream_of.try_emplace(e.wait_on_record, e.wait_on_stream, trace_.track(e.track).process);
    std::map<std::pair<std::int64_t, std::uint32_t>, std::vector<const HtaLaunch*>> by_stream;
    for (const HtaLaunch& l : launches) by_stream[{l.stream, l.device.value}].push_back(&l);
    std::unordered_map<std::int64_t, std::uint32_t, SeededHash> previous;
    for (const std::uint32_t row : events_.order) {
      const HtaEvent& record = events_[row];
      if (!events_.is_named(row, names_.event_record)) continue;
      const auto stream = stream_of.find(record.correlation);
      if (stream == stream_of.end()) continue;
      const std::vector<const HtaLaunch*>& list = by_stream[{stream->second.first, stream->second.second.value}];
      const auto next = std::ranges::upper_bound(list, record.ts, {}, &HtaLaunch::ts);
      previous.try_emplace(record.correlation, next == list.begin() ? 0 : (*(next - 1))->row);
    }
    return previous;
  }

  // find_next_launch() of _get_cuda_stream_wait_event_df(): of the same thread and stream.
  std::uint32_t launch_after_wait(std::uint32_t wait_call, const std::vector<HtaLaunch>& launches) const {
    const HtaEvent& call = events_[wait_call];
    if (!events_.is_named(wait_call, names_.stream_wait_call) || call.link == 0) return 0;
    const std::int64_t stream = events_[call.link].stream;
    const Track& track = trace_.track(call.track);
    for (auto l = std::ranges::upper_bound(launches, call.ts, {}, &HtaLaunch::ts); l != launches.end(); ++l)
      if (l->stream == stream && l->process == track.process && l->tid == track.tid) return l->row;
    return 0;
  }

  // _construct_graph_from_kernels()
  void add_kernels() {
    const std::vector<HtaLaunch> launches = list_launches();
    const auto before_records = launches_before_records(launches);
    struct Row {
      Nanos sort_by;
      std::uint32_t row;
    };
    std::vector<Row> rows;
    for (const std::uint32_t row : events_.clipped) {
      const HtaEvent& e = events_[row];
      const bool is_gpu =
          e.stream != -1 || events_.is_named(row, names_.event_sync) || events_.is_named(row, names_.context_sync);
      if (is_gpu && e.correlation >= 0) rows.push_back({is_sync(row) ? e.end() : e.ts, row});
    }
    std::ranges::stable_sort(rows, {}, &Row::sort_by);

    std::vector<std::pair<std::int64_t, std::uint32_t>> last;    // by stream: the node that ended last; as they came
    std::unordered_map<std::uint32_t, std::uint32_t> waits_for;  // activities by row
    const auto find_last = [&](std::int64_t stream) {
      return std::ranges::find(last, stream, &std::pair<std::int64_t, std::uint32_t>::first);
    };
    for (const Row& r : rows) {
      const std::uint32_t row = r.row;
      const HtaEvent& e = events_[row];
      if (is_sync(row)) {
        if (events_.is_named(row, names_.stream_wait) || events_.is_named(row, names_.event_sync)) {
          const auto previous = before_records.find(e.wait_on_record);
          if (previous == before_records.end() || previous->second == 0) continue;
          const std::uint32_t source = events_[previous->second].link;
          if (events_.is_named(row, names_.stream_wait)) {
            const std::uint32_t launch = launch_after_wait(e.link, launches);
            if (launch != 0) waits_for[events_[launch].link] = source;
          } else if (has_node_[source] && has_node_[e.link]) {
            connect(end_node(source), end_node(e.link), HtaEdgeType::kSync);
          }
        } else if (e.link != 0 && has_node_[e.link]) {
          for (const auto& [stream, node] : last)
            if (events_.is_named(row, names_.context_sync) || stream == e.stream)
              connect(node, end_node(e.link), HtaEdgeType::kSync);
        }
        continue;
      }
      connect_in_stack(start_node(row), end_node(row), false, 0);
      std::optional<std::uint32_t> wait;  // the node waited for
      if (const auto found = waits_for.find(row); found != waits_for.end() && found->second != 0) {
        if (has_node_[found->second]) {
          wait = end_node(found->second);
          connect(*wait, start_node(row), HtaEdgeType::kSync);
        }
        found->second = 0;
      }
      const auto before = find_last(e.stream);
      const Nanos launched = events_[e.link].ts;
      if (events_.queue_of[e.link] == 1 && events_.queue_of[row] == 0 &&
          (before == last.end() || time_of(before->second) < launched) && (!wait || time_of(*wait) < launched)) {
        if (has_node_[e.link]) connect(start_node(e.link), start_node(row), HtaEdgeType::kLaunchDelay);
      } else if (before != last.end() && (!wait || time_of(*wait) < time_of(before->second))) {
        connect(before->second, start_node(row), HtaEdgeType::kKernelKernelDelay).row = before->second / 2;
      }
      if (before == last.end())
        last.emplace_back(e.stream, end_node(row));
      else
        before->second = end_node(row);
    }
  }

  bool is_sync(std::uint32_t row) const {
    return names_.cuda_sync.valid() && events_[row].category == names_.cuda_sync;
  }

  const Trace& trace_;
  const HtaEvents& events_;
  const HtaNames& names_;
  std::vector<bool> has_node_;
  HtaGraph graph_;
};

/// ^nccl.*Kernel
bool is_hta_communication(std::string_view name) {
  return name.starts_with("nccl") && name.find("Kernel", 4) != std::string_view::npos;
}

std::string bound_of(const Trace& trace, const HtaEvents& events, const HtaEdge& edge) {
  switch (edge.type) {
    case HtaEdgeType::kKernelKernelDelay:
      return "gpu_kernel_kernel_overhead";
    case HtaEdgeType::kLaunchDelay:
      return "gpu_kernel_launch_overhead";
    case HtaEdgeType::kDependency:
    case HtaEdgeType::kSync:
      return "";
    case HtaEdgeType::kOperator:
      break;
  }
  const HtaEvent& e = events[edge.row];
  if (e.stream < 0) return "cpu_bound";
  return is_hta_communication(hta_short_name(trace.text(e.name))) ? "gpu_communication_bound" : "gpu_compute_bound";
}

}  // namespace

std::string hta_short_name(std::string_view name) {
  const auto starts = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (starts("Memcpy") || starts("Memset") || starts("dma")) return std::string(name);
  if (name.find('<') == std::string_view::npos && name.find('(') == std::string_view::npos) return std::string(name);
  std::string kept;
  const auto close = [&](char open) {
    const auto at = kept.rfind(open);
    kept.resize(at == std::string::npos ? 0 : at);
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) == "->") {
      ++i;
    } else if (name[i] == '>') {
      close('<');
    } else if (name[i] == ')') {
      close('(');
    } else {
      kept += name[i];
    }
  }
  return kept.substr(kept.rfind(' ') + 1);  // npos + 1 is 0
}

Result<HtaPath> hta_critical_path(const Trace& trace, SourceId source, const HtaPathOptions& options) {
  const HtaNames names(trace);
  const Result<HtaEvents> events = hta_events(trace, source, names, options);
  if (!events) return tl::make_unexpected(events.error());
  const HtaGraph graph = HtaGraphBuilder(trace, *events, names).build();
  for (const HtaEdge& edge : graph.edges()) {
    const std::int64_t stream = (*events)[edge.from / 2].stream;
    if (edge.type == HtaEdgeType::kSync && stream != -1 && stream == (*events)[edge.to / 2].stream)
      return fail(ErrorCode::kUnsupported, "HTA finds a synchronisation inside one stream and gives up");
  }
  const Result<std::vector<std::uint32_t>> path = graph.longest_path();
  if (!path) return tl::make_unexpected(path.error());
  if (path->empty()) return fail(ErrorCode::kUnsupported, "HTA's graph of this annotation has no path");

  HtaPath result;
  result.graph_nodes = graph.node_count();
  result.graph_edges = graph.edges().size();
  result.edges = path->size();
  result.nodes = path->size() + 1;
  std::unordered_set<std::uint32_t> rows;
  std::map<std::string, Nanos> by_name;
  for (const std::uint32_t index : *path) {
    const HtaEdge& edge = graph.edges()[index];
    rows.insert(edge.from / 2);
    rows.insert(edge.to / 2);
    result.total += edge.weight;
    result.by_bound[bound_of(trace, *events, edge)] += edge.weight;
    result.by_type[std::string(kHtaTypeNames[static_cast<std::size_t>(edge.type)])] += edge.weight;
    if (edge.row != 0) by_name[hta_short_name(trace.text((*events)[edge.row].name))] += edge.weight;
  }
  result.events = rows.size();
  result.by_name.assign(by_name.begin(), by_name.end());
  sort_stably(result.by_name, [](const auto& a, const auto& b) { return a.second > b.second; });
  return result;
}

}  // namespace lacuna
