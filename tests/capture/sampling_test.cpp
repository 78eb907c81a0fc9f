#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "capture/sampling/perf_records.h"
#include "capture/sampling/proc_states.h"
#include "capture/sampling/program_sampler.h"
#include "capture/sampling/python_lines.h"
#include "capture/sampling/stack_lane.h"
#include "capture/sampling/state_lane.h"
#include "model/trace/sampled_tracks.h"
#include "tests/support/paths.h"

using namespace lacuna;
using State = StateLane::State;

namespace {

struct ShortSlice {
  std::string name;
  std::uint64_t start, end;
  std::string args;
  bool operator==(const ShortSlice&) const = default;
};

std::vector<ShortSlice> short_slices(const std::vector<SampledSlice>& slices) {
  std::vector<ShortSlice> list;
  for (const SampledSlice& s : slices) list.push_back({std::string(s.name), s.start, s.end, s.args});
  return list;
}

constexpr StreamedTrack kStatesTrack{7, kStatesTid + 8, TrackKind::kThreadStates, 0};
constexpr StreamedTrack kStacksTrack{7, kStacksTid + 8, TrackKind::kStacks, 0};

SampledFrame python_frame(std::string_view name, std::uint32_t line) {
  return {name, kPythonSampleCategory, "/x/train.py", line};
}

}  // namespace

// The ring of one CPU as a kernel 6.18 wrote it for "python3 -c ..." behind a chain of shell scripts: recorded with
// the attributes of perf_events.cpp and copies of 64 bytes of stack. The expected numbers were read out of it by a
// script that shares nothing with the parser.
TEST_CASE("records of the kernel's ring, as one was recorded") {
  std::ifstream file(source_folder() + "/tests/fixtures/perf_ring.bin", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(text.size() == 10232);
  std::span<const std::byte> rest(reinterpret_cast<const std::byte*>(text.data()), text.size());
  using Kind = PerfRecord::Kind;
  std::array<int, 9> count{};
  std::vector<PerfRecord> all;
  for (PerfRecord record; take_record(rest, record);) {
    ++count[static_cast<std::size_t>(record.kind)];
    all.push_back(record);
  }
  CHECK(rest.empty());
  const auto of = [&](Kind kind) { return count[static_cast<std::size_t>(kind)]; };
  CHECK(of(Kind::kSwitchIn) == 127);
  CHECK(of(Kind::kSwitchOut) == 53);
  CHECK(of(Kind::kPreempted) == 43);
  CHECK(of(Kind::kStart) == 31);
  CHECK(of(Kind::kExit) == 32);
  CHECK(of(Kind::kName) == 31);
  CHECK(of(Kind::kSample) == 2);
  CHECK(of(Kind::kLost) == 0);
  CHECK(of(Kind::kOther) == 0);
  CHECK(all[0].kind == Kind::kName);
  CHECK(all[0].is_exec);
  CHECK(all[0].name == "python3");
  CHECK(all[0].tid == 15790);
  CHECK(all[0].time == 2751384369543);
  CHECK(all[2].name == "pyenv");
  CHECK(std::ranges::is_sorted(all, {}, &PerfRecord::time));
  const auto sample = std::ranges::find(all, Kind::kSample, &PerfRecord::kind);
  CHECK(sample->pid == 15790);
  CHECK(sample->time == 2751560880119);
#if defined(__x86_64__)
  std::array<std::uint64_t, 17> registers{};
  REQUIRE(sample->registers.size() == sizeof registers);
  std::memcpy(registers.data(), sample->registers.data(), sizeof registers);
  CHECK(registers[7] == 0x7ffd14df1ab8);
  CHECK(registers[8] == 0x7f29b6982a2a);
  CHECK(sample->stack.size() == 64);
  CHECK(std::to_integer<int>(sample->stack[0]) == 0x3e);
#endif

  // Cut anywhere, nothing but whole records comes out.
  for (std::size_t cut = 0; cut < 2000; ++cut) {
    std::span<const std::byte> part(reinterpret_cast<const std::byte*>(text.data()), cut);
    std::size_t taken = 0;
    for (PerfRecord record; take_record(part, record);) ++taken;
    REQUIRE(taken <= all.size());
    REQUIRE(part.size() <= cut);
  }
  // A size of nothing ends the reading.
  const std::array<std::byte, 16> nothing{};
  std::span<const std::byte> zeros(nothing);
  PerfRecord record;
  CHECK_FALSE(take_record(zeros, record));
}

TEST_CASE("changes of a thread's state become slices without holes") {
  StateLane lane(kStatesTrack);
  std::vector<SampledSlice> out;
  lane.change(100, State::kRunning, out);
  lane.change(150, State::kRunning, out);  // no news
  lane.change(200, State::kWaiting, out);
  CHECK(lane.is_waiting_unexplained(201));
  CHECK_FALSE(lane.is_waiting_unexplained(200));
  lane.waits_for("waiting: lock", "futex");
  CHECK_FALSE(lane.is_waiting_unexplained(1000));
  lane.change(300, State::kPreempted, out);
  lane.waits_for("waiting: read", "read");  // it does not wait
  lane.change(290, State::kRunning, out);   // late: counts as 300
  std::vector<SampledSlice> open;
  lane.add_open(350, open);
  CHECK(short_slices(open) == std::vector<ShortSlice>{{"running", 300, 350, ""}});
  lane.end(400, out);
  lane.end(500, out);
  CHECK(short_slices(out) == std::vector<ShortSlice>{{"running", 100, 200, ""},
                                                     {"waiting: lock", 200, 300, "\"system call\":\"futex\""},
                                                     {"running", 300, 400, ""}});
}

TEST_CASE("samples of a stack become slices") {
  StackLane lane(kStacksTrack, 10);
  std::vector<SampledSlice> out;
  const SampledFrame main = python_frame("main", 3), step = python_frame("step", 5), load = python_frame("load", 9);
  using Stack = std::vector<SampledFrame>;
  lane.sample(100, Stack{main}, out);
  lane.sample(110, Stack{main, step}, out);
  lane.sample(120, Stack{main, python_frame(step.name, 6)}, out);
  lane.sample(130, Stack{main, python_frame(step.name, 6)}, out);
  lane.sample(140, Stack{main, python_frame(step.name, 6)}, out);
  CHECK(out.empty());
  std::vector<SampledSlice> open;
  lane.add_open(145, open);
  CHECK(open.size() == 2);
  lane.sample(150, Stack{main, load}, out);
  lane.sample(160, Stack{main}, out);
  CHECK(short_slices(out) ==
        std::vector<ShortSlice>{{"step", 110, 150, R"("file":"/x/train.py","line":6,"samples":4)"},
                                {"load", 150, 160, R"("file":"/x/train.py","line":9,"samples":1)"}});
  out.clear();
  // Up to three periods without a sample are bridged, more are not.
  lane.sample(190, Stack{main}, out);
  CHECK(out.empty());
  lane.sample(221, Stack{main}, out);
  CHECK(short_slices(out) ==
        std::vector<ShortSlice>{{"main", 100, 200, R"("file":"/x/train.py","line":3,"samples":8)"}});
  out.clear();
  lane.settle(251, out);
  CHECK(out.empty());
  lane.settle(252, out);
  CHECK(short_slices(out) ==
        std::vector<ShortSlice>{{"main", 221, 231, R"("file":"/x/train.py","line":3,"samples":1)"}});
}

TEST_CASE("frames that begin and end together come outermost first, as readers nest them") {
  StackLane lane(kStacksTrack, 10);
  std::vector<SampledSlice> out;
  const std::vector<SampledFrame> stack{python_frame("main", 3), python_frame("step", 5), python_frame("load", 9)};
  lane.sample(100, stack, out);
  lane.sample(110, stack, out);
  lane.sample(120, std::span(stack).first(1), out);
  REQUIRE(out.size() == 2);
  CHECK(out[0].name == "step");
  CHECK(out[1].name == "load");
  out.clear();
  lane.sample(130, stack, out);
  lane.sample(140, {}, out);
  REQUIRE(out.size() == 3);
  CHECK(out[0].name == "main");
  CHECK(out[2].name == "load");
}

TEST_CASE("a sample that comes after the end of its stack begins no earlier") {
  StackLane lane(kStacksTrack, 10);
  std::vector<SampledSlice> out;
  const std::vector<SampledFrame> stack{python_frame("main", 3)};
  lane.sample(100, stack, out);
  lane.settle(131, out);
  lane.sample(108, stack, out);
  lane.end(120, out);
  CHECK(short_slices(out) ==
        std::vector<ShortSlice>{{"main", 100, 110, R"("file":"/x/train.py","line":3,"samples":1)"},
                                {"main", 110, 120, R"("file":"/x/train.py","line":3,"samples":1)"}});
}

TEST_CASE("what /proc says of a thread between two looks") {
  CHECK(parse_schedstat("116897 385336 2")->running_ns == 116897);
  CHECK(parse_schedstat("116897 385336 2")->turns == 2);
  CHECK_FALSE(parse_schedstat("116897 385336").has_value());
  CHECK_FALSE(parse_schedstat("x").has_value());
  const auto between = [](std::uint64_t running, std::uint64_t ready) {
    return state_between({1000, 500, 7}, {1000 + running, 500 + ready, 8}, 100);
  };
  CHECK(between(100, 0) == State::kRunning);
  CHECK(between(50, 0) == State::kRunning);  // as long as it waited
  CHECK(between(49, 0) == State::kWaiting);
  CHECK(between(0, 0) == State::kWaiting);
  CHECK(between(40, 40) == State::kRunning);  // as long as it was kept from running
  CHECK(between(39, 41) == State::kPreempted);
  CHECK(between(0, 50) == State::kWaiting);
  CHECK(between(0, 51) == State::kPreempted);
  CHECK(between(200, 300) == State::kPreempted);  // more than there was: the kernel's clocks differ
}

TEST_CASE("lines of Python's tables") {
  // Of 3.11 for "def f(data):\n    x = 1\n    return zlib.compress(\n        data)\n" at line 10, by its compiler.
  const auto place = [](LineTable kind, const std::string& table, std::uint32_t offset) {
    return place_of_instruction(kind, table, 10, offset);
  };
  // 3.9: two bytes on line 11, then line 9 (a step back), then line 12.
  const std::string lnotab{0, 1, 2, static_cast<char>(-2), 4, 3};
  CHECK(place(LineTable::kLnotab, lnotab, 0).line == 11);
  CHECK(place(LineTable::kLnotab, lnotab, 2).line == 9);
  CHECK(place(LineTable::kLnotab, lnotab, 5).line == 9);
  CHECK(place(LineTable::kLnotab, lnotab, 6).line == 12);
  // 3.10: ends of runs; -128 has no line.
  const std::string lines{4, 1, 2, static_cast<char>(-128), 4, 2};
  CHECK(place(LineTable::kLines, lines, 3).line == 11);
  CHECK(place(LineTable::kLines, lines, 4).line == 0);
  CHECK(place(LineTable::kLines, lines, 6).line == 13);
  CHECK(place(LineTable::kLines, lines, 10).line == 0);  // behind the end
  // 3.11: short form, next line, long form, no columns, none.
  const auto entry = [](unsigned code, unsigned units) { return static_cast<char>(0x80u | code << 3 | (units - 1)); };
  const std::string locations{entry(1, 1),
                              static_cast<char>(0x25),  // column 10 to 15 of the line
                              entry(11, 2),
                              4,
                              30,  // the next line, 4 to 30
                              entry(14, 1),
                              2,
                              1,
                              12,
                              static_cast<char>(64 | 5),
                              1,  // + 1, ends a line later, 11 to 68
                              entry(13, 1),
                              3,  // - 1
                              entry(15, 1)};
  const SourcePlace first = place(LineTable::kLocations, locations, 0);
  CHECK(first.line == 10);
  CHECK(first.column == 10);
  CHECK(first.end_column == 15);
  CHECK(place(LineTable::kLocations, locations, 2).line == 11);
  CHECK(place(LineTable::kLocations, locations, 4).end_column == 30);
  const SourcePlace long_form = place(LineTable::kLocations, locations, 6);
  CHECK(long_form.line == 12);
  CHECK(long_form.end_line == 13);
  CHECK(long_form.column == 11);
  CHECK(long_form.end_column == 68);
  CHECK(place(LineTable::kLocations, locations, 8).line == 11);
  CHECK(place(LineTable::kLocations, locations, 10).line == 0);
  // Anything may come out of another process.
  for (std::size_t cut = 0; cut < locations.size(); ++cut)
    for (std::uint32_t offset = 0; offset < 14; ++offset)
      (void)place(LineTable::kLocations, locations.substr(cut), offset);
}

TEST_CASE("what a call in the source calls") {
  CHECK(called_name("zlib.compress(data, 6)") == "zlib.compress");
  CHECK(called_name("f()") == "f");
  // While the lock is asked for the place is the statement with all that it does.
  CHECK(called_name("with lock: time.sleep(.01)") == "with lock");
  CHECK(called_name("with open(names[1:2]) as f:\n    f.read()\n") == "with open(names[1:2]) as f");
  CHECK(called_name("self.pool[0].map(f, (1, 2))\n") == "map");
  CHECK(called_name("open(name).read()") == "read");
  CHECK(called_name("torch.add(\n    a,\n    b)\n") == "torch.add");
  CHECK(called_name("(yield)") == "");
  CHECK(called_name("(x for x in y)") == "");
  CHECK(called_name("a + b") == "");
  CHECK(called_name(")") == "");
  CHECK(called_name("") == "");
}

TEST_CASE("tids of tracks beside a thread") {
  CHECK(thread_of_sampled("1000004711") == 4711);
  CHECK(thread_of_sampled("2000004711") == 4711);
  CHECK(thread_of_sampled("4711") == 4711);
  CHECK(thread_of_sampled("139874651842368") == 139874651842368);
  CHECK(kind_of_named_thread("1000004711") == TrackKind::kThreadStates);
  CHECK(kind_of_named_thread("2000004711") == TrackKind::kStacks);
  CHECK(kind_of_named_thread("4711") == TrackKind::kThread);
  CHECK(kind_of_named_thread("1500004711") == TrackKind::kThread);
  CHECK(kind_of_named_thread("stream 7") == TrackKind::kThread);
}

TEST_CASE("looks that came too late: their share, the reason, and what to do") {
  CHECK(words_on_late_looks(1000, 20, 0, 1, 100).empty());  // 98 % were made
  const std::string busy = words_on_late_looks(600, 200, 10, 100, 100);
  CHECK(busy ==
        "25 % of the looks at stacks came too late: others had the CPUs when it was time (leave a core free); "
        "--stack-rate 50 looks half as often");
  const std::string slow = words_on_late_looks(600, 200, 60, 100, 100);
  CHECK(slow ==
        "25 % of the looks at stacks came too late: they take longer than there is time between two, with 100 a "
        "second; --stack-rate 50 looks half as often");
}
