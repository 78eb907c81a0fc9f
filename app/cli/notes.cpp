// Notes on a trace, as the window keeps them: listed, added, handed on.

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/group_stats.h"
#include "app/cli/json_writer.h"
#include "app/cli/table_writers.h"
#include "app/finding/finding_view.h"
#include "app/finding/markers.h"
#include "app/finding/side_car_folder.h"
#include "app/finding/trace_identity.h"
#include "model/input/archive.h"
#include "model/steps/measured_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

struct NotesOptions {
  std::string import_path, export_path, added;
  GroupStatsOptions range;
  bool json = false;
  bool csv = false;
  std::size_t width = 120;

  void add_to(CLI::App& app) {
    app.add_option("--add", added, "Add this text, on the range")->type_name("TEXT");
    app.add_option("--import", import_path, "Add the notes of this file")->type_name("FILE");
    app.add_option("--export", export_path, "Write all notes to this file")->type_name("FILE");
    range.add_range_to(app);
    CLI::Option* as_csv = app.add_flag("--csv", csv, "Write CSV, with the same columns as JSON");
    add_json_flag(app, json);
    as_csv->excludes(app.get_option("--json"));
  }
};

void list_notes(const Trace& trace, const std::vector<Note>& notes, const NotesOptions& options, Output& out) {
  TableOf<Note> table(notes);
  const Nanos zero = trace.span().begin;
  table.number(
      {"At", "startNs"}, [](const Note& n) { return n.span.begin; },
      [zero](const Note& n) { return format_duration(saturating_sub(n.span.begin, zero)); });
  table.value("endNs", [](const Note& n) { return n.span.end; });
  table.duration({"Long"}, [](const Note& n) { return n.span.duration(); });
  table.text({"On", "on"}, note_kind);
  table.name({"Slice", "name"}, [](const Note& n) { return n.name; });
  table.name({"Note", "note"}, [](const Note& n) { return n.text; });
  if (options.csv) return write_csv(table, out);
  if (options.json) {
    JsonWriter json(out);
    write_json_rows(table, "notes", json, out);
    json.finish();
    return;
  }
  if (notes.empty()) return out.write("no notes on this trace\n");
  print_hidden(print_table(table, options.width, out), out);
}

Result<void> print_notes(const Trace& trace, const NotesOptions& options, Output& out) {
  const SideCarFolder folder(side_car_folder());
  const std::string identity = trace_identity(trace.sources());
  const bool may_change = !options.import_path.empty() || !options.added.empty();
  constexpr int kMostWaitMs = 60'000;
  const Descriptor lock = may_change ? folder.lock(kMostWaitMs) : Descriptor();
  std::string side_car = folder.load(identity);
  // Of a finding nobody has changed here, what came with it.
  if (side_car.empty() && !trace.sources().empty())
    side_car = read_finding_view(file_on_disk(trace.sources().front().path));
  Markers markers;
  if (const auto kept = parse_notes(side_car)) markers.take_over(kept->notes);
  const std::uint64_t before = markers.version();
  std::size_t passed_over = 0;
  if (!options.import_path.empty()) {
    const auto read = read_notes(options.import_path);
    if (!read) return tl::make_unexpected(read.error());
    passed_over = read->passed_over;
    markers.take_over(read->notes);
  }
  if (!options.added.empty()) {
    const Result<TimeSpan> range = chosen_range(trace, options.range, find_step_windows);
    if (!range) return tl::make_unexpected(range.error());
    const TimeSpan span = range->intersect(trace.span());
    if (span.end < span.begin) return fail(ErrorCode::kInvalidArgument, "the range is outside the trace");
    markers.take_over({{span, options.added}});
  }
  if (markers.version() != before) {
    if (!folder.is_on() || identity.empty())
      return fail(ErrorCode::kNotWritable,
                  "there is no folder to keep notes in: neither HOME nor XDG_STATE_HOME is set");
    if (Result<void> kept = folder.save(identity, with_notes(side_car, markers.notes())); !kept) return kept;
  }
  if (!options.export_path.empty()) {
    std::vector<std::string> inputs;
    for (const TraceSource& source : trace.sources()) inputs.push_back(source.path);
    const std::vector<Note> notes = markers.notes();
    if (holds_no_notes(options.export_path))
      return fail(ErrorCode::kNotWritable, "it exists and holds no notes, so it is not replaced", options.export_path);
    if (Result<void> written =
            write_answer(options.export_path, inputs, [&](Output& to) { to.write(format_notes(notes)); });
        !written)
      return written;
  }
  list_notes(trace, markers.notes(), options, out);
  if (passed_over > 0 && !options.json && !options.csv)
    out.write(fmt::format("{} entries of {} are no notes, and were passed over\n", format_count(passed_over),
                          printable(options.import_path)));
  return {};
}

constexpr const char* kNotesHelp =
    R"help(Texts on ranges, slices and gaps, made in the window (Shift+M, page Markers) or here with --add. They are kept apart
from the trace and come back whenever it is opened; a window that is open on it takes over what changes here.
--export writes a file of JSON, as File > Export all notes does, that --import and File > Import notes take; a note on a
place that has one already adds its text. lacuna bundle puts notes into a finding.
JSON keys of --json: notes, of each startNs, endNs, on (slice, gap, range, moment), name (of the slice), note.)help";

}  // namespace

Command notes_command(CommandContext& context) {
  return trace_command(context, "notes", "Notes on a trace: list, add, export, import", kNotesHelp, print_notes);
}

}  // namespace lacuna
