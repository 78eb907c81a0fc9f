#include "model/columns/flops.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/columns/input_shapes.h"

namespace lacuna {
namespace {

/// "[14, 14]"; empty when `text` is something else.
Shape parse_numbers(std::string_view text) {
  return text.starts_with('[') ? parse_shapes("[" + std::string(text) + "]").at(0) : Shape{};
}

constexpr double kUnknown = -1;

/// [m, k] x [k, n]
double mm(const Shape& a, const Shape& b) {
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) return kUnknown;
  return 2 * a[0] * a[1] * b[1];
}

double bmm(const Shape& a, const Shape& b) {
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1]) return kUnknown;
  return 2 * a[0] * a[1] * a[2] * b[2];
}

double linear(const Shape& x, const Shape& w) {
  if (x.empty() || w.size() != 2 || x.back() != w[1]) return kUnknown;
  return 2 * product(x) * w[0];
}

/// conv_flop_count(): `space` is the shape that the filter moves over.
double conv(const Shape& x, const Shape& w, const Shape& space) {
  if (x.size() < 3 || w.size() != x.size() || space.size() != x.size()) return kUnknown;
  return 2 * product(space, 2) * product(w, 2) * x[0] * w[0] * w[1];
}

/// Output of a convolution (the channels do not matter).
Shape conv_output(const Shape& x, const Shape& w, const Shape& stride, const Shape& padding, const Shape& dilation) {
  Shape out{x[0], w[0]};
  const std::size_t dims = x.size() - 2;
  const auto at = [&](const Shape& list, std::size_t i) { return list.size() == 1 ? list[0] : list[i]; };
  for (const Shape* list : {&stride, &padding, &dilation})
    if (list->size() != dims && list->size() != 1) return {};
  for (std::size_t i = 0; i < dims; ++i) {
    const double step = at(stride, i);
    if (step < 1) return {};
    const double reach = at(dilation, i) * (w[i + 2] - 1) + 1;
    const double free = x[i + 2] + 2 * at(padding, i) - reach;
    if (free < 0) return {};
    out.push_back(static_cast<double>(static_cast<std::int64_t>(free / step)) + 1);
  }
  return out;
}

double convolution(const std::vector<Shape>& dims, const std::vector<std::string_view>& inputs, std::size_t stride,
                   std::size_t padding, std::size_t dilation, std::size_t transposed) {
  if (dims.size() < 2 || inputs.size() <= std::max({stride, padding, dilation})) return kUnknown;
  const Shape &x = dims[0], &w = dims[1];
  if (x.size() < 3 || w.size() != x.size()) return kUnknown;
  if (transposed != 0) {
    if (inputs.size() <= transposed) return kUnknown;
    if (inputs[transposed] == "True") return conv(x, w, x);
  }
  return conv(x, w,
              conv_output(x, w, parse_numbers(inputs[stride]), parse_numbers(inputs[padding]),
                          parse_numbers(inputs[dilation])));
}

Shape swapped(Shape shape) {
  if (shape.size() >= 2) std::swap(shape[0], shape[1]);
  return shape;
}

double convolution_backward(const std::vector<Shape>& dims, const std::vector<std::string_view>& inputs) {
  if (dims.size() < 3 || inputs.size() < 11) return kUnknown;
  const Shape &gradient = dims[0], &x = dims[1], &w = dims[2];
  const bool transposed = inputs[7] == "True";
  // "[True, True, False]": of input, weight and bias.
  const std::string_view mask = inputs[10];
  const std::size_t comma = mask.find(',');
  if (comma == mask.npos) return kUnknown;
  const bool of_input = mask.substr(0, comma).find("True") != mask.npos;
  const std::string_view rest = mask.substr(comma + 1);
  const bool of_weight = rest.substr(0, rest.find(',')).find("True") != mask.npos;
  double sum = 0;
  if (of_input) {
    const double part = conv(gradient, w, transposed ? x : gradient);
    if (part < 0) return kUnknown;
    sum += part;
  }
  if (of_weight) {
    const double part =
        transposed ? conv(swapped(gradient), swapped(x), swapped(w)) : conv(swapped(x), swapped(gradient), swapped(w));
    if (part < 0) return kUnknown;
    sum += part;
  }
  return sum;
}

/// [b, h, s, d] each; `products`: how many of the five matrix products take place.
double attention(const std::vector<Shape>& dims, std::size_t first, bool heads_last, bool backward) {
  if (dims.size() < first + 3) return kUnknown;
  const auto at = [&](std::size_t tensor, std::size_t i) {
    return dims[first + tensor][heads_last && (i == 1 || i == 2) ? 3 - i : i];
  };
  for (std::size_t t = 0; t < 3; ++t)
    if (dims[first + t].size() != 4) return kUnknown;
  const double heads = at(0, 0) * at(0, 1), query = at(0, 2), key = at(1, 2);
  const double width = at(0, 3), value_width = at(2, 3);
  return 2 * heads * query * key * (backward ? 3 * width + 2 * value_width : width + value_width);
}

struct Formula {
  std::string_view name;
  double (*flops)(const std::vector<Shape>&, const std::vector<std::string_view>&);
};
using Dims = std::vector<Shape>;
using Inputs = std::vector<std::string_view>;

double at_two(const Dims& d, std::size_t a, std::size_t b, double (*formula)(const Shape&, const Shape&)) {
  return d.size() > std::max(a, b) ? formula(d[a], d[b]) : kUnknown;
}

double sdpa(const Dims& d, const Inputs&) {
  return attention(d, 0, false, false);
}
double sdpa_backward(const Dims& d, const Inputs&) {
  return attention(d, 1, false, true);
}
/// Sequences of different lengths, packed: the lengths are on the GPU.
double flash(const Dims& d, const Inputs&) {
  return d.size() > 4 && d[3].empty() && d[4].empty() ? attention(d, 0, true, false) : kUnknown;
}
double plain_conv(const Dims& d, const Inputs& in) {
  return convolution(d, in, 3, 4, 5, 0);
}
double general_conv(const Dims& d, const Inputs& in) {
  return convolution(d, in, 3, 4, 5, 6);
}

constexpr Formula kFormulas[] = {
    {"aten::mm", [](const Dims& d, const Inputs&) { return at_two(d, 0, 1, mm); }},
    {"aten::addmm", [](const Dims& d, const Inputs&) { return at_two(d, 1, 2, mm); }},
    {"aten::_scaled_mm", [](const Dims& d, const Inputs&) { return at_two(d, 0, 1, mm); }},
    {"aten::bmm", [](const Dims& d, const Inputs&) { return at_two(d, 0, 1, bmm); }},
    {"aten::baddbmm", [](const Dims& d, const Inputs&) { return at_two(d, 1, 2, bmm); }},
    {"aten::linear", [](const Dims& d, const Inputs&) { return at_two(d, 0, 1, linear); }},
    {"aten::conv1d", plain_conv},
    {"aten::conv2d", plain_conv},
    {"aten::conv3d", plain_conv},
    {"aten::convolution", general_conv},
    {"aten::_convolution", general_conv},
    {"aten::cudnn_convolution", [](const Dims& d, const Inputs& in) { return convolution(d, in, 3, 2, 4, 0); }},
    {"aten::convolution_backward", convolution_backward},
    {"aten::scaled_dot_product_attention", sdpa},
    {"aten::_scaled_dot_product_flash_attention", sdpa},
    {"aten::_scaled_dot_product_efficient_attention", sdpa},
    {"aten::_scaled_dot_product_cudnn_attention", sdpa},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", sdpa},
    {"aten::_scaled_dot_product_flash_attention_backward", sdpa_backward},
    {"aten::_scaled_dot_product_efficient_attention_backward", sdpa_backward},
    {"aten::_scaled_dot_product_cudnn_attention_backward", sdpa_backward},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", sdpa_backward},
    {"aten::_flash_attention_forward", flash},
};

const Formula* formula_of(std::string_view name) {
  const auto found = std::ranges::find(kFormulas, name, &Formula::name);
  return found == std::end(kFormulas) ? nullptr : found;
}

}  // namespace

double operator_flops(std::string_view name, std::string_view input_dims, std::string_view concrete_inputs) {
  const Formula* formula = formula_of(name);
  if (formula == nullptr || input_dims.empty()) return kUnknown;
  return formula->flops(parse_shapes(input_dims), parse_strings(concrete_inputs));
}

bool has_flop_formula(std::string_view name) {
  return formula_of(name) != nullptr;
}

FlopType flop_type(std::string_view input_types) {
  for (const std::string_view type : parse_strings(input_types)) {
    if (type == "c10::BFloat16" || type == "c10::Half") return FlopType::kHalf;
    if (type.find("Float8") != type.npos || type == "signed char") return FlopType::kFp8;
    if (type == "double") return FlopType::kFp64;
    if (type == "float") return FlopType::kFp32;
  }
  return FlopType::kFp32;
}

}  // namespace lacuna
