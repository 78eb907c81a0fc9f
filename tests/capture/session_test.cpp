#include <csignal>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "capture/session/clock_map.h"
#include "capture/session/exit_words.h"
#include "capture/session/hook_watch.h"
#include "capture/session/step_filter.h"
#include "capture/session/thread_lanes.h"
#include "model/base/shell_words.h"
#include "model/export/trace_json_writer.h"
#include "model/formats/json_value.h"

using namespace lacuna;

TEST_CASE("a program that was asked to end was stopped, whatever signal did it") {
  using Exit = Launcher::Exit;
  CHECK(exit_in_words(Exit{true, SIGINT}, "").starts_with("was killed by signal 2"));
  CHECK(exit_in_words(Exit{true, SIGINT}, "SIGINT") == "was stopped");
  CHECK(exit_in_words(Exit{true, SIGKILL}, "SIGKILL") == "was stopped (SIGKILL)");
  CHECK(exit_in_words(Exit{false, 3}, "SIGINT") == "was stopped; it exited with code 3");
  CHECK(exit_in_words(Exit{false, 3}, "") == "exited with code 3");
  CHECK(exit_in_words(Exit{true, SIGSEGV}, "SIGINT").starts_with("was killed by signal 11"));
}

TEST_CASE("words of a command line, as a shell splits them") {
  const auto words = [](std::string_view line) { return split_words(line).value(); };
  using Words = std::vector<std::string>;
  CHECK(words("") == Words{});
  CHECK(words("  python  train.py\t--lr 0.1\n") == Words{"python", "train.py", "--lr", "0.1"});
  CHECK(words("a 'b c' \"d e\" f\\ g") == Words{"a", "b c", "d e", "f g"});
  CHECK(words("'' \"\"") == Words{"", ""});
  CHECK(words("x'y'\"z\"w") == Words{"xyzw"});
  CHECK(words(R"("a\"b\\c\$d\n")") == Words{R"(a"b\c$d\n)"});
  CHECK(words(R"('a\b')") == Words{R"(a\b)"});
  CHECK(words("$HOME *.c ; rm") == Words{"$HOME", "*.c", ";", "rm"});
  for (const char* line : {"'a", "\"a", "a\\", "\"a\\\""}) CHECK_FALSE(split_words(line).has_value());
  const Words hard = {"a b", "it's", "", "$x", "\\", "\"q\"", "new\nline", "plain/path-1.0_x=y"};
  CHECK(words(join_words(hard)) == hard);
}

TEST_CASE("microseconds with three decimals") {
  const auto text = [](Nanos ns) {
    std::string out;
    append_microseconds(ns, out);
    return out;
  };
  CHECK(text(0) == "0.000");
  CHECK(text(1) == "0.001");
  CHECK(text(-1) == "-0.001");
  CHECK(text(1234567) == "1234.567");
  CHECK(text(-1000) == "-1.000");
  CHECK(text(kMaxNanos) == "9223372036854775.807");
  CHECK(text(kMinNanos) == "-9223372036854775.808");
}

TEST_CASE("any bytes become a valid JSON string") {
  std::string out;
  append_json_string(std::string_view("a\"\\\n\x01\xff\xc3\xa9z\0", 10), out);
  CHECK(out == "\"a\\\"\\\\\\n\\u0001\xef\xbf\xbd\xc3\xa9z\\u0000\"");
}

TEST_CASE("clock map: exact on a line, continuous where the rate changes") {
  const std::uint64_t ghz = 3;
  const std::uint64_t mono = 5'000'000'000;
  const std::uint64_t real = 1'790'000'000'123'456'789;
  const std::uint64_t tsc = 77'000'000'000;
  ClockMap map({mono, real, tsc}, {mono + 20'000'000, real + 20'000'000, tsc + 60'000'000});
  CHECK(map.base_ns() == 1'790'000'000'000'000'000);
  CHECK(map.trace_time(mono) == 123'456'789);
  CHECK(map.monotonic_of_tsc(tsc) == mono);
  CHECK(map.monotonic_of_tsc(tsc + ghz * 1'000'000) == mono + 1'000'000);
  CHECK(map.monotonic_of_tsc(tsc - ghz * 1'000) == mono - 1'000);
  // The counter turns out to run 20 ppm slower than it seemed.
  std::uint64_t last = 0;
  for (std::uint64_t s = 1; s <= 10; ++s) {
    const std::uint64_t t = tsc + s * 3'000'000'000 - s * 60'000;
    const std::uint64_t before = map.monotonic_of_tsc(t);
    map.add({mono + s * 1'000'000'000, real, t});
    CHECK(map.monotonic_of_tsc(t) == before);  // no step
    CHECK(before > last);
    last = before;
    if (s > 3) {
      const auto error = static_cast<std::int64_t>(before - (mono + s * 1'000'000'000));
      CHECK(std::abs(error) < 200);
    }
  }
  // Suspend: the counter ran on, the clock did not. Taken at once.
  map.add({mono + 11'000'000'000, real, tsc + 3'000'000'000'000});
  CHECK(map.monotonic_of_tsc(tsc + 3'000'000'000'000) == mono + 11'000'000'000);
  // Extremes do not overflow.
  (void)map.monotonic_of_tsc(~0ull);
  (void)map.trace_time(~0ull);
  CHECK(map.monotonic_of_tsc(0) <= mono);
}

TEST_CASE("stacks find their way back after lost records") {
  ThreadLanes lanes;
  std::vector<OpenRange> lost;
  const auto head = [](wire::RecordType type, std::uint32_t name, std::uint8_t depth) {
    wire::RecordHead h;
    h.type = type;
    h.name = name;
    h.depth = depth;
    return h;
  };
  const auto push = [&](std::uint32_t name, std::uint8_t depth) {
    lanes.push({name * 10, head(wire::RecordType::kPush, name, depth), {}, {}, false, true}, lost);
  };
  const auto pop = [&](std::uint8_t depth) {
    const auto range = lanes.pop(head(wire::RecordType::kPop, 0, depth), lost);
    return range ? range->head.name : 0u;
  };
  push(1, 0);
  push(2, 1);
  push(3, 2);
  CHECK(pop(2) == 3);
  // Lost: pop of 2. The next push is at depth 1.
  push(4, 1);
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].head.name == 2);
  CHECK(pop(1) == 4);
  lost.clear();
  // Lost: two pushes (depths 1 and 2); the pops come.
  push(5, 3);
  CHECK(pop(3) == 5);
  CHECK(pop(2) == 0);
  CHECK(pop(1) == 0);
  CHECK(pop(0) == 1);
  CHECK(lost.empty());
  CHECK(pop(0) == 0);  // nothing open any more
  // Depths beyond 255.
  for (std::uint32_t i = 0; i < 1000; ++i) push(i + 1, static_cast<std::uint8_t>(i));
  for (std::uint32_t i = 1000; i > 0; --i) REQUIRE(pop(static_cast<std::uint8_t>(i - 1)) == i);
  CHECK(lost.empty());
}

TEST_CASE("schedules mean what torch.profiler's mean") {
  const StepSchedule schedule{1, 1, 2, 2};  // skip, warm up, keep, keep; twice
  std::string kept;
  for (std::uint64_t step = 0; step < 12; ++step) kept += schedule.keeps(step) ? 'x' : '-';
  CHECK(kept == "--xx--xx----");
  CHECK_FALSE(schedule.is_over(7));
  CHECK(schedule.is_over(8));
  CHECK(StepSchedule{}.keeps(3));
  CHECK(StepSchedule{2, 0, 1, 0}.keeps(302));
}

TEST_CASE("a schedule without a step keeps what waited for one, and counts what it could not keep") {
  struct Counter : EventSink {
    std::uint64_t slices = 0;
    std::string first;
    void add(const StreamedSlice& s) override {
      if (slices++ == 0) first = s.name;
    }
    void add(const StreamedInstant&) override {}
    void add(const StreamedAsync&) override {}
    void add(const StreamedFlow&) override {}
    void add(const StreamedName&) override {}
    void add(const StreamedDevice&) override {}
  };
  const StreamedTrack cpu{1, 1, TrackKind::kThread, 0};
  constexpr std::uint64_t kMore = 10;
  for (const bool has_step : {false, true}) {
    CAPTURE(has_step);
    Counter sink;
    StepFilter filter({1, 0, 1, 1}, sink);
    for (std::uint64_t i = 0; i < StepFilter::kMostWithoutStep + kMore; ++i) {
      const std::string name = fmt::format("{}", i);
      filter.add(StreamedSlice{cpu, name, "x", static_cast<Nanos>(i), 1, 0, {}, false});
    }
    filter.settle(1'000'000);
    if (has_step) filter.step_ended(900'000);
    filter.finish();
    CHECK(sink.slices == (has_step ? 0 : StepFilter::kMostWithoutStep));
    CHECK(filter.slices() == sink.slices);
    CHECK(filter.left_out() == kMore + (has_step ? StepFilter::kMostWithoutStep : 0));
    if (!has_step) CHECK(sink.first == "10");
  }
}

TEST_CASE("a Python that was told to leave the hook out is known by its switches") {
  using Words = std::vector<std::string>;
  CHECK(python_isolation(Words{"python3", "-I", "x.py"}) == "-I");
  CHECK(python_isolation(Words{"/usr/bin/python3.11", "-u", "-OE", "x.py"}) == "-OE");
  CHECK(python_isolation(Words{"python", "-X", "dev", "-S"}) == "-S");
  CHECK(python_isolation(Words{"python", "-Wignore", "-S"}) == "-S");
  for (const Words& words :
       {Words{}, Words{"python"}, Words{"python", "x.py", "-I"}, Words{"python", "-c", "code", "-I"},
        Words{"python", "-m", "mod", "-S"}, Words{"python", "--version"}, Words{"grep", "-I"}})
    CHECK(python_isolation(words) == "");
}

TEST_CASE("step filter: by the start of CPU events, by the launch of GPU activities") {
  struct Names : EventSink {
    std::vector<std::string> names;
    void add(const StreamedSlice& s) override { names.emplace_back(s.name); }
    void add(const StreamedInstant& i) override { names.emplace_back(i.name); }
    void add(const StreamedAsync& a) override {
      names.emplace_back(std::string(a.is_begin ? "b:" : "e:") + std::string(a.name));
    }
    void add(const StreamedFlow& f) override { names.push_back("flow " + std::to_string(f.id)); }
    void add(const StreamedName& n) override { names.emplace_back(n.name); }
    void add(const StreamedDevice&) override {}
  } sink;
  StepFilter filter({1, 0, 1, 1}, sink);
  const StreamedTrack cpu{1, 1};
  const StreamedTrack gpu{0, 7, TrackKind::kGpuStream};
  const auto slice = [&](const StreamedTrack& track, const char* name, Nanos start, std::uint64_t correlation) {
    filter.add(StreamedSlice{track, name, "c", start, 5, correlation, {}, false});
  };
  filter.add(StreamedName{StreamedName::What::kThread, 1, 1, "thread"});
  slice(gpu, "kernel of step 0", 150, 1);  // runs in step 1, launched in step 0
  slice(cpu, "launch 0", 50, 1);
  slice(cpu, "launch 1", 110, 2);
  slice(gpu, "kernel of step 1", 250, 2);  // runs in step 2
  filter.add(StreamedFlow{cpu, 110, gpu, 250, 2});
  filter.add(StreamedFlow{cpu, 50, gpu, 150, 1});
  filter.add(StreamedAsync{cpu, "range", "c", 120, 9, true, {}});
  filter.add(StreamedAsync{cpu, "range", "c", 260, 9, false, {}});
  slice(cpu, "in step 2", 210, 0);
  filter.step_ended(100);
  filter.settle(90);
  CHECK(sink.names == std::vector<std::string>{"thread"});
  filter.step_ended(200);
  filter.settle(kMaxNanos);
  CHECK(sink.names ==
        std::vector<std::string>{"thread", "launch 1", "b:range", "e:range", "kernel of step 1", "flow 2"});
  CHECK(filter.left_out() == 4);
}
