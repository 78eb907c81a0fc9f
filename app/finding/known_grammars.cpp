// Names that are made by a grammar: those of kernels, and steps of inference servers.

#include <algorithm>
#include <array>
#include <unordered_set>

#include "app/finding/every_stretch.h"
#include "app/finding/known_words.h"
#include "model/base/ascii.h"
#include "model/trace/engine_steps.h"

namespace lacuna {
namespace {

using WordSet = std::unordered_set<std::string_view>;

WordSet words_of(std::string_view list) {
  WordSet words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.insert(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

// Letters of which the names of kernels of cuBLAS, cuDNN, CUTLASS, MIOpen, PyTorch, FBGEMM, NCCL, FlashAttention, vLLM
// and of copies are made, between digits and "_".
constexpr std::string_view kKernelLetters =
    "Kernel kernel kernels val vec vector vectorized unrolled elementwise function functor fused fusion for per "
    "with and all get set init fill find check apply create update run execute compute calc gemm gemmSN gemmk "
    "gemv gemvNSP gemvx sgemm dgemm hgemm cgemm zgemm gcgemm igemm sgemmEx largek matmul bmm addmm splitK "
    "splitKreduce Epilogue epilogue scal dot axpy nrm trsm syrk copy transpose batch batched strided stride "
    "grouped conv convolve convolution implicit explicit dgrad wgrad fprop scudnn hcudnn winograd fft engine "
    "alg interior small medium large first specialized nchw nhwc nhwckrsc ndhwc nchwToNhwcKernel "
    "nhwcToNchwKernel aligned align unity optimized analytic few channels fixed tensorop simt wmma xmma mfma "
    "volta turing ampere hopper cutlass cudnn cublas cublasLt cask magma nvjet coopA coopB sliced ldg lds "
    "stages stage tilesize tile warpsize warpgroupsize warp warps group cta cga block blocks thread split relu "
    "gelu silu elu swish sigmoid tanh softmax SoftMaxForward SoftMaxBackward cunn forward backward fwd bwd "
    "train infer inference persistent persist spatial reduce reduction layer norm rms batchnorm instance invert "
    "invstd transform input output param params grad gradients stats collect statistics last impl threshold "
    "dropout mask masked softmaxForward cuComputeGradGammaBeta cuComputePartGradGammaBeta cuApplyLayerNorm "
    "cuApplyRMSNorm MIOpenBatchNormBwdSpatial MIOpenBatchNormFwdTrainSpatial "
    "MIOpenBatchNormFwdTrainSpatialFinalMeanVariance MIOpenBatchNormFwdTrainSpatialMeanVariance "
    "MIOpenBatchNormFwdTrainSpatialNorm ClassNLLCriterion updateOutput updateGradInput loss nll reference multi "
    "single tensor Tensor apex amp adam Adam AdamFunctor LAMBStage optimizer sgd adagrad rowwise adamMode "
    "contig contiguous index indexing indexed indexSelectLargeIndex indexSelectSmallIndex indexFuncLargeIndex "
    "indexFuncSmallIndex gather scatter take embedding embs bag dense codegen unweighted weighted weights "
    "indice indices segment segments long short row rows col cols bounds pooled permute recat linearize "
    "position page paged kvcache cache store reshape rotary attention attn flash mha sdpa fmha QKV qkv decode "
    "prefill append llm moe topk gating expert experts token tokens sum mean mode min max argmax argmin pow exp "
    "log sqrt rsqrt div mul add sub neg scan sort radix merge upsample downsample histogram upscan downscan "
    "cumsum cumprod where clamp arange linspace distribution random uniform normal bernoulli unary binary "
    "nullary ternary scalar quantize dequantize quant dequant scaled static dynamic act activation rmsnorm "
    "layernorm async sync direct resolve traits type dtype future detail cuda hip triton poi red tem ids triu "
    "tril tri outputs inputs bias vals keys values map count nonzero pad padding pool pooling avg adaptive "
    "average CatArrayBatchedCopy CatArrInputTensorMetadata TensorListMetadata FusedOptimizerTensorListMetadata "
    "TensorSizeStride OffsetCalculator TrivialOffsetCalculator FixedDivisor LogSoftMaxForwardEpilogue "
    "SoftMaxForwardEpilogue LogSoftMaxBackwardEpilogue SoftMaxBackwardEpilogue Flash flashinfer FlashAttnFwd "
    "FlashAttnBwd cublasDotParams cublasGemmSmallNParams cublasGemmkParams cublasGemvParams cublasGemvParamsEx "
    "cublasGemvTensorStridedBatched cublasLtEpilogue cublasPointerMode cublasSplitKParams cublasTransposeParams "
    "cudnnConvolutionStruct cudnnKernelDataType cudnnStatus cudnnTensorStruct cudnnTensordStruct biasType "
    "OpaqueType OpType curandStatePhilox hiprandStatePhilox ihipStream HIP Memcpy Memset memcpy memset HtoD "
    "DtoH DtoD PtoP HtoH HtoA AtoH Host Device Pinned Pageable Array Unknown ncclKernel ncclDevKernel "
    "ncclDevKernelArgsStorage ncclDevComm ncclWork ncclWorkElem ncclWorkBatch rcclGenericKernel AllReduce "
    "AllGather ReduceScatter Broadcast SendRecv Reduce AlltoAll AllToAll Generic Sum Prod Max Min PreMulSum "
    "SumPostDiv MinMax RING TREE COLLNET CHAIN DIRECT NVLS SIMPLE half float double int uint void bool char "
    "Half Float Double BFloat Bfloat bfloat TNN TNT NTN NTT NNN NNT TTN TTT stridedB xregs dStruct cudnnTensor "
    "multimem MxE trans transOut schedP biasM tma tmaOpt clmp dynBatch swiGlu fmhaSm aKernel QkvE OBfloat "
    "QkvBfloat PagedKvCausalP PagedKvSlidingOrChunkedCausalP VarSeqQ PersistentContext StaticContext "
    "SwapsMmaAbForGeneration layout cudnnTensorNd nchwAddPaddingKernel computeOffsetsKernel DeviceReduceKernel "
    "DeviceScanKernel DeviceSelectSweepKernel DeviceRadixSortOnesweepKernel DeviceRadixSortHistogramKernel "
    "packed off dconv StoreKVCacheParams sageattn ops cnn batchNorm addTensor kern pointwise gated swiglu rope mla "
    "topp sampling";
constexpr std::string_view kNamespacesOfKernels =
    "cutlass_cudnn_infer cutlass_cudnn_train cutlass_cudnn cutlass__5x_cudnn cask_cudnn_infer cask_cudnn_train "
    "at_cuda_detail cuda_detail fbgemm_gpu moe ck_tile ck tensorrt_llm flashinfer aiter apex deep_ep rocblas miopen "
    "transformer_engine cublas gemvx nvinfer1 sgl_hip c10 onednn zluda rccl dnnl";
// Of the language, and of CUDA's and HIP's headers.
constexpr std::string_view kLanguageWords =
    "void float double int long bool char unsigned signed short const half size_t uint8_t int8_t uint16_t int16_t "
    "uint32_t int32_t uint64_t int64_t auto lambda anonymous namespace operator true false static sizeof nullptr "
    "decltype volatile struct class enum type value exists result_type function_traits instance Params Arguments "
    "__nv_bfloat16 __nv_bfloat162 __half "
    "__half2 __hip_bfloat16 float2 float4 int2 int4 uint2 uint4 __restrict__ HIP_vector_type";
constexpr std::string_view kStepLetters =
    "execute context generation diffusion x sq sk sqsq sqsk c g step DECODE EXTEND MIXED bs tok toks prefill decode";

bool is_name_letter_of_kernel(char c) {
  return is_ascii_letter(c) || is_digit(c) || c == '_';
}

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

/// "sgemm_128x64_tn": words of libraries, and up to two letters, of which at least one is such a word.
bool is_made_of_words(std::string_view word) {
  constexpr std::string_view kNvjet = "nvjet_";
  const bool is_nvjet = word.starts_with(kNvjet);
  if (is_nvjet) {  // "nvjet_sm90_hsh_128x256_…": the types of operands by letters
    std::string_view rest = word.substr(kNvjet.size());
    if (rest.starts_with("sm")) rest.remove_prefix(std::min(rest.find('_'), rest.size() - 1) + 1);
    const std::size_t end = std::min(rest.find('_'), rest.size());
    if (rest.substr(0, end).find_first_not_of("bcdhioqstuz") != rest.npos) return false;
    word = rest.substr(end);
  }
  static const WordSet kLetters = words_of(kKernelLetters);
  bool has_word = false;
  return every_stretch(word, is_ascii_letter,
                       [&](std::string_view letters) {
                         const bool is_known = kLetters.contains(letters);
                         has_word = has_word || is_known;
                         return is_known || letters.size() <= 2;
                       }) &&
         (has_word || is_nvjet);
}

/// "4", "4096ul"
bool is_integer(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  return digits > 0 && word.find_first_not_of("ulUL", digits) == word.npos && word.size() <= digits + 3;
}

/// "Cijk_Ailk_Bljk_HHS_BH_MT128x64x32_SN": Tensile writes them, of abbreviations with their numbers.
bool is_of_tensile(std::string_view name) {
  if (!name.starts_with("Cijk_A")) return false;
  constexpr auto kWords = std::to_array<std::string_view>(
      {"Cijk", "Ailk", "Alik", "Bjlk", "Bljk", "Bias", "UserArgs", "MIArchVgpr", "HAS", "SAV", "Grouped", "Auxiliary"});
  return std::ranges::all_of(name, is_name_letter_of_kernel) &&
         every_stretch(name, is_ascii_letter, [&](std::string_view letters) {
           const bool is_short = letters.size() <= 8 && std::ranges::all_of(letters, [](char c) {
                                   return (c >= 'A' && c <= 'Z') || c == 'n' || c == 'x';
                                 });
           return is_short || std::ranges::find(kWords, letters) != kWords.end();
         });
}

/// Reads the names in the name of a kernel from front to end.
class KernelNames {
 public:
  explicit KernelNames(std::string_view text) : text_(text) {}

  bool are_public() {
    bool has_library = false;
    for (std::size_t i = 0; i < text_.size();) {
      if (!is_name_letter_of_kernel(text_[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < text_.size() && is_name_letter_of_kernel(text_[end])) ++end;
      if (!take(i, end)) return false;
      has_library = has_library || is_library_;
      i = end;
    }
    return has_library;
  }

 private:
  bool take(std::size_t begin, std::size_t end) {
    static const WordSet kLanguage = words_of(kLanguageWords);
    static const WordSet kOfKernels = words_of(kNamespacesOfKernels);
    const std::string_view word = text_.substr(begin, end - begin);
    const bool is_scope = text_.substr(end).starts_with("::");
    const bool was_public = scope_end_ == begin && is_public_scope_;
    bool is_named = true;
    is_library_ = false;
    if (was_public || (is_scope && (is_public_namespace(word) || kOfKernels.contains(word)))) {
      is_library_ = true;
    } else if (!is_integer(word) && !kLanguage.contains(word)) {
      if (!is_made_of_words(word)) return false;
      is_library_ = true;
      is_named = false;  // what lies in it may be anybody's
    }
    if (is_scope) {
      scope_end_ = end + 2;
      is_public_scope_ = is_library_ && is_named;
      // An unnamed namespace belongs to what it stands in.
      constexpr std::string_view kUnnamed = "(anonymous namespace)::";
      if (text_.substr(scope_end_).starts_with(kUnnamed)) scope_end_ += kUnnamed.size();
    }
    return true;
  }

  const std::string_view text_;
  std::size_t scope_end_ = std::string_view::npos;  ///< behind the last "::"
  bool is_public_scope_ = false;
  bool is_library_ = false;  ///< of the word taken last
};

}  // namespace

bool is_public_kernel(std::string_view name) {
  // Inductor's: the operators that it fused, by their names in ATen.
  for (const std::string_view prefix : {"triton_poi_", "triton_red_", "triton_per_", "triton_for_", "triton_tem_"})
    if (name.starts_with(prefix)) return std::ranges::all_of(name, is_name_letter_of_kernel);
  return is_of_tensile(name) || KernelNames(name).are_public();
}

bool is_public_built_in(std::string_view name) {
  constexpr std::string_view kFunctions =
      "abs all any anext aiter ascii bin breakpoint callable chr compile delattr dir divmod eval exec format getattr "
      "globals hasattr hash hex id input isinstance issubclass iter len locals max min next oct open ord pow print "
      "repr round setattr sorted sum vars __build_class__ __import__ array zeros empty arange concatenate dot where";
  constexpr std::string_view kTypes =
      "list dict str set frozenset tuple bytes bytearray int float complex bool range memoryview generator slice "
      "mappingproxy Tensor";
  constexpr auto kModules = std::to_array<std::string_view>(
      {"torch.", "numpy.", "_thread.", "_io.", "collections.", "_contextvars.", "_hashlib.", "_queue.", "re."});
  static const WordSet kFunctionSet = words_of(kFunctions), kTypeSet = words_of(kTypes);
  constexpr std::string_view kFunction = "<built-in function ", kMethod = "<built-in method ";
  if (name.starts_with(kFunction) && name.ends_with('>')) {
    const std::string_view function = name.substr(kFunction.size(), name.size() - kFunction.size() - 1);
    return kFunctionSet.contains(function) ||
           (function.starts_with("_cuda_") && std::ranges::all_of(function, is_name_letter_of_kernel));
  }
  const std::size_t of = name.find(" of "), object = name.find(" object at 0x");
  if (!name.starts_with(kMethod) || of == name.npos || object == name.npos || object < of) return false;
  const std::string_view method = name.substr(kMethod.size(), of - kMethod.size());
  const std::string_view type = name.substr(of + 4, object - of - 4);
  const auto is_inside = [&](std::string_view module) { return type.starts_with(module); };
  return std::ranges::all_of(method, is_name_letter_of_kernel) &&
         is_hexadecimal(name.substr(object + 13, name.size() - object - 14)) && name.ends_with('>') &&
         (kTypeSet.contains(type) || std::ranges::any_of(kModules, is_inside));
}

bool is_public_step(std::string_view name) {
  static const WordSet kLetters = words_of(kStepLetters);
  return parse_engine_step(name) &&
         every_stretch(name, is_ascii_letter, [](std::string_view letters) { return kLetters.contains(letters); });
}

}  // namespace lacuna
