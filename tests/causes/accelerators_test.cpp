// Devices that are not CUDA's: lanes, gaps, busy shares and launches of their traces, as Kineto writes them.

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "model/causes/cause_ranking.h"
#include "model/gaps/gaps.h"
#include "model/import/importer.h"
#include "model/path/critical_path.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

Trace read_events(const std::string& events) {
  auto trace = import_json(R"({"schemaVersion":1,"baseTimeNanoseconds":0,"traceEvents":[)" + events + "]}");
  REQUIRE_MESSAGE(trace.has_value(), trace.error().message());
  return std::move(*trace);
}

/// What is the same for all: an operator launches two works on stream 8 of device 3, the second one late; between them
/// the CPU waits for the first.
struct Words {
  std::string_view runtime;                     ///< category of the calls
  std::string_view launch;                      ///< name of the launching call
  std::string_view wait;                        ///< name of the call that waits
  std::string_view work;                        ///< category of the work
  std::string_view launch_args;                 ///< beside the correlation
  std::string_view work_args;                   ///< likewise
  GapCause cause = GapCause::kSynchronisation;  ///< of the gap: whether the wait is known as one
};

std::string events_of(const Words& w) {
  const auto event = [](std::string_view cat, std::string_view name, std::string_view where, int ts, int dur,
                        const std::string& args) {
    return R"({"ph":"X","cat":")" + std::string(cat) + R"(","name":")" + std::string(name) + R"(",)" +
           std::string(where) + R"(,"ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + R"(,"args":{)" +
           args + "}}";
  };
  const std::string host = R"("pid":100,"tid":100)";
  const std::string device = R"("pid":3,"tid":3774)";
  const auto call = [&](int correlation) {
    return R"("correlation":)" + std::to_string(correlation) + std::string(w.launch_args);
  };
  const auto work = [&](int correlation) {
    return R"("correlation":)" + std::to_string(correlation) + std::string(w.work_args);
  };
  std::string text;
  for (const std::string& e :
       {event("cpu_op", "aten::mm", host, 0, 1000, ""), event(w.runtime, w.launch, host, 10, 20, call(1)),
        event(w.work, "first", device, 50, 200, work(1)), event(w.runtime, w.wait, host, 40, 215, call(2)),
        event(w.runtime, w.launch, host, 500, 20, call(3)), event(w.work, "second", device, 530, 100, work(3))})
    text += (text.empty() ? "" : ",") + e;
  return text;
}

TEST_CASE("MTIA, XPU and private devices have streams, gaps with causes, and launches") {
  const Words devices[] = {
      {"mtia_runtime", "runFunction", "synchronizeStream", "mtia_ccp_events", R"(,"device":3,"stream_id":"8")",
       R"(,"stream":8,"sqid":11)", GapCause::kSynchronisation},
      {"xpu_runtime", "urEnqueueKernelLaunch", "urQueueFinish", "kernel", "",
       R"(,"device":3,"stream":8,"sycl queue":8,"kernel_id":5)", GapCause::kSynchronisation},
      {"privateuse1_runtime", "launchKernel", "streamSynchronize", "kernel", "", R"(,"device":3,"stream":8)",
       GapCause::kLaunchBound},
      {"privateuse1_driver", "launchKernel", "streamSynchronize", "privateuse1_kernel", "", R"(,"device":3,"stream":8)",
       GapCause::kLaunchBound},
      {"hpu_op", "launchRecipe", "synchronize", "kernel", "", R"(,"device":3,"stream":8)", GapCause::kLaunchBound},
      {"hip_runtime", "hipLaunchKernel", "hipStreamSynchronize", "kernel", "", R"(,"device":3,"stream":8)",
       GapCause::kSynchronisation},
  };
  for (const Words& device : devices) {
    CAPTURE(device.runtime);
    CAPTURE(device.work);
    const Trace trace = read_events(events_of(device));
    const std::vector<StreamActivity> streams = analyze_streams(trace);
    REQUIRE(streams.size() == 1);
    CHECK(trace.text(streams[0].device) == "3");
    CHECK(trace.text(streams[0].stream) == "8");
    CHECK(streams[0].events == 2);
    CHECK(streams[0].busy == 300'000);
    CHECK(streams[0].idle() == 280'000);
    REQUIRE(streams[0].gaps.size() == 1);
    CHECK(streams[0].gaps[0].launch.valid());
    CHECK(trace.name(streams[0].gaps[0].launch) == device.launch);
    CHECK(trace.links().by_activity().size() == 2);
    const auto sets = diagnose_devices(CauseIndex(trace));
    REQUIRE(sets.size() == 1);
    CHECK(sets[0].diagnoses[0].cause == device.cause);
    // The path goes through the device.
    bool has_work = false;
    const CriticalPath path = find_critical_path(trace, {.range = {0, 630'000}, .source = {}, .thread = {}});
    for (const PathPart& part : path.parts) has_work |= path_name(trace, part) == "second";
    CHECK(has_work);
  }
}

TEST_CASE("what an XPU waits for is a synchronisation") {
  for (const char* wait : {"urQueueFinish", "urEventWait", "zeEventHostSynchronize", "zeCommandQueueSynchronize"}) {
    CAPTURE(wait);
    // Nothing but the wait keeps the CPU from launching.
    const std::string events = events_of({"xpu_runtime", "urEnqueueKernelLaunch", wait, "kernel", "",
                                          R"(,"device":3,"stream":8)", GapCause::kSynchronisation});
    std::string late = events;
    const std::size_t at = late.find(R"("ts":500)");
    REQUIRE(at != std::string::npos);
    late.replace(at, 8, R"("ts":258)");
    const std::size_t work = late.find(R"("ts":530)");
    late.replace(work, 8, R"("ts":295)");
    const Trace trace = read_events(late);
    const auto sets = diagnose_devices(CauseIndex(trace));
    REQUIRE(sets.size() == 1);
    REQUIRE(sets[0].diagnoses.size() == 1);
    CHECK(sets[0].diagnoses[0].cause == GapCause::kSynchronisation);
  }
}

TEST_CASE("times written as text, as Ascend's traces have them, keep their nanoseconds") {
  const Trace trace =
      read_events(R"({"ph":"X","name":"outer","pid":1,"tid":1,"ts":"1712195495519698.687","dur":"49.743"},)"
                  R"({"ph":"X","name":"inner","pid":1,"tid":1,"ts":"1712195495519698.690","dur":"49.740"})");
  REQUIRE(trace.slice_count() == 2);
  for (const Lane& lane : trace.lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      CHECK(lane.end(i) == lane.start(i) + (trace.text(lane.name(i)) == "outer" ? 49'743 : 49'740));
  CHECK(trace.lanes().size() == 2);  // one inside the other
}

/// One call and its task on an Ascend device, as torch_npu writes them: no categories, times as text.
std::string ascend_task(int n, int called, int starts, int ends, const std::string& name, bool says_connection) {
  const auto at = [](int us) { return R"("1704161511420)" + std::to_string(100 + us) + R"(.500")"; };
  const std::string connection = R"("connection_id":)" + std::to_string(n);
  const std::string id = std::to_string((static_cast<std::uint64_t>(n) << 32) + 4294967295u);
  return R"({"ph":"X","name":"AscendCL@aclnnMul","pid":43,"tid":44,"ts":)" + at(called) +
         R"(,"dur":10,"args":{"Mode":"ACL_OP","level":"acl","connection_id":)" +
         std::to_string(says_connection ? n : 900 + n) +
         R"(}},{"ph":"s","cat":"HostToDevice","name":"HostToDevice","id":")" + id + R"(","pid":43,"tid":44,"ts":)" +
         at(called + 5) + R"(},{"ph":"f","bp":"e","cat":"HostToDevice","name":"HostToDevice","id":")" + id +
         R"(","pid":800,"tid":3,"ts":)" + at(starts) + R"(},{"ph":"X","name":")" + name +
         R"(","pid":800,"tid":3,"ts":)" + at(starts) + R"(,"dur":")" + std::to_string(ends - starts) +
         R"(.25","args":{"Task Type":"AI_CORE","Stream Id":3,"Task Id":)" + std::to_string(n) + "," + connection +
         "}},";
}

TEST_CASE("Ascend: tasks of its devices are a stream with gaps, linked to the calls that handed them over") {
  for (const bool says_connection : {true, false}) {  // by the number that both carry, else by the arrow
    CAPTURE(says_connection);
    const Trace trace = read_events(
        ascend_task(1, 0, 20, 120, "Mul", says_connection) + ascend_task(2, 400, 430, 480, "Add", says_connection) +
        ascend_task(3, 405, 485, 600, "EVENT_WAIT", says_connection) +
        R"({"ph":"X","name":"Computing","pid":900,"tid":0,"ts":"1704161511420100.500","dur":5},)"
        R"({"ph":"M","name":"process_name","pid":800,"args":{"name":"Ascend Hardware"}})");
    const std::vector<StreamActivity> streams = analyze_streams(trace);
    REQUIRE(streams.size() == 1);
    CHECK(trace.text(streams[0].device) == "800");
    CHECK(trace.text(streams[0].stream) == "3");
    CHECK(streams[0].events == 2);  // waiting is no work
    CHECK(streams[0].busy == 150'500);
    CHECK(streams[0].idle() == 309'750);
    CHECK(trace.links().linked == 2);
    REQUIRE(streams[0].gaps.size() == 1);
    REQUIRE(streams[0].gaps[0].launch.valid());
    CHECK(trace.name(streams[0].gaps[0].launch) == "AscendCL@aclnnMul");
    CHECK(diagnose_devices(CauseIndex(trace))[0].diagnoses[0].cause == GapCause::kLaunchBound);
  }
}

TEST_CASE("Ascend: a real trace has the busy and idle time that its own overlap analysis says") {
  const auto trace = shared_trace("quirks/ascend__trace_view.json.gz");
  if (!trace) return;
  const std::vector<DeviceActivity> devices = analyze_devices(*trace);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].events == 276);
  // Summed by a script of its own: the union of the tasks; their "Computing" rows say 1,788,250 ns, "Free" 9,481,667.
  CHECK(devices[0].busy == doctest::Approx(1'790'457).epsilon(0.001));
  CHECK(devices[0].window() == 11'269'917);
  CHECK(trace->links().linked == 274);
  CHECK(trace->links().unlinked() == 2);
}

TEST_CASE("MTIA: a real trace has the streams, windows, slices and launches that a script counted in it") {
  const auto trace = shared_trace("../samples/hta_mtia_inference_rank_0.json.gz");
  if (!trace) return;
  struct Counted {
    std::string_view stream;
    std::uint64_t slices;
    Nanos window, busy;
    std::size_t gaps;
  };
  constexpr Counted kCounted[] = {
      {"101", 81, 329'677'855, 20'177'393, 80},    {"102", 162, 415'961'606, 36'963'120, 161},
      {"103", 54, 344'332'331, 12'965'771, 53},    {"104", 129, 428'675'053, 29'080'432, 128},
      {"105", 47, 387'423'102, 25'240'694, 46},    {"106", 96, 423'328'924, 84'279'683, 95},
      {"107", 72, 322'199'631, 71'371'168, 71},    {"108", 162, 424'579'665, 135'698'571, 161},
      {"109", 126, 314'131'697, 94'530'523, 125},  {"110", 108, 336'455'752, 71'359'478, 107},
      {"111", 156, 425'455'123, 125'291'755, 155}, {"112", 120, 441'347'533, 105'166'582, 119}};
  const std::vector<StreamActivity> streams = analyze_streams(*trace);
  REQUIRE(streams.size() == std::size(kCounted));
  for (std::size_t s = 0; s < streams.size(); ++s) {
    CAPTURE(kCounted[s].stream);
    CHECK(trace->text(streams[s].device) == "17");
    CHECK(trace->text(streams[s].stream) == kCounted[s].stream);
    CHECK(streams[s].events == kCounted[s].slices);
    CHECK(streams[s].window() == kCounted[s].window);
    CHECK(streams[s].busy == kCounted[s].busy);
    CHECK(streams[s].gaps.size() == kCounted[s].gaps);
  }
  const std::vector<DeviceActivity> devices = analyze_devices(*trace);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].window() == 443'275'704);
  CHECK(devices[0].busy == 424'229'939);
  CHECK(devices[0].gaps.size() == 171);
  CHECK(trace->links().linked == 991);  // the others carry no correlation
}

}  // namespace
}  // namespace lacuna
