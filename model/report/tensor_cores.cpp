#include "model/report/tensor_cores.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/base/ascii.h"
#include "model/kernels/kernel_class.h"

namespace lacuna {
namespace {

template <std::size_t N>
bool contains_any(std::string_view name, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view p) { return name.find(p) != name.npos; });
}

// Lower case throughout. The first ones are those of tb_plugin (torch_tb_profiler/profiler/
// tensor_core.py, TC_Allowlist), which ends with Ampere; then the opcodes of later generations.
constexpr std::array<std::string_view, 40> kTensorParts = {
    // Volta, Turing, Ampere: shapes of the mma instruction in names of cuBLAS, cuDNN and CUTLASS.
    "h884", "s884", "h1688", "s1688", "hmma", "i8816", "16816", "i16832", "imma", "8x8x16", "16x8x", "dmma", "d884",
    "bmma", "c1688", "xmma_gemm_bf16", "xmma_gemm_f16", "xmma_gemm_i8", "xmma_gemm_tf32",
    "xmma_fprop_implicit_gemm_f16", "xmma_fprop_implicit_gemm_bf16", "tensorop", "wmma_", "tf32",
    // Hopper: wgmma (PTX ISA 8.0); Blackwell: tcgen05, UMMA in CUTLASS 3.8.
    "wgmma", "gmma", "tcgen05", "umma", "utcmma", "warpspecialized",
    // cuBLAS 12's generated kernels for Hopper and Blackwell.
    "nvjet",
    // 8 and 4 bit operands exist on tensor cores only (TensorRT-LLM: bmm_MxE4m3_MxE2m1…_sm100f).
    "e4m3", "e5m2", "e2m1",
    // Marlin (inline mma), DeepGEMM, MIOpen's xdlops.
    "marlin", "deep_gemm::sm90_", "deep_gemm::sm100_", "gtcx",
    // Attention of cuDNN and FlashInfer on sm80 and later (flash and fmha below).
    "cudnn_generated_fort_native_sdpa_sm", "device_kernel<flash"};

// FlashAttention and memory-efficient attention are built on mma where the operands are 16 bits.
constexpr std::array<std::string_view, 5> kAttentionParts = {"flash_fwd", "flash_bwd", "fmha_", "flash::flash",
                                                             "fmhasm"};
constexpr std::array<std::string_view, 3> kFullPrecisionAttention = {"_f32_", "<float", "cutlassf_f32"};

// Kernels of these classes that multiply nothing: they prepare, convert or add up.
constexpr std::array<std::string_view, 22> kHelperParts = {"split_k_reduce",
                                                           "splitkreduce",
                                                           "splitk_reduce",
                                                           "reducesplitk",
                                                           "convert",
                                                           "reduce_wgrad",
                                                           "offsetskernel",
                                                           "im2col",
                                                           "fft2d_",
                                                           "gemmk1",
                                                           "epilogue::impl",
                                                           "generatewinograd",
                                                           "winogradforwarddata",
                                                           "winogradforwardfilter",
                                                           "winogradforwardoutput",
                                                           "winogradwgraddata",
                                                           "winogradwgraddelta",
                                                           "winogradwgradoutput",
                                                           "mergestate",
                                                           "repack",
                                                           "permute_cols",
                                                           "fp8_quant"};

// On the ordinary units: BLAS by its letter at the beginning of a word, cuDNN, CUTLASS's simt, MIOpen's OpenCL.
constexpr std::array<std::string_view, 7> kPlainWords = {"sgemm", "dgemm",  "hgemm",  "cgemm",
                                                         "zgemm", "gcgemm", "gemmsn_"};
constexpr std::array<std::string_view, 10> kPlainParts = {
    "scudnn",      "hcudnn",      "simt",           "wgrad_alg", "dgrad_engine",
    "dgrad2d_alg", "wgrad2d_alg", "grouped_direct", "depthwise", "miopenconv"};

bool has_plain_word(std::string_view name) {
  return std::ranges::any_of(kPlainWords, [&](std::string_view word) {
    const std::size_t at = name.find(word);
    return at != name.npos && (at == 0 || !(is_ascii_letter(name[at - 1]) || is_digit(name[at - 1])));
  });
}

/// Tensile and Composable Kernel: "_MI16x16x16x1_" names the mfma instruction.
bool names_mfma(std::string_view lower) {
  if (lower.find("mfma") != lower.npos) return true;
  for (std::size_t at = 0; (at = lower.find("_mi", at)) != lower.npos; ++at) {
    std::size_t end = at + 3;
    while (end < lower.size() && is_digit(lower[end])) ++end;
    if (end > at + 3 && end < lower.size() && lower[end] == 'x') return true;
  }
  return false;
}

}  // namespace

MatrixUse matrix_use(std::string_view kernel_name) {
  const KernelClass of_kernel = kernel_class(kernel_name);
  if (of_kernel != KernelClass::kGemm && of_kernel != KernelClass::kConvolution && of_kernel != KernelClass::kAttention)
    return MatrixUse::kNone;
  const std::string lower = to_lower(kernel_name);
  if (contains_any(lower, kHelperParts)) return MatrixUse::kNone;
  // sm75_xmma_…f32f32_f32f32_f32 has the shape of a tensor kernel's name, but f32 operands.
  const bool is_full = lower.find("xmma_") != lower.npos && lower.find("f32f32_f32f32_f32") != lower.npos &&
                       lower.find("tf32") == lower.npos;
  if (is_full) return MatrixUse::kPlain;
  if (names_mfma(lower)) return MatrixUse::kTensor;
  if (contains_any(lower, kAttentionParts))
    return contains_any(lower, kFullPrecisionAttention) ? MatrixUse::kUnclear : MatrixUse::kTensor;
  if (contains_any(lower, kTensorParts) || lower.find("xmma_") != lower.npos) return MatrixUse::kTensor;
  // gemv is bound by memory: tensor cores would not help.
  if (lower.find("gemv") != lower.npos || lower.find("mul_mat_vec") != lower.npos) return MatrixUse::kNone;
  if (of_kernel == KernelClass::kGemm && lower.find("fp8") != lower.npos) return MatrixUse::kTensor;
  // Triton's; SGLang's _sgemm_lora_a_kernel is a segmented product.
  if (lower.starts_with("triton_") || lower.starts_with("_")) return MatrixUse::kUnclear;
  return has_plain_word(lower) || contains_any(lower, kPlainParts) ? MatrixUse::kPlain : MatrixUse::kUnclear;
}

}  // namespace lacuna
