#include "model/causes/outside_evidence.h"

#include <string>

#include <fmt/format.h>

#include "model/causes/cause_index.h"
#include "model/causes/gap_evidence.h"
#include "model/trace/sampled_tracks.h"
#include "tests/causes/causes_support.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

std::string duration_in_us(Nanos ns) {
  return fmt::format("{:.3f} us", static_cast<double>(ns) / 1000);
}

/// Kernels on [10, 100) and [400, 500) us, the second launched at 380 us by thread 1, and what `beside` says of that
/// thread: read from a file, as a recording is.
struct RecordedGap {
  std::string events =
      R"json({"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"cat":"cuda_runtime","name":"cudaLaunchKernel","args":{"correlation":1}},
{"ph":"X","pid":1,"tid":1,"ts":380,"dur":15,"cat":"cuda_runtime","name":"cudaLaunchKernel","args":{"correlation":2}},
{"ph":"X","pid":0,"tid":7,"ts":10,"dur":90,"cat":"kernel","name":"first","args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","pid":0,"tid":7,"ts":400,"dur":100,"cat":"kernel","name":"second","args":{"device":0,"stream":7,"correlation":2}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"python (main)"}},
{"ph":"M","pid":1,"tid":2000000001,"name":"sample_period_ns","args":{"value":10000}})json";

  RecordedGap& state(std::string_view name, double from, double to, std::uint32_t tid = 1) {
    events += fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"cat\":\"thread_state\",\"name\":\"{}\"}"
        "}",
        kStatesTid + tid, from, to - from, name);
    return *this;
  }
  RecordedGap& frame(std::string_view name, double from, double to) {
    events += fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"cat\":\"python_sample\",\"name\":\"{}\"}"
        "}",
        kStacksTid + 1, from, to - from, name);
    return *this;
  }
  Trace read() const {
    const TemporaryFolder folder;
    const std::string path = folder.write("gap.json", "{\"traceEvents\":[" + events + "]}");
    Result<Trace> trace = import_files(std::span<const std::string>(&path, 1));
    REQUIRE(trace.has_value());
    return std::move(*trace);
  }
};

TrackId thread_named(const Trace& trace, std::string_view name) {
  for (const Track& track : trace.tracks())
    if (trace.text(track.name) == name) return track.id;
  FAIL("no thread " << name);
  return {};
}

std::string words(const Trace& trace, TimeSpan window) {
  const TrackId thread = thread_named(trace, "python (main)");
  return describe_outside(trace, thread, window, look_from_outside(trace, thread, window), duration_in_us);
}

constexpr TimeSpan kGapWindow{100 * kUs, 400 * kUs};

}  // namespace

TEST_CASE("tracks beside a thread are kinds of their own, and lie behind it") {
  const Trace trace = RecordedGap().state("running", 0, 50).frame("main", 0, 100).state("waiting", 0, 9, 2).read();
  std::vector<TrackKind> kinds;
  for (const TrackId id : trace.process(trace.track(thread_named(trace, "python (main)")).process).tracks)
    kinds.push_back(trace.track(id).kind);
  CHECK(kinds ==
        std::vector{TrackKind::kThread, TrackKind::kStacks, TrackKind::kThreadStates, TrackKind::kThreadStates});
  for (const Track& track : trace.tracks())
    CHECK(track.sample_period == (track.kind == TrackKind::kStacks ? 10'000 : 0));
}

TEST_CASE("a thread that was not scheduled is worth a word from a tenth of the time on") {
  const auto waited = [](double us) {
    return words(RecordedGap().state("waiting: lock", 200, 200 + us).read(), kGapWindow);
  };
  CHECK(waited(30) == "thread python (main) was not scheduled for 30.000 us (waiting: lock)");
  CHECK(waited(29.999).empty());
  // Only what lies in the window counts, and running is no waiting.
  CHECK(words(RecordedGap().state("waiting", 0, 129.999).state("running", 130, 400).read(), kGapWindow).empty());
  CHECK(words(RecordedGap().state("waiting", 0, 130).read(), kGapWindow) ==
        "thread python (main) was not scheduled for 30.000 us (waiting)");
  // Of another thread it says nothing.
  CHECK(words(RecordedGap().state("waiting", 100, 400, 11).read(), kGapWindow).empty());
  // The two add up; what there was more of is named.
  CHECK(words(RecordedGap().state("waiting: read", 100, 120).state("preempted", 120, 140).read(), kGapWindow) ==
        "thread python (main) was not scheduled for 40.000 us (waiting: read)");
  CHECK(words(RecordedGap().state("waiting: read", 100, 120).state("preempted", 120, 140.001).read(), kGapWindow) ==
        "thread python (main) was not scheduled for 40.001 us (20.001 us preempted)");
}

TEST_CASE("of waits that are as long the first is the longest") {
  const Trace trace = RecordedGap().state("waiting: read", 100, 150).state("waiting: lock", 200, 250).read();
  const OutsideEvidence evidence = look_from_outside(trace, thread_named(trace, "python (main)"), kGapWindow);
  CHECK(evidence.longest_off == slice_named(trace, "waiting: read"));
  CHECK(trace.text(evidence.most_waited) == "waiting: read");
}

TEST_CASE("the innermost frame that half of the samples share") {
  const auto stack = [](double from, double to) {
    return words(RecordedGap().frame("main", 0, 500).frame("pack", 100, 400).frame("zlib.compress", from, to).read(),
                 kGapWindow);
  };
  CHECK(stack(100, 390) == "in zlib.compress by 29 of 30 samples");
  CHECK(stack(100, 250) == "in zlib.compress by 15 of 30 samples");  // half
  CHECK(stack(100, 249.999) == "in pack by 30 of 30 samples");
  // The innermost that is the same all the while, though it begins and ends with the window.
  CHECK(stack(100, 400) == "in zlib.compress by 30 of 30 samples");
  // No frame that half of them share.
  CHECK(words(RecordedGap().frame("a", 100, 200).frame("b", 200, 300).frame("c", 300, 400).read(), kGapWindow).empty());
  // A name that half of them share, though under different frames, and one below it.
  const Trace shared = RecordedGap()
                           .frame("a", 100, 200)
                           .frame("pack", 100, 190)
                           .frame("b", 200, 300)
                           .frame("pack", 210, 300)
                           .frame("c", 300, 400)
                           .frame("d", 300, 310)
                           .read();
  CHECK(words(shared, kGapWindow) == "in pack by 18 of 30 samples");
  // Four samples and more say something.
  const Trace trace = RecordedGap().frame("main", 0, 500).read();
  CHECK(words(trace, {100 * kUs, 135 * kUs}) == "in main by 4 of 4 samples");
  CHECK(words(trace, {100 * kUs, 134'999}).empty());
  // Without a period nobody knows how many samples there were.
  RecordedGap unknown;
  unknown.events.replace(unknown.events.find("\"value\":10000"), 13, "\"value\":0");
  CHECK(words(unknown.frame("main", 0, 500).read(), kGapWindow).empty());
}

TEST_CASE("the reason of a gap ends with what was seen from outside") {
  const Trace trace = RecordedGap()
                          .state("running", 0, 110)
                          .state("waiting: lock", 110, 375)
                          .state("running", 375, 500)
                          .frame("main", 0, 500)
                          .frame("threading.Lock.acquire", 110, 380)
                          .read();
  const CauseIndex index(trace);
  const StreamActivity stream = analyze_streams(trace).front();
  const GapDiagnosis diagnosis = index.diagnose(stream.gaps.front());
  const GapEvidence evidence = gather_evidence(trace, stream.gaps.front(), diagnosis);
  const std::string why = explain_gap(trace, stream.gaps.front(), diagnosis, evidence, duration_in_us);
  CHECK(evidence.outside.waiting == 265 * kUs);
  const std::string expected =
      "; thread python (main) was not scheduled for 265.000 us (waiting: lock), in threading.Lock.acquire by 27 of 30 "
      "samples";
  CHECK_MESSAGE(why.ends_with(expected), why);
  // Stacks and states are no work of the thread: nothing was recorded there.
  CHECK(evidence.unrecorded == evidence.window.duration() - 15 * kUs);  // of the launch itself
}
