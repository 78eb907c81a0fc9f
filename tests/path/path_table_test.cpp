#include "model/path/path_table.h"

#include <numeric>
#include <string>

#include <doctest/doctest.h>

#include "model/calls/call_tree.h"
#include "model/path/path_marks.h"
#include "model/path/replay.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

constexpr Nanos kTick = 1000;

/// The CPU launches `gemm` on stream 7 and a short copy on stream 8, then waits for both; another thread works beside.
///
///   thread 1 [mm 0-20]      [cudaDeviceSynchronize 30 … 135][item 135-150]
///   thread 2    [loader 10-60]
///   stream 7          [gemm 30 … 130]
///   stream 8          [copy 40-50]
Trace beside() {
  TraceMaker make;
  make.thread("aten::mm", 0, 20 * kTick);
  make.launch("cudaLaunchKernel", 5 * kTick, 10 * kTick, 1).kernel("gemm", 30 * kTick, 130 * kTick, 1);
  make.launch("cudaMemcpyAsync", 12 * kTick, 16 * kTick, 2)
      .kernel("Memcpy DtoD", 40 * kTick, 50 * kTick, 2, "8", "0", "gpu_memcpy");
  make.launch("cudaDeviceSynchronize", 30 * kTick, 135 * kTick, 3);
  make.thread("aten::item", 135 * kTick, 150 * kTick);
  make.thread("loader", 10 * kTick, 60 * kTick, "cpu_op", "2");
  return make.build();
}

const PathRow* row_of(const Trace& trace, const std::vector<PathRow>& rows, std::string_view name,
                      PathKind kind = PathKind::kSlice) {
  for (const PathRow& row : rows)
    if (path_name(trace, row) == name && row.kind == kind) return &row;
  return nullptr;
}

TEST_CASE("rows of the path add up to the range, and say what the time went to") {
  const Trace trace = beside();
  const CriticalPath path = find_critical_path(trace, path_options(trace, TimeSpan::everything()));
  const std::vector<PathRow> rows = tabulate_path(trace, path);
  Nanos sum = 0;
  std::size_t parts = 0;
  for (const PathRow& row : rows) {
    sum += row.time;
    parts += row.parts.size();
  }
  CHECK(sum == 150 * kTick);
  CHECK(parts == path.parts.size());
  const PathRow* gemm = row_of(trace, rows, "gemm");
  REQUIRE(gemm != nullptr);
  CHECK(gemm->time == 100 * kTick);
  CHECK(gemm->cause == PathCause::kKernel);
  CHECK(rows.front().name == gemm->name);
  const PathRow* latency = row_of(trace, rows, "gemm", PathKind::kLaunchLatencyNs);
  REQUIRE(latency != nullptr);
  CHECK(latency->time == 20 * kTick);
  CHECK(latency->cause == PathCause::kLaunchLatencyNs);
  const PathRow* sync = row_of(trace, rows, "cudaDeviceSynchronize");
  REQUIRE(sync != nullptr);
  CHECK(sync->time == 5 * kTick);  // the tail after the kernel alone
  CHECK(sync->cause == PathCause::kSynchronisation);
  CHECK(row_of(trace, rows, "Memcpy DtoD") == nullptr);
}

TEST_CASE("what is beside the path has slack") {
  const Trace trace = beside();
  const CriticalPath path = find_critical_path(trace, path_options(trace, TimeSpan::everything()));
  std::vector<PathRow> rows = tabulate_path(trace, path);
  add_slack(trace, path, rows);
  const PathRow* copy = row_of(trace, rows, "Memcpy DtoD");
  REQUIRE(copy != nullptr);
  CHECK(copy->time == 0);
  CHECK(copy->beside == 10 * kTick);
  CHECK(copy->beside_count == 1);
  // Nothing waits for it but the range's end.
  CHECK(copy->slack == 100 * kTick);
  CHECK(copy->cause == PathCause::kCopy);
  const PathRow* gemm = row_of(trace, rows, "gemm");
  CHECK(gemm->beside == 0);
  CHECK_FALSE(gemm->slack.has_value());
  const PathRow* loader = row_of(trace, rows, "loader");
  REQUIRE(loader != nullptr);
  CHECK(loader->beside == 50 * kTick);
  CHECK_FALSE(loader->slack.has_value());  // it launches nothing: no replay tells
  // The wait itself is beside what it waited for.
  CHECK(row_of(trace, rows, "cudaDeviceSynchronize")->beside == 100 * kTick);
}

TEST_CASE("what ended when a range begins is not beside its path, what goes on for a moment is") {
  const Trace trace = beside();
  const auto copies = [&](Nanos begin) {
    const CriticalPath path = find_critical_path(trace, path_options(trace, {begin, 150 * kTick}));
    std::vector<PathRow> rows = tabulate_path(trace, path);
    add_slack(trace, path, rows);
    const PathRow* copy = row_of(trace, rows, "Memcpy DtoD");
    return copy == nullptr ? std::pair<Nanos, std::uint64_t>{} : std::pair(copy->beside, copy->beside_count);
  };
  CHECK(copies(49 * kTick) == std::pair<Nanos, std::uint64_t>{kTick, 1});
  CHECK(copies(50 * kTick) == std::pair<Nanos, std::uint64_t>{0, 0});
}

TEST_CASE("slack: the replay's graph backwards") {
  const Trace trace = beside();
  const Replay replay(trace, SourceId{0});
  const Replay::Slack slack = replay.slack(150 * kTick, trace.tracks()[0].id);
  REQUIRE(slack.of_work.size() == 2);
  CHECK(slack.of_work[0] == 0);  // gemm: the wait returns with it
  CHECK(slack.of_work[1] == 100 * kTick);
  REQUIRE(slack.of_begin.size() == 3);
  CHECK(slack.of_begin[0] == 0);  // the launch of gemm
  // The launch of the copy has none either: the synchronising call after it could begin later, up to what its tail
  // leaves, but not the thread's next one.
  CHECK(slack.of_begin[1] > 0);
}

TEST_CASE("marks: where the path runs, lane by lane") {
  const Trace trace = beside();
  const CriticalPath path = find_critical_path(trace, path_options(trace, TimeSpan::everything()));
  const PathMarks marks(trace, PathMarks::of(path));
  CHECK(marks.in_order().size() == path.parts.size());
  for (const PathPart& part : path.parts) {
    if (part.kind != PathKind::kSlice) continue;
    CHECK(marks.runs_through(part.slice.lane, part.span));
  }
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kGpuStream) continue;
    const bool has_gemm = trace.name(SliceId{track.first_lane, 0}) == "gemm";
    CHECK(marks.runs_through(track.first_lane, {30 * kTick, 130 * kTick}) == has_gemm);
    CHECK_FALSE(marks.runs_through(track.first_lane, {0, 25 * kTick}));  // a wait is no run
    CHECK(marks.on_lane(track.first_lane).size() == (has_gemm ? 2 : 0));
  }
  CHECK(marks.on_lane(LaneId{}).empty());
}

TEST_CASE("a range that ends with a step ends on its thread") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100, "user_annotation").thread("aten::mm", 10, 100);
  make.thread("worker", 0, 500, "cpu_op", "2");
  const Trace trace = make.build();
  const PathOptions options = path_options(trace, {0, 100});
  CHECK(options.thread.valid());
  CHECK_FALSE(path_options(trace, {0, 200}).thread.valid());
  const CriticalPath path = find_critical_path(trace, options);
  CHECK(path_name(trace, path.parts.back()) == "aten::mm");
}

TEST_CASE("the call tree of a path is as long as the path") {
  const Trace trace = beside();
  const CriticalPath path = find_critical_path(trace, path_options(trace, TimeSpan::everything()));
  std::vector<CallCharge> charges;
  for (const PathPart& part : path.parts) charges.push_back({part.slice, part.span.duration()});
  CallTreeOptions options;
  options.metric = CallMetric::kPath;
  options.charges = charges;
  const CallTree tree = build_call_tree(trace, options);
  CHECK(tree.root().total == path.wall());
  // The kernel and the wait before it lie below the call that launched it, in the operator.
  bool found = false;
  for (const CallNode& node : tree.nodes) {
    if (node.key.kind != CallKind::kSlices || trace.text(node.key.name) != "gemm") continue;
    found = true;
    CHECK(node.total == 120 * kTick);
    const CallNode& launch = tree.nodes[node.parent];
    CHECK(trace.text(launch.key.name) == "cudaLaunchKernel");
    CHECK(trace.text(tree.nodes[launch.parent].key.name) == "aten::mm");
  }
  CHECK(found);
}

TEST_CASE("the cause of a part of the path that is nobody's is nothing") {
  const Trace trace = beside();
  const SliceId some{LaneId{0}, 0};
  CHECK(path_cause(trace, {PathKind::kNothing, {0, 1}, some, {}}) == PathCause::kNothing);
  CHECK(path_cause(trace, {PathKind::kSlice, {0, 1}, {}, {}}) == PathCause::kNothing);
  CHECK(path_cause(trace, {PathKind::kQueue, {0, 1}, some, {}}) == PathCause::kQueue);
  CHECK(path_cause(trace, {PathKind::kLaunchLatencyNs, {0, 1}, some, {}}) == PathCause::kLaunchLatencyNs);
}

}  // namespace
}  // namespace lacuna

TEST_CASE("causes of the path by what a slice is, and by its name") {
  struct Case {
    const char* name;
    const char* category;
    PathCause cause;
  };
  const Case cases[] = {
      {"gemm", "kernel", PathCause::kKernel},
      {"ncclDevKernel_AllReduce", "kernel", PathCause::kCommunication},
      {"Memcpy HtoD (Pinned -> Device)", "gpu_memcpy", PathCause::kCopy},
      {"Memset (Device)", "gpu_memset", PathCause::kCopy},
      {"aten::mm", "cpu_op", PathCause::kOperator},
      {"gloo:all_reduce", "cpu_op", PathCause::kCommunication},
      {"train.py(7): main", "python_function", PathCause::kPython},
      {"cudaLaunchKernel", "cuda_runtime", PathCause::kLaunching},
      {"cudaDeviceSynchronize", "cuda_runtime", PathCause::kSynchronisation},
      {"cudaMalloc", "cuda_runtime", PathCause::kAllocation},
      {"cudaGetDevice", "cuda_runtime", PathCause::kOther},
      {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", PathCause::kDataLoading},
      {"ProfilerStep#1", "user_annotation", PathCause::kOther}};
  TraceMaker make;
  Nanos t = 0;
  for (const Case& one : cases) {
    const std::string_view category = one.category;
    if (category == "kernel" || category.starts_with("gpu_"))
      make.kernel(one.name, t, t + 5, 0, "7", "0", category);
    else
      make.thread(one.name, t, t + 5, category);
    t += 10;
  }
  const Trace trace = make.build();
  const auto find = [&](std::string_view name) {
    for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
      for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i)
        if (trace.name({LaneId{l}, i}) == name) return SliceId{LaneId{l}, i};
    return SliceId{};
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    PathPart part;
    part.slice = find(one.name);
    REQUIRE(part.slice.valid());
    CHECK(path_cause(trace, part) == one.cause);
    part.kind = PathKind::kQueue;
    CHECK(path_cause(trace, part) == PathCause::kQueue);
    part.kind = PathKind::kLaunchLatencyNs;
    CHECK(path_cause(trace, part) == PathCause::kLaunchLatencyNs);
    part.kind = PathKind::kNothing;
    CHECK(path_cause(trace, part) == PathCause::kNothing);
  }
  CHECK(path_cause(trace, {}) == PathCause::kNothing);
  CHECK(path_cause_name(PathCause::kNothing) == "not recorded");
  CHECK(path_cause_name(PathCause::kKernel) == "kernel");
  CHECK(path_cause_definition(PathCause::kPython) == "A Python frame's own time.");
}
