#include "model/calls/call_tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/calls/call_walk.h"
#include "model/causes/cause_ranking.h"
#include "model/groups/group_table.h"
#include "model/statistics/statistics.h"
#include "tests/causes/causes_support.h"
#include "tests/support/rounds.h"

namespace lacuna {
namespace {

std::string path_text(const Trace& trace, const CallTree& tree, std::uint32_t node) {
  std::string path;
  for (const CallKey& key : tree.path_to(node)) path += (path.empty() ? "" : ";") + call_label(trace, key);
  return path;
}

/// "path: total self count" by path.
std::map<std::string, std::string> rows_of(const Trace& trace, const CallTree& tree) {
  std::map<std::string, std::string> rows;
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    const CallNode& node = tree.nodes[n];
    const bool is_new =
        rows.emplace(path_text(trace, tree, n),
                     std::to_string(node.total) + " " + std::to_string(node.self) + " " + std::to_string(node.count))
            .second;
    CHECK(is_new);  // no path twice
  }
  return rows;
}

/// What holds of every tree: sums, order, links.
void check_shape(const CallTree& tree) {
  REQUIRE_FALSE(tree.nodes.empty());
  std::size_t wrong = 0;
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    const CallNode& node = tree.nodes[n];
    Nanos sum = node.self;
    Nanos before = kMaxNanos;
    for (const CallNode& child : tree.children(node)) {
      sum += child.total;
      wrong += child.total > before || child.parent != n || tree.index_of(child) <= n;
      before = child.total;
    }
    wrong += sum != node.total || node.self < 0;
  }
  CHECK(wrong == 0);
  for (const std::uint32_t n : {0u, static_cast<std::uint32_t>(tree.nodes.size() / 2)})
    CHECK(tree.follow(tree.path_to(n)) == n);
}

Trace two_steps() {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 1'000, "user_annotation")
      .thread("train.py(1): step", 10, 900, "python_function")
      .thread("aten::linear", 100, 400)
      .thread("aten::addmm", 150, 350)
      .launch("cudaLaunchKernel", 160, 200, 1)
      .thread("aten::relu", 400, 500)
      .launch("cudaLaunchKernel", 410, 450, 2)
      .thread("ProfilerStep#2", 1'000, 2'000, "user_annotation")
      .thread("aten::linear", 1'100, 1'500)
      .thread("aten::addmm", 1'100, 1'400)
      .launch("cudaLaunchKernel", 1'200, 1'250, 3)
      .thread("worker.py(1): run", 0, 100, "python_function", "2")
      .thread("aten::relu", 20, 60, "cpu_op", "2")
      .kernel("gemm", 300, 380, 1)
      .kernel("relu", 500, 520, 2)
      .kernel("gemm", 1'300, 1'400, 3)
      .kernel("alone", 1'900, 1'905);
  return make.build();
}

TEST_CASE("CPU time top-down and bottom-up, by hand") {
  const Trace trace = two_steps();
  CallTreeOptions options;
  const CallTree tree = build_call_tree(trace, options);
  check_shape(tree);
  CHECK(rows_of(trace, tree) ==
        std::map<std::string, std::string>{
            {"", "2100 0 0"},
            {"ProfilerStep#…", "2000 710 2"},
            {"ProfilerStep#…;train.py(1): step", "890 490 1"},
            {"ProfilerStep#…;train.py(1): step;aten::linear", "300 100 1"},
            {"ProfilerStep#…;train.py(1): step;aten::linear;aten::addmm", "200 160 1"},
            {"ProfilerStep#…;train.py(1): step;aten::linear;aten::addmm;cudaLaunchKernel", "40 40 1"},
            {"ProfilerStep#…;train.py(1): step;aten::relu", "100 60 1"},
            {"ProfilerStep#…;train.py(1): step;aten::relu;cudaLaunchKernel", "40 40 1"},
            {"ProfilerStep#…;aten::linear", "400 100 1"},
            {"ProfilerStep#…;aten::linear;aten::addmm", "300 250 1"},
            {"ProfilerStep#…;aten::linear;aten::addmm;cudaLaunchKernel", "50 50 1"},
            {"worker.py(1): run", "100 60 1"},
            {"worker.py(1): run;aten::relu", "40 40 1"}});
  options.hides_python = true;
  const CallTree hidden = build_call_tree(trace, options);
  check_shape(hidden);
  CHECK(rows_of(trace, hidden) ==
        std::map<std::string, std::string>{{"", "2100 0 0"},
                                           {"ProfilerStep#…", "2000 1200 2"},
                                           {"ProfilerStep#…;aten::linear", "700 200 2"},
                                           {"ProfilerStep#…;aten::linear;aten::addmm", "500 410 2"},
                                           {"ProfilerStep#…;aten::linear;aten::addmm;cudaLaunchKernel", "90 90 2"},
                                           {"ProfilerStep#…;aten::relu", "100 60 1"},
                                           {"ProfilerStep#…;aten::relu;cudaLaunchKernel", "40 40 1"},
                                           {"(Python frames)", "60 60 1"},
                                           {"aten::relu", "40 40 1"}});
  options.bottom_up = true;
  const CallTree callers = build_call_tree(trace, options);
  check_shape(callers);
  const auto rows = rows_of(trace, callers);
  CHECK(rows.at("") == "2100 0 12");
  CHECK(rows.at("cudaLaunchKernel") == "130 0 3");
  CHECK(rows.at("cudaLaunchKernel;aten::addmm;aten::linear;ProfilerStep#…") == "90 90 2");
  CHECK(rows.at("aten::relu") == "100 40 2");
}

TEST_CASE("samples: frames of sampled stacks, apart from the slices of their thread") {
  TraceMaker make;
  make.thread("aten::relu", 0, 1'000)
      .sampled("main (a.py:1)", 0, 1'000)
      .sampled("parse (a.py:5)", 100, 400)
      .sampled("pack (a.py:9)", 400, 900)
      .sampled("parse (a.py:5)", 500, 600)
      .sampled("main (a.py:1)", 2'000, 2'500)
      .sampled("main (a.py:1)", 0, 70, "2000000002");
  const Trace trace = make.build();
  const Statistics statistics = compute_statistics(trace);
  CallTreeOptions options;
  CHECK(rows_of(trace, build_call_tree(trace, options)).size() == 2);
  options.metric = CallMetric::kSamples;
  const CallTree tree = build_call_tree(trace, options);
  check_shape(tree);
  CHECK(tree.root().total == statistics.sampled_self);
  auto rows = rows_of(trace, tree);
  CHECK(rows.at("main (a.py:1)") == "1570 770 3");
  CHECK(rows.at("main (a.py:1);parse (a.py:5)") == "300 300 1");
  CHECK(rows.at("main (a.py:1);pack (a.py:9);parse (a.py:5)") == "100 100 1");
  options.bottom_up = true;
  const CallTree callers = build_call_tree(trace, options);
  check_shape(callers);
  CHECK(callers.root().total == statistics.sampled_self);
  CHECK(rows_of(trace, callers).at("parse (a.py:5)").starts_with("400 "));
  // The way back; a range; one thread.
  options.bottom_up = false;
  for (std::uint32_t n = 1; n < tree.nodes.size(); ++n)
    CHECK(find_call_places(trace, options, tree, n).size() == tree.nodes[n].count);
  options.range = {450, 2'100};
  CHECK(build_call_tree(trace, options).root().total == 650);
  options.range = TimeSpan::everything();
  options.tracks = {trace.track_of(tree.nodes[1].longest).id};
  CHECK(build_call_tree(trace, options).root().total == 1'500);
}

TEST_CASE("instances of a module are one frame, in every direction and thread") {
  TraceMaker make;
  make.thread("nn.Module: Layer_1", 0, 100, "python_function")
      .thread("aten::mm", 10, 60)
      .thread("nn.Module: Layer_2", 100, 300, "python_function")
      .thread("aten::mm", 110, 160)
      .thread("nn.Module: Layer_2", 0, 50, "python_function", "2")
      .thread("nn.Module: Other", 50, 60, "python_function", "2");
  const Trace trace = make.build();
  CallTreeOptions options;
  options.hides_python = true;
  options.threads = 2;
  const CallTree tree = build_call_tree(trace, options);
  CHECK(rows_of(trace, tree) == std::map<std::string, std::string>{{"", "360 0 0"},
                                                                   {"nn.Module: Layer", "350 250 3"},
                                                                   {"nn.Module: Layer;aten::mm", "100 100 2"},
                                                                   {"nn.Module: Other", "10 10 1"}});
  CHECK(find_call_places(trace, options, tree, tree.root().first_child).size() == 3);
}

TEST_CASE("GPU time hangs below what launched it") {
  const Trace trace = two_steps();
  CallTreeOptions options;
  options.metric = CallMetric::kGpuTime;
  options.hides_python = true;
  const CallTree tree = build_call_tree(trace, options);
  check_shape(tree);
  CHECK(rows_of(trace, tree) == std::map<std::string, std::string>{
                                    {"", "205 0 4"},
                                    {"ProfilerStep#…", "200 0 3"},
                                    {"ProfilerStep#…;aten::linear", "180 0 2"},
                                    {"ProfilerStep#…;aten::linear;aten::addmm", "180 0 2"},
                                    {"ProfilerStep#…;aten::linear;aten::addmm;cudaLaunchKernel", "180 0 2"},
                                    {"ProfilerStep#…;aten::linear;aten::addmm;cudaLaunchKernel;gemm", "180 180 2"},
                                    {"ProfilerStep#…;aten::relu", "20 0 1"},
                                    {"ProfilerStep#…;aten::relu;cudaLaunchKernel", "20 0 1"},
                                    {"ProfilerStep#…;aten::relu;cudaLaunchKernel;relu", "20 20 1"},
                                    {"(launch not recorded)", "5 0 1"},
                                    {"(launch not recorded);alone", "5 5 1"}});
  // Work in the range, though launched before it; clipped.
  options.range = {350, 510};
  CHECK(build_call_tree(trace, options).root().total == 30 + 10);
}

TEST_CASE("places: what is below them top-down, who calls them bottom-up") {
  const Trace trace = two_steps();
  CallTreeOptions options;
  options.hides_python = true;
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i)
      if (trace.name({LaneId{l}, i}) == "aten::addmm") options.places.push_back({LaneId{l}, i});
  REQUIRE(options.places.size() == 2);
  CHECK(rows_of(trace, build_call_tree(trace, options)) ==
        std::map<std::string, std::string>{
            {"", "500 0 0"}, {"aten::addmm", "500 410 2"}, {"aten::addmm;cudaLaunchKernel", "90 90 2"}});
  options.bottom_up = true;
  CHECK(rows_of(trace, build_call_tree(trace, options)) ==
        std::map<std::string, std::string>{{"", "500 0 2"},
                                           {"aten::addmm", "500 0 2"},
                                           {"aten::addmm;aten::linear", "500 0 2"},
                                           {"aten::addmm;aten::linear;ProfilerStep#…", "500 500 2"}});
  options.metric = CallMetric::kGpuTime;
  CHECK(rows_of(trace, build_call_tree(trace, options)).at("aten::addmm;aten::linear") == "180 0 2");
  options.bottom_up = false;
  CHECK(rows_of(trace, build_call_tree(trace, options)).at("aten::addmm;cudaLaunchKernel;gemm") == "180 180 2");
  // A kernel's places.
  options.places = {slice_named(trace, "relu")};
  CHECK(rows_of(trace, build_call_tree(trace, options)).at("ProfilerStep#…;aten::relu;cudaLaunchKernel;relu") ==
        "20 20 1");
  options.metric = CallMetric::kCpuTime;
  CHECK(build_call_tree(trace, options).root().total == 0);
}

TEST_CASE("the way back: the slices of a frame are those whose stack it shows") {
  for (const std::uint32_t seed : {1u, 2u}) {
    const Trace trace = random_trace(seed);
    for (const bool bottom_up : {false, true}) {
      for (const CallMetric metric : {CallMetric::kCpuTime, CallMetric::kGpuTime}) {
        CallTreeOptions options;
        options.metric = metric;
        options.bottom_up = bottom_up;
        const CallTree tree = build_call_tree(trace, options);
        for (std::uint32_t n = 1; n < tree.nodes.size(); ++n) {
          const CallNode& node = tree.nodes[n];
          const std::vector<SliceId> places = find_call_places(trace, options, tree, n);
          const bool is_leaf = metric == CallMetric::kGpuTime && (bottom_up || node.child_count == 0);
          CAPTURE(path_text(trace, tree, n));
          CHECK(std::ranges::is_sorted(places));
          if (node.longest.valid()) CHECK(std::ranges::binary_search(places, node.longest));
          if (node.key.kind != CallKind::kSlices) continue;
          if (metric == CallMetric::kCpuTime || is_leaf) {
            CHECK(places.size() == node.count);
            Nanos sum = 0;
            for (const SliceId place : places) sum += trace.span(place).duration();
            if (!bottom_up) CHECK(sum == node.total);
          }
        }
      }
    }
  }
}

/// The root is what the statistics say of the same range and tracks.
void check_roots(const Trace& trace, TimeSpan range, const std::vector<TrackId>& tracks) {
  const Statistics expected = compute_statistics(trace, {range, tracks});
  const bool has_streams = tracks.empty() || std::ranges::any_of(tracks, [&](TrackId id) {
                             return trace.track(id).kind == TrackKind::kGpuStream;
                           });
  for (const bool hides_python : {false, true}) {
    for (const bool bottom_up : {false, true}) {
      CallTreeOptions options;
      options.range = range;
      options.tracks = tracks;
      options.hides_python = hides_python;
      options.bottom_up = bottom_up;
      options.threads = 2;
      CAPTURE(bottom_up);
      const CallTree cpu = build_call_tree(trace, options);
      check_shape(cpu);
      CHECK(cpu.root().total == expected.cpu_self);
      options.metric = CallMetric::kGpuTime;
      const CallTree gpu = build_call_tree(trace, options);
      check_shape(gpu);
      if (has_streams) CHECK(gpu.root().total == expected.gpu_total);
      if (!bottom_up || hides_python) continue;
      // The first level is the statistics' rows: self time of each name on threads.
      std::map<std::string, Nanos> self;
      for (const StatisticsRow& row : expected.rows)
        if (row.counted > 0 && !is_gpu_activity(trace.category_class(row.category)) &&
            !trace.text(row.name).starts_with("ProfilerStep") && !trace.text(row.name).starts_with("nn.Module"))
          self[std::string(trace.text(row.name))] += row.counted;
      std::map<std::string, Nanos> first_level;
      for (const CallNode& node : cpu.children(cpu.root()))
        if (node.key.kind == CallKind::kSlices && node.total > 0)
          first_level[call_label(trace, node.key)] += node.total;
      CHECK(first_level == self);
    }
  }
}

/// Idle time: the root is that of the gaps, and each operator's part what it is charged in the ranking.
void check_idle(const Trace& trace) {
  const CauseIndex index(trace);
  const std::vector<CausedGaps> sets = diagnose_devices(index);
  Nanos idle = 0;
  for (const CausedGaps& set : sets) idle += set.idle();
  for (const bool bottom_up : {false, true}) {
    CallTreeOptions options;
    options.metric = CallMetric::kIdleTime;
    options.gaps = sets;
    options.bottom_up = bottom_up;
    const CallTree tree = build_call_tree(trace, options);
    check_shape(tree);
    CHECK(tree.root().total == idle);
    Nanos not_charged = 0;
    for (const CallNode& node : tree.children(tree.root()))
      if (node.key.kind == CallKind::kCause) not_charged += node.total;
    CHECK(not_charged == charge_operators(trace, sets).not_charged);
  }
}

TEST_CASE("a stack as deep as a file likes") {
  constexpr int kDepth = 3'000;
  TraceMaker make;
  for (int d = 0; d < kDepth; ++d) make.thread("f" + std::to_string(d % 7), d, 20'000 - d, "python_function");
  make.launch("cudaLaunchKernel", 9'990, 9'995, 1).kernel("k", 30'000, 30'010, 1).kernel("k2", 40'000, 40'010);
  make.launch("cudaLaunchKernel", 9'996, 9'999, 2).kernel("k3", 40'050, 40'060, 2);
  const Trace trace = make.build();
  for (const bool bottom_up : {false, true}) {
    CallTreeOptions options;
    options.bottom_up = bottom_up;
    const CallTree tree = build_call_tree(trace, options);
    check_shape(tree);
    CHECK(tree.root().total == 20'000);
  }
  check_idle(trace);
}

TEST_CASE("roots equal the statistics on random traces") {
  for (std::uint32_t seed = 1; seed <= rounds(5U); ++seed) {
    const Trace trace = random_trace(seed);
    check_roots(trace, TimeSpan::everything(), {});
    Dice dice(seed);
    for (int k = 0; k < 5; ++k) {
      const Nanos a = dice.roll(trace.span().begin, trace.span().end);
      const TimeSpan range{a, dice.roll(a, trace.span().end)};
      check_roots(trace, range, {});
      check_roots(trace, range, {trace.tracks()[static_cast<std::size_t>(k) % trace.tracks().size()].id});
    }
  }
}

TEST_CASE("the innermost slices of a thread are the same, however much of it was asked for before") {
  using Parts = std::vector<std::pair<Nanos, SliceId>>;
  const auto parts_of = [](InnermostWalk& walk, TimeSpan window) {
    Parts parts;
    walk.for_each(window, [&](TimeSpan part, SliceId slice) {
      parts.emplace_back(part.begin, slice);
      parts.emplace_back(part.end, slice);
    });
    return parts;
  };
  for (std::uint32_t seed = 1; seed <= rounds(5U); ++seed) {
    const Trace trace = random_trace(seed);
    Dice dice(seed);
    for (const Track& track : trace.tracks()) {
      if (track.kind != TrackKind::kThread) continue;
      InnermostWalk known(trace, track);
      for (int w = 0; w < 200; ++w) {
        const Nanos begin = dice.roll(trace.span().begin - kUs, trace.span().end);
        const TimeSpan window{begin, begin + dice.roll(0, 100 * kUs)};
        InnermostWalk fresh(trace, track);
        if (parts_of(known, window) != parts_of(fresh, window))
          CHECK(parts_of(known, window) == parts_of(fresh, window));
      }
    }
  }
}

TEST_CASE("idle time charged adds up to the gaps") {
  for (std::uint32_t seed = 1; seed <= rounds(5U); ++seed) check_idle(random_trace(seed));
}

TEST_CASE("real traces: the root equals the statistics of the same range, and the gaps") {
  std::vector<const char*> names{"tracelens_mi300x_sglang_decode_hipgraph.json.gz",
                                 "tracelens_h100_qwen1.5_0.5b.json.gz", "hta_v100_ddp_rank1_trace_diff_test.json.gz",
                                 "tracelens_h100_owlv2_large.json.gz", "kineto_v100_resnet50_legacy.pt.trace.json.gz"};
  names.resize(rounds(names.size()));
  for (const char* name : names) {
    CAPTURE(name);
    const auto trace = shared_trace(name);
    if (!trace) continue;
    const TimeSpan whole = trace->span();
    check_roots(*trace, TimeSpan::everything(), {});
    check_roots(*trace, {whole.begin + whole.duration() / 3, whole.begin + whole.duration() / 2}, {});
    // The widest thread and the busiest stream.
    const auto& tracks = trace->tracks();
    for (const TrackKind kind : {TrackKind::kThread, TrackKind::kGpuStream}) {
      TrackId most;
      for (const Track& track : tracks)
        if (track.kind == kind && (!most.valid() || track.slice_count > trace->track(most).slice_count))
          most = track.id;
      if (most.valid()) check_roots(*trace, {whole.begin, whole.begin + whole.duration() / 2}, {most});
    }
    check_idle(*trace);
  }
}

}  // namespace
}  // namespace lacuna
