// When a recording begins and ends besides its target: what passes, what is cut, what waits.
#include "capture/session/record_gate.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace lacuna;

namespace {

/// Writes down what came.
class Listing : public EventSink {
 public:
  void add(const StreamedSlice& s) override {
    lines.push_back(fmt::format("{} {}{}{}{}", s.name, s.start, s.is_open ? "+" : fmt::format("+{}", s.duration),
                                s.args.empty() ? "" : " ", s.args));
  }
  void add(const StreamedInstant& i) override { lines.push_back(fmt::format("!{} {}", i.name, i.time)); }
  void add(const StreamedAsync& a) override {
    lines.push_back(fmt::format("{}{} {}", a.is_begin ? "<" : ">", a.id, a.time));
  }
  void add(const StreamedFlow& f) override {
    lines.push_back(fmt::format("{} {}-{}", f.category, f.from_time, f.to_time));
  }
  void add(const StreamedName& n) override { lines.push_back(std::string(n.name)); }
  void add(const StreamedDevice&) override {}
  std::vector<std::string> take() { return std::exchange(lines, {}); }
  std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;
constexpr StreamedTrack kTrack{1, 2, TrackKind::kThread, 0};

StreamedSlice slice(const char* name, Nanos start, Nanos duration, const char* args = "") {
  return {kTrack, name, "c", start, duration, 0, args, false};
}

}  // namespace

TEST_CASE("what crosses an edge of the window is cut there, and says so") {
  Listing out;
  RecordGate gate({.delay = 100, .start_on = {}, .duration = 50}, 1000, out);  // 1100 to 1150
  gate.add(slice("before", 1000, 100));
  gate.add(slice("across the begin", 1090, 20, "\"a\":1"));
  gate.add(slice("empty at the begin", 1100, 0));
  gate.add(slice("inside", 1110, 10));
  gate.add(slice("across both", 1000, 500));
  gate.add(slice("behind", 1150, 10));
  gate.add(StreamedSlice{kTrack, "open", "c", 1000, 0, 0, {}, true});
  gate.add(StreamedName{StreamedName::What::kThread, 1, 2, "a name"});
  CHECK(out.take() == Lines{"across the begin 1100+10 \"a\":1,\"began_before_ns\":10", "empty at the begin 1100+0",
                            "inside 1110+10", "across both 1100+50 \"began_before_ns\":100,\"ended_after_ns\":350",
                            "open 1100+ \"began_before_ns\":100", "a name"});
  gate.add(StreamedInstant{kTrack, "early", "c", 1099, {}});
  gate.add(StreamedInstant{kTrack, "in time", "c", 1100, {}});
  gate.add(StreamedFlow{kTrack, 1120, kTrack, 1130, 1, kForwardBackward});
  CHECK(out.take() == Lines{"!in time 1100", "fwdbwd 1120-1130"});
  CHECK(gate.slices() == 5);
  CHECK(gate.left_out() == 3);
  CHECK_FALSE(gate.is_over(1149));
  CHECK(gate.is_over(1150));
}

TEST_CASE("ranges across threads that began before the window are begun with it") {
  Listing out;
  RecordGate gate({.delay = 100, .start_on = {}, .duration = 0}, 0, out);
  const auto async = [&](std::uint64_t id, Nanos time, bool is_begin) {
    gate.add(StreamedAsync{kTrack, "r", "c", time, id, is_begin, {}});
  };
  async(1, 10, true);
  async(1, 20, false);
  async(2, 10, true);
  async(3, 30, true);
  async(2, 150, false);
  CHECK(out.take() == Lines{"<2 100", ">2 150"});
  gate.finish();
  CHECK(out.take() == Lines{"<3 100"});
  CHECK(gate.left_out() == 2);
}

TEST_CASE("a recording starts on the first range of a name, with what runs beside it") {
  Listing out;
  RecordGate gate({.delay = 100, .start_on = "go", .duration = 0}, 0, out);
  gate.add(slice("go", 50, 10));  // within the delay
  gate.settle(90);
  CHECK(gate.is_waiting());
  // A round: what is inside of the range, and on other threads, comes before the range is known.
  gate.add(slice("gone", 100, 5));
  gate.add(slice("late in the round", 119, 3));
  gate.settle(118);
  CHECK(out.take().empty());
  gate.add(slice("inner", 121, 2));
  gate.add(slice("around", 60, 100));
  gate.add(StreamedSlice{{1, 3, TrackKind::kStacks, 0}, "go", "sample", 119, 2, 0, {}, false});  // a function's name
  gate.see_open("other", 110);
  gate.see_open("go", 120);
  gate.settle(122);
  CHECK(*gate.begin() == 120);
  CHECK(out.take() == Lines{"late in the round 120+2 \"began_before_ns\":1", "inner 121+2",
                            "around 120+40 \"began_before_ns\":60", "go 120+1 \"began_before_ns\":1"});
  gate.add(slice("go", 120, 10));
  CHECK(out.take() == Lines{"go 120+10"});
}

TEST_CASE("a range that begins and ends within a round starts a recording, in the last one, too") {
  Listing out;
  RecordGate gate({.delay = 0, .start_on = "go", .duration = 0}, 0, out);
  gate.add(slice("inner", 12, 2));
  gate.add(slice("go", 10, 10));
  gate.finish();
  CHECK(out.take() == Lines{"inner 12+2", "go 10+10"});

  RecordGate never({.delay = 0, .start_on = "go", .duration = 0}, 0, out);
  never.add(slice("inner", 12, 2));
  never.finish();
  CHECK(out.take().empty());
  CHECK(never.is_waiting());
  CHECK(never.left_out() == 1);
}
