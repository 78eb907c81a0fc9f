#include "model/report/report_words.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "model/report/advice.h"

namespace lacuna {
namespace {

/// From this part of the window on, work from before the recording is worth a warning.
constexpr double kForeignWork = 0.01;

/// Writes the sections of one report.
class Writer {
 public:
  Writer(const Trace& trace, const Report& report, const ReportFormat& format, std::size_t rows)
      : trace_(trace), report_(report), f_(format), rows_(rows) {}

  std::vector<ReportSection> run() {
    summary();
    advice();
    steps();
    time();
    waiting();
    kernels();
    operators();
    copies();
    communication();
    memory();
    missing();
    return std::move(sections_);
  }

 private:
  // --- small parts -----------------------------------------------------------------------------

  ReportSection& open(std::string_view key, std::string_view title) {
    sections_.push_back({key, title, {}, {}});
    return sections_.back();
  }
  void line(std::string text, ReportTone tone = ReportTone::kFact,
            std::vector<ReportPlace> places = {}) {
    sections_.back().lines.push_back({std::move(text), tone, std::move(places)});
  }
  void row(std::vector<std::string> cells, ReportPlace place) {
    ReportTable& table = sections_.back().table;
    ++table.row_count;
    if (rows_ != 0 && table.rows.size() >= rows_) return;
    table.rows.push_back(std::move(cells));
    table.places.push_back(place);
  }
  std::string text(StringId name) const { return std::string(trace_.text(name)); }
  std::string part(Nanos a, Nanos b) const { return f_.percent(TimeUse::part(a, b)); }
  std::string of_window(Nanos t) const { return part(t, report_.use.wall); }
  ReportPlace place(SliceId slice) const {
    return slice.valid() ? ReportPlace{trace_.span(slice), slice} : ReportPlace{{0, 0}, {}};
  }
  std::vector<ReportPlace> places(SliceId slice) const {
    return slice.valid() ? std::vector{place(slice)} : std::vector<ReportPlace>{};
  }
  static std::vector<ReportPlace> places(const Gap& gap) {
    return {{{gap.start, gap.end}, gap.after}};
  }
  /// "1 gap", "2 gaps"
  std::string count_of(std::uint64_t n, std::string_view what) const {
    return fmt::format("{} {}{}", f_.count(n), what, n == 1 ? "" : "s");
  }
  static std::string gigabytes(double value) { return fmt::format("{:.3g} GB/s", value); }
  std::string window_name() const {
    const ReportSteps& s = report_.steps;
    if (!s.has_steps()) return "the whole recording";
    const std::size_t measured = s.steps.size() - s.warm_up_count;
    if (measured == 1) return text(s.steps.back().name);
    return fmt::format("{} to {} ({} steps)", trace_.text(s.steps[s.warm_up_count].name),
                       trace_.text(s.steps.back().name), measured);
  }

  // --- sections --------------------------------------------------------------------------------

  void summary() {
    open("summary", "Summary");
    const TimeUse& use = report_.use;
    const DeviceReport* device = report_.busiest();
    line(fmt::format("Measured: {}, {} of wall time.", window_name(), f_.duration(use.wall)),
         ReportTone::kFact, {{report_.window, {}}});
    if (device == nullptr) {
      line("No kernel, copy or set: the trace says nothing of a GPU.", ReportTone::kWarning);
      return;
    }
    const bool is_busy = TimeUse::part(device->busy, use.wall) >= kBusyEnough;
    line(fmt::format("GPU {} was busy {} of that time ({}; what overlaps counts once) and idle {}.",
                     trace_.text(device->device), of_window(device->busy), f_.duration(device->busy),
                     f_.duration(device->idle)),
         is_busy ? ReportTone::kGood : ReportTone::kWarning, {{report_.window, {}}});
    for (std::size_t d = 1; d < report_.devices.size(); ++d)
      line(fmt::format("GPU {} was busy {}.", trace_.text(report_.devices[d].device),
                       of_window(report_.devices[d].busy)));
    line(fmt::format("Verdict: {}. {}", bound_name(report_.bound), reason(*device)),
         is_busy ? ReportTone::kGood : ReportTone::kWarning, verdict_places(*device));
    behind();
    const MissingReport& missing = report_.missing;
    if (TimeUse::part(missing.unlinked_at_start_busy, use.wall) >= kForeignWork)
      line(fmt::format("{} of the busy time ({} of the window) is work that was launched before the recording "
                       "began: this window pays for what came before it.",
                       f_.duration(missing.unlinked_at_start_busy),
                       of_window(missing.unlinked_at_start_busy)),
           ReportTone::kWarning, places(missing.first_unlinked));
    if (missing.has_stacks && !is_busy)
      line("Python stacks were recorded (with_stack), which slows the CPU down: without the profiler the "
           "GPU waits less than shown here.",
           ReportTone::kWarning);
    const LaunchReport& launch = report_.launch;
    if (launch.launches > 0)
      line(fmt::format(
          "{} launches: the CPU issues one every {} (median) and spends {} in the call; what it "
          "starts takes the GPU {}; {} of them need less time on the GPU than the call takes{}.",
          f_.count(launch.launches), f_.duration(launch.median_period),
          f_.duration(launch.median_call), f_.duration(launch.median_gpu),
          f_.percent(static_cast<double>(launch.short_ones) / static_cast<double>(launch.launches)),
          launch.graphs > 0 ? fmt::format(" ({} start several activities: graphs)",
                                          f_.count(launch.graphs))
                            : std::string{}));
  }

  std::string reason(const DeviceReport& device) const {
    const TimeUse& use = report_.use;
    const Nanos launch = device.lost(GapCause::kLaunchBound) + device.lost(GapCause::kKernelSpacing);
    switch (report_.bound) {
      case Bound::kCompute:
        return fmt::format("It was busy for {} or more, and computes for {} of the time.",
                           f_.percent(kBusyEnough), of_window(use.compute));
      case Bound::kCommunication:
        return fmt::format("Communication that no computation hides takes {} of the time.",
                           of_window(use.exposed()));
      case Bound::kCopies:
        return fmt::format("Copies and sets that no kernel hides take {} of the time.",
                           of_window(use.at(TimeKind::kMemcpy) + use.at(TimeKind::kMemset)));
      case Bound::kLaunch:
        return fmt::format(
            "Of {} idle time, {} passed because the next launch came too late, or between launches "
            "that were queued ({}).",
            f_.duration(device.idle), part(launch, device.idle),
            f_.duration(device.lost(GapCause::kKernelSpacing)));
      case Bound::kMixed:
        return fmt::format("Of {} idle time, no cause makes up half; see below.",
                           f_.duration(device.idle));
      case Bound::kUnknown:
        return fmt::format("Of {} idle time, {} was before its first or after its last activity.",
                           f_.duration(device.idle), f_.duration(device.at_edges));
      default:
        return fmt::format("Most of {} idle time has that cause; see below.",
                           f_.duration(device.idle));
    }
  }

  std::vector<ReportPlace> verdict_places(const DeviceReport& device) const {
    const bool communicates = report_.bound == Bound::kCommunication;
    if (report_.bound == Bound::kCompute || communicates)
      for (const ReportKernel& kernel : report_.kernels)
        if (kernel.is_communication == communicates) return places(kernel.longest);
    if (report_.bound == Bound::kCopies && !report_.copies.empty())
      return places(report_.copies.front().longest);
    std::size_t most = 0;
    for (std::size_t c = 1; c < kGapCauseCount; ++c)
      if (device.by_cause[c] > device.by_cause[most]) most = c;
    if (device.by_cause[most] == 0) return {};
    return places(device.longest[most]);
  }

  /// How far the GPU lags behind at the end of the steps.
  void behind() {
    std::vector<Nanos> lags;
    for (const StepReport& step : report_.by_step)
      if (!step.step.is_warm_up && step.gpu_end != 0) lags.push_back(step.gpu_lag());
    if (lags.empty()) return;
    const Nanos lag = lower_median(lags);
    const StepReport& last = report_.by_step.back();
    line(lag == 0 ? std::string("At the end of a step the GPU has nothing of it left to do: the CPU "
                                "does not run ahead.")
                  : fmt::format("At the end of a step the GPU still works on it for {} (median): so "
                                "far the CPU runs ahead.",
                                f_.duration(lag)),
         ReportTone::kFact,
         last.gpu_end > last.step.span.end
             ? std::vector<ReportPlace>{{{last.step.span.end, last.gpu_end}, {}}}
             : std::vector<ReportPlace>{});
  }

  void steps() {
    ReportSection& section = open("steps", "Steps");
    const ReportSteps& s = report_.steps;
    if (!s.has_steps()) {
      line("No ProfilerStep annotations: call prof.step() after each iteration to have numbers per "
           "step.",
           ReportTone::kWarning);
      return;
    }
    line(fmt::format("{}; median {}.", count_of(s.steps.size() - s.warm_up_count, "step"),
                     f_.duration(s.median())));
    for (const ReportStep& step : s.steps)
      if (step.is_warm_up)
        line(fmt::format("{} is left out as warm-up: {} is more than {} times the median of the "
                         "steps after it ({}).",
                         trace_.text(step.name), f_.duration(step.span.duration()), kWarmUpFactor,
                         f_.duration(step.rest_median)),
             ReportTone::kFact, places(step.annotation));
    if (s.warm_up_count == 0)
      line(s.steps.size() > kWarmUpRest
               ? fmt::format("No warm-up left out: the first step takes no more than {} times the "
                             "median of the others.",
                             kWarmUpFactor)
               : fmt::format("Warm-up cannot be told from {}; {} are needed.",
                             count_of(s.steps.size(), "step"), kWarmUpRest + 1));
    section.table.columns = {{"Step"}, {"Wall", true}, {"GPU busy", true}};
    for (std::size_t k = 0; k < kTimeKindCount; ++k)
      section.table.columns.push_back(
          {std::string(time_kind_name(static_cast<TimeKind>(k))), true});
    section.table.columns.push_back({"GPU lag", true});
    section.table.columns.push_back({"Launches", true});
    for (const StepReport& step : report_.by_step) {
      std::vector<std::string> cells = {
          text(step.step.name) + (step.step.is_warm_up ? " (warm-up)" : ""),
          f_.duration(step.use.wall), f_.percent(step.use.busy_share())};
      for (std::size_t k = 0; k < kTimeKindCount; ++k)
        cells.push_back(f_.percent(step.use.share(static_cast<TimeKind>(k))));
      cells.push_back(f_.duration(step.gpu_lag()));
      cells.push_back(f_.count(step.launches));
      row(std::move(cells), place(step.step.annotation));
    }
  }

  void time() {
    ReportSection& section = open("time", "Where the time goes");
    section.table.columns = {{"What"}, {"Time", true}, {"Share", true}, {"Definition"}};
    for (std::size_t k = 0; k < kTimeKindCount; ++k) {
      const auto kind = static_cast<TimeKind>(k);
      ReportTable& table = section.table;
      ++table.row_count;
      table.rows.push_back({std::string(time_kind_name(kind)), f_.duration(report_.use.at(kind)),
                            f_.percent(report_.use.share(kind)),
                            std::string(time_kind_definition(kind))});
      table.places.push_back({report_.window, {}});
    }
    line("Each moment counts once, for the first of these that was going on; the rows add up to the "
         "wall time.");
  }

  void waiting() {
    const DeviceReport* device = report_.busiest();
    if (device == nullptr) return;
    ReportSection& section = open("waiting", "Why the GPU waits");
    section.table.columns = {
        {"Operator"}, {"Idle GPU time", true}, {"Of the window", true}, {"Places", true}};
    std::vector<std::size_t> causes;
    for (std::size_t c = 0; c < kGapCauseCount; ++c)
      if (device->by_cause[c] > 0) causes.push_back(c);
    std::ranges::stable_sort(causes, std::ranges::greater{},
                             [&](std::size_t c) { return device->by_cause[c]; });
    for (const std::size_t c : causes)
      line(fmt::format("{}: {} ({} of the window) in {}, the longest {}.",
                       cause_name(static_cast<GapCause>(c)), f_.duration(device->by_cause[c]),
                       of_window(device->by_cause[c]), count_of(device->gaps[c], "gap"),
                       f_.duration(device->longest[c].duration())),
           ReportTone::kFact, places(device->longest[c]));
    if (device->at_edges > 0) {
      const bool is_first = device->edges[0].duration() >= device->edges[1].duration();
      line(fmt::format("{} ({} of the window) passed before its first or after its last activity in the "
                       "file{}.",
                       f_.duration(device->at_edges), of_window(device->at_edges),
                       device->edge_data_loading > 0
                           ? fmt::format(", {} of it waiting for data",
                                         f_.duration(device->edge_data_loading))
                           : std::string{}),
           ReportTone::kFact, {{device->edges[is_first ? 0 : 1], {}}});
    }
    if (report_.profiler > 0)
      line(fmt::format("The profiler itself was at work for {} ({} of the window), on whatever thread.",
                       f_.duration(report_.profiler), of_window(report_.profiler)));
    if (report_.code_loading > 0)
      line(fmt::format("CUDA loaded code for {} ({} of the window): first calls of kernels.",
                       f_.duration(report_.code_loading), of_window(report_.code_loading)));
    if (report_.allocation_count > 0)
      line(fmt::format("{} of the driver to allocate, free or pin memory took {} ({} of the window).",
                       count_of(report_.allocation_count, "call"),
                       f_.duration(report_.allocation_calls), of_window(report_.allocation_calls)),
           ReportTone::kFact, places(report_.longest_allocation));
    for (const ReportWait& wait : report_.waits)
      row({wait.name == kEmptyString ? std::string("(nothing recorded)") : text(wait.name),
           f_.duration(wait.lost), of_window(wait.lost), f_.count(wait.places)},
          wait.worst);
  }

  void kernels() {
    const KernelReport& all = report_.kernel;
    if (all.count == 0) return;
    ReportSection& section = open("kernels", "Kernels");
    line(fmt::format("{} kernels of {} names; their durations add up to {}; the median is {}.",
                     f_.count(all.count), f_.count(report_.kernels.size()), f_.duration(all.total),
                     f_.duration(all.median)));
    tensor_cores();
    if (all.occupancy_known > 0) {
      line(fmt::format("Occupancy {:.1f} % (estimate by CUPTI, mean weighted by time, known for {} "
                       "of it); blocks for {} of the SMs. Collectives do not count here.",
                       all.occupancy, f_.percent(all.occupancy_known), f_.percent(all.sm_share)));
      if (all.small_grids > 0)
        line(fmt::format("Kernels with less than one block per SM take {} ({} of the time of kernels "
                         "that compute).",
                         f_.duration(all.small_grids), part(all.small_grids, all.compute)),
             ReportTone::kFact, places(all.longest_small));
    }
    section.table.columns = {{"Kernel"},           {"Count", true},        {"Total", true},
                             {"Kernel time", true}, {"Avg", true},         {"Occupancy", true},
                             {"Tensor cores"}};
    for (const ReportKernel& kernel : report_.kernels)
      row({text(kernel.name), f_.count(kernel.count), f_.duration(kernel.total),
           part(kernel.total, all.total),
           f_.duration(kernel.total / static_cast<Nanos>(kernel.count)),
           kernel.occupancy < 0 ? std::string("-") : fmt::format("{:.0f} %", kernel.occupancy),
           std::string(matrix_word(kernel.matrix))},
          place(kernel.longest));
  }

  static std::string_view matrix_word(MatrixUse use) {
    switch (use) {
      case MatrixUse::kTensor: return "yes";
      case MatrixUse::kPlain: return "no";
      case MatrixUse::kUnclear: return "name does not tell";
      case MatrixUse::kNone: break;
    }
    return "";
  }

  void tensor_cores() {
    const KernelReport& all = report_.kernel;
    if (all.tensor + all.plain_matrix + all.unclear_matrix == 0) {
      line("No kernel has the name of a matrix product, convolution or attention.");
      return;
    }
    std::string words = fmt::format("By their names, kernels with tensor cores take {} of the time "
                                    "of kernels that compute, matrix products and convolutions "
                                    "without {}",
                                    part(all.tensor, all.compute),
                                    part(all.plain_matrix, all.compute));
    if (all.unclear_matrix > 0)
      words += fmt::format(", and {} have names that do not tell", part(all.unclear_matrix, all.compute));
    line(words + ".", ReportTone::kFact, places(all.longest_plain));
  }

  void operators() {
    if (report_.operators.empty()) return;
    ReportSection& section = open("operators", "Operators");
    const bool has_gpu = report_.operators.front().gpu_time > 0;
    line(has_gpu ? "GPU time: what was launched with the operator as the innermost one."
                 : "No GPU work could be traced to an operator; by CPU time.");
    section.table.columns = {{"Operator"},
                             {"Calls", true},
                             {"GPU time", true},
                             {"Self CPU", true},
                             {"Of self CPU", true}};
    for (const ReportOperator& op : report_.operators)
      row({text(op.name), f_.count(op.count), f_.duration(op.gpu_time), f_.duration(op.self_cpu),
           part(op.self_cpu, report_.operator_self_cpu)},
          place(op.longest));
  }

  void copies() {
    if (report_.copies.empty()) return;
    ReportSection& section = open("copies", "Copies and sets");
    section.table.columns = {{"Kind"},        {"Count", true}, {"Bytes", true},
                             {"Time", true}, {"Of the window", true}, {"Rate", true}};
    Nanos pageable = 0;
    SliceId longest;
    for (const ReportKernel& copy : report_.copies) {
      row({text(copy.name), f_.count(copy.count),
           copy.bytes == 0 ? std::string("-") : f_.bytes(copy.bytes), f_.duration(copy.total),
           of_window(copy.total),
           copy.bytes == 0 ? std::string("-") : gigabytes(copy.gigabytes_per_second())},
          place(copy.longest));
      if (trace_.text(copy.name).find("Pageable") == std::string_view::npos) continue;
      if (!longest.valid()) longest = copy.longest;
      pageable = saturating_add(pageable, copy.total);
    }
    if (pageable > 0)
      line(fmt::format("Copies from or to pageable memory take {} ({} of the window).",
                       f_.duration(pageable), of_window(pageable)),
           ReportTone::kFact, places(longest));
  }

  void communication() {
    const TimeUse& use = report_.use;
    if (use.communication == 0) return;
    open("communication", "Communication");
    line(fmt::format("Communication kernels run for {} ({} of the window); {} of that is hidden behind "
                     "computation, {} is exposed ({} of the window).",
                     f_.duration(use.communication), of_window(use.communication),
                     f_.percent(use.hidden_share()), f_.duration(use.exposed()),
                     of_window(use.exposed())),
         ReportTone::kFact, {{report_.window, {}}});
    line("A collective lasts until all ranks have come: waiting for a late rank counts as "
         "communication here.");
  }

  void memory() {
    if (report_.memory.empty()) return;
    ReportSection& section = open("memory", "Memory");
    section.table.columns = {{"Device"},          {"Peak allocated", true}, {"At", true},
                             {"Operator then"},   {"Peak reserved", true},  {"Allocations", true}};
    for (const MemoryTimeline& memory : report_.memory) {
      if (memory.out_of_memory > 0)
        line(fmt::format("{} times out of memory.", f_.count(memory.out_of_memory)),
             ReportTone::kWarning);
      if (memory.times.empty()) continue;
      const Nanos at = memory.times[memory.peak];
      const std::int64_t peak = memory.allocated[memory.peak];
      row({memory.is_gpu ? fmt::format("GPU {}", memory.device) : std::string("CPU"), signed_bytes(peak),
           f_.duration(saturating_sub(at, trace_.span().begin)),
           memory.peak_operator.valid() ? std::string(trace_.name(memory.peak_operator))
                                        : std::string(),
           memory.peak_reserved == 0 ? std::string("-") : signed_bytes(memory.peak_reserved),
           f_.count(memory.allocations)},
          {{at, at}, memory.peak_operator});
      if (!memory.is_absolute)
        line(fmt::format("{}: above what was allocated when the recording began; the file has no "
                         "totals.",
                         memory.is_gpu ? "GPU" : "CPU"));
      const DeviceProperties* properties = report_.properties(trace_);
      if (memory.is_gpu && properties != nullptr && properties->total_memory_bytes > 0)
        line(fmt::format("Peak of GPU {}: {} of its {}.", memory.device,
                         f_.percent(static_cast<double>(peak) /
                                    static_cast<double>(properties->total_memory_bytes)),
                         f_.bytes(properties->total_memory_bytes)),
             ReportTone::kFact, {{{at, at}, memory.peak_operator}});
    }
  }

  std::string signed_bytes(std::int64_t bytes) const {
    return bytes < 0 ? "-" + f_.bytes(static_cast<std::uint64_t>(-(bytes + 1)) + 1)
                     : f_.bytes(static_cast<std::uint64_t>(bytes));
  }

  void missing() {
    open("missing", "What the trace does not say");
    const MissingReport& m = report_.missing;
    const auto count = [&](std::uint64_t n) { return f_.count(n); };
    if (!report_.arguments_error.empty())
      line(fmt::format("Bytes, occupancy and memory could not be read back: {}.",
                       report_.arguments_error),
           ReportTone::kWarning);
    if (!m.has_gpu) line("GPU activity: record with activities=[…, ProfilerActivity.CUDA].");
    if (!m.has_cpu) line("CPU operators: record with activities=[ProfilerActivity.CPU, …].");
    if (m.launches_without_work > 0)
      line(fmt::format("{} of {} kernel and graph launches have no kernel in the file{}: their GPU time is "
                       "missing from every number here.",
                       count(m.launches_without_work), count(m.launch_calls),
                       m.launches_at_end > 0
                           ? fmt::format(" ({} of them were issued after the last recorded activity)",
                                         count(m.launches_at_end))
                           : std::string{}),
           ReportTone::kWarning, places(m.first_launch_without_work));
    if (m.copies_without_work > 0)
      line(fmt::format("{} copy and set calls have no activity in the file (copies of 0 bytes and "
                       "between parts of host memory have none).",
                       count(m.copies_without_work)));
    if (m.unlinked > 0)
      line(fmt::format("{} of {} GPU activities have no launch in the file{}: nothing says which operator "
                       "they belong to or when they were issued.",
                       count(m.unlinked), count(m.activities),
                       m.unlinked_at_start > 0
                           ? fmt::format("; {} of them started before the first recorded launch",
                                         count(m.unlinked_at_start))
                           : std::string{}),
           ReportTone::kWarning, places(m.first_unlinked));
    if (m.has_gpu && !m.has_occupancy)
      line("Occupancy: the file has none (only CUPTI estimates it, not roctracer).");
    if (m.has_cpu && !m.has_shapes) line("Shapes of inputs, and so FLOPs: record_shapes=True.");
    if (m.has_cpu && !m.has_stacks) line("Python stacks: with_stack=True.");
    if (m.has_cpu && !m.has_memory) line("Memory: profile_memory=True.");
    if (!m.has_steps) line("Steps: schedule=… and prof.step().");
    if (sections_.back().lines.empty()) line("Nothing that this report would use is missing.");
  }

  void advice() {
    open("advice", "Advice");
    const AdviceFacts facts = advice_facts(trace_, report_);
    for (const AdviceGiven& given : report_.advice) {
      const AdviceRule& rule = advice_rules()[given.rule];
      const double value = facts.*rule.value;
      const std::string shown = rule.value == &AdviceFacts::step_spread
                                    ? fmt::format("{:.2f} times", value)
                                    : f_.percent(value);
      line(fmt::format("{} (Rule: {}; here {}.)", rule.text, rule.threshold, shown),
           ReportTone::kAdvice, given.places);
    }
    if (report_.advice.empty()) line("No rule fires.");
  }

  const Trace& trace_;
  const Report& report_;
  const ReportFormat& f_;
  const std::size_t rows_;
  std::vector<ReportSection> sections_;
};

}  // namespace

std::vector<ReportSection> describe_report(const Trace& trace, const Report& report,
                                           const ReportFormat& format, std::size_t rows) {
  return Writer(trace, report, format, rows).run();
}

}  // namespace lacuna
