#include <string>

#include <doctest/doctest.h>

#include "model/build/trace_builder.h"
#include "model/trace/import_finding.h"

using namespace lacuna;

namespace {

EventBatch batch(int number) {
  EventBatch b;
  const auto id = [&](const std::string& text) { return b.strings.intern(text); };
  TrackKey cpu;
  cpu.pid = id("1");
  cpu.tid = id("1");
  TrackKey gpu;
  gpu.kind = TrackKind::kGpuStream;
  gpu.pid = gpu.device = id("0");
  gpu.tid = gpu.stream = id("7");
  const auto add = [&](const TrackKey& key, const std::string& name, const char* category, Nanos start, Nanos end,
                       std::uint64_t correlation) {
    SliceRecord s;
    s.start = start;
    s.duration = end - start;
    s.name = id(name);
    s.category = b.category(id(category));
    s.correlation = correlation;
    s.file_offset = static_cast<std::uint64_t>(start + 1);
    b.tracks[b.track(key)].slices.push_back(s);
    ++b.phase_counts['X'];
  };
  for (int i = 99; i >= 0; --i) {  // not in order
    const Nanos at = number * 100'000 + i * 1000;
    const auto correlation = static_cast<std::uint64_t>(number * 100 + i + 1);
    add(cpu, "op " + std::to_string(i % 7) + " of " + std::to_string(number), "cpu_op", at, at + 900, 0);
    add(cpu, "cudaLaunchKernel", "cuda_runtime", at + 100, at + 200, correlation);
    add(gpu, "gemm", "kernel", at + 300, at + 800, correlation);
    for (const char phase : {'s', 'f'}) {
      FlowEvent flow;
      flow.phase = phase;
      flow.time = phase == 's' ? at + 100 : at + 300;
      flow.binds_enclosing = true;
      flow.id = FlowId::number(correlation);
      flow.category = b.category(id("ac2g"));
      b.flows[b.flow_thread(id(phase == 's' ? "1" : "0"), id(phase == 's' ? "1" : "7"))].events.push_back(flow);
    }
  }
  BeginEndEvent begin;
  begin.time = number * 100'000;
  begin.is_begin = number % 2 == 0;  // ended by the next batch
  begin.name = id("step");
  begin.file_offset = static_cast<std::uint64_t>(number) + 1;
  TrackKey steps = cpu;
  steps.tid = id("2");
  b.tracks[b.track(steps)].begin_ends.push_back(begin);
  return b;
}

std::string describe(const Trace& trace) {
  std::string text;
  for (const Lane& lane : trace.lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      text += std::to_string(lane.start(i)) + "+" + std::to_string(lane.duration(i)) + " " +
              std::string(trace.text(lane.name(i))) + " " + std::to_string(lane.parent(i)) + "\n";
  for (const FlowArrow& a : trace.links().flows())
    text += std::to_string(a.from_time) + ">" + std::to_string(a.to_time) + "\n";
  for (const LaunchLink& l : trace.links().launches())
    text += std::to_string(trace.span(l.launch).begin) + "->" + std::to_string(trace.span(l.activity).begin) + "\n";
  return text;
}

Trace build_in_batches(int batches) {
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  for (int i = 0; i < batches; ++i) builder.add(source, batch(i));
  return builder.finish();
}

}  // namespace

TEST_CASE("a snapshot is the trace so far; the builder goes on as if there had been none") {
  TraceBuilder builder;
  const SourceId source = builder.add_source({});
  std::vector<Trace> snapshots;
  for (int i = 0; i < 4; ++i) {
    builder.add(source, batch(i));
    snapshots.push_back(builder.snapshot(2));
  }
  const Trace whole = builder.finish(2);
  // Every one is still good when all that came after it is done.
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    const Trace expected = build_in_batches(i + 1);
    CHECK(snapshots[static_cast<std::size_t>(i)].slice_count() == expected.slice_count());
    CHECK(describe(snapshots[static_cast<std::size_t>(i)]) == describe(expected));
  }
  CHECK(describe(whole) == describe(build_in_batches(4)));
  CHECK(snapshots[0].report().count(Finding::kUnmatchedBegin) == 1);
  CHECK(whole.report().count(Finding::kUnmatchedBegin) == 0);
}

TEST_CASE("a pool's clone has the same ids and its own memory") {
  StringPool clone;
  {
    StringPool pool;
    for (int i = 0; i < 10'000; ++i) pool.intern("name " + std::to_string(i));
    clone = pool.clone();
    CHECK(pool.get(pool.find("name 77")).data() != clone.get(clone.find("name 77")).data());
    CHECK(pool.find("name 9999") == clone.find("name 9999"));
  }
  CHECK(clone.get(clone.find("name 9999")) == "name 9999");
  CHECK(clone.size() == 10'001);
  CHECK(clone.intern("new") == StringId{10'001});
}
