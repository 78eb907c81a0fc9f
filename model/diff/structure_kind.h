#pragma once

#include <cstdint>
#include <string_view>

namespace lacuna {

/// What a node of a structure stands for.
enum class StructureKind : std::uint8_t {
  kRoot,      ///< everything of the file
  kModule,    ///< "nn.Module: Linear": all instances of the class below one parent
  kOperator,  ///< an operator
  kRegion,    ///< compiled code: see is_compiled_region()
  kNoLaunch,  ///< kernels whose launch is not in the file
  kKernel,    ///< kernels of one name
};
/// "module", "operator", "region" …, for JSON.
std::string_view structure_kind_key(StructureKind kind);

/// A call or kernel that torch.compile made, and that stands for several operators of the program: a frame of Dynamo
/// ("Torch-Compiled Region: 0/0"), a graph of Inductor ("CompiledFxGraph"), its function of autograd
/// ("CompiledFunction"), a kernel that Inductor wrote ("triton_poi_fused_add_relu_0").
bool is_compiled_region(std::string_view name);
inline bool is_triton_kernel(std::string_view name) {
  return name.starts_with("triton_");
}

}  // namespace lacuna
