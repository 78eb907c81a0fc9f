#include "model/roofline/roofline.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "model/calls/launched_work.h"
#include "model/causes/known_names.h"
#include "model/columns/argument_scan.h"
#include "model/columns/shared_texts.h"
#include "model/import/capture_traces.h"
#include "model/steps/steps.h"
#include "model/trace/engine_steps.h"
#include "model/trace/nearest_above.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 4> kCallKeys{"Input Dims", "Input type", "Concrete Inputs", "Input Strides"};

/// Calls whose args say the same.
struct Entry {
  RooflineRow row;
  Nanos inside = 0;  // GPU time of calls inside that have models
};

/// The name of the innermost step of an inference server around a slice that says what its requests attend to.
StringId step_around(const Trace& trace, SliceId slice) {
  for (slice = trace.parent(slice); slice.valid(); slice = trace.parent(slice)) {
    if (!may_mark_step(trace.category_class(slice))) continue;
    const auto step = parse_engine_step(trace.name(slice));
    if (step && step->attention) return trace.lane(slice).name(slice.index);
  }
  return kEmptyString;
}

/// What graphs ran of a captured call in steps of one name.
struct Replays {
  std::set<SliceId> launches;
  Nanos time = 0;
};
/// Of captured calls whose work goes by the requests of a step.
using ReplaysBySteps = std::map<SliceId, std::map<StringId, Replays>>;

ReplaysBySteps find_replays_by_steps(const Trace& trace, const GraphOrigins& graphs, TimeSpan range) {
  ReplaysBySteps found;
  NearestAbove above(trace);
  NameMemo by_requests(trace.strings(), goes_by_requests);
  std::map<SliceId, StringId> steps;  // by launch
  for (const GraphOrigins::Entry& node : graphs.entries()) {
    const SliceId call = above.of(node.captured_by, [&](SliceId s) {
      return trace.category_class(s) == CategoryClass::kCpuOperator && by_requests(trace.lane(s).name(s.index));
    });
    if (!call.valid() || trace.track_of(call).kind != TrackKind::kCaptured) continue;
    const SliceId launch = trace.links().launch_of(node.activity);
    if (!range.contains(trace.span(launch).begin)) continue;
    const auto [step, is_new] = steps.try_emplace(launch);
    if (is_new) step->second = step_around(trace, launch);
    Replays& replays = found[call][step->second];
    replays.launches.insert(launch);
    replays.time = saturating_add(replays.time, trace.span(node.activity).duration());
  }
  return found;
}

/// The calls of one source.
class SourceCalls {
 public:
  SourceCalls(const Trace& trace, SourceId source, const RooflineOptions& options, const ReplaysBySteps& replays)
      : trace_(trace),
        source_(source),
        options_(options),
        replays_(replays),
        is_modelled_(trace.strings().size()),
        ids_(trace.lanes().size()) {
    for (std::uint32_t n = 0; n < is_modelled_.size(); ++n) {
      const std::string_view name = trace.text(StringId{n});
      is_modelled_[n] = has_work_model(name) ? (goes_by_requests(name) ? kByStep : kByArgs) : kNotModelled;
    }
  }

  Result<void> read() {
    std::vector<LaneId> lanes;
    for (const Track& track : trace_.tracks()) {
      if (!traits_of(track.kind).is_cpu_code || trace_.process(track.process).source != source_) continue;
      for (std::uint32_t k = 0; k < track.lane_count; ++k) {
        const LaneId id{track.first_lane.value + k};
        const Lane& lane = trace_.lane(id);
        std::uint32_t i = 0;
        while (i < lane.size() && !is_wanted(lane, i)) ++i;
        if (i == lane.size()) continue;
        ids_[id.value].resize(lane.size(), 0);
        lanes.push_back(id);
      }
    }
    const std::array<std::span<const std::string_view>, 1> keys{kCallKeys};
    SharedTexts texts;
    const unsigned threads = std::max(options_.threads, 1u);
    std::vector<Worker> workers(threads, Worker(texts));
    ArgumentScan scan;
    scan.source = source_;
    scan.lanes = lanes;
    scan.wanted = [this](const Lane& lane, std::uint32_t i) { return is_wanted(lane, i) ? 0 : -1; };
    scan.keys = keys;
    scan.threads = threads;
    scan.cancel = options_.cancel;
    scan.visit = [&](unsigned w, SliceId slice, std::span<const std::string_view> values) {
      if (values[0].empty()) return;
      Worker& worker = workers[w];
      const StringId name = trace_.lane(slice).name(slice.index);
      const auto number = [&](std::optional<StringId> step) {
        worker.text.assign(reinterpret_cast<const char*>(&name), sizeof name);
        for (const std::string_view value : values) worker.text.append(value).push_back('\n');
        if (step) worker.text.append(reinterpret_cast<const char*>(&*step), sizeof *step);
        return worker.memo.number(worker.text, [&](std::uint32_t) {
          entries_.push_back(make_entry(name, step.value_or(kEmptyString), values));
        });
      };
      std::uint32_t& id = ids_[slice.lane.value][slice.index];
      if (is_modelled_[name.value] != kByStep) {
        id = number(std::nullopt);
      } else if (const auto replays = replays_.find(slice); replays != replays_.end()) {
        for (const auto& [step, of_step] : replays->second) {
          id = number(step);
          const std::scoped_lock lock(mutex_);
          replayed_.push_back({slice, id, &of_step});
        }
      } else {
        id = number(step_around(trace_, slice));
      }
    };
    return scan_arguments(trace_, scan);
  }

  void add_times(const LaunchedTotals& launched, Roofline& result) {
    NearestAbove above(trace_);
    const auto has_model = [this](SliceId slice) { return entry_of(slice) != nullptr; };
    for (std::uint32_t l = 0; l < ids_.size(); ++l)
      for (std::uint32_t i = 0; i < ids_[l].size(); ++i) {
        const SliceId slice{LaneId{l}, i};
        Entry* entry = entry_of(slice);
        if (entry == nullptr) continue;
        RooflineRow& row = entry->row;
        if (replays_.contains(slice)) continue;
        const auto [activities, time, replays] = launched.of(slice);
        const bool is_captured = trace_.track_of(slice).kind == TrackKind::kCaptured;
        if (is_captured && replays == 0) continue;  // no graph of the trace ran it
        const bool is_first = row.count == 0;
        const std::uint64_t runs = std::max<std::uint64_t>(replays, 1);
        row.count += runs;
        if (is_first || time > launched.of(row.longest).time) row.longest = slice;
        row.gpu_time = saturating_add(row.gpu_time, time);
        if (options_.with_calls) calls_.push_back({slice, ids_[l][i], runs, time});
        if (time == 0) continue;
        const SliceId around = above.of(trace_.parent(slice), has_model);
        Nanos& sum = around.valid() ? entry_of(around)->inside : result.modelled_time;
        sum = saturating_add(sum, time);
      }
    std::ranges::sort(replayed_, {}, [](const Replayed& r) { return std::pair(r.call, r.entry); });
    for (const Replayed& replayed : replayed_) {
      RooflineRow& row = entries_[replayed.entry].row;
      if (row.name.empty()) continue;
      if (row.count == 0) row.longest = replayed.call;
      row.count += replayed.replays->launches.size();
      row.gpu_time = saturating_add(row.gpu_time, replayed.replays->time);
      if (options_.with_calls)
        calls_.push_back({replayed.call, replayed.entry, replayed.replays->launches.size(), replayed.replays->time});
      const SliceId around = above.of(trace_.parent(replayed.call), has_model);
      Nanos& sum = around.valid() ? entry_of(around)->inside : result.modelled_time;
      sum = saturating_add(sum, replayed.replays->time);
    }
  }

  std::vector<Entry>& entries() { return entries_; }
  /// `row` is an index in entries().
  const std::vector<ModelledCall>& calls() const { return calls_; }

 private:
  struct Worker {
    explicit Worker(SharedTexts& shared) : memo(shared) {}
    TextMemo memo;
    std::string text;
  };

  bool is_wanted(const Lane& lane, std::uint32_t i) const {
    return is_modelled_[lane.name(i).value] != kNotModelled &&
           trace_.category_class(lane.category(i)) == CategoryClass::kCpuOperator &&
           (trace_.track(lane.track).kind == TrackKind::kCaptured || options_.range.contains(lane.start(i)));
  }

  Entry make_entry(StringId name, StringId step_name, std::span<const std::string_view> values) const {
    Entry entry;
    entry.row.dims = tidy_list(values[0]);
    entry.row.types = tidy_list(values[1]);
    entry.row.strides = tidy_list(values[3]);
    TensorInputs inputs(values[0], values[1], values[2], values[3]);
    const auto step = parse_engine_step(trace_.text(step_name));
    if (step && step->attention) inputs.requests = &*step->attention;
    if (auto work = operator_work(trace_.text(name), inputs)) {
      entry.row.name = trace_.text(name);
      entry.row.work = std::move(*work);
    }
    return entry;
  }

  /// Null: its args say too little.
  Entry* entry_of(SliceId slice) {
    const auto& ids = ids_[slice.lane.value];
    if (ids.empty() || ids[slice.index] == 0) return nullptr;
    Entry& entry = entries_[ids[slice.index]];
    return entry.row.name.empty() ? nullptr : &entry;
  }

  const Trace& trace_;
  const SourceId source_;
  const RooflineOptions& options_;
  const ReplaysBySteps& replays_;
  enum : std::uint8_t { kNotModelled, kByArgs, kByStep };
  std::vector<std::uint8_t> is_modelled_;       // by name
  std::vector<PageVector<std::uint32_t>> ids_;  // by lane; 0: nothing is known
  std::vector<Entry> entries_ = std::vector<Entry>(1);
  std::vector<ModelledCall> calls_;
  struct Replayed {
    SliceId call;
    std::uint32_t entry = 0;
    const Replays* replays = nullptr;
  };
  std::mutex mutex_;
  std::vector<Replayed> replayed_;
};

std::optional<GpuPeak> peak_of(const TraceSource& source, const RooflineOptions& options) {
  if (options.peaks) return options.peaks;
  const GpuPeak* known = source.devices.empty() ? nullptr : gpu_peak(source.devices.front().name);
  return known == nullptr ? std::nullopt : std::optional(*known);
}

/// The roof over a row: of matrix units by their type, of all else that of the ordinary units, whose fp32 rate it is.
void set_peaks(RooflineRow& row, const GpuPeak& peak) {
  row.peak_gigabytes = peak.gigabytes;
  FlopType type = row.unit_type();
  // Faster than the ordinary units can: it ran on tensor cores, in TF32.
  if (type == FlopType::kFp32 && row.work.on_matrix_units && row.tflops() > peak.fp32 && peak.tf32 > 0)
    type = row.work.type = FlopType::kTf32;
  row.peak_tflops = peak.tflops(type);
}

/// Between host and GPU: the roof is that of the bus, which nobody states.
bool crosses_the_bus(const Trace& trace, const RooflineRow& row) {
  if (row.work.operator_class != KernelClass::kCopy || row.gpu_time <= 0) return false;
  const SliceId work = first_work_of(trace, row.longest);
  if (!work.valid() || trace.category_class(work) != CategoryClass::kMemcpy) return false;
  const std::string_view name = trace.name(work);
  return name.find("HtoD") != name.npos || name.find("DtoH") != name.npos;
}

void sort_rows(Roofline& roofline) {
  std::vector<std::uint32_t> order(roofline.rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t r) {
    const RooflineRow& row = roofline.rows[r];
    return std::tuple(-row.gpu_time, std::string_view(row.name), std::string_view(row.dims),
                      std::string_view(row.types), std::string_view(row.strides));
  });
  std::vector<RooflineRow> rows;
  std::vector<std::uint32_t> places(order.size());
  for (const std::uint32_t r : order) {
    places[r] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(std::move(roofline.rows[r]));
  }
  roofline.rows = std::move(rows);
  for (ModelledCall& call : roofline.calls) call.row = places[call.row];
}

}  // namespace

void judge_by_roofs(RooflineRow& row) {
  if (row.gpu_time <= 0 || row.peak_gigabytes <= 0 || row.peak_tflops <= 0) return;
  const Work& work = row.work.physical ? *row.work.physical : row.work.work;
  const double computing = work.flop / (row.peak_tflops * 1e3), moving = work.bytes / row.peak_gigabytes;  // ns
  const double best = std::max(computing, moving);
  const double taken = static_cast<double>(row.gpu_time) / static_cast<double>(row.count);
  row.roof_share = best / taken;
  constexpr double kMostlyLatency = 0.5;
  if (best < static_cast<double>(Roofline::kLatencyFloor) && row.roof_share < kMostlyLatency)
    row.bound = RooflineBound::kLatency;
  else
    row.bound = computing > moving ? RooflineBound::kCompute : RooflineBound::kMemory;
}

std::string_view roofline_bound_key(RooflineBound bound) {
  constexpr std::string_view kKeysOfBounds[] = {"", "memory", "compute", "latency"};
  return kKeysOfBounds[static_cast<std::size_t>(bound)];
}

Result<Roofline> compute_roofline(const Trace& trace, const RooflineOptions& options) {
  Roofline result;
  const auto graphs = GraphOrigins::find(trace, options.threads, options.cancel);
  if (!graphs) return tl::make_unexpected(graphs.error());
  const LaunchedTotals launched(trace, &*graphs, options.range);
  const ReplaysBySteps replays = find_replays_by_steps(trace, *graphs, options.range);
  for (const LaunchLink& link : trace.links().launches())
    result.gpu_time = saturating_add(result.gpu_time, trace.span(link.activity).duration());
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    if (options.source && *options.source != SourceId{s}) continue;
    const TraceSource& source = trace.sources()[s];
    SourceCalls calls(trace, SourceId{s}, options, replays);
    if (const auto read = calls.read(); !read) return tl::make_unexpected(read.error());
    calls.add_times(launched, result);
    std::optional<GpuPeak> peak = peak_of(source, options);
    // The calls of a capture trace, which stands behind the traces that replay it, run on their GPU.
    if (!peak && capture_batch_size(source)) peak = result.peak;
    if (result.device.empty() && !source.devices.empty()) {
      result.device = source.devices.front().name;
      result.peak = peak;
    }
    // What differs in nothing that counts, as in the epsilon of a norm, is one row.
    std::map<std::tuple<std::string, std::string, std::string, std::string, double, double>, std::size_t> rows;
    std::vector<std::uint32_t> row_of_entry(calls.entries().size());
    for (std::size_t e = 0; e < calls.entries().size(); ++e) {
      Entry& entry = calls.entries()[e];
      RooflineRow& row = entry.row;
      if (row.count == 0) continue;
      row.is_around_others = row.gpu_time > 0 && entry.inside >= row.gpu_time;
      const auto [at, is_new] = rows.try_emplace(
          {row.name, row.dims, row.types, row.strides, row.work.work.flop, row.work.work.bytes}, result.rows.size());
      row_of_entry[e] = static_cast<std::uint32_t>(at->second);
      if (is_new) {
        result.rows.push_back(std::move(row));
        continue;
      }
      RooflineRow& known = result.rows[at->second];
      known.count += row.count;
      known.gpu_time = saturating_add(known.gpu_time, row.gpu_time);
      if (launched.of(row.longest).time > launched.of(known.longest).time) known.longest = row.longest;
    }
    for (const ModelledCall& call : calls.calls())
      result.calls.push_back({call.slice, row_of_entry[call.row], call.count, call.gpu_time});
    for (const auto& [key, index] : rows) {
      RooflineRow& row = result.rows[index];
      row.longest_span = trace.span(row.longest);
      if (crosses_the_bus(trace, row)) {
        row.work.why = "It goes between host and GPU: its roof is that of the bus, which is not known.";
        continue;
      }
      if (peak) set_peaks(row, *peak);
      judge_by_roofs(row);
    }
  }
  if (!result.peak) result.peak = options.peaks;
  sort_rows(result);
  return result;
}

}  // namespace lacuna
