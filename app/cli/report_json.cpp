#include "app/cli/json_writer.h"
#include "app/cli/report.h"
#include "app/tables/report_format.h"
#include "model/report/advice.h"

namespace lacuna {
namespace {

/// Writes one report; members in the order of the help.
class JsonReport {
 public:
  JsonReport(const Trace& trace, const Report& report, JsonWriter& json)
      : trace_(trace), report_(report), json_(json) {}

  void write() {
    head();
    steps();
    phases();
    devices();
    classes();
    rows("kernels", report_.kernels);
    rows("copies", report_.copies);
    operators();
    cpu();
    program();
    totals();
    hardware();
    memory();
    missing();
    advice();
    words();
  }

 private:
  Json place(const ReportPlace& place) const {
    return {{"startNs", place.span.begin},
            {"endNs", place.span.end},
            {"name", place.slice.valid() ? Json(trace_.name(place.slice)) : Json()}};
  }
  Json places(const std::vector<ReportPlace>& list) const {
    Json result = Json::array();
    for (const ReportPlace& one : list) result.push_back(place(one));
    return result;
  }

  void head() {
    const std::optional<std::int64_t>& rank = trace_.sources()[report_.source.value].rank;
    json_.member("file", report_.source.value);
    json_.member("path", trace_.sources()[report_.source.value].path);
    json_.member("rank", rank ? Json(*rank) : Json());
    const DeviceProperties* gpu = report_.properties(trace_);
    json_.member("gpu", gpu == nullptr ? Json() : Json(gpu->name));
    json_.member("window", {{"startNs", report_.window.begin},
                            {"endNs", report_.window.end},
                            {"wallNs", report_.use.wall},
                            {"hasSteps", report_.steps.has_steps()},
                            {"warmUpSteps", report_.steps.warm_up_count}});
    json_.member("verdict", bound_key(report_.bound));
    json_.member("verdictText", bound_name(report_.bound));
    json_.member("confidence", confidence());
    json_.member("time", time(report_.use));
  }

  Json confidence() const {
    const Confidence& sure = report_.confidence;
    Json slowed = Json::array();
    if (sure.by_stacks) slowed.push_back("stacks");
    if (sure.by_shapes) slowed.push_back("shapes");
    if (sure.by_memory) slowed.push_back("memory");
    return {{"level", confidence_key(sure.level)},
            {"idleExplained", sure.idle_explained},
            {"measuredSteps", sure.measured_steps},
            {"launchesWithWork", sure.launches_with_work},
            {"workWithLaunch", sure.work_with_launch},
            {"inOrder", sure.in_order},
            {"slowedBy", slowed}};
  }

  static Json time(const TimeUse& use) {
    Json json = {{"wallNs", use.wall}};
    for (std::size_t k = 0; k < kTimeKindCount; ++k)
      json[std::string(time_kind_key(static_cast<TimeKind>(k))) + "Ns"] = use.by_kind[k];
    json["gpuBusyNs"] = use.gpu_busy;
    json["computeNs"] = use.compute;
    json["communicationKernelNs"] = use.communication;
    json["overlapNs"] = use.overlap;
    return json;
  }

  void steps() {
    json_.begin_list("steps");
    for (const StepReport& step : report_.by_step) {
      Json json = {{"name", trace_.text(step.step.name)}, {"warmUp", step.step.is_warm_up},
                   {"startNs", step.step.span.begin},     {"lengthNs", step.step.length()},
                   {"launches", step.step.launches},      {"gpuLagNs", step.gpu_lag()}};
      json.update(time(step.use));
      json_.element(json);
    }
    json_.end();
  }

  Json phase(const PhaseTimes& of) const {
    Json idle_by = Json::object();
    for (std::size_t w = 0; w < kServerWorkCount; ++w)
      if (of.idle_by[w] > 0) idle_by[std::string(server_work_key(static_cast<ServerWork>(w))) + "Ns"] = of.idle_by[w];
    return {{"phase", step_phase_key(of.phase)},
            {"batchSize", of.batch_size ? Json(*of.batch_size) : Json()},
            {"steps", of.steps},
            {"medianNs", of.median},
            {"medianHostNs", of.host_median},
            {"medianGpuSpanNs", of.gpu_span_median},
            {"lengthNs", of.length},
            {"gpuBusyNs", of.busy},
            {"graphLaunches", of.graph_launches},
            {"graphLaunchNs", of.graph_launch_time},
            {"requests", of.requests},
            {"tokens", of.tokens},
            {"idleBeforeNs", of.idle_before},
            {"idleBeforeBy", idle_by},
            {"idleInsideNs", of.idle_inside},
            {"longest", place({of.longest_idle.empty() ? trace_.span(of.longest) : of.longest_idle, of.longest})}};
  }

  /// Of an inference server; null for others.
  void phases() {
    const StepPhases& of = report_.phases;
    if (of.empty()) return json_.member("phases", Json());
    Json list = Json::array(), by_batch = Json::array(), steady;
    for (const PhaseTimes& one : of.phases) list.push_back(phase(one));
    for (const PhaseTimes& one : of.by_batch) by_batch.push_back(phase(one));
    const PhaseTimes* most = of.loses_most();
    if (of.steady)
      steady = {{"startNs", of.steady->window.begin},
                {"endNs", of.steady->window.end},
                {"steps", of.steady->last - of.steady->first + 1},
                {"requests", of.steady->most},
                {"rampUpSteps", of.steady->ramp_up},
                {"drainSteps", of.steady->drain}};
    json_.member("phases", {{"byPhase", list},
                            {"byBatch", by_batch},
                            {"losesMost", most == nullptr ? Json() : Json(step_phase_key(most->phase))},
                            {"steadyState", steady}});
  }

  Json rank_waits(const CauseIndex::RankWaits& waits) {
    if (waits.total == 0) return {};
    return {{"totalNs", waits.total},
            {"exposedNs", waits.exposed},
            {"longest", place({waits.longest.span, waits.longest.collective})},
            {"longestForRank", waits.longest.rank}};
  }

  void devices() {
    json_.begin_list("devices");
    for (const DeviceReport& device : report_.devices) {
      Json causes = Json::array();
      for (const GapCause cause : all_gap_causes()) {
        const auto c = static_cast<std::size_t>(cause);
        if (device.gaps[c] == 0) continue;
        causes.push_back({{"cause", cause_key(cause)},
                          {"lostNs", device.by_cause[c]},
                          {"gaps", device.gaps[c]},
                          {"longestNs", device.longest[c].duration()},
                          {"longestStartNs", device.longest[c].start}});
      }
      Json waits = Json::array();
      for (const ReportWait& wait : device.waits)
        waits.push_back({{"name", trace_.text(wait.name)},
                         {"lostNs", wait.lost},
                         {"places", wait.places},
                         {"worst", place(wait.worst)}});
      json_.element({{"device", trace_.text(device.device)},
                     {"verdict", bound_key(device.verdict.bound)},
                     {"verdictText", bound_name(device.verdict.bound)},
                     {"confidence", confidence_key(device.confidence.level)},
                     {"idleExplained", device.confidence.idle_explained},
                     {"time", time(device.use)},
                     {"activities", device.activities},
                     {"busyNs", device.busy},
                     {"idleNs", device.idle},
                     {"rankWaits", rank_waits(device.rank_waits)},
                     {"causes", causes},
                     {"waits", waits}});
    }
    json_.end();
  }

  static Json tensor_cores(MatrixUse use) {
    switch (use) {
      case MatrixUse::kTensor:
        return "yes";
      case MatrixUse::kPlain:
        return "no";
      case MatrixUse::kUnclear:
        return "unclear";
      case MatrixUse::kNone:
        break;
    }
    return nullptr;
  }

  void rows(std::string_view key, const std::vector<ReportKernel>& list) {
    json_.begin_list(key);
    for (const ReportKernel& row : list) {
      const TimeSpan longest = trace_.span(row.longest);
      json_.element({{"name", trace_.text(row.name)},
                     {"count", row.count},
                     {"totalNs", row.total},
                     {"bytes", row.bytes},
                     {"occupancyPercent", row.occupancy < 0 ? Json() : Json(row.occupancy)},
                     {"tensorCores", tensor_cores(row.matrix)},
                     {"longestStartNs", longest.begin},
                     {"longestNs", longest.duration()}});
    }
    json_.end();
  }

  void classes() {
    Nanos all = 0;
    for (const ReportKernelClass& of : report_.classes) all = saturating_add(all, of.total);
    json_.begin_list("kernelClasses");
    for (const ReportKernelClass& of : report_.classes)
      json_.element({{"class", kernel_class_key(of.kernel_class)},
                     {"count", of.count},
                     {"totalNs", of.total},
                     {"share", TimeUse::part(of.total, all)}});
    json_.end();
  }

  void operators() {
    json_.begin_list("operators");
    for (const ReportOperator& op : report_.operators)
      json_.element({{"name", trace_.text(op.name)},
                     {"count", op.count},
                     {"gpuTimeNs", op.gpu_time},
                     {"selfCpuNs", op.self_cpu}});
    json_.end();
    json_.member("operatorSelfCpuNs", report_.operator_self_cpu);
    json_.member("graphTimeNs", report_.graph_time);
    json_.member("unattributedNs", report_.unattributed_time);
  }

  /// What a process without a GPU did; null with one.
  void cpu() {
    const CpuReport& c = report_.cpu;
    if (!c.is_known || !report_.devices.empty()) return json_.member("cpu", Json());
    const auto of_kinds = [](const CpuUse& use) {
      Json json = {{"wallNs", use.wall}};
      for (std::size_t k = 0; k < kCpuKindCount; ++k)
        json[std::string(cpu_kind_key(static_cast<CpuKind>(k))) + "Ns"] = use.by_kind[k];
      return json;
    };
    Json steps = Json::array(), threads = Json::array(), frames = Json::array();
    for (const CpuUse& step : c.by_step) steps.push_back(of_kinds(step));
    for (const CpuThread& thread : c.threads)
      threads.push_back({{"tid", trace_.text(trace_.track(thread.track).tid)}, {"operatorsNs", thread.in_operators}});
    for (const CpuFrame& frame : c.frames)
      frames.push_back({{"name", trace_.text(frame.name)},
                        {"waitsIn", frame.waits ? Json(frame.call) : Json()},
                        {"calls", frame.call.empty() ? Json() : Json(frame.call)},
                        {"sampled", frame.is_sampled},
                        {"ownNs", frame.time},
                        {"places", frame.places},
                        {"longest", place({frame.longest, frame.slice})}});
    json_.member("cpu", {{"pid", trace_.text(trace_.process(c.process).pid)},
                         {"tid", trace_.text(trace_.track(c.thread).tid)},
                         {"otherProcesses", c.other_processes},
                         {"time", of_kinds(c.use)},
                         {"steps", steps},
                         {"operatorCalls", c.calls},
                         {"ownNs", c.own_time},
                         {"matrixNs", c.matrix},
                         {"copiesNs", c.copies},
                         {"shortCallsNs", c.short_calls},
                         {"shortCalls", c.short_count},
                         {"threadCount", c.thread_count},
                         {"threads", threads},
                         {"operatorsAnyNs", c.operators_any},
                         {"operatorsParallelNs", c.operators_parallel},
                         {"dataFromWorkersNs", c.data_from_workers},
                         {"dataWaits", c.data_waits},
                         {"shortGaps", c.short_gaps},
                         {"longGaps", c.long_gaps},
                         {"medianGapNs", c.median_gap},
                         {"gilNs", c.gil},
                         {"runningAllThreadsNs", c.all_running},
                         {"preemptedAllThreadsNs", c.all_preempted},
                         {"limits", limits(c.limits)},
                         {"frames", frames}});
  }

  /// Where threads were, by sampling.
  Json seen_place(const SeenPlace& row) const {
    return {{"path", path_of_place(trace_, row)},
            {"timeNs", row.time},
            {"share", row.share},
            {"longest", place({row.longest, row.slice})}};
  }

  static Json limits(const MachineLimits& l) {
    return {{"cores", l.cores == 0 ? Json() : Json(l.cores)},
            {"quotaCores", l.quota_cores ? Json(*l.quota_cores) : Json()},
            {"throttledShare", l.throttled},
            {"pageFaultsPerSecond", l.faults_per_second},
            {"diskFaultsPerSecond", l.disk_faults_per_second}};
  }

  /// What a program did of which only thread states and sampled stacks are known; null for all others.
  void program() {
    const ProgramReport& p = report_.program;
    if (!p.is_known) return json_.member("program", Json());
    Json time = Json::object(), functions = Json::array();
    for (std::size_t k = 0; k < kProgramKindCount; ++k)
      time[std::string(program_kind_key(static_cast<ProgramKind>(k))) + "Ns"] = p.by_kind[k];
    Json seen = Json::object();
    for (std::size_t k = 0; k < kProgramKindCount; ++k) {
      Json rows = Json::array();
      for (const SeenPlace& row : p.places[k]) rows.push_back(seen_place(row));
      if (!rows.empty()) seen[std::string(program_kind_key(static_cast<ProgramKind>(k)))] = std::move(rows);
    }
    for (const SampledFunction& f : p.functions)
      functions.push_back({{"name", trace_.text(f.name)},
                           {"selfNs", f.self},
                           {"totalNs", f.total},
                           {"places", f.places},
                           {"longest", place({trace_.span(f.longest), f.longest})}});
    json_.member("program", {{"pid", trace_.text(trace_.process(p.process).pid)},
                             {"tid", p.thread.valid() ? Json(trace_.text(trace_.track(p.thread).tid)) : Json()},
                             {"otherProcesses", p.other_processes},
                             {"threadCount", p.thread_count},
                             {"leadingThreads", p.leading_count},
                             {"time", time},
                             {"places", std::move(seen)},
                             {"limits", limits(p.limits)},
                             {"runningAllThreadsNs", p.all_running},
                             {"preemptedAllThreadsNs", p.all_preempted},
                             {"sampledNs", p.sampled},
                             {"functions", functions}});
  }

  void totals() {
    const KernelReport& k = report_.kernel;
    json_.member("kernel", {{"count", k.count},
                            {"totalNs", k.total},
                            {"tensorCoreNs", k.tensor},
                            {"plainMatrixNs", k.plain_matrix},
                            {"unclearMatrixNs", k.unclear_matrix},
                            {"occupancyPercent", k.occupancy},
                            {"occupancyKnownShare", k.occupancy_known},
                            {"smShare", k.sm_share < 0 ? Json() : Json(k.sm_share)},
                            {"smallGridNs", k.small_grids},
                            {"medianNs", k.median}});
    const LaunchReport& l = report_.launch;
    json_.member("launch", {{"launches", l.launches},
                            {"graphs", l.graphs},
                            {"short", l.short_ones},
                            {"medianCallNs", l.median_call},
                            {"medianGpuNs", l.median_gpu},
                            {"medianDelayNs", l.median_delay},
                            {"medianPeriodNs", l.median_period}});
    json_.member("interruptions", {{"allocationNs", report_.allocation_calls},
                                   {"allocationCalls", report_.allocation_count},
                                   {"codeLoadingNs", report_.code_loading},
                                   {"profilerNs", report_.profiler}});
  }

  void hardware() {
    json_.begin_list("hardware");
    for (const HardwareReport& gpu : report_.hardware) {
      Json held = Json::array(), falls = Json::array();
      for (const HardwareReport::Held& one : gpu.held) held.push_back({{"reason", one.reason}, {"ns", one.time}});
      for (const ClockFall& fall : gpu.falls)
        falls.push_back({{"startNs", fall.span.begin},
                         {"endNs", fall.span.end},
                         {"lowestMhz", fall.lowest_mhz},
                         {"reason", fall.reason.empty() ? Json() : Json(fall.reason)}});
      const bool any = gpu.at_work > 0;
      json_.element({{"gpu", gpu.gpu},
                     {"atWorkNs", gpu.at_work},
                     {"usualMhz", any ? Json(gpu.usual_mhz) : Json()},
                     {"meanMhz", any ? Json(gpu.mean_mhz) : Json()},
                     {"heldBack", std::move(held)},
                     {"clockFalls", std::move(falls)},
                     {"clockFallCount", gpu.fall_count}});
    }
    json_.end();
  }

  void memory() {
    json_.begin_list("memory");
    for (const MemoryTimeline& m : report_.memory) {
      const bool any = !m.times.empty();
      json_.element({{"device", m.is_gpu ? "gpu:" + std::to_string(m.device) : "cpu"},
                     {"peakBytes", any ? Json(m.allocated[m.peak]) : Json()},
                     {"peakTimeNs", any ? Json(m.times[m.peak]) : Json()},
                     {"peakOperator", m.peak_operator.valid() ? Json(trace_.name(m.peak_operator)) : Json()},
                     {"peakReservedBytes", m.peak_reserved},
                     {"allocations", m.allocations},
                     {"outOfMemory", m.out_of_memory},
                     {"isAbsolute", m.is_absolute}});
    }
    json_.end();
  }

  void missing() {
    const MissingReport& m = report_.missing;
    json_.member("missing", {{"launchCalls", m.launch_calls},
                             {"launchesWithoutWork", m.launches_without_work},
                             {"launchesAfterLastActivity", m.launches_at_end},
                             {"copiesWithoutWork", m.copies_without_work},
                             {"activities", m.activities},
                             {"unlinked", m.unlinked},
                             {"unlinkedAtStart", m.unlinked_at_start},
                             {"gpu", !m.has_gpu},
                             {"cpu", !m.has_cpu},
                             {"steps", !m.has_steps},
                             {"shapes", !m.has_shapes},
                             {"stacks", !m.has_stacks},
                             {"memory", !m.has_memory},
                             {"occupancy", !m.has_occupancy},
                             {"arguments", report_.arguments_error.empty() ? Json() : Json(report_.arguments_error)}});
  }

  void advice() {
    json_.begin_list("advice");
    for (const AdviceGiven& given : report_.advice) {
      const AdviceRule& rule = advice_rules()[given.rule];
      json_.element({{"rule", rule.key},
                     {"threshold", rule.threshold},
                     {"source", rule.source},
                     {"text", rule.text},
                     {"gainNs", given.gain ? Json(*given.gain) : Json()},
                     {"replayedNs", given.gain ? Json(given.replayed) : Json()},
                     {"changes", given.changes},
                     {"blamed", given.blamed ? seen_place(*given.blamed) : Json()},
                     {"meanwhile", given.meanwhile ? seen_place(*given.meanwhile) : Json()},
                     {"places", places(given.places)}});
    }
    json_.end();
  }

  void words() {
    static constexpr std::string_view kTones[] = {"fact", "good", "warning", "advice"};
    json_.begin_list("sections");
    for (const ReportSection& section : describe_report(trace_, report_, kReportFormat, 1)) {
      json_.begin_element_object();
      json_.member("key", section.key);
      json_.member("title", section.title);
      json_.begin_list("lines");
      for (const ReportLine& line : section.lines)
        json_.element({{"text", line.text},
                       {"tone", kTones[static_cast<std::size_t>(line.tone)]},
                       {"places", places(line.places)}});
      json_.end();
      json_.end();
    }
    json_.end();
  }

  const Trace& trace_;
  const Report& report_;
  JsonWriter& json_;
};

}  // namespace

void write_report_json(const Trace& trace, const std::vector<Report>& reports, Output& out) {
  JsonWriter json(out);
  json.begin_list("reports");
  for (const Report& report : reports) {
    if (!out.ok()) break;
    json.begin_element_object();
    JsonReport(trace, report, json).write();
    json.end();
  }
  json.end();
  json.finish();
}

}  // namespace lacuna
