#include "model/columns/flops.h"

#include <string>

#include <doctest/doctest.h>

#include "model/groups/kernel_family.h"
#include "model/roofline/gpu_peaks.h"

namespace lacuna {
namespace {

struct Case {
  const char* name;
  const char* dims;
  const char* inputs;
  double flops;
};

// What torch 2.15's FlopCounterMode counts (record_flops.py).
constexpr Case kCases[] = {
    {"aten::mm", "[[5, 7], [7, 11]]", R"(["", ""])", 770},
    {"aten::addmm", "[[11], [5, 7], [7, 11], [], []]", R"(["", "", "", "1", "1"])", 770},
    {"aten::bmm", "[[3, 5, 7], [3, 7, 11]]", R"(["", ""])", 2310},
    {"aten::baddbmm", "[[3, 5, 11], [3, 5, 7], [3, 7, 11], [], []]", R"(["", "", "", "1", "1"])", 2310},
    {"aten::linear", "[[2, 3, 7], [11, 7], [11]]", R"(["", "", ""])", 924},
    {"aten::conv2d", "[[2, 6, 32, 30], [8, 3, 5, 3], [], [], [], [], []]",
     R"(["", "", "", "[2, 1]", "[1, 2]", "[2, 1]", "2"])", 599040},
    {"aten::cudnn_convolution", "[[2, 6, 32, 30], [8, 3, 5, 3], [], [], [], [], [], [], []]",
     R"(["", "", "[1, 2]", "[2, 1]", "[2, 1]", "2", "False", "False", "True"])", 599040},
    {"aten::conv1d", "[[2, 6, 33], [8, 6, 4], [], [], [], [], []]", R"(["", "", "", "[3]", "[0]", "[1]", "1"])", 7680},
    {"aten::convolution", "[[2, 6, 8, 9], [6, 4, 3, 3], [], [], [], [], [], [], []]",
     R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[0, 0]", "1"])", 62208},
    {"aten::convolution_backward", "[[2, 8, 30, 30], [2, 6, 32, 30], [8, 6, 5, 3], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"])", 5184000},
    {"aten::convolution_backward", "[[2, 8, 30, 30], [2, 6, 32, 30], [8, 6, 5, 3], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[False, True, False]"])", 2592000},
    {"aten::convolution_backward", "[[2, 4, 15, 17], [2, 6, 8, 9], [6, 4, 3, 3], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[0, 0]", "1", "[True, True, False]"])", 124416},
    {"aten::_scaled_dot_product_flash_attention", "[[2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 16], [], [], [], []]",
     R"(["", "", "", "0.", "False", "False", ""])", 61440},
    {"aten::_flash_attention_forward",
     "[[2, 10, 4, 16], [2, 12, 4, 16], [2, 12, 4, 16], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "", "", "10", "12", "0.", "False", "False", ""])", 61440},
    {"aten::_scaled_dot_product_flash_attention_backward",
     "[[2, 4, 10, 16], [2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 16]]", R"(["", "", "", ""])", 153600},
};

TEST_CASE("FLOPs: torch's own numbers") {
  for (const Case& one : kCases) {
    CAPTURE(one.name);
    CHECK(operator_flops(one.name, one.dims, one.inputs) == one.flops);
    CHECK(has_flop_formula(one.name));
  }
}

TEST_CASE("FLOPs: what does not say enough is unknown, and never a crash") {
  CHECK(operator_flops("aten::add", "[[5, 7], [5, 7]]", "") < 0);
  CHECK(operator_flops("aten::mm", "", "") < 0);
  CHECK(operator_flops("aten::mm", "[]", "") < 0);
  CHECK(operator_flops("aten::mm", "[[5, 7]]", "") < 0);
  CHECK(operator_flops("aten::mm", "[[5, 7], [8, 11]]", "") < 0);
  CHECK(operator_flops("aten::mm", "[[[5, 7]], [[7, 11]]]", "") < 0);
  CHECK(operator_flops("aten::conv2d", "[[2, 6, 32, 30], [8, 3, 5, 3]]", "") < 0);
  CHECK(operator_flops("aten::conv2d", "[[2, 6, 32, 30], [8, 3, 5, 3]]",
                       R"(["", "", "", "[0, 0]", "[1, 2]", "[2, 1]", "2"])") < 0);
  CHECK(operator_flops("aten::conv2d", "[[2, 6, 2, 2], [8, 3, 5, 3]]",
                       R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "2"])") < 0);
  // conv2d(padding="same")
  CHECK(operator_flops("aten::conv2d", "[[2, 6, 32, 30], [8, 3, 5, 3], [], [], [], [], []]",
                       R"(["", "", "", "[1, 1]", "same", "[1, 1]", "2"])") < 0);
  for (const Case& one : kCases)
    for (std::size_t cut = 0; one.dims[cut] != 0; ++cut) {
      (void)operator_flops(one.name, std::string_view(one.dims).substr(0, cut), one.inputs);
      (void)operator_flops(one.name, std::string_view(one.dims).substr(cut), one.inputs);
      (void)operator_flops(one.name, one.dims, std::string_view(one.inputs).substr(0, cut));
    }
}

TEST_CASE("FLOPs: shapes that do not fit each other are unknown, in each of their numbers") {
  const auto unknown = [](const char* name, const char* dims, const char* inputs = "") {
    CAPTURE(name);
    CAPTURE(dims);
    CHECK(operator_flops(name, dims, inputs) == -1);
  };
  CHECK(operator_flops("aten::_scaled_mm", "[[5, 7], [7, 11]]", "") == 770);
  unknown("aten::mm", "[[5, 7, 1], [7, 11]]");
  unknown("aten::mm", "[[5, 7], [7, 11, 1]]");
  unknown("aten::addmm", "[[5, 7], [7, 11]]");
  unknown("aten::bmm", "[[3, 5, 7], [4, 7, 11]]");
  unknown("aten::bmm", "[[3, 5, 7], [3, 8, 11]]");
  unknown("aten::bmm", "[[5, 7], [3, 7, 11]]");
  unknown("aten::bmm", "[[3, 5, 7], [7, 11]]");
  unknown("aten::linear", "[[2, 3, 7], [11, 8]]");
  unknown("aten::linear", "[[2, 3, 7], [11, 7, 1]]");
  unknown("aten::linear", "[[], [11, 7]]");
  CHECK(operator_flops("aten::linear", "[[7], [11, 7]]", "") == 154);
  const char* const inputs = R"(["", "", "", "[1]", "[0]", "[1]", "1"])";
  unknown("aten::conv2d", "[[2, 6, 8, 8], [8, 6, 3]]", inputs);
  unknown("aten::conv2d", "[[2, 6], [8, 6]]", inputs);
  unknown("aten::conv2d", "[[2, 6, 8, 8]]", inputs);
  unknown("aten::conv2d", "[[2, 6, 8, 8], [8, 6, 3, 3]]", R"(["", "", "", "[1]", "[0]"])");
  unknown("aten::conv2d", "[[2, 6, 8, 8], [8, 6, 3, 3]]", R"(["", "", "", "[1, 1, 1]", "[0]", "[1]", "1"])");
  unknown("aten::convolution", "[[2, 6, 8, 8], [8, 6, 3, 3]]", R"(["", "", "", "[1]", "[0]", "[1]"])");
}

TEST_CASE("FLOPs: convolutions by the size of their output") {
  // 2 x 8 x 6 x 3 x 3 for each place of it, and two samples.
  const double each = 2.0 * 2 * 8 * 6 * 3 * 3;
  struct Case {
    const char* sizes;  // stride, padding, dilation
    double places;
  };
  for (const Case& one : {Case{R"("[1]", "[0]", "[1]")", 6 * 7}, Case{R"("[1, 1]", "[1, 0]", "[1, 1]")", 8 * 7},
                          Case{R"("[2]", "[0]", "[1]")", 3 * 4}, Case{R"("[1]", "[0]", "[2]")", 4 * 5},
                          Case{R"("[1, 3]", "[0]", "[1, 2]")", 6 * 2}, Case{R"("[6, 7]", "[0]", "[1]")", 1},
                          Case{R"("[5, 6]", "[0]", "[1]")", 2 * 2}}) {
    CAPTURE(one.sizes);
    const std::string inputs = std::string(R"(["", "", "", )") + one.sizes + R"(, "1"])";
    CHECK(operator_flops("aten::conv2d", "[[2, 6, 8, 9], [8, 6, 3, 3]]", inputs) == each * one.places);
  }
  CHECK(operator_flops("aten::conv3d", "[[2, 6, 8, 9, 2], [8, 6, 3, 3, 2]]",
                       R"(["", "", "", "[1]", "[0]", "[1]", "1"])") == each * 2 * 6 * 7);
  // A filter that is as large as what it moves over has one place, a larger one none.
  const char* const plain = R"(["", "", "", "[1]", "[0]", "[1]", "1"])";
  CHECK(operator_flops("aten::conv1d", "[[1, 1, 4], [1, 1, 4]]", plain) == 2 * 4);
  CHECK(operator_flops("aten::conv1d", "[[1, 1, 4], [1, 1, 5]]", plain) == -1);
}

TEST_CASE("FLOPs: what goes back through a convolution counts for the gradients that are asked for") {
  const auto flops = [](const char* mask, const char* transposed = "False") {
    return operator_flops("aten::convolution_backward",
                          "[[2, 8, 30, 30], [2, 6, 32, 30], [8, 6, 5, 3], [], [], [], [], [], [], [], []]",
                          std::string(R"(["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", ")") + transposed +
                              R"(", "[0, 0]", "1", ")" + mask + R"("])");
  };
  CHECK(flops("[True, False, False]") == 2592000);
  CHECK(flops("[False, True, True]") == 2592000);
  CHECK(flops("[True, True, True]") == 5184000);
  CHECK(flops("[False, False, True]") == 0);
  // An empty batch is no work, and that is known.
  CHECK(operator_flops("aten::convolution_backward",
                       "[[0, 8, 30, 30], [0, 6, 32, 30], [8, 6, 5, 3], [], [], [], [], [], [], [], []]",
                       R"(["", "", "", "[0]", "[1]", "[1]", "[1]", "False", "[0]", "1", "[True, True, True]"])") == 0);
  CHECK(flops("True") == -1);
  CHECK(operator_flops("aten::convolution_backward", "[[2, 8, 30, 30], [2, 6, 32, 30]]",
                       R"(["", "", "", "[0]", "[1]", "[1]", "[1]", "False", "[0]", "1", "[True, True, True]"])") == -1);
}

TEST_CASE("FLOPs: attention by queries, keys and the widths of both products") {
  for (const char* name :
       {"aten::scaled_dot_product_attention", "aten::_scaled_dot_product_efficient_attention",
        "aten::_scaled_dot_product_cudnn_attention", "aten::_scaled_dot_product_flash_attention_for_cpu"})
    CHECK(operator_flops(name, "[[2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 8]]", "") == 2 * 2 * 4 * 10 * 12 * 24);
  for (const char* name :
       {"aten::_scaled_dot_product_efficient_attention_backward", "aten::_scaled_dot_product_cudnn_attention_backward",
        "aten::_scaled_dot_product_flash_attention_for_cpu_backward"})
    CHECK(operator_flops(name, "[[2, 4, 10, 8], [2, 4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 8]]", "") ==
          2 * 2 * 4 * 10 * 12 * (3 * 16 + 2 * 8));
  CHECK(operator_flops("aten::scaled_dot_product_attention", "[[2, 4, 10, 16], [2, 4, 12, 16]]", "") == -1);
  CHECK(operator_flops("aten::scaled_dot_product_attention", "[[2, 4, 10, 16], [2, 4, 12, 16], [2, 12, 8]]", "") == -1);
  CHECK(operator_flops("aten::scaled_dot_product_attention", "[[4, 10, 16], [2, 4, 12, 16], [2, 4, 12, 8]]", "") == -1);
  // Packed sequences say their lengths on the GPU.
  CHECK(operator_flops("aten::_flash_attention_forward", "[[2, 10, 4, 16], [2, 12, 4, 16], [2, 12, 4, 16], [3], []]",
                       "") == -1);
  CHECK(operator_flops("aten::_flash_attention_forward", "[[2, 10, 4, 16], [2, 12, 4, 16], [2, 12, 4, 16], [], [3]]",
                       "") == -1);
}

TEST_CASE("FLOPs: which operators have a formula") {
  CHECK_FALSE(has_flop_formula("aten::add"));
  CHECK(has_flop_formula("aten::linear"));
}

TEST_CASE("peaks: each number format has its own") {
  GpuPeak peak{"X", 1, 2, 3, 4, 5, 6, ""};
  CHECK(peak.tflops(FlopType::kFp64) == 1);
  CHECK(peak.tflops(FlopType::kFp32) == 2);
  CHECK(peak.tflops(FlopType::kTf32) == 3);
  CHECK(peak.tflops(FlopType::kHalf) == 4);
  CHECK(peak.tflops(FlopType::kFp8) == 5);
}

TEST_CASE("FLOPs: type of the first tensor") {
  CHECK(flop_type(R"(["c10::BFloat16", "float"])") == FlopType::kHalf);
  CHECK(flop_type(R"(["", "float"])") == FlopType::kFp32);
  CHECK(flop_type(R"(["double"])") == FlopType::kFp64);
  CHECK(flop_type(R"(["c10::Float8_e4m3fn"])") == FlopType::kFp8);
  CHECK(flop_type(R"(["signed char", "signed char"])") == FlopType::kFp8);
  CHECK(flop_type(R"(["c10::Half", "double"])") == FlopType::kHalf);
  CHECK(flop_type(R"(["float", "double"])") == FlopType::kFp32);
  CHECK(flop_type(R"(["Scalar", "double"])") == FlopType::kFp64);
  CHECK(flop_type("") == FlopType::kFp32);
}

TEST_CASE("peaks: GPUs without fp8 may have int8") {
  const auto tops = [](const char* name) { return gpu_peak(name)->tflops(FlopType::kFp8); };
  CHECK(tops("NVIDIA H100 80GB HBM3") == 1978.9);
  CHECK(tops("NVIDIA A100-SXM4-80GB") == 624);
  CHECK(tops("NVIDIA A10G") == 140);
  CHECK(tops("NVIDIA A10") == 250);
  CHECK(tops("Tesla V100-SXM2-16GB") == 0);
}

TEST_CASE("peaks: GPUs by whole words of their names") {
  const auto half = [](const char* name) {
    const GpuPeak* peak = gpu_peak(name);
    return peak == nullptr ? -1.0 : peak->tflops(FlopType::kHalf);
  };
  CHECK(half("NVIDIA H100 80GB HBM3") == 989.4);
  CHECK(half("NVIDIA H100 PCIe") == 756);
  CHECK(half("NVIDIA B200") == 2250);
  CHECK(half("NVIDIA GB200") == 2500);
  CHECK(half("Tesla V100-SXM2-16GB") == 125);
  CHECK(half("Tesla V100-DGXS-32GB") == 125);
  CHECK(half("Tesla V100-PCIE-16GB") == 112);
  CHECK(half("NVIDIA A100-SXM4-40GB") == 312);
  CHECK(half("NVIDIA A10") == 125);
  CHECK(half("NVIDIA A10G") == 70);
  CHECK(half("NVIDIA L4") == 121);
  CHECK(half("NVIDIA L40") == 181);
  CHECK(half("NVIDIA L40S") == 362.05);
  CHECK(half("AMD Instinct MI300X") == 1307.4);
  CHECK(half("L4") == 121);
  CHECK(half("NVIDIA T400") == -1);
  CHECK(half("NVIDIA XL4") == -1);
  CHECK(half("NVIDIA RTX A1000") == -1);
  CHECK(half("") == -1);
  for (const GpuPeak& peak : gpu_peaks()) CHECK_FALSE(peak.source.empty());
}

TEST_CASE("families of kernels") {
  const std::pair<const char*, const char*> cases[] = {
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
       "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
       "at::native::vectorized_elementwise_kernel CUDAFunctor_add"},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute",
       "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"},
      {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn", "ampere_fp16_s16816gemm_fp16"},
      {"volta_sgemm_128x64_nn", "volta_sgemm"},
      {"nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "nvjet_tst"},
      {"triton_poi_fused_add_mul_12", "triton_poi_fused_add_mul"},
      {"triton_poi_", "triton_poi_"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>(x)",
       "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16"},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_AllReduce"},
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN",
       "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs"},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 4, 64, 64>(x)",
       "at::native::CatArrayBatchedCopy"},
      {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::CUDAFunctor_add<float> "
       ">(at::TensorIteratorBase&)::{lambda(int)#1}>(int)",
       "at::native::elementwise_kernel CUDAFunctor_add"},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float> > "
       ">(int)",
       "at::native::reduce_kernel MeanOps"},
      {"void at::native::vectorized_layer_norm_kernel<float, at::native::CUDAFunctor_add<float> >(int)",
       "at::native::vectorized_layer_norm_kernel"},
      {"gemm_128x", "gemm_128x"},
      {"gemm_128x6", "gemm"},
      {"Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)"},
      {"", ""}};
  for (const auto& [name, family] : cases) CHECK(kernel_family(name) == family);
}

}  // namespace
}  // namespace lacuna
