#include "model/steps/step_phases.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "model/report/brief.h"
#include "model/report/headline.h"
#include "model/report/report_cards.h"
#include "render/format.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

constexpr Nanos kServerUs = 1'000;
const ReportFormat kPhaseFormat{format_duration, format_count, format_percent, format_bytes};

/// Steps one after the other, each with a graph of one kernel.
class ServerMaker {
 public:
  /// The annotation from `begin` on for 20 us, its graph launched after 5 us, its kernel from `begin` + 10 us on.
  ServerMaker& step(std::string_view name, Nanos begin_us, Nanos gpu_us) {
    const Nanos begin = begin_us * kServerUs;
    ++correlation_;
    make_.thread(name, begin, begin + 20 * kServerUs, "user_annotation")
        .launch("cudaGraphLaunch", begin + 5 * kServerUs, begin + 8 * kServerUs, correlation_)
        .kernel("gemm", begin + 10 * kServerUs, begin + (10 + gpu_us) * kServerUs, correlation_);
    return *this;
  }
  ServerMaker& frame(std::string_view name, Nanos begin_us, Nanos end_us) {
    make_.thread(name, begin_us * kServerUs, end_us * kServerUs, "python_function");
    return *this;
  }
  TraceMaker& maker() { return make_; }
  Trace build() { return make_.build(); }

 private:
  TraceMaker make_;
  std::uint64_t correlation_ = 0;
};

StepPhases phases_of(const Trace& trace) {
  return find_step_phases(trace, find_measured_steps(trace, SourceId{0}));
}

/// Two that decode around one that reads a prompt, and what the thread does between the first and the second.
Trace three_steps() {
  ServerMaker make;
  make.step("step[DECODE bs=4]", 0, 30)  // GPU: 10 to 40
      .frame("sglang/srt/managers/scheduler.py(9): event_loop_overlap", 42, 100)
      .frame("sglang/srt/managers/scheduler.py(7): recv_requests", 50, 60)
      .frame("zmq/sugar/socket.py(7): recv", 52, 58)
      .frame("sglang/srt/layers/sampler.py(3): forward", 60, 65)
      .step("step[EXTEND bs=1 toks=64]", 105, 100)                        // GPU: 115 to 215
      .step("step[DECODE bs=8]", 225, 35);                                // GPU: 235 to 270
  make.maker().kernel("beside", 70 * kServerUs, 72 * kServerUs, 0, "8");  // not of any step, and it keeps the GPU busy
  return make.build();
}

}  // namespace

TEST_CASE("phases: steps, medians, graphs, and what the GPU did") {
  const Trace trace = three_steps();
  const StepPhases phases = phases_of(trace);
  REQUIRE(phases.phases.size() == 2);
  const PhaseTimes& prefill = phases.phases[0];
  const PhaseTimes& decode = phases.phases[1];
  CHECK(prefill.phase == StepPhase::kPrefill);
  CHECK(decode.phase == StepPhase::kDecode);
  CHECK(prefill.steps == 1);
  CHECK(prefill.tokens == 64);
  CHECK(prefill.gpu_span_median == 100 * kServerUs);
  CHECK(prefill.median == 110 * kServerUs);  // from its annotation to the end of its work
  CHECK(prefill.busy == 100 * kServerUs);
  CHECK(decode.steps == 2);
  CHECK(decode.requests == 12);
  CHECK(decode.host_median == 20 * kServerUs);
  CHECK(decode.graph_launches == 2);
  CHECK(decode.graph_launch_time == 6 * kServerUs);
  CHECK(decode.length == (40 + 45) * kServerUs);
  CHECK(decode.busy == 65 * kServerUs);
  CHECK(decode.idle_before == 20 * kServerUs);  // 215 to 235
  REQUIRE(phases.by_batch.size() == 3);
  CHECK(phases.by_batch[1].batch_size == 4);
  CHECK(phases.by_batch[2].batch_size == 8);
  CHECK(phases.by_batch[2].median == 45 * kServerUs);
}

TEST_CASE("phases: what the thread was at while the GPU was idle before a step") {
  const PhaseTimes prefill = phases_of(three_steps()).phases.at(0);
  // From 40 to 115, less 2 of the kernel beside.
  CHECK(prefill.idle_before == 73 * kServerUs);
  CHECK(prefill.longest_idle == TimeSpan{40 * kServerUs, 115 * kServerUs});
  CHECK(prefill.at(ServerWork::kRequests) == 10 * kServerUs);
  CHECK(prefill.at(ServerWork::kSampling) == 5 * kServerUs);
  CHECK(prefill.at(ServerWork::kScheduler) == (100 - 42 - 15 - 2) * kServerUs);
  CHECK(prefill.at(ServerWork::kStep) == 10 * kServerUs);    // from 105 on
  CHECK(prefill.at(ServerWork::kUnknown) == 7 * kServerUs);  // 40 to 42, 100 to 105
  Nanos sum = 0;
  for (const Nanos part : prefill.idle_by) sum += part;
  CHECK(sum == prefill.idle_before);
}

TEST_CASE("phases: a step that goes on after its GPU work keeps the GPU waiting for the next") {
  ServerMaker make;
  make.step("step[DECODE bs=4]", 0, 5).step("step[DECODE bs=4]", 30, 5);  // GPU: 10 to 15, 40 to 45
  const PhaseTimes decode = phases_of(make.build()).phases.at(0);
  CHECK(decode.idle_before == 25 * kServerUs);
  CHECK(decode.at(ServerWork::kStepBefore) == 5 * kServerUs);
  CHECK(decode.at(ServerWork::kUnknown) == 10 * kServerUs);
  CHECK(decode.at(ServerWork::kStep) == 10 * kServerUs);
}

TEST_CASE("phases: of servers only") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100, "user_annotation")
      .thread("execute_diffusion_1_64x64", 0, 50, "user_annotation");
  CHECK(phases_of(make.build()).empty());
  CHECK(phases_of(Trace{}).empty());
}

TEST_CASE("phases: a steady state leaves out ramp up and drain") {
  const auto steady = [](const std::vector<int>& sizes) {
    ServerMaker make;
    Nanos begin = 0;
    for (const int size : sizes) {
      make.step("step[DECODE bs=" + std::to_string(size) + "]", begin, 40);
      begin += 60;
    }
    return phases_of(make.build()).steady;
  };
  const auto found = steady({2, 5, 60, 64, 64, 64, 63, 64, 64, 64, 64, 64, 40, 3});
  REQUIRE(found);
  CHECK(found->first == 2);
  CHECK(found->last == 11);
  CHECK(found->ramp_up == 2);
  CHECK(found->drain == 2);
  CHECK(found->most == 64);
  CHECK(found->window.begin == 120 * kServerUs);
  CHECK(!steady({64, 64, 64, 64, 64, 64, 64, 64, 64, 64}));             // nothing to leave out
  CHECK(!steady({1, 64, 64, 64, 64, 64, 64, 1}));                       // too few
  CHECK(!steady({1, 64, 1, 1, 64, 1, 64, 2, 1, 64, 1, 64, 3, 64, 1}));  // up and down
  CHECK(!steady({1, 1, 1, 1, 1, 1, 64, 64, 64, 1, 1, 1, 1, 1}));        // a short burst
}

TEST_CASE("phases: the headline names the one that loses most, where one does") {
  const auto trace = [](Nanos decode_gap_us) {
    ServerMaker make;
    Nanos begin = 0;
    for (int i = 0; i < 6; ++i) {
      make.step("step[EXTEND bs=1 toks=64]", begin, 50);
      make.step("step[DECODE bs=4]", begin + 50 + decode_gap_us, 20);
      begin += 50 + decode_gap_us + 20 + 40;
    }
    return make.build();
  };
  const auto sentence = [](const Trace& of) {
    const std::vector<Report> reports = compute_reports(of);
    return make_headline(of, reports, kPhaseFormat).subjects.at(0).sentence;
  };
  CHECK(sentence(trace(400)).find(", mostly in decode: ") != std::string::npos);
  CHECK(sentence(trace(42)).find("mostly in") == std::string::npos);  // both lose as much
}

TEST_CASE("phases: the headline says what the CPU was at between the steps, where that is half of it") {
  const auto sentence = [](Nanos until_us) {
    ServerMaker make;
    for (const Nanos begin : {0, 300, 600})
      make.step("step[DECODE bs=4]", begin, 20)
          .frame("sglang/srt/managers/scheduler.py(9): get_next_batch_to_run", begin + 30, begin + until_us);
    const Trace trace = make.build();
    const std::vector<Report> reports = compute_reports(trace);
    return make_headline(trace, reports, kPhaseFormat).subjects.at(0).sentence;
  };
  CHECK(sentence(290).find(": outside any step (the CPU: scheduler)") != std::string::npos);
  CHECK(sentence(100).find("the CPU: ") == std::string::npos);
}

TEST_CASE("phases: report and brief say them") {
  const Trace trace = three_steps();
  const std::vector<Report> reports = compute_reports(trace);
  const std::vector<ReportSection> sections = describe_report(trace, reports.at(0), kPhaseFormat);
  const auto found = std::ranges::find(sections, "phases", &ReportSection::key);
  REQUIRE(found != sections.end());
  CHECK(found->table.rows.size() == 3);
  const auto says = [](const std::vector<std::string>& lines, std::string_view words) {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(words) != line.npos; });
  };
  std::vector<std::string> lines;
  for (const ReportLine& line : found->lines) lines.push_back(line.text);
  CHECK(says(lines, std::string("prefill: 1 step, median ") + format_duration(110 * kServerUs)));
  CHECK(says(lines, std::string("idle for ") + format_duration(73 * kServerUs)));
  CHECK(says(lines,
             "scheduler (56.2 %), waiting for requests (13.7 %), the step itself, before its first "
             "GPU work (13.7 %)"));
  const std::vector<ReportCard> cards = make_report_cards(trace, reports.at(0), kPhaseFormat);
  const auto card = std::ranges::find(cards, "phases", &ReportCard::section);
  REQUIRE(card != cards.end());
  CHECK(card->number == "56.4 % prefill");
  CHECK(card->parts.size() == 2);
  CHECK(says(make_brief(trace, reports.at(0), kPhaseFormat).summary, "prefill: 1 step"));
}

TEST_CASE("what frames and annotations of servers are about") {
  const auto work = [](std::string_view name) { return server_work_of(name); };
  CHECK(work("/x/sglang/srt/managers/scheduler.py(12): get_next_batch_to_run") == ServerWork::kScheduler);
  CHECK(work("/x/sglang/srt/managers/scheduler.py(12): recv_requests") == ServerWork::kRequests);
  CHECK(work("/x/sglang/srt/managers/scheduler.py(12): _run_batch_inner") == ServerWork::kStep);
  CHECK(work("/x/vllm/v1/core/sched/scheduler.py(88): schedule") == ServerWork::kScheduler);
  CHECK(work("schedule: allocate_slots") == ServerWork::kScheduler);
  CHECK(work("gpu_model_runner: sample") == ServerWork::kSampling);
  CHECK(work("/x/vllm/v1/worker/gpu_model_runner.py(3): _sample") == ServerWork::kSampling);
  CHECK(work("Forward") == ServerWork::kStep);
  CHECK(!work("/x/torch/nn/modules/linear.py(9): forward"));
  CHECK(work("Bookkeep") == ServerWork::kSampling);
  CHECK(work("llm_engine step: process_outputs") == ServerWork::kDetokenising);
  CHECK(work("/x/vllm/v1/engine/core.py(5): _process_input_queue") == ServerWork::kRequests);
  CHECK(work("/x/vllm/distributed/device_communicators/shm_broadcast.py(5): acquire_read") ==
        ServerWork::kOtherProcess);
  CHECK(work("/x/uvicorn/protocols/http/httptools_impl.py(5): data_received") == ServerWork::kHttp);
  CHECK(work("execute_context_0(0)_generation_8(8)") == ServerWork::kStep);
  CHECK(!work("/x/torch/nn/functional.py(9): upsample"));
  CHECK(!work("aten::resample"));
  CHECK(!work("threading.py(320): wait"));
}

}  // namespace lacuna
