#include "model/causes/charged_time.h"

#include <map>
#include <tuple>

#include "model/causes/known_names.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

struct OrderOfCharged {
  bool operator()(const ChargedTo& a, const ChargedTo& b) const {
    return std::tie(a.level, a.name, a.inner) < std::tie(b.level, b.name, b.inner);
  }
};
using Times = std::map<ChargedTo, Nanos, OrderOfCharged>;

/// The definition, one moment: who is charged at `t`.
ChargedTo charged_by_definition(const Trace& trace, const CpuTimeline& timeline, Nanos t, bool loads_data) {
  const auto at = [&](CpuLevel level) {
    SliceId found;
    timeline.for_each(level, {t, t + 1}, [&](TimeSpan, SliceId slice) { found = slice; });
    return found;
  };
  const auto name = [&](SliceId slice) { return trace.lane(slice).name(slice.index); };
  const SliceId annotation = at(CpuLevel::kAnnotation);
  if (loads_data && annotation.valid() && is_data_loading(trace.name(annotation)))
    return {CpuLevel::kAnnotation, name(annotation), kEmptyString};
  if (const SliceId called = at(CpuLevel::kCalledOperator); called.valid())
    return {CpuLevel::kCalledOperator, name(called), name(at(CpuLevel::kOperator))};
  for (const CpuLevel level : {CpuLevel::kPython, CpuLevel::kRuntime, CpuLevel::kAnnotation})
    if (at(level).valid()) return {level, name(at(level)), kEmptyString};
  return {};
}

/// Slices of a few names at all levels, nested and apart, some of them with nothing between.
Trace busy_thread(std::uint32_t seed) {
  Dice dice(seed);
  TraceMaker make;
  for (Nanos t = 0; t < 1200;) {
    const std::string digit = std::to_string(dice.roll(0, 5));
    const Nanos length = dice.roll(3, 12);
    switch (dice.roll(0, 5)) {
      case 0:
        make.thread("aten::a" + digit, t, t + length).thread("aten::b" + digit, t + 1, t + length - 1);
        break;
      case 1:
        make.thread("aten::a" + digit, t, t + length);
        break;
      case 2:
        make.thread("f.py(1): f" + digit, t, t + length, "python_function").launch("cudaMalloc", t + 1, t + 2, 0);
        break;
      case 3:
        make.launch("cudaLaunchKernel", t, t + length, 0);
        break;
      case 4:
        make.thread("enumerate(DataLoader)#" + digit, t, t + length, "user_annotation")
            .thread("aten::stack", t + 1, t + 2);
        break;
      default:
        make.thread("step" + digit, t, t + length, "user_annotation");
        break;
    }
    t += length + dice.roll(0, 1) * dice.roll(0, 4);
  }
  return make.build();
}

}  // namespace

TEST_CASE("who is charged for a span is the same moment by moment, however much was asked before") {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const Trace trace = busy_thread(seed);
    const CpuTimeline timeline(trace, trace.tracks()[0].id, trace.span());
    for (const bool loads_data : {false, true}) {
      std::vector<ChargedTo> at;
      for (Nanos t = trace.span().begin; t < trace.span().end; ++t)
        at.push_back(charged_by_definition(trace, timeline, t, loads_data));
      ChargedTime known(trace, timeline, loads_data);
      Dice dice(seed);
      std::size_t most_visits = 0;
      for (int round = 0; round < 300; ++round) {
        const Nanos begin = dice.roll(-20, 1200);
        const TimeSpan span{begin, begin + dice.roll(0, round % 2 == 0 ? 30 : 1200)};
        Times expected, found;
        std::vector<ChargedTo> order, expected_order;
        for (Nanos t = std::max<Nanos>(span.begin, 0); t < std::min<Nanos>(span.end, trace.span().end); ++t) {
          const ChargedTo& to = at[static_cast<std::size_t>(t)];
          if (expected[to]++ == 0) expected_order.push_back(to);
        }
        std::size_t visits = 0;
        ChargedTo last;
        for (const auto& [to, time] : known.charges(span)) {
          REQUIRE(time > 0);
          if (found.try_emplace(to, 0).second) order.push_back(to);
          found[to] += time;
          last = to;
          ++visits;
        }
        if (round > 200) most_visits = std::max(most_visits, visits);
        REQUIRE(found == expected);
        REQUIRE(order == expected_order);
        if (!expected.empty()) REQUIRE(last == at[static_cast<std::size_t>(std::min(span.end, trace.span().end) - 1)]);
      }
      // Those charged, and the two at the ends: not each of some 300 stretches.
      CHECK(most_visits <= 60);
      CHECK(most_visits > 10);
    }
  }
}

TEST_CASE("a thread of which nothing is known is charged as nothing recorded, and only within the trace") {
  TraceMaker make;
  make.thread("aten::mm", 10, 20).kernel("k", 0, 30);
  const Trace trace = make.build();
  const CpuTimeline timeline(
      trace, slice_named(trace, "aten::mm").valid() ? trace.track_of(slice_named(trace, "aten::mm")).id : TrackId{},
      trace.span());
  ChargedTime time(trace, timeline, false);
  std::vector<std::pair<std::string, Nanos>> found;
  for (const auto& [to, lost] : time.charges({-5, 100})) found.emplace_back(trace.text(to.name), lost);
  CHECK(found == std::vector<std::pair<std::string, Nanos>>{{"", 10}, {"aten::mm", 10}, {"", 10}});
  CHECK(time.charges({12, 12}).empty());
}
