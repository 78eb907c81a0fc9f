// The path, changes, memory and calls of a trace on another machine, against those that are computed here.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/capture/remote_pages.h"
#include "tests/support/trace_maker.h"

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
    const RemotePage came = page_over_the_line(*page, trace);
    const DescribedPath& there = came.path;
    const std::vector<PathMarks::Mark> marks = PathMarks::of(path);
    CHECK(came.path_marks.size() == (marks.size() <= kMostPathMarks ? marks.size() : 0));
    for (std::size_t m = 0; m < came.path_marks.size(); ++m)
      CHECK(std::tuple(came.path_marks[m].span, came.path_marks[m].slice.lane, came.path_marks[m].is_wait) ==
            std::tuple(marks[m].span, marks[m].slice.lane, marks[m].is_wait));
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
  const TimeSpan part{trace.span().begin, trace.span().begin + trace.span().duration() / 10};
  const RemotePage page = *page_of(answerer, {AskedPath{}, part});
  REQUIRE(page.path_marks.size() > 10);
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
  const auto drawn = [&](auto change) {
    RemotePage other = page;
    change(other.path_marks);
    return is_refused(sent(other, trace), trace);
  };
  using Marks = std::vector<PathMarks::Mark>;
  CHECK(drawn([](Marks& marks) { std::swap(marks[0], marks[1]); }));
  CHECK(drawn([](Marks& marks) { marks[0].span.end = marks[0].span.begin - 1; }));
  CHECK(drawn([](Marks& marks) { marks[0].slice.lane.value = 1'000'000; }));
  CHECK(drawn([](Marks& marks) { marks.resize(kMostPathMarks + 1, {marks.back().span, {}, false}); }));
}

/// Operators of other sizes, the first inside another, each with one kernel.
Trace trace_with_shapes() {
  std::string events = R"({"ph":"M"})";
  const auto call = [&](const char* name, int size, int ts, int dur) {
    events += fmt::format(
        R"(,{{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":{},"args":{{"Input Dims":)"
        R"([[{},{}],[{},{}]],"Input type":["float","float"],"Concrete Inputs":["",""],"Input Strides":[[],[]]}}}})",
        name, ts, dur, size, size, size, size);
  };
  call("aten::linear", 512, 990, 80);
  for (int i = 0; i < 6; ++i) {
    const int ts = 1'000 * (i + 1);
    call(i % 2 == 0 ? "aten::mm" : "aten::copy_", 512 << i, ts, 60);
    events += fmt::format(
        R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":5,)"
        R"("args":{{"correlation":{}}}}},{{"ph":"X","cat":"kernel","name":"work","pid":0,"tid":7,"ts":{},"dur":{},)"
        R"("args":{{"correlation":{},"device":0,"stream":7}}}})",
        ts + 5, i + 1, ts + 20, 100 + i, i + 1);
  }
  return std::move(
      *import_json(R"({"deviceProperties":[{"id":0,"name":"NVIDIA H100"}],"traceEvents":[)" + events + "]}"));
}

TEST_CASE("the roofline of a trace elsewhere is that of the trace, without rows around others") {
  const Trace trace = trace_with_shapes();
  PageAnswerer answerer(trace, kReportFormat);
  const TimeSpan half{trace.span().begin, trace.span().begin + trace.span().duration() / 2};
  for (const TimeSpan range : {TimeSpan::everything(), half}) {
    RooflineOptions options;
    options.range = range;
    Result<Roofline> here = compute_roofline(trace, options);
    REQUIRE(here);
    here->drop_around_others();
    CHECK(here->around_others > 0);
    const RemotePage page = page_over_the_line(*page_of(answerer, {AskedRoofline{}, range}), trace);
    const Roofline& there = page.roofline;
    CHECK(page.problem.empty());
    CHECK(page.rows_left_out == 0);
    REQUIRE(here->peak);
    REQUIRE(there.peak);
    CHECK(there.peak->source == here->peak->source);
    CHECK(std::tuple(there.device, there.gpu_time, there.modelled_time, there.around_others) ==
          std::tuple(here->device, here->gpu_time, here->modelled_time, here->around_others));
    REQUIRE(there.rows.size() == here->rows.size());
    CHECK(there.rows.size() >= 3);
    for (std::size_t r = 0; r < there.rows.size(); ++r) {
      const RooflineRow &a = here->rows[r], &b = there.rows[r];
      CHECK(
          std::tuple(a.name, a.dims, a.types, a.work.operator_class, a.unit_type(), a.work.why, a.count, a.gpu_time) ==
          std::tuple(b.name, b.dims, b.types, b.work.operator_class, b.unit_type(), b.work.why, b.count, b.gpu_time));
      CHECK(std::tuple(a.work.work.flop, a.work.work.bytes, a.bound, a.roof_share, a.peak_tflops, a.peak_gigabytes) ==
            std::tuple(b.work.work.flop, b.work.work.bytes, b.bound, b.roof_share, b.peak_tflops, b.peak_gigabytes));
      REQUIRE(a.work.physical.has_value() == b.work.physical.has_value());
      if (a.work.physical) CHECK(a.work.physical->bytes == b.work.physical->bytes);
      check_places({{b.longest_span, b.longest}}, {{a.longest_span, a.longest}}, trace);
    }
  }
  const RemotePage page = *page_of(answerer, {AskedRoofline{}});
  const std::string good = sent(page, trace);
  for (std::size_t size = 0; size < good.size(); size += size % 512 == 511 ? 4096 : 1)
    CHECK(is_refused(std::string_view(good).substr(0, size), trace));
  const auto changed = [&](auto change) {
    RemotePage other = page;
    change(other.roofline.rows);
    return is_refused(sent(other, trace), trace);
  };
  using Rows = std::vector<RooflineRow>;
  CHECK_FALSE(changed([](Rows&) {}));
  CHECK(changed([](Rows& rows) { rows[0].longest.lane.value = 1'000'000; }));
  CHECK(changed([](Rows& rows) { rows[0].bound = static_cast<RooflineBound>(4); }));
  CHECK(changed([](Rows& rows) { rows[0].work.work.flop = INFINITY; }));
  CHECK(changed([](Rows& rows) { rows[0].work.work.bytes = 1e-300; }));
  CHECK(changed([](Rows& rows) { rows[0].work.physical = Work{-1, 1}; }));
  CHECK(changed([](Rows& rows) { rows[0].roof_share = NAN; }));
  CHECK(changed([](Rows& rows) { rows[0].peak_tflops = 1e300; }));
  CHECK(changed([](Rows& rows) { rows[1].gpu_time = rows[0].gpu_time + 1; }));
  CHECK(changed([](Rows& rows) { rows.resize(kMostPageRows + 1, rows.back()); }));
  RemotePage other = page;
  other.asked.what = AskedSql{"1", 1};
  CHECK_FALSE(is_refused(sent(other, trace), trace));
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

/// `count` operators that allocate as many bytes as each one's number, and free them ten later.
Trace allocating(int count) {
  std::string json = R"({"traceEvents":[)";
  long long total = 0;
  const auto record = [&](int ts, int bytes, int address) {
    total += bytes;
    json += fmt::format(
        R"({{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{},"args":{{"Bytes":{},"Device Type":1,)"
        R"("Device Id":0,"Addr":{},"Total Allocated":{}}}}},)",
        ts, bytes, address, total);
  };
  for (int i = 1; i <= count; ++i) {
    json += fmt::format(R"({{"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"aten::op{}","ts":{},"dur":8}},)", i % 7,
                        10 * i);
    record(10 * i + 2, 512 * i, i);
    if (i > 10) record(10 * i + 4, -512 * (i - 10), i - 10);
  }
  Result<Trace> trace =
      import_json(json + R"({"ph":"X","pid":1,"tid":1,"name":"end","ts":1,"dur":1}]})", "memory.json");
  REQUIRE(trace);
  return std::move(*trace);
}

TEST_CASE("the memory of a trace elsewhere is that of the trace; of many allocations the largest ones") {
  for (const int count : {60, 900}) {
    CAPTURE(count);
    const Trace trace = allocating(count);
    PageAnswerer answerer(trace, kReportFormat);
    const RemotePage page = page_over_the_line(*page_of(answerer, {AskedMemory{}}), trace);
    const auto all = read_memory_histories(trace);
    REQUIRE(all);
    REQUIRE(page.memory.size() == 1);
    REQUIRE(all->size() == 1);
    const MemoryHistory& here = *all->front();
    const ExcerptHistory there(page.memory[0]);
    CHECK(there.name == here.name);
    const std::size_t pieces = std::min(here.table.pieces.size(), kMemoryLimits.pieces);
    REQUIRE(there.table.pieces.size() == pieces);
    CHECK(there.left_out().pieces == here.table.pieces.size() - pieces);
    CHECK(there.is_whole() == (count == 60));
    CHECK(there.table.moments() <= kMemoryLimits.moments);
    if (count == 60) CHECK(there.table.active == here.table.active);
    CHECK(there.table.active[there.table.peak()] == here.table.active[here.table.peak()]);
    CHECK(there.table.time_of(there.table.peak()) == here.table.time_of(here.table.peak()));
    CHECK(there.table.active.back() == here.table.active.back());
    // What holds at each moment that is told is what held then.
    for (std::uint32_t m = 0; m < there.table.moments(); ++m)
      CHECK(there.table.active[m] == here.table.active[m == 0 ? 0 : here.table.moment_at(there.table.time_of(m))]);
    std::uint64_t smallest = UINT64_MAX;
    for (const MemoryPiece& piece : there.table.pieces) {
      smallest = std::min(smallest, piece.bytes);
      const auto same = std::ranges::find(here.table.pieces, piece.bytes, &MemoryPiece::bytes);
      REQUIRE(same != here.table.pieces.end());
      CHECK(there.table.time_of(piece.begin) == here.table.time_of(same->begin));
      CHECK((piece.end == MemoryPiece::kNever) == (same->end == MemoryPiece::kNever));
      if (piece.end != MemoryPiece::kNever) CHECK(there.table.time_of(piece.end) == here.table.time_of(same->end));
      CHECK(piece.unused == same->unused);
      CHECK(there.table.labels[piece.label] == here.table.labels[same->label]);
      CHECK(there.stack(piece) == here.stack(*same));
      check_places({there.allocated_by(piece), there.freed_by(piece)}, {here.allocated_by(*same), here.freed_by(*same)},
                   trace);
    }
    CHECK(smallest == 512 * (here.table.pieces.size() - pieces + 1));
    for (std::size_t g = 0; g < kHolderGroups; ++g) {
      const auto by = static_cast<HolderGroup>(g);
      CHECK(there.has_group(by) == here.has_group(by));
      if (!here.has_group(by)) continue;
      const HolderAreas a = make_holder_areas(here, by), b = make_holder_areas(there, by);
      CHECK(a.others == b.others);
      REQUIRE(a.areas.size() == b.areas.size());
      for (std::size_t i = 0; i < a.areas.size(); ++i) {
        CHECK(std::tuple(a.areas[i].name, a.areas[i].most) == std::tuple(b.areas[i].name, b.areas[i].most));
        for (std::uint32_t m = 1; m < there.table.moments(); ++m)
          CHECK(b.areas[i].at(m) == a.areas[i].at(here.table.moment_at(there.table.time_of(m))));
      }
    }
    const std::string good = sent(page, trace);
    CHECK(good.size() < 600'000);
    for (std::size_t size = 0; size < good.size(); size += size < 4096 ? 1 : 1009)
      CHECK(is_refused(std::string_view(good).substr(0, size), trace));
    const auto changed = [&](auto change) {
      RemotePage other = page;
      change(other.memory[0]);
      return is_refused(sent(other, trace), trace);
    };
    CHECK_FALSE(changed([](MemoryExcerpt&) {}));
    CHECK(changed([](MemoryExcerpt& m) { m.times.pop_back(); }));
    CHECK(changed([](MemoryExcerpt& m) { std::swap(m.times.front(), m.times.back()); }));
    CHECK(changed([](MemoryExcerpt& m) { m.pieces[3].piece.begin = 100'000; }));
    CHECK(changed([](MemoryExcerpt& m) { m.pieces[3].piece.end = 100'000; }));
    CHECK(changed([](MemoryExcerpt& m) { m.pieces[3].piece.label = 100'000; }));
    CHECK(changed([](MemoryExcerpt& m) { m.pieces[3].stack = 100'000; }));
    CHECK(changed([](MemoryExcerpt& m) { m.pieces[3].group[0] = 100'000; }));
    CHECK(changed([](MemoryExcerpt& m) { m.pieces[3].allocated_by.slice.lane.value = 100'000; }));
    CHECK(changed([](MemoryExcerpt& m) { m.stacks[0][0] = 100'000; }));
    CHECK(changed([](MemoryExcerpt& m) { m.groups[0].area_of.pop_back(); }));
    CHECK(changed([](MemoryExcerpt& m) { m.groups[0].area_of[2] = 100; }));
    CHECK(changed([](MemoryExcerpt& m) { m.groups[0].areas[0].moments.back() = 100'000; }));
    CHECK(changed([](MemoryExcerpt& m) { m.groups[0].areas[0].bytes.pop_back(); }));
    CHECK(changed([](MemoryExcerpt& m) { m.groups[0].is_there = false; }));
    CHECK(changed([](MemoryExcerpt& m) { m.piece_count = 3; }));
    CHECK(changed([](MemoryExcerpt& m) { m.source = {}; }));
  }
}

TEST_CASE("calls of a trace elsewhere are those of the trace, by each metric and from both ends") {
  const Trace trace = demo_trace();
  const CauseIndex index(trace);
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  const CausedTrace causes{index, streams};
  PageAnswerer answerer(trace, kReportFormat);
  const TimeSpan half{trace.span().begin, trace.span().begin + trace.span().duration() / 2};
  const std::vector<CausedGaps> gaps = choose_gaps(diagnose_devices(index), 0, half).sets;
  std::vector<CallCharge> charges;
  for (const PathPart& part : find_critical_path(trace, path_options(trace, half)).parts)
    charges.push_back({part.slice, part.span.duration()});
  for (const CallMetric metric :
       {CallMetric::kCpuTime, CallMetric::kGpuTime, CallMetric::kIdleTime, CallMetric::kPath}) {
    for (const bool bottom_up : {false, true}) {
      CallTreeOptions options{.metric = metric, .bottom_up = bottom_up, .hides_python = true, .range = half};
      options.gaps = gaps;
      options.charges = charges;
      const CallTree here = build_call_tree(trace, options);
      const AskedPage asked{AskedCalls{metric, bottom_up, false}, half};
      if (metric == CallMetric::kIdleTime) CHECK(answerer.find({asked}).empty());  // it waits for causes
      PageAnswerer::Pages pages;
      REQUIRE(comes_true([&] { return !(pages = answerer.find({asked}, &causes)).empty(); }));
      const CallExcerpt there = page_over_the_line(*pages[0], trace).calls;
      CHECK(here.nodes.size() > 10);
      CHECK(there.frame_count == here.nodes.size());
      REQUIRE(there.tree.nodes.size() == here.nodes.size());
      for (std::size_t n = 0; n < here.nodes.size(); ++n) {
        const CallNode &a = here.nodes[n], &b = there.tree.nodes[n];
        CHECK(
            std::tuple(a.key.kind, a.key.category, a.parent, a.child_count, a.total, a.self, a.count, a.longest.lane) ==
            std::tuple(b.key.kind, b.key.category, b.parent, b.child_count, b.total, b.self, b.count, b.longest.lane));
        if (a.child_count > 0) CHECK(a.first_child == b.first_child);
        if (has_text(a.key.kind)) CHECK(there.names[b.key.name.value] == trace.text(a.key.name));
        if (a.longest.valid()) CHECK(there.longest[n] == trace.span(a.longest));
      }
    }
  }
  const RemotePage page = *page_of(answerer, {AskedCalls{}});
  const std::string good = sent(page, trace);
  for (std::size_t size = 0; size < good.size(); size += size < 4096 ? 1 : 1009)
    CHECK(is_refused(std::string_view(good).substr(0, size), trace));
  const auto changed = [&](auto change) {
    RemotePage other = page;
    change(other.calls);
    return is_refused(sent(other, trace), trace);
  };
  CHECK_FALSE(changed([](CallExcerpt&) {}));
  CHECK(changed([](CallExcerpt& c) { c.tree.nodes.clear(), c.longest.clear(); }));
  CHECK(changed([](CallExcerpt& c) { c.tree.nodes[0].parent = 1; }));
  CHECK(changed([](CallExcerpt& c) { c.tree.nodes[2].parent = 2; }));
  CHECK(changed([](CallExcerpt& c) { c.tree.nodes[0].first_child = 0; }));
  CHECK(changed([](CallExcerpt& c) { c.tree.nodes[0].child_count += 1'000'000; }));
  CHECK(changed([](CallExcerpt& c) { c.tree.nodes[0].child_count -= 1; }));
  CHECK(changed([](CallExcerpt& c) { c.tree.nodes[1].key = {CallKind::kSlices, CategoryId{0}, StringId{1'000'000}}; }));
  CHECK(changed([](CallExcerpt& c) { c.tree.nodes[1].key = CallKey::of(CallKind::kCause, 200); }));
  CHECK(changed([](CallExcerpt& c) { c.longest.pop_back(); }));
  CHECK(changed([](CallExcerpt& c) { c.frame_count = 1; }));
}

TEST_CASE("of more frames than are told those with the most time come, with all around them") {
  TraceMaker make;
  for (int i = 0; i < 3000; ++i) {
    const Nanos begin = 20'000 * i;
    make.thread(fmt::format("outer{}", i), begin, begin + 10'000 + i);
    make.thread(fmt::format("inner{}", i), begin + 1, begin + 2 + i);
  }
  const Trace trace = make.build();
  PageAnswerer answerer(trace, kReportFormat);
  const CallExcerpt there = page_over_the_line(*page_of(answerer, {AskedCalls{}}), trace).calls;
  CHECK(there.frame_count == 6001);
  REQUIRE(there.tree.nodes.size() == kMostRemoteFrames);
  CHECK(there.tree.root().child_count == 3000);
  Nanos least = kMaxNanos;
  for (const CallNode& node : there.tree.nodes) least = std::min(least, node.total);
  CHECK(least == 2002);  // 999 inner ones beside the root and the outer ones
}

TEST_CASE("slices without a category are in the tables of a trace elsewhere, too") {
  const Result<Trace> trace = import_json(
      R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a","ts":0,"dur":50},{"ph":"X","pid":1,"tid":1,"name":"b","ts":10,"dur":20}]})");
  REQUIRE(trace);
  PageAnswerer answerer(*trace, kReportFormat);
  CHECK(page_over_the_line(*page_of(answerer, {AskedPath{}}), *trace).path.rows.size() == 2);
  CHECK(page_over_the_line(*page_of(answerer, {AskedCalls{}}), *trace).calls.tree.nodes.size() == 3);
  CHECK(page_over_the_line(*page_of(answerer, {GroupBy::kName}), *trace).groups.rows.size() == 2);
}

}  // namespace
}  // namespace lacuna
