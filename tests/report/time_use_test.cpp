#include "model/report/time_use.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "model/causes/known_names.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

/// What `kind` holds at [a, b), asked of every slice of the trace.
struct Naive {
  const Trace& trace;

  bool any(TimeSpan piece, auto&& counts) const {
    for (const Track& track : trace.tracks())
      for (const Lane& lane : trace.lanes_of(track))
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          if (lane.start(i) <= piece.begin && lane.end(i) >= piece.end &&
              counts(trace.category_class(lane.category(i)), trace.text(lane.name(i))))
            return true;
    return false;
  }
  TimeKind kind(TimeSpan piece) const {
    using C = CategoryClass;
    const auto is_class = [&](C wanted) { return any(piece, [&](C c, std::string_view) { return c == wanted; }); };
    if (any(piece, [](C c, std::string_view n) { return c == C::kKernel && !is_communication_kernel(n); }))
      return TimeKind::kKernel;
    if (is_class(C::kMemcpy)) return TimeKind::kMemcpy;
    if (is_class(C::kMemset)) return TimeKind::kMemset;
    if (is_class(C::kKernel)) return TimeKind::kCommunication;
    if (is_class(C::kRuntime)) return TimeKind::kRuntime;
    if (any(piece, [](C c, std::string_view n) { return c != C::kRuntime && is_data_loading(n); }))
      return TimeKind::kDataLoading;
    if (is_class(C::kCpuOperator)) return TimeKind::kCpu;
    return TimeKind::kOther;
  }
};

TEST_CASE("time use: every moment of random traces, against asking every slice") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const Trace trace = random_trace(seed);
    const TimeUseIndex index(trace, SourceId{0});
    const Naive naive{trace};
    std::set<Nanos> borders;
    for (const Lane& lane : trace.lanes())
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        borders.insert(lane.start(i));
        borders.insert(lane.end(i));
      }
    std::array<Nanos, kTimeKindCount> expected{};
    Nanos busy = 0;
    for (auto it = borders.begin(); std::next(it) != borders.end(); ++it) {
      const TimeSpan piece{*it, *std::next(it)};
      const TimeKind kind = naive.kind(piece);
      expected[static_cast<std::size_t>(kind)] += piece.duration();
      if (kind <= TimeKind::kCommunication) busy += piece.duration();
      // Each piece alone, too.
      if (piece.duration() > 0) CHECK(index.over(piece).at(kind) == piece.duration());
    }
    const TimeUse use = index.over({*borders.begin(), *borders.rbegin()});
    CHECK(use.by_kind == expected);
    CHECK(use.gpu_busy == busy);
    Nanos sum = 0;
    for (const Nanos part : use.by_kind) sum += part;
    CHECK(sum == use.wall);
    CHECK(use.wall == *borders.rbegin() - *borders.begin());
    // Parts of a span add up to the whole.
    Dice dice(seed);
    const Nanos cut = dice.roll(use.span.begin, use.span.end);
    const TimeUse left = index.over({use.span.begin, cut});
    const TimeUse right = index.over({cut, use.span.end});
    for (std::size_t k = 0; k < kTimeKindCount; ++k) CHECK(left.by_kind[k] + right.by_kind[k] == use.by_kind[k]);
    CHECK(left.overlap + right.overlap == use.overlap);
  }
}

TEST_CASE("time use: the order of kinds, and what hides what") {
  TraceMaker make;
  make.thread("aten::mm", 0, 1000).launch("cudaLaunchKernel", 100, 200, 1);
  make.kernel("gemm", 300, 500, 1).kernel("ncclDevKernel_AllReduce", 400, 700, 0, "20");
  make.copy("Memcpy HtoD (Pinned -> Device)", 450, 550, "21");
  make.thread("gloo:all_reduce", 900, 1200, "user_annotation");
  make.thread("enumerate(DataLoader)#_Iter.__next__", 1200, 1300, "user_annotation");
  const Trace trace = make.build();
  const TimeUseIndex index(trace, SourceId{0});
  const TimeUse use = index.over({0, 1400});
  CHECK(use.at(TimeKind::kKernel) == 200);
  CHECK(use.at(TimeKind::kMemcpy) == 50);                // 500 … 550
  CHECK(use.at(TimeKind::kCommunication) == 150 + 300);  // 550 … 700, and on the CPU
  CHECK(use.at(TimeKind::kRuntime) == 100);
  CHECK(use.at(TimeKind::kDataLoading) == 100);
  CHECK(use.at(TimeKind::kCpu) == 1000 - 100 - 400 - 100);
  CHECK(use.at(TimeKind::kOther) == 100);
  CHECK(use.gpu_busy == 400);
  CHECK(use.communication == 300);
  CHECK(use.overlap == 100);
  CHECK(use.exposed() == 200);
  CHECK(index.over({0, 0}).wall == 0);
  CHECK(index.over(TimeSpan::nothing()).wall == 0);
}

TEST_CASE("time use: a kernel that only waits takes the GPU, but computes nothing") {
  TraceMaker make;
  make.kernel("merge", 0, 100, 1).kernel("event_wait", 50, 400, 2, "20").kernel("event_wait", 600, 700, 3);
  make.thread("aten::mm", 0, 1000);
  const Trace trace = make.build();
  const TimeUse use = TimeUseIndex(trace, SourceId{0}).over({0, 1000});
  CHECK(use.at(TimeKind::kKernel) == 100);
  CHECK(use.at(TimeKind::kWaiting) == 300 + 100);
  CHECK(use.at(TimeKind::kCpu) == 500);
  CHECK(use.compute == 100);
  CHECK(use.gpu_busy == 500);
  CHECK(use.overlap == 0);
  Nanos sum = 0;
  for (const Nanos part : use.by_kind) sum += part;
  CHECK(sum == use.wall);
}

TEST_CASE("time use: the waits of a real accelerator are no work") {
  const auto trace = shared_trace("../samples/hta_mtia_inference_rank_0.json.gz");
  if (!trace) return;
  // Read off the file: event_wait covers 277.4 ms, what is neither that nor event_record 421.7 ms, all of it 424.2 ms.
  const TimeUse use = TimeUseIndex(*trace, SourceId{0}).over(trace->span());
  CHECK(use.gpu_busy / kUs == 424'229);
  CHECK(use.compute / kUs >= 421'661);
  CHECK(use.compute / kUs <= 421'661 + 100);  // and event_record, 99 us
  CHECK(use.at(TimeKind::kWaiting) == use.gpu_busy - use.compute);
}

TEST_CASE("time use: files are kept apart") {
  TraceMaker make;
  make.kernel("a", 0, 100).next_file().kernel("b", 50, 200);
  const Trace trace = make.build();
  CHECK(TimeUseIndex(trace, SourceId{0}).over({0, 1000}).gpu_busy == 100);
  CHECK(TimeUseIndex(trace, SourceId{1}).over({0, 1000}).gpu_busy == 150);
}

}  // namespace
}  // namespace lacuna
