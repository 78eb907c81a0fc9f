// The path and changes of a trace on another machine, against those that are computed here.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "tests/capture/remote_pages.h"

namespace lacuna {
namespace {

TEST_CASE("the critical path of a trace elsewhere is that of the trace") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  const TimeSpan half{trace.span().begin, trace.span().begin + trace.span().duration() / 2};
  for (const TimeSpan range : {TimeSpan::everything(), half}) {
    const CriticalPath path = find_critical_path(trace, path_options(trace, range));
    std::vector<PathRow> rows = tabulate_path(trace, path);
    add_slack(trace, path, rows);
    const std::shared_ptr<const RemotePage> page = page_of(answerer, {AskedPath{}, range});
    const DescribedPath there = page_over_the_line(*page, trace).path;
    CHECK(there.wall == path.wall());
    CHECK(there.parts == path.parts.size());
    CHECK(there.row_count == rows.size());
    REQUIRE(there.rows.size() == rows.size());
    CHECK(rows.size() > 20);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const PathRow& a = rows[r];
      const DescribedPath::Row& b = there.rows[r];
      CHECK(std::tuple(path_name(trace, a), path_lane(trace, a), a.kind, a.cause, a.track, a.time, a.parts.size(),
                       a.beside, a.slack) ==
            std::tuple(b.name, b.lane, b.kind, b.cause, b.track, b.time, b.parts, b.beside, b.slack));
      REQUIRE(b.places.size() == (a.parts.empty() ? 1 : std::min(a.parts.size() + 1, kMostPathPlaces)));
      Nanos longest = 0;
      for (const std::uint32_t p : a.parts) longest = std::max(longest, path.parts[p].span.duration());
      if (!a.parts.empty()) CHECK(b.places[0].span.duration() == longest);
      const SliceId slice = a.parts.empty() ? a.longest_beside : path.parts[a.parts[0]].slice;
      const PathPlace& place = b.places.back().slice.valid() && a.parts.size() > 1 ? b.places[1] : b.places[0];
      CHECK(place.slice.lane == slice.lane);
      CHECK(place.slice.index == kNoIndex);
      if (slice.valid() && a.parts.size() > 1) CHECK(place.slice_span == trace.span(slice));
      if (slice.valid()) CHECK(b.category == trace.lane(slice).category(slice.index));
    }
    Nanos sum = 0;
    for (const Nanos time : there.causes) sum += time;
    CHECK(sum == path.wall());
  }
  const RemotePage page = *page_of(answerer, {AskedPath{}});
  const std::string good = sent(page, trace);
  for (std::size_t size = 0; size < good.size(); size += size % 512 == 511 ? 4096 : 1)
    CHECK(is_refused(std::string_view(good).substr(0, size), trace));
  const auto changed = [&](auto change) {
    RemotePage other = page;
    change(other.path);
    return is_refused(sent(other, trace), trace);
  };
  CHECK_FALSE(changed([](DescribedPath&) {}));
  CHECK(changed([](DescribedPath& p) { p.rows[0].track.value = 1'000'000; }));
  CHECK(changed([](DescribedPath& p) { p.rows[0].category.value = 60'000; }));
  CHECK(changed([](DescribedPath& p) { p.rows[0].places[0].slice.lane.value = 1'000'000; }));
  CHECK(changed([](DescribedPath& p) { p.rows[0].cause = static_cast<PathCause>(kPathCauseCount); }));
  CHECK(changed([](DescribedPath& p) { p.rows[0].kind = static_cast<PathKind>(9); }));
  CHECK(changed([](DescribedPath& p) { p.rows.resize(kMostPageRows + 1); }));
}

TEST_CASE("what the steps of a trace elsewhere would take with changes is what is computed here") {
  const Trace trace = demo_trace();
  PageAnswerer answerer(trace, kReportFormat);
  using Kind = WhatIfChange::Kind;
  WhatIfTables tables(trace);
  const std::vector<std::vector<WhatIfChange>> questions = {
      {}, {{Kind::kNoCause, "synchronisation", 1}, {Kind::kGraph, "all", 1}}, {{Kind::kScale, "no such kernel", 0.5}}};
  for (const std::vector<WhatIfChange>& changes : questions) {
    const WhatIfTable here = tables.of(SourceId{0}, changes);
    const WhatIfTable there = page_over_the_line(*page_of(answerer, {AskedWhatIf{0, changes}}), trace).what_if;
    CHECK(there.error == here.error);
    const WhatIfAnswer &a = here.prediction, &b = there.prediction;
    CHECK(std::tuple(a.measured, a.replayed, a.predicted, a.stream_busy, a.steps, a.assumptions) ==
          std::tuple(b.measured, b.replayed, b.predicted, b.stream_busy, b.steps, b.assumptions));
    REQUIRE(there.ranking.size() == here.ranking.size());
    CHECK(!here.ranking.empty());
    for (std::size_t g = 0; g < here.ranking.size(); ++g)
      CHECK(std::tuple(here.ranking[g].change, here.ranking[g].predicted, here.ranking[g].gain) ==
            std::tuple(there.ranking[g].change, there.ranking[g].predicted, there.ranking[g].gain));
  }
  CHECK(!page_of(answerer, {AskedWhatIf{7, {}}})->problem.empty());
  const RemotePage page = *page_of(answerer, {AskedWhatIf{0, questions[1]}});
  const std::string good = sent(page, trace);
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(is_refused(std::string_view(good).substr(0, size), trace));
  const auto changed = [&](auto change) {
    RemotePage other = page;
    change(std::get<AskedWhatIf>(other.asked.what), other.what_if);
    return is_refused(sent(other, trace), trace);
  };
  CHECK_FALSE(changed([](AskedWhatIf&, WhatIfTable&) {}));
  CHECK(changed([](AskedWhatIf& a, WhatIfTable&) { a.changes[0].kind = static_cast<Kind>(40); }));
  CHECK(changed([](AskedWhatIf& a, WhatIfTable&) { a.changes[0].factor = NAN; }));
  CHECK(changed([](AskedWhatIf& a, WhatIfTable&) { a.changes.resize(kMostAskedChanges + 1); }));
  CHECK(changed([](AskedWhatIf& a, WhatIfTable&) { a.changes[0].argument.resize(kMostAskedChangeText + 1); }));
  CHECK(changed([](AskedWhatIf&, WhatIfTable& t) { t.ranking[0].change.factor = INFINITY; }));
}

}  // namespace
}  // namespace lacuna
