#include "app/cli/export_tables.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/base/standard_error.h"
#include "model/export/replace_file.h"
#include "model/import/trace_files.h"
#include "model/query/exported_tables.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

struct WrittenTable {
  std::string path;
  std::string_view table;
  std::optional<std::int64_t> rank;
  std::uint64_t rows = 0;
};

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error))
    return fail(ErrorCode::kNotWritable, "the folder cannot be created" + (error ? ": " + error.message() : ""),
                folder.string());
  return {};
}

Result<void> write_tables(const Trace& trace, const fs::path& folder, std::optional<std::int64_t> rank,
                          const ExportCommand& command, std::vector<WrittenTable>& written) {
  if (auto made = make_folder(folder); !made) return made;
  QuerySource source(trace);
  ExportedTables tables(source);
  for (const ExportedTable& table : ExportedTables::list()) {
    if (!command.tables.empty() && std::ranges::find(command.tables, table.name) == command.tables.end()) continue;
    const std::string path = (folder / fmt::format("{}.arrow", table.name)).string();
    std::uint64_t rows = 0;
    const auto write = [&](OutputFile& file) -> Result<void> {
      const auto done = tables.write(table.name, ArrowTableWriter::Format::kFile, [&file](std::string_view bytes) {
        file.write(bytes);
        return file.ok();
      });
      // The file itself says why it cannot be written.
      if (!done && (done.error().code != ErrorCode::kNotWritable || file.ok()))
        return tl::make_unexpected(done.error());
      rows = done.value_or(0);
      return {};
    };
    if (auto done = replace_file(path, command.force ? Existing::kReplace : Existing::kReplaceOurs, write); !done) {
      if (done.error().code == ErrorCode::kInvalidArgument) done.error().cause += " (--force replaces it)";
      return done;
    }
    written.push_back({path, table.name, rank, rows});
  }
  return {};
}

/// The number of a trace's folder: its rank, else its place among the files.
std::int64_t folder_number(const Trace& trace, std::size_t place, std::set<std::int64_t>& taken) {
  const auto sources = trace.sources();
  std::int64_t number = sources.size() == 1 ? sources.front().rank.value_or(-1) : -1;
  if (number < 0 || taken.contains(number)) {
    number = static_cast<std::int64_t>(place);
    while (taken.contains(number)) ++number;
    to_standard_error(fmt::format("lacuna: {}: {}: its tables are in rank={}\n", printable(sources.front().path),
                                  sources.front().rank ? "another trace has its rank" : "it does not say its rank",
                                  number));
  }
  taken.insert(number);
  return number;
}

}  // namespace

void ExportCommand::add_to(CLI::App& command) {
  command.add_option("--arrow", folder, "Folder for the tables, as files of Arrow's IPC format")
      ->required()
      ->type_name("DIR");
  command.add_option("--tables", tables, "Only these, separated by commas: see below")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES")
      ->check([](const std::string& name) {
        return ExportedTables::has(name) ? std::string{} : fmt::format("there is no table '{}'", name);
      });
  command.add_flag("--force", force, "Replace files that lacuna did not write, too");
  command.add_flag("--json", json, "Write JSON to standard output");
}

std::string_view export_help() {
  static const std::string text = [] {
    std::string help =
        "Tables, each a file NAME.arrow; columns and values are those of lacuna query --schema, times are int64 ns,\n"
        "and the metadata of a column say its unit and meaning:\n";
    for (const ExportedTable& table : ExportedTables::list())
      help += fmt::format("  {:<10} {}\n", table.name, table.help);
    return help +
           R"(Of several traces each is read alone, with its own times and ids, and has a folder rank=N: pyarrow.dataset and
polars.scan_ipc make a column of it. lacuna.base_time_ns in a file's metadata brings their times onto one axis.
Ranks in one file stay together: tracks.machine_id tells them apart.
Parquet: python -m lacuna export --parquet DIR TRACE.

JSON: {"files": [{"path", "table", "rank" or null, "rows"}]}
)";
  }();
  return text;
}

Result<void> run_export(const std::vector<std::string>& paths, const ImportOptions& import,
                        const ExportCommand& command, Output& out) {
  const auto files = find_trace_files(paths);
  if (!files) return tl::make_unexpected(files.error());
  std::vector<WrittenTable> written;
  std::set<std::int64_t> taken;
  const bool are_several = files->size() > 1;
  for (std::size_t i = 0; i < files->size(); ++i) {
    const TraceFile& file = (*files)[i];
    const Result<Trace> trace = load_traces({file.path}, import);
    if (!trace) {
      if (!file.was_found || trace.error().code != ErrorCode::kNotATrace) return tl::make_unexpected(trace.error());
      print_error(trace.error(), stderr);
      continue;
    }
    print_warnings(*trace, stderr);
    fs::path folder = command.folder;
    std::optional<std::int64_t> rank;
    if (are_several) {
      rank = folder_number(*trace, i, taken);
      folder /= fmt::format("rank={}", *rank);
    }
    if (auto done = write_tables(*trace, folder, rank, command, written); !done) return done;
  }
  TableOf<WrittenTable> table(written);
  table.name({"File", "path"}, &WrittenTable::path);
  table.value("table", &WrittenTable::table);
  table.value("rank", &WrittenTable::rank);
  table.count({"Rows", "rows"}, &WrittenTable::rows);
  table.shown = {"Rows", "File"};
  if (command.json) {
    JsonWriter json(out);
    write_json_rows(table, "files", json, out);
    json.finish();
    return {};
  }
  print_table(table, 120, out);
  return {};
}

Command export_command(CommandContext& context) {
  const auto run = [&context](const ExportCommand& command) {
    return answer([&](Output& out) { return run_export(context.load.paths, context.load.import, command, out); });
  };
  return make_command("export", "Tables of a trace for pandas, Polars, DuckDB: Arrow files", std::string(export_help()),
                      std::make_shared<ExportCommand>(), run, &context.load);
}

}  // namespace lacuna
