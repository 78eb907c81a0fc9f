// What a reader sees in the names of kernels: real ones, as CUPTI, roctracer and Nsight Systems wrote them down.

#include "model/kernels/kernel_name.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

struct Row {
  const char* name;
  const char* sentence;
  const char* facts;  ///< "Label: value; …"
};

std::string facts_of(const KernelName& read) {
  std::string all;
  for (const auto& [label, value] : read.lines()) {
    if (!all.empty()) all += "; ";
    all.append(label).append(": ").append(value);
  }
  return all;
}

TEST_CASE("kernel names: every grammar") {
  const Row rows[] = {
      {"triton_mm", "A matrix product, of Triton (Inductor).", "Library: Triton (Inductor)"},
      {"volta_sgemm", "An fp32 matrix product without tensor cores, of cuBLAS for Volta.",
       "Library: cuBLAS; Built for: Volta; Operands: fp32; Added up in: fp32; Units: FMA units, no tensor cores"},
      // What is not the type of the sums: behind the opcode of the operands, before it of the result.
      {"volta_s884gemm_fp16_128x64_ldg8_f2f_nn",
       "An fp16 matrix product on tensor cores (8x8x4), tile 128x64, neither transposed, of cuBLAS for Volta.",
       "Library: cuBLAS; Built for: Volta; Operands: fp16; Result: fp32; Added up in: fp32; Units: tensor cores, "
       "8x8x4; "
       "Tile: 128x64; Layout: NN: neither transposed"},
      {"volta_h884gemm_64x64_ldg8_nn",
       "An fp16 matrix product on tensor cores (8x8x4), tile 64x64, neither transposed, of cuBLAS for Volta.",
       "Library: cuBLAS; Built for: Volta; Operands: fp16; Added up in: fp16; Units: tensor cores, 8x8x4; Tile: 64x64; "
       "Layout: NN: neither transposed"},
      {"void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_f16_128x128_32x5_tn_align8>",
       "An fp16 matrix product on tensor cores (16x8x16), tile 128x128, 5 stages of 32, A transposed, of CUTLASS for "
       "Ampere.",
       "Library: CUTLASS; Built for: Ampere (sm_80); Operands: fp16; Result: fp32; Added up in: fp32; Units: tensor "
       "cores, 16x8x16; Tile: 128x128; Stages: 5 stages of 32; Layout: TN: A transposed, B not; Alignment: 8 elements"},
      {"ampere_int32_i16832gemm_int8_128x128_ldg16_stages_64x3_tn",
       "An int8 matrix product on tensor cores (16x8x32), tile 128x128, 3 stages of 64, A transposed, of cuBLAS for "
       "Ampere.",
       "Library: cuBLAS; Built for: Ampere; Operands: int8; Result: int32; Added up in: int32; Units: tensor cores, "
       "16x8x32; Tile: 128x128; Stages: 3 stages of 64; Layout: TN: A transposed, B not"},
      {"volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1",
       "An fp16 convolution on tensor cores (8x8x4), tile 256x64, with ReLU, of cuDNN for Volta.",
       "Library: cuDNN; Built for: Volta; Operands: fp16; Result: fp16; Added up in: fp32; Units: tensor cores, 8x8x4; "
       "Tile: 256x64; Epilogue: ReLU; Algorithm: implicit GEMM"},
      // Tensile: behind the types B (beta) and H (adds up in fp32).
      {"Cijk_Ailk_Bljk_SB_MT128x128x16_SN_1LDSB0",
       "An fp32 matrix product, tile 128x128, steps of 16, neither transposed, of Tensile (hipBLASLt, rocBLAS).",
       "Library: Tensile (hipBLASLt, rocBLAS); Operands: fp32; Result: fp32; Added up in: fp32; Tile: 128x128; Stages: "
       "steps of 16; Layout: NN: neither transposed"},
      {"Cijk_Alik_Bljk_HBH_MT128x128x16_MI32x32x8x1_SN",
       "An fp16 matrix product on matrix cores (MFMA 32x32), tile 128x128, steps of 16, A transposed, of Tensile "
       "(hipBLASLt, rocBLAS).",
       "Library: Tensile (hipBLASLt, rocBLAS); Operands: fp16; Result: fp16; Added up in: fp32; Units: matrix cores, "
       "MFMA 32x32; Tile: 128x128; Stages: steps of 16; Layout: TN: A transposed, B not"},
      {"Cijk_Alik_Bljk_HB_MT128x128x16_SN",
       "An fp16 matrix product, tile 128x128, steps of 16, A transposed, of Tensile (hipBLASLt, rocBLAS).",
       "Library: Tensile (hipBLASLt, rocBLAS); Operands: fp16; Result: fp16; Added up in: fp16; Tile: 128x128; Stages: "
       "steps of 16; Layout: TN: A transposed, B not"},
      {"Cijk_Alik_Bljk_BBH_MT64x128x32_SE_K1",
       "A bf16 matrix product, tile 64x128, steps of 32, A transposed, of Tensile (hipBLASLt, rocBLAS).",
       "Library: Tensile (hipBLASLt, rocBLAS); Operands: bf16; Result: bf16; Added up in: fp32; Tile: 64x128; Stages: "
       "steps of 32; Layout: TN: A transposed, B not"},
      {"Cijk_Alik_Bljk_HSS_BH_MT128x128x16_SN",
       "An fp16 matrix product, tile 128x128, steps of 16, A transposed, of Tensile (hipBLASLt, rocBLAS).",
       "Library: Tensile (hipBLASLt, rocBLAS); Operands: fp16; Result: fp32; Added up in: fp32; Tile: 128x128; Stages: "
       "steps of 16; Layout: TN: A transposed, B not"},
      {"Cijk_Alik_Bljk_I8II_BH_MT128x128x16_MI32x32x8x1_SN",
       "An int8 matrix product on matrix cores (MFMA 32x32), tile 128x128, steps of 16, A transposed, of Tensile "
       "(hipBLASLt, rocBLAS).",
       "Library: Tensile (hipBLASLt, rocBLAS); Operands: int8; Result: int32; Added up in: int32; Units: matrix cores, "
       "MFMA 32x32; Tile: 128x128; Stages: steps of 16; Layout: TN: A transposed, B not"},
      {"gen_conv_fwd", "A forward convolution, of oneDNN.", "Library: oneDNN"},
      {"gen_conv_bwd_w", "The gradient of a convolution's weights, of oneDNN.", "Library: oneDNN"},
      {"gen_conv_bwd_d", "The gradient of a convolution's input, of oneDNN.", "Library: oneDNN"},
      {"jit:gemm:any", "A matrix product, of oneDNN.", "Library: oneDNN"},
      {"xe_softmax_fwd", "A softmax, of oneDNN.", "Library: oneDNN"},
      {"xe_something_else", "", ""},
      {"nvjet_qst_128x64_64x8_1x2_h_bz_TNT",
       "An fp8 matrix product on tensor cores, tile 128x64, 8 stages of 64, A transposed, of cuBLAS.",
       "Library: cuBLAS; Operands: fp8; Result: bf16; Added up in: fp32; Units: tensor cores; Tile: 128x64; "
       "Stages: 8 stages of 64; Layout: TNT: A transposed, B not; Cluster: 1x2"},
      {"nvjet_ddd_128x64_64x8_1x2_h_bz_TNT",
       "An fp64 matrix product on tensor cores, tile 128x64, 8 stages of 64, A transposed, of cuBLAS.",
       "Library: cuBLAS; Operands: fp64; Result: fp64; Added up in: fp64; Units: tensor cores; Tile: 128x64; "
       "Stages: 8 stages of 64; Layout: TNT: A transposed, B not; Cluster: 1x2"},
      {"nvjet_hsh_128x64_64x8_1x2_h_bz_TNT",
       "An fp16 matrix product on tensor cores, tile 128x64, 8 stages of 64, A transposed, of cuBLAS.",
       "Library: cuBLAS; Operands: fp16; Result: fp16; Added up in: fp32; Units: tensor cores; Tile: 128x64; "
       "Stages: 8 stages of 64; Layout: TNT: A transposed, B not; Cluster: 1x2"},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::half_t>, true, "
       "false>(Flash_fwd_params)",
       "Attention in fp16 on tensor cores (16x8x16), tile 128x128, head size 64, dropout, not causal, of "
       "FlashAttention 2.",
       "Library: FlashAttention 2; Operation: forward; Operands: fp16; Added up in: fp32; Units: tensor cores, "
       "16x8x16; Tile: 128x128: queries by keys; Head size: 64; Variant: dropout, not causal"},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::half_t>, false, true, "
       "true>(Flash_fwd_params)",
       "Attention in fp16 on tensor cores (16x8x16), tile 128x128, head size 64, causal, local window, of "
       "FlashAttention 2.",
       "Library: FlashAttention 2; Operation: forward; Operands: fp16; Added up in: fp32; Units: tensor cores, "
       "16x8x16; Tile: 128x128: queries by keys; Head size: 64; Variant: causal, local window"},
      {"ref_convolution_fwd", "A forward convolution, of oneDNN.", "Library: oneDNN"},
      {"volta_sgemm_64x64_nn",
       "An fp32 matrix product without tensor cores, tile 64x64, neither transposed, of cuBLAS for Volta.",
       "Library: cuBLAS; Built for: Volta; Operands: fp32; Added up in: fp32; Units: FMA units, no tensor cores; Tile: "
       "64x64; Layout: NN: neither transposed"},
      {"oneccl_allreduce_pcie", "An all-reduce, of oneCCL.", "Library: oneCCL"},
      {"ampere_gcgemm_64x64_nt",
       "A matrix product in complex fp32 without tensor cores, tile 64x64, B transposed, of cuBLAS for Ampere.",
       "Library: cuBLAS; Built for: Ampere; Operands: complex fp32; Added up in: complex fp32; Units: FMA units, no "
       "tensor cores; Tile: 64x64; Layout: NT: B transposed, A not"},
      {"MIOpenBatchNormBwdSpatial", "The gradient of a batch norm, of MIOpen.", "Library: MIOpen; Operation: backward"},
      {"triton_poi_fused_gelu_mul_0", "A pointwise kernel that Inductor fused from gelu and mul.",
       "Library: Triton (Inductor); Merged operators: gelu, mul"},
      {"triton_tem_fused_addmm_relu_7", "A matrix product that Inductor fused from addmm and relu.",
       "Library: Triton (Inductor); Merged operators: addmm, relu; Variant: from a template"},
      {"MIOpenBatchNormFwdTrainSpatial", "A batch norm, of MIOpen.", "Library: MIOpen; Operation: forward, training"},
      {"triton_poi_fused__unsafe_view_add_3", "A pointwise kernel that Inductor fused from unsafe_view and add.",
       "Library: Triton (Inductor); Merged operators: unsafe_view, add"},
      {"volta_scudnn_128x64_relu_small_nn_v1",
       "An fp32 convolution without tensor cores, tile 128x64, with ReLU, of cuDNN for Volta.",
       "Library: cuDNN; Built for: Volta; Operands: fp32; Units: FMA units, no tensor cores; Tile: 128x64; Epilogue: "
       "ReLU; Algorithm: implicit GEMM"},
      {"triton_per_fused_native_layer_norm_4", "A reduction that Inductor made of native_layer_norm.",
       "Library: Triton (Inductor); Merged operators: native_layer_norm; Variant: persistent: a row fits into "
       "registers"},
      {"triton_poi_fused__unsafe_view_mul_silu_2",
       "A pointwise kernel that Inductor fused from unsafe_view, mul and silu.",
       "Library: Triton (Inductor); Merged operators: unsafe_view, mul, silu"},
      {"volta_scudnn_128x64_stridedB_small_nn_v1",
       "An fp32 convolution without tensor cores, tile 128x64, of cuDNN for Volta.",
       "Library: cuDNN; Built for: Volta; Operands: fp32; Units: FMA units, no tensor cores; Tile: 128x64; Algorithm: "
       "implicit GEMM"},
      {"triton_red_fused_add_mean_mul_pow_rsqrt_0",
       "A reduction that Inductor fused from add, mean, mul, pow and rsqrt.",
       "Library: Triton (Inductor); Merged operators: add, mean, mul, pow, rsqrt; Variant: rows are read in a loop"},
      {"volta_scudnn_128x128_stridedB_splitK_small_nn_v1",
       "An fp32 convolution without tensor cores, tile 128x128, split k, of cuDNN for Volta.",
       "Library: cuDNN; Built for: Volta; Operands: fp32; Units: FMA units, no tensor cores; Tile: 128x128; Split k: "
       "yes; Algorithm: implicit GEMM"},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "An fp32 all-reduce (sum), of NCCL or RCCL.",
       "Library: NCCL or RCCL; Operation: sum; Operands: fp32; Algorithm: ring, LL (low latency): what the kernel was "
       "compiled for; NCCL may run another in it"},
      {"triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1",
       "A reduction that Inductor fused from unsafe_view, add, mean, mul, pow and rsqrt.",
       "Library: Triton (Inductor); Merged operators: unsafe_view, add, mean, mul, pow, rsqrt; Variant: rows are read "
       "in a loop"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "A send and receive, of NCCL or RCCL.",
       "Library: NCCL or RCCL; Algorithm: ring, simple protocol: what the kernel was compiled for; NCCL may run "
       "another in it"},
      {"ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
       "A collective whose kind the name does not tell, of NCCL or RCCL.", "Library: NCCL or RCCL"},
      {"void deep_ep::intranode::cached_notify_combine<8>(void**)",
       "An exchange of counts before tokens are sent to experts, of DeepEP.",
       "Library: DeepEP; Variant: within a machine"},
      {"void deep_ep::internode_ll::combine<true, 7168, 9, 3>(void*)", "A return of tokens from experts, of DeepEP.",
       "Library: DeepEP; Variant: between machines, low latency"},
      {"igemm_fwd_gtcx_nhwc_bf16_bx0_ex1_bt256x128x32_wt32x32x8_ws1x1_wr2x2",
       "A bf16 forward convolution (implicit GEMM), tile 256x128, steps of 32, of MIOpen.",
       "Library: MIOpen; Operands: bf16; Tile: 256x128; Stages: steps of 32"},
      {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)",
       "A dispatch of tokens to experts, of DeepEP.", "Library: DeepEP; Variant: within a machine"},
      {"void ck::kernel_gemm_xdl_cshuffle_v1<ck::GridwiseGemm_xdl>(ck::Args)",
       "A matrix product on matrix cores (MFMA), of Composable Kernel.",
       "Library: Composable Kernel; Units: matrix cores, MFMA"},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
       "A bf16 all-reduce, one-shot, of vLLM.", "Library: vLLM; Operands: bf16; Algorithm: one-shot"},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>",
       "A tf32 matrix product on tensor cores (16x8x8), tile 128x128, 3 stages of 32, neither transposed, of CUTLASS "
       "for Ampere.",
       "Library: CUTLASS; Built for: Ampere (sm_80); Operands: tf32; Added up in: fp32; Units: tensor cores, 16x8x8; "
       "Tile: 128x128; Stages: 3 stages of 32; Layout: NN: neither transposed; Alignment: 4 elements"},
      {"void cudnn::ops::scalePackedTensor_kernel<float, float>(long, float*, float)",
       "Elementwise scaling of a tensor in fp32, of cuDNN.", "Library: cuDNN; Operands: fp32"},
      {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
       "Attention in fp8 e4m3 on tensor cores, tile 128x128, head size 64, paged keys and values, causal, sequences of "
       "different lengths, prefill, of TensorRT-LLM (in FlashInfer) for Blackwell.",
       "Library: TensorRT-LLM (in FlashInfer); Built for: Blackwell (sm_100); Operation: forward; Operands: fp8 e4m3; "
       "Result: bf16; Units: tensor cores; Tile: 128x128: queries by keys; Head size: 64; Variant: paged keys and "
       "values, causal, sequences of different lengths, prefill"},
      {"void fbgemm_gpu::permute_2D_lengths_kernel<int>(int, int, int const*, int const*, int*)",
       "Reordering of sparse features in int32, of FBGEMM.", "Library: FBGEMM; Operands: int32"},
      {"void cudnn::bn_bw_1C11_singleread<float, 512, true, 1, 2, 0>(cudnn::bn_bw_1C11_args<float>)",
       "The gradient of a batch norm in fp32, of cuDNN.",
       "Library: cuDNN; Operation: backward; Operands: fp32; Variant: reads its input once"},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x128x128_4x1x1_kernel0_0",
       "Attention in fp16 on tensor cores (wgmma), tile 64x128, head size 128, of cuDNN for Hopper.",
       "Library: cuDNN; Built for: Hopper (sm_90); Operation: forward; Operands: fp16; Units: tensor cores, wgmma; "
       "Tile: 64x128: queries by keys; Head size: 128"},
      {"void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(cudnn::bn_fw_tr_1C11_args<float>)",
       "A batch norm in fp32, of cuDNN.",
       "Library: cuDNN; Operation: forward, training; Operands: fp32; Variant: reads its input once"},
      {"void cub::DeviceScanInitKernel<cub::ScanTileState<int, true> >(cub::ScanTileState<int, true>, int)",
       "The start of a prefix sum, of CUB.", "Library: CUB"},
      {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvSlidingOrChunkedCausalP16VarSeqQ128Kv128PersistentContext",
       "Attention in fp8 e4m3 on tensor cores, tile 128x128, head size 64, paged keys and values, causal in a sliding "
       "window, sequences of different lengths, prefill, of TensorRT-LLM (in FlashInfer) for Blackwell.",
       "Library: TensorRT-LLM (in FlashInfer); Built for: Blackwell (sm_100); Operation: forward; Operands: fp8 e4m3; "
       "Result: bf16; Units: tensor cores; Tile: 128x128: queries by keys; Head size: 64; Variant: paged keys and "
       "values, causal in a sliding window, sequences of different lengths, prefill"},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_S4_diiiiiiib",
       "An RMS norm in bf16, of AITER.",
       "Library: AITER; Merged operators: add, RMS norm; Operands: bf16; Variant: may quantise its result"},
      {"void recat_copy_async_kernel<float>(long const*, long const*, float const*, float*, long, long, long)",
       "Reordering of pooled embeddings in fp32, of FBGEMM.", "Library: FBGEMM; Operands: fp32"},
      {"fmha_cutlassB_f16_aligned_128x64_k128_sm80(PyTorchMemEffAttention::AttentionBackwardKernel<>::Params)",
       "The gradient of attention in fp16 on tensor cores, tile 128x64, head size up to 128, of PyTorch's "
       "memory-efficient attention (CUTLASS) for Ampere.",
       "Library: PyTorch's memory-efficient attention (CUTLASS); Built for: Ampere (sm_80); Operation: backward; "
       "Operands: fp16; Units: tensor cores; Tile: 128x64: queries by keys; Head size: up to 128"},
      {"void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)",
       "A look-up of rows by index, of PyTorch (ATen).", "Library: PyTorch (ATen)"},
      {"_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_PS4_i",
       "Elementwise gated activation in bf16, of SGLang.",
       "Library: SGLang; Merged operators: SiLU, mul; Operands: bf16"},
      {"void cub::DeviceRadixSortExclusiveSumKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy800, int>(int*)",
       "A radix sort of int64 keys, of CUB.", "Library: CUB; Operation: sums of the histogram; Operands: int64 keys"},
      {"void userbuffers_fp16_sum_inplace_gpu_rr_rs<2>(int, int, int, int, int, int, int, void**, int, unsigned long)",
       "A reduce-scatter, of Transformer Engine (userbuffers).", "Library: Transformer Engine (userbuffers)"},
      {"void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(long, float, float const*, float*, "
       "float*)",
       "The mean and variance of rows for a norm in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: forward; Operands: fp32"},
      {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>(float*, float const*, int, "
       "int, int)",
       "A softmax of short rows in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: forward; Operands: fp32"},
      {"void "
       "cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::"
       "Params)",
       "An fp32 matrix product without tensor cores, tile 128x32, 5 stages of 8, neither transposed, of CUTLASS for "
       "Ampere.",
       "Library: CUTLASS; Built for: Ampere (sm_80); Operands: fp32; Added up in: fp32; Units: FMA units, no tensor "
       "cores; Tile: 128x32; Stages: 5 stages of 8; Layout: NN: neither transposed; Alignment: 1 elements"},
      {"void (anonymous namespace)::indexing_backward_kernel<float, 4>(long*, long*, float*, float*, long, long, long, "
       "long, bool)",
       "The gradient of indexing by tensors in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: backward; Operands: fp32"},
      {"void cunn_ClassNLLCriterion_updateGradInput_kernel<float>(float*, float*, long*, float*, float*, int, int, "
       "int, int, long)",
       "The gradient of a negative log likelihood loss in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: backward; Operands: fp32"},
      {"void cunn_ClassNLLCriterion_updateOutput_kernel<float, float>(float*, float*, float*, long*, float*, int, int, "
       "int, int, long)",
       "Negative log likelihood loss in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: forward; Operands: fp32"},
      {"void at::native::(anonymous namespace)::adaptive_average_pool<float>(float const*, float*, int, int, int, int, "
       "long, long, long)",
       "Adaptive average pooling in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: forward; Operands: fp32"},
      {"cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_tnn_align8_warpspecialized_"
       "cooperative_epi_tma",
       "A bf16 matrix product on tensor cores (64x128x16), tile 128x128x64, A transposed, of CUTLASS 3 for Hopper.",
       "Library: CUTLASS 3; Built for: Hopper (sm_90); Operands: bf16; Result: bf16; Added up in: fp32; Units: tensor "
       "cores, 64x128x16; Tile: 128x128x64; Layout: TNN: A transposed, B not; Cluster: 2x1x1; Variant: "
       "warp-specialised, cooperative; Alignment: 8 elements"},
      {"void (anonymous namespace)::softmax_warp_backward<float, float, float, 10, true>(float*, float const*, float "
       "const*, int, int, int)",
       "The gradient of a softmax of short rows in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: backward; Operands: fp32"},
      {"void at::native::vectorized_elementwise_kernel<(int)2, at::native::AbsFunctor<long>, std::array<char *, "
       "(unsigned long)2>>(int, T2, T3)",
       "Elementwise abs in int64, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: abs; Operands: int64; Vector: 2 elements at once"},
      {"void at::native::vectorized_elementwise_kernel<(int)2, at::native::FillFunctor<long>, std::array<char *, "
       "(unsigned long)1>>(int, T2, T3)",
       "A fill with one value in int64, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: fill; Operands: int64; Vector: 2 elements at once"},
      {"void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>, std::array<char *, "
       "(unsigned long)1>>(int, T2, T3)",
       "A fill with one value in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: fill; Operands: fp32; Vector: 4 elements at once"},
      {"void nchwToNhwcKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>(int, int, int, int, float "
       "const*, float*, float, float)",
       "A copy from channels first to channels last in fp32, of cuDNN.", "Library: cuDNN; Operands: fp32"},
      {"void nhwcToNchwKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>(int, int, int, int, float "
       "const*, float*, float, float)",
       "A copy from channels last to channels first in fp32, of cuDNN.", "Library: cuDNN; Operands: fp32"},
      {"void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, std::array<char *, "
       "(unsigned long)3>>(int, T2, T3)",
       "Elementwise add in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: add; Operands: fp32; Vector: 4 elements at once"},
      {"void cub::DeviceCompactInitKernel<cub::ReduceByKeyScanTileState<int, int, true>, "
       "int*>(cub::ReduceByKeyScanTileState<int, int, true>, int, int*)",
       "The start of a selection, of CUB.", "Library: CUB"},
      {"void "
       "cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1>(cutlass_75_tensorop_bf16_s1688gemm_"
       "bf16_128x128_nn_align1::Params)",
       "A bf16 matrix product on tensor cores (16x8x8), tile 128x128, neither transposed, of CUTLASS for Turing.",
       "Library: CUTLASS; Built for: Turing (sm_75); Operands: bf16; Result: bf16; Added up in: fp32; Units: tensor "
       "cores, 16x8x8; Tile: 128x128; Layout: NN: neither transposed; Alignment: 1 elements"},
      {"void "
       "thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cuda_cub::__"
       "transform::unary_transform_f>>(int)",
       "Elementwise operation, of Thrust.", "Library: Thrust"},
      {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long, "
       "unsigned int**, unsigned long, unsigned long)",
       "A bf16 all-reduce, multimem: the NVLink switch adds up, of PyTorch (symmetric memory).",
       "Library: PyTorch (symmetric memory); Operands: bf16; Algorithm: multimem: the NVLink switch adds up"},
      {"bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN_transOut_"
       "schedP2x1x2x3_biasM_bN_tmaOpt_clmp_dynBatch_sm100f",
       "A batched matrix product in mxfp4 e2m1 and mxfp8 e4m3 on tensor cores (128x16x32), tile 128x16, 3 stages of "
       "256, A transposed, with bias, of TensorRT-LLM for Blackwell.",
       "Library: TensorRT-LLM; Built for: Blackwell (sm_100); Operands: mxfp4 e2m1 and mxfp8 e4m3; Result: bf16; Added "
       "up in: fp32; Units: tensor cores, 128x16x32; Tile: 128x16; Stages: 3 stages of 256; Layout: TN: A transposed, "
       "B not; Cluster: 1x1x1; Epilogue: bias; Variant: batches of different sizes"},
      {"void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(c10::Float8_e4m3fn*, "
       "c10::BFloat16 const*, float const*, int, long, long)",
       "Quantisation to fp8 from bf16, of vLLM.", "Library: vLLM; Operands: bf16"},
      {"void rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 "
       "const*, int, long, long, long, int, int, int)",
       "A rotary position embedding in bf16, of vLLM or SGLang.",
       "Library: vLLM or SGLang; Operation: forward; Operands: bf16"},
      {"void vllm::rms_norm_kernel<c10::BFloat16, 8, 2>(c10::BFloat16*, c10::BFloat16 const*, long, long, long, long, "
       "long, c10::BFloat16 const*, float, int, int)",
       "An RMS norm in bf16, of vLLM.", "Library: vLLM; Operation: forward; Operands: bf16"},
      {"void at::native::(anonymous namespace)::searchsorted_cuda_kernel<float, long>(long*, float const*, float "
       "const*, long const*, long, long, long, bool, bool)",
       "A binary search in fp32, of PyTorch (ATen).", "Library: PyTorch (ATen); Operands: fp32"},
      {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN_transOut_"
       "schedP2x1x2x3_biasM_bN_tma_tmaOpt_clmp_swiGlu_dynBatch_sm100f",
       "A batched matrix product in mxfp4 e2m1 and mxfp8 e4m3 on tensor cores (128x16x32), tile 128x16, 3 stages of "
       "256, A transposed, with bias, SwiGLU, of TensorRT-LLM for Blackwell.",
       "Library: TensorRT-LLM; Built for: Blackwell (sm_100); Operands: mxfp4 e2m1 and mxfp8 e4m3; Result: mxfp8 e4m3; "
       "Added up in: fp32; Units: tensor cores, 128x16x32; Tile: 128x16; Stages: 3 stages of 256; Layout: TN: A "
       "transposed, B not; Cluster: 1x1x1; Epilogue: bias, SwiGLU; Variant: batches of different sizes"},
      {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, "
       "c10::BFloat16 const*, int, long, long, long, int, int, int)",
       "A rotary position embedding in bf16, of vLLM.", "Library: vLLM; Operation: forward; Operands: bf16"},
      {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t, "
       "cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)",
       "Attention in bf16 on tensor cores, tile 64x64, of PyTorch's memory-efficient attention (CUTLASS) for Ampere.",
       "Library: PyTorch's memory-efficient attention (CUTLASS); Built for: Ampere (sm_80); Operation: forward; "
       "Operands: bf16; Units: tensor cores; Tile: 64x64: queries by keys"},
      {"void epilogue::impl::globalKernel<float, float, float, true, true>(int, int, long, float*, cublasLtEpilogue_t, "
       "int, float*, long, void*, long, long, long, float*, long, int*)",
       "An epilogue of a matrix product (bias, activation), of cuBLASLt.", "Library: cuBLASLt"},
      {"void "
       "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<(flashinfer::trtllm_allreduce_"
       "fusion::AllReduceFusionPattern)1, __nv_bfloat16, 8, true>(int)",
       "A bf16 all-reduce, one-shot, Lamport flags, of FlashInfer.",
       "Library: FlashInfer; Operands: bf16; Variant: fused with what follows; Algorithm: one-shot, Lamport flags"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<bool>, at::detail::Array<char*, 1> "
       ">(int, at::native::FillFunctor<bool>, at::detail::Array<char*, 1>)",
       "A fill with one value in bool, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: fill; Operands: bool; Vector: 4 elements at once"},
      {"void "
       "cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4>(cutlass_"
       "tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4::Params)",
       "The gradient of a convolution's input (implicit GEMM) in tf32 on tensor cores (16x8x8), tile 64x128, 3 stages "
       "of 32, channels last, of cuDNN (CUTLASS).",
       "Library: cuDNN (CUTLASS); Operands: tf32; Result: fp32; Added up in: fp32; Units: tensor cores, 16x8x8; Tile: "
       "64x128; Stages: 3 stages of 32; Layout: NHWC: channels last; Variant: optimized iterator; Alignment: 4 "
       "elements"},
      {"void "
       "cutlass_cudnn_train::Kernel<cutlass_tensorop_s1688wgrad_optimized_tf32_256x64_16x4_nhwc_align4>(cutlass_"
       "tensorop_s1688wgrad_optimized_tf32_256x64_16x4_nhwc_align4::Params)",
       "The gradient of a convolution's weights (implicit GEMM) in tf32 on tensor cores (16x8x8), tile 256x64, 4 "
       "stages of 16, channels last, of cuDNN (CUTLASS).",
       "Library: cuDNN (CUTLASS); Operands: tf32; Result: fp32; Added up in: fp32; Units: tensor cores, 16x8x8; Tile: "
       "256x64; Stages: 4 stages of 16; Layout: NHWC: channels last; Variant: optimized iterator; Alignment: 4 "
       "elements"},
      {"void "
       "cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688fprop_optimized_tf32_128x128_16x4_nhwc_align4>(cutlass_"
       "tensorop_s1688fprop_optimized_tf32_128x128_16x4_nhwc_align4::Params)",
       "A tf32 forward convolution (implicit GEMM) on tensor cores (16x8x8), tile 128x128, 4 stages of 16, channels "
       "last, of cuDNN (CUTLASS).",
       "Library: cuDNN (CUTLASS); Operands: tf32; Result: fp32; Added up in: fp32; Units: tensor cores, 16x8x8; Tile: "
       "128x128; Stages: 4 stages of 16; Layout: NHWC: channels last; Variant: optimized iterator; Alignment: 4 "
       "elements"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
       "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
       "Elementwise add in bf16, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: add; Operands: bf16; Vector: 4 elements at once"},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(cudnnTensorStruct, float const*, "
       "cudnnTensorStruct, float*, float const*, float const*, float, float, float*, float*, float*, float*, float, "
       "float)",
       "A batch norm in fp32, channels first, of cuDNN.",
       "Library: cuDNN; Operation: forward, training; Operands: fp32; Layout: NCHW: channels first"},
      {"void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, __hip_bfloat16, 128, 128, 256, 3, "
       "false>(__hip_bfloat16*, float const*, float const*, __hip_bfloat16 const*, int const*, int const*, int, int, "
       "float const*)",
       "The sum of attention's parts in bf16, paged keys and values, of vLLM.",
       "Library: vLLM; Operation: forward; Operands: bf16; Variant: paged keys and values"},
      {"void moe::dev::finalize::finalizeKernelVecLoad<moe::dev::finalize::KernelParams<cutlass::bfloat16_t, "
       "cutlass::bfloat16_t, 4, true> >(moe::dev::finalize::KernelParams<cutlass::bfloat16_t, cutlass::bfloat16_t, 4, "
       "true>)",
       "The sum of what the experts made of each token, of TensorRT-LLM (in FlashInfer).",
       "Library: TensorRT-LLM (in FlashInfer)"},
      {"void cudnn::engines_precompiled::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false, true, "
       "(cudnnKernelDataType_t)0>(cudnn::engines_precompiled::nchw2nhwc_params_t<float>, __nv_bfloat16 const*, "
       "__nv_bfloat16*)",
       "A copy from channels first to channels last in bf16, of cuDNN.", "Library: cuDNN; Operands: bf16"},
      {"void magma_sgemmEx_kernel<float, float, float, true, false, 6, 4, 6, 3, 4>(int, int, int, Tensor, int, Tensor, "
       "int, Tensor, int, Tensor, int, int, int, float const*, float const*, float, float, int, cublasLtEpilogue_t, "
       "int, void const*, long)",
       "An fp32 matrix product, of MAGMA (in cuBLAS).", "Library: MAGMA (in cuBLAS); Operands: fp32"},
      {"void tensorrt_llm::kernels::quantize_with_block_size<(tensorrt_llm::BlockScaleQuantizationType)2, "
       "__nv_bfloat16, 32, true>(int, int, int, int, __nv_bfloat16 const*, float const*, unsigned int*, unsigned int*, "
       "flashinfer::QuantizationSFLayout)",
       "Quantisation with a scale for each block from bf16, of TensorRT-LLM.", "Library: TensorRT-LLM; Operands: bf16"},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true, true, "
       "false>(cublasLt::cublasSplitKParams<float>, float const*, float const*, float*, float const*, float const*, "
       "float const*, float const*, float*, void*, long, float*, int*)",
       "The sum of the parts of a matrix product with split k in fp32, of cuBLASLt.",
       "Library: cuBLASLt; Operands: fp32; Split k: adds up the parts of a split k"},
      {"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char, "
       "(vllm::Fp8KVCacheDataType)1>(__nv_bfloat16 const*, __nv_bfloat16 const*, unsigned char*, unsigned char*, long "
       "const*, long, long, long, long, long, int, int, int, float const*, float const*)",
       "A copy of keys and values into the cache in bf16, of vLLM.", "Library: vLLM; Operands: bf16"},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
       "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)0, false>, float const*, double>(int)",
       "Operation on a list of tensors (fused adam math) in fp32, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: fused adam math; Operands: fp32"},
      {"void "
       "moe::dev::routing::routingIndicesOffsetsKernel<moe::dev::routing::routingRenormalize::KernelParams<__nv_"
       "bfloat16, __nv_bfloat16, 128, false, true, true> "
       ">(moe::dev::routing::routingRenormalize::KernelParams<__nv_bfloat16, __nv_bfloat16, 128, false, true, true>)",
       "A choice of experts and places of their tokens, of TensorRT-LLM (in FlashInfer).",
       "Library: TensorRT-LLM (in FlashInfer)"},
      {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float, float, float, float, float, "
       "float, adamMode_t, float, int, int>(int, int volatile*, TensorListMetadata<4>, AdamFunctor<float>, float, "
       "float, float, float, float, float, adamMode_t, float, int, int)",
       "Operation on a list of tensors (adam) in fp32, of apex.", "Library: apex; Operation: adam; Operands: fp32"},
      {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
       "cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, true, "
       "false, false, false, true, false>(pytorch_flash::Flash_fwd_params)",
       "Attention in bf16 on tensor cores (16x8x16), tile 128x128, head size 64, causal, of FlashAttention 2 (in "
       "PyTorch).",
       "Library: FlashAttention 2 (in PyTorch); Operation: forward; Operands: bf16; Added up in: fp32; Units: tensor "
       "cores, 16x8x16; Tile: 128x128: queries by keys; Head size: 64; Variant: causal"},
      {"void at::native::vectorized_elementwise_kernel<4, fbgemm_gpu::_hfp8_to_float_gpu(at::Tensor const&, long, "
       "long)::{lambda(unsigned char)#1}, at::detail::Array<char*, 2> >(int, fbgemm_gpu::_hfp8_to_float_gpu(at::Tensor "
       "const&, long, long)::{lambda(unsigned char)#1}, at::detail::Array<char*, 2>)",
       "Elementwise hfp8 to float in uint8, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operation: hfp8 to float; Operands: uint8; Vector: 4 elements at once"},
      {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u, 4u, 8u, 16u, 1u, 8u, "
       "flashinfer::DefaultAttention<false, false, false, false>, flashinfer::BatchDecodeParams<__nv_bfloat16, "
       "__nv_bfloat16, __nv_bfloat16, int> >(flashinfer::BatchDecodeParams<__nv_bfloat16>)",
       "Attention in bf16, decode, batch, paged keys and values, of FlashInfer.",
       "Library: FlashInfer; Operation: forward; Operands: bf16; Variant: decode, batch, paged keys and values"},
      {"void at::native::(anonymous namespace)::indexSelectLargeIndex<long, long, unsigned int, 1, 1, -2, "
       "true>(at::cuda::detail::TensorInfo<long, unsigned int>, at::cuda::detail::TensorInfo<long, unsigned int>, "
       "at::cuda::detail::TensorInfo<long, unsigned int>, int, int, unsigned int, unsigned int, long)",
       "A look-up of rows by index (index_select, embedding) in int64, of PyTorch (ATen).",
       "Library: PyTorch (ATen); Operands: int64"},
      {"void "
       "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, "
       "cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, cute::tuple<cute::C<128>, cute::C<176>, cute::C<128> >, 128, "
       "cutlass::bfloat16_t, float, cutlass::arch::Sm90, true, false, false, false> > > >(flash::Params)",
       "Attention in bf16 on tensor cores (wgmma), tile 128x176, 2 stages, head size 128, of FlashAttention 3 for "
       "Hopper.",
       "Library: FlashAttention 3; Built for: Hopper (sm_90); Operation: forward; Operands: bf16; Added up in: fp32; "
       "Units: tensor cores, wgmma; Tile: 128x176: queries by keys; Stages: 2 stages; Head size: 128"},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16, __nv_bfloat16, float, __nv_bfloat16, true, "
       "true, false>(cublasLt::cublasSplitKParams<float>, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, "
       "float const*, float const*, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, void*, long, float*, "
       "int*)",
       "The sum of the parts of a matrix product with split k in bf16, of cuBLASLt.",
       "Library: cuBLASLt; Operands: bf16; Split k: adds up the parts of a split k"}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const KernelName read = read_kernel_name(row.name);
    CHECK(read.sentence == row.sentence);
    CHECK(facts_of(read) == row.facts);
    CHECK(read.kernel_class == kernel_class(row.name));
  }
}

TEST_CASE("kernel names: brackets in template arguments do not end them") {
  const KernelName read = read_kernel_name(
      "std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
      "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long, c10::BFloat16*)");
  CHECK(read.title == "fused_add_rms_norm_kernel");
  CHECK(read.sentence == "An RMS norm after an addition in bf16, of vLLM.");
}

TEST_CASE("kernel names: titles are short") {
  const auto title = [](const char* name) { return read_kernel_name(name).title; };
  CHECK(title("volta_sgemm_128x64_nn") == "volta_sgemm_128x64_nn");
  CHECK(title("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, int>(int)") ==
        "vectorized_elementwise_kernel: add");
  CHECK(title("void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(float*)") ==
        "softmax_warp_forward");
  CHECK(title("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(int)") ==
        "cutlass_80_simt_sgemm_128x32_8x5_nn_align1");
  CHECK(title("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float>(int)") ==
        "internal::gemvx::kernel");
  CHECK(title("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256EEvPT0_") == "add_rmsnorm_quant_kernel");
  CHECK(title("") == "");
}

TEST_CASE("kernel names: what nobody knows gets no guess") {
  for (const char* name : {"",
                           "k",
                           "Kernel",
                           "merge",
                           "pe_exe",
                           "event_record",
                           "my_gemm",
                           "gemm",
                           "conv_kernel",
                           "cudnn_conv",
                           "void mine::kernel<float, 128, true>(float*)",
                           "ampere",
                           "volta_128x64",
                           "triton_thing",
                           "_ZN4mine6kernelIfLi4EEEvPT_",
                           "nccl",
                           "cutlass_80_something",
                           "Cijk_",
                           "bmm_a_b",
                           "jit:something",
                           "xe_thing",
                           "nvjet_"}) {
    CAPTURE(name);
    const KernelName read = read_kernel_name(name);
    CHECK(!read.is_known());
    CHECK(read.lines().empty());
  }
}

TEST_CASE("kernel names: no text breaks a grammar") {
  std::mt19937 dice(7);
  const std::string pieces[] = {"cutlass::Kernel2<",
                                "cutlass_80_",
                                "s16816gemm",
                                "_128x64",
                                "<",
                                ">",
                                "(",
                                ")",
                                "::",
                                ",",
                                "_ZN5",
                                "triton_poi_fused_",
                                "at::native::",
                                "elementwise_kernel",
                                "Functor",
                                "nvjet_",
                                "Cijk_Alik_Bljk_",
                                "_MT",
                                "x",
                                "9",
                                "MainloopSm90",
                                "cute::tuple<",
                                "cute::C<",
                                "flash_fwd_kernel",
                                "Flash_fwd_kernel_traits<",
                                "bmm_",
                                "_t128x16x256u2",
                                "_sm100f",
                                "tilesize",
                                "nccl",
                                "lambda(",
                                "GemmShapeILi",
                                "->",
                                " ",
                                "_"};
  for (int round = 0; round < 20'000; ++round) {
    std::string name;
    for (std::size_t count = dice() % 12; count > 0; --count) name += pieces[dice() % std::size(pieces)];
    const KernelName read = read_kernel_name(name);
    CHECK(read.title.size() <= 66);
    CHECK((read.is_known() || read.lines().empty()));
  }
}

TEST_CASE("kernel names: labels and their explanations differ") {
  for (std::size_t a = 0; a < kKernelFactCount; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      CHECK(kernel_fact_label(static_cast<KernelFact>(a)) != kernel_fact_label(static_cast<KernelFact>(b)));
      CHECK(kernel_fact_help(static_cast<KernelFact>(a)) != kernel_fact_help(static_cast<KernelFact>(b)));
    }
}

}  // namespace
}  // namespace lacuna
