#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Returns a kernel's name without the parts that vary from call to call (types, tile sizes, numbers):
///
///     void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, …>(…)
///                                          at::native::vectorized_elementwise_kernel CUDAFunctor_add
///     sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_…
///                                          sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n
///     ampere_fp16_s16816gemm_fp16_64x64_…  ampere_fp16_s16816gemm_fp16
///     triton_poi_fused_add_mul_3           triton_poi_fused_add_mul
///     void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_…_64x64_…>
///                                          cutlass_80_tensorop_bf16_s16816gemm_…
///
/// Other names lose return type, template arguments and parameters.
std::string kernel_family(std::string_view name);

}  // namespace lacuna
