// The command, its verdict in words, and its text. Other forms: check_formats.cpp.

#include "app/cli/check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "app/tables/diff_summary.h"
#include "model/causes/gap_cause.h"
#include "model/diff/trace_diff.h"
#include "model/import/trace_files.h"
#include "model/report/cpu_use.h"
#include "render/format.h"

namespace lacuna {
namespace {

// Exit codes of their own: 1 says that a limit is certainly exceeded, and nothing else.
constexpr int kExitExceeded = 1;
constexpr int kExitNotChecked = 2;
constexpr int kExitCannotTell = 3;

/// Two digits of what is small, one of all else: "0.04 %", "4.1 %".
std::string short_percent(double part) {
  const double percent = 100 * std::abs(part);
  return percent < 0.0995 ? fmt::format("{:.2f} %", percent) : fmt::format("{:.1f} %", percent);
}

std::string signed_percent(double part) {
  return (part < 0 ? "\xE2\x88\x92" : "+") + short_percent(part);
}

/// " ± 0.6 %"; where one side of an interval is much wider: " (+52.1 % to +744.7 %)".
template <class Short, class Signed>
std::string interval_text(double middle, double low, double high, Short brief, Signed with_sign) {
  const double below = middle - low, above = high - middle;
  const auto [narrow, wide] = std::minmax(below, above);
  if (wide <= 1.25 * narrow || wide < std::abs(middle) / 4) return fmt::format(" \xC2\xB1 {}", brief(wide));
  return fmt::format(" ({} to {})", with_sign(low), with_sign(high));
}
std::string part_interval(const MedianChange& change) {
  return interval_text(change.part(), change.low_part, change.high_part, short_percent, signed_percent);
}

std::string cause_words(std::string_view key) {
  for (const GapCause cause : all_gap_causes())
    if (cause_key(cause) == key) return std::string(cause_name(cause));
  return std::string(key);
}

std::string cpu_words(std::string_view key) {
  for (std::size_t k = 0; k < kCpuKindCount; ++k)
    if (const auto kind = static_cast<CpuKind>(k); cpu_kind_key(kind) == key) return std::string(cpu_kind_name(kind));
  return std::string(key);
}

std::string reason_text(const RunCheck& check) {
  const CheckRow* why = check.reason();
  if (why == nullptr) return {};
  const std::string by = signed_duration(why->change.difference());
  if (why->kind == SampleKind::kOperator) return fmt::format(": {} ({} of GPU time)", why->name, by);
  if (why->kind == SampleKind::kCpu) return fmt::format(": {} ({} on the CPU)", cpu_words(why->name), by);
  if (why->kind == SampleKind::kCpuOperator) return fmt::format(": {} ({} on the CPU)", why->name, by);
  std::string text = fmt::format(": the GPU is idle, {} ({})", cause_words(why->name), by);
  if (const CheckRow* blamed = check.blamed())
    text += blamed->name == name_across_traces("ProfilerStep#0") ? ", mostly outside of all operators"
                                                                 : ", mostly in " + blamed->name;
  return text;
}

std::string counted_steps(const MedianChange& step) {
  return fmt::format("{} and {}", format_count(step.count_a), counted(step.count_b, "step"));
}

/// The runs that `path` stands for, each file one, and each rank of a file. What a folder has beside traces is left
/// out.
Result<void> add_runs(const std::string& path, const ImportOptions& import, std::vector<StepSamples>& runs) {
  const auto files = find_trace_files(std::vector<std::string>{path});
  if (!files) return tl::make_unexpected(files.error());
  std::size_t others = 0;
  for (const TraceFile& file : *files) {
    const Result<Trace> trace = load_traces({file.path}, import);
    if (!trace && file.was_found) {
      if (trace.error().code == ErrorCode::kNotATrace)
        ++others;
      else
        print_error(trace.error(), stderr);
      continue;
    }
    if (!trace) return tl::make_unexpected(trace.error());
    print_warnings(*trace, stderr);
    for (std::uint32_t s = 0; s < trace->sources().size(); ++s) {
      StepSamples samples = sample_steps(*trace, SourceId{s});
      if (samples.steps > 0) runs.push_back(std::move(samples));
    }
  }
  if (others > 0)
    fmt::print(stderr, "lacuna: {}: {} {} left out: no traces\n", printable(path), format_count(others),
               others == 1 ? "file is" : "files are");
  return {};
}

Result<RunCheck> check_paths(const CheckCommand& command, const ImportOptions& import) {
  std::vector<std::string> of_a = command.baseline, of_b = command.paths;
  if (of_a.empty()) {
    if (of_b.size() != 2)
      return fail(ErrorCode::kInvalidArgument, "two runs, A and B, are compared, or runs with those of --baseline DIR");
    of_a.push_back(of_b.front());
    of_b.erase(of_b.begin());
  }
  if (of_b.empty()) return fail(ErrorCode::kInvalidArgument, "no run to check is named");
  std::vector<CheckLimit> limits;
  std::vector<std::string> texts = command.fail_on;
  if (texts.empty()) texts.emplace_back(kDefaultCheckLimit);
  for (const std::string& text : texts) {
    Result<CheckLimit> limit = parse_check_limit(text);
    if (!limit) return tl::make_unexpected(limit.error());
    limits.push_back(std::move(*limit));
  }
  std::vector<StepSamples> a, b;
  for (const auto& [paths, runs] : {std::pair{&of_a, &a}, std::pair{&of_b, &b}}) {
    for (const std::string& path : *paths)
      if (Result<void> added = add_runs(path, import, *runs); !added) return tl::make_unexpected(added.error());
    if (runs->empty()) return fail(ErrorCode::kEmpty, "there is nothing to measure", paths->front());
  }
  return check_runs(a, b, limits);
}

std::string verdict_text(const RunCheck& check) {
  const MedianChange& step = check.step;
  const auto by = [&] { return fmt::format("{}{} a step", short_percent(step.part()), part_interval(step)); };
  switch (check.verdict) {
    case CheckVerdict::kSlower:
      return fmt::format("slower by {}{}", by(), reason_text(check));
    case CheckVerdict::kFaster:
      return fmt::format("faster by {}{}", by(), reason_text(check));
    case CheckVerdict::kSame:
      return fmt::format("as fast as before: {} a step", check_change_text(step));
    case CheckVerdict::kUnknown:
      break;
  }
  if (!step.is_enough)
    return fmt::format("cannot tell: {} are too few, {} a side are the least", counted_steps(step), kLeastSamples);
  return fmt::format("cannot tell: {} a step, as steps differ too much among themselves", check_change_text(step));
}

}  // namespace

std::string check_change_text(const MedianChange& change) {
  if (change.a == 0 && change.difference() != 0)
    return signed_duration(change.difference()) +
           interval_text(change.difference(), change.low, change.high, rounded_duration, signed_duration);
  return signed_percent(change.part()) + (change.is_enough ? part_interval(change) : std::string());
}

std::string check_sentence(const RunCheck& check) {
  std::string sentence = verdict_text(check);
  if (check.verdict == CheckVerdict::kSlower) return sentence;
  std::string_view before = "; exceeded: ";
  for (const LimitAnswer& answer : check.limits) {
    if (answer.state != LimitState::kExceeded) continue;
    sentence.append(before).append(answer.limit.text);
    before = ", ";
  }
  return sentence;
}

std::vector<std::string> check_notes(const RunCheck& check) {
  std::vector<std::string> notes;
  if (check.without_steps > 0)
    notes.push_back(fmt::format("{} {} no steps: each counts as one, from its first to its last work.",
                                format_count(check.without_steps), check.without_steps == 1 ? "run has" : "runs have"));
  const double a = check.activities.a, b = check.activities.b;
  if (std::abs(a - b) > 0.01 * std::max(a, b))
    notes.push_back(fmt::format("B does other work: {:.0f} kernels, copies and sets a step, and A {:.0f}.", b, a));
  if (check.step.is_enough && check.runs_a + check.runs_b < 4)
    notes.push_back(
        "Too few runs show how much runs of one program differ: the interval follows from their steps alone.");
  return notes;
}

std::string limit_answer_text(const LimitAnswer& answer) {
  if (!answer.is_found) return "cannot tell: no run has it";
  if (answer.state == LimitState::kUnknown && !answer.change.is_enough) return "cannot tell: too few steps";
  const std::string_view state = answer.state == LimitState::kExceeded ? "exceeded"
                                 : answer.state == LimitState::kKept   ? "kept"
                                                                       : "cannot tell";
  return fmt::format("{}: {}", state, check_change_text(answer.change));
}

void write_check_text(const RunCheck& check, const CheckCommand& how, Output& out) {
  write_wrapped("", printable(check_sentence(check)), how.width, out);
  for (const std::string& note : check_notes(check)) write_wrapped("  - ", note, how.width, out);
  const std::string runs =
      check.runs_a + check.runs_b == 2 ? std::string() : fmt::format(" of {} and {} runs", check.runs_a, check.runs_b);
  out.write(fmt::format("A step: A {}, B {} (medians of {}{})\n", rounded_duration(check.step.a),
                        rounded_duration(check.step.b), counted_steps(check.step), runs));
  for (const LimitAnswer& answer : check.limits)
    out.write(fmt::format("Limit {}: {}\n", printable(answer.limit.text), limit_answer_text(answer)));
  if (check.rows.empty()) return;
  out.write("\nWhat certainly changed, a step\n");
  using Row = CheckRow;
  TableOf<Row> table(check.rows);
  table.text({"What"}, [](const Row& row) { return sample_kind_key(row.kind); });
  table.name({"Name"}, [](const Row& row) {
    return row.kind == SampleKind::kCause ? cause_words(row.name)
           : row.kind == SampleKind::kCpu ? cpu_words(row.name)
                                          : row.name;
  });
  table.number({"A"}, [](const Row& row) { return rounded_duration(row.change.a); });
  table.number({"B"}, [](const Row& row) { return rounded_duration(row.change.b); });
  table.number({"B - A"}, [](const Row& row) { return signed_duration(row.change.difference()); });
  const auto bound = [](bool is_least) {
    return [=](const Row& row) {
      return signed_duration(row.change.is_less() == is_least ? row.change.high : row.change.low);
    };
  };
  table.number({"At the least", {}, 1}, bound(true));
  table.number({"At the most", {}, 2}, bound(false));
  table.limit(how.limit);
  print_table(table, how.width, out, 2);
  if (table.rows < check.rows.size())
    out.write(
        fmt::format("{} of {} rows; all: --limit 0\n", format_count(table.rows), format_count(check.rows.size())));
}

void CheckCommand::add_to(CLI::App& check) {
  check.add_option("RUN", paths, "Traces A and B, or folders of them; with --baseline all are B")
      ->required()
      ->type_name("");
  check.add_option("--baseline", baseline, "Runs to compare with: a folder of traces, or a trace")
      ->type_name("DIR")
      ->allow_extra_args(false);
  check.add_option("--fail-on", fail_on, "Exit with 1 where B certainly takes more (default: step>3%)")
      ->type_name("'WHAT>MOST'")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        const Result<CheckLimit> parsed = parse_check_limit(text);
        return parsed ? std::string() : parsed.error().cause;
      });
  CLI::Option* markdown_flag = check.add_flag("--markdown", markdown, "Write Markdown, as pull requests show it");
  CLI::Option* junit_flag =
      check.add_flag("--junit", junit, "Write JUnit's XML: each limit is a test")->excludes(markdown_flag);
  check.add_flag("--json", json, "Write JSON to standard output")->excludes(markdown_flag)->excludes(junit_flag);
  check.add_option("--limit", limit, "Rows of what changed; 0 = all (default: 10; with --json all)")
      ->check(CLI::Range(0, 999'999'999))
      ->type_name("N");
}

constexpr const char* kCheckHelp =
    R"help(Says whether B's steps take longer than A's, and why: medians of the measured steps (lacuna report --help) with the
interval in which their difference lies, by 99 %: the exact bootstrap of the two medians, widened for few steps, and by
how far runs of a side lie apart where three or more are there. Each file of a folder is a run. Runs without steps count
as one step each. Fewer than 4 steps a side tell nothing.

Limits (--fail-on, any number): WHAT>MOST, for each step. MOST is a part of what A takes (3%) or a time (200us, 1ms).
WHAT: step; busy, idle (of all its GPUs); cause:KEY (idle time, causes as in lacuna gaps --causes, but of each step
alone: a gap across two has one in each); class:KEY (GPU time, as in lacuna stats --group-by class); module:NAME,
operator:NAME, kernel:NAME (GPU time); of traces without a GPU cpu:KEY (what their time was spent on: dataLoading,
python, longGaps …) and cpuOperator:NAME. Exit code: 0 all limits are kept, 1 one is certainly exceeded, 3 none is, and
the data cannot tell of one; 2 for everything that kept it from checking.

JSON keys of --json:
  verdict       same, slower, faster, unknown; sentence; notes[]; state (kept, exceeded, unknown: of all limits)
  runsA, runsB
  step, activities, and the change of each limit and row: a, b (medians a step), difference, error (half of the
                interval), low, high (of the difference), part, lowPart, highPart (of A; null where A has none),
                countA, countB (steps), enough
  limits[]      limit, state, found, change
  changes[]     what certainly changed: kind (busy, idle, cause, blamed, class, module, operator, kernel, cpu,
                cpuOperator),
                name, change
Times in ns; activities is a count.)help";

Command check_command(CommandContext& context) {
  const auto run = [&context](const CheckCommand& command) -> Result<void> {
    const Result<RunCheck> check = check_paths(command, context.load.import);
    if (!check) {
      print_error(check.error(), stderr);
      context.exit = kExitNotChecked;
      return {};
    }
    const LimitState state = check->state();
    context.exit = state == LimitState::kExceeded  ? kExitExceeded
                   : state == LimitState::kUnknown ? kExitCannotTell
                                                   : kExitSuccess;
    Result<void> written = answer([&](Output& out) {
      if (command.json)
        write_check_json(*check, command, out);
      else if (command.markdown)
        write_check_markdown(*check, command, out);
      else if (command.junit)
        write_check_junit(*check, out);
      else
        write_check_text(*check, command, out);
      return Result<void>();
    });
    if (written) return {};
    print_error(written.error(), stderr);
    context.exit = kExitNotChecked;
    return {};
  };
  const auto options = std::make_shared<CheckCommand>();
  Command check =
      make_command("check", "Whether runs got slower, certainly or not: for CI, with limits", kCheckHelp, options, run);
  check.add_options = [&context, options](CLI::App& app) {
    options->add_to(app);
    context.load.add_options_to(app);
  };
  return check;
}

}  // namespace lacuna
