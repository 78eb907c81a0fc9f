#include "model/kernels/kernel_class.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "model/causes/known_names.h"
#include "model/kernels/part_finder.h"

namespace lacuna {
namespace {

using enum KernelClass;

TEST_CASE("part finder: the first part that a text has, whatever the case") {
  const std::vector<std::string_view> parts = {"^wait", "done$", "abc", "bcd", "gemm", "xgemm"};
  const PartFinder finder(parts);
  CHECK(finder.first("") == PartFinder::kNone);
  CHECK(finder.first("wait_abc") == 0);
  CHECK(finder.first("await_abc") == 2);
  CHECK(finder.first("await_abc_done") == 1);
  CHECK(finder.first("done_abcd") == 2);
  CHECK(finder.first("ABBCD") == 3);
  CHECK(finder.first("sGeMm") == 4);
  // The longer one of two that end together hides the other, but not one that ends elsewhere.
  CHECK(finder.first("xgemm") == 5);
  CHECK(finder.first("xgemm gemm") == 4);
  CHECK(PartFinder({}).first("anything") == PartFinder::kNone);
}

TEST_CASE("part finder: the same as looking for each part") {
  const std::vector<std::string_view> parts = {"ba", "aab", "abab", "bbbb", "aaaa", "bba"};
  const PartFinder finder(parts);
  for (unsigned bits = 0; bits < 1u << 12; ++bits) {
    std::string text;
    for (unsigned i = 0; i < 12; ++i) text += (bits >> i & 1) != 0 ? 'a' : 'b';
    // "bba" ends where "ba" does, and hides it.
    std::size_t expected = PartFinder::kNone;
    for (std::size_t end = 1; end <= text.size(); ++end) {
      std::size_t longest = PartFinder::kNone;
      for (std::size_t p = 0; p < parts.size(); ++p)
        if (std::string_view(text).substr(0, end).ends_with(parts[p]) &&
            (longest == PartFinder::kNone || parts[p].size() > parts[longest].size()))
          longest = p;
      expected = std::min(expected, longest);
    }
    CHECK(finder.first(text) == expected);
  }
}

// The table of names: what each library calls its kernels, as CUPTI, roctracer and their like write them down.
TEST_CASE("kernel classes: names of every library") {
  const std::pair<KernelClass, const char*> names[] = {
      {kGemm, "volta_sgemm_128x64_nn"},
      {kGemm, "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn"},
      {kGemm, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute"},
      {kGemm, "nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT"},
      {kGemm, "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>"},
      {kGemm, "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, int>>>"},
      {kGemm, "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN"},
      {kGemm, "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4>"},
      {kGemm, "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float>"},
      {kGemm, "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_sm100f"},
      {kGemm, "fused_moe_kernel"},
      {kGemm, "void marlin::Marlin<__nv_bfloat16, 256, 1, 8, 8, 4, 8>"},
      {kGemm, "void deep_gemm::sm90_fp8_gemm_1d2d_impl<7168, 4096>"},
      {kGemm, "_ZN5aiter24fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_32x256E"},
      {kGemm, "triton_tem_fused_mm_3"},
      {kGemm, "aclnnMm_MatMulCommon_MatMulV2"},
      {kConvolution, "cudnn_infer_volta_scudnn_128x64_relu_small_nn_v1"},
      {kConvolution, "volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1"},
      {kConvolution, "volta_s884cudnn_fp16_256x64_ldg8_relu_exp_small_nhwc_tn_v1"},
      {kConvolution, "turing_fp16_s1688cudnn_fp16_256x128_ldg8_relu_f2f_exp_medium_nhwc_tn_v1"},
      {kConvolution, "trt_ampere_h16816cudnn_64x128_sliced1x2_ldg8_relu_exp_stages_64x4_medium_nhwc_tn"},
      {kConvolution, "MIOpenConvUni"},
      {kConvolution, "MIOpenConvUniBatchNormActiv"},
      {kElementwise, "SubTensorOpWithScalar1d"},
      {kReduction, "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(float const*)"},
      {kReduction, "void at::native::mbtopk::gatherTopK<float, unsigned int, 2>(float const*)"},
      {kConvolution, "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage5"},
      {kConvolution, "void cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc>"},
      {kConvolution, "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>"},
      {kConvolution, "void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, false, true, true>"},
      {kConvolution, "igemm_fwd_gtcx_nhwc_bf16_bx0_ex1_bt256x128x32_wt32x32x8_ws1x1_wr2x2"},
      {kConvolution, "void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3, float, int>"},
      {kConvolution, "causal_conv1d_fwd_kernel"},
      {kAttention, "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4>>"},
      {kAttention, "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<int>>>"},
      {kAttention, "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<int>::Params)"},
      {kAttention, "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x128x128"},
      {kAttention, "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext"},
      {kAttention, "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<int>>"},
      {kAttention, "void vllm::paged_attention_v2_kernel<unsigned short, unsigned short, 128, 16, 128>"},
      {kAttention, "attn_fwd"},
      {kAttention, "_fwd_grouped_kernel_stage1"},
      {kAttention, "triton_tem_fused_flex_attention_2"},
      {kNormalisation, "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"},
      {kNormalisation, "void vllm::rms_norm_kernel<c10::BFloat16, 8, 2>"},
      {kNormalisation, "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_"},
      {kNormalisation, "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>"},
      {kNormalisation, "MIOpenBatchNormBwdSpatial"},
      {kNormalisation, "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>"},
      {kNormalisation, "triton_red_fused_add_mean_mul_pow_rsqrt_0"},
      {kNormalisation, "triton_per_fused_native_layer_norm_4"},
      {kElementwise, "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"},
      {kElementwise, "void at::native::elementwise_kernel<128, 4, gpu_kernel_impl_nocast<masked_fill_kernel>>"},
      {kElementwise, "triton_poi_fused_gelu_mul_0"},
      {kElementwise, "void vllm::rotary_embedding_kernel<c10::BFloat16, true>"},
      {kElementwise, "_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16E"},
      {kElementwise, "loop_add_fusion_12"},
      {kReduction, "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float>>>"},
      {kReduction, "void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy800>"},
      {kReduction, "void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>"},
      {kReduction, "triton_per_fused_sum_1"},
      {kReduction, "input_reduce_fusion_3"},
      {kEmbedding, "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int>"},
      {kEmbedding, "void at::native::_scatter_gather_elementwise_kernel<128, 4, int>"},
      {kEmbedding, "void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_warp_per_row_1<float>"},
      {kEmbedding, "triton_poi_fused_embedding_0"},
      {kOptimizer, "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>"},
      {kOptimizer, "void at::native::multi_tensor_apply_kernel<int, FusedAdamMathFunctor<float>>"},
      {kReduction, "void at::native::multi_tensor_apply_kernel<int, LpNormFunctor<float>>"},
      {kQuantisation, "void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>"},
      {kQuantisation,
       "void tensorrt_llm::kernels::quantize_with_block_size<(tensorrt_llm::BlockScaleQuantizationType)2>"},
      {kQuantisation, "per_token_group_quant_8bit_kernel"},
      {kMoeRouting, "void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, int>"},
      {kMoeRouting, "void vllm::moe::moe_align_block_size_kernel<int>"},
      {kMoeRouting, "void moe::dev::routing::routingIndicesHistogramKernel<int>"},
      {kMoeRouting, "void deep_ep::layout::get_dispatch_layout<256, 32, 8>"},
      {kCopy, "void at::native::elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>"},
      {kCopy, "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 64, 64>"},
      {kCopy, "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>"},
      {kCopy, "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>"},
      {kCopy, "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>"},
      {kCopy, "triton_poi_fused_clone_3"},
      {kCopy, "triton_poi_fused__to_copy_transpose_1"},
      {kCopy, "dma_request"},
      {kCopy, "aclnnAddmm_MatMulCommon_MemSet"},
      {kCommunication, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"},
      {kCommunication, "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"},
      {kCommunication, "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)"},
      {kCommunication, "ncclSymkDevKernel_AllGather_LL"},
      {kCommunication, "rcclGenericKernel"},
      {kCommunication, "hcom_allReduce__630_0_1"},
      {kCommunication, "oneccl_reduce_base<float, 2, 16, 1, 1, 2>"},
      {kCommunication, "oneccl_allreduce_pcie"},
      {kCommunication, "void mscclpp::collective::allreducePacket<int>"},
      {kCommunication, "nvshmemi_signal_wait_until_on_stream_kernel"},
      {kCommunication, "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)"},
      {kCommunication, "void deep_ep::internode_ll::combine<true, 7168, 9, 3>"},
      {kCommunication, "void deep_ep::intranode::cached_notify_combine<8>"},
      {kCommunication, "void deep_ep::internode::notify_dispatch<false, 2>"},
      {kCommunication, "_ZN7deep_ep9intranode8dispatchILi8ELi768EEEvP4int4Pf"},
      {kCommunication, "dpsk::ep::internode::dispatch_ll"},
      {kCommunication, "dispatch"},
      {kCommunication, "combine"},
      {kCommunication, "cached_notify_combine"},
      {kCommunication, "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>"},
      {kCommunication, "void aiter::cross_device_reduce_2stage<__hip_bfloat16, 8>"},
      {kCommunication, "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<int>"},
      {kCommunication, "void tensorrt_llm::kernels::oneShotAllReduceKernel<__nv_bfloat16, 8, true, true, false>"},
      {kCommunication, "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_twoshot_sync<int>"},
      {kCommunication, "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>"},
      {kCommunication, "void userbuffers_fp16_sum_inplace_gpu_rr_rs<2>(int, int, int, int)"},
      {kCommunication, "kuserbuffers_pushsend(int*, int*, int4*, int4*, int)"},
      {kWaiting, "event_wait"},
      {kWaiting, "EVENT_WAIT"},
      {kWaiting, "Notify_Wait"},
      {kWaiting, "at::cuda::(anonymous namespace)::spin_kernel(long)"},
      {kWaiting, "wait_signal_kernel"},
      {kWaiting, "semaphore_acquire"},
      // What only resembles one.
      {kEmbedding, "void fbgemm_gpu::permute_2D_lengths_kernel<int>"},
      {kOther, "void fbgemm_gpu::something_else<int>"},
      {kOther, "void quantile_of<float>"},
      {kOther, "void softly(float*)"},
      {kOther, "convert_it"},
      {kOther, "combine_masks"},
      {kOther, "triton_fused_kernel"},
      {kOther, "merge"},
      {kOther, "pe_exe"},
      {kOther, "k"},
      {kOther, ""}};
  for (const auto& row : names) {
    CAPTURE(row.second);
    CHECK(kernel_class_key(kernel_class(row.second)) == kernel_class_key(row.first));
    CHECK(is_communication_kernel(row.second) == (row.first == kCommunication));
  }
}

TEST_CASE("kernel classes: copies are copies whatever their name, what is no GPU activity has no class") {
  CHECK(kernel_class(CategoryClass::kMemcpy, "Memcpy HtoD (Pinned -> Device)") == kCopy);
  CHECK(kernel_class(CategoryClass::kMemset, "gemm") == kCopy);
  CHECK(kernel_class(CategoryClass::kKernel, "gemm") == kGemm);
  CHECK(kernel_class(CategoryClass::kCpuOperator, "gemm") == kOther);
}

TEST_CASE("kernel classes: names, keys and definitions differ") {
  for (std::size_t a = 0; a < kKernelClassCount; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const auto x = static_cast<KernelClass>(a), y = static_cast<KernelClass>(b);
      CHECK(kernel_class_name(x) != kernel_class_name(y));
      CHECK(kernel_class_key(x) != kernel_class_key(y));
      CHECK(kernel_class_definition(x) != kernel_class_definition(y));
    }
}

}  // namespace
}  // namespace lacuna
