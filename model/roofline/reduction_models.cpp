#include <algorithm>
#include <iterator>

#include "model/roofline/work_models.h"

namespace lacuna {
namespace {

/// What is left of a shape without the dimensions of `dims`; all are gone where there are none.
std::optional<double> reduced_elements(const Shape& shape, const Shape& dims) {
  if (dims.empty()) return 1;
  Shape left = shape;
  for (double dim : dims) {
    if (dim < 0) dim += static_cast<double>(shape.size());
    if (dim < 0 || dim >= static_cast<double>(shape.size())) return shape.empty() ? std::optional(1.0) : std::nullopt;
    left[static_cast<std::size_t>(dim)] = 1;
  }
  return product(left);
}

/// `dims`: the place of the dimensions that go. `positions`: where they lie is written as well.
ModelResult reduction(const TensorInputs& in, std::size_t dims, bool positions = false) {
  const auto each = in.element_bytes(0);
  if (!in.is_tensor(0) || !each) return {};
  const double read = in.elements(0);
  Modelled result{{read, (read + 1) * *each}};
  const auto left = reduced_elements(in.shape(0), in.list(dims));
  if (!left) return {};
  constexpr double kPositionBytes = 8;
  const bool has_positions = positions && !in.list(dims).empty();
  const double bytes = read * *each + *left * (*each + (has_positions ? kPositionBytes : 0));
  if (bytes - result.work.bytes > 0.001 * bytes) {
    result.physical = Work{read, bytes};
    result.why = "TraceLens counts one element that comes out, whatever dimensions stay.";
  }
  return result;
}

ModelResult reduce(const TensorInputs& in) {
  return reduction(in, 1);
}
ModelResult reduce_with_positions(const TensorInputs& in) {
  return reduction(in, 1, true);
}
/// (self, ord, dim, …)
ModelResult vector_norm(const TensorInputs& in) {
  return reduction(in, 2);
}
/// As much comes out as goes in.
ModelResult scan(const TensorInputs& in) {
  const auto bytes = in.bytes(0);
  return in.is_tensor(0) && bytes ? ModelResult(Modelled{{in.elements(0), 2 * *bytes}}) : std::nullopt;
}

/// Maximum, difference, exponential, sum and quotient: 5 an element.
ModelResult softmax(const TensorInputs& in) {
  const auto bytes = in.bytes(0);
  return in.is_tensor(0) && bytes ? ModelResult(Modelled{{5 * in.elements(0), 2 * *bytes}}) : std::nullopt;
}
/// (grad_output, output, …): product, sum, difference and product: 4 an element.
ModelResult softmax_backward(const TensorInputs& in) {
  const auto gradient = in.bytes(0), output = in.bytes(1);
  if (!in.is_tensor(0) || !gradient || !output) return {};
  return Modelled{{4 * in.elements(0), 2 * *gradient + *output}};
}

/// (weight [n, width], indices): rows read and written.
ModelResult embedding(const TensorInputs& in) {
  const auto each = in.element_bytes(0), indices = in.stored_bytes(1);
  if (in.shape(0).size() != 2 || !in.is_tensor(1) || !each || !indices) return {};
  return Modelled{{0, *indices + 2 * in.elements(1) * in.shape(0)[1] * *each}};
}
/// (self, dim, index)
ModelResult index_select(const TensorInputs& in) {
  const auto each = in.element_bytes(0), indices = in.stored_bytes(2);
  const auto others = reduced_elements(in.shape(0), in.list(1));
  if (in.shape(0).empty() || in.list(1).size() != 1 || !in.is_tensor(2) || !each || !indices || !others) return {};
  return Modelled{{0, *indices + 2 * in.elements(2) * *others * *each}};
}
/// (self, dim, index, …)
ModelResult gather(const TensorInputs& in) {
  const auto each = in.element_bytes(0), indices = in.stored_bytes(2);
  if (!in.is_tensor(2) || !each || !indices) return {};
  return Modelled{{0, *indices + 2 * in.elements(2) * *each}};
}

constexpr WorkModel reducing(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kReduction, work};
}
constexpr WorkModel softmaxing(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kNormalisation, work};
}
constexpr WorkModel looking_up(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kEmbedding, work};
}

constexpr WorkModel kReductions[] = {
    reducing("aten::sum", reduce),
    reducing("aten::mean", reduce),
    reducing("aten::max", reduce_with_positions),
    reducing("aten::min", reduce_with_positions),
    reducing("aten::amax", reduce),
    reducing("aten::amin", reduce),
    reducing("aten::std", reduce),
    reducing("aten::var", reduce),
    reducing("aten::prod", reduce),
    reducing("aten::logsumexp", reduce),
    reducing("aten::norm", vector_norm),
    reducing("aten::linalg_norm", vector_norm),
    reducing("aten::linalg_vector_norm", vector_norm),
    reducing("aten::cumsum", scan),
    reducing("aten::cumprod", scan),
    softmaxing("aten::_softmax", softmax),
    softmaxing("aten::_log_softmax", softmax),
    softmaxing("aten::_softmax_backward_data", softmax_backward),
    softmaxing("aten::_log_softmax_backward_data", softmax_backward),
    looking_up("aten::embedding", embedding),
    looking_up("aten::index_select", index_select),
    looking_up("aten::gather", gather),
};

}  // namespace

const WorkModel* reduction_model(std::string_view name) {
  const auto found = std::ranges::find(kReductions, name, &WorkModel::name);
  return found == std::end(kReductions) ? nullptr : found;
}

}  // namespace lacuna
