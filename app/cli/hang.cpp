#include "app/cli/hang.h"

#include <algorithm>
#include <array>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/json_writer.h"
#include "app/cli/memory.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/formats/chrome/top_level.h"
#include "model/formats/flight_recorder/flight_dump.h"
#include "model/formats/formats.h"
#include "model/memory/flight_recorder.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kHungRows = 10;
constexpr std::size_t kFrameRows = 8;
constexpr std::uint64_t kMostDumpBytes = std::uint64_t{8} << 30;

std::string_view kind_key(HungOperation::Kind kind) {
  constexpr std::array<std::string_view, 3> kKeys{"missingRanks", "mismatch", "allEntered"};
  return kKeys[static_cast<std::size_t>(kind)];
}

Json optional_json(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json();
}

Json entry_json(const FlightEntry& entry) {
  return {{"processGroup", entry.group},
          {"description", entry.description},
          {"isP2P", entry.is_p2p},
          {"seq", entry.sequence},
          {"name", entry.name},
          {"state", entry.state},
          {"completed", entry.is_done},
          {"inputs", entry.inputs},
          {"outputs", entry.outputs},
          {"createdNs", entry.created_ns},
          {"startedNs", optional_json(entry.started_ns)},
          {"completedNs", optional_json(entry.completed_ns)},
          {"frames", entry.frames}};
}

std::string joined(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (std::size_t r = 0; r < ranks.size() && r < 16; ++r) text += fmt::format("{}{}", r == 0 ? "" : " ", ranks[r]);
  if (ranks.size() > 16) text += fmt::format(" … {} in all", ranks.size());
  return text.empty() ? "-" : text;
}

std::vector<std::int64_t> entered_ranks(const HungOperation& hung) {
  std::vector<std::int64_t> entered;
  for (const HungOperation::Rank& rank : hung.entered) entered.push_back(rank.rank);
  return entered;
}

Table hung_table(const HangAnalysis& analysis) {
  using Row = HungOperation;
  TableOf<Row> table(analysis.hung);
  const auto ranks = [&table](const Table::Heading& heading, auto get) {
    table.add(
        heading, [get](const Row& row) { return JsonText{to_text(Json(std::invoke(get, row)))}; },
        [get](const Row& row) { return joined(std::invoke(get, row)); });
  };
  table.value("processGroup", [](const Row& row) { return row.group.name; });
  table.add(
      {"Group", "description"}, [](const Row& row) { return row.group.description; },
      [](const Row& row) { return row.group.description.empty() ? row.group.name : row.group.description; });
  table.value("isP2P", &Row::is_p2p);
  table.number({"Number", "seq"}, &Row::sequence,
               [](const Row& row) { return fmt::format("{}{}", row.sequence, row.is_p2p ? " p2p" : ""); });
  table.name({"Operation", "name"}, &Row::name);
  table.value("kind", [](const Row& row) { return kind_key(row.kind); });
  ranks({{}, "expectedRanks"}, &Row::expected);
  ranks({"Entered", "enteredRanks"}, entered_ranks);
  ranks({"Completed", "completedRanks"}, &Row::completed);
  ranks({"Missing", "missingRanks"}, &Row::missing);
  ranks({"No dump", "ranksWithoutDump", 1}, &Row::without_dump);
  table.value("firstCreatedNs", &Row::first_created_ns);
  table.value("ranks", [](const Row& row) {
    Json entries = Json::array();
    for (const Row::Rank& rank : row.entered) entries.emplace_back(entry_json(*rank.entry))["rank"] = rank.rank;
    return JsonText{to_text(entries)};
  });
  return table;
}

void write_hang_json(const std::vector<FlightDump>& dumps, const HangAnalysis& analysis, Output& out) {
  JsonWriter json(out);
  json.begin_list("files");
  for (const FlightDump& dump : dumps)
    json.element({{"file", dump.path},
                  {"rank", dump.rank},
                  {"rankKnown", dump.has_rank},
                  {"version", dump.version},
                  {"entries", dump.entries.size()},
                  {"notUnderstood", dump.not_understood}});
  json.end();
  json.member("completed", analysis.completed);
  write_json_rows(hung_table(analysis), "neverCompleted", json, out);
  json.begin_list("ranks");
  for (const FlightRank& rank : analysis.ranks)
    json.element({{"rank", rank.dump->rank},
                  {"last", rank.last == nullptr ? Json() : entry_json(*rank.last)},
                  {"lastCompleted", rank.last_completed == nullptr ? Json() : entry_json(*rank.last_completed)}});
  json.end();
  json.member("verdict", analysis.sentences);
  json.finish();
}

void write_hang_text(const HangAnalysis& analysis, std::size_t width, Output& out) {
  for (const std::string& sentence : analysis.sentences) out.write(printable(sentence) + "\n");
  if (!analysis.hung.empty()) {
    out.write("\n");
    Table table = hung_table(analysis);
    table.limit(kHungRows);
    print_table(table, width, out);
    if (analysis.hung.size() > kHungRows) out.write(fmt::format("{} more: --json\n", analysis.hung.size() - kHungRows));
    for (const HungOperation::Rank& rank : analysis.hung.front().entered) {
      out.write(fmt::format("\nrank {}, {}:\n", rank.rank, printable(rank.entry->state)));
      for (std::size_t f = 0; f < std::min(kFrameRows, rank.entry->frames.size()); ++f)
        out.write(fmt::format("  {}\n", printable(rank.entry->frames[f])));
    }
  }
  for (const FlightRank& rank : analysis.ranks)
    if (!rank.dump->has_rank)
      out.write(fmt::format("{} does not name its rank; it was taken for rank {}\n", printable(rank.dump->path),
                            rank.dump->rank));
}

}  // namespace

void HangCommand::add_to(CLI::App& hang) {
  hang.add_option("FILE", paths, "Dumps of the flight recorder, one per rank")->required()->type_name("");
  hang.add_flag("--json", json, "Write JSON to standard output");
}

Result<void> print_hang(const HangCommand& command, Output& out) {
  std::vector<FlightDump> dumps;
  for (const std::string& path : command.paths) {
    ImportProgress progress;
    const Result<OpenedFile> file = open_whole_pickle(path, kMostDumpBytes, progress);
    if (!file) return tl::make_unexpected(file.error());
    if (const Format& format = recognise_format(*file); format.use == FormatUse::kTrace && &format != &kChromeFormat)
      return fail(ErrorCode::kNotATrace,
                  fmt::format("{}, and no dump of PyTorch's flight recorder, which is a pickle: lacuna info FILE",
                              format.title),
                  path);
    Result<FlightDump> dump = read_flight_dump(*file->bytes, path);
    if (!dump) return tl::make_unexpected(dump.error());
    dumps.push_back(std::move(*dump));
  }
  number_ranks(dumps);
  const HangAnalysis analysis = analyze_hang(dumps);
  if (command.json) {
    write_hang_json(dumps, analysis, out);
  } else {
    write_hang_text(analysis, command.width, out);
  }
  return {};
}

constexpr const char* kHangHelp =
    R"help(Says which collectives never completed, by what PyTorch's flight recorder wrote (TORCH_FR_DUMP_TEMP_FILE; give the
dumps of all ranks). The rank is the last number in a file's name. An operation has the name of its process group and
its number there. A rank has entered an operation if its dump has an entry of it. A rank with a dump that had not come
so far misses it; what is older than all that its recorder holds counts as passed. An operation is completed if its
state or the group's status says so, or, where neither does, if its entry was retired. The dumps are read without
executing anything.
JSON: files[] (file, rank, rankKnown, version, entries), completed, neverCompleted[] (processGroup, description,
  isP2P, seq, name, kind: missingRanks|mismatch|allEntered, expectedRanks, enteredRanks, completedRanks,
  missingRanks, ranksWithoutDump, firstCreatedNs, ranks[] with state, inputs, outputs, times and frames),
  ranks[] (rank, last, lastCompleted), verdict[].
)help";

Command hang_command(CommandContext&) {
  const auto run = [](const HangCommand& command) {
    return answer([&](Output& out) { return print_hang(command, out); });
  };
  return make_command("hang", "Which collectives never completed, from flight recorder dumps", kHangHelp,
                      std::make_shared<HangCommand>(), run);
}

}  // namespace lacuna
