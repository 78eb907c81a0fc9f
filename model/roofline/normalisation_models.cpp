#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/roofline/work_models.h"

namespace lacuna {
namespace {

/// What a normalisation works on; `channels`: sets of statistics, as TraceLens counts them.
struct Normalisation {
  double elements, channels, element_bytes;
  bool is_training = true;
  bool has_weight = true, has_bias = true;
  bool input_gradient = true, weight_gradient = true;
};

std::optional<Normalisation> normalisation(const TensorInputs& in, std::size_t input, double channels) {
  const auto bytes = in.element_bytes(input);
  if (!bytes || !in.is_tensor(input) || !(channels > 0)) return {};
  return Normalisation{in.elements(input), channels, *bytes};
}

/// Of "normalized_shape"; 0: the args do not have it.
double listed_channels(const TensorInputs& in, std::size_t place) {
  const Shape shape = in.list(place);
  return shape.empty() ? 0 : product(shape);
}

/// Mean and variance 3 an element where they are not given, 6 a channel for scale and shift, 2 an element to apply.
Work norm_work(const Normalisation& of) {
  const double sets = 2.0 + of.has_weight + of.has_bias + (of.is_training ? 2 : 0);
  return {(of.is_training ? 5 : 2) * of.elements + 6 * of.channels,
          (2 * of.elements + sets * of.channels) * of.element_bytes};
}

/// 4 an element for the sum of gradient and input; 5 more for the gradient of the input, or 2 where there is none.
Work norm_gradient_work(const Normalisation& of) {
  const bool of_input = of.input_gradient && of.is_training;
  const double sets =
      (of.is_training ? 1.0 : 0.0) + of.has_weight + (of.is_training && of.has_weight ? 1.0 + of.has_bias : 0.0);
  return {(of.is_training ? 0 : 3 * of.channels) + 4 * of.elements +
              (of_input            ? 5
               : of.input_gradient ? 0
                                   : 2) *
                  of.elements,
          ((of_input ? 3 : 2) * of.elements + sets * of.channels) * of.element_bytes};
}

/// The mean of squares 2 an element and 2 a row, 1 an element to apply, 1 for the weight.
Work rms_work(const Normalisation& of) {
  const double rows = of.elements / of.channels;
  return {rows * (2 * of.channels + 2) + of.elements * (1.0 + of.has_weight),
          (2 * of.elements + (of.has_weight ? of.channels : 0)) * of.element_bytes};
}

Work rms_backward_work(const Normalisation& of) {
  const bool of_weight = of.weight_gradient && of.has_weight;
  const double each =
      1.0 + of.has_weight + (of.input_gradient ? 6 : 0) + (of_weight ? 1.0 + (of.elements > of.channels) : 0.0);
  return {each * of.elements, (3 * of.elements + (of.has_weight ? 2 * of.channels : 0)) * of.element_bytes};
}

/// Both conventions: that of TraceLens, which takes all to be there and in training; and what the call has.
ModelResult both(const Normalisation& counted, const Normalisation& actual, Work (*work)(const Normalisation&)) {
  Modelled result{work(counted)};
  const Work real = work(actual);
  const auto differs = [](double a, double b) { return std::abs(a - b) > 0.001 * std::max(a, b); };
  if (differs(result.work.flop, real.flop) || differs(result.work.bytes, real.bytes)) {
    result.physical = real;
    result.why = actual.is_training != counted.is_training
                     ? "TraceLens takes the call for the other of training and evaluation."
                     : "TraceLens counts weights, or gradients, that the call does not have.";
  }
  return result;
}

// Training is what the flag says; TraceLens takes any text, "False" too, for true.
ModelResult norm_forward(const TensorInputs& in, double channels, std::size_t weight, std::size_t bias,
                         std::optional<std::size_t> training) {
  const auto counted = normalisation(in, 0, channels);
  if (!counted) return {};
  Normalisation actual = *counted;
  actual.has_weight = in.is_tensor(weight);
  actual.has_bias = in.is_tensor(bias);
  if (training) actual.is_training = in.flag(*training).value_or(true);
  return both(*counted, actual, norm_work);
}

double second(const Shape& shape) {
  return shape.size() < 2 ? 0 : shape[1];
}

ModelResult batch_norm(const TensorInputs& in) {
  return norm_forward(in, second(in.shape(0)), 1, 2, 5);
}
/// (input, normalized_shape, weight, bias, …)
ModelResult layer_norm(const TensorInputs& in) {
  return norm_forward(in, listed_channels(in, 1), 2, 3, {});
}
/// (input, num_groups, weight, bias, …)
ModelResult group_norm(const TensorInputs& in) {
  return norm_forward(in, second(in.shape(0)), 2, 3, {});
}
/// (input, weight, bias, N, C, HxW, group, eps)
ModelResult native_group_norm(const TensorInputs& in) {
  return norm_forward(in, second(in.shape(0)), 1, 2, {});
}

/// `mask`: its place, or none.
ModelResult norm_backward(const TensorInputs& in, std::size_t input, double channels, std::size_t weight,
                          std::optional<std::size_t> mask, bool counted_training = true, bool is_training = true) {
  auto counted = normalisation(in, input, channels);
  if (!counted) return {};
  counted->is_training = counted_training;
  if (mask) counted->input_gradient = in.is_asked(*mask, 0);
  Normalisation actual = *counted;
  actual.is_training = is_training;
  actual.has_weight = in.is_tensor(weight);
  if (mask) actual.has_bias = in.is_asked(*mask, 2);
  return both(*counted, actual, norm_gradient_work);
}

/// (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask)
ModelResult native_batch_norm_backward(const TensorInputs& in) {
  return norm_backward(in, 1, second(in.shape(1)), 2, 9, true, in.flag(7).value_or(true));
}
/// (input, grad_output, weight, …): of MIOpen and cuDNN, which have it for training alone.
ModelResult library_batch_norm_backward(const TensorInputs& in) {
  return norm_backward(in, 0, second(in.shape(0)), 2, {}, false, true);
}
/// (grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask)
ModelResult layer_norm_backward(const TensorInputs& in) {
  auto of = normalisation(in, 1, listed_channels(in, 2));
  if (!of) return {};
  of->input_gradient = in.is_asked(7, 0);
  of->has_weight = in.is_asked(7, 1);
  of->has_bias = in.is_asked(7, 2);
  return Modelled{norm_gradient_work(*of)};
}
/// (grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask)
ModelResult group_norm_backward(const TensorInputs& in) {
  const auto groups = in.number(8);
  return groups && *groups > 0 ? norm_backward(in, 1, second(in.shape(1)) / *groups, 4, 9) : std::nullopt;
}

/// (input, normalized_shape, weight, eps)
ModelResult fused_rms_norm(const TensorInputs& in) {
  auto counted = normalisation(in, 0, listed_channels(in, 1));
  if (!counted) return {};
  Normalisation actual = *counted;
  actual.has_weight = in.is_tensor(2);
  return both(*counted, actual, rms_work);
}
/// (grad_out, input, normalized_shape, rstd, weight, output_mask)
ModelResult fused_rms_norm_backward(const TensorInputs& in) {
  auto counted = normalisation(in, 1, listed_channels(in, 2));
  if (!counted) return {};
  counted->input_gradient = in.is_asked(5, 0);
  counted->weight_gradient = in.is_asked(5, 1);
  Normalisation actual = *counted;
  actual.has_weight = in.is_tensor(4);
  return both(*counted, actual, rms_backward_work);
}

/// With a weight of [width], after an addition of a residual where `adds`, which is written as well.
ModelResult serving_rms_norm(const TensorInputs& in, std::size_t input, std::size_t weight, bool adds) {
  const auto of = normalisation(in, input, in.shape(weight).size() == 1 ? in.elements(weight) : 0);
  if (!of) return {};
  Work work = rms_work(*of);
  if (adds) {
    work.flop += of->elements;
    work.bytes += 2 * of->elements * of->element_bytes;
  }
  return Modelled{work};
}
/// (input, weight, eps)
ModelResult rms_norm_to_new(const TensorInputs& in) {
  return serving_rms_norm(in, 0, 1, false);
}
/// (out, input, weight, eps)
ModelResult rms_norm_to_out(const TensorInputs& in) {
  return serving_rms_norm(in, 1, 2, false);
}
/// (out, input, residual_in, residual_out, weight, eps)
ModelResult add_rms_norm(const TensorInputs& in) {
  return serving_rms_norm(in, 1, 4, true);
}
/// (input, residual, weight, eps), both in place
ModelResult add_rms_norm_in_place(const TensorInputs& in) {
  return serving_rms_norm(in, 0, 2, true);
}

constexpr WorkModel norm(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kNormalisation, work};
}

constexpr WorkModel kNormalisations[] = {
    norm("aten::batch_norm", batch_norm),
    norm("aten::native_batch_norm", batch_norm),
    norm("aten::miopen_batch_norm", batch_norm),
    norm("aten::cudnn_batch_norm", batch_norm),
    norm("aten::instance_norm", batch_norm),
    norm("aten::layer_norm", layer_norm),
    norm("aten::native_layer_norm", layer_norm),
    norm("aten::group_norm", group_norm),
    norm("aten::native_group_norm", native_group_norm),
    norm("aten::_fused_rms_norm", fused_rms_norm),
    norm("aten::native_batch_norm_backward", native_batch_norm_backward),
    norm("aten::miopen_batch_norm_backward", library_batch_norm_backward),
    norm("aten::cudnn_batch_norm_backward", library_batch_norm_backward),
    norm("aten::native_layer_norm_backward", layer_norm_backward),
    norm("aten::native_group_norm_backward", group_norm_backward),
    norm("aten::_fused_rms_norm_backward", fused_rms_norm_backward),
    norm("aiter::rms_norm", rms_norm_to_new),
    norm("aiter::rmsnorm2d_fwd_ck", rms_norm_to_new),
    norm("aiter::rmsnorm", rms_norm_to_out),
    norm("_C::rms_norm", rms_norm_to_out),
    norm("sgl_kernel::rmsnorm", rms_norm_to_out),
    norm("aiter::add_rmsnorm", add_rms_norm),
    norm("aiter::rmsnorm2d_fwd_with_add_ck", add_rms_norm),
    norm("_C::fused_add_rms_norm", add_rms_norm_in_place),
    norm("sgl_kernel::fused_add_rmsnorm", add_rms_norm_in_place),
};

}  // namespace

const WorkModel* normalisation_model(std::string_view name) {
  const auto found = std::ranges::find(kNormalisations, name, &WorkModel::name);
  return found == std::end(kNormalisations) ? nullptr : found;
}

}  // namespace lacuna
