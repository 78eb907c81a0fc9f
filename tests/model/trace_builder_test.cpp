#include "model/build/trace_builder.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "model/gaps/beside_gpu.h"
#include "model/trace/import_finding.h"

using namespace lacuna;

namespace {

/// Fills a batch as an importer thread would, with texts in place of ids.
struct Batch {
  EventBatch events;
  std::uint64_t offset = 0;

  StringId id(std::string_view text) { return events.strings.intern(text); }

  TrackKey key(std::string_view pid, std::string_view tid, TrackKind kind = TrackKind::kThread) {
    TrackKey k;
    k.pid = id(pid);
    k.tid = id(tid);
    k.kind = kind;
    if (kind != TrackKind::kThread) {
      k.device = k.pid;
      k.stream = k.tid;
    }
    return k;
  }

  void slice(const TrackKey& key, std::string_view name, std::string_view category, Nanos start, Nanos end,
             std::uint64_t correlation = 0) {
    SliceRecord s;
    s.start = start;
    s.duration = end - start;
    s.name = id(name);
    s.category = events.category(id(category));
    s.correlation = correlation;
    s.file_offset = ++offset;
    events.tracks[events.track(key)].slices.push_back(s);
    ++events.category_counts[s.category];
    ++events.phase_counts['X'];
  }

  void flow(char phase, std::string_view pid, std::string_view tid, std::string_view flow_id, Nanos time,
            bool enclosing = false) {
    FlowEvent f;
    f.phase = phase;
    f.time = time;
    f.id = FlowId::text(id(flow_id));
    f.category = events.category(id("ac2g"));
    f.binds_enclosing = enclosing;
    f.file_offset = ++offset;
    events.flows[events.flow_thread(id(pid), id(tid))].events.push_back(f);
  }

  void name_thread(std::string_view pid, std::string_view tid, std::string_view name) {
    MetadataEvent m;
    m.what = MetadataEvent::What::kThreadName;
    m.pid = id(pid);
    m.tid = id(tid);
    m.text = id(name);
    m.file_offset = ++offset;
    events.metadata.push_back(m);
  }
};

Trace build(Batch batch, unsigned threads = 1) {
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  builder.add(source, std::move(batch.events));
  return builder.finish(threads);
}

const Track& track_named(const Trace& trace, std::string_view name) {
  const auto found = std::ranges::find_if(trace.tracks(), [&](const Track& t) { return trace.text(t.name) == name; });
  REQUIRE(found != trace.tracks().end());
  return *found;
}

SliceId slice_named(const Trace& trace, std::string_view name) {
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i)
      if (trace.name({LaneId{l}, i}) == name) return {LaneId{l}, i};
  return {};
}

}  // namespace

TEST_CASE("an empty trace is a trace") {
  const Trace trace = build({});
  CHECK(trace.slice_count() == 0);
  CHECK(trace.span() == TimeSpan{});
  CHECK(trace.tracks().empty());
}

TEST_CASE("a launch finds its kernels, a kernel its launch; others are counted, never guessed") {
  Batch b;
  const TrackKey cpu = b.key("100", "100");
  const TrackKey gpu = b.key("0", "7", TrackKind::kGpuStream);
  b.slice(cpu, "aten::mm", "cpu_op", 0, 100);
  b.slice(cpu, "cudaLaunchKernel", "cuda_runtime", 10, 20, 5);
  b.slice(cpu, "cudaGraphLaunch", "cuda_runtime", 30, 40, 6);
  b.slice(cpu, "cudaLaunchKernel lost", "cuda_runtime", 50, 60, 8);
  b.slice(gpu, "gemm", "kernel", 110, 150, 5);
  b.slice(gpu, "graph_a", "kernel", 150, 160, 6);
  b.slice(gpu, "graph_b", "Kernel", 160, 170, 6);
  b.slice(gpu, "early", "gpu_memcpy", 1, 2, 3);
  b.slice(gpu, "no correlation", "gpu_memset", 3, 4, 0);
  const Trace trace = build(std::move(b));

  CHECK(trace.links().gpu_activities == 5);
  CHECK(trace.links().linked == 3);
  CHECK(trace.links().unlinked() == 2);
  CHECK(trace.report().count(Finding::kGpuActivityUnlinked) == 2);
  CHECK(trace.report().count(Finding::kLaunchWithoutActivity) == 1);
  CHECK(trace.name(trace.links().launch_of(slice_named(trace, "gemm"))) == "cudaLaunchKernel");
  CHECK_FALSE(trace.links().launch_of(slice_named(trace, "early")).valid());
  const auto kernels = trace.links().activities_of(slice_named(trace, "cudaGraphLaunch"));
  REQUIRE(kernels.size() == 2);
  CHECK(trace.name(kernels[0].activity) == "graph_a");
  CHECK(trace.links().activities_of(slice_named(trace, "aten::mm")).empty());
}

TEST_CASE("of several launches with one correlation the first in the file is taken, and counted") {
  Batch b;
  b.slice(b.key("0", "7", TrackKind::kGpuStream), "gemm", "kernel", 110, 150, 5);
  b.slice(b.key("1", "1"), "second in time", "cuda_runtime", 20, 30, 5);
  b.slice(b.key("1", "1"), "first in time", "cuda_runtime", 0, 10, 5);
  const Trace trace = build(std::move(b));
  CHECK(trace.name(trace.links().launch_of(slice_named(trace, "gemm"))) == "second in time");
  CHECK(trace.report().count(Finding::kSeveralLaunches) == 1);
}

TEST_CASE("ranks put into one file with the same correlations have their own launches") {
  Batch b;
  for (const char* rank : {"1", "2", "3"}) {
    const TrackKey gpu = b.key(std::string("gpu") + rank, "7", TrackKind::kGpuStream);
    // Calls, then what they launched; the first rank's other way round.
    for (std::uint64_t c = 1; c <= 8 && rank[0] != '1'; ++c)
      b.slice(b.key(rank, "1"), rank, "cuda_runtime", static_cast<Nanos>(c) * 100, static_cast<Nanos>(c) * 100 + 10, c);
    for (std::uint64_t c = 1; c <= 8; ++c)
      b.slice(gpu, std::string("gemm") + rank, "kernel", static_cast<Nanos>(c) * 100 + 20,
              static_cast<Nanos>(c) * 100 + 90, c);
    for (std::uint64_t c = 1; c <= 8 && rank[0] == '1'; ++c)
      b.slice(b.key(rank, "1"), rank, "cuda_runtime", static_cast<Nanos>(c) * 100, static_cast<Nanos>(c) * 100 + 10, c);
  }
  const Trace trace = build(std::move(b));
  CHECK(trace.links().launches().size() == 24);
  for (const LaunchLink& link : trace.links().launches())
    CHECK("gemm" + std::string(trace.name(link.launch)) == trace.name(link.activity));
}

TEST_CASE("parents, self time and neighbours on the track") {
  Batch b;
  const TrackKey cpu = b.key("1", "2");
  b.slice(cpu, "a", "cpu_op", 0, 100);
  b.slice(cpu, "b", "cpu_op", 10, 30);
  b.slice(cpu, "c", "cpu_op", 15, 20);
  b.slice(cpu, "d", "cpu_op", 40, 100);
  const Trace trace = build(std::move(b));
  const SliceId a = slice_named(trace, "a"), bb = slice_named(trace, "b"), c = slice_named(trace, "c"),
                d = slice_named(trace, "d");
  CHECK(trace.parent(c) == bb);
  CHECK(trace.parent(bb) == a);
  CHECK_FALSE(trace.parent(a).valid());
  CHECK(trace.self_time(a) == 20);
  CHECK(trace.self_time(bb) == 15);
  CHECK(trace.next_on_track(a) == bb);
  CHECK(trace.next_on_track(bb) == c);
  CHECK(trace.next_on_track(c) == d);
  CHECK_FALSE(trace.next_on_track(d).valid());
  CHECK(trace.previous_on_track(d) == c);
  CHECK_FALSE(trace.previous_on_track(a).valid());
  const Track& track = trace.tracks()[0];
  CHECK(trace.innermost_at(track, 16) == c);
  CHECK(trace.innermost_at(track, 20) == bb);
  CHECK(trace.innermost_at(track, 35) == a);
  CHECK_FALSE(trace.innermost_at(track, 100).valid());
}

TEST_CASE("kernels, annotations and other events of one (pid, tid) have tracks of their own") {
  Batch b;
  b.slice(b.key("0", "7", TrackKind::kGpuStream), "gemm", "kernel", 10, 50);
  b.slice(b.key("0", "7", TrackKind::kGpuAnnotation), "step", "gpu_user_annotation", 5, 60);
  b.slice(b.key("0", "7"), "Stream Sync", "cuda_sync", 20, 70);
  b.slice(b.key("42", "43"), "aten::mm", "cpu_op", 0, 1);
  b.name_thread("42", "43", "thread 43 (python)");
  const Trace trace = build(std::move(b));
  CHECK(track_named(trace, "stream 7").kind == TrackKind::kGpuStream);
  CHECK(track_named(trace, "stream 7 annotations").kind == TrackKind::kGpuAnnotation);
  CHECK(track_named(trace, "stream 7 other events").kind == TrackKind::kThread);
  CHECK(track_named(trace, "thread 43 (python)").kind == TrackKind::kThread);
  // CPU processes come before GPUs although their pid is larger.
  REQUIRE(trace.process_order().size() == 2);
  CHECK(trace.text(trace.process(trace.process_order()[0]).pid) == "42");
  CHECK(trace.text(trace.process(trace.process_order()[1]).name) == "GPU 0");
  const auto& shown = trace.process(trace.process_order()[1]).tracks;
  REQUIRE(shown.size() == 3);
  CHECK(trace.track(shown[0]).kind == TrackKind::kGpuAnnotation);
  CHECK(trace.track(shown[1]).kind == TrackKind::kGpuStream);
  CHECK(trace.track(shown[2]).kind == TrackKind::kThread);  // odd ones last
}

TEST_CASE("CPU threads under the pid of a GPU have a process of their own") {
  // As Kineto writes Python frames whose thread it does not know: pid 0, tid 0.
  Batch b;
  b.slice(b.key("0", "7", TrackKind::kGpuStream), "gemm", "kernel", 10, 50);
  b.slice(b.key("0", "0"), "train.py(1): main", "python_function", 0, 90);
  b.slice(b.key("0", "7"), "Stream Sync", "cuda_sync", 20, 70);
  b.slice(b.key("0", "9"), "Context Sync", "cuda_sync", 20, 70);
  b.name_thread("0", "0", "thread 0 (python3)");
  const Trace trace = build(std::move(b));
  const Track& frames = track_named(trace, "thread 0 (python3)");
  const Process& beside = trace.process(frames.process);
  CHECK_FALSE(beside.is_gpu);
  CHECK(is_beside_gpu(trace, beside));
  CHECK(trace.text(beside.pid) == "0");
  CHECK(beside.tracks == std::vector{frames.id});
  const Process& gpu = trace.process(track_named(trace, "stream 7").process);
  CHECK(gpu.is_gpu);
  CHECK_FALSE(is_beside_gpu(trace, gpu));
  CHECK(gpu.tracks.size() == 3);  // what is no CPU work stays
  REQUIRE(trace.process_order().size() == 2);
  CHECK(trace.process_order()[0] == beside.id);
}

TEST_CASE("concurrent kernels are all kept and counted") {
  Batch b;
  const TrackKey gpu = b.key("0", "7", TrackKind::kGpuStream);
  b.slice(gpu, "a", "kernel", 0, 100);
  b.slice(gpu, "b", "kernel", 90, 120);
  b.slice(gpu, "c", "kernel", 95, 99);
  const Trace trace = build(std::move(b));
  CHECK(trace.slice_count() == 3);
  CHECK(trace.report().count(Finding::kConcurrentKernels) == 2);
  CHECK_FALSE(trace.parent(slice_named(trace, "c")).valid());
}

TEST_CASE("flows are keyed by category and id, bind to enclosing or next slices, and fan out") {
  Batch b;
  const TrackKey cpu = b.key("1", "1");
  const TrackKey gpu = b.key("0", "7", TrackKind::kGpuStream);
  b.slice(cpu, "launch", "cuda_runtime", 10, 20);
  b.slice(gpu, "k1", "kernel", 30, 40);
  b.slice(gpu, "k2", "kernel", 50, 60);
  b.flow('s', "1", "1", "9", 12);
  b.flow('f', "0", "7", "9", 30, true);
  b.flow('f', "0", "7", "9", 45);   // no bp: the next slice
  b.flow('f', "0", "7", "77", 30);  // no start
  b.flow('s', "1", "1", "78", 12);  // no finish
  b.flow('s', "5", "5", "79", 12);  // touches nothing
  b.flow('f', "0", "7", "79", 30, true);
  const Trace trace = build(std::move(b));
  const auto arrows = trace.links().flows_from(slice_named(trace, "launch"));
  REQUIRE(arrows.size() == 2);
  CHECK(trace.name(arrows[0].to) == "k1");
  CHECK(trace.name(arrows[1].to) == "k2");
  CHECK(trace.links().flows_to(slice_named(trace, "k2")).size() == 1);
  CHECK(trace.report().count(Finding::kFlowFinishWithoutStart) == 1);
  CHECK(trace.report().count(Finding::kFlowStartWithoutFinish) == 1);
  CHECK(trace.report().count(Finding::kFlowWithoutSlice) == 1);
}

TEST_CASE("batches may come in any number and order; threads do not change the result") {
  const auto batches = [] {
    std::vector<Batch> list(3);
    for (int i = 0; i < 300; ++i) {
      Batch& b = list[static_cast<std::size_t>(i % 3)];
      b.offset = static_cast<std::uint64_t>(i);
      b.slice(b.key("1", std::to_string(i % 5)), "op " + std::to_string(i % 7), "cpu_op", i * 3 % 100,
              i * 3 % 100 + i % 11);
    }
    return list;
  };
  const auto describe = [](const Trace& trace) {
    std::string text;
    for (const ProcessId p : trace.process_order())
      for (const TrackId t : trace.process(p).tracks)
        for (const Lane& lane : trace.lanes_of(trace.track(t)))
          for (std::uint32_t i = 0; i < lane.size(); ++i)
            text += std::string(trace.text(lane.name(i))) + "@" + std::to_string(lane.start(i)) + "/" +
                    std::to_string(lane.file_offset(i)) + ";";
    return text;
  };
  const auto build_in = [&](bool reversed, unsigned threads) {
    TraceBuilder builder;
    const SourceId source = builder.add_source({});
    std::vector<Batch> list = batches();
    if (reversed) std::ranges::reverse(list);
    for (Batch& b : list) builder.add(source, std::move(b.events));
    return describe(builder.finish(threads));
  };
  const std::string expected = build_in(false, 1);
  CHECK(expected.size() > 300);
  CHECK(build_in(true, 1) == expected);
  CHECK(build_in(false, 4) == expected);
}

TEST_CASE("times near the ends of the clock do not overflow") {
  Batch b;
  b.slice(b.key("1", "1"), "late", "cpu_op", kMaxNanos - 5, kMaxNanos);
  b.slice(b.key("1", "1"), "early", "cpu_op", kMinNanos, kMinNanos + 10);
  const Trace trace = build(std::move(b));
  CHECK(trace.span().duration() == kMaxNanos);
  CHECK(trace.slice_count() == 2);
}

TEST_CASE("a flow that a slice carries binds to that slice, not to a child that starts with it") {
  Batch b;
  b.slice(b.key("1", "1"), "outer", "cpu_op", 0, 100);
  b.slice(b.key("1", "1"), "inner", "cpu_op", 0, 50);
  b.slice(b.key("1", "2"), "other", "cpu_op", 200, 300);
  const auto& slices = b.events.tracks.front().slices;
  for (const char phase : {'s', 'f'}) {
    FlowEvent e;
    e.phase = phase;
    e.time = phase == 's' ? 0 : 200;
    e.file_offset = phase == 's' ? slices[0].file_offset : b.events.tracks.back().slices[0].file_offset;
    e.category = 0xffff;
    e.id = FlowId::text(b.id("bind_id:1"));
    e.binds_enclosing = e.binds_own_slice = true;
    b.events.flows[b.events.flow_thread(b.id("1"), b.id(phase == 's' ? "1" : "2"))].events.push_back(e);
  }
  const Trace trace = build(std::move(b));
  REQUIRE(trace.links().flows().size() == 1);
  CHECK(trace.name(trace.links().flows()[0].from) == "outer");
  CHECK(trace.name(trace.links().flows()[0].to) == "other");
}

TEST_CASE("the process of pid -1 is the profiler's overhead if that is what it holds") {
  const auto name_with = [](std::string_view category) {
    Batch b;
    b.slice(b.key("-1", "0"), "Buffer Flush", category, 0, 10);
    const Trace trace = build(std::move(b));
    return std::string(trace.text(trace.processes().front().name));
  };
  CHECK(name_with("overhead") == "profiler overhead");
  CHECK(name_with("cpu_op") == "process -1");
}

TEST_CASE("counters become tracks with their range") {
  Batch b;
  for (int i = 0; i < 3; ++i) {
    CounterSample c;
    c.time = 30 - i * 10;
    c.value = i;
    c.pid = b.id("1");
    c.name = b.id("memory");
    c.series = b.id("allocated");
    b.events.counters.push_back(c);
  }
  const Trace trace = build(std::move(b));
  const Track& track = track_named(trace, "memory · allocated");
  CHECK(track.counter.times == std::vector<Nanos>{10, 20, 30});
  CHECK(track.counter.values == std::vector<double>{2, 1, 0});
  CHECK(track.counter.max == 2);
  CHECK(trace.span() == TimeSpan{10, 30});
}

TEST_CASE("to forget nothing leaves no trace of it; what is forgotten is counted with why") {
  Batch batch;
  batch.slice(batch.key("1", "1"), "old", "cpu_op", 0, 10);
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  builder.add(source, std::exchange(batch.events, EventBatch{}));
  batch.slice(batch.key("1", "1"), "new", "cpu_op", 20, 30);
  builder.add(source, std::move(batch.events));
  CHECK(builder.forget(source, 1, "limit") == 0);
  const Trace before = builder.snapshot();
  CHECK(before.slice_count() == 2);
  CHECK(before.sources()[0].skipped.empty());
  CHECK(builder.forget(source, 2, "limit") == 1);
  const Trace trace = builder.finish();
  CHECK(trace.slice_count() == 1);
  REQUIRE(trace.sources()[0].skipped.size() == 1);
  CHECK(trace.sources()[0].skipped.begin()->second == 1);
}
