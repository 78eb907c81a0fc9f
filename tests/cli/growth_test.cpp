// Twice the input, at most two and a half times the cost: each command over inputs that grow eightfold in one
// dimension (growth_check.h says how that is measured).

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "app/cli/calls.h"
#include "app/cli/causes.h"
#include "app/cli/critical_path.h"
#include "app/cli/diff.h"
#include "app/cli/gaps.h"
#include "app/cli/group_stats.h"
#include "app/cli/info.h"
#include "app/cli/kernel.h"
#include "app/cli/memory.h"
#include "app/cli/report.h"
#include "app/cli/stats.h"
#include "app/cli/torch_stats.h"
#include "app/cli/what_if.h"
#include "model/import/importer.h"
#include "model/job/rank_extract.h"
#include "model/query/exported_tables.h"
#include "model/query/query_database.h"
#include "model/search/slice_search.h"
#include "tests/cli/command_growth.h"
#include "tests/support/counted_memory.h"
#include "tests/support/growth_inputs.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

struct AskedCommand {
  const char* name;
  std::function<void(const Result<Trace>&, Output&)> run;
};

CallsOptions calls_options(std::string by, bool bottom_up = false, bool folded = false, bool json = false) {
  CallsOptions options;
  options.by = std::move(by);
  options.bottom_up = bottom_up;
  options.folded = folded;
  options.json = json;
  options.with_python = true;
  options.min_percent = 0;
  return options;
}

void ask(const Trace& trace, std::string_view sql, Output& out) {
  QuerySource source(trace);
  const auto database = QueryDatabase::open(source);
  REQUIRE(database.has_value());
  const auto done = (*database)->run(
      sql, {}, [](std::span<const std::string>) {},
      [&](std::span<const Cell> row) {
        for (const Cell& cell : row) out.write(std::string(cell.text) + "|");
        return true;
      });
  REQUIRE_MESSAGE(done.has_value(), done.error().cause);
}

AskedCommand query_command(const char* name, const char* sql) {
  return {name, [sql](const Result<Trace>& trace, Output& out) { ask(*trace, sql, out); }};
}
AskedCommand calls_command(const char* name, const CallsOptions& options) {
  return {name, [options](const Result<Trace>& trace, Output& out) { (void)print_calls(*trace, options, out); }};
}
AskedCommand causes_command(const char* name, const CausesOptions& options, bool json = false) {
  return {name, [options, json](const Result<Trace>& trace, Output& out) {
            (void)print_causes(*trace, {.json = json}, options, out);
          }};
}
AskedCommand groups_command(const char* name, std::string by) {
  return {name, [by](const Result<Trace>& trace, Output& out) {
            GroupStatsOptions options;
            options.group_by = by;
            options.is_used = true;
            (void)print_group_stats(*trace, options, "total", StatsFormat::kJson, 0, 120, out);
          }};
}
AskedCommand memory_command(const char* name, std::string by, bool json, bool folded = false) {
  return {name, [=](const Result<Trace>& trace, Output& out) {
            MemoryCommand command;
            command.by = by;
            command.json = json;
            command.folded = folded;
            (void)print_trace_memory(trace, command, out);
          }};
}

const std::vector<AskedCommand>& asked_commands() {
  static const std::vector<AskedCommand> commands{
      {"info", [](const Result<Trace>& trace, Output& out) { print_info(*trace, {}, out); }},
      {"info --json", [](const Result<Trace>& trace, Output& out) { print_info_json(*trace, out); }},
      {"stats", [](const Result<Trace>& trace, Output& out) { print_stats(*trace, {}, out); }},
      groups_command("stats --group-by shape", "shape"),
      groups_command("stats --group-by module", "module"),
      groups_command("stats --group-by step", "step"),
      groups_command("stats --group-by stack", "stack"),
      groups_command("stats --group-by stream", "stream"),
      groups_command("stats --group-by family", "family"),
      {"stats --table torch", [](const Result<Trace>& trace,
                                 Output& out) { (void)print_torch_stats(*trace, {}, "", StatsFormat::kJson, out); }},
      {"stats --table torch --group-by-stack",
       [](const Result<Trace>& trace, Output& out) {
         TorchStatsOptions options;
         options.grouping.group_by_stack_n = 5;
         options.grouping.group_by_input_shape = true;
         options.grouping.covered = true;
         (void)print_torch_stats(*trace, options, "", StatsFormat::kText, out);
       }},
      {"gaps", [](const Result<Trace>& trace, Output& out) { (void)print_gaps(*trace, {}, out); }},
      {"gaps --json", [](const Result<Trace>& trace, Output& out) { (void)print_gaps(*trace, {.json = true}, out); }},
      causes_command("gaps --causes", {.by_cause = true}),
      causes_command("gaps --causes --json", {.by_cause = true}, true),
      causes_command("gaps --by-operator", {.by_operator = true}),
      causes_command("gaps --dead-windows", {.dead_windows = true}),
      causes_command("gaps --launches", {.launches = true}),
      causes_command("gaps --causes --whole", {.by_cause = true, .whole = true}),
      calls_command("calls", calls_options("cpu")),
      calls_command("calls --bottom-up", calls_options("cpu", true)),
      calls_command("calls --json", calls_options("cpu", false, false, true)),
      calls_command("calls --folded", calls_options("cpu", false, true)),
      calls_command("calls --by gpu", calls_options("gpu")),
      calls_command("calls --by idle --json", calls_options("idle", false, false, true)),
      {"critical-path", [](const Result<Trace>& trace, Output& out) { (void)print_critical_path(*trace, {}, out); }},
      {"critical-path --json",
       [](const Result<Trace>& trace, Output& out) {
         CriticalPathOptions options;
         options.json = true;
         (void)print_critical_path(*trace, options, out);
       }},
      {"what-if", [](const Result<Trace>& trace, Output& out) { (void)print_what_if(*trace, {}, out); }},
      {"what-if --graph --fuse",
       [](const Result<Trace>& trace, Output& out) {
         WhatIfOptions options;
         options.graphs = {"all"};
         options.fusions = {"gemm"};
         (void)print_what_if(*trace, options, out);
       }},
      {"report", [](const Result<Trace>& trace, Output& out) { (void)print_reports(*trace, {}, out); }},
      {"report --json",
       [](const Result<Trace>& trace, Output& out) {
         ReportCommand command;
         command.json = true;
         (void)print_reports(*trace, command, out);
       }},
      {"report --html",
       [](const Result<Trace>& trace, Output& out) {
         ReportCommand command;
         command.html = true;
         (void)print_reports(*trace, command, out);
       }},
      {"diff", [](const Result<Trace>& trace, Output& out) { print_diff(*trace, *trace, {}, out); }},
      {"diff --json",
       [](const Result<Trace>& trace, Output& out) {
         DiffCommand command;
         command.json = true;
         print_diff(*trace, *trace, command, out);
       }},
      memory_command("memory", "frame", false),
      memory_command("memory --by stack --json", "stack", true),
      memory_command("memory --by module", "module", false),
      memory_command("memory --folded", "frame", false, true),
      {"kernel",
       [](const Result<Trace>& trace, Output& out) {
         std::vector<std::string> names;
         for (std::uint32_t id = 0; id < trace->strings().size(); ++id) names.emplace_back(trace->text(StringId{id}));
         print_kernels(names, true, out);
       }},
      query_command("query of slices", "SELECT * FROM slice"),
      query_command("query by name", "SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name ORDER BY 2"),
      query_command("query of args",
                    "SELECT s.name, a.key, a.display_value FROM slice s JOIN args a USING (arg_set_id)"),
      query_command("query of tracks",
                    "SELECT t.name, th.tid, COUNT(*) FROM slice s JOIN thread_track t ON s.track_id = t.id JOIN thread "
                    "th USING (utid) GROUP BY t.id"),
      query_command("query of launches", "SELECT l.*, s.name FROM launch l JOIN slice s ON s.id = l.gpu_id"),
      query_command("query of flows",
                    "SELECT a.name, b.name FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = "
                    "f.slice_in"),
      query_command("query of flows on", "SELECT * FROM directly_connected_flow((SELECT MIN(slice_out) FROM flow))"),
      query_command("query of ancestors", "SELECT COUNT(*) FROM ancestor_slice((SELECT MAX(id) FROM slice))"),
      query_command("query of descendants", "SELECT COUNT(*) FROM descendant_slice((SELECT MIN(id) FROM slice))"),
      query_command("query of gaps and steps",
                    "SELECT (SELECT COUNT(*) FROM gap), (SELECT COUNT(*) FROM step), (SELECT COUNT(*) FROM operator), "
                    "(SELECT COUNT(*) FROM gpu_kernel), (SELECT SUM(value) FROM counter)"),
      query_command("query by regular expression",
                    "SELECT COUNT(*) FROM slice WHERE regexp('(a|aa)+$', name) OR regexp('(.*)(.*)(.*)x', name)"),
      query_command(
          "query with GLOB, LIKE and replace",
          "SELECT SUM(name GLOB '*a*b*' OR name LIKE '%a%b%'), MAX(LENGTH(REPLACE(name, 'a', 'bb'))) FROM slice"),
      {"export",
       [](const Result<Trace>& trace, Output& out) {
         QuerySource source(*trace);
         ExportedTables tables(source);
         for (const ExportedTable& table : ExportedTables::list())
           REQUIRE(tables
                       .write(table.name, ArrowTableWriter::Format::kStream,
                              [&](std::string_view bytes) {
                                out.write(bytes);
                                return true;
                              })
                       .has_value());
       }},
      {"digest", [](const Result<Trace>& trace, Output&) { (void)extract_ranks(*trace); }},
      {"search",
       [](const Result<Trace>& trace, Output& out) {
         const NameSearch names(trace->strings());
         const SearchQuery query = parse_query("mm arg:key1 track:worker");
         out.write(std::to_string(find_matches(*trace, make_filter(*trace, names, query)).order.size()));
       }},
  };
  return commands;
}

/// In this text every argument stands for itself: both ways of reading it, of which the second is for damaged files.
void open_text(const std::string& text, bool tolerant) {
  ImportOptions options;
  options.threads = 2;
  options.tolerant_only = tolerant;
  REQUIRE(import_json(text, "grown.json", options).has_value());
}

}  // namespace

TEST_CASE("twice the input costs at most two and a half times as much, for every command and dimension") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const GrowingInput& input : growing_inputs()) {
    const std::string texts[] = {input.json(input.count), input.json(input.count * kGrowth)};
    for (const bool tolerant : {false, true})
      check_command(fmt::format("{}: opening{}", input.dimension, tolerant ? ", tolerantly" : ""),
                    [&](bool is_large, Output&) { open_text(texts[is_large ? 1 : 0], tolerant); });
    const Result<Trace> traces[] = {import_json(texts[0]), import_json(texts[1])};
    REQUIRE(traces[1].has_value());
    for (const AskedCommand& command : asked_commands())
      check_command(fmt::format("{}: {}", input.dimension, command.name),
                    [&](bool is_large, Output& out) { command.run(traces[is_large ? 1 : 0], out); });
  }
}

namespace {

void check_commands(const char* extreme, const GrowingInput& input) {
  const Result<Trace> traces[] = {import_json(input.json(input.count)), import_json(input.json(input.count * kGrowth))};
  REQUIRE(traces[1].has_value());
  for (const AskedCommand& command : asked_commands())
    check_command(fmt::format("{} {}: {}", extreme, input.dimension, command.name),
                  [&](bool is_large, Output& out) { command.run(traces[is_large ? 1 : 0], out); });
}

}  // namespace

TEST_CASE("what lies deep is found at once, however deep it is") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const GrowingInput& input : deep_inputs()) check_commands("deep", input);
}

TEST_CASE("hundreds of GPUs and thousands of streams cost each as much as a few") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const GrowingInput& input : wide_inputs()) check_commands("wide", input);
}
