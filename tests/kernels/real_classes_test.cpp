// Classes of kernels in real traces against TraceLens' sums by category (../shared/samples/kernels/*.ref.json). It goes
// by operators and we by kernels, so only those are compared that mean the same.

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "model/kernels/kernel_class.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

struct Sum {
  std::uint64_t count = 0;
  double ms = 0;
};

std::array<Sum, kKernelClassCount> sums_of(const Trace& trace) {
  std::array<Sum, kKernelClassCount> sums;
  for (const Lane& lane : trace.lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const CategoryClass category = trace.category_class(lane.category(i));
      if (category != CategoryClass::kKernel) continue;
      Sum& sum = sums[static_cast<std::size_t>(kernel_class(category, trace.text(lane.name(i))))];
      ++sum.count;
      sum.ms += static_cast<double>(lane.duration(i)) / 1e6;
    }
  return sums;
}

TEST_CASE("kernel classes: TraceLens' sums by category") {
  struct Row {
    const char* trace;  // from shared/traces
    const char* reference;
    const char* category;
    KernelClass kernel_class;
  };
  using enum KernelClass;
  const Row rows[] = {
      {"../samples/kernels/torch_compile_triton.json.gz", "torch_compile_triton", "GEMM", kGemm},
      {"../samples/kernels/torch_compile_triton.json.gz", "torch_compile_triton", "other", kAttention},
      {"../samples/kernels/sglang_decode/decode.json.gz", "sglang_decode", "GEMM", kGemm},
      {"../samples/kernels/sglang_decode/decode.json.gz", "sglang_decode", "RMSNorm", kNormalisation},
      {"../samples/kernels/sglang_decode/decode.json.gz", "sglang_decode", "reduce", kReduction},
      {"../samples/kernels/sglang_prefilldecode/prefilldecode.json.gz", "sglang_prefilldecode", "GEMM", kGemm},
      {"../samples/kernels/sglang_prefilldecode/prefilldecode.json.gz", "sglang_prefilldecode", "RMSNorm",
       kNormalisation},
      {"../samples/kernels/sglang_prefilldecode/prefilldecode.json.gz", "sglang_prefilldecode", "reduce", kReduction},
      {"tracelens_mi300x_normalization.json.gz", "mi300x_normalization", "reduce", kReduction},
      {"tracelens_h100_owlv2_large.json.gz", "h100_owlv2_large", "reduce", kReduction}};
  for (const Row& row : rows) {
    CAPTURE(row.reference);
    CAPTURE(row.category);
    const auto trace = shared_trace(row.trace);
    if (!trace) continue;
    Sum expected;
    const char* given = std::getenv("LACUNA_SHARED_TRACES");
    const std::filesystem::path traces = given != nullptr
                                             ? std::filesystem::path(given)
                                             : std::filesystem::path(source_folder()) / ".." / "shared" / "traces";
    std::ifstream file(traces / ".." / "samples" / "kernels" / (std::string(row.reference) + ".ref.json"));
    REQUIRE(file.is_open());
    const auto reference = nlohmann::json::parse(file);
    for (const auto& category : reference.at("by_category"))
      if (category.at("category") == row.category) {
        expected.count += category.at("count").get<std::uint64_t>();
        expected.ms += category.at("kernel_ms").get<double>();
      }
    const Sum sum = sums_of(*trace)[static_cast<std::size_t>(row.kernel_class)];
    CHECK(sum.count == expected.count);
    CHECK(sum.ms == doctest::Approx(expected.ms).epsilon(1e-4));
  }
}

TEST_CASE("kernel classes: hardly any time of real traces is left without a class") {
  for (const char* file :
       {"hta_v100_ddp_rank1_trace_diff_test.json.gz", "hta_v100_ns_resolution.pt.trace.json.gz",
        "kineto_v100_resnet50_legacy.pt.trace.json.gz", "tracelens_b200_eager.json.gz",
        "tracelens_h100_owlv2_large.json.gz", "tracelens_h100_qwen1.5_0.5b.json.gz",
        "tracelens_mi300x_normalization.json.gz", "tracelens_mi300x_sglang_decode_hipgraph.json.gz"}) {
    CAPTURE(file);
    const auto trace = shared_trace(file);
    if (!trace) continue;
    const auto sums = sums_of(*trace);
    double all = 0;
    for (const Sum& sum : sums) all += sum.ms;
    CHECK(sums[static_cast<std::size_t>(KernelClass::kOther)].ms <= 0.001 * all);
  }
}

}  // namespace
}  // namespace lacuna
