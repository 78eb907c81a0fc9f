#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/columns/flops.h"
#include "model/kernels/kernel_class.h"
#include "model/roofline/tensor_inputs.h"

namespace lacuna {

/// Floating-point operations and bytes of memory.
struct Work {
  double flop = 0;
  double bytes = 0;  ///< each operand is read or written once, as if caches held all reused data
};
/// Whether it may be that of a call: neither negative nor more than anything that ran.
bool is_countable(const Work& work);

/// The computation and data movement of one call of an operator.
struct OperatorWork {
  KernelClass operator_class = KernelClass::kOther;
  FlopType type = FlopType::kFp32;  ///< type of its first tensor
  bool on_matrix_units = false;     ///< a matrix product in disguise: its roof is that of tensor (matrix) cores
  Work work;
  /// If `work`, by TraceLens' convention, differs from what the hardware must do: the latter, and why.
  std::optional<Work> physical;
  std::string why;
};

/// Returns the name without the number that SGLang's shape profiler appends to each function that it registers as an
/// operator, "sglang_profiler::attention_paged_attention_ragged_100": it differs from run to run.
std::string_view unnumbered_operator(std::string_view name);
/// Whether operator_work() knows the operator.
bool has_work_model(std::string_view name);

/// Whether its work can also be derived from the step of an inference server: TensorInputs::requests.
bool goes_by_requests(std::string_view name);

/// Returns the work of one call from its shapes, types and concrete inputs; none if there is no model for the operator,
/// or the args are insufficient: values are never guessed. Models and sources: work_models.h.
std::optional<OperatorWork> operator_work(std::string_view name, const TensorInputs& inputs);

}  // namespace lacuna
