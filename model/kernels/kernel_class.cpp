#include "model/kernels/kernel_class.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/base/ascii.h"
#include "model/kernels/part_finder.h"

namespace lacuna {
namespace {

using enum KernelClass;

/// Kernels whose name has one of the words as a part. The first rule of the table that fits decides, so what is
/// particular stands before what is general. '^' and '$': the beginning and the end of the name. Of words that end at
/// the same character the longest counts: "fbgemm" keeps "gemm" from being found in it.
struct Rule {
  KernelClass kernel_class;
  std::string_view words;
};

constexpr Rule kClassRules[] = {
    // What would be taken for something else below: the router of DeepEP, KV caches, rotary positions, foreach copies.
    {kMoeRouting, "get_dispatch_layout"},
    {kCopy,
     "_memset$ reshape_and_cache store_kvcache store_kv_cache concat_and_cache append_paged_kv page_indices "
     "copyfunctor"},
    {kElementwise, "rotary rope_ _rope applyrope scal_kernel subtensorop"},  // MIOpen's SubTensorOpWithScalar1d
    {kReduction, "lpnorm lpmax l2norm gathertopk gatherkthvalue gathermedian"},
    {kConvolution, "miopenconv miopengroupconv"},    // MIOpenConvUniBatchNormActiv
    {kElementwise, "opfunctor<long opfunctor<int"},  // foreach of what no optimizer holds
    {kEmbedding, "kv_indices"},

    // NCCL (ncclKernel_, ncclDevKernel_; RCCL keeps them), Ascend's and Habana's HCCL, oneCCL, MSCCL++, NVSHMEM.
    {kCommunication, "nccl rccl hccl hcom_ oneccl xccl msccl nvshmem"},
    // Expert parallelism: DeepEP (csrc/kernels: intranode, internode, internode_ll; DeepSeek's own traces say
    // dpsk::ep),
    // MORI, pplx-kernels, TensorRT-LLM. Nsight Systems' short names have no namespace.
    {kCommunication,
     "deep_ep dpsk::ep:: intranode:: internode:: internode_ll:: cached_notify notify_dispatch ^dispatch$ ^combine$ "
     "epdispatch epcombine pplx:: moe_comm"},
    // One-shot and two-shot reductions of vLLM, SGLang, AITER, FlashInfer, TensorRT-LLM (Lamport), PyTorch's symmetric
    // memory (multimem), Transformer Engine's userbuffers, and collectives by their names.
    {kCommunication,
     "cross_device_reduce cross_device_store lamport multimem_ userbuffers quickreduce quick_reduce allreduce "
     "all_reduce "
     "allgather all_gather reduce_scatter reducescatter alltoall all_to_all all2all sendrecv send_recv put_signal "
     "barrier_kernel"},

    // MTIA's and Ascend's waits, at::cuda::sleep, stream memory operations.
    {kWaiting,
     "event_wait wait_event eventwait notify_wait semaphore spin_kernel spin_wait spinwait busy_wait wait_kernel "
     "waitkernel wait_signal wait_value waitvalue wait_flag wait_until streamwait sleep_kernel ^wait_ ^wait$ _wait$"},

    {kMoeRouting,
     "moe_align moealign topkgating topk_gating gatingsoftmax gating_softmax routingindices dev::routing dev::finalize "
     "moe_sum moe_sorting moesorting moe_permute moe_unpermute moepermute grouped_topk biased_topk fused_topk moe_gate "
     "moe_fused_gate finalizemoerouting expandinputrows computeexpert expert_tokens expertfirsttoken moe_router "
     "pre_reorder post_reorder"},

    // FlashAttention, PyTorch's memory-efficient attention (fmha), cuDNN's (sdpa), TensorRT-LLM, FlashInfer, SGLang's
    // Triton kernels, AITER.
    {kAttention,
     "flash_fwd flash_bwd flash_attn flashattn flash:: fmha attention attn_fwd attn_bwd _attn attn_ sdpa mha_ "
     "flash_mla "
     "flashmla mla_decode batchprefill batchdecode singleprefill singledecode prefillwith pagedkv paged_kv mergestate "
     "_fwd_kernel_stage grouped_kernel_stage splitkv"},

    {kNormalisation,
     "layer_norm layernorm rmsnorm rms_norm batch_norm batchnorm bn_fw bn_bw group_norm groupnorm instance_norm "
     "instancenorm softmax gammabeta rowwisemoments computefusedparams computebackwardfusedparams "
     "computeinternalgradients ln_fwd ln_bwd normfwd normbwd weight_norm"},

    // cuDNN (s884cudnn: on tensor cores), CUTLASS (fprop, dgrad, wgrad), cuDNN's copy of it, MIOpen (igemm_…, asm),
    // oneDNN.
    {kCopy, "nchwtonhwc nhwctonchw"},
    {kElementwise, "scalepackedtensor"},
    {kConvolution,
     "conv_ _conv ^conv$ conv1d conv2d conv3d convolve convolution ::conv:: fprop dgrad wgrad scudnn hcudnn 884cudnn "
     "1688cudnn 16816cudnn 8816cudnn 16832cudnn winograd "
     "im2col col2im vol2col col2vol fft2d_ igemm_fwd igemm_bwd igemm_wrw asmconv depthwise cask_cudnn cutlass_cudnn "
     "cutlass__5x_cudnn"},

    // cuBLAS (nvjet since Hopper), CUTLASS, Tensile (Cijk_), TensorRT-LLM (bmm_), quantised weights (Marlin, Machete),
    // llama.cpp (mul_mat), MoE products, and the sum of what a split k left.
    {kGemm,
     "gemm gemv cijk_ nvjet matmul mat_mul mul_mat bmm_ _bmm _mm_ addmm scaled_mm splitkreduce splitk_reduce "
     "split_k_reduce reducesplitk cublas moefc fused_moe fmoe marlin machete wvsplitk llmm1 _tensorop classtensorop"},

    {kQuantisation,
     "quantiz quantis quant_ _quant dequant quantkernel qparam fp8rowwise hfp8 to_fp8 to_fp4 fp16_to_fp4 "
     "cast_transpose"},

    // ATen, FBGEMM.
    {kEmbedding,
     "embedding indexselect index_select index_elementwise index_put indexput indexing_ index_kernel index_add "
     "index_copy index_fill gather scatter masked_select permute_pooled permute_2d permute_indices permute_1d "
     "bounds_check_indices linearize_index offsets_range jagged searchsorted bucketize"},

    // apex, PyTorch's fused and foreach optimizers, gradient scaling.
    {kOptimizer,
     "adamw fusedadam adamfunctor adam_ _adam adagrad rmsprop adadelta lambfunctor lambstage lamb_ fusedsgd sgdfunctor "
     "sgd_ _sgd multi_tensor_apply multitensorapply _foreach_ non_finite_check adafactor"},

    {kReduction,
     "reduce_kernel reduceop devicereduce device_reduce segmentedreduce devicescan scan_kernel kernel_scan _scan_ "
     "scan_config radixsort radix_sort mergesort merge_sort bitonicsort sortkv topk top_k argmax argmin cumsum cumprod "
     "nllloss nll_loss nllcriterion cross_entropy crossentropy maxpool max_pool avgpool avg_pool average_pool "
     "histogram "
     "reducebykey devicecompact deviceselect deviceunique"},

    {kCopy,
     "copy_kernel copy_device_to_device catarray cat_array memcpy memset fillfunctor fill_kernel transpose recat_copy "
     "^copy_ ^copy$ _copy$ _copy_ copykernel dma_request ^dma transdata zeros_like zeroslike oneslike trans_cast"},

    {kElementwise,
     "elementwise pointwise act_and_mul activation silu gelu relu swiglu geglu dropout distribution_ arange threshold "
     "clamp op_tensor optensor triu_tril unary_ binary_ bias_add add_bias masked_fill masked_fill_kernel sigmoid tanh "
     "add_kernel "
     "mul_kernel "
     "random uniform_ bernoulli upsample interpolate grid_sampler ^loop_"},

    {kReduction, "reduce"},

    // What only looks like a word above.
    {kOther, "fbgemm warpallreduce blockallreduce"},
};

struct Words {
  std::vector<std::string_view> words;
  std::vector<KernelClass> classes;  // of each word

  Words() {
    for (const Rule& rule : kClassRules)
      for (std::string_view rest = rule.words; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        words.push_back(rest.substr(0, end));
        classes.push_back(rule.kernel_class);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
  }
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// Calls `take` with each part of `text` between marks.
template <class Take>
void split(std::string_view text, char mark, Take&& take) {
  while (true) {
    const std::size_t end = std::min(text.find(mark), text.size());
    take(text.substr(0, end));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

/// Operators of Inductor's names that only move data, word by word.
bool only_copies(std::string_view fused) {
  constexpr std::string_view kWords[] = {"clone",     "to",    "copy",    "view",     "unsafe", "reshape", "permute",
                                         "t",         "cat",   "slice",   "select",   "expand", "stack",   "squeeze",
                                         "unsqueeze", "split", "pad",     "constant", "nd",     "full",    "zeros",
                                         "ones",      "like",  "scatter", "transpose"};
  bool all = true;
  bool any = false;
  split(fused, '_', [&](std::string_view word) {
    if (word.empty() || std::ranges::all_of(word, is_digit)) return;
    any = true;
    all = all && std::ranges::find(kWords, word) != std::end(kWords);
  });
  return any && all;
}

/// Inductor names kernels by what they are (poi: pointwise, red and per: reductions, for: lists of tensors, tem: of a
/// template) and by the operators that they merge (torch/_inductor/codegen/triton.py). kOther: none of these.
KernelClass inductor_class(std::string_view name) {
  const std::string_view kind = name.substr(7, 4);
  const std::size_t fused = name.find("fused");
  const std::string_view what = fused == name.npos ? std::string_view() : name.substr(fused + 5);
  if (kind == "poi_") {
    if (only_copies(what)) return kCopy;
    return has(what, "embedding") || has(what, "index_select") || has(what, "gather") ? kEmbedding : kElementwise;
  }
  if (kind == "red_" || kind == "per_") {
    // An RMS norm of single operators has a mean and an inverse root.
    const bool divides = has(what, "norm") || has(what, "softmax") || (has(what, "rsqrt") && has(what, "mean"));
    return divides ? kNormalisation : kReduction;
  }
  if (kind == "for_") return kElementwise;
  if (has(name, "attention")) return kAttention;
  if (has(name, "convolution")) return kConvolution;
  return has(name, "mm") ? kGemm : kOther;
}

/// Ascend's "aclnnAddmm_CastAiCore_Cast": the operator that was called, and at the end the kernel that this is.
KernelClass ascend_class(std::string_view kernel) {
  constexpr std::pair<std::string_view, KernelClass> kKernels[] = {{"Cast", kCopy},
                                                                   {"TransData", kCopy},
                                                                   {"MemSet", kCopy},
                                                                   {"OnesLike", kCopy},
                                                                   {"ZerosLike", kCopy},
                                                                   {"Fill", kCopy},
                                                                   {"TensorMove", kCopy},
                                                                   {"Add", kElementwise},
                                                                   {"Sub", kElementwise},
                                                                   {"Mul", kElementwise},
                                                                   {"Muls", kElementwise},
                                                                   {"RealDiv", kElementwise},
                                                                   {"Div", kElementwise},
                                                                   {"Axpy", kElementwise},
                                                                   {"Sqrt", kElementwise},
                                                                   {"Equal", kElementwise},
                                                                   {"Addcdiv", kElementwise},
                                                                   {"Addcmul", kElementwise},
                                                                   {"Relu", kElementwise},
                                                                   {"ReluGrad", kElementwise},
                                                                   {"LogSoftmaxV2", kNormalisation},
                                                                   {"LogSoftmaxGrad", kNormalisation},
                                                                   {"NLLLossGrad", kReduction}};
  for (const auto& [name, of_kernel] : kKernels)
    if (kernel == name) return of_kernel;
  return kOther;
}

}  // namespace

std::string_view kernel_class_name(KernelClass kernel_class) {
  constexpr std::array<std::string_view, kKernelClassCount> kNames{
      "GEMM",      "convolution",  "attention",   "normalisation", "elementwise",   "reduction", "embedding, gather",
      "optimizer", "quantisation", "MoE routing", "copy",          "communication", "waiting",   "other"};
  return kNames[static_cast<std::size_t>(kernel_class)];
}

std::string_view kernel_class_key(KernelClass kernel_class) {
  constexpr std::array<std::string_view, kKernelClassCount> kKeys{
      "gemm",      "convolution",  "attention",  "normalisation", "elementwise",   "reduction", "embedding",
      "optimizer", "quantisation", "moeRouting", "copy",          "communication", "waiting",   "other"};
  return kKeys[static_cast<std::size_t>(kernel_class)];
}

std::string_view kernel_class_definition(KernelClass kernel_class) {
  return kKernelClassDefinitions[static_cast<std::size_t>(kernel_class)];
}

KernelClass kernel_class(std::string_view name) {
  if (name.starts_with("triton_"))
    if (const KernelClass known = inductor_class(name); known != kOther) return known;
  if (name.starts_with("aclnn"))
    if (const KernelClass known = ascend_class(name.substr(name.rfind('_') + 1)); known != kOther) return known;
  static const Words words;
  static const PartFinder finder(words.words);
  const std::size_t found = finder.first(name);
  return found == PartFinder::kNone ? kOther : words.classes[found];
}

KernelClass kernel_class(CategoryClass category, std::string_view name) {
  if (category == CategoryClass::kMemcpy || category == CategoryClass::kMemset) return kCopy;
  return category == CategoryClass::kKernel ? kernel_class(name) : kOther;
}

}  // namespace lacuna
