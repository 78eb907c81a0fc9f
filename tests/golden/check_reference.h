#pragma once

#include <nlohmann/json.hpp>

#include "model/trace/trace.h"

namespace lacuna {

/// Groups of slices in the references.
inline bool is_kernel(CategoryClass c) {
  return c == CategoryClass::kKernel;
}
inline bool is_copy_or_set(CategoryClass c) {
  return is_gpu_activity(c) && !is_kernel(c);
}
inline bool is_operator(CategoryClass c) {
  return c == CategoryClass::kCpuOperator;
}
inline bool is_annotation(CategoryClass c) {
  return c == CategoryClass::kCpuAnnotation;
}

/// Compares the analyses of `trace` with a .ref.json: every number as an exact integer.
/// Checks the sections that the reference has, so it works for the references of the shared traces
/// and for those that tests/golden/reference.py makes. Returns how many sections it compared.
int check_reference(const Trace& trace, const nlohmann::json& reference);

}  // namespace lacuna
