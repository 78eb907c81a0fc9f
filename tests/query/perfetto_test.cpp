#include <array>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/query/query_database.h"
#include "model/trace/import_finding.h"
#include "tests/support/perfetto_maker.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using namespace perfetto;

Trace open_trace(const std::string& text) {
  const TemporaryFolder folder;
  auto trace = import_files(std::vector<std::string>{folder.write("a.pftrace", text)});
  REQUIRE_MESSAGE(trace.has_value(), trace.error().message());
  return std::move(*trace);
}

/// Rows as "a|b|", one behind the other.
std::string rows_of(const Trace& trace, const std::string& sql) {
  QuerySource source(trace);
  auto database = QueryDatabase::open(source);
  REQUIRE(database.has_value());
  std::string rows;
  const auto done = (*database)->run(
      sql, {}, [](std::span<const std::string>) {},
      [&](std::span<const Cell> row) {
        for (const Cell& cell : row) {
          if (cell.kind == Cell::Kind::kInteger) rows += fmt::format("{}", cell.integer);
          if (cell.kind == Cell::Kind::kReal) rows += fmt::format("{}", cell.real);
          rows += cell.text;
          rows += '|';
        }
        rows += ' ';
        return true;
      });
  REQUIRE_MESSAGE(done.has_value(), done.error().message());
  return rows;
}

constexpr const char* kSlices =
    "SELECT p.name, t.name, s.name, s.ts, s.dur, s.category FROM slice s JOIN thread_track tt ON tt.id = s.track_id "
    "JOIN "
    "thread t USING (utid) LEFT JOIN process p USING (upid) ORDER BY s.ts, s.dur DESC";
constexpr const char* kArguments =
    "SELECT s.name, a.key, a.display_value FROM slice s JOIN args a USING (arg_set_id) ORDER BY s.id, a.id";
constexpr const char* kArrows =
    "SELECT a.name, b.name FROM flow f JOIN slice a ON f.slice_out = a.id JOIN slice b ON f.slice_in = b.id ORDER BY "
    "a.ts, b.ts";

TEST_CASE("track events are slices of their threads and tracks, with categories, args and names") {
  TraceText trace;
  trace.track(Message().number(1, 1).message(3, Message().number(1, 5).text(6, "app")));
  trace.thread(2, 5, 7, "main");
  trace.track(Message().number(1, 3).number(5, 1).text(2, "jobs"));
  trace.track(Message().number(1, 4).number(5, 3).text(2, "inner"));
  trace.track(Message().number(1, 5).number(5, 1).text(2, "state").message(18, Message()));
  const Message dictionary =
      Message()
          .text(10, "d")
          .message(11, annotation("x", 1))
          .message(
              11,
              Message().text(10, "list").message(12, Message().number(4, 2)).message(12, Message().text(6, "q\"\x01")));
  trace.event(
      100,
      begin(2, "outer", "a").number(kGpuApi, 4).text(kCategories, "b").message(kDebugAnnotations, annotation("n", 3)));
  trace.event(110, begin(2, "inside").message(kDebugAnnotations, dictionary));
  trace.event(120, end(2).message(kDebugAnnotations, annotation("result", "ok")));
  trace.event(200, end(2));
  trace.event(210, begin(3, "job")).event(220, end(3)).event(230, begin(4, "part")).event(240, end(4));
  trace.event(250, begin(2, "flag").message(kDebugAnnotations, Message().text(10, "on").number(2, 1)));
  trace.event(260, end(2));
  trace.event(300, Message().number(kEventType, kInstant).number(kEventTrack, 1).text(kEventName, "mark"));
  trace.event(400, Message().number(kEventType, kState).number(kEventTrack, 5).text(kEventName, "idle"));
  trace.event(450, Message().number(kEventType, kState).number(kEventTrack, 5));
  const Trace read = open_trace(trace.text());
  CHECK(rows_of(read, kSlices) ==
        "app|main|outer|100|100|a,b| app|main|inside|110|10|| app|jobs|job|210|10|| app|jobs / inner|part|230|10|| "
        "app|main|flag|250|10|| app|(process)|mark|300|0|| app|state|idle|400|50|| ");
  CHECK(rows_of(read, kArguments) ==
        "outer|args.gpu_api|GPU_API_CUDA| outer|args.n|3| inside|args.d.x|1| inside|args.d.list[0]|2| "
        "inside|args.d.list[1]|q\"\x01| "
        "inside|args.result|ok| flag|args.on|true| ");
  CHECK(read.sources()[0].report.empty());
}

TEST_CASE("call stacks of events are args, the innermost frame first") {
  TraceText trace;
  trace.thread(2, 5, 7, "main");
  Message interned;
  interned.message(kInternedFunctionName, interned_name(1, "outer"))
      .message(kInternedFunctionName, interned_name(2, "leaf"));
  interned.message(kInternedFrame, Message().number(1, 1).number(2, 1))
      .message(kInternedFrame, Message().number(1, 2).number(2, 2));
  interned.message(kInternedCallStack, Message().number(1, 9).number(2, 1).number(2, 2));
  trace.add(packet(0).number(kSequenceFlags, 1).message(kInternedData, interned));
  const Message frame = Message().text(1, "f").text(2, "a.py").number(3, 12);
  trace.event(10, begin(2, "a").message(kCallStack, Message().message(1, frame)).real(kCallStackWeight, 2.5));
  trace.event(20, end(2).number(kCallStackId, 9));
  CHECK(rows_of(open_trace(trace.text()), kArguments) ==
        "a|args.callstack[0]|f (a.py:12)| a|args.callstack_weight|2.5| a|args.end_callstack[0]|leaf| "
        "a|args.end_callstack[1]|outer| ");
}

TEST_CASE("names are interned until the state of their sequence is cleared, and defaults name track and clock") {
  TraceText trace;
  trace.thread(2, 5, 7, "main");
  const auto state = [](std::string_view name) {
    return packet(0)
        .number(kSequenceFlags, 1)
        .message(kInternedData, Message().message(kInternedEventName, interned_name(1, name)))
        .message(kPacketDefaults, Message().message(kTrackEvent, Message().number(kEventTrack, 2)));
  };
  const auto named = [&](std::int64_t time, std::uint64_t type) {
    trace.add(packet(time)
                  .number(kSequenceFlags, 2)
                  .message(kTrackEvent,
                           Message().number(kEventType, static_cast<std::int64_t>(type)).number(kEventNameId, 1)));
  };
  trace.add(state("first"));
  named(10, kSliceBegin);
  named(20, kSliceEnd);
  trace.add(state("second"));
  named(30, kSliceBegin);
  named(40, kSliceEnd);
  // What was lost, and all that is told by its names, is counted and not guessed.
  trace.add(packet(41).number(kPreviousDropped, 1));
  named(50, kSliceBegin);
  trace.add(state("third"));
  named(60, kSliceBegin);
  named(70, kSliceEnd);
  const Trace read = open_trace(trace.text());
  CHECK(rows_of(read, "SELECT name, ts, dur FROM slice ORDER BY ts") == "first|10|10| second|30|10| third|60|10| ");
  CHECK(read.sources()[0].report.count(Finding::kPacketsLost) == 1);
  CHECK(read.sources()[0].report.count(Finding::kPacketWithoutState) == 1);
}

TEST_CASE("clocks are brought to the trace's over their snapshots") {
  TraceText trace;
  trace.thread(2, 5, 7, "main");
  const auto clock = [](std::int64_t id, std::int64_t time) { return Message().number(1, id).number(2, time); };
  // A clock of the sequence that counts in us, from its last use; tied to the trace's over the monotonic one.
  trace.add(packet(0).message(
      kClockSnapshot, Message().message(1, clock(64, 5).number(3, 1).number(4, 1000)).message(1, clock(3, 100'000))));
  trace.add(packet(0).message(
      kClockSnapshot,
      Message().message(1, clock(3, 100'000)).message(1, clock(6, 700'000)).message(1, clock(1, 1'000'000'700'000))));
  const auto event = [](const Message& what, std::int64_t clock_id, std::int64_t time) {
    return packet(time).number(kPacketClock, clock_id).message(kTrackEvent, what);
  };
  trace.add(event(begin(2, "a"), 64, 1)).add(event(end(2), 64, 2));
  trace.add(event(begin(2, "b"), 3, 200'000)).add(event(end(2), 6, 800'500));
  trace.add(event(begin(2, "c"), 99, 900'000)).add(event(end(2), 6, 900'010));
  const Trace read = open_trace(trace.text());
  CHECK(rows_of(read, "SELECT name, ts, dur FROM slice ORDER BY ts") == "a|701000|2000| b|800000|500| c|900000|10| ");
  CHECK(read.sources()[0].base_time_ns == 1'000'000'000'000);
  CHECK(read.sources()[0].report.count(Finding::kClockUnknown) == 1);
}

TEST_CASE("flows lead from slice to slice") {
  TraceText trace;
  trace.thread(1, 1, 1, "a").thread(2, 2, 2, "b");
  trace.event(10, begin(1, "from").fixed(kFlowIds, 8)).event(20, end(1));
  trace.event(30, begin(2, "to").fixed(kTerminatingFlowIds, 8)).event(40, end(2));
  trace.event(50, begin(2, "other").fixed(kFlowIds, 8)).event(60, end(2));
  trace.event(70, begin(1, "late")).event(80, end(1).fixed(kFlowIds, 8));
  trace.event(80, begin(1, "behind")).event(90, end(1));
  CHECK(rows_of(open_trace(trace.text()), kArrows) == "from|to| other|late| ");
}

TEST_CASE("counters have their units and sums, and a GPU's values stand where they began") {
  TraceText trace;
  trace.track(Message().number(1, 1).text(2, "memory").message(8, Message().number(3, 3).number(4, 1024)));
  trace.track(Message().number(1, 2).text(2, "sum").message(8, Message().number(5, 1)));
  const auto sample = [](std::int64_t track, std::int64_t value) {
    return Message().number(kEventType, kCounter).number(kEventTrack, track).number(kCounterValue, value);
  };
  trace.event(10, sample(1, 2)).event(20, sample(2, 5)).event(30, sample(2, 6));
  const auto gpu = [&](std::int64_t time, const Message& event) {
    trace.add(packet(time).message(kGpuCounterEvent, event.bytes().empty() ? Message() : event));
  };
  gpu(1, Message().number(3, 1).message(1, Message()
                                               .message(1, Message().number(1, 9).text(2, "power").number(7, 29))
                                               .message(1, Message().number(1, 8).text(2, "clock").number(11, 2))));
  const auto watts = [](double value) { return Message().message(2, Message().number(1, 9).real(3, value)); };
  gpu(100, watts(7));
  gpu(200, watts(8.5));
  gpu(250, Message().message(2, Message().number(1, 8).number(2, 900)));  // of the time after it
  gpu(300, Message().message(2, Message().number(1, 10).number(2, 1)));   // never specified
  const Trace read = open_trace(trace.text());
  CHECK(
      rows_of(read, "SELECT t.name, ts, value FROM counter c JOIN counter_track t ON t.id = c.track_id ORDER BY ts") ==
      "memory bytes|10|2048| sum |20|5| sum |30|11| power W|100|8.5| power W|200|0| clock |250|900| ");
  CHECK(read.sources()[0].report.count(Finding::kCounterNotNumeric) == 1);
}

TEST_CASE("PyTorch's kernels are on their streams, tied to their calls") {
  const Trace read = open_trace(pytorch_trace());
  CHECK(rows_of(read, "SELECT device, stream, events, busy, idle, name FROM stream") == "0|7|2|2000|2000|stream 7| ");
  CHECK(
      rows_of(
          read,
          "SELECT k.name, k.kind, k.operator, k.grid_x, k.block_x, k.correlation, a.name, l.delay FROM gpu_kernel k "
          "JOIN launch l ON l.gpu_id = k.id JOIN slice a ON a.id = l.launch_id ORDER BY k.ts") ==
      "sgemm|kernel|aten::mm|4|128|501|cudaLaunchKernel|1000| sgemm|kernel|aten::mm|4|128|502|cudaLaunchKernel|1000| ");
  CHECK(rows_of(read, "SELECT dur, cause, before_issue, in_queue FROM gap") == "2000|launch_bound|1500|500| ");
  // The ends of a group stand behind its begins: two operators that touch are not one inside the other.
  CHECK(rows_of(read, "SELECT dur, depth FROM slice WHERE category = 'cpu_op' ORDER BY ts") == "2000|0| 3000|0| ");
  CHECK(rows_of(read, "SELECT DISTINCT a.key, a.display_value FROM args a WHERE a.key GLOB 'args.Input*'") ==
        "args.Input Dims[0][0]|8| args.Input Dims[0][1]|16| args.Input Dims[1][0]|16| ");
  CHECK(rows_of(read, "SELECT DISTINCT display_value FROM args WHERE key = 'args.registers per thread'") == "32| ");
  // Its times count from 1970: the whole days are the base, which leaves the rest exact in SQL as well.
  constexpr std::int64_t kFirst = 1'790'000'000'000'001'000, kDay = 86'400'000'000'000;
  CHECK(read.sources()[0].base_time_ns == kFirst / kDay * kDay);
  CHECK(read.span().begin == kFirst % kDay);
  CHECK(rows_of(read, "SELECT max(ts) - min(ts) FROM slice WHERE name <> 'sgemm'") == "4123| ");
  CHECK(rows_of(read, "SELECT category FROM slice WHERE name = 'Stream Sync'") == "cuda_sync| ");
}

TEST_CASE("kernels that PyTorch cuts off at the start of the next are told") {
  const Trace apart = open_trace(pytorch_trace());
  CHECK(apart.sources()[0].report.count(Finding::kKernelEndsClamped) == 0);
  // The first one's end, 1000 ns after its start, where the second begins.
  std::string text = pytorch_trace();
  const std::string duration = Message().number(1, 1).number(2, 1000).bytes();
  const auto at = text.find(duration);
  REQUIRE(at != std::string::npos);
  text.replace(at, duration.size(), Message().number(1, 1).number(2, 3000).bytes());
  const Trace touching = open_trace(text);
  CHECK(touching.sources()[0].report.count(Finding::kKernelEndsClamped) == 1);
  CHECK(rows_of(touching, "SELECT idle FROM stream") == "0| ");
}

TEST_CASE("render stages of old drivers have the names of their specifications, which have no time") {
  TraceText trace;
  const auto named = [](std::string_view name) { return Message().text(1, name); };
  trace.add(Message().message(kGpuRenderStageEvent,
                              Message().message(7, Message().message(2, named("q0")).message(3, named("vertex")))));
  trace.add(packet(10).message(kGpuRenderStageEvent, Message().number(1, 3).number(2, 5).number(3, 0).number(4, 0)));
  trace.add(packet(20).message(kGpuRenderStageEvent, Message().number(1, 4).number(2, 5).number(3, 1).number(4, 7)));
  const Trace read = open_trace(trace.text());
  CHECK(rows_of(read, "SELECT name, events FROM stream ORDER BY stream") == "q0|1| Unknown GPU Queue 1|1| ");
  CHECK(rows_of(read, "SELECT name, ts, dur FROM slice ORDER BY ts") == "vertex|10|5| render stage(7)|20|5| ");
  CHECK(read.sources()[0].report.count(Finding::kTimestampMissing) == 0);
}

TEST_CASE("rocprofv3's queues are streams, and their work is tied to the calls") {
  const Trace read = open_trace(rocprof_trace());
  CHECK(rows_of(read, "SELECT device, stream, events FROM stream ORDER BY stream") == "4|0|1| 4|1|1| ");
  CHECK(rows_of(read,
                "SELECT a.name, k.name, k.kind, k.bytes, l.delay FROM launch l JOIN slice a ON a.id = l.launch_id JOIN "
                "gpu_kernel k ON k.id = l.gpu_id ORDER BY k.ts") ==
        "hipLaunchKernel|gemm|kernel||2000| hipMemcpyAsync|MEMORY_COPY_HOST_TO_DEVICE|memcpy|4096|3400| ");
  CHECK(rows_of(read, kArrows) == "hipLaunchKernel|gemm| hipMemcpyAsync|MEMORY_COPY_HOST_TO_DEVICE| ");
}

TEST_CASE("calls are tied to the work that they submitted without a correlation of their own") {
  TraceText trace;
  trace.thread(2, 5, 7, "main");
  trace.event(10, begin(2, "submit", "gpu").message(kGpuCorrelation, Message().number(1, 8).number(1, 9)));
  trace.event(20, end(2));
  for (const std::int64_t id : {8, 9})
    trace.add(packet(100 * id).message(
        kGpuRenderStageEvent, Message().number(1, id).number(2, 50).number(18, id == 9 ? 8 : 0).text(17, "work")));
  trace.event(1500, begin(2, "wait").message(kGpuCorrelation, Message().number(2, 9))).event(1600, end(2));
  const Trace read = open_trace(trace.text());
  CHECK(
      rows_of(read, "SELECT a.name, gpu_ts, delay FROM launch l JOIN slice a ON a.id = l.launch_id ORDER BY gpu_ts") ==
      "submit|800|790| submit|900|890| ");
  CHECK(rows_of(read, kArrows) == "work|work| work|wait| ");
}

TEST_CASE("events of old recorders have their thread, their time and their phase") {
  TraceText trace;
  trace.add(packet(0).message(kThreadDescriptor, Message().number(1, 5).number(2, 7).number(6, 1000)));
  const auto legacy = [](char phase) { return Message().number(2, phase); };
  const auto event = [&](std::int64_t delta_us, std::string_view name, const Message& of) {
    trace.add(Message()
                  .number(kSequenceId, 1)
                  .message(kTrackEvent, Message()
                                            .number(kEventTimeDelta, delta_us)
                                            .text(kEventName, name)
                                            .text(kCategories, "c")
                                            .message(kLegacyEvent, of)));
  };
  event(0, "x", legacy('X').number(3, 5));
  event(1, "flow", legacy('s').number(6, 77));
  event(9, "b", legacy('B'));
  event(1, "b", legacy('E'));
  event(1, "other", legacy('I').number(18, 6).number(19, 8));
  event(1, "flow", legacy('f').number(6, 77));
  event(1, "next", legacy('X').number(3, 5));
  event(10, "job", legacy('b').number(11, 4));
  event(10, "job", legacy('e').number(11, 4));
  event(1, "object", legacy('N'));
  const Trace read = open_trace(trace.text());
  CHECK(rows_of(read,
                "SELECT t.tid, s.name, s.ts, s.dur FROM slice s JOIN thread_track tt ON tt.id = s.track_id JOIN "
                "thread t USING (utid) ORDER BY s.ts") ==
        "7|x|1000000|5000| 7|b|1010000|1000| 8|other|1012000|0| 7|next|1014000|5000| ");
  CHECK(rows_of(read, "SELECT name, dur FROM slice WHERE name = 'job'") == "job|10000| ");
  CHECK(rows_of(read, kArrows) == "x|next| ");
  CHECK(read.sources()[0].report.line(Finding::kPhaseNotShown).example == "N");
}

TEST_CASE("the end of an asynchronous slice adds to the dictionaries and lists of its begin, of whatever kind") {
  TraceText trace;
  const auto told = [](std::string_view json, std::int64_t entry) {
    return std::array{
        Message().text(10, "json").text(9, json),
        Message().text(10, "old").message(8, Message().number(1, 2).message(4, Message().number(5, entry))),
        Message().text(10, "list").message(12, Message().number(4, entry))};
  };
  const auto async = [&](std::int64_t time, char phase, std::string_view json, std::int64_t entry) {
    Message event;
    event.text(kEventName, "a").message(kLegacyEvent, Message().number(2, phase).number(6, 7).number(18, 5));
    for (const Message& each : told(json, entry)) event.message(kDebugAnnotations, each);
    trace.event(time, event);
  };
  async(1000, 'b', R"({"x":[1]})", 20);
  async(2000, 'e', R"({"x":[2],"y":3})", 21);
  CHECK(rows_of(open_trace(trace.text()),
                "SELECT a.key, a.int_value FROM slice s JOIN args a USING (arg_set_id) WHERE a.key LIKE '%[%' OR a.key "
                "LIKE '%y' ORDER BY a.key") ==
        "args.json.x[0]|1| args.json.x[1]|2| args.json.y|3| args.list[0]|20| args.list[1]|21| args.old[0]|20| "
        "args.old[1]|21| ");
}

TEST_CASE("SQL has what tracks, processes, queues, counters and GPUs are described with") {
  TraceText trace;
  trace.track(Message()
                  .number(1, 1)
                  .text(14, "the process")
                  .message(3, Message().number(1, 5).text(6, "app"))
                  .message(6, Message().text(4, "com.example")));
  trace.track(
      Message().number(1, 2).text(14, "the thread").message(4, Message().number(1, 5).number(2, 7).text(5, "main")));
  trace.track(Message().number(1, 3).number(5, 1).text(2, "jobs").text(14, "its jobs"));
  trace.track(Message().number(1, 4).number(5, 1).text(2, "bytes").text(14, "its bytes").message(8, Message()));
  trace.event(10, begin(2, "a")).event(20, end(2)).event(10, begin(3, "b")).event(20, end(3));
  trace.event(10, Message().number(kEventType, kCounter).number(kEventTrack, 4).number(kCounterValue, 1));
  const auto specification = [](std::int64_t id, std::string_view name) {
    return Message().number(1, id).text(2, name).text(3, fmt::format("{} words", name));
  };
  trace.add(packet(10).message(
      kGpuCounterEvent, Message()
                            .message(1, Message()
                                            .message(1, specification(1, "hits").number(10, 5).number(7, 7))
                                            .message(1, specification(2, "misses").number(10, 6))
                                            .message(1, specification(3, "never sampled"))
                                            .message(6, Message().number(1, 5).text(2, "Memory").text(3, "caches"))
                                            .message(6, Message().number(1, 100).text(2, "L2").number(4, 1)))
                            .message(2, Message().number(1, 1).number(2, 7))
                            .message(2, Message().number(1, 2).number(2, 8))));
  trace.add(packet(0)
                .message(kInternedData, Message()
                                            .message(24, interned_name(1, "Kernel"))
                                            .message(24, interned_name(2, "queue").text(3, "the queue")))
                .number(kSequenceFlags, kFlagStateCleared));
  trace.add(packet(30).message(kGpuRenderStageEvent, Message().number(2, 5).number(13, 2).number(14, 1)));
  trace.add(packet(0).message(kGpuInfo, Message()
                                            .message(1, Message().text(1, "A100").text(2, "NVIDIA").text(5, "\x01\xff"))
                                            .message(1, Message().text(1, "A10"))));
  const Trace read = open_trace(trace.text());
  const auto check = [](const Trace& of) {
    CHECK(rows_of(of,
                  "SELECT extract_arg(arg_set_id, 'description'), extract_arg(arg_set_id, "
                  "'host_app_package_name') FROM process WHERE pid = 5") == "the process|com.example| ");
    CHECK(rows_of(of,
                  "SELECT name, extract_arg(arg_set_id, 'description') AS d FROM thread WHERE d IS NOT NULL ORDER "
                  "BY name") == "jobs|its jobs| main|the thread| queue|the queue| ");
    CHECK(rows_of(of,
                  "SELECT name, description, extract_arg(source_arg_set_id, 'groups') FROM counter_track WHERE "
                  "description IS NOT NULL ORDER BY name") ==
          "bytes |its bytes|| hits B|hits words|Memory: caches; L2| misses |misses words|Compute| never sampled |never "
          "sampled words|| ");
    CHECK(rows_of(of, "SELECT gpu, name FROM gpu") == "0|A100| 1|A10| ");
    CHECK(rows_of(of, "SELECT name, str_value FROM metadata") ==
          "json_metadata.gpu 0 vendor|NVIDIA| json_metadata.gpu 0 uuid|01ff| ");
    CHECK(of.report().count(Finding::kMetadataNotUnderstood) == 0);
  };
  check(read);
  CHECK(read.text(read.process(ProcessId{0}).labels) == "com.example");
  // As does the JSON that is made of it.
  std::string json(static_cast<std::size_t>(read.sources()[0].bytes->size()), '\0');
  read.sources()[0].bytes->read_at(0, json);
  const TemporaryFolder folder;
  const auto again = import_files(std::vector<std::string>{folder.write("a.json", json)});
  REQUIRE(again.has_value());
  check(*again);
}

TEST_CASE("a number that the system gave again is another process, and tracks of one name are one") {
  TraceText trace;
  const auto process = [&](std::int64_t uuid, std::string_view name) {
    trace.track(Message().number(1, uuid).message(3, Message().number(1, 5).text(6, name)));
  };
  process(1, "first");
  trace.thread(2, 5, 5, "main");
  trace.event(10, begin(2, "a")).event(20, end(2));
  process(3, "second");
  trace.thread(4, 5, 5, "main");
  trace.event(30, begin(4, "b")).event(40, end(4));
  for (const std::uint64_t uuid : {11u, 12u}) {
    trace.track(Message().number(1, static_cast<std::int64_t>(uuid)).number(5, 3).text(2, "request"));
    trace.event(50, begin(uuid, "r")).event(60, end(uuid));
  }
  const Trace read = open_trace(trace.text());
  CHECK(rows_of(read, kSlices) ==
        "first|main|a|10|10|| second|main|b|30|10|| second|request|r|50|10|| second|request|r|50|10|| ");
  CHECK(rows_of(read, "SELECT count(DISTINCT utid) FROM thread WHERE name = 'request'") == "1| ");
}

TEST_CASE("processes and threads are in the order that the trace asks for") {
  TraceText trace;
  trace.track(Message().number(1, 0).number(19, 1).number(20, 1));
  trace.track(Message().number(1, 1).message(3, Message().number(1, 5).text(6, "p")).number(12, 4));
  trace.track(Message().number(1, 2).message(4, Message().number(1, 5).number(2, 7).text(5, "t")).number(12, -3));
  const Trace read = open_trace(trace.text());
  CHECK(rows_of(read, "SELECT extract_arg(arg_set_id, 'process_sort_index_hint') FROM process WHERE pid = 5") == "4| ");
  CHECK(rows_of(read, "SELECT extract_arg(arg_set_id, 'thread_sort_index_hint') FROM thread WHERE tid = 7") == "-3| ");
}

TEST_CASE("packets that are not read are named and counted") {
  TraceText trace;
  trace.thread(2, 5, 7, "main");
  trace.event(10, begin(2, "a").message(21, Message()).number(9900, 1)).event(20, end(2));
  trace.add(packet(11).message(1, Message()))
      .add(packet(12).message(7, Message()))
      .add(packet(13).message(1, Message()));
  const Trace read = open_trace(trace.text());
  const ImportReport::Line& line = read.sources()[0].report.line(Finding::kPacketNotRead);
  CHECK(line.count == 5);
  CHECK(line.example == "ftrace_events 2, sys_stats 1, log_message of track events 1, extensions of track events 1");
}

TEST_CASE("an end without a begin is counted, a begin without an end is open") {
  TraceText trace;
  trace.thread(2, 5, 7, "main");
  trace.event(5, end(2)).event(10, begin(2, "a")).event(20, begin(2, "b")).event(30, end(2));
  const Trace read = open_trace(trace.text());
  CHECK(rows_of(read, "SELECT name, ts, dur FROM slice ORDER BY ts") == "a|10|-1| b|20|10| ");
  CHECK(read.sources()[0].report.count(Finding::kUnmatchedEnd) == 1);
  CHECK(read.sources()[0].report.count(Finding::kUnmatchedBegin) == 1);
}

}  // namespace
}  // namespace lacuna
