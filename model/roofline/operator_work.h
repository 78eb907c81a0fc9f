#pragma once

#include <optional>
#include <string_view>

#include "model/columns/flops.h"
#include "model/kernels/kernel_class.h"
#include "model/roofline/tensor_inputs.h"

namespace lacuna {

/// Floating-point operations and bytes of memory.
struct Work {
  double flop = 0;
  double bytes = 0;  ///< each operand read or written once, as if caches held all that is used again
};

/// What one call of an operator computes and moves.
struct OperatorWork {
  KernelClass operator_class = KernelClass::kOther;
  FlopType type = FlopType::kFp32;  ///< of its first tensor
  bool on_matrix_units = false;     ///< a matrix product in disguise: its roof is that of tensor (matrix) cores
  Work work;
  /// Where the convention of `work`, that of TraceLens, is not what the hardware has to do: that, and why.
  std::optional<Work> physical;
  std::string_view why;
};

/// The name without the number that SGLang's shape profiler puts behind each function that it registers as an operator,
/// "sglang_profiler::attention_paged_attention_ragged_100": it differs from run to run.
std::string_view unnumbered_operator(std::string_view name);
/// True for operators that operator_work() knows.
bool has_work_model(std::string_view name);

/// True for those whose work follows from the step of an inference server as well: TensorInputs::requests.
bool goes_by_requests(std::string_view name);

/// The work of one call by its shapes, types and concrete inputs; none where there is no model for the operator, or the
/// args say too little: a value is never guessed. Models and sources: work_models.h.
std::optional<OperatorWork> operator_work(std::string_view name, const TensorInputs& inputs);

}  // namespace lacuna
