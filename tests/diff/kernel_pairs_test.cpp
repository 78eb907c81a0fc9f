#include "model/diff/kernel_pairs.h"

#include <doctest/doctest.h>

#include "model/diff/trace_diff.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

constexpr const char* kAmpere = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn";
constexpr const char* kWide = "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_tn";

/// A step of operators, each of which launches one kernel.
class Steps {
 public:
  Steps& step(std::initializer_list<std::pair<const char*, const char*>> kernels, Nanos each = 100) {
    const Nanos begin = now_;
    for (const auto& [op, kernel] : kernels) {
      if (*op != '\0') make_.thread(op, now_, now_ + 50);
      make_.launch("cudaLaunchKernel", now_ + 10, now_ + 20, ++correlation_);
      make_.kernel(kernel, now_ + 60, now_ + 60 + each, correlation_);
      now_ += 1000;
    }
    make_.thread("ProfilerStep#" + std::to_string(++number_), begin, now_, "user_annotation");
    return *this;
  }
  Trace build() { return make_.build(); }

 private:
  TraceMaker make_;
  Nanos now_ = 0;
  int number_ = 0;
  std::uint64_t correlation_ = 0;
};

std::vector<KernelPair> pairs_of(const Trace& a, const Trace& b) {
  return compute_diff({&a}, {&b}).kernels;
}

TEST_CASE("kernel pairs: the same operator with another tile, and the same kernel") {
  const Trace a = Steps().step({{"aten::addmm", kAmpere}, {"aten::mm", kWide}, {"aten::mm", kAmpere}}).build();
  const Trace b = Steps().step({{"aten::addmm", kWide}, {"aten::mm", kWide}, {"aten::mm", kWide}}).build();
  const std::vector<KernelPair> pairs = pairs_of(a, b);
  REQUIRE(pairs.size() == 3);
  for (const KernelPair& pair : pairs) {
    CHECK(pair.kernel_class == KernelClass::kGemm);
    CHECK(pair.a.count == 1);
    CHECK(pair.b.count == 1);
    CHECK(pair.b.name == kWide);
    CHECK(pair.is_same() == (pair.a.name == kWide));
    CHECK(pair.a.op == pair.b.op);
    CHECK(a.name(pair.a.longest) == pair.a.name);
    CHECK(b.name(pair.b.longest) == kWide);
  }
  // The second product of A met the second of B, although the first has its name.
  const auto other =
      std::ranges::find_if(pairs, [](const KernelPair& pair) { return pair.a.op == "aten::mm" && !pair.is_same(); });
  REQUIRE(other != pairs.end());
  CHECK(
      kernel_pair_sentence(*other) ==
      "Not the same kernel. From A to B: tile 128x64 \xE2\x86\x92 256x128; stages 4 stages of 64 \xE2\x86\x92 3 stages "
      "of 64.");
  CHECK(kernel_pair_difference(*other) == "tile, stages");
  CHECK(kernel_pair_operators(*other) == "aten::mm");
}

TEST_CASE("kernel pairs: sides with different numbers of steps meet step by step") {
  const auto run = [](int steps, const char* first) {
    Steps made;
    for (int s = 0; s < steps; ++s) made.step({{"aten::mm", first}, {"aten::mm", kWide}});
    return made.build();
  };
  const Trace a = run(2, kAmpere), b = run(5, kWide);
  const TraceDiff diff = compute_diff({&a}, {&b});
  REQUIRE(diff.is_per_step);
  REQUIRE(diff.kernels.size() == 2);
  for (const KernelPair& pair : diff.kernels) {
    CHECK(pair.a.count == 2);
    CHECK(pair.b.count == 5);
    CHECK(pair.b.name == kWide);
  }
  CHECK(diff.kernels[0].a.name != diff.kernels[1].a.name);
}

TEST_CASE("kernel pairs: where the numbers differ, a name meets its own and the others meet by time") {
  const Trace a = Steps().step({{"aten::mm", kAmpere}, {"aten::mm", kWide}, {"aten::mm", "gemm_x"}}).build();
  const Trace b =
      Steps().step({{"aten::mm", kWide}, {"aten::mm", "gemm_y"}, {"aten::mm", "gemm_z"}, {"aten::mm", kWide}}).build();
  const std::vector<KernelPair> pairs = pairs_of(a, b);
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0].is_same());
  CHECK(pairs[0].b.count == 2);
  for (std::size_t i = 1; i < 3; ++i) CHECK(pairs[i].has_both());
}

TEST_CASE("kernel pairs: what only one side has stands alone") {
  const Trace a = Steps().step({{"aten::mm", kAmpere}, {"aten::add", "add_kernel"}}).build();
  const Trace b = Steps().step({{"aten::mm", kAmpere}, {"aten::mul", "mul_kernel"}}).build();
  const std::vector<KernelPair> pairs = pairs_of(a, b);
  REQUIRE(pairs.size() == 3);
  CHECK(kernel_pair_sentence(pairs[0]) == "Both runs use the same kernel.");
  CHECK(kernel_pair_difference(pairs[0]) == "the same");
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK_FALSE(pairs[i].has_both());
    const bool is_a = pairs[i].a.is_there();
    CHECK(kernel_pair_difference(pairs[i]) == (is_a ? "only in A" : "only in B"));
    CHECK(kernel_pair_sentence(pairs[i]) == (is_a ? "Only A runs this kernel in aten::add: B has none like it there."
                                                  : "Only B runs this kernel in aten::mul: A has none like it there."));
  }
}

TEST_CASE("kernel pairs: products without an operator are looked for in others, work of other classes is not") {
  const Trace a = Steps().step({{"aten::mm", kAmpere}, {"aten::add", "add_kernel"}}).build();
  const Trace b = Steps().step({{"", kWide}, {"", "mul_kernel"}}).build();
  std::size_t products = 0, alone = 0;
  for (const KernelPair& pair : pairs_of(a, b)) {
    if (pair.kernel_class == KernelClass::kGemm) {
      ++products;
      REQUIRE(pair.has_both());
      CHECK(kernel_pair_operators(pair) == "aten::mm / no operator");
    } else {
      CHECK_FALSE(pair.has_both());
      ++alone;
    }
  }
  CHECK(products == 1);
  CHECK(alone == 2);
}

TEST_CASE("kernel pairs: a name meets its own under another operator; what has no launch meets no other name") {
  TraceMaker make_a;
  make_a.kernel(kAmpere, 100, 200).kernel("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n", 300, 400);
  make_a.thread("aten::add", 0, 50).launch("cudaLaunchKernel", 10, 20, 1).kernel("add_kernel", 500, 550, 1);
  const Trace a = make_a.build();
  const Trace b = Steps().step({{"aten::mm", kAmpere}, {"aten::bmm", kWide}, {"aten::add_", "add_kernel"}}).build();
  std::size_t same = 0, alone = 0;
  for (const KernelPair& pair : pairs_of(a, b)) {
    same += pair.is_same() ? 1 : 0;
    alone += pair.has_both() ? 0 : 1;
  }
  CHECK(same == 2);
  CHECK(alone == 2);
}

TEST_CASE("kernel pairs: names of one layout are not told apart by their letters, unknown names give no guess") {
  KernelFactPair layout{KernelFact::kLayout, "TN: A transposed, B not", "TNT: A transposed, B not"};
  CHECK_FALSE(layout.differs());
  layout.b = "NN: neither transposed";
  CHECK(layout.differs());
  KernelPair pair;
  pair.a = {"what_is_this", "aten::mm", 1, 1, {}};
  pair.b = {"and_this", "aten::mm", 1, 1, {}};
  CHECK(kernel_pair_sentence(pair) == "Not the same kernel; Lacuna can read neither name.");
  pair.b.name = kAmpere;
  CHECK(kernel_pair_sentence(pair) == "Not the same kernel; Lacuna cannot read the name of A's.");
}

TEST_CASE("kernel pairs: words of what only one side has, and of operators") {
  KernelPair pair;
  pair.a = {kAmpere, "", 1, 1, {}};
  CHECK(kernel_pair_sentence(pair) == "Only A runs this kernel: B has none like it there.");
  CHECK(kernel_pair_operators(pair) == "no operator");
  CHECK(kernel_pair_difference(pair) == "only in A");
  pair = {};
  pair.b = {kAmpere, "aten::mm", 1, 1, {}};
  CHECK(kernel_pair_sentence(pair) == "Only B runs this kernel in aten::mm: A has none like it there.");
  CHECK(kernel_pair_operators(pair) == "aten::mm");
  CHECK(kernel_pair_difference(pair) == "only in B");
  pair.a = {kWide, "aten::addmm", 1, 1, {}};
  CHECK(kernel_pair_operators(pair) == "aten::addmm / aten::mm");
  pair.b.op = "aten::addmm";
  CHECK(kernel_pair_operators(pair) == "aten::addmm");
  pair.a.name = "what_is_this";
  CHECK(kernel_pair_sentence(pair) == "Not the same kernel; Lacuna cannot read the name of A's.");
  pair.a.name = kWide;
  pair.b.name = "what_is_this";
  CHECK(kernel_pair_sentence(pair) == "Not the same kernel; Lacuna cannot read the name of B's.");
  pair.a.name = "and_this";
  CHECK(kernel_pair_difference(pair) == "the name");
}

TEST_CASE("kernel pairs: facts that differ, that only one name tells, and none") {
  const auto fact = [](KernelFact of, const char* a, const char* b) { return KernelFactPair{of, a, b}.differs(); };
  CHECK_FALSE(fact(KernelFact::kTile, "128x64", "128x64"));
  CHECK(fact(KernelFact::kTile, "128x64", "256x128"));
  CHECK(fact(KernelFact::kTile, "128x64", ""));
  CHECK(fact(KernelFact::kTile, "a: same", "b: same"));  // of layouts alone the letters do not matter
  CHECK_FALSE(fact(KernelFact::kLayout, "TN: same", "TNT: same"));
  CHECK(fact(KernelFact::kLayout, "TN", "TNT"));
  KernelPair pair;
  pair.a = {kAmpere, "aten::mm", 1, 1, {}};
  pair.b = {"ampere_bf16_s16816gemm_bf16_128x64_tn", "aten::mm", 1, 1, {}};
  CHECK(kernel_pair_sentence(pair).starts_with("Not the same kernel. Only one of the names tells: "));
  for (const KernelFactPair& one : compare_kernel_names(read_kernel_name(kAmpere), read_kernel_name(kWide)))
    CHECK_FALSE((one.a.empty() && one.b.empty()));
}

TEST_CASE("kernel pairs: time and the longest of each side, the pair with the most time a step first") {
  const Trace a = Steps()
                      .step({{"aten::mm", kAmpere}, {"aten::add", "add_kernel"}}, 100)
                      .step({{"aten::mm", kAmpere}, {"aten::add", "add_kernel"}}, 300)
                      .build();
  const Trace b =
      Steps().step({{"aten::mm", kAmpere}, {"aten::add", "add_kernel"}, {"aten::relu", "relu"}}, 250).build();
  const std::vector<KernelPair> pairs = pairs_of(a, b);
  REQUIRE(pairs.size() == 3);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(pairs[i].a.count == 2);
    CHECK(pairs[i].a.total == 400);
    CHECK(pairs[i].a.max == 300);
    CHECK(a.span(pairs[i].a.longest).duration() == 300);
    CHECK(pairs[i].b.total == 250);
    CHECK(pairs[i].b.max == 250);
  }
  CHECK(pairs[2].b.name == "relu");
  CHECK_FALSE(pairs[2].a.is_there());
}

TEST_CASE("kernel pairs: names that differ by what no two runs have alike are the same kernel") {
  const Trace a = Steps().step({{"aten::mm", "call of 0x7f3a5c01"}}).build();
  const Trace b = Steps().step({{"aten::mm", "call of 0x7f3a5c02"}}).build();
  const std::vector<KernelPair> pairs = pairs_of(a, b);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].is_same());
}

}  // namespace
}  // namespace lacuna
