#include <algorithm>
#include <iterator>

#include "model/roofline/work_models.h"

namespace lacuna {
namespace {

/// The first tensor read and written; the second, an output or what is copied, has a type of its own.
ModelResult unary(const TensorInputs& in) {
  const auto read = in.element_bytes(0);
  const auto written = in.is_tensor(1) && !in.shape(1).empty() ? in.element_bytes(1) : read;
  if (!in.is_tensor(0) || !read || !written) return {};
  return Modelled{{in.elements(0), in.elements(0) * (*read + *written)}};
}

/// (self, source): TraceLens takes the source to be as large as what it is copied to.
ModelResult copy(const TensorInputs& in) {
  auto result = unary(in);
  if (!result) return {};
  const auto source = in.bytes(1), destination = in.bytes(0);
  if (!source || !destination) return {};
  if (in.is_tensor(1) && in.elements(1) != in.elements(0)) {
    result->physical = Work{0, *source + *destination};
    result->why = "What is copied is smaller than where it is copied to, and is read once.";
  }
  return result;
}

/// torch's broadcasting: sizes are equal, or one of them is 1.
std::optional<double> broadcast_elements(const Shape& a, const Shape& b) {
  double elements = 1;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const double x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return {};
    elements *= x == 1 ? y : x;
  }
  return elements;
}

/// `output_bytes` of one element; none: that of the wider tensor, or of the only one that has dimensions.
ModelResult binary_to(const TensorInputs& in, std::optional<double> output_bytes) {
  const auto elements = broadcast_elements(in.shape(0), in.shape(1));
  const auto a = in.bytes(0), b = in.bytes(1);
  if (!elements || !a || !b || !in.is_tensor(0) || in.size() < 2) return {};
  if (!output_bytes && in.is_tensor(2) && !in.shape(2).empty()) output_bytes = in.element_bytes(2);
  if (!output_bytes) {
    output_bytes = in.element_bytes(0);
    const auto other = in.is_tensor(1) ? in.element_bytes(1) : std::nullopt;
    if (other && in.shape(0).empty() && !in.shape(1).empty()) output_bytes = other;
    if (other && !in.shape(0).empty() && !in.shape(1).empty()) output_bytes = std::max(*output_bytes, *other);
  }
  return Modelled{{*elements, *a + *b + *elements * *output_bytes}};
}
ModelResult binary(const TensorInputs& in) {
  return binary_to(in, {});
}
/// Truth values, of one byte.
ModelResult comparison(const TensorInputs& in) {
  return binary_to(in, 1);
}

/// (self, …): written, nothing read or computed.
ModelResult fill(const TensorInputs& in) {
  const auto bytes = in.bytes(0);
  return in.is_tensor(0) && bytes ? ModelResult(Modelled{{0, *bytes}}) : std::nullopt;
}

/// where, addcmul, addcdiv, lerp …: three operands, broadcast to one shape, which has the type of number `typed`.
ModelResult ternary(const TensorInputs& in, std::size_t typed, double each) {
  const auto a = in.bytes(0), b = in.bytes(1), c = in.bytes(2), out = in.element_bytes(typed);
  if (!a || !b || !c || !out || in.size() < 3) return {};
  double elements = 1;
  for (const std::size_t i : {0, 1, 2}) {
    const auto pair = broadcast_elements(in.shape(i), in.shape((i + 1) % 3));
    if (!pair) return {};
    elements = std::max(elements, *pair);
  }
  return Modelled{{each * elements, *a + *b + *c + elements * *out}};
}
ModelResult where(const TensorInputs& in) {
  return ternary(in, 1, 1);
}
ModelResult fused_multiply_add(const TensorInputs& in) {
  return ternary(in, 0, 3);
}

/// (out [..., n], input [..., 2 n]): an activation of one half, times the other.
ModelResult gated(const TensorInputs& in, double each) {
  const auto output = in.bytes(0), input = in.bytes(1);
  if (!in.is_tensor(0) || !in.is_tensor(1) || !output || !input || in.elements(1) != 2 * in.elements(0)) return {};
  return Modelled{{each * in.elements(0), *output + *input}};
}
ModelResult silu_and_mul(const TensorInputs& in) {
  return gated(in, 5);
}
ModelResult gelu_and_mul(const TensorInputs& in) {
  return gated(in, 8);
}
ModelResult gelu_tanh_and_mul(const TensorInputs& in) {
  return gated(in, 10);
}

/// (positions, query [tokens, heads · width], key, head size, cos and sin [positions, rotated width], …): what is
/// rotated of queries and keys is read and written; 6 operations a pair.
ModelResult rotary_embedding(const TensorInputs& in) {
  const Shape &query = in.shape(1), &key = in.shape(2), &table = in.shape(4);
  const auto bytes = in.element_bytes(1);
  const auto head = in.number(3);
  if (query.size() != 2 || key.size() != 2 || table.size() != 2 || !bytes || !head || *head < 1) return {};
  const double rotated = query[0] * (query[1] + key[1]) / *head * table[1];
  return Modelled{{3 * rotated, 2 * rotated * *bytes}};
}
/// TransformerEngine: (input, frequencies)
ModelResult fused_rope(const TensorInputs& in) {
  const auto bytes = in.bytes(0);
  return in.is_tensor(0) && bytes ? ModelResult(Modelled{{3 * in.elements(0), 2 * *bytes}}) : std::nullopt;
}

/// (input [batch, channels, …], output_size, …): what comes out is computed, what goes in is read once.
ModelResult upsample(const TensorInputs& in) {
  const auto each = in.element_bytes(0);
  const Shape size = in.list(1);
  if (!each || in.shape(0).size() < 3 || size.size() != in.shape(0).size() - 2) return {};
  const double output = in.shape(0)[0] * in.shape(0)[1] * product(size);
  return Modelled{{output, (in.elements(0) + output) * *each}};
}

/// (k, v, k_cache, v_cache, …): rows of keys and values, read and written.
ModelResult store_cache(const TensorInputs& in) {
  const auto key = in.bytes(0), value = in.bytes(1);
  return in.is_tensor(0) && key && value ? ModelResult(Modelled{{0, 2 * (*key + *value)}}) : std::nullopt;
}

constexpr WorkModel each(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kElementwise, work};
}
constexpr WorkModel move(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kCopy, work};
}

constexpr WorkModel kElementwise[] = {
    move("aten::copy_", copy),
    move("aten::copy", copy),
    move("aten::fill_", fill),
    move("aten::zero_", fill),
    move("sglang::store_cache", store_cache),
    each("aten::abs", unary),
    each("aten::bitwise_not", unary),
    each("aten::ceil", unary),
    each("aten::clamp", unary),
    each("aten::clamp_", unary),
    each("aten::clamp_max", unary),
    each("aten::clamp_max_", unary),
    each("aten::clamp_min", unary),
    each("aten::clamp_min_", unary),
    each("aten::cos", unary),
    each("aten::elu", unary),
    each("aten::erf", unary),
    each("aten::exp", unary),
    each("aten::exp_", unary),
    each("aten::floor", unary),
    each("aten::gelu", unary),
    each("aten::hardswish", unary),
    each("aten::leaky_relu", unary),
    each("aten::log", unary),
    each("aten::log1p", unary),
    each("aten::neg", unary),
    each("aten::neg_", unary),
    each("aten::pow", unary),
    each("aten::reciprocal", unary),
    each("aten::relu", unary),
    each("aten::relu_", unary),
    each("aten::round", unary),
    each("aten::rsqrt", unary),
    each("aten::rsqrt_", unary),
    each("aten::sigmoid", unary),
    each("aten::sigmoid_", unary),
    each("aten::sign", unary),
    each("aten::silu", unary),
    each("aten::silu_", unary),
    each("aten::sin", unary),
    each("aten::softplus", unary),
    each("aten::sqrt", unary),
    each("aten::sqrt_", unary),
    each("aten::tanh", unary),
    each("aten::tanh_", unary),
    each("aten::tril", unary),
    each("aten::triu", unary),
    each("aten::add", binary),
    each("aten::add_", binary),
    each("aten::atan2", binary),
    each("aten::bitwise_and", binary),
    each("aten::bitwise_or", binary),
    each("aten::bitwise_xor", binary),
    each("aten::div", binary),
    each("aten::div_", binary),
    each("aten::fmod", binary),
    each("aten::gelu_backward", binary),
    each("aten::leaky_relu_backward", binary),
    each("aten::masked_fill_", binary),
    each("aten::maximum", binary),
    each("aten::minimum", binary),
    each("aten::mul", binary),
    each("aten::mul_", binary),
    each("aten::remainder", binary),
    each("aten::rsub", binary),
    each("aten::sigmoid_backward", binary),
    each("aten::silu_backward", binary),
    each("aten::sub", binary),
    each("aten::sub_", binary),
    each("aten::tanh_backward", binary),
    each("aten::threshold_backward", binary),
    each("aten::eq", comparison),
    each("aten::ge", comparison),
    each("aten::gt", comparison),
    each("aten::le", comparison),
    each("aten::logical_and", comparison),
    each("aten::logical_or", comparison),
    each("aten::lt", comparison),
    each("aten::ne", comparison),
    each("aten::upsample_nearest1d", upsample),
    each("aten::upsample_nearest2d", upsample),
    each("aten::upsample_nearest3d", upsample),
    each("aten::where", where),
    each("aten::addcdiv", fused_multiply_add),
    each("aten::addcdiv_", fused_multiply_add),
    each("aten::addcmul", fused_multiply_add),
    each("aten::addcmul_", fused_multiply_add),
    each("aten::lerp", fused_multiply_add),
    each("aten::lerp_", fused_multiply_add),
    each("aiter::silu_and_mul", silu_and_mul),
    each("_C::silu_and_mul", silu_and_mul),
    each("sgl_kernel::silu_and_mul", silu_and_mul),
    each("aiter::gelu_and_mul", gelu_and_mul),
    each("aiter::gelu_tanh_and_mul", gelu_tanh_and_mul),
    each("sgl_kernel::rotary_embedding", rotary_embedding),
    each("FusedRoPEFunc", fused_rope),
};

}  // namespace

const WorkModel* elementwise_model(std::string_view name) {
  const auto found = std::ranges::find(kElementwise, name, &WorkModel::name);
  return found == std::end(kElementwise) ? nullptr : found;
}

}  // namespace lacuna
