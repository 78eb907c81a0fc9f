#include "model/query/exported_tables.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "model/base/cancel.h"
#include "model/export/own_trace.h"
#include "model/query/argument_rows.h"
#include "model/query/arguments_module.h"
#include "model/query/own_tables.h"
#include "model/query/perfetto_schema.h"

namespace lacuna {
namespace {

using Format = ArrowTableWriter::Format;

constexpr std::array<ExportedTable, 14> kExported{{
    {"slices", "slice", "Everything with a start and a duration, with its thread and process"},
    {"gaps", "gap", "Idle intervals of GPU streams, with their causes"},
    {"launches", "launch", "Runtime calls and the GPU work that they launched"},
    {"kernels", "gpu_kernel", "Kernels, copies and sets, with what their args say"},
    {"operators", "operator", "Calls of operators, with the GPU work that they launched"},
    {"steps", "step", "Steps of the program"},
    {"roofline", "roofline", "Operators by shape, with FLOP, bytes and what bounds them"},
    {"streams", "stream", "Streams of GPUs: how busy each was"},
    {"counters", "counter", "Samples of counters, with their names"},
    {"flows", "flow", "Arrows between slices"},
    {"tracks", "__intrinsic_track", "All tracks"},
    {"threads", "thread", "All threads"},
    {"processes", "process", "All processes"},
    {"args", "args", "Args of events, a row for each value"},
}};

/// A column as it is written: the table's own, or one from what its rows belong to.
struct WrittenColumn {
  ArrowField field;
  std::function<Cell(std::uint32_t row)> get;
};

ArrowKind kind_of(const QueryColumn& column) {
  return column.type == "TEXT" ? ArrowKind::kText : column.type == "REAL" ? ArrowKind::kReal : ArrowKind::kInteger;
}

ArrowField field_of(const QueryColumn& column) {
  return {column.name, kind_of(column), std::string(unit_of_column(column.name)), column.help};
}

void write_cell(ArrowTableWriter& writer, const Cell& cell, ArrowKind kind) {
  if (cell.kind == Cell::Kind::kNull) return writer.null();
  if (kind == ArrowKind::kText) {
    if (cell.kind == Cell::Kind::kText) return writer.text(cell.text);
    return writer.text(cell_text(cell));
  }
  if (cell.kind == Cell::Kind::kInteger) return writer.integer(cell.integer);
  if (cell.kind == Cell::Kind::kReal && kind == ArrowKind::kReal) return writer.real(cell.real);
  writer.null();  // a text where numbers stand: a stream that has a name instead
}

/// Columns that say nothing of these traces, or the same again.
bool is_left_out(std::string_view table, std::string_view column) {
  constexpr std::array<std::string_view, 4> kOfSlices{"cat", "slice_id", "thread_instruction_count",
                                                      "thread_instruction_delta"};
  return table == "slice" && std::ranges::find(kOfSlices, column) != kOfSlices.end();
}

/// The thread and process of a slice or sample by its track, as views of SQL join them.
void add_owner(std::vector<WrittenColumn>& columns, const TraceTables& t,
               const std::function<std::uint32_t(std::uint32_t)>& track_of, bool with_thread) {
  const auto thread_of = [&t, track_of](std::uint32_t row) -> const TraceTables::Thread* {
    const std::uint32_t utid = t.tracks[track_of(row)].utid;
    return utid == TraceTables::kNone ? nullptr : &t.threads[utid];
  };
  const auto process_of = [&t, track_of, thread_of](std::uint32_t row) -> const TraceTables::Process* {
    const auto* thread = thread_of(row);
    const std::uint32_t upid = thread != nullptr ? thread->upid : t.tracks[track_of(row)].upid;
    return upid == TraceTables::kNone ? nullptr : &t.processes[upid];
  };
  const auto named = [&t](StringId id) { return id.valid() ? Cell::of_text(t.strings.get(id)) : Cell::null(); };
  if (with_thread) {
    columns.push_back(
        {{"tid", ArrowKind::kInteger, "", "Its thread: of GPU work the stream"}, [thread_of](std::uint32_t row) {
           const auto* thread = thread_of(row);
           return thread == nullptr ? Cell::null() : Cell::of(thread->tid);
         }});
    columns.push_back(
        {{"thread_name", ArrowKind::kText, "", "Name of its thread"}, [thread_of, named](std::uint32_t row) {
           const auto* thread = thread_of(row);
           return thread == nullptr ? Cell::null() : named(thread->name);
         }});
  }
  columns.push_back(
      {{"pid", ArrowKind::kInteger, "", "Its process: of GPU work the device"}, [process_of](std::uint32_t row) {
         const auto* process = process_of(row);
         return process == nullptr ? Cell::null() : Cell::of(process->pid);
       }});
  columns.push_back(
      {{"process_name", ArrowKind::kText, "", "Name of its process"}, [process_of, named](std::uint32_t row) {
         const auto* process = process_of(row);
         return process == nullptr ? Cell::null() : named(process->name);
       }});
}

std::vector<WrittenColumn> columns_of(const QueryTable& table, const TraceTables& t) {
  std::vector<WrittenColumn> columns;
  for (const QueryColumn& column : table.columns)
    if (!column.is_hidden && !is_left_out(table.name, column.name)) columns.push_back({field_of(column), column.get});
  if (table.name == "slice")
    add_owner(
        columns, t, [&t](std::uint32_t row) { return t.slices.track[row]; }, true);
  if (table.name == "counter") {
    const auto track = [&t](std::uint32_t row) { return t.counters[row].track; };
    columns.push_back({{"name", ArrowKind::kText, "", "Name of the counter"}, [&t, track](std::uint32_t row) {
                         const StringId name = t.tracks[track(row)].name;
                         return name.valid() ? Cell::of_text(t.strings.get(name)) : Cell::null();
                       }});
    add_owner(columns, t, track, false);
  }
  return columns;
}

}  // namespace

ExportedTables::ExportedTables(QuerySource& source, const std::atomic<bool>* cancel)
    : source_(source), cancel_(cancel) {
  for (auto* made : {&perfetto_tables, &own_tables})
    for (auto& table : made(source, cancel)) tables_.push_back(std::move(table));
}

ExportedTables::~ExportedTables() = default;

std::span<const ExportedTable> ExportedTables::list() {
  return kExported;
}

bool ExportedTables::has(std::string_view name) {
  return std::ranges::find(kExported, name, &ExportedTable::name) != kExported.end();
}

ArrowTableWriter::Facts ExportedTables::facts_of(std::string_view name) const {
  ArrowTableWriter::Facts facts{{std::string(kTableKey), std::string(name)}, {"lacuna.version", LACUNA_VERSION}};
  const auto sources = source_.trace().sources();
  for (const TraceSource& source : sources) facts.emplace_back("lacuna.trace", source.path);
  if (sources.size() == 1 && sources.front().has_base_time)
    facts.emplace_back("lacuna.base_time_ns", std::to_string(sources.front().base_time_ns));
  return facts;
}

Result<std::uint64_t> ExportedTables::write(std::string_view name, Format format, ArrowTableWriter::Sink sink) {
  const auto exported = std::ranges::find(kExported, name, &ExportedTable::name);
  if (exported == kExported.end())
    return fail(ErrorCode::kInvalidArgument, "there is no table " + std::string(name) + " to export");
  if (auto made = source_.make_tables(cancel_); !made) return tl::make_unexpected(made.error());
  if (exported->table == "args") return write_arguments(format, std::move(sink));
  const auto found = std::ranges::find(tables_, exported->table, [](const auto& table) { return table->name; });
  QueryTable& table = **found;
  if (auto ready = table.make_ready(); !ready) return tl::make_unexpected(ready.error());
  const std::vector<WrittenColumn> columns = columns_of(table, source_.tables());
  std::vector<ArrowField> fields;
  for (const WrittenColumn& column : columns) fields.push_back(column.field);
  auto started = ArrowTableWriter::start(fields, format, facts_of(name), std::move(sink));
  if (!started) return tl::make_unexpected(started.error());
  ArrowTableWriter& writer = **started;
  CancelCheck is_over(cancel_);
  const std::uint32_t rows = table.rows();
  for (std::uint32_t row = 0; row < rows && writer.ok(); ++row) {
    if (is_over()) return fail(ErrorCode::kCancelled, "cancelled");
    for (const WrittenColumn& column : columns) write_cell(writer, column.get(row), column.field.kind);
    writer.end_row();
  }
  if (auto done = writer.finish(); !done) return tl::make_unexpected(done.error());
  return writer.rows();
}

/// Sets are read from the file one after the other, and kept by nobody.
Result<std::uint64_t> ExportedTables::write_arguments(Format format, ArrowTableWriter::Sink sink) {
  std::vector<ArrowField> fields;
  for (const QueryColumn& column : arguments_schema().columns) fields.push_back(field_of(column));
  auto started = ArrowTableWriter::start(fields, format, facts_of("args"), std::move(sink));
  if (!started) return tl::make_unexpected(started.error());
  ArrowTableWriter& writer = **started;
  const auto sets = static_cast<std::uint32_t>(source_.tables().arg_sets.size());
  ArgumentRows rows(source_);
  for (std::uint32_t set = 0; set < sets && writer.ok(); ++set) {
    if (is_cancelled(cancel_)) return fail(ErrorCode::kCancelled, "cancelled");
    rows.read(set);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const JsonScalar value = rows.value(row);
      const bool is_text = value.kind == JsonScalar::Kind::kText, is_real = value.kind == JsonScalar::Kind::kReal;
      writer.integer(rows.id(row));
      writer.integer(set);
      writer.text(rows.flat_key(row));
      writer.text(rows.key(row));
      is_text || is_real ? writer.null() : writer.integer(value.number);
      is_text ? writer.text(value.text) : writer.null();
      is_real ? writer.real(value.real) : writer.null();
      writer.text(type_name_of(value));
      writer.text(display_of(value));
      writer.end_row();
    }
  }
  if (auto done = writer.finish(); !done) return tl::make_unexpected(done.error());
  return writer.rows();
}

Result<void> write_query_rows(const QueryRows& rows, Format format, ArrowTableWriter::Sink sink) {
  std::vector<ArrowField> fields;
  for (std::size_t i = 0; i < rows.names().size(); ++i) {
    const Cell::Kind kind = rows.kind(i);
    const ArrowKind written = kind == Cell::Kind::kInteger ? ArrowKind::kInteger
                              : kind == Cell::Kind::kReal  ? ArrowKind::kReal
                              : kind == Cell::Kind::kNull  ? ArrowKind::kNull
                                                           : ArrowKind::kText;
    fields.push_back({rows.names()[i], written, std::string(unit_of_column(rows.names()[i])), ""});
  }
  auto started = ArrowTableWriter::start(fields, format, {{"lacuna.version", LACUNA_VERSION}}, std::move(sink));
  if (!started) return tl::make_unexpected(started.error());
  ArrowTableWriter& writer = **started;
  for (std::size_t row = 0; row < rows.size() && writer.ok(); ++row) {
    for (std::size_t i = 0; i < fields.size(); ++i) write_cell(writer, rows.cell(row, i), fields[i].kind);
    writer.end_row();
  }
  return writer.finish();
}

std::string_view unit_of_column(std::string_view name) {
  constexpr std::array<std::string_view, 9> kTimes{"ts",       "dur",  "delay", "before_issue", "in_queue",
                                                   "start_ts", "busy", "idle",  "end_ts"};
  const bool is_time =
      std::ranges::find(kTimes, name) != kTimes.end() || name.ends_with("_dur") || name.ends_with("_ts");
  if (is_time) return "ns";
  return name == "bytes" ? "B" : name == "occupancy" ? "%" : "";
}

}  // namespace lacuna
