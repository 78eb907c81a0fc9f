#include "app/cli/diff.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/diff_structure.h"
#include "app/cli/json_writer.h"
#include "app/cli/load.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "app/tables/diff_summary.h"
#include "render/format.h"

namespace lacuna {
namespace {

DiffKey parse_key(const std::string& text) {
  if (text == "self") return DiffKey::kSelf;
  if (text == "count") return DiffKey::kCount;
  if (text == "avg") return DiffKey::kAverage;
  return DiffKey::kTotal;
}

std::string_view category_key(CategoryClass category) {
  switch (category) {
    case CategoryClass::kCpuOperator:
      return "operator";
    case CategoryClass::kRuntime:
      return "runtime";
    case CategoryClass::kKernel:
      return "kernel";
    case CategoryClass::kMemcpy:
      return "memcpy";
    case CategoryClass::kMemset:
      return "memset";
    case CategoryClass::kCpuAnnotation:
      return "annotation";
    case CategoryClass::kGpuAnnotation:
      return "gpuAnnotation";
    case CategoryClass::kPythonFunction:
      return "python";
    case CategoryClass::kOverhead:
      return "overhead";
    case CategoryClass::kSynchronisation:
      return "synchronisation";
    case CategoryClass::kSample:
      return "sample";
    case CategoryClass::kThreadState:
    case CategoryClass::kOther:
      break;
  }
  return "other";
}

// --- JSON ----------------------------------------------------------------------------------------

Json numbers(const Trace& trace, const DiffNumbers& n) {
  return {{"count", n.count},
          {"totalNs", n.total},
          {"selfNs", n.self},
          {"avgNs", n.average()},
          {"longestStartNs", n.count == 0 ? Json() : Json(trace.span(n.longest).begin)}};
}

Json side_facts(const Trace& trace, const Report& report, std::optional<std::size_t> of_pair, const std::string& path) {
  Json causes = Json::object();
  const DeviceReport* device = of_pair ? &report.devices[*of_pair] : nullptr;
  for (const GapCause cause : all_gap_causes())
    causes[std::string(cause_key(cause)) + "Ns"] = device == nullptr ? 0 : device->lost(cause);
  Json time = Json::object();
  for (std::size_t k = 0; k < kTimeKindCount; ++k)
    time[std::string(time_kind_key(static_cast<TimeKind>(k))) + "Ns"] = report.use.by_kind[k];
  const DeviceProperties* gpu = report.properties(trace);
  Json phases = Json::array();
  for (const PhaseTimes& phase : report.phases.phases)
    phases.push_back({{"phase", step_phase_key(phase.phase)},
                      {"steps", phase.steps},
                      {"medianNs", phase.median},
                      {"lengthNs", phase.length},
                      {"gpuBusyNs", phase.busy}});
  return {{"path", path},
          {"gpu", gpu == nullptr ? Json() : Json(gpu->name)},
          {"wallNs", report.use.wall},
          {"steps", report.steps.steps.size() - report.steps.warm_up_count},
          {"medianStepNs", report.steps.has_steps() ? Json(report.steps.median()) : Json()},
          {"phases", phases},
          {"busyNs", device == nullptr ? 0 : device->busy},
          {"idleNs", device == nullptr ? 0 : device->idle},
          {"verdict", bound_key(report.bound)},
          {"time", time},
          {"idleByCause", causes}};
}

Json paired_kernel(const Trace& trace, const PairedKernel& kernel) {
  if (!kernel.is_there()) return Json();
  const KernelName read = read_kernel_name(kernel.name);
  Json facts = Json::object();
  for (const auto& [label, value] : read.lines()) facts[std::string(label)] = value;
  return {
      {"name", kernel.name},     {"operator", kernel.op.empty() ? Json() : Json(kernel.op)}, {"count", kernel.count},
      {"totalNs", kernel.total}, {"longestStartNs", trace.span(kernel.longest).begin},       {"title", read.title},
      {"facts", facts}};
}

void print_diff_json(const Trace& a, const Trace& b, const TraceDiff& diff, const DiffCommand& command, Output& out) {
  JsonWriter json(out);
  // Of the GPU with the most work on side A, and the one that it is paired with.
  const DiffDevice pair = diff.devices.empty() ? DiffDevice{} : diff.devices.front();
  json.member("a", side_facts(a, diff.a, pair.a, command.name_a));
  json.member("b", side_facts(b, diff.b, pair.b, command.name_b));
  json.member("device", pair.name);
  json.member("perStep", diff.is_per_step);
  json.begin_list("rows");
  std::size_t left = command.has_limit && command.limit != 0 ? command.limit : diff.rows.size();
  for (const DiffRow& row : diff.rows) {
    if (left-- == 0 || !out.ok()) break;
    json.element({{"name", row.name},
                  {"category", category_key(row.category)},
                  {"a", numbers(a, row.a)},
                  {"b", numbers(b, row.b)},
                  {"totalDifferenceNs", diff.difference(row, DiffKey::kTotal)},
                  {"selfDifferenceNs", diff.difference(row, DiffKey::kSelf)},
                  {"countDifference", diff.difference(row, DiffKey::kCount)},
                  {"avgDifferenceNs", diff.difference(row, DiffKey::kAverage)},
                  {"new", row.is_new()},
                  {"vanished", row.is_vanished()}});
  }
  json.end();
  json.member("rowCount", diff.rows.size());
  json.begin_list("kernelPairs");
  left = command.has_limit && command.limit != 0 ? command.limit : diff.kernels.size();
  for (const KernelPair& kernels : diff.kernels) {
    if (left-- == 0 || !out.ok()) break;
    Json differs = Json::array();
    if (kernels.has_both())
      for (const KernelFactPair& fact :
           compare_kernel_names(read_kernel_name(kernels.a.name), read_kernel_name(kernels.b.name)))
        if (fact.differs()) differs.push_back(kernel_fact_label(fact.fact));
    json.element({{"class", kernel_class_key(kernels.kernel_class)},
                  {"same", kernels.is_same()},
                  {"sentence", kernel_pair_sentence(kernels)},
                  {"differs", differs},
                  {"a", paired_kernel(a, kernels.a)},
                  {"b", paired_kernel(b, kernels.b)}});
  }
  json.end();
  json.member("kernelPairCount", diff.kernels.size());
  print_structure_json(a, b, diff, command, json);
  json.finish();
}

// --- text ----------------------------------------------------------------------------------------

/// Numbers of the whole side by side.
void print_head(const TraceDiff& diff, const DiffCommand& command, Output& out) {
  out.write(fmt::format("A: {}\nB: {}\n", printable(command.name_a), printable(command.name_b)));
  if (diff.is_per_step)
    out.write(fmt::format("Counts and times per step (steps: A {}, B {}).\n", diff.steps_a, diff.steps_b));
  out.write("\n");
  const std::vector<DiffFact> facts = summarise_diff(diff);
  TableOf<DiffFact> table(facts);
  table.text({"Measured window"}, [](const DiffFact& fact) { return (fact.indent > 0 ? "  " : "") + fact.what; });
  table.number({"A"}, &DiffFact::a);
  table.number({"B"}, &DiffFact::b);
  table.number({"B - A"}, &DiffFact::difference);
  print_table(table, command.width, out);
}

template <class Wanted>
void print_rows(const TraceDiff& diff, DiffKey key, const std::string& title, Wanted&& wanted,
                const DiffCommand& command, Output& out) {
  std::vector<std::vector<std::string>> rows;
  std::size_t all = 0;
  for (const DiffRow& row : diff.rows) {
    if (!wanted(row.category) || (++all > command.limit && command.limit != 0)) continue;
    const auto cells = diff_cells(diff, row, key, false);
    rows.push_back({row.name, cells[0], cells[1], cells[2], cells[3], cells[4],
                    row.is_new()        ? "new"
                    : row.is_vanished() ? "vanished"
                                        : ""});
  }
  if (all == 0) return;
  print_differences(title, rows, command.width, out);
  if (rows.size() < all)
    out.write(fmt::format("{} of {} rows; all: --limit 0\n", format_count(rows.size()), format_count(all)));
}

/// One pair of kernels, decoded side by side; what differs has a mark.
void print_kernel_pair(const TraceDiff& diff, const KernelPair& pair, const DiffCommand& command, Output& out) {
  const auto runs = [](const PairedKernel& kernel, double steps) {
    const std::string count = diff_count(static_cast<double>(kernel.count) / steps);
    return fmt::format("{} {}, {}", count, count == "1" ? "kernel" : "kernels",
                       rounded_duration(static_cast<double>(kernel.total) / steps));
  };
  out.write(fmt::format("\n{} ({}): A {}; B {}\n", printable(kernel_pair_operators(pair)),
                        kernel_class_name(pair.kernel_class), runs(pair.a, diff.steps_a), runs(pair.b, diff.steps_b)));
  for (const std::string& line : wrapped(printable(kernel_pair_sentence(pair)), command.width - 2))
    out.write("  " + line + "\n");
  const KernelName a = read_kernel_name(pair.a.name), b = read_kernel_name(pair.b.name);
  std::vector<std::vector<std::string>> rows{{"", "Kernel", a.title, b.title}};
  for (const KernelFactPair& fact : compare_kernel_names(a, b))
    rows.push_back({fact.differs() ? "*" : "", std::string(kernel_fact_label(fact.fact)), fact.a, fact.b});
  print_table(table_of_texts({{}, {}, {{"A"}, false, true}, {{"B"}, false, true}}, rows), command.width, out, 2);
}

/// The same work done by other kernels: those pairs, decoded.
void print_kernel_pairs(const TraceDiff& diff, const DiffCommand& command, Output& out) {
  const auto is_other = [](const KernelPair& pair) { return pair.has_both() && !pair.is_same(); };
  const auto all = static_cast<std::size_t>(std::ranges::count_if(diff.kernels, is_other));
  const auto same = static_cast<std::size_t>(std::ranges::count_if(diff.kernels, &KernelPair::is_same));
  if (all + same == 0) return;
  out.write("\nKernels that do the same work in A and B: ");
  if (all == 0) return out.write(fmt::format("all {} are the same.\n", format_count(same)));
  out.write(fmt::format("{} {} the same, {} {} not; * marks what differs.\n", format_count(same),
                        same == 1 ? "is" : "are", format_count(all), all == 1 ? "is" : "are"));
  constexpr std::size_t kShownUnasked = 5;
  const std::size_t most = command.has_limit ? command.limit : kShownUnasked;
  std::size_t shown = 0;
  for (const KernelPair& pair : diff.kernels) {
    if (!is_other(pair)) continue;
    if (most != 0 && shown == most) break;
    ++shown;
    print_kernel_pair(diff, pair, command, out);
  }
  if (shown < all) out.write(fmt::format("\n{} of {} pairs; all: --limit 0\n", format_count(shown), format_count(all)));
}

void print_diff_text(const TraceDiff& diff, const DiffCommand& command, Output& out) {
  print_head(diff, command, out);
  const DiffKey key = parse_key(command.sort_by);
  constexpr std::string_view kWhat[] = {"total", "self", "count", "average"};
  const std::string_view what = kWhat[static_cast<std::size_t>(key)];
  print_structure(diff, command, out);
  print_rows(diff, key, fmt::format("Kernels, copies and sets ({})", what), is_gpu_activity, command, out);
  print_kernel_pairs(diff, command, out);
  print_rows(
      diff, key, fmt::format("Operators and calls ({})", what),
      [](CategoryClass c) { return c == CategoryClass::kCpuOperator || c == CategoryClass::kRuntime; }, command, out);
  print_rows(
      diff, key, fmt::format("Annotations ({})", what),
      [](CategoryClass c) { return c == CategoryClass::kCpuAnnotation; }, command, out);
}

}  // namespace

void DiffCommand::add_to(CLI::App& diff) {
  diff.add_flag("--json", json, "Write JSON to standard output");
  diff.add_option("--sort-by", sort_by, "Absolute difference of: total (default), self, count, avg")
      ->check(CLI::IsMember({"total", "self", "count", "avg"}))
      ->type_name("KEY");
  diff.add_option("--per-step", per_step,
                  "Divide by the number of steps: auto (default: where they differ), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  diff.add_option("--limit", limit, "Rows of each table; 0 = all (default: 20; with --json all)")
      ->check(CLI::Range(0, 999'999'999))
      ->type_name("N")
      ->each([this](const std::string&) { has_limit = true; });
}

void print_diff(const Trace& a, const Trace& b, const DiffCommand& command, Output& out) {
  DiffOptions options;
  using PerStep = DiffOptions::PerStep;
  options.per_step = command.per_step == "always"  ? PerStep::kAlways
                     : command.per_step == "never" ? PerStep::kNever
                                                   : PerStep::kWhenTheyDiffer;
  TraceDiff diff = compute_diff({&a, SourceId{0}}, {&b, SourceId{0}}, options);
  sort_diff(diff, parse_key(command.sort_by));
  if (command.json)
    print_diff_json(a, b, diff, command, out);
  else
    print_diff_text(diff, command, out);
}

constexpr const char* kDiffHelp =
    R"help(Compares two traces over their measured windows (lacuna report --help): wall and step time, GPU busy,
idle time by cause, and every name with count and time, sorted by absolute difference (B - A). Names
meet across traces with every ProfilerStep as ProfilerStep#* and addresses as 0x*.
"By structure" aligns what calls what, modules and operators down to their kernels, and shows the places whose kernel
time differs most: several of A for one of B, or for what torch.compile made in B, are fused, the other way round
split; one for another at the same place is replaced.
JSON keys of --json:
  a, b          path, gpu, wallNs, steps (measured), medianStepNs, busyNs, idleNs, verdict,
                time (as in report), idleByCause (launch_boundNs …),
                phases[] (of inference servers: phase, steps, medianNs, lengthNs, gpuBusyNs)
  perStep       the differences are of numbers divided by the steps of their side; those in a and b
                never are
  rows[]        name, category (kernel, memcpy, memset, operator, runtime, annotation, gpuAnnotation,
                python, overhead, synchronisation, other), new, vanished
    a, b        count, totalNs, selfNs, avgNs, longestStartNs
    totalDifferenceNs, selfDifferenceNs, countDifference, avgDifferenceNs
  rowCount
  kernelPairs[] kernels of one operator and class, taken in the order of their launches where both sides launch as
                many (a step): class, same (the same kernel?), sentence, differs (labels of the facts that differ)
    a, b        null (that side has none), or name, operator (null: none), count, totalNs, longestStartNs, title,
                facts (as lacuna kernel --json)
  kernelPairCount
  structure     modules (both have them; else they are left out), rowCount, operatorCount
    rows[]      each behind its parent, those that differ most first: name, kind (root, module, operator, region,
                noLaunch, kernel), relation (same, replaced, fused, split, onlyA, onlyB), depth, parent (index; null:
                the root), kernelDifferenceNs, movedNs (absolute differences of the kernels below)
      a, b      null, or names, count, hostNs, kernels and kernelNs (below), ownKernelNs (right below), longestStartNs
    operators[] wherever they stand: name
      a, b      count, hostNs, kernelNs (launched in it), ownKernelNs (with no operator in between))help";

Command diff_command(CommandContext& context) {
  const auto run = [&context](const DiffCommand& command) -> Result<void> {
    const Result<Trace> a = load_traces({command.name_a}, context.load.import);
    if (!a) return tl::make_unexpected(a.error());
    const Result<Trace> b = load_traces({command.name_b}, context.load.import);
    if (!b) return tl::make_unexpected(b.error());
    print_warnings(*a, stderr);
    print_warnings(*b, stderr);
    return answer([&](Output& out) { return print_diff(*a, *b, command, out), Result<void>(); });
  };
  const auto options = std::make_shared<DiffCommand>();
  Command diff = make_command("diff", "What differs between two traces, by name and by cause", kDiffHelp, options, run);
  diff.add_options = [&context, options](CLI::App& app) {
    app.add_option("A", options->name_a, "Trace to compare with")->required()->type_name("");
    app.add_option("B", options->name_b, "Trace to compare")->required()->type_name("");
    context.load.add_options_to(app);
    options->add_to(app);
  };
  return diff;
}

}  // namespace lacuna
