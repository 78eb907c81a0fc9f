#include "model/causes/cpu_timeline.h"

#include "model/causes/known_names.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

/// The definition: of the slices of the level that hold `t`, the innermost (for called operators
/// the outermost); where they cross, the one that started last.
SliceId expected_at(const Trace& trace, const Track& track, CpuLevel level, Nanos t) {
  SliceId best;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& lane = trace.lane(id);
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (!lane.span(i).contains(t)) continue;
      const CategoryClass c = trace.category_class(lane.category(i));
      const bool is_builtin = is_builtin_frame(trace.text(lane.name(i)));
      const bool fits = level == CpuLevel::kAnnotation ? c == CategoryClass::kCpuAnnotation
                        : level == CpuLevel::kPython   ? c == CategoryClass::kPythonFunction && !is_builtin
                        : level == CpuLevel::kRuntime  ? c == CategoryClass::kRuntime
                                                       : c == CategoryClass::kCpuOperator;
      if (!fits) continue;
      const SliceId slice{id, i};
      const bool outer = level == CpuLevel::kCalledOperator;
      if (!best.valid() || (outer ? slice < best : slice > best)) best = slice;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("one slice per level at each time") {
  TraceMaker make;
  make.thread("step", 0, 100, "user_annotation")
      .thread("train.py(1): main", 5, 95, "python_function")
      .thread("<built-in method item>", 10, 60, "python_function")
      .thread("aten::item", 12, 50)
      .thread("aten::_local_scalar_dense", 15, 45)
      .launch("cudaMemcpyAsync", 20, 30, 1);
  const Trace trace = make.build();
  const CpuTimeline timeline(trace, trace.tracks()[0].id, TimeSpan::everything());
  CHECK(timeline.window() == TimeSpan{0, 100});  // of the thread, where no window is asked for
  CHECK(CpuTimeline(trace, trace.tracks()[0].id, {kMinNanos, 200}).window() == TimeSpan{0, 200});
  const auto at = [&](CpuLevel level, Nanos t) {
    std::string name;
    timeline.for_each(level, {t, t + 1}, [&](TimeSpan, SliceId s) { name = s.valid() ? trace.name(s) : "-"; });
    return name;
  };
  CHECK(at(CpuLevel::kAnnotation, 0) == "step");
  CHECK(at(CpuLevel::kPython, 4) == "-");
  CHECK(at(CpuLevel::kPython, 11) == "train.py(1): main");
  CHECK(at(CpuLevel::kCalledOperator, 16) == "aten::item");
  CHECK(at(CpuLevel::kOperator, 16) == "aten::_local_scalar_dense");
  CHECK(at(CpuLevel::kOperator, 45) == "aten::item");
  CHECK(at(CpuLevel::kOperator, 50) == "-");
  CHECK(at(CpuLevel::kRuntime, 29) == "cudaMemcpyAsync");
  CHECK(at(CpuLevel::kRuntime, 30) == "-");
}

TEST_CASE("files of 2021: steps and loaders among the operators are annotations") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100, "Operator")
      .thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 50, "Operator")
      .thread("aten::stack", 10, 20, "Operator");
  const Trace trace = make.build();
  const CpuTimeline timeline(trace, trace.tracks()[0].id, TimeSpan::everything());
  Nanos in_operators = 0;
  timeline.for_each(CpuLevel::kCalledOperator, {0, 100}, [&](TimeSpan span, SliceId s) {
    if (s.valid()) in_operators += span.duration();
  });
  CHECK(in_operators == 10);
}

TEST_CASE("slices that cross: the one that started last") {
  TraceMaker make;
  make.thread("a", 0, 50).thread("b", 30, 80).thread("c", 60, 70);
  const Trace trace = make.build();
  const CpuTimeline timeline(trace, trace.tracks()[0].id, TimeSpan::everything());
  std::string names;
  timeline.for_each(CpuLevel::kOperator, {0, 80}, [&](TimeSpan span, SliceId s) {
    names += std::string(trace.name(s)) + std::to_string(span.begin) + " ";
  });
  CHECK(names == "a0 b30 c60 b70 ");
  names.clear();  // as called: the one that started first
  timeline.for_each(CpuLevel::kCalledOperator, {0, 80}, [&](TimeSpan span, SliceId s) {
    names += std::string(trace.name(s)) + std::to_string(span.begin) + " ";
  });
  CHECK(names == "a0 b50 ");
}

TEST_CASE("random threads against the definition, whole and in windows") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Trace trace = random_trace(seed);
    Dice dice(seed);
    for (const Track& track : trace.tracks()) {
      if (track.kind != TrackKind::kThread) continue;
      for (int w = 0; w < 6; ++w) {
        const Nanos begin = dice.roll(0, trace.span().end);
        const TimeSpan window = w == 0 ? trace.span() : TimeSpan{begin, begin + dice.roll(1, 200 * kUs)};
        const CpuTimeline timeline(trace, track.id, window);
        for (std::size_t l = 0; l < kCpuLevelCount; ++l) {
          const auto level = static_cast<CpuLevel>(l);
          Nanos covered = 0;
          timeline.for_each(level, window, [&](TimeSpan span, SliceId s) {
            covered += span.duration();
            for (const Nanos t : {span.begin, span.begin + span.duration() / 2, span.end - 1})
              REQUIRE(expected_at(trace, track, level, t) == s);
          });
          CHECK(covered == window.duration());
        }
      }
    }
  }
}
