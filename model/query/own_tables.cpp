#include "model/query/own_tables.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "model/calls/launched_work.h"
#include "model/causes/cause_index.h"
#include "model/causes/cause_ranking.h"
#include "model/causes/gap_evidence.h"
#include "model/columns/argument_columns.h"
#include "model/gaps/gaps.h"
#include "model/job/late_waits.h"
#include "model/kernels/kernel_class.h"
#include "model/roofline/roofline.h"
#include "model/steps/measured_steps.h"
#include "model/steps/steps.h"
#include "model/trace/engine_steps.h"
#include "model/trace/nearest_above.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// A table whose rows are made at once, of the trace alone: only ids of slices need Perfetto's tables, for which the
/// file is read again.
template <class Row>
class OwnTable {
 public:
  using Rows = std::shared_ptr<std::vector<Row>>;
  OwnTable(std::vector<std::unique_ptr<QueryTable>>& all, QuerySource& source, const std::atomic<bool>* cancel,
           const char* name, const char* help, std::function<Result<void>(std::vector<Row>&)> make)
      : rows_(std::make_shared<std::vector<Row>>()), source_(source) {
    all.push_back(std::make_unique<QueryTable>());
    table_ = all.back().get();
    table_->name = name;
    table_->help = help;
    table_->rows = [rows = rows_] { return static_cast<std::uint32_t>(rows->size()); };
    table_->prepare = [rows = rows_, make = std::move(make)] { return make(*rows); };
    table_->prepare_ids = [&source, cancel] { return source.make_tables(cancel); };
  }
  template <class Get>
  OwnTable& column(const char* name, const char* type, const char* help, Get get, Lookup lookup = Lookup::kNone) {
    QueryColumn column;
    column.name = name;
    column.type = type;
    column.help = help;
    column.lookup = lookup;
    column.get = [rows = rows_, get](std::uint32_t row) { return get((*rows)[row]); };
    table_->columns.push_back(std::move(column));
    return *this;
  }
  /// slice.id of what `get` returns.
  template <class Get>
  OwnTable& slice_id(const char* name, const char* help, Get get, Lookup lookup = Lookup::kNone) {
    column(
        name, "INTEGER", help,
        [&source = source_, get](const Row& row) { return Cell::of_id(source.row_of(get(row))); }, lookup);
    table_->columns.back().is_slice_id = true;
    return *this;
  }
  QueryTable& table() { return *table_; }

 private:
  Rows rows_;
  QuerySource& source_;
  QueryTable* table_ = nullptr;
};

constexpr const char* kInt = "INTEGER";
constexpr const char* kNumber = "REAL";
constexpr const char* kString = "TEXT";

using TableList = std::vector<std::unique_ptr<QueryTable>>;

/// A device or stream: a number where it is one.
Cell label_cell(std::string_view text) {
  if (!text.empty() && text.size() < 18 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    std::int64_t value = 0;
    for (const char c : text) value = value * 10 + (c - '0');
    return Cell::of(value);
  }
  return Cell::of_text(text);
}

struct GapRow {
  const CausedGaps* set = nullptr;
  std::uint32_t index = 0;
  const Gap& gap() const { return set->gaps[index]; }
  const GapDiagnosis& diagnosis() const { return set->diagnoses[index]; }
};

/// Whom gaps are to be blamed on, found as it is asked for. From any thread.
class BlamedSlices {
 public:
  explicit BlamedSlices(const Trace& trace) : evidences_(trace) {}
  SliceId of(const GapRow& row);

 private:
  std::mutex mutex_;
  GapEvidences evidences_;
};

SliceId BlamedSlices::of(const GapRow& row) {
  if (row.diagnosis().sync_call.valid()) return row.diagnosis().sync_call;
  const std::lock_guard lock(mutex_);
  const GapEvidence evidence = evidences_.of(row.gap(), row.diagnosis());
  for (const CpuLevel level : {CpuLevel::kCalledOperator, CpuLevel::kPython, CpuLevel::kRuntime, CpuLevel::kAnnotation})
    if (evidence.at(level).longest.valid()) return evidence.at(level).longest;
  return {};
}

void add_gaps(TableList& all, QuerySource& source, const std::atomic<bool>* cancel) {
  const Trace& trace = source.trace();
  auto sets = std::make_shared<std::vector<CausedGaps>>();
  OwnTable<GapRow> table(all, source, cancel, "gap", "Idle intervals of GPU streams, with their causes",
                         [&trace, sets](std::vector<GapRow>& rows) -> Result<void> {
                           const CauseIndex index(trace, late_ranks_or_none(trace));
                           *sets = diagnose_streams(index);
                           for (const CausedGaps& set : *sets)
                             for (std::uint32_t i = 0; i < set.gaps.size(); ++i) rows.push_back({&set, i});
                           return {};
                         });
  const auto blamed = std::make_shared<BlamedSlices>(trace);
  table
      .column("ts", kInt, "Start in ns: the end of the activity before it",
              [](const GapRow& r) { return Cell::of(r.gap().start); })
      .column("dur", kInt, "Duration in ns", [](const GapRow& r) { return Cell::of(r.gap().duration()); })
      .column("device", kInt, "GPU", [&trace](const GapRow& r) { return label_cell(trace.text(r.set->device)); })
      .column("stream", kInt, "Stream of the GPU",
              [&trace](const GapRow& r) { return label_cell(trace.text(r.set->stream)); })
      .column("cause", kString, "Why it is there: a key of lacuna gaps --json, such as launch_bound or synchronisation",
              [](const GapRow& r) { return Cell::of_text(cause_key(r.diagnosis().cause)); })
      .slice_id("blamed_id", "The CPU slice to blame: slice.id", [blamed](const GapRow& r) { return blamed->of(r); })
      .column("blamed", kString, "Its name",
              [&trace, blamed](const GapRow& r) {
                const SliceId slice = blamed->of(r);
                return slice.valid() ? Cell::of_text(trace.name(slice)) : Cell::null();
              })
      .slice_id("before_id", "The activity whose end starts the gap: slice.id",
                [](const GapRow& r) { return r.gap().before; })
      .slice_id("after_id", "The activity whose start ends it: slice.id", [](const GapRow& r) { return r.gap().after; })
      .slice_id("launch_id", "The call that launched that activity: slice.id",
                [](const GapRow& r) { return r.gap().launch; })
      .column("before_issue", kInt, "Part of it before the launch was issued, ns",
              [](const GapRow& r) { return Cell::of(r.diagnosis().before_issue); })
      .column("in_queue", kInt, "Part of it after that, ns",
              [](const GapRow& r) { return Cell::of(r.diagnosis().in_queue); });
}

struct LaunchRow {
  SliceId launch;
  SliceId activity;
};

void add_launches(TableList& all, QuerySource& source, const std::atomic<bool>* cancel) {
  const Trace& trace = source.trace();
  OwnTable<LaunchRow> table(all, source, cancel, "launch",
                            "Runtime calls and the GPU activities that they launched, by correlation",
                            [&trace](std::vector<LaunchRow>& rows) -> Result<void> {
                              for (const LaunchLink& link : trace.links().launches())
                                rows.push_back({link.launch, link.activity});
                              return {};
                            });
  table.table().expected_rows = std::max<std::uint64_t>(trace.links().launches().size(), 1);
  table
      .slice_id(
          "launch_id", "The call: slice.id", [](const LaunchRow& r) { return r.launch; }, Lookup::kIndexed)
      .slice_id(
          "gpu_id", "The kernel, copy or set: slice.id", [](const LaunchRow& r) { return r.activity; },
          Lookup::kIndexed)
      .column("correlation", kInt, "The correlation that links the two",
              [&trace](const LaunchRow& r) {
                return Cell::of(static_cast<std::int64_t>(trace.lane(r.activity).correlation(r.activity.index)));
              })
      .column("ts", kInt, "Start of the call, ns",
              [&trace](const LaunchRow& r) { return Cell::of(trace.span(r.launch).begin); })
      .column("dur", kInt, "Duration of the call, ns",
              [&trace](const LaunchRow& r) { return Cell::of(trace.lane(r.launch).duration(r.launch.index)); })
      .column("gpu_ts", kInt, "Start of the activity, ns",
              [&trace](const LaunchRow& r) { return Cell::of(trace.span(r.activity).begin); })
      .column("gpu_dur", kInt, "Duration of the activity, ns",
              [&trace](const LaunchRow& r) { return Cell::of(trace.lane(r.activity).duration(r.activity.index)); })
      .column("delay", kInt, "From the start of the call to that of the activity, ns", [&trace](const LaunchRow& r) {
        return Cell::of(saturating_sub(trace.span(r.activity).begin, trace.span(r.launch).begin));
      });
}

/// All slices of the classes that `wanted` takes, in order of time.
template <class Wanted>
void collect_slices(const Trace& trace, std::vector<SliceId>& rows, Wanted wanted) {
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lanes()[l];
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      if (wanted(trace.category_class(lane.category(i)))) rows.push_back({LaneId{l}, i});
  }
  std::ranges::stable_sort(rows, [&](SliceId a, SliceId b) { return trace.span(a).begin < trace.span(b).begin; });
}

/// The GPU work of operators, found as it is asked for. From any thread.
class OperatorWork {
 public:
  explicit OperatorWork(const Trace& trace) : trace_(trace) {}
  LaunchedTotals::Total of(SliceId slice) {
    const std::lock_guard lock(mutex_);
    if (!all_ && ++asked_ <= kFewAsked) {
      const LaunchedWork work = work_launched_by(trace_, std::span(&slice, 1));
      return {work.count, work.time};
    }
    if (!all_) all_.emplace(trace_);
    return all_->of(slice);
  }

 private:
  static constexpr int kFewAsked = 100;
  const Trace& trace_;
  std::mutex mutex_;
  int asked_ = 0;
  std::optional<LaunchedTotals> all_;
};

void add_operators(TableList& all, QuerySource& source, const std::atomic<bool>* cancel) {
  const Trace& trace = source.trace();
  OwnTable<SliceId> table(
      all, source, cancel, "operator", "Calls of operators on the CPU, with the GPU work that they launched",
      [&trace](std::vector<SliceId>& rows) -> Result<void> {
        collect_slices(trace, rows, [](CategoryClass c) { return c == CategoryClass::kCpuOperator; });
        return {};
      });
  table.table().expected_rows = std::max<std::uint64_t>(trace.slice_count() / 4, 1);
  const auto work = std::make_shared<OperatorWork>(trace);
  table
      .slice_id(
          "id", "slice.id", [](SliceId s) { return s; }, Lookup::kIndexed)
      .column(
          "ts", kInt, "Start in ns", [&trace](SliceId s) { return Cell::of(trace.span(s).begin); }, Lookup::kSorted)
      .column("dur", kInt, "Duration in ns", [&trace](SliceId s) { return Cell::of(trace.span(s).duration()); })
      .column("name", kString, "Name of the operator", [&trace](SliceId s) { return Cell::of_text(trace.name(s)); })
      .column("self_dur", kInt, "Duration without what it calls, ns",
              [&trace](SliceId s) { return Cell::of(trace.self_time(s)); })
      .column("gpu_dur", kInt, "Durations of the GPU work launched inside it added up, ns",
              [work](SliceId s) { return Cell::of(work->of(s).time); })
      .column("gpu_count", kInt, "Kernels, copies and sets launched inside it",
              [work](SliceId s) { return Cell::of(static_cast<std::int64_t>(work->of(s).count)); })
      .slice_id("parent_id", "The slice directly around it: slice.id", [&trace](SliceId s) { return trace.parent(s); })
      .column("tid", kInt, "Its thread", [&trace](SliceId s) { return label_cell(trace.text(trace.track_of(s).tid)); });
}

/// A mark of a step with what is measured of it; nothing of the stub that stop() leaves behind.
struct StepOfTable {
  StepMark mark;
  std::optional<MeasuredStep> measured;
};

void add_steps(TableList& all, QuerySource& source, const std::atomic<bool>* cancel) {
  const Trace& trace = source.trace();
  OwnTable<StepOfTable> table(all, source, cancel, "step",
                              "Steps of the program: ProfilerStep#N, or what else marks them",
                              [&trace](std::vector<StepOfTable>& rows) -> Result<void> {
                                for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
                                  const MeasuredSteps found = find_measured_steps(trace, SourceId{s});
                                  std::size_t next = 0;  // of found.steps, which are among the marks, in their order
                                  for (const StepMark& mark : find_step_marks(trace, SourceId{s})) {
                                    StepOfTable& row = rows.emplace_back(StepOfTable{mark, std::nullopt});
                                    if (next < found.steps.size() && found.steps[next].annotation == mark.slice)
                                      row.measured = found.steps[next++];
                                  }
                                }
                                return {};
                              });
  const auto measured = [](auto&& value) {
    return [value](const StepOfTable& step) { return step.measured ? value(*step.measured) : Cell::null(); };
  };
  const auto engine = [&trace](auto&& value) {
    return [&trace, value](const StepOfTable& step) {
      const auto read = parse_engine_step(trace.text(step.mark.name));
      return read ? value(*read) : Cell::null();
    };
  };
  table.slice_id("id", "slice.id", [](const StepOfTable& s) { return s.mark.slice; })
      .column("number", kInt, "N",
              [](const StepOfTable& s) { return s.mark.number ? Cell::of(*s.mark.number) : Cell::null(); })
      .column("ts", kInt, "Start of its annotation in ns",
              [](const StepOfTable& s) { return Cell::of(s.mark.span.begin); })
      .column("dur", kInt, "Duration of its annotation in ns",
              [](const StepOfTable& s) { return Cell::of(s.mark.span.duration()); })
      .column("name", kString, "Its name",
              [&trace](const StepOfTable& s) { return Cell::of_text(trace.text(s.mark.name)); })
      .column(
          "phase", kString, "prefill, decode, mixed or idle: of an inference server's step",
          engine([](const EngineStep& s) { return s.phase ? Cell::of_text(step_phase_key(*s.phase)) : Cell::null(); }))
      .column("batch_size", kInt, "Requests of an inference server's step",
              engine([](const EngineStep& s) { return Cell::of(s.batch_size); }))
      .column("tokens", kInt, "Their new tokens; null where the name does not say",
              engine([](const EngineStep& s) { return s.tokens > 0 ? Cell::of(s.tokens) : Cell::null(); }))
      .column("source", kString, "What marks it: ProfilerStep, engine annotation, numbered annotation, pattern",
              [](const StepOfTable& s) { return Cell::of_text(steps_from_key(s.mark.from)); })
      .column("launches", kInt, "Calls inside it that started GPU work, of any thread",
              measured([](const MeasuredStep& s) { return Cell::of(static_cast<std::int64_t>(s.launches)); }))
      .column("work_ts", kInt, "First start of the GPU work that it launched, ns; null without any",
              measured([](const MeasuredStep& s) { return s.launches == 0 ? Cell::null() : Cell::of(s.work.begin); }))
      .column("work_dur", kInt, "From there to the last end of that work, ns", measured([](const MeasuredStep& s) {
                return s.launches == 0 ? Cell::null() : Cell::of(s.work.duration());
              }))
      .column("paced_ts", kInt, "When it began, or the step before it had ended if that is later, ns",
              measured([](const MeasuredStep& s) { return Cell::of(s.paced.begin); }))
      .column("paced_dur", kInt,
              "From there until its annotation and its GPU work had ended, ns: what the report tells",
              measured([](const MeasuredStep& s) { return Cell::of(s.paced.duration()); }))
      .column("is_warm_up", kInt, "1: the report leaves it out",
              measured([](const MeasuredStep& s) { return Cell::of(static_cast<std::int64_t>(s.is_warm_up)); }));
}

void add_streams(TableList& all, QuerySource& source, const std::atomic<bool>* cancel) {
  const Trace& trace = source.trace();
  OwnTable<StreamActivity> table(all, source, cancel, "stream", "Streams of GPUs: how busy each was",
                                 [&trace](std::vector<StreamActivity>& rows) -> Result<void> {
                                   rows = analyze_streams(trace);
                                   return {};
                                 });
  table.column("device", kInt, "GPU", [&trace](const StreamActivity& s) { return label_cell(trace.text(s.device)); })
      .column("stream", kInt, "Stream of the GPU",
              [&trace](const StreamActivity& s) { return label_cell(trace.text(s.stream)); })
      .column("events", kInt, "Kernels, copies and sets",
              [](const StreamActivity& s) { return Cell::of(static_cast<std::int64_t>(s.events)); })
      .column("ts", kInt, "First start, ns", [](const StreamActivity& s) { return Cell::of(s.first_start); })
      .column("dur", kInt, "From the first start to the last end, ns",
              [](const StreamActivity& s) { return Cell::of(s.window()); })
      .column("busy", kInt, "Time with any of them, ns", [](const StreamActivity& s) { return Cell::of(s.busy); })
      .column("idle", kInt, "Time without, ns", [](const StreamActivity& s) { return Cell::of(s.idle()); })
      .column("gaps", kInt, "Number of gaps",
              [](const StreamActivity& s) { return Cell::of(static_cast<std::int64_t>(s.gaps.size())); })
      .column("name", kString, "Name of its track",
              [&trace](const StreamActivity& s) { return Cell::of_text(trace.text(trace.track(s.track).name)); });
}

struct GpuRow {
  std::uint32_t source = 0;
  std::string_view gpu;
  const DeviceProperties* properties = nullptr;  // none where the file does not describe it
};

/// Those that files describe, and those of streams.
std::vector<GpuRow> gpus_of(const Trace& trace) {
  std::map<std::pair<std::uint32_t, std::string_view>, const DeviceProperties*> gpus;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    for (const DeviceProperties& device : trace.sources()[s].devices)
      gpus.emplace(std::pair(s, std::string_view(device.id)), &device);
  }
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream)) {
    gpus.emplace(std::pair(trace.process(track.process).source.value, trace.text(track.device)), nullptr);
  }
  std::vector<GpuRow> rows;
  for (const auto& [key, properties] : gpus) rows.push_back({key.first, key.second, properties});
  return rows;
}

void add_gpus(TableList& all, QuerySource& source, const std::atomic<bool>* cancel) {
  const Trace& trace = source.trace();
  OwnTable<GpuRow> table(all, source, cancel, "gpu", "GPUs that the file describes or that have activities",
                         [&trace](std::vector<GpuRow>& rows) -> Result<void> {
                           rows = gpus_of(trace);
                           return {};
                         });
  const auto number = [](std::uint64_t DeviceProperties::*wide, std::uint32_t DeviceProperties::*narrow) {
    return [wide, narrow](const GpuRow& row) {
      if (row.properties == nullptr) return Cell::null();
      const std::uint64_t value = wide != nullptr ? row.properties->*wide : row.properties->*narrow;
      return value == 0 ? Cell::null() : Cell::of(static_cast<std::int64_t>(value));
    };
  };
  table.column("gpu", kInt, "Its number", [](const GpuRow& row) { return label_cell(row.gpu); })
      .column("name", kString, "Its model; this and the rest: NULL where the file does not say it",
              [](const GpuRow& row) {
                const bool is_said = row.properties != nullptr && !row.properties->name.empty();
                return is_said ? Cell::of_text(row.properties->name) : Cell::null();
              })
      .column("memory_bytes", kInt, "Its memory", number(&DeviceProperties::total_memory_bytes, nullptr))
      .column("multiprocessors", kInt, "Its multiprocessors", number(nullptr, &DeviceProperties::multiprocessors))
      .column("compute_major", kInt, "Its compute capability: major number",
              number(nullptr, &DeviceProperties::compute_major))
      .column("compute_minor", kInt, "Its compute capability: minor number",
              [](const GpuRow& row) {
                const bool is_said = row.properties != nullptr && row.properties->compute_major != 0;
                return is_said ? Cell::of(static_cast<std::int64_t>(row.properties->compute_minor)) : Cell::null();
              })
      .column("machine_id", kInt, "Of several files: which, from 0",
              [](const GpuRow& row) { return Cell::of(static_cast<std::int64_t>(row.source)); });
}

/// What is looked for above the launches of activities; by the threads of several queries at once.
struct AboveLaunches {
  explicit AboveLaunches(const Trace& trace) : operators(trace), modules(trace), counted(trace) {}

  std::mutex mutex;
  NearestAbove operators, modules, counted;
};

void add_kernels(TableList& all, QuerySource& source, const std::atomic<bool>* cancel) {
  const Trace& trace = source.trace();
  struct Columns {
    std::map<SourceId, ArgumentColumns::GpuPtr> gpu;
    std::map<SourceId, ArgumentColumns::OperatorsPtr> operators;
    GraphOrigins graphs;
  };
  auto columns = std::make_shared<Columns>();
  OwnTable<SliceId> table(all, source, cancel, "gpu_kernel", "Kernels, copies and sets, with what their args say",
                          [&trace, columns, cancel](std::vector<SliceId>& rows) -> Result<void> {
                            collect_slices(trace, rows, [](CategoryClass c) { return is_gpu_activity(c); });
                            for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
                              if (!trace.sources()[s].bytes) continue;
                              auto gpu = argument_columns(trace).gpu(trace, SourceId{s}, 2, cancel);
                              if (!gpu) return tl::make_unexpected(gpu.error());
                              columns->gpu[SourceId{s}] = *gpu;
                            }
                            auto graphs = GraphOrigins::find(trace, 2, cancel);
                            if (!graphs) return tl::make_unexpected(graphs.error());
                            columns->graphs = std::move(*graphs);
                            return {};
                          });
  table.table().expected_rows = std::max<std::uint64_t>(trace.links().gpu_activities, 1);
  const auto says = [&trace, columns](SliceId s) {
    const auto found = columns->gpu.find(trace.process(trace.track_of(s).process).source);
    return found == columns->gpu.end() ? GpuArguments{} : found->second->of(s);
  };
  const auto above = std::make_shared<AboveLaunches>(trace);
  const auto call_of = [&trace, columns](SliceId s) {
    const SliceId captured = columns->graphs.captured_by(s);
    return captured.valid() ? captured : trace.links().launch_of(s);
  };
  const auto operator_above = [above, call_of](SliceId s) {
    const std::scoped_lock lock(above->mutex);
    return above->operators.operator_of(call_of(s));
  };
  const auto module_of = [&trace, columns, above, call_of](SliceId s) {
    if (const std::string_view said = columns->graphs.annotation(s); !said.empty()) return Cell::of_text(said);
    const std::scoped_lock lock(above->mutex);
    const SliceId found = above->modules.of(call_of(s), [&](SliceId up) {
      return trace.category_class(up) == CategoryClass::kPythonFunction && is_module_frame(trace.name(up));
    });
    return found.valid() ? Cell::of_text(trace.name(found)) : Cell::null();
  };
  const auto flops = [&trace, columns, cancel, above, operator_above](SliceId s) {
    const SliceId inner = operator_above(s);
    if (!inner.valid()) return Cell::null();
    const std::scoped_lock lock(above->mutex);
    const SourceId from = trace.process(trace.track_of(inner).process).source;
    if (!columns->operators.contains(from)) {
      auto read = argument_columns(trace).operators(trace, from, 2, cancel);
      columns->operators[from] = read ? *read : nullptr;
    }
    const auto& operators = columns->operators[from];
    if (!operators) return Cell::null();
    const SliceId counted = above->counted.of(inner, [&](SliceId up) { return operators->of(up).flops >= 0; });
    return counted.valid() ? Cell::of_real(operators->of(counted).flops) : Cell::null();
  };
  const auto side = [says](std::size_t i, bool is_grid) {
    return [says, i, is_grid](SliceId s) {
      const GpuArguments a = says(s);
      const std::int32_t value = is_grid ? a.grid[i] : a.block[i];
      return value == 0 ? Cell::null() : Cell::of(value);
    };
  };
  table
      .slice_id(
          "id", "slice.id", [](SliceId s) { return s; }, Lookup::kIndexed)
      .column(
          "ts", kInt, "Start in ns", [&trace](SliceId s) { return Cell::of(trace.span(s).begin); }, Lookup::kSorted)
      .column("dur", kInt, "Duration in ns", [&trace](SliceId s) { return Cell::of(trace.span(s).duration()); })
      .column("name", kString, "Its name", [&trace](SliceId s) { return Cell::of_text(trace.name(s)); })
      .column("kind", kString, "kernel, memcpy or memset",
              [&trace](SliceId s) {
                const CategoryClass c = trace.category_class(s);
                return Cell::of_text(c == CategoryClass::kMemcpy   ? "memcpy"
                                     : c == CategoryClass::kMemset ? "memset"
                                                                   : "kernel");
              })
      .column("device", kInt, "GPU", [&trace](SliceId s) { return label_cell(trace.text(trace.track_of(s).device)); })
      .column("stream", kInt, "Stream of the GPU",
              [&trace](SliceId s) { return label_cell(trace.text(trace.track_of(s).stream)); })
      .column("correlation", kInt, "The correlation that links it to its launch",
              [&trace](SliceId s) { return Cell::of(static_cast<std::int64_t>(trace.lane(s).correlation(s.index))); })
      .slice_id("launch_id", "The call that launched it: slice.id",
                [&trace](SliceId s) { return trace.links().launch_of(s); })
      .slice_id("captured_id", "Of a node of a CUDA graph the call that was captured as it: slice.id",
                [columns](SliceId s) { return columns->graphs.captured_by(s); })
      .slice_id("operator_id", "The innermost operator around that, or around what was captured: slice.id",
                operator_above)
      .column("operator", kString, "Its name",
              [&trace, operator_above](SliceId s) {
                const SliceId found = operator_above(s);
                return found.valid() ? Cell::of_text(trace.name(found)) : Cell::null();
              })
      .column("module", kString, "The innermost nn.Module there, or what the annotation of a graph's node names",
              module_of)
      .column("grid_x", kInt, "Blocks in x", side(0, true))
      .column("grid_y", kInt, "Blocks in y", side(1, true))
      .column("grid_z", kInt, "Blocks in z", side(2, true))
      .column("block_x", kInt, "Threads of a block in x", side(0, false))
      .column("block_y", kInt, "Threads of a block in y", side(1, false))
      .column("block_z", kInt, "Threads of a block in z", side(2, false))
      .column("occupancy", kNumber, "Estimated achieved occupancy in percent",
              [says](SliceId s) {
                const float value = says(s).occupancy;
                return value < 0 ? Cell::null() : Cell::of_real(static_cast<double>(value));
              })
      .column("bytes", kInt, "Bytes copied or set",
              [says](SliceId s) {
                const std::uint64_t bytes = says(s).bytes;
                return bytes == 0 ? Cell::null() : Cell::of(static_cast<std::int64_t>(bytes));
              })
      .column("flops", kNumber, "Floating-point operations of the operator that launched it, by torch's formulas",
              flops);
}

void add_roofline(TableList& all, QuerySource& source, const std::atomic<bool>* cancel) {
  const Trace& trace = source.trace();
  using Row = RooflineRow;
  OwnTable<Row> table(all, source, cancel, "roofline",
                      "Operators by shape: FLOP and bytes of a call, and what bounds it by the roofline model",
                      [&trace, cancel](std::vector<Row>& rows) -> Result<void> {
                        RooflineOptions options;
                        options.cancel = cancel;
                        Result<Roofline> made = compute_roofline(trace, options);
                        if (!made) return tl::make_unexpected(made.error());
                        rows = std::move(made->rows);
                        return {};
                      });
  const auto real_if = [](bool is_known, double value) { return is_known ? Cell::of_real(value) : Cell::null(); };
  table.column("operator", kString, "Its name", [](const Row& r) { return Cell::of_text(unnumbered_operator(r.name)); })
      .column("input_dims", kString, "Shapes of its inputs", [](const Row& r) { return Cell::of_text(r.dims); })
      .column("input_types", kString, "Types of its inputs", [](const Row& r) { return Cell::of_text(r.types); })
      .column("class", kString, "Class of its work, as lacuna roofline --json has it",
              [](const Row& r) { return Cell::of_text(kernel_class_key(r.work.operator_class)); })
      .column("count", kInt, "Calls", [](const Row& r) { return Cell::of(static_cast<std::int64_t>(r.count)); })
      .column("gpu_dur", kInt, "Durations of the GPU work that the calls launched added up, ns",
              [](const Row& r) { return Cell::of(r.gpu_time); })
      .column("flop", kNumber, "Floating-point operations of one call",
              [](const Row& r) { return Cell::of_real(r.work.work.flop); })
      .column("bytes", kNumber, "Bytes that one call reads and writes",
              [](const Row& r) { return Cell::of_real(r.work.work.bytes); })
      .column("flop_per_byte", kNumber, "Its arithmetic intensity",
              [real_if](const Row& r) { return real_if(r.work.work.bytes > 0, r.intensity()); })
      .column("tflops", kNumber, "TFLOP/s reached",
              [real_if](const Row& r) { return real_if(r.gpu_time > 0, r.tflops()); })
      .column("gbps", kNumber, "GB/s reached",
              [real_if](const Row& r) { return real_if(r.gpu_time > 0, r.gigabytes_per_second()); })
      .column("bound", kString, "memory, compute or latency; null: not known",
              [](const Row& r) {
                const std::string_view key = roofline_bound_key(r.bound);
                return key.empty() ? Cell::null() : Cell::of_text(key);
              })
      .column("percent_of_roof", kNumber, "Best time by the peaks in the time taken, percent",
              [real_if](const Row& r) { return real_if(r.roof_share >= 0, 100 * r.roof_share); })
      .column("around_others", kInt, "1: all of its GPU time is that of other rows inside it",
              [](const Row& r) { return Cell::of(static_cast<std::int64_t>(r.is_around_others)); })
      .slice_id("longest_id", "The call with the most GPU time: slice.id", [](const Row& r) { return r.longest; });
}

}  // namespace

std::vector<std::unique_ptr<QueryTable>> own_tables(QuerySource& source, const std::atomic<bool>* cancel) {
  TableList all;
  add_gaps(all, source, cancel);
  add_launches(all, source, cancel);
  add_operators(all, source, cancel);
  add_steps(all, source, cancel);
  add_streams(all, source, cancel);
  add_gpus(all, source, cancel);
  add_kernels(all, source, cancel);
  add_roofline(all, source, cancel);
  return all;
}

}  // namespace lacuna
