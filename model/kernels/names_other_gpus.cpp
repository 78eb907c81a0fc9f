// cuDNN; Tensile, Composable Kernel and AITER for AMD; oneDNN for Intel.

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/kernels/name_parts.h"

namespace lacuna {
namespace {

using enum KernelFact;

/// "cudnn_infer_volta_scudnn_128x64_stridedB_splitK_small_nn_v1": an implicit GEMM.
void read_scudnn(const NameParts& parts, Reading& out) {
  const bool is_half = parts.has("hcudnn");
  const auto words = words_between(parts.lower, '_');
  out[kArchitecture] = architecture_word(parts.lower);
  out[kOperands] = is_half ? "fp16" : "fp32";
  const bool is_winograd = parts.has("winograd");
  out[kUnits] = "FMA units, no tensor cores";
  // cuDNN 8's library for training holds the gradients of weights alone.
  out.noun = parts.has("cudnn_train_") ? "gradient of a convolution's weights" : "convolution";
  out[kAlgorithm] = is_winograd ? "Winograd" : "implicit GEMM";
  for (const std::string_view word : words) {
    if (is_shape(word, 2) && out[kTile].empty()) out[kTile] = word;
    if (word == "nhwc") append_item(out[kVariant], "channels last");
    if (word == "3dconv") append_item(out[kVariant], "3D");
    if (word == "splitk") out[kSplitK] = "yes";
    if (word == "relu") append_item(out[kEpilogue], "ReLU");
  }
}

/// Which half of a Winograd convolution that is not fused.
std::string_view winograd_part(const NameParts& parts) {
  if (parts.has("forwarddata")) return "transform of the input";
  if (parts.has("forwardfilter")) return "transform of the weights";
  if (parts.has("forwardoutput")) return "transform back of the output";
  if (parts.has("wgraddata")) return "transform of the input, for the gradient of the weights";
  if (parts.has("wgraddelta")) return "transform of the output's gradient, for the gradient of the weights";
  if (parts.has("wgradoutput")) return "transform back of the gradient of the weights";
  return "tiles";
}

/// Takes one of Tensile's types off the front of the letters: B bf16, H fp16, S fp32, D fp64, F8 fp8, B8 bf8, I8 int8,
/// I int32. Empty: there is none.
std::string take_tensile_type(std::string_view& letters) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"F8N", "fp8"}, {"B8N", "fp8"}, {"F8", "fp8"}, {"B8", "fp8"}, {"I8", "int8"},
      {"I", "int32"}, {"B", "bf16"},  {"H", "fp16"}, {"S", "fp32"}, {"D", "fp64"}};
  for (const auto& [text, type] : kTypes)
    if (letters.starts_with(text)) {
      letters.remove_prefix(text.size());
      return std::string(type);
    }
  return {};
}

/// "BBS_BH", in hipBLASLt of 2024 "B_BS_BH": operands, result and sums. "SB", "HBH", "S_B": one type, B (uses beta) and
/// H (adds up in more bits), as ProblemType.__str__ of Tensile writes them.
void read_tensile_types(std::string_view word, std::string_view next, Reading& out) {
  out[kOperands] = take_tensile_type(word);
  if (out[kOperands].empty()) return;
  const std::string_view flags = word.empty() ? next : word;
  std::string_view rest = flags;
  const std::string result = take_tensile_type(rest), sum = take_tensile_type(rest);
  if (rest.empty() && (sum == "fp32" || sum == "fp64" || (sum == "int32" && result == sum))) {
    out[kResult] = result;
    out[kAccumulated] = sum;
  } else if (flags.find_first_not_of("BHRIc") == flags.npos) {
    const bool is_more = flags.find('H') != flags.npos, is_int = out[kOperands].starts_with("int");
    out[kResult] = is_int && is_more ? std::string{} : out[kOperands];
    if (!is_int && (is_more || out[kOperands] != "bf16")) out[kAccumulated] = is_more ? "fp32" : out[kOperands];
  }
}

/// "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_…_ISA942_…": C[i,j,k] = A · B; in "Alik" the
/// summed index l comes first: A is transposed.
void read_tensile(const NameParts& parts, Reading& out) {
  const auto words = words_between(parts.whole, '_');
  if (words.size() < 5) return;
  out.noun = "matrix product";
  out[kLibrary] = "Tensile (hipBLASLt, rocBLAS)";
  const bool a = words[1].substr(1, 1) == "l", b = words[2].substr(1, 1) != "l";
  out[kLayout] = layout_word(std::string(a ? "t" : "n") + (b ? "t" : "n"));
  read_tensile_types(words[3], words[4], out);
  const auto tile = words_between(shape_after(parts.whole, "_MT"), 'x');
  if (tile.size() == 3) {
    out[kTile] = fmt::format("{}x{}", tile[0], tile[1]);
    out[kStages] = fmt::format("steps of {}", tile[2]);
  }
  const auto mfma = words_between(shape_after(parts.whole, "_MI"), 'x');
  if (mfma.size() >= 2) out[kUnits] = fmt::format("matrix cores, MFMA {}x{}", mfma[0], mfma[1]);
  const std::string_view isa = number_after(parts.whole, "_ISA");
  if (!isa.empty()) out[kArchitecture] = architecture_word("gfx" + std::string(isa));
  for (const std::string_view word : words) {
    if (word == "Bias") append_item(out[kVariant], "can add a bias");  // whether it does, the call says
    if (word.starts_with("GSU") && is_digits(word.substr(3)) && word != "GSU1" && word != "GSU0")
      out[kSplitK] = fmt::format("in {} parts", word.substr(3));
    if (word.starts_with("SK") && is_digits(word.substr(2)) && word != "SK0") out[kSplitK] = "stream-K";
  }
}

/// Types of a mangled name, behind its first template bracket: "DF16b" is bf16, "f" fp32 and so on.
std::string mangled_type(std::string_view whole) {
  if (whole.find("DF16b") != whole.npos || whole.find("hip_bfloat16") != whole.npos) return "bf16";
  if (whole.find("DF16_") != whole.npos) return "fp16";
  return {};
}

}  // namespace

bool read_cudnn(const NameParts& parts, Reading& out) {
  if (parts.has("scudnn") || parts.has("hcudnn")) {
    read_scudnn(parts, out);
  } else if (parts.has("winograd_nonfused") || parts.has("generatewinogradtiles")) {
    out.noun = "step of a Winograd convolution";
    out[kOperation] = winograd_part(parts);
    out[kAlgorithm] = "Winograd, in several kernels";
    out[kOperands] = first_type(parts);
    if (parts.has("4x4")) out[kTile] = "4x4 of the output";
  } else if (parts.leaf == "wgrad_alg0_engine" || parts.leaf == "dgrad_engine" || parts.has("wgrad_alg1_engine")) {
    out.noun =
        parts.leaf == "dgrad_engine" ? "gradient of a convolution's input" : "gradient of a convolution's weights";
    out[kOperands] = first_type(parts);
    out[kUnits] = "FMA units, no tensor cores";
    if (parts.leaf == "wgrad_alg0_engine") out[kAlgorithm] = "algorithm 0: adds with atomics, not deterministic";
  } else if (parts.leaf == "implicit_convolve_sgemm" || parts.leaf == "explicit_convolve_sgemm") {
    out.noun = "forward convolution";
    out[kAlgorithm] =
        parts.leaf.starts_with("implicit") ? "implicit GEMM" : "explicit GEMM: the input is unrolled first";
    out[kOperands] = "fp32";
    out[kUnits] = "FMA units, no tensor cores";
  } else if (parts.has("reduce_wgrad_nchw_helper")) {
    out.noun = "sum of the parts of the gradient of a convolution's weights";
  } else if (parts.has("im2col4d")) {
    out.noun = "unrolling of an input for a convolution (im2col)";
    out[kOperands] = first_type(parts);
  } else if (parts.leaf.starts_with("fft2d_")) {
    out.noun = parts.has("c2r") ? "inverse Fourier transform of a convolution" : "Fourier transform of a convolution";
    out[kAlgorithm] = "FFT";
    out[kOperands] = first_type(parts);
  } else if (parts.has("nchwtonhwc") || parts.has("nhwctonchw")) {
    out.noun = parts.has("nchwtonhwc") ? "copy from channels first to channels last"
                                       : "copy from channels last to channels first";
    out[kOperands] = first_type(parts);
  } else if (parts.leaf.starts_with("bn_fw_") || parts.leaf.starts_with("bn_bw_")) {
    out.noun = parts.leaf.starts_with("bn_fw_") ? "batch norm" : "gradient of a batch norm";
    out[kOperation] = parts.leaf.starts_with("bn_fw_tr_") ? "forward, training"
                      : parts.leaf.starts_with("bn_fw_")  ? "forward"
                                                          : "backward";
    out[kOperands] = first_type(parts);
    if (parts.has("singleread")) append_item(out[kVariant], "reads its input once");
    if (parts.has("nchw")) out[kLayout] = "NCHW: channels first";
  } else if (parts.qualified.starts_with("cask_cudnn") && parts.has("offsets")) {
    out.noun = "preparation of a convolution's offsets";
  } else if (parts.leaf == "scalePackedTensor_kernel") {
    out.noun = "elementwise scaling of a tensor";
    out[kOperands] = first_type(parts);
  } else {
    return false;
  }
  out[kLibrary] = "cuDNN";
  return true;
}

bool read_amd(const NameParts& parts, Reading& out) {
  if (parts.whole.starts_with("Cijk_")) {
    read_tensile(parts, out);
    return !out.noun.empty();
  }
  if (parts.leaf.starts_with("MIOpenBatchNorm")) {
    const bool forward = parts.leaf.find("Fwd") != std::string::npos;
    out.noun = forward ? "batch norm" : "gradient of a batch norm";
    out[kOperation] = forward ? (parts.has("train") ? "forward, training" : "forward") : "backward";
    if (parts.has("meanvariance")) append_item(out[kVariant], "mean and variance");
    out[kLibrary] = "MIOpen";
    return true;
  }
  if (parts.leaf.starts_with("igemm_fwd") || parts.leaf.starts_with("igemm_bwd") ||
      parts.leaf.starts_with("igemm_wrw")) {
    out.noun = parts.leaf.starts_with("igemm_fwd")   ? "forward convolution (implicit GEMM)"
               : parts.leaf.starts_with("igemm_bwd") ? "gradient of a convolution's input (implicit GEMM)"
                                                     : "gradient of a convolution's weights (implicit GEMM)";
    out[kLibrary] = "MIOpen";
    for (const std::string_view word : words_between(parts.lower, '_')) {
      if (const std::string type = type_word(word); !type.empty()) out[kOperands] = type;
      if (word.starts_with("bt") && is_shape(word.substr(2), 3)) {
        const auto tile = words_between(word.substr(2), 'x');
        out[kTile] = fmt::format("{}x{}", tile[0], tile[1]);
        out[kStages] = fmt::format("steps of {}", tile[2]);
      }
    }
    return true;
  }
  const bool is_ck = parts.qualified.starts_with("ck::") || parts.qualified.starts_with("ck_tile::");
  if (is_ck) {
    out[kLibrary] = parts.qualified.starts_with("ck_tile::") ? "Composable Kernel (ck_tile)" : "Composable Kernel";
    out[kOperands] = parts.is_mangled ? mangled_type(parts.whole) : std::string{};
    if (parts.has("fmhabatchprefill") || parts.has("fmhafwd") || parts.has("fmhabwd")) {
      out.noun = parts.has("fmhabwd") ? "gradient of attention" : "attention";
      out[kOperation] = parts.has("fmhabwd") ? "backward" : "forward";
      if (parts.has("pagedkv")) append_item(out[kVariant], "paged keys and values");
      if (parts.has("splitkv")) append_item(out[kVariant], "keys split over blocks");
    } else if (parts.has("gemm")) {
      out.noun = "matrix product";
      if (parts.has("xdl")) out[kUnits] = "matrix cores, MFMA";
      if (parts.has("moe")) append_item(out[kVariant], "of experts");
    } else if (parts.has("conv")) {
      out.noun = "convolution";
    } else if (parts.has("norm")) {
      out.noun = "normalisation";
    }
    return !out.noun.empty();
  }
  if (parts.qualified.starts_with("aiter::") || parts.qualified.starts_with("sgl_hip::")) {
    out[kLibrary] = parts.qualified.starts_with("aiter::") ? "AITER" : "SGLang";
    out[kOperands] = mangled_type(parts.whole);
    if (parts.leaf.starts_with("add_rmsnorm")) {
      out.noun = "RMS norm";
      append_item(out[kMerged], "add, RMS norm");
      if (parts.leaf.find("quant") != std::string::npos) append_item(out[kVariant], "may quantise its result");
    } else if (parts.leaf == "act_and_mul_kernel") {
      out.noun = "elementwise gated activation";
      if (parts.has("silu")) out[kMerged] = "SiLU, mul";
      if (parts.has("gelu")) out[kMerged] = "GELU, mul";
    }
    return !out.noun.empty();
  }
  return false;
}

/// "gen_conv_fwd", "jit:gemm:any", "gemm_kernel", "xe_gemm…": oneDNN's names tell little.
bool read_onednn(const NameParts& parts, Reading& out) {
  const std::string& name = parts.lower;
  const bool is_jit = name.starts_with("jit:") || name.starts_with("gen_conv") || name.starts_with("xe_") ||
                      name.starts_with("gen9_") || name.starts_with("xehp_") || name.starts_with("ref_convolution");
  if (!is_jit) return false;
  if (parts.has("conv")) {
    out.noun = parts.has("bwd_w") ? "gradient of a convolution's weights"
               : parts.has("bwd") ? "gradient of a convolution's input"
                                  : "forward convolution";
  } else if (parts.has("gemm")) {
    out.noun = "matrix product";
  } else if (parts.has("softmax")) {
    out.noun = "softmax";
  } else if (parts.has("reorder")) {
    out.noun = "copy that reorders";
  } else {
    return false;
  }
  out[kLibrary] = "oneDNN";
  return true;
}

}  // namespace lacuna
