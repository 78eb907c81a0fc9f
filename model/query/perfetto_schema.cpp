#include "model/query/perfetto_schema.h"

#include <utility>

#include "model/formats/chrome/decimal.h"
#include "model/formats/chrome/json_text.h"
#include "model/import/arguments.h"
#include "model/query/json_leaves.h"

namespace lacuna {
namespace {

using Tables = TraceTables;
constexpr const char* kInteger = "INTEGER";
constexpr const char* kReal = "REAL";
constexpr const char* kText = "TEXT";

class Maker {
 public:
  Maker(QuerySource& source, const std::atomic<bool>* cancel) : source_(source), cancel_(cancel) {}

  std::vector<std::unique_ptr<QueryTable>> take() { return std::move(all_); }

  QueryTable& table(std::string name, std::string help, std::function<std::uint32_t()> rows) {
    auto made = std::make_unique<QueryTable>();
    made->name = std::move(name);
    made->help = std::move(help);
    made->rows = std::move(rows);
    made->prepare = [this_source = &source_, cancel = cancel_] { return this_source->make_tables(cancel); };
    all_.push_back(std::move(made));
    return *all_.back();
  }
  const Tables& t() const { return source_.tables(); }
  QuerySource& source() { return source_; }

 private:
  QuerySource& source_;
  const std::atomic<bool>* const cancel_;
  std::vector<std::unique_ptr<QueryTable>> all_;
};

void add(QueryTable& table, std::string name, const char* type, std::string help,
         std::function<Cell(std::uint32_t)> get, Lookup lookup = Lookup::kNone) {
  QueryColumn column;
  column.name = std::move(name);
  column.type = type;
  column.help = std::move(help);
  column.lookup = lookup;
  column.get = std::move(get);
  table.columns.push_back(std::move(column));
}

Cell named(const Tables& t, StringId id) {
  return id.valid() ? Cell::of_text(t.strings.get(id)) : Cell::null();
}

/// A column of texts by their ids.
void add_text(QueryTable& table, std::string name, std::string help, QuerySource& source,
              const PageVector<std::uint32_t> Tables::Slices::*member) {
  add(
      table, std::move(name), kText, std::move(help),
      [&source, member](std::uint32_t row) {
        const std::uint32_t id = (source.tables().slices.*member)[row];
        return id == Tables::kNone ? Cell::null() : Cell::of_text(source.tables().text(id));
      },
      Lookup::kText);
  table.columns.back().text_id = [&source, member](std::uint32_t row) { return (source.tables().slices.*member)[row]; };
}

/// tts, or tdur, of an event.
std::optional<Nanos> own_time(const Trace& trace, std::uint32_t source, std::uint64_t offset, std::string_view wanted) {
  const auto json = read_event_json(trace.sources()[source], offset);
  std::optional<Nanos> found;
  if (!json) return found;
  for_each_json_member(*json, [&](std::string_view key, std::string_view value) {
    if (key != wanted) return;
    const DecimalTime time = parse_micros(token_content(value));
    if (time.valid()) found = time.value;
  });
  return found;
}

Cell thread_time(QuerySource& source, std::uint32_t row, bool is_duration) {
  const Tables& t = source.tables();
  if (!t.has_thread_times) return Cell::null();
  const std::uint32_t file = t.source_of(row);
  const auto begin = own_time(source.trace(), file, t.slices.offset[row], "tts");
  const auto optional_cell = [](std::optional<Nanos> time) { return time ? Cell::of(*time) : Cell::null(); };
  if (!is_duration) return optional_cell(begin);
  const auto end = t.end_offsets.find(row);
  if (end == t.end_offsets.end()) return optional_cell(own_time(source.trace(), file, t.slices.offset[row], "tdur"));
  const auto ended = own_time(source.trace(), file, end->second, "tts");
  return begin && ended ? Cell::of(*ended - *begin) : Cell::null();
}

void add_slice(Maker& maker, const char* name) {
  QuerySource& source = maker.source();
  QueryTable& table =
      maker.table(name, "Everything with a start and a duration: operators, kernels, annotations; instants have dur 0",
                  [&source] { return source.tables().slices.size(); });
  table.expected_rows = source.trace().slice_count();
  const auto slices = [&source]() -> const Tables::Slices& { return source.tables().slices; };
  // As Perfetto's: read in the order of ids, which is that of time where there is one file.
  const Lookup by_time = source.trace().sources().size() == 1 ? Lookup::kSorted : Lookup::kNone;
  const auto id = [](std::uint32_t row) { return Cell::of(row); };
  add(table, "id", kInteger, "Number of the slice, in order of time", id, Lookup::kRow);
  add(
      table, "ts", kInteger, "Start in ns: the printed microseconds times 1000",
      [slices](std::uint32_t row) { return Cell::of(slices().ts[row]); }, by_time);
  add(table, "dur", kInteger, "Duration in ns; -1: it has no end",
      [slices](std::uint32_t row) { return Cell::of(slices().dur[row]); });
  add(
      table, "track_id", kInteger, "Its track: track.id",
      [slices](std::uint32_t row) { return Cell::of(slices().track[row]); }, Lookup::kIndexed);
  add_text(table, "category", "cat of the event", source, &Tables::Slices::category);
  table.pool = nullptr;
  add_text(table, "name", "Name of the event", source, &Tables::Slices::name);
  add(table, "depth", kInteger, "How many slices of its track are around it",
      [slices](std::uint32_t row) { return Cell::of(slices().depth[row]); });
  add(
      table, "parent_id", kInteger, "The slice directly around it",
      [slices](std::uint32_t row) { return Cell::of_id(slices().parent[row]); }, Lookup::kIndexed);
  add(
      table, "arg_set_id", kInteger, "Its args: args.arg_set_id",
      [slices](std::uint32_t row) { return Cell::of_id(slices().arg_set[row]); }, Lookup::kIndexed);
  add(table, "thread_ts", kInteger, "CPU time of the thread at its start (tts), ns",
      [&source](std::uint32_t row) { return thread_time(source, row, false); });
  add(table, "thread_dur", kInteger, "CPU time of the thread in it (tdur), ns",
      [&source](std::uint32_t row) { return thread_time(source, row, true); });
  const auto none = [](std::uint32_t) { return Cell::null(); };
  add(table, "thread_instruction_count", kInteger, "Always NULL: such traces do not have it", none);
  add(table, "thread_instruction_delta", kInteger, "Always NULL: such traces do not have it", none);
  add_text(table, "cat", "The same as category", source, &Tables::Slices::category);
  add(table, "slice_id", kInteger, "The same as id", id, Lookup::kRow);
}

void add_threads(Maker& maker) {
  QuerySource& source = maker.source();
  const auto row_of = [&source](std::uint32_t row) -> const Tables::Thread& { return source.tables().threads[row]; };
  QueryTable& table = maker.table("thread", "Threads, GPU streams among them (tid = stream)",
                                  [&source] { return static_cast<std::uint32_t>(source.tables().threads.size()); });
  table.expected_rows = 50;
  const auto id = [](std::uint32_t row) { return Cell::of(row); };
  const auto none = [](std::uint32_t) { return Cell::null(); };
  add(table, "id", kInteger, "The same as utid", id, Lookup::kRow);
  add(table, "utid", kInteger, "Number of the thread; 0 is the idle one, in no file", id, Lookup::kRow);
  add(table, "tid", kInteger, "tid of its events; a number of its own where that is text",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).tid); });
  add(table, "name", kText, "thread_name of the metadata",
      [&source, row_of](std::uint32_t row) { return named(source.tables(), row_of(row).name); });
  add(table, "start_ts", kInteger, "Always NULL: such traces do not have it", none);
  add(table, "end_ts", kInteger, "Always NULL: such traces do not have it", none);
  add(
      table, "upid", kInteger, "Its process: process.upid",
      [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).upid); }, Lookup::kIndexed);
  add(table, "is_main_thread", kInteger, "1: its tid is the pid",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).is_main ? 1 : 0); });
  add(table, "is_idle", kInteger, "1: the idle thread",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).is_idle ? 1 : 0); });
  add(table, "machine_id", kInteger, "Of several files: which, from 0",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).source); });
  add(table, "arg_set_id", kInteger, "Hints such as thread_sort_index_hint",
      [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).arg_set); });
}

void add_processes(Maker& maker) {
  QuerySource& source = maker.source();
  const auto row_of = [&source](std::uint32_t row) -> const Tables::Process& { return source.tables().processes[row]; };
  QueryTable& table = maker.table("process", "Processes, GPUs among them (pid = device)",
                                  [&source] { return static_cast<std::uint32_t>(source.tables().processes.size()); });
  table.expected_rows = 20;
  const auto id = [](std::uint32_t row) { return Cell::of(row); };
  const auto none = [](std::uint32_t) { return Cell::null(); };
  add(table, "id", kInteger, "The same as upid", id, Lookup::kRow);
  add(table, "upid", kInteger, "Number of the process; 0 is the idle one, in no file", id, Lookup::kRow);
  add(table, "pid", kInteger, "pid of its events; a number of its own where that is text",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).pid); });
  add(table, "name", kText, "process_name of the metadata",
      [&source, row_of](std::uint32_t row) { return named(source.tables(), row_of(row).name); });
  for (const char* name : {"start_ts", "end_ts", "parent_upid", "uid", "android_appid", "android_user_id"})
    add(table, name, kInteger, "Always NULL: such traces do not have it", none);
  add(table, "cmdline", kText, "Empty where the process has a name",
      [row_of](std::uint32_t row) { return row_of(row).has_cmdline ? Cell::of_text("") : Cell::null(); });
  add(table, "arg_set_id", kInteger, "Hints such as process_sort_index_hint",
      [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).arg_set); });
  add(table, "machine_id", kInteger, "Of several files: which, from 0",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).source); });
}

std::string_view type_name(Tables::TrackType type) {
  switch (type) {
    case Tables::TrackType::kThread:
      return "thread_execution";
    case Tables::TrackType::kThreadOverlap:
      return "thread_overlapping_slice";
    case Tables::TrackType::kAsyncProcess:
      return "legacy_async_process_slice";
    case Tables::TrackType::kAsyncGlobal:
      return "legacy_async_global_slice";
    case Tables::TrackType::kProcessInstant:
      return "chrome_process_instant";
    case Tables::TrackType::kGlobalInstant:
      return "legacy_chrome_global_instants";
    case Tables::TrackType::kProcessCounter:
      return "json_counter";
  }
  return "";
}

/// All tracks, with what is of some of them only; the tables of kinds of tracks are views.
void add_tracks(Maker& maker) {
  QuerySource& source = maker.source();
  const auto row_of = [&source](std::uint32_t row) -> const Tables::TrackRow& { return source.tables().tracks[row]; };
  QueryTable& table = maker.table("__intrinsic_track", "All tracks",
                                  [&source] { return static_cast<std::uint32_t>(source.tables().tracks.size()); });
  table.expected_rows = 60;
  const auto none = [](std::uint32_t) { return Cell::null(); };
  add(
      table, "id", kInteger, "Number of the track, in order of its first event",
      [](std::uint32_t row) { return Cell::of(row); }, Lookup::kRow);
  add(table, "name", kText, "Its name; NULL for tracks of threads",
      [&source, row_of](std::uint32_t row) { return named(source.tables(), row_of(row).name); });
  add(table, "type", kText, "What kind it is",
      [row_of](std::uint32_t row) { return Cell::of_text(type_name(row_of(row).type)); });
  add(table, "dimension_arg_set_id", kInteger, "Args that say whose it is",
      [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).dimension_set); });
  add(table, "parent_id", kInteger, "Always NULL: such traces do not have it", none);
  add(table, "source_arg_set_id", kInteger, "Args that say where it comes from",
      [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).source_set); });
  add(table, "machine_id", kInteger, "Of several files: which, from 0",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).source); });
  add(table, "track_group_id", kInteger, "Always NULL", none);
  add(
      table, "utid", kInteger, "Its thread", [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).utid); },
      Lookup::kIndexed);
  add(
      table, "upid", kInteger, "Its process", [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).upid); },
      Lookup::kIndexed);
  add(table, "event_type", kText, "slice or counter", [row_of](std::uint32_t row) {
    return Cell::of_text(row_of(row).type == Tables::TrackType::kProcessCounter ? "counter" : "slice");
  });
}

void add_flows(Maker& maker) {
  QuerySource& source = maker.source();
  const auto row_of = [&source](std::uint32_t row) -> const Tables::Flow& { return source.tables().flows[row]; };
  QueryTable& table = maker.table("flow", "Arrows between slices: from launches to kernels, for instance",
                                  [&source] { return static_cast<std::uint32_t>(source.tables().flows.size()); });
  table.expected_rows = std::max<std::uint64_t>(source.trace().links().flows().size(), 10);
  add(
      table, "id", kInteger, "Number of the arrow", [](std::uint32_t row) { return Cell::of(row); }, Lookup::kRow);
  add(
      table, "slice_out", kInteger, "The slice that it comes from: slice.id",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).slice_out); }, Lookup::kIndexed);
  add(
      table, "slice_in", kInteger, "The slice that it leads to: slice.id",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).slice_in); }, Lookup::kIndexed);
  add(table, "trace_id", kInteger, "Which flow it is part of",
      [row_of](std::uint32_t row) { return Cell::of(static_cast<std::int64_t>(row_of(row).trace_id)); });
  add(table, "arg_set_id", kInteger, "Its name and cat",
      [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).arg_set); });
}

void add_counters(Maker& maker) {
  QuerySource& source = maker.source();
  const auto row_of = [&source](std::uint32_t row) -> const Tables::CounterRow& {
    return source.tables().counters[row];
  };
  QueryTable& table = maker.table("counter", "Samples of counters",
                                  [&source] { return static_cast<std::uint32_t>(source.tables().counters.size()); });
  add(
      table, "id", kInteger, "Number of the sample", [](std::uint32_t row) { return Cell::of(row); }, Lookup::kRow);
  add(table, "ts", kInteger, "Time in ns", [row_of](std::uint32_t row) { return Cell::of(row_of(row).ts); });
  add(
      table, "track_id", kInteger, "Its track: counter_track.id",
      [row_of](std::uint32_t row) { return Cell::of(row_of(row).track); }, Lookup::kIndexed);
  add(table, "value", kReal, "The value from then on",
      [row_of](std::uint32_t row) { return Cell::of_real(row_of(row).value); });
  add(table, "arg_set_id", kInteger, "Which thread it came from",
      [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).arg_set); });
}

void add_states(Maker& maker) {
  QuerySource& source = maker.source();
  const auto row_of = [&source](std::uint32_t row) -> const Tables::ThreadState& {
    return source.tables().thread_states[row];
  };
  const auto count = [&source] { return static_cast<std::uint32_t>(source.tables().thread_states.size()); };
  const auto optional = [](const std::optional<std::int64_t>& value) {
    return value ? Cell::of(*value) : Cell::null();
  };
  QueryTable& table = maker.table("thread_state", "When threads ran or waited (events with ph T)", count);
  const auto id = [](std::uint32_t row) { return Cell::of(row); };
  add(table, "id", kInteger, "Number of the row", id, Lookup::kRow);
  add(table, "ts", kInteger, "Start in ns", [row_of](std::uint32_t row) { return Cell::of(row_of(row).ts); });
  add(table, "dur", kInteger, "Duration in ns", [row_of](std::uint32_t row) { return Cell::of(row_of(row).dur); });
  add(table, "state", kText, "What it did",
      [&source, row_of](std::uint32_t row) { return named(source.tables(), row_of(row).state); });
  add(
      table, "utid", kInteger, "Its thread", [row_of](std::uint32_t row) { return Cell::of(row_of(row).utid); },
      Lookup::kIndexed);
  add(table, "io_wait", kInteger, "1: it waited for input or output",
      [row_of, optional](std::uint32_t row) { return optional(row_of(row).io_wait); });
  add(table, "blocked_function", kText, "Where in the kernel it waited", [row_of](std::uint32_t row) {
    return row_of(row).blocked_function ? Cell::of_text(*row_of(row).blocked_function) : Cell::null();
  });
  const auto cpu = [row_of, optional](std::uint32_t row) {
    return row_of(row).is_running ? optional(row_of(row).cpu) : Cell::null();
  };
  add(table, "cpu", kInteger, "Where it ran", cpu);
  add(table, "ucpu", kInteger, "The same", cpu);
}

void add_facts(Maker& maker) {
  QuerySource& source = maker.source();
  {
    const auto row_of = [&source](std::uint32_t row) -> const Tables::Stat& { return source.tables().stats[row]; };
    QueryTable& table = maker.table("stats", "What was counted while the trace was read",
                                    [&source] { return static_cast<std::uint32_t>(source.tables().stats.size()); });
    const auto none = [](std::uint32_t) { return Cell::null(); };
    add(
        table, "id", kInteger, "Number of the row", [](std::uint32_t row) { return Cell::of(row); }, Lookup::kRow);
    add(table, "name", kText, "What is counted",
        [row_of](std::uint32_t row) { return Cell::of_text(row_of(row).name); });
    add(
        table, "key", kInteger, "The same, as a number", [](std::uint32_t row) { return Cell::of(row); }, Lookup::kRow);
    add(table, "idx", kInteger, "Always NULL", none);
    add(table, "severity", kText, "info, data_loss or error",
        [row_of](std::uint32_t row) { return Cell::of_text(row_of(row).severity); });
    add(table, "source", kText, "trace or analysis",
        [row_of](std::uint32_t row) { return Cell::of_text(row_of(row).source); });
    add(table, "value", kInteger, "How many", [row_of](std::uint32_t row) { return Cell::of(row_of(row).value); });
    add(table, "description", kText, "Always NULL", none);
    add(table, "machine_id", kInteger, "Always 0", [](std::uint32_t) { return Cell::of(0); });
    add(table, "trace_id", kInteger, "Always 0", [](std::uint32_t) { return Cell::of(0); });
  }
  {
    const auto row_of = [&source](std::uint32_t row) -> const Tables::Metadata& {
      return source.tables().metadata[row];
    };
    QueryTable& table = maker.table("metadata", "Members of \"metadata\" in the file",
                                    [&source] { return static_cast<std::uint32_t>(source.tables().metadata.size()); });
    add(
        table, "id", kInteger, "Number of the row", [](std::uint32_t row) { return Cell::of(row); }, Lookup::kRow);
    add(table, "name", kText, "json_metadata. and the key",
        [row_of](std::uint32_t row) { return Cell::of_text(row_of(row).name); });
    add(table, "key_type", kText, "single", [](std::uint32_t) { return Cell::of_text("single"); });
    add(table, "int_value", kInteger, "The value where it is a number",
        [row_of](std::uint32_t row) { return row_of(row).number ? Cell::of(*row_of(row).number) : Cell::null(); });
    add(table, "str_value", kText, "The value where it is none",
        [row_of](std::uint32_t row) { return row_of(row).number ? Cell::null() : Cell::of_text(row_of(row).text); });
    add(table, "machine_id", kInteger, "Always 0", [](std::uint32_t) { return Cell::of(0); });
    add(table, "trace_id", kInteger, "Always 0", [](std::uint32_t) { return Cell::of(0); });
  }
  {
    const auto row_of = [&source](std::uint32_t row) -> const Tables::LogRow& { return source.tables().logs[row]; };
    const auto stat_of = [&source, row_of](std::uint32_t row) -> const Tables::Stat& {
      return source.tables().stats[row_of(row).stat];
    };
    QueryTable& table = maker.table("_trace_import_logs", "Slices that cross others, one by one",
                                    [&source] { return static_cast<std::uint32_t>(source.tables().logs.size()); });
    add(
        table, "id", kInteger, "Number of the row", [](std::uint32_t row) { return Cell::of(row); }, Lookup::kRow);
    add(table, "trace_id", kInteger, "Always 0", [](std::uint32_t) { return Cell::of(0); });
    add(table, "ts", kInteger, "Time in ns", [row_of](std::uint32_t row) { return Cell::of(row_of(row).ts); });
    add(table, "byte_offset", kInteger, "Always NULL", [](std::uint32_t) { return Cell::null(); });
    add(table, "severity", kText, "info, data_loss or error",
        [stat_of](std::uint32_t row) { return Cell::of_text(stat_of(row).severity); });
    add(table, "name", kText, "What happened",
        [stat_of](std::uint32_t row) { return Cell::of_text(stat_of(row).name); });
    add(table, "arg_set_id", kInteger, "Which slices: args.arg_set_id",
        [row_of](std::uint32_t row) { return Cell::of_id(row_of(row).arg_set); });
  }
  {
    QueryTable& table = maker.table("trace_bounds", "Where the trace begins and ends", [] { return 1u; });
    table.expected_rows = 1;
    add(table, "start_ts", kInteger, "First start, in ns",
        [&source](std::uint32_t) { return Cell::of(source.tables().start); });
    add(table, "end_ts", kInteger, "Last end, in ns",
        [&source](std::uint32_t) { return Cell::of(source.tables().end); });
  }
}

}  // namespace

std::vector<std::unique_ptr<QueryTable>> perfetto_tables(QuerySource& source, const std::atomic<bool>* cancel) {
  Maker maker(source, cancel);
  add_slice(maker, "slice");
  add_slice(maker, "slices");
  add_threads(maker);
  add_processes(maker);
  add_tracks(maker);
  add_flows(maker);
  add_counters(maker);
  add_states(maker);
  add_facts(maker);
  auto made = maker.take();
  for (auto& table : made) {
    // The pool is there once the tables are.
    table->prepare = [&source, cancel, t = table.get()]() -> Result<void> {
      if (auto done = source.make_tables(cancel); !done) return done;
      t->pool = &source.tables().strings;
      return {};
    };
  }
  return made;
}

std::string_view perfetto_views() {
  return R"(
CREATE VIEW track AS SELECT id, name, type, dimension_arg_set_id, parent_id, source_arg_set_id, machine_id, track_group_id FROM __intrinsic_track;
CREATE VIEW thread_track AS SELECT id, name, type, parent_id, source_arg_set_id, machine_id, utid FROM __intrinsic_track WHERE utid IS NOT NULL AND event_type = 'slice';
CREATE VIEW process_track AS SELECT id, name, type, parent_id, source_arg_set_id, machine_id, upid FROM __intrinsic_track WHERE upid IS NOT NULL AND event_type = 'slice';
CREATE VIEW counter_track AS SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id, NULL AS unit, extract_arg(source_arg_set_id, 'description') AS description FROM __intrinsic_track WHERE event_type = 'counter';
CREATE VIEW process_counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, machine_id, NULL AS unit, extract_arg(source_arg_set_id, 'description') AS description, upid FROM __intrinsic_track WHERE upid IS NOT NULL AND event_type = 'counter';
CREATE VIEW thread_counter_track AS SELECT id, name, type, parent_id, source_arg_set_id, machine_id, NULL AS unit, extract_arg(source_arg_set_id, 'description') AS description, utid FROM __intrinsic_track WHERE utid IS NOT NULL AND event_type = 'counter';
CREATE VIEW counters AS SELECT v.*, t.name, t.unit FROM counter AS v JOIN counter_track AS t ON v.track_id = t.id ORDER BY ts;
CREATE VIEW instant AS SELECT ts, track_id, name, arg_set_id FROM slice WHERE dur = 0;
CREATE VIEW sched AS SELECT id, ts, dur, ucpu AS cpu, utid, NULL AS end_state, NULL AS priority, ucpu, ts + dur AS ts_end FROM thread_state WHERE cpu IS NOT NULL;
CREATE VIEW sched_slice AS SELECT * FROM sched;
CREATE VIEW cpu AS SELECT DISTINCT cpu AS id, cpu AS ucpu, cpu, 0 AS machine_id FROM thread_state WHERE cpu IS NOT NULL;
CREATE VIEW thread_slice AS SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, tt.name AS track_name, t.name AS thread_name, t.utid, t.tid, t.is_main_thread, p.name AS process_name, p.upid, p.pid, s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur FROM thread_track AS tt CROSS JOIN thread AS t ON t.utid = tt.utid LEFT JOIN process AS p ON p.upid = t.upid CROSS JOIN slice AS s ON s.track_id = tt.id;
CREATE VIEW process_slice AS SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, pt.name AS track_name, p.name AS process_name, p.upid, p.pid, s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur FROM process_track AS pt CROSS JOIN process AS p ON p.upid = pt.upid CROSS JOIN slice AS s ON s.track_id = pt.id;
CREATE VIEW thread_or_process_slice AS SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, tt.name AS track_name, t.name AS thread_name, t.utid, t.tid, p.name AS process_name, p.upid, p.pid, s.depth, s.parent_id, s.arg_set_id FROM thread_track AS tt CROSS JOIN thread AS t ON t.utid = tt.utid LEFT JOIN process AS p ON p.upid = t.upid CROSS JOIN slice AS s ON s.track_id = tt.id UNION ALL SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, pt.name AS track_name, NULL, NULL, NULL, p.name AS process_name, p.upid, p.pid, s.depth, s.parent_id, s.arg_set_id FROM process_track AS pt CROSS JOIN process AS p ON p.upid = pt.upid CROSS JOIN slice AS s ON s.track_id = pt.id;
)";
}

}  // namespace lacuna
