#include "app/cli/what_if.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/critical_path.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/job/late_waits.h"
#include "model/path/what_if.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// "NAME=0.5"; the name may have such signs in it.
std::optional<WhatIfChange> parse_scale(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  WhatIfChange change{WhatIfChange::Kind::kScale, std::string(text.substr(0, equals)), 1};
  const std::string_view number = text.substr(equals + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), change.factor);
  const bool is_factor =
      error == std::errc{} && end == number.data() + number.size() && change.factor >= 0 && change.factor <= 1'000'000;
  return is_factor ? std::optional(change) : std::nullopt;
}

std::vector<WhatIfChange> changes_of(const WhatIfOptions& options) {
  using Kind = WhatIfChange::Kind;
  std::vector<WhatIfChange> changes;
  const auto add = [&](Kind kind, const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) changes.push_back({kind, argument, 1});
  };
  add(Kind::kNoCause, options.no_causes);
  add(Kind::kNoGap, options.no_gaps);
  for (const std::string& scale : options.scales)
    if (const auto change = parse_scale(scale)) changes.push_back(*change);
  add(Kind::kFuse, options.fusions);
  add(Kind::kGraph, options.graphs);
  if (!options.overlap.empty()) changes.push_back({Kind::kOverlapComm, options.overlap, 1});
  if (options.rank_even) changes.push_back({Kind::kRankEven, "", 1});
  return changes;
}

Table gain_table(std::span<const WhatIfGain> ranking, Nanos replayed) {
  using Row = WhatIfGain;
  TableOf<Row> table(ranking);
  table.name({"Change", "change"}, [](const Row& row) { return what_if_text(row.change); });
  table.value("predictedNs", &Row::predicted);
  table.duration({"Gain", "gainNs"}, &Row::gain);
  table.number({"Share"}, [replayed](const Row& row) {
    return format_percent(replayed == 0 ? 0 : static_cast<double>(row.gain) / static_cast<double>(replayed));
  });
  table.shown = {"Gain", "Share", "Change"};
  return table;
}

void write_what_if_json(const std::vector<WhatIfChange>& changes, const WhatIfAnswer& answer, const Table& ranking,
                        Output& out) {
  JsonWriter json(out);
  json.member("steps", answer.steps);
  json.member("measuredNs", answer.measured);
  json.member("replayedNs", answer.replayed);
  json.member("predictedNs", answer.predicted);
  json.begin_list("changes");
  for (const WhatIfChange& change : changes) json.element(what_if_text(change));
  json.end();
  json.begin_list("assumptions");
  for (const std::string& assumption : answer.assumptions) json.element(assumption);
  json.end();
  write_json_rows(ranking, "ranking", json, out);
  json.finish();
}

}  // namespace

void WhatIfOptions::add_to(CLI::App& command) {
  command.add_option("--no-cause", no_causes, "Without a cause of gaps: sync, data_loading, launch_bound …")
      ->type_name("CAUSE")
      ->allow_extra_args(false);
  command.add_option("--no-gap", no_gaps, "Without the gaps that an operator is to blame for")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_option("--scale", scales, "A kernel or operator takes FACTOR times as long")
      ->type_name("NAME=0.5")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        return parse_scale(text) ? std::string{} : "'" + text + "' is not NAME=FACTOR, like gemm=0.5";
      });
  command.add_option("--fuse", fusions, "Neighbours of these names become one kernel")
      ->type_name("NAME,...")
      ->allow_extra_args(false);
  command.add_option("--graph", graphs, "Launches of each of these steps become one: 3..5, or all")
      ->type_name("RANGE")
      ->allow_extra_args(false);
  command.add_option("--overlap", overlap, "Communication runs beside computation")
      ->type_name("comm")
      ->check([](const std::string& text) {
        return text == "comm" ? std::string{} : "'" + text + "' cannot overlap; comm can";
      });
  command.add_flag("--rank-even", rank_even, "No rank comes late to a collective (needs several ranks)");
  command.add_option("--rank", rank, "Of this rank (default: the first file)")->type_name("R");
  command.add_flag("--json", json, "Write JSON to standard output");
}

Result<void> print_what_if(const Trace& trace, const WhatIfOptions& options, Output& out) {
  const Result<std::optional<SourceId>> source = source_of_rank(trace, options.rank);
  if (!source) return tl::make_unexpected(source.error());
  const std::vector<WhatIfChange> changes = changes_of(options);
  const Result<LateRanksPtr> late = find_late_ranks(trace);
  if (!late) return tl::make_unexpected(late.error());
  const WhatIf what_if(trace, source->value_or(SourceId{0}), TimeSpan::everything(), *late);
  const Result<WhatIfAnswer> answer = what_if.ask(changes);
  if (!answer) return tl::make_unexpected(answer.error());
  const std::vector<WhatIfGain> ranking = what_if.rank();
  Table table = gain_table(ranking, answer->replayed);
  if (options.json) {
    write_what_if_json(changes, *answer, table, out);
    return {};
  }
  const auto part = [&](Nanos time) {
    return answer->replayed == 0
               ? std::string{}
               : fmt::format(" ({})",
                             format_percent(static_cast<double>(time) / static_cast<double>(answer->replayed)));
  };
  out.write(fmt::format("Measured {}{}, replayed without a change {}\n", format_duration(answer->measured),
                        answer->steps > 1 ? fmt::format(" in {} steps", format_count(answer->steps)) : "",
                        format_duration(answer->replayed)));
  for (const WhatIfChange& change : changes) out.write(fmt::format("  {}\n", printable(what_if_text(change))));
  if (!changes.empty()) {
    const Nanos gain = answer->replayed - answer->predicted;
    out.write(fmt::format("Predicted {}: {} {}{}\n", format_duration(answer->predicted),
                          format_duration(gain < 0 ? -gain : gain), gain < 0 ? "lost" : "gained",
                          part(gain < 0 ? -gain : gain)));
  }
  for (const std::string& assumption : answer->assumptions) out.write(fmt::format("  assumed: {}\n", assumption));
  out.write("What would gain most, each alone:\n");
  table.rows = static_cast<std::size_t>(std::ranges::count_if(ranking, [](const WhatIfGain& g) { return g.gain > 0; }));
  print_table(table, options.width, out, 2);
  return {};
}

constexpr const char* kWhatIfHelp =
    R"help(Plays the calls of each CPU thread and the work of each stream again, with the changes. GPU work starts after its
launch, after the work before it on its stream, and after what an event or the end of another stream made it wait for.
A call that waited returns when what it waited for has ended. The delay after whatever came last of these is kept as it
was measured, so a replay without a change gives the measured times. Several changes apply together.
The replay covers what lacuna report measures: the steps without warm-up, from the begin of the first one until the last
one and all GPU work that the steps launched are done; a thread that only runs further ahead gains nothing. Without
steps it covers the first to the last work of the program; threads that ask nothing of the GPU, and the profiler's own
rows, do not count for the end.

--no-cause takes causes as in lacuna gaps --causes, and sync for synchronisation. --no-gap takes away what the CPU did
under that name while the GPU was idle. --scale needs the whole NAME. With --graph the CPU does nothing but wait between
the first and the last launch of a step. Each answer states what it assumes.

JSON: steps, measuredNs, replayedNs, predictedNs, changes (as typed), assumptions, and ranking, the most gained
first: change, predictedNs, gainNs, each for that change alone.)help";

Command what_if_command(CommandContext& context) {
  return trace_command(context, "what-if", "What a change would gain, by replaying the trace with it", kWhatIfHelp,
                       print_what_if);
}

}  // namespace lacuna
