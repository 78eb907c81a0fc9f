#include "model/gaps/gaps.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "model/base/natural_order.h"
#include "model/gaps/gpu_idle.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

TEST_CASE("a stream's window, busy and idle time, and its gaps") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 5, 8, 1)
      .launch("cudaLaunchKernel", 60, 65, 2)
      .kernel("a", 10, 20, 1)
      .kernel("b", 70, 100, 2);
  const Trace trace = make.build();
  const auto streams = analyze_streams(trace);
  REQUIRE(streams.size() == 1);
  const StreamActivity& s = streams[0];
  CHECK(trace.text(s.device) == "0");
  CHECK(trace.text(s.stream) == "7");
  CHECK(s.events == 2);
  CHECK(s.first_start == 10);
  CHECK(s.last_end == 100);
  CHECK(s.window() == 90);
  CHECK(s.busy == 40);
  CHECK(s.idle() == 50);
  CHECK(s.sum_duration == 40);
  REQUIRE(s.gaps.size() == 1);
  CHECK(s.gaps[0].start == 20);
  CHECK(s.gaps[0].end == 70);
  CHECK(s.gaps[0].duration() == 50);
  CHECK(trace.name(s.gaps[0].before) == "a");
  CHECK(trace.name(s.gaps[0].after) == "b");
  REQUIRE(s.gaps[0].launch.valid());
  CHECK(trace.span(s.gaps[0].launch) == TimeSpan{60, 65});
}

TEST_CASE("overlapping kernels count once as busy, and twice in the sum") {
  TraceMaker make;
  // b crosses a, c lies inside a: neither may end the busy stretch early.
  make.kernel("a", 0, 100).kernel("c", 10, 20).kernel("b", 50, 150).kernel("d", 150, 160).kernel("e", 200, 210);
  const Trace trace = make.build();
  const auto streams = analyze_streams(trace);
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].busy == 170);
  CHECK(streams[0].sum_duration == 230);
  REQUIRE(streams[0].gaps.size() == 1);
  CHECK(trace.name(streams[0].gaps[0].before) == "d");
  CHECK_FALSE(streams[0].gaps[0].launch.valid());
}

TEST_CASE("the activity before a gap is the one that ends last, not the one that starts last") {
  TraceMaker make;
  make.kernel("long", 0, 100).kernel("short", 80, 90).kernel("next", 120, 130);
  const Trace trace = make.build();
  const auto streams = analyze_streams(trace);
  REQUIRE(streams[0].gaps.size() == 1);
  CHECK(trace.name(streams[0].gaps[0].before) == "long");
  CHECK(streams[0].gaps[0].start == 100);
}

TEST_CASE("of activities that start together the first of the file ends the gap") {
  TraceMaker make;
  make.kernel("a", 0, 10).kernel("first", 50, 60).kernel("longer", 50, 90);
  const Trace trace = make.build();
  CHECK(trace.name(analyze_streams(trace)[0].gaps.front().after) == "first");
}

TEST_CASE("touching activities leave no gap; one of length 0 splits a gap") {
  TraceMaker make;
  make.kernel("a", 0, 10).kernel("b", 10, 20).kernel("zero", 40, 40).kernel("c", 70, 80).kernel("inside", 75, 75);
  const Trace trace = make.build();
  const auto streams = analyze_streams(trace);
  REQUIRE(streams[0].gaps.size() == 2);
  CHECK(streams[0].gaps[0].duration() == 20);
  CHECK(streams[0].gaps[1].duration() == 30);
  CHECK(streams[0].busy == 30);
  CHECK(streams[0].idle() == 50);
  CHECK(streams[0].events == 5);
}

TEST_CASE("kernels_only makes copies idle time") {
  TraceMaker make;
  make.kernel("a", 0, 10).copy("Memcpy HtoD", 10, 60).kernel("b", 60, 70).copy("Memcpy DtoH", 70, 90);
  make.copy("alone", 0, 5, "20");
  const Trace trace = make.build();
  CHECK(analyze_streams(trace).size() == 2);
  CHECK(analyze_streams(trace)[0].busy == 90);
  const auto kernels = analyze_streams(trace, {.kernels_only = true});
  REQUIRE(kernels.size() == 1);  // stream 20 has no kernel
  CHECK(kernels[0].events == 2);
  CHECK(kernels[0].last_end == 70);
  CHECK(kernels[0].busy == 20);
  CHECK(kernels[0].gaps.size() == 1);
}

TEST_CASE("annotations on the GPU are no activity") {
  TraceMaker make;
  make.kernel("a", 0, 10).gpu_annotation("ProfilerStep#1", 0, 100).kernel("b", 50, 60);
  const Trace trace = make.build();
  REQUIRE(analyze_streams(trace).size() == 1);
  CHECK(analyze_streams(trace)[0].busy == 20);
}

TEST_CASE("activities are clipped to the range") {
  TraceMaker make;
  make.kernel("a", 0, 100).kernel("b", 120, 130).kernel("c", 200, 300).kernel("outside", 400, 410);
  const Trace trace = make.build();
  const auto streams = analyze_streams(trace, {.range = {50, 250}});
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].events == 3);
  CHECK(streams[0].first_start == 50);
  CHECK(streams[0].last_end == 250);
  CHECK(streams[0].busy == 50 + 10 + 50);
  CHECK(streams[0].sum_duration == 110);
  CHECK(streams[0].gaps.size() == 2);
  CHECK(analyze_streams(trace, {.range = {100, 120}}).empty());
}

TEST_CASE("streams come by file, device and stream number") {
  TraceMaker make;
  make.kernel("k", 0, 1, 0, "14", "0")
      .kernel("k", 0, 1, 0, "7", "10")
      .kernel("k", 0, 1, 0, "7", "2")
      .kernel("k", 0, 1, 0, "7", "0");
  make.next_file().kernel("k", 0, 1, 0, "7", "0");
  const Trace trace = make.build();
  std::string order;
  for (const StreamActivity& s : analyze_streams(trace))
    order += std::string(trace.text(s.device)) + ":" + std::string(trace.text(s.stream)) + " ";
  CHECK(order == "0:7 0:14 2:7 10:7 0:7 ");
}

TEST_CASE("a device is busy when any of its streams is") {
  TraceMaker make;
  make.kernel("a", 0, 100).copy("c", 50, 150, "20").copy("d", 180, 200, "20").kernel("e", 10, 30, 0, "7", "1");
  const Trace trace = make.build();
  const auto devices = analyze_devices(trace);
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].events == 3);
  CHECK(devices[0].busy == 170);
  CHECK(devices[0].window() == 200);
  CHECK(devices[0].idle() == 30);
  CHECK(trace.text(devices[1].device) == "1");
  CHECK(devices[1].busy == 20);
  CHECK(analyze_devices(trace, {.kernels_only = true})[0].busy == 100);
}

TEST_CASE("a trace without GPU activity has no streams") {
  TraceMaker make;
  make.thread("aten::mm", 0, 10);
  const Trace trace = make.build();
  CHECK(analyze_streams(trace).empty());
  CHECK(analyze_devices(trace).empty());
}

TEST_CASE("random streams: busy and gaps agree with counting every nanosecond") {
  std::mt19937 random(7);
  const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  for (int round = 0; round < 200; ++round) {
    TraceMaker make;
    std::vector<TimeSpan> spans;
    const int kernels = 1 + up_to(30);
    for (int i = 0; i < kernels; ++i) {
      const Nanos start = up_to(200);
      spans.push_back({start, start + 1 + up_to(12)});  // lengths > 0: points have a test above
      make.kernel("k", start, spans.back().end);
    }
    const TimeSpan range = round % 2 == 0 ? TimeSpan::everything() : TimeSpan{40, 40 + 1 + up_to(120)};
    std::set<Nanos> busy;
    for (const TimeSpan& span : spans)
      for (Nanos t = span.begin; t < span.end; ++t)
        if (range.contains(t)) busy.insert(t);
    std::size_t gaps = 0;
    for (const Nanos t : busy) gaps += t != *busy.begin() && !busy.contains(t - 1);

    const Trace trace = make.build();
    const auto streams = analyze_streams(trace, {.range = range});
    if (busy.empty()) {
      CHECK(streams.empty());
      continue;
    }
    REQUIRE(streams.size() == 1);
    CHECK(streams[0].busy == static_cast<Nanos>(busy.size()));
    CHECK(streams[0].first_start == *busy.begin());
    CHECK(streams[0].last_end == *busy.rbegin() + 1);
    CHECK(streams[0].gaps.size() == gaps);
    Nanos idle = 0;
    for (const Gap& gap : streams[0].gaps) idle += gap.duration();
    CHECK(idle == streams[0].idle());
  }
}

TEST_CASE("natural_less: numbers by value, then text, in which numbers count by value, too") {
  std::vector<std::string_view> ids{
      "stream 14", "14",       "-1",     "7",           "", "007", "100000000000000000000", "-20",
      "0",         "stream 7", "stream", "stream 007 b"};
  std::ranges::sort(ids, natural_less);
  const std::vector<std::string_view> expected{
      "-20", "-1",     "0",        "007",          "7",        "14", "100000000000000000000",
      "",    "stream", "stream 7", "stream 007 b", "stream 14"};
  CHECK(ids == expected);
}

TEST_CASE("of kernels only: a device that ran none has no place") {
  TraceMaker make;
  make.kernel("gemm", 0, 10).copy("Memcpy HtoD", 0, 20, "7", "1");
  const Trace trace = make.build();
  CHECK(analyze_devices(trace).size() == 2);
  CHECK(analyze_devices(trace, {.kernels_only = true}).size() == 1);
}

TEST_CASE("how long all streams of a GPU were idle in a gap, counted nanosecond by nanosecond") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 dice(seed);
    TraceMaker make;
    std::map<std::string, std::set<Nanos>> busy;  // of device 0, by stream
    for (const char* stream : {"7", "13", "20"})
      for (Nanos t = 10 + dice() % 40; t < 200; t += 10 + dice() % 40) {
        const Nanos end = t + 1 + dice() % 8;
        make.kernel("k", t, end, 0, stream);
        for (Nanos n = t; n < end; ++n) busy[stream].insert(n);
        t = end;
      }
    make.kernel("elsewhere", 0, 300, 0, "7", "1");
    make.next_file();
    make.kernel("of another file", 0, 300, 0, "7", "0");
    const Trace trace = make.build();
    const std::vector<StreamActivity> streams = analyze_streams(trace);
    for (std::size_t s = 0; s < streams.size(); ++s) {
      const bool is_first_file = trace.process(trace.track(streams[s].track).process).source == SourceId{0};
      for (const Gap& gap : streams[s].gaps) {
        REQUIRE(is_first_file);
        Nanos idle = 0;
        for (Nanos n = gap.start; n < gap.end; ++n)
          idle += std::ranges::none_of(busy, [&](const auto& of) { return of.second.contains(n); });
        CHECK(gpu_idle_in(trace, streams, s, gap) == idle);
      }
    }
  }
}
