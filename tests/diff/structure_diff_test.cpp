#include "model/diff/structure_diff.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "model/diff/fused_names.h"
#include "model/diff/trace_diff.h"
#include "tests/causes/causes_support.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// A program whose frames hold each other; each launch takes 10 ns of a frame.
class Program {
 public:
  Program& open(std::string name, const char* category = "cpu_op") {
    open_.push_back({std::move(name), category, now_});
    now_ += 10;
    return *this;
  }
  Program& module(const std::string& name) { return open("nn.Module: " + name, "python_function"); }
  Program& region(const std::string& name) { return open(name, "user_annotation"); }
  Program& launch(const char* kernel, Nanos time) {
    make_.launch("cudaLaunchKernel", now_ + 1, now_ + 5, ++correlation_);
    make_.kernel(kernel, gpu_, gpu_ + time, correlation_);
    gpu_ += time + 10;
    now_ += 10;
    return *this;
  }
  Program& close() {
    now_ += 10;
    make_.thread(open_.back().name, open_.back().begin, now_, open_.back().category);
    open_.pop_back();
    ++now_;
    return *this;
  }
  /// An operator that launches one kernel.
  Program& op(const char* name, const char* kernel, Nanos time) { return open(name).launch(kernel, time).close(); }
  Trace build() { return make_.build(); }
  TraceMaker& maker() { return make_; }

 private:
  struct Open {
    std::string name;
    const char* category;
    Nanos begin;
  };
  TraceMaker make_;
  std::vector<Open> open_;
  Nanos now_ = 0, gpu_ = 100'000;
  std::uint64_t correlation_ = 0;
};

StructureDiff structure_of(const Trace& a, const Trace& b) {
  return compute_diff({&a}, {&b}).structure;
}

const StructureRow& place(const StructureDiff& diff, std::string_view name) {
  for (const StructureRow& row : diff.rows)
    if (row.name() == name) return row;
  std::string all;
  for (const StructureRow& row : diff.rows) all += std::string(2 * row.depth, ' ') + row.name() + "\n";
  FAIL("no row " << name << " in\n" << all);
  return diff.rows.front();
}
bool is_place(const StructureDiff& diff, std::string_view name) {
  return std::ranges::any_of(diff.rows, [&](const StructureRow& row) { return row.name() == name; });
}

/// Each row's numbers are those of the rows below, and the kernels are all that there are.
void check_sums(const StructureDiff& diff) {
  Nanos a = 0, b = 0;
  for (std::uint32_t r = 0; r < diff.rows.size(); ++r) {
    const StructureRow& row = diff.rows[r];
    if (row.kind == StructureKind::kKernel) {
      a += row.a.time;
      b += row.b.time;
      CHECK(row.end == r + 1);
      continue;
    }
    Nanos below_a = 0, below_b = 0;
    std::uint64_t kernels = 0;
    double moved = 0, last = 1e300;
    for (std::uint32_t child = r + 1; child < row.end; child = diff.rows[child].end) {
      CHECK(diff.rows[child].parent == r);
      CHECK(diff.rows[child].depth == row.depth + 1);
      below_a += diff.rows[child].a.time;
      below_b += diff.rows[child].b.time;
      kernels += diff.rows[child].a.kernels + diff.rows[child].b.kernels;
      moved += diff.rows[child].moved;
      CHECK(diff.rows[child].moved <= last);
      last = diff.rows[child].moved;
    }
    CHECK_MESSAGE(below_a == row.a.time, row.name());
    CHECK_MESSAGE(below_b == row.b.time, row.name());
    CHECK_MESSAGE(kernels == row.a.kernels + row.b.kernels, row.name());
    CHECK(moved == doctest::Approx(row.moved));
  }
  CHECK(a == diff.rows[0].a.time);
  CHECK(b == diff.rows[0].b.time);
}

TEST_CASE("structure: modules of one class are one node, and what is around them tells others apart") {
  Program make_a, make_b;
  for (Program* make : {&make_a, &make_b}) {
    const Nanos time = make == &make_a ? 100 : 150;
    make->module("Model_0");
    for (const char* layer : {"Linear_0", "Linear_1"})
      make->module(layer).open("aten::linear").op("aten::addmm", "gemm", time).close().close();
    make->module("Norm_0").op("aten::mul", "mul", 30).close().close();
    make->op("aten::mul", "mul", 7);
  }
  const Trace a = make_a.build(), b = make_b.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK(diff.has_modules);
  CHECK(diff.rows[0].a.time == 237);
  CHECK(diff.rows[0].b.time == 337);
  const StructureRow& linear = place(diff, "nn.Module: Linear");
  CHECK(linear.kind == StructureKind::kModule);
  CHECK(linear.relation == StructureRelation::kSame);
  CHECK(linear.a.count == 2);
  CHECK(linear.a.time == 200);
  CHECK(linear.a.own == 0);
  CHECK(linear.difference == 100);
  CHECK(diff.rows[linear.parent].name() == "nn.Module: Model");
  const StructureRow& addmm = place(diff, "aten::addmm");
  CHECK(diff.rows[addmm.parent].name() == "aten::linear");
  CHECK(addmm.a.own == 200);
  CHECK(addmm.a.kernels == 2);
  CHECK(addmm.a.host == 60);
  CHECK(a.name(addmm.a.longest) == "aten::addmm");
  CHECK(b.name(addmm.b.longest) == "aten::addmm");
  // Two places of aten::mul, one operator.
  CHECK(std::ranges::count_if(diff.rows, [](const StructureRow& row) { return row.name() == "aten::mul"; }) == 2);
  const auto mul = std::ranges::find(diff.operators, "aten::mul", &StructureOperator::name);
  REQUIRE(mul != diff.operators.end());
  CHECK(mul->a.count == 2);
  CHECK(mul->a.own == 37);
  // The path that moved most comes first, and a bound leaves just that.
  const std::vector<std::uint32_t> most = most_moved(diff, 5);
  REQUIRE(most.size() == 5);
  CHECK(diff.rows[most[4]].name() == "aten::addmm");
  CHECK(most_moved(diff, 0).size() == diff.rows.size());
}

TEST_CASE("structure: only in A, only in B, replaced") {
  Program make_a, make_b;
  for (Program* make : {&make_a, &make_b}) make->op("aten::embedding", "gather", 10).open("aten::attention");
  make_a.op("aten::_flash_attention", "flash", 50).close();
  make_b.op("aten::_efficient_attention", "fmha", 80).close();
  make_a.op("aten::softmax", "softmax", 5).op("aten::copy_", "copy", 4).op("aten::mm", "gemm", 3);
  make_b.op("aten::softmax", "softmax", 5)
      .op("aten::mm", "gemm", 3)
      .op("aten::cat", "cat", 2)
      .open("aten::view")
      .close();
  const Trace a = make_a.build(), b = make_b.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  const StructureRow& attention = place(diff, "aten::_flash_attention \xE2\x86\x92 aten::_efficient_attention");
  CHECK(attention.relation == StructureRelation::kReplaced);
  CHECK(diff.rows[attention.parent].name() == "aten::attention");
  CHECK(place(diff, "flash \xE2\x86\x92 fmha").difference == 30);
  CHECK(place(diff, "flash \xE2\x86\x92 fmha").kind == StructureKind::kKernel);
  // What is left of both sides at other places, one and one, replaces each other as well.
  CHECK(place(diff, "aten::copy_ \xE2\x86\x92 aten::cat").relation == StructureRelation::kReplaced);
  // What launches nothing replaces nothing.
  const StructureRow& view = place(diff, "aten::view");
  CHECK(view.relation == StructureRelation::kOnlyB);
  CHECK_FALSE(view.a.is_there());
  CHECK(view.b.count == 1);
}

TEST_CASE("structure: modules replace modules, and what nothing launched replaces nothing") {
  Program make_a, make_b;
  make_a.op("aten::pre", "pre", 5).module("LayerNorm_0").op("aten::native_layer_norm", "norm", 30).close();
  make_b.module("RMSNorm_0").op("aten::rms_norm", "norm", 20).close();
  make_a.maker().kernel("stray", 10, 20, 0, "8");
  const Trace a = make_a.build(), b = make_b.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK(place(diff, "nn.Module: LayerNorm \xE2\x86\x92 nn.Module: RMSNorm").relation == StructureRelation::kReplaced);
  CHECK(place(diff, "aten::pre").relation == StructureRelation::kOnlyA);
  CHECK(place(diff, "(launch not recorded)").relation == StructureRelation::kOnlyA);
  TraceMaker stray;
  stray.kernel("stray", 0, 10);
  const Trace c = stray.build();
  CHECK(place(structure_of(c, b), "(launch not recorded)").relation == StructureRelation::kOnlyA);
}

TEST_CASE("structure: several that stand where one compiled region stands are fused, the other way round split") {
  Program eager, compiled;
  eager.op("aten::embedding", "gather", 10).open("aten::matmul").op("aten::mm", "gemm", 100).close();
  eager.op("aten::add", "add", 20).op("aten::relu", "relu", 30).op("aten::sum", "sum", 5);
  compiled.op("aten::embedding", "gather", 10)
      .open("Torch-Compiled Region: 0/0")
      .region("## Call CompiledFxGraph abc ##");
  compiled.op("aten::mm", "gemm", 90).op("triton_poi_fused_add_relu_0", "triton_poi_fused_add_relu_0", 25);
  compiled.close().close().op("aten::sum", "sum", 5);
  const Trace a = eager.build(), b = compiled.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  const StructureRow& region =
      place(diff, "aten::matmul, aten::add, aten::relu \xE2\x86\x92 Torch-Compiled Region: 0/0");
  CHECK(region.relation == StructureRelation::kFused);
  CHECK(region.parent == 0);
  CHECK(region.a.time == 150);
  CHECK(region.b.time == 115);
  CHECK(region.a.count == 3);
  // Below it operators meet wherever they stand, and the kernels of what a Triton kernel does.
  const StructureRow& mm = place(diff, "aten::mm");
  CHECK(diff.rows[mm.parent].name() == region.name());
  CHECK(mm.relation == StructureRelation::kSame);
  CHECK(mm.difference == -10);
  const StructureRow& triton = place(diff, "aten::add, aten::relu \xE2\x86\x92 triton_poi_fused_add_relu_0");
  CHECK(triton.relation == StructureRelation::kFused);
  CHECK(triton.difference == -25);
  CHECK(place(diff, "add, relu \xE2\x86\x92 triton_poi_fused_add_relu_0").kind == StructureKind::kKernel);
  CHECK(place(diff, "aten::sum").relation == StructureRelation::kSame);

  const StructureDiff back = structure_of(b, a);
  check_sums(back);
  CHECK(place(back, "Torch-Compiled Region: 0/0 \xE2\x86\x92 aten::matmul, aten::add, aten::relu").relation ==
        StructureRelation::kSplit);
  CHECK(place(back, "triton_poi_fused_add_relu_0 \xE2\x86\x92 add, relu").relation == StructureRelation::kSplit);

  // Two graphs of two compilations are the same place.
  Program again;
  again.op("aten::embedding", "gather", 10).open("Torch-Compiled Region: 0/0").region("## Call CompiledFxGraph xyz ##");
  again.op("aten::mm", "gemm", 95).close().close();
  const Trace c = again.build();
  CHECK(place(structure_of(b, c), "CompiledFxGraph").relation == StructureRelation::kSame);
}

TEST_CASE("structure: the name of a Triton kernel says which operators it fused, wherever they stand") {
  Program eager, compiled;
  eager.module("Model_0").op("aten::add", "add", 10).op("aten::mm", "gemm", 100).op("aten::_softmax", "softmax", 20);
  eager.op("aten::native_layer_norm", "norm", 30).op("aten::mul_", "mul", 5).op("aten::sort", "sort", 7).close();
  compiled.module("Model_0").open("Torch-Compiled Region: 0/0").op("aten::mm", "gemm", 100);
  for (const char* name : {"triton_per_fused_add_native_layer_norm_0", "triton_red_fused__softmax_mul_1"})
    compiled.op(name, name, 15);
  compiled.op("aten::cumsum", "scan", 8).close().close();
  const Trace a = eager.build(), b = compiled.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK(place(diff, "aten::add, aten::native_layer_norm \xE2\x86\x92 triton_per_fused_add_native_layer_norm_0")
            .difference == -25);
  const StructureRow& softmax = place(diff, "aten::_softmax, aten::mul_ \xE2\x86\x92 triton_red_fused__softmax_mul_1");
  CHECK(softmax.relation == StructureRelation::kFused);
  CHECK(softmax.difference == -10);
  CHECK(place(diff, "aten::sort \xE2\x86\x92 aten::cumsum").relation == StructureRelation::kReplaced);
}

TEST_CASE("names of Triton kernels: operators in groups") {
  using Groups = std::array<std::vector<std::uint32_t>, 2>;
  Groups groups = group_fused_names({{{"aten::add", "aten::mul", "aten::sum", "aten::scaled_dot_product_attention"},
                                      {"triton_poi_fused_add_0", "triton_poi_fused_scaled_dot_product_attention_1",
                                       "triton_poi_fused_relu_2", "triton_unnamed"}}});
  CHECK(groups[0][0] == groups[1][0]);
  CHECK(groups[0][0] != groups[0][3]);
  CHECK(groups[0][3] == groups[1][1]);
  for (const std::uint32_t group : {groups[0][1], groups[0][2], groups[1][2], groups[1][3]}) CHECK(group == kNotFused);
  // One operator of two kernels, and the operators that these have: all of them are one group.
  groups = group_fused_names({{{"triton_poi_fused_add_mul_0", "triton_poi_fused_add_relu_1", "triton_"},
                               {"aten::add", "aten::add_", "aten::mul", "aten::relu", "aten::__add__x", ""}}});
  for (const std::uint32_t group : {groups[0][1], groups[1][0], groups[1][1], groups[1][2], groups[1][3]})
    CHECK(group == groups[0][0]);
  for (const std::uint32_t group : {groups[0][2], groups[1][4], groups[1][5]}) CHECK(group == kNotFused);
}

TEST_CASE("structure: a compiled frame stands for what it holds, however that mixes with others") {
  Program eager, compiled;
  const std::string engine = "autograd::engine::evaluate_function: ";
  const auto backward = [&](Program& to, const std::string& name, const char* kernel, Nanos time) {
    to.open(engine + name).launch(kernel, time).close();
  };
  eager.module("Model_0").op("aten::mm", "gemm", 50).op("aten::gelu", "gelu", 10).close();
  compiled.module("OptimizedModule_0").module("Model_0").open("Torch-Compiled Region: 0/0").op("aten::mm", "gemm", 45);
  compiled.op("triton_poi_fused_gelu_0", "triton_poi_fused_gelu_0", 9).close().close().close();
  for (Program* make : {&eager, &compiled}) make->op("aten::mse_loss", "loss", 3);
  backward(eager, "GeluBackward0", "gelu_backward", 20);
  backward(eager, "torch::autograd::AccumulateGrad", "copy", 2);
  backward(eager, "MmBackward0", "gemm", 60);
  backward(compiled, "CompiledFunctionBackward", "triton_poi_fused_0", 70);
  backward(compiled, "torch::autograd::AccumulateGrad", "copy", 2);
  const Trace a = eager.build(), b = compiled.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK(place(diff, "nn.Module: Model").relation == StructureRelation::kSame);
  CHECK(place(diff, "aten::mm, aten::gelu \xE2\x86\x92 Torch-Compiled Region: 0/0").difference == -6);
  const StructureRow& whole = place(
      diff, engine + "GeluBackward0, " + engine + "MmBackward0 \xE2\x86\x92 " + engine + "CompiledFunctionBackward");
  CHECK(whole.relation == StructureRelation::kFused);
  CHECK(whole.difference == -10);
  CHECK(place(diff, engine + "torch::autograd::AccumulateGrad").relation == StructureRelation::kSame);
  CHECK_FALSE(is_place(diff, "nn.Module: OptimizedModule"));
}

TEST_CASE("structure: one operator that does what several did needs no compiler") {
  Program make_a, make_b;
  make_a.op("aten::zeros", "fill", 1).op("aten::mul", "mul", 20).op("aten::add", "add", 30).op("aten::sum", "sum", 5);
  make_b.op("aten::zeros", "fill", 1).op("aten::addcmul", "addcmul", 35).op("aten::sum", "sum", 5);
  const Trace a = make_a.build(), b = make_b.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  const StructureRow& row = place(diff, "aten::mul, aten::add \xE2\x86\x92 aten::addcmul");
  CHECK(row.relation == StructureRelation::kFused);
  // The row below has the kernels: the operators are not said twice.
  CHECK(diff.rows[&row - diff.rows.data() + 1].kind == StructureKind::kKernel);
  CHECK(place(structure_of(b, a), "aten::addcmul \xE2\x86\x92 aten::mul, aten::add").relation ==
        StructureRelation::kSplit);
}

TEST_CASE("structure: what is fused has the kernels of each operator once, also of those inside others") {
  Program make_a, make_b;
  make_a.open("aten::outer").launch("outer", 10).op("aten::inner", "inner", 20).close().op("aten::other", "other", 5);
  make_b.op("aten::all", "all", 30);
  const Trace a = make_a.build(), b = make_b.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK(place(diff, "aten::outer, aten::other \xE2\x86\x92 aten::all").a.time == 35);
  const StructureRow& launching = place(diff, "aten::outer, aten::inner, aten::other \xE2\x86\x92 aten::all");
  CHECK(launching.a.time == 35);
  CHECK(launching.a.kernels == 3);
}

TEST_CASE("structure: where only one side has modules, operators are compared") {
  Program make_a, make_b;
  make_a.module("Model_0").op("aten::mm", "gemm", 10).close();
  make_b.op("aten::mm", "gemm", 12);
  const Trace a = make_a.build(), b = make_b.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK_FALSE(diff.has_modules);
  CHECK(diff.is_module_side_a);
  CHECK_FALSE(diff.is_module_side_b);
  CHECK(place(diff, "aten::mm").difference == 2);
  CHECK(place(diff, "aten::mm").parent == 0);
  CHECK(place(diff, "aten::mm").relation == StructureRelation::kSame);
}

TEST_CASE("structure: a kernel that one side launches further down is compared all the same") {
  Program make_a, make_b;
  make_a.open("aten::linear").op("aten::addmm", "gemm", 10).close();
  make_b.op("aten::linear", "gemm", 12);
  const Trace a = make_a.build(), b = make_b.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK(place(diff, "aten::linear").difference == 2);
  CHECK(place(diff, "gemm").relation == StructureRelation::kSame);
}

TEST_CASE("structure: kernels of one call meet by what they do") {
  Program make_a, make_b;
  make_a.open("aten::mm").launch("ampere_sgemm_128x64_tn", 10).launch("void at::native::reduce_kernel<1>()", 3).close();
  make_b.open("aten::mm").launch("void at::native::reduce_kernel<2>()", 4);
  make_b.launch("Cijk_Alik_Bljk_SB_MT64x64x8_1", 12).launch("fill", 1).close();
  const Trace a = make_a.build(), b = make_b.build();
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK(place(diff, "ampere_sgemm_128x64_tn \xE2\x86\x92 Cijk_Alik_Bljk_SB_MT64x64x8_1").difference == 2);
  CHECK(place(diff, "fill").relation == StructureRelation::kOnlyB);
  // Of those that nothing launched, any number of one class.
  TraceMaker stray_a, stray_b;
  stray_a.kernel("ampere_sgemm_128x64_tn", 0, 10).kernel("ampere_sgemm_64x64_tn", 10, 20).kernel("one", 30, 40);
  stray_b.kernel("Cijk_Alik_Bljk_SB_MT64x64x8_1", 0, 5).kernel("Cijk_Alik_Bljk_SB_MT64x64x8_2", 10, 12);
  stray_b.kernel("Cijk_Alik_Bljk_SB_MT64x64x8_3", 20, 22);
  const Trace c = stray_a.build(), d = stray_b.build();
  const StructureDiff strays = structure_of(c, d);
  check_sums(strays);
  REQUIRE(strays.rows.size() == 4);
  CHECK(strays.rows[1].kind == StructureKind::kNoLaunch);
  CHECK(strays.rows[2].relation == StructureRelation::kReplaced);
  CHECK(strays.rows[2].a.names.size() == 2);
  CHECK(strays.rows[2].b.names.size() == 3);
  CHECK(strays.rows[2].moved == 11);
  CHECK(strays.rows[3].relation == StructureRelation::kOnlyA);
  // As many of both are no pairs either.
  TraceMaker as_many;
  for (const char* name : {"ampere_sgemm_128x64_tn", "ampere_sgemm_64x64_tn", "ampere_sgemm_32x32_tn"})
    as_many.kernel(name, 0, 10);
  const Trace e = as_many.build();
  REQUIRE(structure_of(e, d).rows.size() == 3);
  CHECK(structure_of(e, d).rows[2].a.names.size() == 3);
}

TEST_CASE("structure: differences are per step where the numbers of steps differ; kernels without a launch count") {
  const auto run = [](int steps, Nanos time) {
    TraceMaker make;
    for (int s = 0; s < steps; ++s) {
      const Nanos t = 10'000 * s;
      const auto id = static_cast<std::uint64_t>(s) + 1;
      make.thread("ProfilerStep#" + std::to_string(s + 3), t, t + 9'000, "user_annotation");
      make.thread("aten::mm", t + 10, t + 90).launch("cudaLaunchKernel", t + 20, t + 30, id);
      make.kernel("gemm", t + 100, t + 100 + time, id).kernel("stray", t + 5'000, t + 5'001);
    }
    return make.build();
  };
  const Trace a = run(2, 100), b = run(4, 130);
  const StructureDiff diff = structure_of(a, b);
  check_sums(diff);
  CHECK(diff.rows[0].a.time == 202);
  CHECK(diff.rows[0].b.time == 524);
  CHECK(place(diff, "aten::mm").difference == 30);
  CHECK(place(diff, "stray").difference == 0);
  CHECK(diff.rows[place(diff, "stray").parent].kind == StructureKind::kNoLaunch);
  CHECK_FALSE(is_place(diff, "ProfilerStep#3"));
}

TEST_CASE("structure: random traces sum up to the time of their kernels") {
  for (std::uint32_t seed = 1; seed < 6; ++seed) {
    const Trace a = random_trace(seed), b = random_trace(seed + 10);
    const TraceDiff all = compute_diff({&a}, {&b});
    check_sums(all.structure);
    Nanos wanted_a = 0, wanted_b = 0;
    for (const DiffRow& row : all.rows) {
      if (row.category != CategoryClass::kKernel) continue;
      wanted_a += row.a.total;
      wanted_b += row.b.total;
    }
    CHECK(wanted_a > 0);
    CHECK(all.structure.rows[0].a.time == wanted_a);
    CHECK(all.structure.rows[0].b.time == wanted_b);
    const Trace& same = a;
    for (const StructureRow& row : structure_of(same, a).rows) {
      CHECK(row.relation == StructureRelation::kSame);
      CHECK(row.moved == 0);
    }
  }
}

}  // namespace
}  // namespace lacuna
