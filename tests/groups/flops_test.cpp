#include "model/columns/flops.h"

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

TEST_CASE("FLOPs: type of the first tensor") {
  CHECK(flop_type(R"(["c10::BFloat16", "float"])") == FlopType::kHalf);
  CHECK(flop_type(R"(["", "float"])") == FlopType::kFp32);
  CHECK(flop_type(R"(["double"])") == FlopType::kFp64);
  CHECK(flop_type(R"(["c10::Float8_e4m3fn"])") == FlopType::kFp8);
  CHECK(flop_type("") == FlopType::kFp32);
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
      {"gemm_128x", "gemm_128x"},
      {"gemm_128x6", "gemm"},
      {"Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)"},
      {"", ""}};
  for (const auto& [name, family] : cases) CHECK(kernel_family(name) == family);
}

}  // namespace
}  // namespace lacuna
