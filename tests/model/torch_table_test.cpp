#include "model/torch/torch_table.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/torch/torch_text.h"
#include "tests/model/torch_support.h"

using namespace lacuna;

namespace {

std::vector<std::string> row_names(const TorchTable& table) {
  std::vector<std::string> result;
  for (const TorchRow& row : table.rows) result.push_back(row.name);
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("rows come in order of first appearance; kernels have rows of their own") {
  const TorchTable table = table_of(
      TorchTrace().op("b", 0, 100, 1).op("a", 200, 300, 2).op("b", 400, 600, 3).kernel("k", 250, 260, 1).load());
  CHECK(row_names(table) == Names{"b", "a", "k"});
  const TorchRow& b = row_named(table, "b");
  CHECK(b.count == 2);
  CHECK(b.cpu_total == doctest::Approx(0.3));
  CHECK(b.cpu_average() == doctest::Approx(0.15));
  CHECK(b.device_total == doctest::Approx(0.01));
  const TorchRow& k = row_named(table, "k", true);
  CHECK(k.cpu_total == 0);
  CHECK(k.self_cpu == 0);
  CHECK(k.self_device == doctest::Approx(0.01));
}

TEST_CASE("an annotation has a row apart from an operator of its name, and so has its GPU side") {
  const TorchTable table = table_of(TorchTrace()
                                        .annotation("mm", 0, 1000, 1)
                                        .op("mm", 100, 200, 2)
                                        .op("other", 300, 400, 3)
                                        .kernel("k", 500, 700, 2)
                                        .gpu_annotation("mm", 500, 700, 1)
                                        .load());
  CHECK(table.rows.size() == 5);
  const TorchRow& cpu = row_named(table, "mm", false, true);
  CHECK(cpu.self_device == 0);
  CHECK(cpu.device_total == doctest::Approx(0.2));
  CHECK(row_named(table, "mm").self_device == doctest::Approx(0.2));
  CHECK(row_named(table, "mm", true, true).self_device == doctest::Approx(0.2));
  // The sum is over GPU rows that are no annotations: the kernel alone.
  CHECK(torch_totals(table).self_device == doctest::Approx(0.2));
}

TEST_CASE("merged events do not count") {
  const TorchTable table = table_of(TorchTrace().op("x", 0, 1000).op("x", 100, 900).op("y", 1000, 1100).load());
  CHECK(row_named(table, "x").count == 1);
  CHECK(row_named(table, "x").self_cpu == doctest::Approx(1.0));
}

TEST_CASE("Python frames take self time but have no row unless asked for") {
  const Trace trace = TorchTrace().annotation("step", 0, 1000).python("f", 100, 900).op("op", 200, 300).load();
  const TorchTable table = table_of(trace);
  CHECK(row_names(table) == Names{"step", "op"});
  CHECK(row_named(table, "step", false, true).self_cpu == doctest::Approx(0.2));
  CHECK(torch_totals(table).self_cpu == doctest::Approx(0.3));  // f's own 0.7 is in no row
  CHECK(row_named(table_of(trace, {.include_python_functions = true}), "f").self_cpu == doctest::Approx(0.7));
}

TEST_CASE("asynchronous events count in totals only") {
  const TorchTable table = table_of(TorchTrace()
                                        .op("op", 0, 100, 1)
                                        .annotation("open", 200, 9000, 2, 1, R"("finished": false)")
                                        .kernel("k", 300, 400, 2)
                                        .span(700)
                                        .load());
  const TorchRow& open = row_named(table, "open", false, true);
  CHECK(open.is_async);
  CHECK(open.cpu_total == doctest::Approx(0.5));
  CHECK(open.self_cpu == 0);
  CHECK(open.device_total == 0);
}

TEST_CASE("memory: what happened from start to end, both included, on any thread") {
  const Trace trace = TorchTrace()
                          .op("outer", 100, 1000, 1)
                          .op("inner", 200, 300, 2)
                          .op("other thread", 250, 260, 3, 2)
                          .memory(100, 64)       // at the start
                          .memory(250, 1000)     // inner's, outer's and the other thread's
                          .memory(250, 4096, 1)  // on the GPU
                          .memory(1000, -16)     // at the end
                          .memory(5000, 32)      // nobody's
                          .memory(6000, 7, 9)    // on a device that torch does not count
                          .memory(7000, 99, 0, "[OutOfMemory]")
                          .load();
  const TorchTable table = table_of(trace);
  CHECK(table.has_memory);
  const TorchRow& outer = row_named(table, "outer");
  CHECK(outer.cpu_memory == 1048);
  CHECK(outer.self_cpu_memory == 48);
  CHECK(outer.device_memory == 4096);
  CHECK(outer.self_device_memory == 0);
  CHECK(row_named(table, "inner").self_cpu_memory == 1000);
  CHECK(row_named(table, "other thread").cpu_memory == 1000);
  const TorchRow& loose = row_named(table, "[memory]");
  CHECK(loose.count == 2);
  CHECK(loose.self_cpu_memory == 32);
  CHECK(row_named(table, "[OutOfMemory]").count == 1);
  CHECK(row_named(table, "[OutOfMemory]").cpu_memory == 0);
  CHECK(row_names(table) == Names{"outer", "inner", "other thread", "[memory]", "[OutOfMemory]"});
}

TEST_CASE("memory columns come with profile_memory, even without records") {
  CHECK(table_of(TorchTrace().header(R"("profile_memory": 1)").op("a", 0, 1).load()).has_memory);
  CHECK_FALSE(table_of(TorchTrace().op("a", 0, 1).load()).has_memory);
}

TEST_CASE("grouped by shapes: as Python prints them, lists of tensors as []") {
  const auto dims = [](std::string_view text) { return fmt::format(R"("Input Dims": {})", text); };
  const Trace trace = TorchTrace()
                          .op("cat", 0, 10, 1, 1, dims("[[[2, 3], [4]], []]"))
                          .op("mm", 10, 20, 2, 1, dims("[[2,3],\n [3,  4]]"))
                          .op("mm", 20, 30, 3, 1, dims("[[2, 3], [3, 4]]"))
                          .op("mm", 30, 40, 4, 1, dims("[[5, 5], [5, 5]]"))
                          .op("none", 40, 50, 5)
                          .load();
  const TorchTable table = table_of(trace, {.group_by_input_shape = true});
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[0].input_shapes == "[[], []]");
  CHECK(table.rows[1].input_shapes == "[[2, 3], [3, 4]]");
  CHECK(table.rows[1].count == 2);
  CHECK(table.rows[2].input_shapes == "[[5, 5], [5, 5]]");
  CHECK(table.rows[3].input_shapes == "[]");
  CHECK(table_of(trace).rows.size() == 3);
}

TEST_CASE("grouped by stack: the innermost frames; backward operators have those of forward ones") {
  const auto args = [](std::string_view stack, int sequence, int forward) {
    return fmt::format(R"("Call stack": "{}", "Sequence number": {}, "Fwd thread id": {})", stack, sequence, forward);
  };
  const Trace trace =
      TorchTrace()
          .op("mm", 0, 10, 1, 1, args("a.py(1): f;b.py(2): g;c.py(3): h", 5, 0))
          .op("mm", 10, 20, 2, 1, args("a.py(1): f;b.py(2): g;d.py(4): i", 6, 0))
          .op("autograd::engine::evaluate_function: MmBackward0", 100, 200, 3, 1, args("x.py(9): loop", 5, 1))
          .op("MmBackward0", 110, 190, 4, 1, args("x.py(9): loop", 5, 1))
          .op("mm", 120, 180, 5, 1, R"("Call stack": "x.py(9): loop")")
          .load();
  const TorchTable table = table_of(trace, {.group_by_stack_n = 2});
  const std::vector<std::string> forward{"a.py(1): f", "b.py(2): g"};
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0].stack == forward);
  CHECK(table.rows[0].count == 3);  // both forward ones, and the one inside the backward operator
  CHECK(table.rows[1].stack == std::vector<std::string>{"x.py(9): loop"});
  CHECK(table.rows[2].name == "MmBackward0");
  CHECK(table.rows[2].stack == forward);
  const TorchTable deeper = table_of(trace, {.group_by_stack_n = 3});
  REQUIRE(deeper.rows.size() == 4);  // the forward ones are told apart
  CHECK(deeper.rows[0].count == 2);
}

TEST_CASE("time covered: what overlaps counts once") {
  const TorchTable table = table_of(TorchTrace()
                                        .op("f", 0, 1000, 1)
                                        .op("g", 100, 900, 2)
                                        .op("f", 200, 800, 3)
                                        .kernel("k", 2000, 2600, 2, 7)
                                        .kernel("k", 2400, 3000, 3, 8)
                                        .kernel("other", 2500, 2700, 1, 9)
                                        .load(),
                                    {.covered = true});
  const TorchRow& f = row_named(table, "f");
  CHECK(f.cpu_total == doctest::Approx(1.6));
  CHECK(f.cpu_covered == 1000);
  CHECK(f.self_device == doctest::Approx(0.8));
  CHECK(f.self_device_covered == 600);  // 2400..3000 and 2500..2700
  CHECK(f.device_covered == 1000);
  const TorchRow& k = row_named(table, "k", true);
  CHECK(k.self_device == doctest::Approx(1.2));
  CHECK(k.self_device_covered == 1000);
  CHECK(table.cpu_covered == 1000);
  CHECK(table.device_covered == 1000);
  const TorchRow& g = row_named(table, "g");
  CHECK(g.self_device_covered == 600);
  CHECK(g.device_covered == 1000);
}

TEST_CASE("sort keys: torch's names, with cuda and xpu for device") {
  CHECK(parse_torch_sort_key("cuda_time_total") == TorchSortKey::kDeviceTotal);
  CHECK(parse_torch_sort_key("self_xpu_time_total") == TorchSortKey::kSelfDevice);
  CHECK(parse_torch_sort_key("self_device_memory_usage") == TorchSortKey::kSelfDeviceMemory);
  CHECK(parse_torch_sort_key("privateuse1_time") == TorchSortKey::kDeviceTime);
  CHECK(parse_torch_sort_key("count") == TorchSortKey::kCount);
  CHECK(parse_torch_sort_key("total") == TorchSortKey::kNone);
  CHECK(parse_torch_sort_key("") == TorchSortKey::kNone);
  for (const std::string_view key : torch_sort_keys()) CHECK(parse_torch_sort_key(key) != TorchSortKey::kNone);
}

TEST_CASE("sorting is descending and keeps equal rows in order") {
  // Whole us, which doubles hold exactly: torch does tell 0.04 - 0.03 from 0.01.
  TorchTable table = table_of(TorchTrace()
                                  .op("a", 0, 1000)
                                  .op("b", 1000, 3000)
                                  .op("c", 3000, 4000)
                                  .op("d", 4000, 10'000)
                                  .op("d", 10'000, 11'000)
                                  .load());
  sort_torch_rows(table.rows, TorchSortKey::kCpuTotal);
  CHECK(row_names(table) == Names{"d", "b", "a", "c"});
  sort_torch_rows(table.rows, TorchSortKey::kCount);
  CHECK(row_names(table) == Names{"d", "b", "a", "c"});
  sort_torch_rows(table.rows, TorchSortKey::kName);
  CHECK(row_names(table) == Names{"d", "c", "b", "a"});
}
