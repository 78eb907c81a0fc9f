#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/kernels/kernel_class.h"

namespace lacuna {

/// The facts that a kernel's name can give, in the order in which they are shown.
enum class KernelFact : std::uint8_t {
  kLibrary,       ///< "cuBLAS", "Tensile (hipBLASLt)"
  kArchitecture,  ///< "Ampere (sm_80)"
  kOperation,     ///< "all-reduce (sum)", "forward", "gradient of the weights"
  kMerged,        ///< "gelu, mul": the operators that Inductor merged
  kOperands,      ///< "bf16", "bf16 and fp8 e4m3"
  kResult,
  kAccumulated,  ///< the accumulator's type
  kUnits,        ///< "tensor cores, 16x8x16", "FMA units, no tensor cores"
  kTile,         ///< part of the result that a thread block computes
  kStages,       ///< "4 stages of 64": steps along k that are loaded ahead
  kLayout,       ///< "TN: A transposed, B not"
  kSplitK,
  kCluster,   ///< thread blocks that cooperate
  kEpilogue,  ///< what is applied to the product before it is stored
  kHeadSize,  ///< of attention
  kVariant,   ///< "causal, paged keys and values"
  kAlgorithm,
  kVector,     ///< elements per thread and access
  kAlignment,  ///< alignment of operands, in elements
};
inline constexpr std::size_t kKernelFactCount = 19;

/// Returns the fact's label, "Library", "Tile" …, and a sentence that explains it.
std::string_view kernel_fact_label(KernelFact fact);
std::string_view kernel_fact_help(KernelFact fact);

/// A decoded kernel name. Facts that the name does not give are empty; nothing is guessed.
struct KernelName {
  KernelClass kernel_class = KernelClass::kOther;
  std::string title;     ///< short: without return type, parameters and template arguments
  std::string sentence;  ///< "A bf16 matrix product on tensor cores (16x8x16), …"; empty: no grammar knows the name
  std::array<std::string, kKernelFactCount> facts;

  const std::string& operator[](KernelFact fact) const { return facts[static_cast<std::size_t>(fact)]; }
  std::string& operator[](KernelFact fact) { return facts[static_cast<std::size_t>(fact)]; }
  bool is_known() const { return !sentence.empty(); }
  /// Returns label and value of the facts that the name gives, in order.
  std::vector<std::pair<std::string_view, std::string_view>> lines() const;
};

/// Decodes a name as written by CUPTI, roctracer, Nsight Systems and others, mangled or not. Grammars: cuBLAS, CUTLASS,
/// cuDNN, Tensile, Composable Kernel, Triton and Inductor, FlashAttention, FlashInfer, TensorRT-LLM, ATen, NCCL and
/// RCCL, CUB, oneDNN (names_*.cpp). O(length), a few us; any thread.
KernelName read_kernel_name(std::string_view name);

}  // namespace lacuna
