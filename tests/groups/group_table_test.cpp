#include "model/groups/group_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "app/tables/group_columns.h"
#include "model/groups/histogram.h"
#include "model/help/column_help.h"
#include "model/import/importer.h"
#include "model/statistics/statistics.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

GroupTable groups(const Trace& trace, const GroupOptions& options) {
  Result<GroupTable> table = compute_groups(trace, options);
  REQUIRE(table.has_value());
  return std::move(*table);
}

void check_same_as_statistics(const Trace& trace, TimeSpan range) {
  const Statistics expected = compute_statistics(trace, {range, {}});
  GroupOptions options;
  options.range = range;
  const GroupTable table = groups(trace, options);
  REQUIRE(table.rows.size() == expected.rows.size());
  CHECK(table.cpu_self == expected.cpu_self);
  CHECK(table.gpu_total == expected.gpu_total);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const GroupRow& row = table.rows[r];
    const StatisticsRow& other = expected.rows[r];
    CHECK(row.label == trace.text(other.name));
    CHECK(row.count == other.count);
    CHECK(row.total == other.total);
    CHECK(row.self == other.self);
    CHECK(row.min == other.min);
    CHECK(row.max == other.max);
    CHECK(row.counted == other.counted);
    CHECK(row.longest == other.longest);
  }
}

TEST_CASE("groups by name are the statistics, number for number") {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const Trace trace = random_trace(seed);
    check_same_as_statistics(trace, TimeSpan::everything());
    Dice dice(seed);
    for (int k = 0; k < 5; ++k) {
      const Nanos a = dice.roll(trace.span().begin, trace.span().end);
      check_same_as_statistics(trace, {a, dice.roll(a, trace.span().end)});
    }
  }
  if (const auto trace = shared_trace("hta_v100_ddp_rank1_trace_diff_test.json.gz"))
    check_same_as_statistics(*trace, TimeSpan::everything());
}

/// Of the slices with the name and category of a row.
Nanos gpu_time_inside(const Trace& trace, const GroupRow& row, TimeSpan range) {
  Nanos time = 0;
  for (const LaunchLink& link : trace.links().launches()) {
    SliceId s = link.launch;
    while (s.valid() && !(trace.name(s) == row.label && trace.lane(s).category(s.index) == row.category &&
                          trace.span(s).overlaps(range)))
      s = trace.parent(s);
    if (s.valid()) time += trace.span(link.activity).intersect(range).duration();
  }
  return time;
}

TEST_CASE("percentiles, launch delays and GPU time, by brute force") {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const Trace trace = random_trace(seed);
    GroupOptions options;
    options.columns = {.percentiles = true, .launch_delay = true, .gpu_time = true};
    for (const GroupRow& row : groups(trace, options).rows) {
      std::vector<Nanos> durations;
      Nanos delay = 0;
      std::uint64_t delays = 0;
      const auto is_of_row = [&](SliceId s) {
        return trace.name(s) == row.label && trace.lane(s).category(s.index) == row.category;
      };
      for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
        for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i)
          if (is_of_row({LaneId{l}, i})) durations.push_back(trace.lanes()[l].duration(i));
      for (const LaunchLink& link : trace.links().launches()) {
        if (is_of_row(link.activity)) {
          delay += std::max<Nanos>(0, trace.span(link.activity).begin - trace.span(link.launch).end);
          ++delays;
        }
      }
      std::ranges::sort(durations);
      CHECK(row.count == durations.size());
      CHECK(row.p50 == durations[(durations.size() + 1) / 2 - 1]);
      CHECK(row.p99 == durations[(durations.size() * 99 + 99) / 100 - 1]);
      CHECK(row.launch_delay == delay);
      CHECK(row.launch_delays == delays);
      CHECK(row.gpu_time == gpu_time_inside(trace, row, options.range));
    }
    options.range = {trace.span().begin + trace.span().duration() / 3, trace.span().end - trace.span().duration() / 4};
    for (const GroupRow& row : groups(trace, options).rows)
      CHECK(row.gpu_time == gpu_time_inside(trace, row, options.range));
  }
}

TEST_CASE("every grouping has every slice once") {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const Trace trace = random_trace(seed);
    std::map<std::uint32_t, std::pair<std::uint64_t, Nanos>> expected;  // by category
    for (const Lane& lane : trace.lanes())
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        ++expected[lane.category(i).value].first;
        expected[lane.category(i).value].second += lane.duration(i);
      }
    for (const GroupBy by : {GroupBy::kModule, GroupBy::kStack, GroupBy::kStep, GroupBy::kStream, GroupBy::kRank,
                             GroupBy::kFamily, GroupBy::kClass}) {
      std::map<std::uint32_t, std::pair<std::uint64_t, Nanos>> found;
      GroupOptions options;
      options.by = by;
      for (const GroupRow& row : groups(trace, options).rows) {
        found[row.category.value].first += row.count;
        found[row.category.value].second += row.total;
      }
      CHECK(found == expected);
    }
  }
}

TEST_CASE("the slices of each row are those that it counts") {
  const Trace trace = random_trace(3);
  for (const GroupBy by : {GroupBy::kName, GroupBy::kModule, GroupBy::kStack, GroupBy::kStep, GroupBy::kStream,
                           GroupBy::kFamily, GroupBy::kClass}) {
    GroupOptions options;
    options.by = by;
    options.range = {100 * kUs, 3'000 * kUs};
    const auto table = compute_groups(trace, options);
    REQUIRE(table.has_value());
    for (std::uint32_t r = 0; r < table->rows.size(); ++r) {
      const auto slices = find_group_slices(trace, options, r);
      REQUIRE(slices.has_value());
      CHECK(slices->size() == table->rows[r].count);
      Nanos total = 0;
      for (const SliceId slice : *slices) total += trace.span(slice).intersect(options.range).duration();
      CHECK(total == table->rows[r].total);
    }
  }
}

TEST_CASE("GPU work belongs to the module, stack and step of its launch") {
  TraceMaker make;
  make.thread("ProfilerStep#4", 0, 1000, "user_annotation");
  make.thread("train.py(1): main", 10, 990, "python_function");
  make.thread("nn.Module: Linear_0", 20, 500, "python_function");
  make.thread("<built-in function linear>", 30, 400, "python_function");
  make.thread("aten::linear", 40, 300).launch("cudaLaunchKernel", 50, 60, 1);
  make.thread("aten::add", 600, 700).launch("cudaLaunchKernel", 610, 620, 2);
  make.kernel("gemm", 2000, 2100, 1).kernel("add", 2100, 2150, 2).kernel("loose", 5000, 5010);
  const Trace trace = make.build();
  const auto labels = [&](GroupBy by, std::size_t frames = 5) {
    GroupOptions options;
    options.by = by;
    options.stack_frames = frames;
    std::map<std::string, Nanos> totals;  // of kernels
    for (const GroupRow& row : groups(trace, options).rows)
      if (trace.category_class(row.category) == CategoryClass::kKernel) totals[row.label] = row.total;
    return totals;
  };
  using Totals = std::map<std::string, Nanos>;
  CHECK(labels(GroupBy::kModule) == Totals{{"nn.Module: Linear_0", 100}, {"(no module)", 60}});
  CHECK(labels(GroupBy::kStack) ==
        Totals{{"nn.Module: Linear_0 < train.py(1): main", 100}, {"train.py(1): main", 50}, {"(no Python frame)", 10}});
  CHECK(labels(GroupBy::kStack, 1) ==
        Totals{{"nn.Module: Linear_0", 100}, {"train.py(1): main", 50}, {"(no Python frame)", 10}});
  CHECK(labels(GroupBy::kStep) == Totals{{"ProfilerStep#4", 150}, {"(outside steps)", 10}});
  CHECK(labels(GroupBy::kStream) == Totals{{"GPU 0, stream 7", 160}});
}

TEST_CASE("GPU time of slices is that of all launches in them, whatever other threads launch meanwhile") {
  TraceMaker make;
  std::uint64_t id = 0;
  for (const char* tid : {"1", "2"}) {
    const Nanos shift = *tid == '1' ? 0 : 50;
    make.thread(*tid == '1' ? "outer_1" : "outer_2", shift, 1000, "cpu_op", tid);
    for (Nanos n = 0; n < 4; ++n) {
      make.thread("inner", shift + 100 * n + 10, shift + 100 * n + 40, "cpu_op", tid);
      make.launch("cudaLaunchKernel", shift + 100 * n + 20, shift + 100 * n + 30, ++id, tid);
      make.kernel("gemm", 2000 + 10 * static_cast<Nanos>(id), 2007 + 10 * static_cast<Nanos>(id), id);
    }
  }
  const Trace trace = make.build();
  GroupOptions options;
  options.columns = {.gpu_time = true};
  std::map<std::string, Nanos> times;
  for (const GroupRow& row : groups(trace, options).rows) times[row.label] = row.gpu_time;
  CHECK(times["outer_1"] == 4 * 7);
  CHECK(times["outer_2"] == 4 * 7);
  CHECK(times["inner"] == 8 * 7);
}

TEST_CASE("GPU work by class, all else together") {
  TraceMaker make;
  make.thread("aten::linear", 0, 300);
  make.kernel("volta_sgemm_128x64_nn", 0, 100).kernel("gemv2T_kernel_val", 100, 110).kernel("mystery", 110, 120);
  make.copy("Memcpy HtoD (Pinned -> Device)", 0, 50, "8");
  const Trace trace = make.build();
  GroupOptions options;
  options.by = GroupBy::kClass;
  std::map<std::string, Nanos> totals;
  for (const GroupRow& row : groups(trace, options).rows) totals[row.label] += row.total;
  CHECK(totals == std::map<std::string, Nanos>{{"GEMM", 110}, {"other", 10}, {"copy", 50}, {"(no GPU work)", 300}});
}

TEST_CASE("shapes, FLOPs, bytes and grids of a real trace") {
  const auto trace = shared_trace("tracelens_h100_qwen1.5_0.5b.json.gz");
  if (!trace) return;
  GroupOptions options;
  options.columns = {.gpu_arguments = true, .flops = true};
  std::map<std::string, GroupRow> rows;
  for (const GroupRow& row : groups(*trace, options).rows) rows[row.label] = row;
  // 24 layers; per layer q, k, v with bias (addmm), o, gate, up, down without (mm), 8944 tokens.
  const double tokens = 16 * 559, width = 1024, inner = 2816;
  CHECK(rows["aten::addmm"].flops == 24 * 3 * 2 * tokens * width * width);
  CHECK(rows["aten::mm"].flops == 24 * 2 * tokens * width * (width + 3 * inner));
  CHECK(rows["aten::linear"].flops == rows["aten::addmm"].flops + rows["aten::mm"].flops);
  CHECK(rows["aten::addmm"].peak_tflops == 989.4);
  CHECK(rows["aten::addmm"].flop_time == rows["aten::addmm"].gpu_time);
  CHECK(rows["aten::_flash_attention_forward"].flops == 24.0 * 2 * 16 * 16 * 559 * 559 * 128);
  CHECK(rows["Memset (Device)"].bytes > 0);
  // In a range each counts with the part of its time inside it, so that a rate is that of the whole.
  for (const Lane& lane : trace->lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      if (trace->text(lane.name(i)) == "Memset (Device)") options.range = lane.span(i);
  const auto bytes_in_range = [&] {
    for (const GroupRow& row : groups(*trace, options).rows)
      if (row.label == "Memset (Device)") return row.bytes;
    return std::uint64_t{0};
  };
  const std::uint64_t all = bytes_in_range();
  const Nanos half = options.range.duration() / 2;
  CHECK(all > 0);
  options.range.end = options.range.begin + half;
  CHECK(bytes_in_range() <= all / 2);
  CHECK(bytes_in_range() > all / 3);
  options.range = TimeSpan::everything();
  options.by = GroupBy::kShape;
  options.columns = {};
  std::map<std::string, std::uint64_t> shapes;
  for (const GroupRow& row : groups(*trace, options).rows) shapes[row.label] = row.count;
  CHECK(shapes["aten::addmm  [[1024], [8944, 1024], [1024, 1024], [], []]"] == 72);
}

TEST_CASE("every column has a definition under its title and its keys") {
  for (const GroupColumn& column : group_columns()) {
    CAPTURE(column.key);
    for (const std::string_view text : {column.title, column.key, column.json})
      CHECK_FALSE(explain_column(text).empty());
  }
  for (const char* title : {"GPU lag", "Idle GPU time", "Tensor cores", "Peak allocated", "Rate"})
    CHECK_FALSE(explain_column(title).empty());
}

TEST_CASE("histogram: bins hold every duration, modes what a person sees") {
  Dice dice(5);
  std::vector<Nanos> one, two;
  for (int k = 0; k < 1000; ++k) one.push_back(10'000 + dice.roll(0, 2000));
  two = one;
  for (int k = 0; k < 300; ++k) two.push_back(100'000 + dice.roll(0, 20'000));
  const DurationHistogram single = histogram_of(one);
  CHECK(single.modes.size() == 1);
  CHECK(single.modes[0].count == 1000);
  const DurationHistogram both = histogram_of(two);
  REQUIRE(both.modes.size() == 2);
  CHECK(both.modes[0].count == 1000);
  CHECK(both.modes[1].count == 300);
  CHECK(both.modes[1].median >= 100'000);
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    Dice random(seed);
    std::vector<Nanos> durations;
    for (Nanos n = random.roll(1, 200); n > 0; --n)
      durations.push_back(random.roll(0, 1) == 0 ? random.roll(0, 20) : random.roll(0, 1'000'000'000));
    const DurationHistogram histogram = histogram_of(durations);
    std::uint64_t bins = 0, modes = 0;
    Nanos last = -1;
    for (const HistogramBin& bin : histogram.bins) {
      CHECK(bin.from < bin.to);
      CHECK(bin.from >= last);
      last = bin.to;
      const auto inside = std::ranges::count_if(durations, [&](Nanos d) { return d >= bin.from && d < bin.to; });
      CHECK(static_cast<std::uint64_t>(inside) == bin.count);
      bins += bin.count;
    }
    for (const HistogramMode& mode : histogram.modes) modes += mode.count;
    CHECK(bins == durations.size());
    CHECK(modes == durations.size());
  }
  CHECK(histogram_of({}).bins.empty());
  CHECK(histogram_of({0, 0}).bins.size() == 1);
  CHECK(histogram_of({kMaxNanos}).count == 1);
}

TEST_CASE("histogram: a valley parts modes where both sides are twice as high, whether or not it is empty") {
  std::vector<Nanos> humps(100, 1000), plateau(100, 1000);
  for (int bin = 1; bin <= 16; ++bin) {
    const auto duration = static_cast<Nanos>(1000 * std::exp2(bin / 8.0)) + 1;
    humps.push_back(duration);
    plateau.insert(plateau.end(), bin <= 8 ? 10 : 15, duration);
  }
  humps.insert(humps.end(), 100, 4000 + 500);
  CHECK(histogram_of(humps).modes.size() == 2);
  CHECK(histogram_of(plateau).modes.size() == 1);
}

TEST_CASE("histogram: percentiles are the nearest rank, as everywhere") {
  const auto up_to = [](Nanos last) {
    std::vector<Nanos> all;
    for (Nanos n = last; n > 0; --n) all.push_back(n);
    return histogram_of(all);
  };
  CHECK(up_to(100).p50 == 50);
  CHECK(up_to(100).p99 == 99);
  CHECK(up_to(101).p50 == 51);
  CHECK(up_to(101).p99 == 100);
  CHECK(up_to(2).p50 == 1);
  CHECK(up_to(2).p99 == 2);
  CHECK(up_to(1).p50 == 1);
  CHECK(up_to(1).p99 == 1);
  CHECK(up_to(200).p99 == 198);
}

TEST_CASE("histogram: of a range, without what begins at its end") {
  TraceMaker make;
  make.thread("op", 0, 10).thread("op", 100, 130).thread("op", 200, 250);
  const Trace trace = make.build();
  const auto count = [&](TimeSpan range) {
    return duration_histogram(trace, trace.strings().find("op"), {}, range, {}).count;
  };
  CHECK(count({0, 100}) == 1);
  CHECK(count({0, 101}) == 2);
  CHECK(count({5, 200}) == 2);
  CHECK(count(TimeSpan::everything()) == 3);
}

TEST_CASE("the grid of a row is that of its kernels that have one, and differs where two of them do") {
  const auto row = [](std::vector<std::string> grids) {
    std::string json = "[";
    for (std::size_t k = 0; k < grids.size(); ++k)
      json += fmt::format(R"({}{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":5,"args":{{)"
                          R"("stream":7{}{}}}}})",
                          k == 0 ? "" : ",", 10 * k, grids[k].empty() ? "" : ",", grids[k]);
    const auto trace = import_json(json + "]");
    REQUIRE(trace.has_value());
    GroupOptions options;
    options.columns = {.gpu_arguments = true};
    const auto table = groups(*trace, options);
    REQUIRE(table.rows.size() == 1);
    return table.rows.front();
  };
  const std::string small = R"("grid":[4,1,1],"block":[32,1,1])", wide = R"("grid":[4,1,1],"block":[64,1,1])",
                    large = R"("grid":[8,1,1],"block":[32,1,1])";
  for (const auto& grids :
       {std::vector{small, small}, std::vector{std::string(), small}, std::vector{small, std::string()}}) {
    CHECK(row(grids).grid[0] == 4);
    CHECK(row(grids).block[0] == 32);
    CHECK_FALSE(row(grids).grids_differ);
  }
  CHECK(row({small, large}).grids_differ);
  CHECK(row({small, wide}).grids_differ);
  CHECK(row({small, large}).grid[0] == 4);
  CHECK(row({std::string()}).grid[0] == 0);
}

TEST_CASE("the occupancy of a row is the mean over the time of its kernels, and its FLOPs have the type of the first") {
  const auto kernel = [](int ts, int duration, int occupancy) {
    return fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"stream":7,)"
        R"("est. achieved occupancy %":{}}}}})",
        ts, duration, occupancy);
  };
  const auto mm = [](int ts, const char* type) {
    return fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{},"dur":5,"args":{{)"
                       R"("Input Dims":[[2,3],[3,4]],"Input type":["{}","{}"]}}}})",
                       ts, type, type);
  };
  const auto trace = import_json("[" + kernel(0, 30, 20) + "," + kernel(100, 10, 60) + "," + mm(0, "c10::Half") + "," +
                                 mm(10, "float") + "]");
  REQUIRE(trace);
  GroupOptions options;
  options.columns = {.gpu_arguments = true, .flops = true};
  std::map<std::string, GroupRow> rows;
  for (const GroupRow& row : groups(*trace, options).rows) rows[row.label] = row;
  CHECK(rows["gemm"].occupancy == doctest::Approx((30 * 20 + 10 * 60) / 40.0));
  CHECK(rows["aten::mm"].flop_calls == 2);
  CHECK(rows["aten::mm"].flops == 2 * 2 * 2 * 3 * 4);
  CHECK(rows["aten::mm"].flop_type == FlopType::kHalf);
}

TEST_CASE("roofline columns: the outermost call of a row counts, GPU time decides what holds it back") {
  const auto slice = [](const char* category, const char* name, int tid, int ts, int duration,
                        const std::string& args) {
    return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                       category, name, tid == 7 ? 0 : 1, tid, ts, duration, args);
  };
  const auto gemm = [&](int ts, int correlation, const char* sizes, int gpu_us) {
    const std::string shapes = fmt::format(R"("Input Dims":{},"Input type":["c10::Half","c10::Half"])", sizes);
    return slice("cpu_op", "aten::matmul", 1, ts, 50, shapes) + "," +
           slice("cpu_op", "aten::mm", 1, ts + 5, 40, shapes) + "," +
           slice("cuda_runtime", "cudaLaunchKernel", 1, ts + 10, 5, fmt::format(R"("correlation":{})", correlation)) +
           "," +
           slice("kernel", "gemm", 7, 1000 * correlation, gpu_us,
                 fmt::format(R"("correlation":{},"device":0,"stream":7)", correlation));
  };
  // 4096 x 4096 x 4096 in half: 137.4 GFLOP and 96 MiB, 138.97 us at 989 TFLOP/s.
  const auto trace = import_json(
      R"({"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3"}],"traceEvents":[)" +
      gemm(0, 1, "[[4096,4096],[4096,4096]]", 200) + "," + gemm(100, 2, "[[4096,4096],[4096,4096]]", 400) + "," +
      slice("cpu_op", "aten::mm", 1, 200, 40,
            R"("Input Dims":[[4096,4096],[4096,4096]],"Input type":["c10::Half","c10::Half"])") +
      "]}");
  REQUIRE(trace);
  const double flop = 2 * std::pow(4096.0, 3), bytes = 3 * 2 * 4096.0 * 4096;
  GroupOptions options;
  options.columns = {.roofline = true};
  std::map<std::string, GroupRow> rows;
  const GroupTable by_name = groups(*trace, options);
  for (const GroupRow& row : by_name.rows) rows[row.label] = row;
  const GroupRoofline& mm = rows["aten::mm"].roofline;
  CHECK(mm.flop == 3 * flop);
  CHECK(mm.bytes == 3 * bytes);
  CHECK(mm.timed_bytes == 2 * bytes);  // the third launched nothing
  CHECK(mm.time == 600'000);
  CHECK(mm.roofed_time == 600'000);
  CHECK(mm.best_time == doctest::Approx(2 * flop / 989.4e3).epsilon(1e-6));
  CHECK(mm.bound() == RooflineBound::kCompute);
  CHECK(rows["gemm"].roofline.bound() == RooflineBound::kUnknown);
  const auto text = [&](const char* key, const GroupRow& row) {
    return group_column(key)->text_of(*trace, by_name, row);
  };
  CHECK(text("intensity", rows["aten::mm"]) == "1,365");
  CHECK(text("gbps", rows["aten::mm"]) == "336");
  CHECK(text("roof", rows["aten::mm"]) == "46.3 %");
  CHECK(text("bound", rows["aten::mm"]) == "compute");
  CHECK(text("bound", rows["gemm"]) == "-");
  // One row of all operators: aten::matmul around aten::mm counts once.
  options.by = GroupBy::kModule;
  for (const GroupRow& row : groups(*trace, options).rows)
    if (trace->category_name(row.category) == "cpu_op") CHECK(row.roofline.flop == 3 * flop);
  // The same from a roofline of the whole trace, and of the calls in the range alone.
  RooflineOptions whole;
  whole.with_calls = true;
  options.by = GroupBy::kName;
  options.roofline = std::make_shared<const Roofline>(*compute_roofline(*trace, whole));
  options.range = {100'000, 150'000};
  for (const GroupRow& row : groups(*trace, options).rows)
    if (row.label == "aten::mm") CHECK(row.roofline.time == 400'000);
}

}  // namespace
}  // namespace lacuna
