// Twice the input, at most two and a half times the cost.

#include <string>

#include <doctest/doctest.h>

#include "model/diff/trace_diff.h"
#include "tests/support/counted_memory.h"
#include "tests/support/growth_check.h"
#include "tests/support/skip.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// As many operators beside each other or, `is_deep`, inside each other, each with a kernel of its own; `region`: all
/// of it is compiled.
Trace many_operators(const std::string& name, int count, bool is_deep, const char* region = nullptr) {
  TraceMaker make;
  const Nanos end = 100 * Nanos{count};
  if (region != nullptr) make.thread(region, 0, end);
  for (int i = 0; i < count; ++i) {
    const Nanos t = 100 * Nanos{i};
    const auto id = static_cast<std::uint64_t>(i) + 1;
    make.thread(name + std::to_string(i) + (name.starts_with("triton_") ? "_0" : ""), t, is_deep ? end - i : t + 90);
    make.launch("cudaLaunchKernel", t + 10, t + 20, id).kernel(name + "kernel" + std::to_string(i), t, t + 90, id);
  }
  return make.build();
}

void check_pair(const char* what, const char* name_b, bool is_deep, const char* region_b) {
  const int few = is_deep ? 200 : 1000;
  const int many = few * static_cast<int>(kGrowth);
  const Trace a[] = {many_operators("a", few, is_deep), many_operators("a", many, is_deep)};
  const Trace b[] = {many_operators(name_b, few, is_deep, region_b), many_operators(name_b, many, is_deep, region_b)};
  TraceDiff windows[2];
  for (int i = 0; i < 2; ++i) windows[i].a.window = windows[i].b.window = TimeSpan::everything();
  check_growth(what, [&](bool is_large, std::string&) {
    const int i = is_large ? 1 : 0;
    CHECK(compare_structure({&a[i]}, {&b[i]}, windows[i]).rows.size() > 100);
  });
}

}  // namespace

TEST_CASE("trees of many places are aligned in little more time") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  check_pair("operators of the same names", "a", false, nullptr);
  check_pair("operators of other names", "b", false, nullptr);
  check_pair("operators that are fused", "b", false, "Torch-Compiled Region: 0/0");
  check_pair("operators and Triton kernels that name them", "triton_poi_fused_a", false, "Torch-Compiled Region: 0/0");
  check_pair("operators inside each other", "a", true, nullptr);
  check_pair("operators of other names inside each other", "b", true, nullptr);
  check_pair("operators inside each other that are fused", "b", true, "Torch-Compiled Region: 0/0");
}
