// Attention: FlashAttention 2 and 3, PyTorch's memory-efficient kernels, cuDNN, FlashInfer, TensorRT-LLM, vLLM.

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/kernels/name_parts.h"

namespace lacuna {
namespace {

using enum KernelFact;

void set_direction(bool backward, Reading& out) {
  out[kOperation] = backward ? "backward" : "forward";
  out.noun = backward ? "gradient of attention" : "attention";
}

/// Arguments of the template that is named `mark`, wherever it stands.
std::vector<std::string_view> arguments_of(std::string_view whole, std::string_view mark) {
  const std::size_t at = whole.find(mark);
  return at == whole.npos ? std::vector<std::string_view>{} : template_arguments(whole.substr(at));
}

std::string plain_number(std::string_view text) {
  if (text.starts_with("(int)")) text.remove_prefix(5);
  return is_digits(text) ? std::string(text) : std::string{};
}

/// "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false,
/// cutlass::bfloat16_t, …>, Is_dropout, Is_causal, Is_local, Has_alibi, …>": head size, rows of queries, columns of
/// keys, warps (csrc/flash_attn/src/kernel_traits.h, flash_fwd_launch_template.h).
void read_flash_2(const NameParts& parts, Reading& out) {
  const bool backward = parts.leaf.starts_with("flash_bwd");
  set_direction(backward, out);
  out[kLibrary] = parts.qualified.starts_with("pytorch_flash::") ? "FlashAttention 2 (in PyTorch)" : "FlashAttention 2";
  const auto traits = arguments_of(parts.whole, backward ? "Flash_bwd_kernel_traits" : "Flash_fwd_kernel_traits");
  if (traits.size() >= 3) {
    out[kHeadSize] = plain_number(traits[0]);
    if (const std::string rows = plain_number(traits[1]), columns = plain_number(traits[2]);
        !rows.empty() && !columns.empty())
      out[kTile] = fmt::format("{}x{}: queries by keys", rows, columns);
  }
  for (const std::string_view argument : traits)
    if (const std::string type = type_word(argument); type == "bf16" || type == "fp16" || type == "fp8 e4m3")
      out[kOperands] = type;
  if (!out[kOperands].empty()) {
    out[kUnits] = "tensor cores, 16x8x16";
    out[kAccumulated] = "fp32";
  }
  if (parts.leaf == "flash_fwd_kernel" && parts.arguments.size() >= 3) {
    if (parts.arguments[1] == "true") append_item(out[kVariant], "dropout");
    append_item(out[kVariant], parts.arguments[2] == "true" ? "causal" : "not causal");
    if (parts.arguments.size() >= 4 && parts.arguments[3] == "true") append_item(out[kVariant], "local window");
  }
  if (parts.leaf.find("splitkv_combine") != std::string::npos) {
    out.noun = "sum of attention's parts (keys split over blocks)";
  } else if (parts.leaf.find("splitkv") != std::string::npos) {
    append_item(out[kVariant], "keys split over blocks");
  } else if (parts.leaf.find("dot_do_o") != std::string::npos || parts.leaf.find("convert_dq") != std::string::npos) {
    out.noun = parts.leaf.find("convert_dq") != std::string::npos ? "conversion of attention's gradient"
                                                                  : "preparation of attention's gradient";
    out[kUnits].clear();
  }
}

/// "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, …,
/// cute::tuple<C<128>, C<176>, C<128>>, 128, cutlass::bfloat16_t, …".
void read_flash_3(const NameParts& parts, Reading& out) {
  set_direction(parts.has("flashattnbwd"), out);
  out[kLibrary] = "FlashAttention 3";
  out[kArchitecture] = architecture_word(
      "sm" + std::string(number_after(parts.lower, out.noun == "attention" ? "flashattnfwdsm" : "flashattnbwdsm")));
  const auto loop =
      arguments_of(parts.whole, parts.has("flashattnbwd") ? "CollectiveMainloopBwd" : "CollectiveMainloopFwd");
  for (std::size_t i = 0; i < loop.size(); ++i) {
    if (i == 0) {
      if (const std::string stages = plain_number(loop[0]); !stages.empty())
        out[kStages] = fmt::format("{} stages", stages);
    }
    std::string numbers;
    if (loop[i].starts_with("cute::tuple<"))
      for (const std::string_view part : template_arguments(loop[i])) {
        const auto inner = template_arguments(part);
        if (inner.empty()) continue;
        if (!numbers.empty()) numbers += 'x';
        numbers += plain_number(inner[0]);
      }
    const auto sizes = words_between(numbers, 'x');
    if (sizes.size() == 3 && sizes[0] != "1") {
      out[kTile] = fmt::format("{}x{}: queries by keys", sizes[0], sizes[1]);
      out[kHeadSize] = sizes[2];
    }
    if (out[kOperands].empty() && loop[i].find("cutlass::") == 0)
      if (const std::string type = type_word(loop[i]); !type.empty()) out[kOperands] = type;
  }
  if (!out[kOperands].empty()) {
    out[kUnits] = "tensor cores, wgmma";
    out[kAccumulated] = "fp32";
  }
}

/// "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(…)": F forward, B backward; queries by keys; rf: the result stays in
/// registers (aten/src/ATen/native/transformers/cuda/mem_eff_attention).
void read_fmha_cutlass(const NameParts& parts, Reading& out) {
  set_direction(parts.leaf.find("cutlassB") != std::string::npos, out);
  out[kLibrary] = "PyTorch's memory-efficient attention (CUTLASS)";
  for (const std::string_view word : words_between(parts.leaf, '_')) {
    if (is_shape(word, 2)) out[kTile] = fmt::format("{}: queries by keys", word);
    if (const std::string type = type_word(word); !type.empty()) out[kOperands] = type;
    if (word == "dropout") append_item(out[kVariant], "dropout");
    if (word.starts_with("k") && is_digits(word.substr(1))) out[kHeadSize] = "up to " + std::string(word.substr(1));
    if (word.starts_with("sm")) out[kArchitecture] = architecture_word(word);
  }
  if (out[kOperands] == "bf16" || out[kOperands] == "fp16") out[kUnits] = "tensor cores";
}

/// "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext".
void read_fmha_trtllm(const NameParts& parts, Reading& out) {
  set_direction(false, out);
  out[kLibrary] = "TensorRT-LLM (in FlashInfer)";
  out[kArchitecture] = architecture_word("sm" + std::string(number_after(parts.lower, "fmhasm")));
  const std::string_view text = std::string_view(parts.leaf);
  const auto type_at = [&](std::string_view mark) -> std::string {
    const std::size_t at = text.find(mark);
    if (at == text.npos) return {};
    for (const std::string_view type : {"E4m3", "E2m1", "Bfloat16", "Fp16"})
      if (text.substr(at + mark.size()).starts_with(type)) return type_word(type);
    return {};
  };
  out[kOperands] = type_at("Qkv");
  if (out[kOperands].empty()) out[kOperands] = type_at("_Q");
  for (const std::string_view type : {"E4m3", "Bfloat16", "Fp16"})
    for (const std::string_view before : {"E4m3O", "Bfloat16O", "Fp16O"})
      if (text.find(std::string(before) + std::string(type)) != text.npos) out[kResult] = type_word(type);
  out[kHeadSize] = number_after(text, "H");
  const std::string_view queries = number_after(text, "SeqQ"), keys = number_after(text, "Kv");
  if (!queries.empty() && !keys.empty()) out[kTile] = fmt::format("{}x{}: queries by keys", queries, keys);
  out[kUnits] = "tensor cores";
  if (text.find("PagedKv") != text.npos) append_item(out[kVariant], "paged keys and values");
  if (text.find("SlidingOrChunkedCausal") != text.npos)
    append_item(out[kVariant], "causal in a sliding window");
  else if (text.find("Causal") != text.npos)
    append_item(out[kVariant], "causal");
  if (text.find("VarSeq") != text.npos) append_item(out[kVariant], "sequences of different lengths");
  if (text.ends_with("Context")) append_item(out[kVariant], "prefill");
  if (text.ends_with("Generation")) append_item(out[kVariant], "decode");
}

void read_flashinfer(const NameParts& parts, Reading& out) {
  set_direction(false, out);
  out[kLibrary] = "FlashInfer";
  if (parts.has("prefill")) append_item(out[kVariant], "prefill");
  if (parts.has("decode")) append_item(out[kVariant], "decode");
  if (parts.has("batch")) append_item(out[kVariant], "batch");
  if (parts.has("single")) append_item(out[kVariant], "single request");
  if (parts.has("pagedkv")) append_item(out[kVariant], "paged keys and values");
  if (parts.has("ragged")) append_item(out[kVariant], "ragged");
  if (parts.has("mergestate")) out.noun = "sum of attention's parts";
  for (const std::string_view type : {"__nv_bfloat16", "half", "__nv_fp8_e4m3"})
    if (out[kOperands].empty() && parts.has(type)) out[kOperands] = type_word(type);
}

}  // namespace

bool read_attention(const NameParts& parts, Reading& out) {
  const std::string& leaf = parts.leaf;
  if (leaf.starts_with("flash_fwd") || leaf.starts_with("flash_bwd")) {
    read_flash_2(parts, out);
  } else if (parts.has("flash::flashattn") || parts.has("flash::enable_sm90")) {
    read_flash_3(parts, out);
  } else if (leaf.starts_with("fmha_cutlass")) {
    read_fmha_cutlass(parts, out);
  } else if (leaf.starts_with("fmhaSm")) {
    read_fmha_trtllm(parts, out);
  } else if (leaf.starts_with("cudnn_generated_fort_native_sdpa")) {
    set_direction(parts.has("bprop"), out);
    out[kLibrary] = "cuDNN";
    out[kArchitecture] = architecture_word(leaf);
    for (const std::string_view word : words_between(leaf, '_'))
      if (const std::string type = type_word(word); !type.empty()) out[kOperands] = type;
    const auto tile = words_between(shape_after(leaf, "_"), 'x');
    if (tile.size() == 3) {
      out[kTile] = fmt::format("{}x{}: queries by keys", tile[0], tile[1]);
      out[kHeadSize] = tile[2];
    }
    out[kUnits] = parts.has("wgmma") ? "tensor cores, wgmma" : "tensor cores";
  } else if (parts.qualified.starts_with("flashinfer::") &&
             (parts.has("prefill") || parts.has("decode") || parts.has("mergestate"))) {
    read_flashinfer(parts, out);
  } else if (leaf.starts_with("paged_attention")) {
    set_direction(false, out);
    out[kLibrary] = "vLLM";
    append_item(out[kVariant], "paged keys and values");
    if (leaf.find("mfma16") != std::string::npos) out[kUnits] = "matrix cores, MFMA 16x16";
    if (leaf.find("reduce") != std::string::npos) out.noun = "sum of attention's parts";
    for (const std::string_view argument : parts.arguments)
      if (const std::string type = type_word(argument);
          out[kOperands].empty() && (type == "bf16" || type == "fp16" || type == "fp32"))
        out[kOperands] = type;
  } else {
    return false;
  }
  return true;
}

}  // namespace lacuna
