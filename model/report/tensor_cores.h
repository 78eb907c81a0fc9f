#pragma once

#include <cstdint>
#include <string_view>

namespace lacuna {

/// What a kernel's name says of matrix units (NVIDIA: tensor cores; AMD: matrix cores).
enum class MatrixUse : std::uint8_t {
  kNone,     ///< no matrix product or convolution, as far as the name tells
  kPlain,    ///< one that runs on the ordinary units: volta_sgemm_128x64_nn
  kTensor,   ///< one that uses tensor cores: sm90_xmma_gemm_bf16bf16_…
  kUnclear,  ///< one whose name does not tell: Triton and TVM kernels, cutlass without an opcode
};

/// Judges a GEMM, convolution or attention (kernel_class.h) by parts of its name, Volta to Blackwell and CDNA. Names
/// are no proof: a kernel that nobody knows is kNone. The list with its sources: tensor_cores.cpp.
MatrixUse matrix_use(std::string_view kernel_name);

}  // namespace lacuna
