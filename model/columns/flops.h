#pragma once

#include <cstdint>
#include <string_view>

namespace lacuna {

/// Number formats of matrix products for which GPUs have different peaks.
enum class FlopType : std::uint8_t { kFp64, kFp32, kTf32, kHalf, kFp8 };  ///< kHalf: fp16 and bf16; kFp8: and int8

/// Returns the floating-point operations of one call by torch's own formulas (torch/utils/flop_counter.py,
/// torch 2.15: a multiply and an add count as two, bias and elementwise work do not count), from its
/// "Input Dims" and "Concrete Inputs" as written in the file. aten::linear and aten::conv…d, which
/// are not in torch's registry, count as the mm or convolution that they call.
///
/// < 0: no formula for this operator, or insufficient data (convolutions need
/// "Concrete Inputs").
double operator_flops(std::string_view name, std::string_view input_dims, std::string_view concrete_inputs);

/// Whether operator_flops() has a formula for the operator.
bool has_flop_formula(std::string_view name);

/// Returns the format of the first tensor of "Input type". float counts as kFp32, though with TF32 allowed
/// it may run on tensor cores.
FlopType flop_type(std::string_view input_types);

}  // namespace lacuna
