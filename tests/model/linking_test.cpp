// Launches and flows of random traces against the plainest way to find them.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "model/build/trace_builder.h"
#include "model/trace/import_finding.h"
#include "tests/support/rounds.h"

using namespace lacuna;

namespace {

struct RandomTrace {
  struct Flow {
    FlowEvent event;
    int thread = 0;
  };
  std::vector<Flow> flows;
  Trace trace;

  RandomTrace(unsigned seed, unsigned batches, unsigned threads, int flow_count = 300) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    std::vector<EventBatch> list(batches);
    std::uint64_t offset = 0;
    for (int i = 0; i < 400; ++i) {
      EventBatch& b = list[random() % batches];
      TrackKey key;
      key.pid = b.strings.intern("1");
      const bool is_gpu = below(3) == 0;
      key.tid = b.strings.intern(std::to_string(is_gpu ? 7 : below(2)));
      if (is_gpu) {
        key.kind = TrackKind::kGpuStream;
        key.device = key.pid;
        key.stream = key.tid;
      }
      SliceRecord s;
      s.start = below(1000) * 10;
      s.duration = below(8) * 10;
      s.name = b.strings.intern(is_gpu ? "kernel" : "cudaLaunchKernel");
      s.category = b.category(b.strings.intern(is_gpu ? "kernel" : below(4) == 0 ? "cpu_op" : "cuda_runtime"));
      s.correlation = static_cast<std::uint64_t>(below(150));
      if (below(20) == 0) s.correlation += std::uint64_t{1} << 40;
      s.file_offset = ++offset;
      b.tracks[b.track(key)].slices.push_back(s);
    }
    for (int i = 0; i < flow_count; ++i) {
      EventBatch& b = list[random() % batches];
      Flow flow;
      flow.event.time = below(1000) * 10;
      flow.event.file_offset = ++offset;
      const int id = below(static_cast<unsigned>(flow_count) / 5);
      flow.event.id = FlowId::number(static_cast<std::uint64_t>(id));
      flow.event.phase = "sftff"[below(5)];
      flow.event.binds_enclosing = below(2) == 0;
      flow.thread = below(3) == 2 ? 7 : below(2);
      flow.event.category = static_cast<std::uint16_t>(below(2));
      flows.push_back(flow);
      FlowEvent event = flow.event;
      event.category = b.category(b.strings.intern(flow.event.category == 0 ? "ac2g" : "fwdbwd"));
      if (id % 3 == 0) event.id = FlowId::text(b.strings.intern("flow " + std::to_string(id)));
      b.flows[b.flow_thread(b.strings.intern("1"), b.strings.intern(std::to_string(flow.thread)))].events.push_back(
          event);
    }
    TraceBuilder builder;
    const SourceId source = builder.add_source({});
    for (EventBatch& b : list) builder.add(source, std::move(b));
    trace = builder.finish(threads);
  }
};

using Ends = std::multiset<std::tuple<std::uint64_t, std::uint64_t, Nanos, Nanos>>;

/// The slice that an end binds to, by looking at all of them: its file offset, 0 = none.
std::uint64_t bound(const RandomTrace& r, const RandomTrace::Flow& flow) {
  struct Seen {
    Nanos start, end;
    std::uint64_t offset;
    bool is_gpu;
    std::tuple<LaneId, std::uint32_t> place;
  };
  std::vector<Seen> on_thread;
  for (std::uint32_t l = 0; l < r.trace.lanes().size(); ++l) {
    const Lane& lane = r.trace.lanes()[l];
    if (r.trace.text(r.trace.track(lane.track).tid) != std::to_string(flow.thread)) continue;
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      on_thread.push_back({lane.start(i),
                           lane.end(i),
                           lane.file_offset(i),
                           is_gpu_activity(r.trace.category_class(lane.category(i))),
                           {LaneId{l}, i}});
  }
  std::ranges::sort(on_thread, {}, &Seen::place);
  const Nanos t = flow.event.time;
  const Seen* enclosing = nullptr;
  const Seen* ending = nullptr;
  const Seen* following = nullptr;
  const auto better = [](const Seen& a, const Seen* b) {
    return b == nullptr || std::pair(a.is_gpu, a.start) >= std::pair(b->is_gpu, b->start);
  };
  for (const Seen& s : on_thread) {
    if (s.start <= t && (t < s.end || s.start == t) && better(s, enclosing)) enclosing = &s;
    if (s.start < t && s.end == t && better(s, ending)) ending = &s;
    if (s.start >= t && (following == nullptr || s.start < following->start)) following = &s;
  }
  // A dependency of a node of a CUDA graph leaves the activity that ends there, not the next one.
  if (flow.event.phase == 's' && ending != nullptr && ending->is_gpu && enclosing != nullptr && enclosing->start == t)
    return ending->offset;
  const Seen* found = flow.event.phase == 'f' && !flow.event.binds_enclosing
                          ? (following != nullptr ? following : enclosing)
                          : (enclosing != nullptr ? enclosing : ending);
  return found == nullptr ? 0 : found->offset;
}

Ends arrows_of(const RandomTrace& r) {
  Ends ends;
  for (const FlowArrow& arrow : r.trace.links().flows()) {
    const auto offset = [&](SliceId s) { return r.trace.lane(s).file_offset(s.index); };
    ends.insert({offset(arrow.from), offset(arrow.to), arrow.from_time, arrow.to_time});
  }
  return ends;
}

Ends expected_arrows(const RandomTrace& r) {
  std::map<std::pair<int, std::uint64_t>, std::vector<const RandomTrace::Flow*>> chains;
  for (const auto& flow : r.flows) chains[{flow.event.category, flow.event.id.value()}].push_back(&flow);
  std::map<std::tuple<int, Nanos, bool, bool>, std::uint64_t> known;
  const auto bound_once = [&](const RandomTrace::Flow& flow) {
    const bool wants_next = flow.event.phase == 'f' && !flow.event.binds_enclosing;
    const auto [it, is_new] = known.try_emplace({flow.thread, flow.event.time, wants_next, flow.event.phase == 's'}, 0);
    if (is_new) it->second = bound(r, flow);
    return it->second;
  };
  Ends ends;
  for (auto& entry : chains) {
    auto& chain = entry.second;
    std::ranges::sort(chain, {}, [](const auto* f) { return std::pair(f->event.time, f->event.file_offset); });
    const auto count = [&](char phase) {
      return std::ranges::count_if(chain, [&](const auto* f) { return f->event.phase == phase; });
    };
    const RandomTrace::Flow* open = nullptr;
    const bool single = count('s') == 1 && count('t') == 0;
    if (single) open = *std::ranges::find_if(chain, [](const auto* f) { return f->event.phase == 's'; });
    for (const auto* here : chain) {
      if (here->event.phase == 's') {
        open = here;
        continue;
      }
      if (open != nullptr) {
        const std::uint64_t from = bound_once(*open);
        const std::uint64_t to = bound_once(*here);
        if (from != 0 && to != 0) ends.insert({from, to, open->event.time, here->event.time});
      }
      if (here->event.phase == 't') open = here;
    }
  }
  return ends;
}

}  // namespace

TEST_CASE("flows of random traces bind and chain as by looking at every slice") {
  for (unsigned seed = 0; seed < rounds(40U); ++seed) {
    CAPTURE(seed);
    const RandomTrace r(seed, 1 + seed % 5, 1 + seed % 3);
    REQUIRE(!r.trace.links().flows().empty());
    REQUIRE(arrows_of(r) == expected_arrows(r));
    // Both lookups agree with the table.
    for (const FlowArrow& arrow : r.trace.links().flows()) {
      const auto from = r.trace.links().flows_from(arrow.from);
      REQUIRE(std::ranges::any_of(from, [&](const FlowArrow& a) { return &a == &arrow; }));
      const auto to = r.trace.links().flows_to(arrow.to);
      REQUIRE(std::ranges::any_of(to, [&](const FlowArrow& a) { return &a == &arrow; }));
    }
  }
}

TEST_CASE("so many flows that several threads chain them: the same arrows, order and report as by one") {
  constexpr int kFlows = 100'000;
  const RandomTrace one(1, 3, 1, kFlows);
  const RandomTrace many(1, 3, 3, kFlows);
  REQUIRE(arrows_of(one) == expected_arrows(one));
  const auto key = [](const FlowArrow& a) { return std::tie(a.from, a.to, a.from_time, a.to_time, a.category); };
  REQUIRE(std::ranges::equal(one.trace.links().flows(), many.trace.links().flows(), {}, key, key));
  for (const Finding finding :
       {Finding::kFlowStartWithoutFinish, Finding::kFlowFinishWithoutStart, Finding::kFlowWithoutSlice}) {
    const auto& expected = one.trace.report().line(finding);
    const auto& got = many.trace.report().line(finding);
    CHECK(expected.count > 0);
    CHECK(got.count == expected.count);
    CHECK(got.first_offset == expected.first_offset);
  }
}

TEST_CASE("launches of random traces: the first call in the file with that correlation") {
  for (unsigned seed = 0; seed < rounds(40U); ++seed) {
    CAPTURE(seed);
    const RandomTrace r(seed, 1 + seed % 5, 1 + seed % 3);
    std::map<std::uint64_t, std::pair<std::uint64_t, SliceId>> first;  // by correlation: offset, slice
    std::uint64_t activities = 0;
    const auto for_each = [&](auto&& visit) {
      for (std::uint32_t l = 0; l < r.trace.lanes().size(); ++l)
        for (std::uint32_t i = 0; i < r.trace.lanes()[l].size(); ++i) visit(r.trace.lanes()[l], SliceId{LaneId{l}, i});
    };
    for_each([&](const Lane& lane, SliceId s) {
      if (lane.correlation(s.index) == 0 || r.trace.category_class(s) != CategoryClass::kRuntime) return;
      const std::pair mine(lane.file_offset(s.index), s);
      const auto [it, is_new] = first.try_emplace(lane.correlation(s.index), mine);
      if (!is_new) it->second = std::min(it->second, mine);
    });
    std::size_t linked = 0;
    for_each([&](const Lane& lane, SliceId s) {
      if (!is_gpu_activity(r.trace.category_class(s))) return;
      ++activities;
      const auto found = first.find(lane.correlation(s.index));
      const SliceId launch = r.trace.links().launch_of(s);
      REQUIRE(launch == (found == first.end() ? SliceId{} : found->second.second));
      if (!launch.valid()) return;
      ++linked;
      const auto back = r.trace.links().activities_of(launch);
      REQUIRE(std::ranges::any_of(back, [&](const LaunchLink& link) { return link.activity == s; }));
    });
    REQUIRE(r.trace.links().gpu_activities == activities);
    REQUIRE(r.trace.links().linked == linked);
    REQUIRE(linked > 0);
    REQUIRE(std::ranges::is_sorted(r.trace.links().launches(), {}, &LaunchLink::launch));
  }
}
