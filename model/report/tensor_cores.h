#pragma once

#include <cstdint>
#include <string_view>

namespace lacuna {

/// What a kernel's name says about matrix units (NVIDIA: tensor cores; AMD: matrix cores).
enum class MatrixUse : std::uint8_t {
  kNone,     ///< no matrix product or convolution, judging by the name
  kPlain,    ///< one on the ordinary units: volta_sgemm_128x64_nn
  kTensor,   ///< one on tensor cores: sm90_xmma_gemm_bf16bf16_…
  kUnclear,  ///< one whose name does not tell: Triton and TVM kernels, cutlass without an opcode
};

/// Classifies a GEMM, convolution or attention (kernel_class.h) by parts of its name, Volta to Blackwell and CDNA.
/// Names are no proof: an unknown kernel is kNone. The list with its sources: tensor_cores.cpp.
MatrixUse matrix_use(std::string_view kernel_name);

}  // namespace lacuna
