#include "model/path/thread_work.h"

#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// Calls nested in each other at random, on one thread, from 0 to about 400 ns.
class MadeThread {
 public:
  explicit MadeThread(std::uint32_t seed) : engine_(seed) {
    for (Nanos t = roll(20); t < 400; t += roll(30)) t = add(t, 0);
  }
  Nanos roll(Nanos n) { return static_cast<Nanos>(engine_() % static_cast<std::uint64_t>(n)); }
  Trace build() { return make_.build(); }

 private:
  /// One that begins at `t`, with what it calls; gives its end.
  Nanos add(Nanos t, int depth) {
    const Nanos begin = t;
    for (Nanos n = depth < 3 ? roll(3) : 0; n > 0; --n) {
      t += roll(10);
      t = add(t, depth + 1);
    }
    const Nanos end = t + 1 + roll(15);
    static constexpr std::string_view kCategories[] = {"cpu_op", "cuda_runtime", "python_function", "user_annotation"};
    const std::string_view category = kCategories[static_cast<std::size_t>(roll(4))];
    make_.thread("slice", begin, end, category);
    return end;
  }

  std::mt19937 engine_;
  TraceMaker make_;
};

}  // namespace

TEST_CASE("a thread's work of random calls, against asking each nanosecond") {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    MadeThread made(seed);
    const Trace trace = made.build();
    const Track& track = trace.tracks().front();
    REQUIRE(trace.lane(LaneId{track.first_lane.value + track.lane_count - 1}).nest == 0);
    const TimeSpan window{made.roll(100), 300 + made.roll(150)};
    const ThreadWork thread(trace, track.id, window);
    std::vector<SliceId> innermost(500);
    std::vector<bool> works(500, false);
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        for (Nanos t = lane.start(i); t < lane.end(i) && t < 500; ++t) {
          const CategoryClass category = trace.category_class(lane.category(i));
          innermost[static_cast<std::size_t>(t)] = {id, i};
          if (category == CategoryClass::kCpuOperator || category == CategoryClass::kRuntime)
            works[static_cast<std::size_t>(t)] = true;
        }
    }
    Nanos worked = 0, recorded = 0;
    ThreadWork::Hints forward, anywhere;
    for (Nanos t = window.begin; t < window.end; ++t) {
      const auto at = static_cast<std::size_t>(t);
      CHECK(thread.before(t + 1, forward).slice == innermost[at]);
      CHECK(thread.work_in({t, t + 1}) == (works[at] ? 1 : 0));
      CHECK(thread.recorded_in({t, t + 1}) == (innermost[at].valid() ? 1 : 0));
      worked += works[at] ? 1 : 0;
      recorded += innermost[at].valid() ? 1 : 0;
      // From any place to any other.
      const Nanos other = window.begin + made.roll(window.duration());
      CHECK(thread.before(other + 1, anywhere).slice == innermost[static_cast<std::size_t>(other)]);
      const TimeSpan last = thread.work_before(other + 1);
      CHECK(thread.work_before(other + 1, anywhere) == last);
      Nanos latest = other;
      while (latest >= window.begin && !works[static_cast<std::size_t>(latest)]) --latest;
      if (latest < window.begin) {
        CHECK(last == TimeSpan{window.begin, window.begin});
      } else {
        CHECK(last.begin <= latest);
        CHECK(last.end > latest);
        CHECK((last.begin == window.begin || !works[static_cast<std::size_t>(last.begin - 1)]));
      }
    }
    CHECK(thread.work_in(window) == worked);
    CHECK(thread.recorded_in(window) == recorded);
    CHECK(thread.work_in({window.end, window.begin}) == 0);
    REQUIRE_FALSE(thread.stretches.empty());
    CHECK(thread.stretches.front().begin == window.begin);
    CHECK(thread.stretches.back().begin < window.end);
    for (std::size_t s = 1; s < thread.stretches.size(); ++s) {
      CHECK(thread.stretches[s].begin > thread.stretches[s - 1].begin);
      CHECK(thread.stretches[s].slice != thread.stretches[s - 1].slice);
    }
    for (std::size_t w = 1; w < thread.work.size(); ++w) CHECK(thread.work[w].begin > thread.work[w - 1].end);
  }
}

TEST_CASE("a thread's work: what crosses others is left out; before the first there is none") {
  TraceMaker make;
  const Trace trace = make.thread("a", 10, 50).thread("b", 40, 80).thread("c", 100, 120, "user_annotation").build();
  const ThreadWork thread(trace, trace.tracks().front().id, {0, 200});
  CHECK(thread.work == std::vector<TimeSpan>{{10, 50}});
  CHECK(thread.recorded == std::vector<TimeSpan>{{10, 50}, {100, 120}});
  CHECK(thread.work_before(10) == TimeSpan{0, 0});
  CHECK(thread.work_before(11) == TimeSpan{10, 50});
  CHECK(thread.recorded_before(100) == TimeSpan{10, 50});
  CHECK(thread.recorded_before(101) == TimeSpan{100, 120});
}
