#include "model/build/pairing.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "model/trace/import_finding.h"

using namespace lacuna;

namespace {

constexpr StringId kA{1}, kB{2}, kC{3};

BeginEndEvent begin(Nanos time, StringId name, std::uint64_t offset) {
  return {time, offset, name, 0, true};
}
BeginEndEvent end(Nanos time, StringId name, std::uint64_t offset) {
  return {time, offset, name, 0, false};
}

struct Paired {
  std::vector<SliceRecord> slices;
  ImportReport report;
  const SliceRecord& named(StringId name) const { return *std::ranges::find(slices, name, &SliceRecord::name); }
};

Paired pair(std::vector<BeginEndEvent> events, Nanos trace_end = 1000) {
  Paired p;
  pair_begin_ends(std::move(events), trace_end, p.slices, p.report);
  return p;
}

AsyncEvent async(char phase, Nanos time, StringId id, StringId name, std::uint64_t offset) {
  AsyncEvent e;
  e.phase = phase;
  e.time = time;
  e.id = id;
  e.name = name;
  e.pid = kA;
  e.file_offset = offset;
  return e;
}

}  // namespace

TEST_CASE("begins and ends pair last in, first out; names are optional on ends") {
  const Paired p = pair({begin(0, kA, 0), begin(10, kB, 1), end(20, kEmptyString, 2), end(30, kA, 3)});
  REQUIRE(p.slices.size() == 2);
  CHECK(p.named(kB).duration == 10);
  CHECK(p.named(kA).duration == 30);
  CHECK(p.report.empty());
}

TEST_CASE("events are taken by time, not by their order in the file") {
  const Paired p = pair({end(30, kA, 0), begin(0, kA, 1)});
  REQUIRE(p.slices.size() == 1);
  CHECK(p.slices[0].duration == 30);
}

TEST_CASE("an end closes the nearest open begin of its name, so that slices may cross") {
  const Paired p = pair({begin(0, kA, 0), begin(10, kB, 1), end(20, kA, 2), end(30, kB, 3)});
  CHECK(p.named(kA).duration == 20);
  CHECK(p.named(kB).duration == 20);
  CHECK(p.report.empty());
}

TEST_CASE("what does not pair is shown where possible and counted") {
  const Paired p = pair({end(1, kA, 0), begin(5, kA, 1), end(9, kC, 2), begin(10, kB, 3)}, 100);
  REQUIRE(p.slices.size() == 2);
  CHECK(p.named(kA).duration == 4);
  CHECK(p.named(kB).duration == 90);
  CHECK((p.named(kB).flags & kSliceUnfinished) != 0);
  CHECK(p.report.count(Finding::kUnmatchedEnd) == 1);
  CHECK(p.report.count(Finding::kEndNameMismatch) == 1);
  CHECK(p.report.line(Finding::kEndNameMismatch).first_offset == 2);
  CHECK(p.report.count(Finding::kUnmatchedBegin) == 1);
}

TEST_CASE("nestable async events pair per id and name their track after the root") {
  ImportReport report;
  const AsyncResult r = pair_asyncs(
      {async('b', 0, kA, kA, 0), async('b', 5, kA, kB, 1), async('n', 6, kA, kC, 2), async('e', 7, kA, kB, 3),
       async('e', 20, kA, kA, 4), async('b', 3, kB, kC, 5), async('e', 99, kC, kC, 6)},
      200, report);
  REQUIRE(r.slices.size() == 3);
  REQUIRE(r.steps.size() == 1);
  CHECK(r.steps[0].root_name == kA);
  const auto inner = std::ranges::find_if(r.slices, [](const AsyncSlice& s) { return s.slice.name == kB; });
  CHECK(inner->root_name == kA);
  CHECK(inner->slice.duration == 2);
  const auto open = std::ranges::find_if(r.slices, [](const AsyncSlice& s) { return s.slice.name == kC; });
  CHECK(open->slice.duration == 197);
  CHECK(report.count(Finding::kUnmatchedAsyncBegin) == 1);
  CHECK(report.count(Finding::kUnmatchedAsyncEnd) == 1);
}

TEST_CASE("legacy async events pair within their name") {
  ImportReport report;
  const AsyncResult r = pair_asyncs({async('S', 0, kA, kA, 0), async('S', 1, kA, kB, 1), async('T', 2, kA, kA, 2),
                                     async('F', 3, kA, kA, 3), async('F', 9, kA, kB, 4)},
                                    200, report);
  REQUIRE(r.slices.size() == 2);
  CHECK(r.slices[0].slice.duration == 3);
  CHECK(r.slices[1].slice.duration == 8);
  CHECK(r.steps.size() == 1);
  CHECK(report.empty());
}
