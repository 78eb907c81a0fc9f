#pragma once

#include <nlohmann/json.hpp>

#include "model/trace/trace.h"

namespace lacuna {

/// What the references' groups of slices hold.
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

/// Compares what the analyses say of `trace` with a .ref.json: every number as an exact integer.
/// Looks at the sections that the reference has, so it serves the references of the shared traces
/// and those that tests/golden/reference.py makes. Returns how many sections it compared.
int check_reference(const Trace& trace, const nlohmann::json& reference);

}  // namespace lacuna
