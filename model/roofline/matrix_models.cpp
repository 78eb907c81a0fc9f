#include <algorithm>
#include <iterator>

#include "model/roofline/work_models.h"

namespace lacuna {
namespace {

/// Of [m, k] x [k, n], `batch` times.
struct Product {
  double m, n, k, batch = 1;
};

/// `bias`: index of a tensor that is added, or none. `output_bytes` of one element.
ModelResult product_work(const TensorInputs& in, const Product& of, std::size_t a, std::size_t b,
                         std::optional<double> output_bytes, std::optional<std::size_t> bias = {}) {
  const std::optional<double> a_bytes = in.element_bytes(a), b_bytes = in.element_bytes(b);
  if (!a_bytes || !b_bytes || !output_bytes) return {};
  const double output = of.batch * of.m * of.n;
  Modelled result{
      {2 * output * of.k, of.batch * (of.m * of.k * *a_bytes + of.k * of.n * *b_bytes) + output * *output_bytes}};
  if (!bias || !in.is_tensor(*bias)) return result;
  const std::optional<double> bias_bytes = in.bytes(*bias);
  if (!bias_bytes) return {};
  result.work.flop += output;
  result.work.bytes += *bias_bytes;
  return result;
}

/// Bytes of an element of what a product of 8-bit or 4-bit numbers gives: 16 bits, as in all kernels of today.
std::optional<double> wide_bytes(const TensorInputs& in, std::size_t a) {
  const std::optional<double> bytes = in.element_bytes(a);
  return bytes ? std::optional(std::max(*bytes, 2.0)) : std::nullopt;
}

ModelResult two_dimensional(const TensorInputs& in, std::size_t a, std::size_t b, std::optional<double> output_bytes,
                            std::optional<std::size_t> bias = {}) {
  const Shape &left = in.shape(a), &right = in.shape(b);
  if (left.size() != 2 || right.size() != 2 || left[1] != right[0]) return {};
  return product_work(in, {left[0], right[1], left[1]}, a, b, output_bytes, bias);
}

ModelResult batched(const TensorInputs& in, std::size_t a, std::size_t b, std::optional<std::size_t> bias = {}) {
  const Shape &left = in.shape(a), &right = in.shape(b);
  if (left.size() != 3 || right.size() != 3 || left[0] != right[0] || left[2] != right[1]) return {};
  return product_work(in, {left[1], right[2], left[2], left[0]}, a, b, in.element_bytes(a), bias);
}

/// x [..., K] and a weight [N, K].
ModelResult linear_work(const TensorInputs& in, std::optional<double> output_bytes, std::optional<std::size_t> bias) {
  const Shape &x = in.shape(0), &weight = in.shape(1);
  if (x.empty() || weight.size() != 2 || x.back() != weight[1] || weight[1] == 0) return {};
  return product_work(in, {product(x) / weight[1], weight[0], weight[1]}, 0, 1, output_bytes, bias);
}

ModelResult mm(const TensorInputs& in) {
  return two_dimensional(in, 0, 1, in.element_bytes(0));
}
ModelResult scaled_mm(const TensorInputs& in) {
  return two_dimensional(in, 0, 1, wide_bytes(in, 0));
}
/// int8 in, int32 out.
ModelResult int_mm(const TensorInputs& in) {
  return two_dimensional(in, 0, 1, 4);
}
ModelResult addmm(const TensorInputs& in) {
  return two_dimensional(in, 1, 2, in.element_bytes(1), 0);
}
ModelResult bmm(const TensorInputs& in) {
  return batched(in, 0, 1);
}
ModelResult baddbmm(const TensorInputs& in) {
  return batched(in, 1, 2, 0);
}
ModelResult linear(const TensorInputs& in) {
  return linear_work(in, in.element_bytes(0), 2);
}
/// Its third parameter is no bias.
ModelResult linear_alone(const TensorInputs& in) {
  return linear_work(in, in.element_bytes(0), {});
}
ModelResult quantised_linear(const TensorInputs& in) {
  return linear_work(in, wide_bytes(in, 0), {});
}
/// int8 in, int32 out (bitsandbytes).
ModelResult int_linear(const TensorInputs& in) {
  return linear_work(in, 4, {});
}

ModelResult matrix_vector(const TensorInputs& in, std::size_t a, std::optional<std::size_t> bias) {
  const Shape &matrix = in.shape(a), &vector = in.shape(a + 1);
  if (matrix.size() != 2 || vector.size() != 1 || matrix[1] != vector[0]) return {};
  return product_work(in, {matrix[0], 1, matrix[1]}, a, a + 1, in.element_bytes(a), bias);
}
ModelResult mv(const TensorInputs& in) {
  return matrix_vector(in, 0, {});
}
ModelResult addmv(const TensorInputs& in) {
  return matrix_vector(in, 1, 0);
}
ModelResult dot(const TensorInputs& in) {
  if (in.shape(0).size() != 1 || in.shape(0) != in.shape(1)) return {};
  return product_work(in, {1, 1, in.elements(0)}, 0, 1, in.element_bytes(0));
}

/// torch._grouped_mm: groups share the rows ([M, K] x [G, K, N]), the columns ([G, M, K] x [K, N]) or K ([M, K] x
/// [K, N] to [G, M, N]), at `offsets` that lie on the GPU; or each has its own ([G, M, K] x [G, K, N]).
ModelResult grouped(const TensorInputs& in, std::optional<double> output_bytes, std::size_t offsets) {
  const Shape &a = in.shape(0), &b = in.shape(1);
  if (a.size() < 2 || b.size() < 2 || a.size() > 3 || b.size() > 3 || a.back() != b[b.size() - 2]) return {};
  const std::optional<double> a_bytes = in.bytes(0), b_bytes = in.bytes(1);
  if (!a_bytes || !b_bytes || !output_bytes || (a.size() == 3 && b.size() == 3 && a[0] != b[0])) return {};
  const double m = a[a.size() - 2], k = a.back(), n = b.back();
  double outputs = m * n, flop = 2 * m * n * k;
  if (a.size() == 3 && b.size() == 3) {
    outputs *= a[0];
    flop *= a[0];
  } else if (a.size() == 2 && b.size() == 2) {
    if (in.shape(offsets).size() != 1) return {};
    outputs *= in.elements(offsets);
  }
  return Modelled{{flop, *a_bytes + *b_bytes + outputs * *output_bytes}};
}
ModelResult grouped_mm(const TensorInputs& in) {
  return grouped(in, in.element_bytes(0), 2);
}
ModelResult scaled_grouped_mm(const TensorInputs& in) {
  return grouped(in, wide_bytes(in, 0), 4);
}

constexpr WorkModel matrix(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kGemm, work, true};
}

constexpr WorkModel kModels[] = {
    matrix("aten::mm", mm),
    matrix("aten::addmm", addmm),
    matrix("aten::bmm", bmm),
    matrix("aten::baddbmm", baddbmm),
    matrix("aten::linear", linear),
    matrix("aten::addmv", addmv),
    matrix("aten::mv", mv),
    matrix("aten::dot", dot),
    matrix("aten::_scaled_mm", scaled_mm),
    matrix("aten::_int_mm", int_mm),
    matrix("aten::_grouped_mm", grouped_mm),
    matrix("aten::_scaled_grouped_mm", scaled_grouped_mm),
    matrix("trtllm::cublas_scaled_mm", scaled_mm),
    matrix("bitsandbytes::int8_linear_matmul", int_linear),
    matrix("vllm::rocm_unquantized_gemm", linear),
    // ROCm/aiter: x [M, K], weight [N, K].
    matrix("aiter::gemm_a16w16", linear),
    matrix("aiter::gemm_a16w16_atomic_", linear_alone),
    matrix("aiter::_gemm_a16w16_asm", linear_alone),
    matrix("aiter::gemm_a8w8_ck", quantised_linear),
    matrix("aiter::gemm_a8w8_bpreshuffle", quantised_linear),
    matrix("aiter::gemm_a8w8_bpreshuffle_ck", quantised_linear),
    matrix("aiter::gemm_a8w8_blockscale_ck", quantised_linear),
    matrix("aiter::gemm_a8w8_blockscale_cktile", quantised_linear),
    matrix("aiter::gemm_a8w8_blockscale_bpreshuffle_ck", quantised_linear),
    matrix("vllm::rocm_aiter_triton_gemm_a8w8_blockscale", quantised_linear),
};

}  // namespace

const WorkModel* matrix_model(std::string_view name) {
  const auto found = std::ranges::find(kModels, name, &WorkModel::name);
  return found == std::end(kModels) ? nullptr : found;
}

}  // namespace lacuna
