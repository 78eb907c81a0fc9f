// Triton: what Inductor generates.

#include <algorithm>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/kernels/name_parts.h"

namespace lacuna {
namespace {

using enum KernelFact;

/// Operators whose names have '_' inside: "fused_native_layer_norm_gelu" is native_layer_norm and gelu.
constexpr std::string_view kLongOperators[] = {"_native_batch_norm_legit_functional",
                                               "_native_batch_norm_legit_no_training",
                                               "native_layer_norm_backward",
                                               "native_group_norm_backward",
                                               "native_batch_norm_backward",
                                               "_scaled_dot_product_flash_attention",
                                               "_scaled_dot_product_efficient_attention",
                                               "_log_softmax_backward_data",
                                               "_softmax_backward_data",
                                               "native_layer_norm",
                                               "native_group_norm",
                                               "native_dropout_backward",
                                               "embedding_dense_backward",
                                               "threshold_backward",
                                               "max_pool2d_with_indices_backward",
                                               "max_pool2d_with_indices",
                                               "_adaptive_avg_pool2d_backward",
                                               "_adaptive_avg_pool2d",
                                               "convolution_backward",
                                               "constant_pad_nd",
                                               "flex_attention",
                                               "nll_loss_forward",
                                               "nll_loss_backward",
                                               "sigmoid_backward",
                                               "gelu_backward",
                                               "tanh_backward",
                                               "silu_backward",
                                               "native_dropout",
                                               "bitwise_not",
                                               "bitwise_and",
                                               "bitwise_or",
                                               "bitwise_xor",
                                               "logical_and",
                                               "logical_not",
                                               "logical_or",
                                               "_unsafe_view",
                                               "_unsafe_index",
                                               "_log_softmax",
                                               "index_put",
                                               "index_select",
                                               "masked_fill",
                                               "slice_scatter",
                                               "select_scatter",
                                               "new_zeros",
                                               "new_full",
                                               "_to_copy",
                                               "_softmax",
                                               "zeros_like",
                                               "ones_like",
                                               "full_like",
                                               "scalar_tensor",
                                               "leaky_relu",
                                               "log_sigmoid_forward",
                                               "repeat_interleave",
                                               "div_floor",
                                               "rms_norm",
                                               "layer_norm",
                                               "batch_norm",
                                               "group_norm",
                                               "scatter_add"};

/// "add_mean_mul_pow_rsqrt" -> {"add", "mean", …}: longest known operators first, else up to the next '_'.
std::vector<std::string> operators_of(std::string_view text) {
  std::vector<std::string> operators;
  while (!text.empty()) {
    std::string_view taken;
    for (const std::string_view known : kLongOperators)
      if (text.starts_with(known) && (text.size() == known.size() || text[known.size()] == '_') &&
          known.size() > taken.size())
        taken = known;
    if (taken.empty()) {
      if (text.front() == '_') {
        text.remove_prefix(1);
        continue;
      }
      taken = text.substr(0, text.find('_'));
    }
    operators.emplace_back(taken.starts_with('_') ? taken.substr(1) : taken);
    text.remove_prefix(taken.size());
    if (text.starts_with('_')) text.remove_prefix(1);
  }
  return operators;
}

std::string in_words(const std::vector<std::string>& list) {
  std::string words;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) words += i + 1 == list.size() ? " and " : ", ";
    words += list[i];
  }
  return words;
}

}  // namespace

bool read_triton(const NameParts& parts, Reading& out) {
  if (!parts.leaf.starts_with("triton_")) return false;
  struct Kind {
    std::string_view mark, noun, variant;
  };
  constexpr Kind kKinds[] = {{"triton_poi_", "pointwise kernel", ""},
                             {"triton_red_", "reduction", "rows are read in a loop"},
                             {"triton_per_", "reduction", "persistent: a row fits into registers"},
                             {"triton_tem_", "kernel from a template", ""},
                             {"triton_for_", "kernel over a list of tensors", ""},
                             {"triton_mm", "matrix product", ""},
                             {"triton_bmm", "batched matrix product", ""}};
  for (const Kind& kind : kKinds)
    if (parts.leaf.starts_with(kind.mark)) {
      out.noun = kind.noun;
      out[kVariant] = kind.variant;
    }
  if (out.noun.empty()) return false;
  out[kLibrary] = "Triton (Inductor)";
  const std::size_t fused = parts.leaf.find("fused_");
  if (fused == std::string::npos) return true;
  std::string_view text = std::string_view(parts.leaf).substr(fused + 6);
  // The number that tells kernels of the same operators apart.
  const std::size_t last = text.rfind('_');
  if (last != text.npos && is_digits(text.substr(last + 1))) text = text.substr(0, last);
  if (is_digits(text)) return true;
  const auto operators = operators_of(text);
  if (operators.empty()) return true;
  for (const std::string& op : operators) append_item(out[kMerged], op);
  if (out.noun == "kernel from a template") {
    const std::string& first = operators.front();
    if (first == "mm" || first == "addmm" || first == "bmm" || first == "baddbmm")
      out.noun = first == "bmm" || first == "baddbmm" ? "batched matrix product" : "matrix product";
    if (first.find("attention") != std::string::npos) out.noun = "attention";
    if (first == "convolution") out.noun = "convolution";
    append_item(out[kVariant], "from a template");
  }
  out.tail = fmt::format(" that Inductor {} {}", operators.size() == 1 ? "made of" : "fused from", in_words(operators));
  return true;
}

}  // namespace lacuna
