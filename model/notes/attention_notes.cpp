// Which implementation of attention ran.

#include <array>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/calls/launched_work.h"
#include "model/columns/input_shapes.h"
#include "model/notes/note_parts.h"

namespace lacuna {
namespace {

struct Backend {
  std::string_view part;  ///< of an operator's name
  std::string_view name;
  bool is_fused = true;
};
// torch/csrc, aten/src/ATen/native/transformers: the operators behind scaled_dot_product_attention; and those of the
// packages flash-attn and xformers.
constexpr std::array kBackends = {
    Backend{"scaled_dot_product_flash", "FlashAttention"},
    Backend{"_flash_attention_", "FlashAttention"},
    Backend{"flash_attn", "FlashAttention (package flash-attn)"},
    Backend{"scaled_dot_product_cudnn", "cuDNN"},
    Backend{"_cudnn_attention_", "cuDNN"},
    Backend{"scaled_dot_product_efficient", "memory-efficient attention"},
    Backend{"_efficient_attention_", "memory-efficient attention"},
    Backend{"xformers", "memory-efficient attention (package xformers)"},
    Backend{"_scaled_dot_product_attention_math", "math", false},
};

std::string type_of_first_tensor(std::string_view types) {
  for (const std::string_view type : parse_strings(types))
    if (type != "Scalar" && type != "ScalarList" && !type.empty())
      return std::string(type.substr(type.starts_with("c10::") ? 5 : 0));
  return {};
}

std::string type_of_inputs(const NoteFacts& facts, SliceId slice) {
  if (slice == facts.slice) return type_of_first_tensor(facts.argument("Input type"));
  const auto arguments = read_arguments(facts.trace, slice);
  if (!arguments) return {};
  const auto found = std::ranges::find(*arguments, "Input type", &Argument::key);
  return found == arguments->end() ? std::string() : type_of_first_tensor(found->value);
}

bool may_hold_attention(const NoteFacts& facts) {
  if (is_gpu_activity(facts.category()) || facts.category() == CategoryClass::kRuntime) return false;
  if (facts.category() == CategoryClass::kPythonFunction && !is_module_frame(facts.name())) return false;
  const std::string name = to_lower(facts.name());
  return name.find("attention") != name.npos || name.find("attn") != name.npos;
}

}  // namespace

void note_attention(const NoteFacts& facts) {
  if (!may_hold_attention(facts)) return;
  const Trace& trace = facts.trace;
  SliceId fused, math, product, softmax;
  std::string_view backend;
  std::size_t products = 0;
  for_each_inside(trace, facts.slice, [&](SliceId inside) {
    if (trace.category_class(inside) != CategoryClass::kCpuOperator) return true;
    const std::string_view name = trace.name(inside);
    for (const Backend& known : kBackends) {
      if (name.find(known.part) == name.npos) continue;
      SliceId& found = known.is_fused ? fused : math;
      if (!found.valid()) {
        found = inside;
        if (known.is_fused) backend = known.name;
      }
    }
    if (name == "aten::bmm" || name == "aten::baddbmm") {
      ++products;
      if (!product.valid()) product = inside;
    }
    if (name == "aten::_softmax" || name == "aten::softmax" || name == "aten::_safe_softmax") softmax = inside;
    return true;
  });
  if (fused.valid()) {
    const std::string type = type_of_inputs(facts, fused);
    const bool is_gradient = trace.name(fused).find("backward") != std::string_view::npos;
    facts.add("attention",
              fmt::format("The {} backend computed {}{}: {}.", backend, is_gradient ? "its gradient" : "it",
                          type.empty() ? std::string() : " in " + type,
                          is_gradient ? "the scores are computed again, not read from memory"
                                      : "scores, softmax and the product with the values in one kernel"),
              fused);
    return;
  }
  if (!math.valid() && (products < 2 || !softmax.valid())) return;
  const SliceId shown = math.valid() ? math : product;
  std::string text =
      math.valid()
          ? "The math backend computed it: scores, softmax and the product with the values are kernels of their "
            "own, and the scores lie in memory. "
          : "No fused attention ran in it: it multiplies, takes the softmax and multiplies again, each with "
            "kernels of its own, and the scores lie in memory. ";
  const std::string type = type_of_inputs(facts, shown);
  const std::string of_softmax = softmax.valid() ? type_of_inputs(facts, softmax) : std::string();
  if (!of_softmax.empty() && !type.empty() && of_softmax != type)
    text += fmt::format("Its softmax is computed in {}, its products in {}. ", of_softmax, type);
  if (type == "float" || type == "double")
    text += fmt::format("FlashAttention and cuDNN take half and bfloat16 alone, these inputs are {}. ", type);
  text += math.valid()
              ? "Masks, head sizes and dropout that the fused backends do not take, or "
                "torch.nn.attention.sdpa_kernel, rule them out as well."
              : "torch.nn.functional.scaled_dot_product_attention would choose a fused backend where one takes "
                "the types, mask and head size.";
  facts.add("attention", std::move(text), shown);
}

}  // namespace lacuna
