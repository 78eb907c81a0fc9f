#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "model/roofline/work_models.h"

namespace lacuna {
namespace {

/// Where the parameters of an operator stand; kNone: it has no such one.
struct Places {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t input, weight, bias, stride, padding, dilation, transposed = kNone, output_padding = kNone,
                                                              groups = kNone;
};

struct Tensors {
  Shape input, weight, output;
  bool is_transposed = false;
};

/// torch.nn.functional.conv and its transpose: the shape of what comes out, by the formulas of their documentation.
std::optional<Tensors> convolution_shapes(const TensorInputs& in, const Places& at) {
  Tensors of{in.shape(at.input), in.shape(at.weight), {}};
  const Shape &x = of.input, &w = of.weight;
  if (x.size() < 3 || w.size() != x.size()) return {};
  const std::size_t dims = x.size() - 2;
  of.is_transposed = at.transposed != Places::kNone && in.flag(at.transposed).value_or(false);
  const auto list = [&](std::size_t place, double otherwise) -> std::optional<Shape> {
    if (place == Places::kNone || in.concrete(place) == "[]") return Shape(dims, otherwise);
    Shape values = in.list(place);
    if (values.size() == 1) values.assign(dims, values[0]);
    return values.size() == dims ? std::optional(values) : std::nullopt;
  };
  const auto stride = list(at.stride, 1), padding = list(at.padding, 0), dilation = list(at.dilation, 1),
             more = list(at.output_padding, 0);
  if (!stride || !padding || !dilation || !more) return {};
  of.output = {x[0], w[0]};
  for (std::size_t i = 0; i < dims; ++i) {
    const double step = (*stride)[i], reach = (*dilation)[i] * (w[i + 2] - 1);
    if (step < 1 || reach < 0) return {};
    const double size = of.is_transposed ? (x[i + 2] - 1) * step - 2 * (*padding)[i] + reach + (*more)[i] + 1
                                         : std::floor((x[i + 2] + 2 * (*padding)[i] - reach - 1) / step) + 1;
    if (size < 1) return {};
    of.output.push_back(size);
  }
  if (of.is_transposed) {
    const std::optional<double> groups = in.number(at.groups);
    if (!groups) return {};
    of.output[1] = w[1] * *groups;
  }
  return of;
}

/// Each element of what the filter moves over meets the filter once; its channels are those of a group already.
double convolution_flop(const Tensors& of) {
  return 2 * product(of.is_transposed ? of.input : of.output) * product(of.weight, 1);
}

ModelResult convolve(const TensorInputs& in, const Places& at) {
  const auto of = convolution_shapes(in, at);
  const auto bytes = in.element_bytes(at.input);
  if (!of || !bytes) return {};
  const double outputs = product(of->output);
  Modelled result{{convolution_flop(*of), (product(of->input) + product(of->weight) + outputs) * *bytes}};
  if (at.bias != Places::kNone && in.is_tensor(at.bias)) {
    result.work.flop += outputs;
    result.work.bytes += of->output[1] * *bytes;
  }
  return result;
}

/// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
/// output_padding, groups, output_mask)
ModelResult convolution_backward(const TensorInputs& in) {
  constexpr Places kAt{1, 2, Places::kNone, 4, 5, 6, 7, 8, 9};
  const auto of = convolution_shapes(in, kAt);
  const auto bytes = in.element_bytes(1);
  if (!of || !bytes) return {};
  const double moved = (product(of->input) + product(of->weight) + product(of->output)) * *bytes;
  Modelled result{{2 * convolution_flop(*of), 2 * moved}};
  constexpr std::size_t kMask = 10;
  Work asked;
  for (const std::size_t gradient : {0, 1}) {
    if (!in.is_asked(kMask, gradient)) continue;
    asked.flop += convolution_flop(*of);
    asked.bytes += moved;
  }
  if (in.is_asked(kMask, 2) && !in.list(3).empty()) {
    asked.flop += product(of->output);
    asked.bytes += (product(of->output) + of->output[1]) * *bytes;
  }
  if (asked.flop != result.work.flop) {
    result.physical = asked;
    result.why = "TraceLens counts the gradients of input and weight, whichever are asked for.";
  }
  return result;
}

ModelResult general(const TensorInputs& in) {
  return convolve(in, {0, 1, 2, 3, 4, 5, 6, 7, 8});
}
ModelResult plain(const TensorInputs& in) {
  return convolve(in, {0, 1, 2, 3, 4, 5});
}
/// (input, weight, padding, stride, dilation, …)
ModelResult cudnn(const TensorInputs& in) {
  return convolve(in, {0, 1, Places::kNone, 3, 2, 4});
}
/// (input, weight, bias, padding, stride, dilation, …)
ModelResult miopen(const TensorInputs& in) {
  return convolve(in, {0, 1, 2, 4, 3, 5});
}

constexpr WorkModel convolution(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kConvolution, work, true};
}

constexpr WorkModel kConvolutions[] = {
    convolution("aten::convolution", general),
    convolution("aten::_convolution", general),
    convolution("aten::conv1d", plain),
    convolution("aten::conv2d", plain),
    convolution("aten::conv3d", plain),
    convolution("aten::cudnn_convolution", cudnn),
    convolution("aten::miopen_convolution", miopen),
    convolution("aten::convolution_backward", convolution_backward),
};

}  // namespace

const WorkModel* convolution_model(std::string_view name) {
  const auto found = std::ranges::find(kConvolutions, name, &WorkModel::name);
  return found == std::end(kConvolutions) ? nullptr : found;
}

}  // namespace lacuna
