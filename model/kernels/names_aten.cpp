// ATen and what stands beside it: FBGEMM, vLLM; CUB, rocPRIM; NCCL and the other collectives.

#include <algorithm>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/kernels/name_parts.h"

namespace lacuna {
namespace {

using enum KernelFact;

/// "CUDAFunctor_add" -> "add", "MulFunctor" -> "mul", "sigmoid_backward_kernel_cuda" -> "sigmoid backward".
std::string operation_word(std::string_view functor) {
  std::string text(functor);
  const auto drop = [&](std::string_view part) {
    if (const std::size_t at = text.find(part); at != std::string::npos) text.erase(at, part.size());
  };
  for (const std::string_view part :
       {"CUDAFunctorOnSelf_", "CUDAFunctorOnOther_", "CUDAFunctor_", "_kernel_cuda", "_cuda_kernel",
        "CUDAKernelImplInternal", "CUDAKernelImpl", "KernelImplInternal", "KernelImpl", "_kernel_impl", "_cuda_out",
        "_kernel", "Functor", "Ops", "launch_", "_cuda", "_functor", "_gpu"})
    drop(part);
  std::string words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '_') {
      if (!words.empty() && words.back() != ' ') words += ' ';
    } else if (is_ascii_upper(c) && i > 0 && !is_ascii_upper(text[i - 1]) && text[i - 1] != '_') {
      words += ' ';
      words += to_lower(c);
    } else {
      words += to_lower(c);
    }
  }
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

bool is_name(char c) {
  return is_digit(c) || is_ascii_letter(c) || c == '_';
}

/// The functor among the template's arguments and its type: "MulFunctor", "float".
struct Functor {
  std::string_view name;
  std::string type;
};
Functor find_functor(std::string_view name) {
  const std::size_t open = name.find('<');
  if (open == name.npos) return {};
  std::string_view rest = name.substr(open + 1);
  for (const std::string_view wrapper :
       {"gpu_kernel_impl_nocast<", "gpu_kernel_impl<", "gpu_index_kernel<", "ReduceOp<"})
    if (const std::size_t at = rest.find(wrapper); at != rest.npos) rest.remove_prefix(at + wrapper.size());
  // The operation inside of what only binds one of its arguments.
  const std::size_t parameters = rest.find(">(int");
  std::string_view inner = rest.substr(0, parameters);
  Functor found;
  std::size_t best = inner.npos;
  for (const std::string_view mark :
       {"Functor", "Ops<", "_kernel_cuda", "_cuda_kernel", "_kernel_impl", "KernelImpl", "_cuda_out",
        "copy_device_to_device", "_functor<", "compare_scalar_kernel", "launch_clamp_scalar", "batch_norm_calc_invstd",
        "masked_fill_kernel", "silu_kernel", "elu_kernel", "_gpu("}) {
    for (std::size_t at = 0; (at = inner.find(mark, at)) != inner.npos; ++at) {
      std::size_t begin = at;
      while (begin > 0 && is_name(inner[begin - 1])) --begin;
      std::size_t end = at;
      while (end < inner.size() && is_name(inner[end])) ++end;
      const std::string_view whole = inner.substr(begin, end - begin);
      if (whole == "AUnaryFunctor" || whole == "BUnaryFunctor" || whole == "BinaryFunctor") continue;
      if (begin < best) {
        best = begin;
        found.name = whole;
        if (end < inner.size() && inner[end] == '<') {
          const auto arguments = template_arguments(inner.substr(end));
          if (!arguments.empty()) found.type = type_word(arguments[0]);
        }
      }
      break;
    }
  }
  // Functors over two types name them: "BinaryFunctor<float, float, bool, CompareEqFunctor<float>>".
  if (found.type.empty())
    for (const std::string_view wrapper : {"BinaryFunctor<", "UnaryFunctor<"})
      if (const std::size_t at = inner.find(wrapper); at != inner.npos && found.type.empty())
        found.type = type_word(inner.substr(at + wrapper.size(), inner.find(',', at) - at - wrapper.size()));
  // A lambda says its types as parameters: "lambda(float)#1", "[lambda(float) (instance 1)]".
  if (found.type.empty())
    for (std::size_t at = 0; found.type.empty() && (at = inner.find("lambda(", at)) != inner.npos; at += 7) {
      const std::size_t end = inner.find_first_of(",)", at + 7);
      if (end != inner.npos) found.type = type_word(inner.substr(at + 7, end - at - 7));
    }
  return found;
}

std::string whole_number(std::string_view text) {
  if (text.starts_with("(int)")) text.remove_prefix(5);
  return is_digits(text) ? std::string(text) : std::string{};
}

/// Kernels that are one operation each: how their leaf begins, and what they do.
struct Plain {
  std::string_view leaf, noun, operation;
};
constexpr Plain kPlain[] = {
    {"softmax_warp_forward", "softmax of short rows", "forward"},
    {"softmax_warp_backward", "gradient of a softmax of short rows", "backward"},
    {"cunn_SoftMaxForward", "softmax", "forward"},
    {"cunn_SoftMaxBackward", "gradient of a softmax", "backward"},
    {"vectorized_layer_norm_kernel", "layer norm", "forward"},
    {"LayerNormForwardCUDAKernel", "layer norm", "forward"},
    {"RowwiseMomentsCUDAKernel", "mean and variance of rows for a norm", "forward"},
    {"layer_norm_grad_input_kernel", "gradient of a layer norm's input", "backward"},
    {"GammaBetaBackward", "gradient of a norm's weight and bias", "backward"},
    {"cuComputeGradGammaBeta", "gradient of a norm's weight and bias", "backward"},
    {"cuComputePartGradGammaBeta", "parts of the gradient of a norm's weight and bias", "backward"},
    {"batch_norm_collect_statistics", "mean and variance for a batch norm", "forward"},
    {"batch_norm_transform_input", "batch norm", "forward"},
    {"batch_norm_backward", "gradient of a batch norm", "backward"},
    {"CatArrayBatchedCopy", "concatenation of tensors", ""},
    {"indexSelect", "look-up of rows by index (index_select, embedding)", ""},
    {"vectorized_gather_kernel", "look-up of rows by index", ""},
    {"index_elementwise_kernel", "indexing by tensors", ""},
    {"indexing_backward_kernel", "gradient of indexing by tensors", "backward"},
    {"_scatter_gather_elementwise_kernel", "gather or scatter", ""},
    {"max_pool_forward", "max pooling", "forward"},
    {"max_pool_backward", "gradient of max pooling", "backward"},
    {"adaptive_average_pool", "adaptive average pooling", "forward"},
    {"fused_dropout_kernel", "dropout", "forward"},
    {"distribution_elementwise_grid_stride_kernel", "generator of random numbers", ""},
    {"searchsorted_cuda_kernel", "binary search", ""},
    {"cunn_ClassNLLCriterion_updateOutput", "negative log likelihood loss", "forward"},
    {"cunn_ClassNLLCriterion_updateGradInput", "gradient of a negative log likelihood loss", "backward"},
    {"nll_loss_forward", "negative log likelihood loss", "forward"},
    {"nll_loss_backward", "gradient of a negative log likelihood loss", "backward"},
};

/// The same outside of ATen, with the library that they are of.
struct Beside {
  std::string_view begins, library, noun, operation;
};
constexpr Beside kBeside[] = {
    {"vllm::rms_norm_kernel", "vLLM", "RMS norm", "forward"},
    {"vllm::fused_add_rms_norm_kernel", "vLLM", "RMS norm after an addition", "forward"},
    {"vllm::rotary_embedding_kernel", "vLLM", "rotary position embedding", "forward"},
    {"rotary_embedding_kernel", "vLLM or SGLang", "rotary position embedding", "forward"},
    {"vllm::reshape_and_cache", "vLLM", "copy of keys and values into the cache", ""},
    {"vllm::scaled_fp8_quant_kernel", "vLLM", "quantisation to fp8", ""},
    {"vllm::act_and_mul_kernel", "vLLM", "elementwise gated activation", ""},
    {"vllm::moe::topkGatingSoftmax", "vLLM", "choice of experts (softmax and top k)", ""},
    {"vllm::moe::moe_align_block_size_kernel", "vLLM", "sorting of tokens by expert", ""},
    {"moe::dev::routing", "TensorRT-LLM (in FlashInfer)", "choice of experts and places of their tokens", ""},
    {"moe::dev::finalize", "TensorRT-LLM (in FlashInfer)", "sum of what the experts made of each token", ""},
    {"tensorrt_llm::kernels::quantize_with_block_size", "TensorRT-LLM", "quantisation with a scale for each block", ""},
    {"split_embedding_codegen_forward", "FBGEMM", "look-up in embedding tables", "forward"},
    {"dense_embedding_codegen_forward", "FBGEMM", "look-up in embedding tables", "forward"},
    {"split_embedding_backward_codegen", "FBGEMM", "gradient of embedding tables with the optimizer's update",
     "backward"},
    {"split_embedding_codegen_grad", "FBGEMM", "gradient of the weights of a look-up in embedding tables", "backward"},
    {"bounds_check_indices_kernel", "FBGEMM", "check of the indices of embedding tables", ""},
    {"linearize_index_kernel", "FBGEMM", "preparation of a gradient of embedding tables", ""},
    {"permute_pooled_embs_kernel", "FBGEMM", "reordering of pooled embeddings", ""},
    {"fbgemm_gpu::permute_", "FBGEMM", "reordering of sparse features", ""},
    {"recat_copy_async_kernel", "FBGEMM", "reordering of pooled embeddings", ""},
};

}  // namespace

bool read_aten(const NameParts& parts, Reading& out) {
  const std::string& leaf = parts.leaf;
  for (const Beside& known : kBeside)
    if (parts.qualified.starts_with(known.begins)) {
      out.noun = known.noun;
      out[kLibrary] = known.library;
      out[kOperation] = known.operation;
      out[kOperands] = first_type(parts);
      return true;
    }
  const bool is_elementwise = leaf.find("elementwise_kernel") != std::string::npos && !leaf.starts_with("index_") &&
                              leaf.find("scatter") == std::string::npos;
  const bool is_reduction = leaf == "reduce_kernel";
  const bool is_list = leaf == "multi_tensor_apply_kernel";
  out[kLibrary] = "PyTorch (ATen)";
  if (is_elementwise || is_reduction || is_list) {
    const Functor functor = find_functor(parts.whole);
    const std::string operation = operation_word(functor.name);
    const bool copies = operation.find("copy") != std::string::npos;
    if (operation == "fill") out.noun = "fill with one value";
    if (copies) {
      out.noun = "copy or conversion";
    } else if (is_list) {
      out.noun = fmt::format("operation on a list of tensors{}", operation.empty() ? "" : " (" + operation + ")");
      if (parts.whole.find("at::native") == std::string_view::npos) out[kLibrary] = "apex";
    } else if (out.noun.empty() && !operation.empty()) {
      out.noun = is_reduction ? fmt::format("reduction ({})", operation) : fmt::format("elementwise {}", operation);
    }
    if (out.noun.empty()) out.noun = is_reduction ? "reduction" : "elementwise operation";
    out[kOperation] = operation;
    out[kOperands] = functor.type;
    if (is_elementwise && !parts.arguments.empty()) {
      const std::string first = whole_number(parts.arguments[0]);
      if (leaf == "vectorized_elementwise_kernel" && !first.empty()) {
        out[kVector] = fmt::format("{} elements at once", first);
      } else if (leaf == "elementwise_kernel" || leaf == "elementwise_kernel_manual_unroll") {
        out[kVariant] = "strided or broadcast operands: not vectorised";
      } else if (leaf == "unrolled_elementwise_kernel") {
        out[kVariant] = "unrolled: types differ or addresses are not aligned";
      }
    }
    if (is_reduction && parts.arguments.size() >= 2) {
      const std::string threads = whole_number(parts.arguments[0]), outputs = whole_number(parts.arguments[1]);
      if (!threads.empty() && !outputs.empty())
        out[kVector] =
            fmt::format("up to {} threads, {} output{} a thread", threads, outputs, outputs == "1" ? "" : "s");
    }
    return true;
  }
  for (const Plain& known : kPlain)
    if (leaf.starts_with(known.leaf)) {
      out.noun = known.noun;
      out[kOperation] = known.operation;
      // Of the gather the type is that of the indices.
      if (!leaf.starts_with("vectorized_gather")) out[kOperands] = first_type(parts);
      if (leaf.starts_with("CatArrayBatchedCopy") || leaf.starts_with("index_elementwise") ||
          leaf.starts_with("_scatter")) {
        // Moved as bytes: "OpaqueType<2u>".
        std::string_view bytes = number_after(parts.whole, "OpaqueType<");
        if (bytes.empty()) bytes = number_after(parts.whole, "OpaqueType<(unsigned int)");
        if (!bytes.empty()) out[kOperands] = fmt::format("any type of {} bytes", bytes);
      }
      return true;
    }
  out[kLibrary].clear();
  return false;
}

bool read_cub(const NameParts& parts, Reading& out) {
  const bool is_cub = parts.whole.find("cub::") != std::string_view::npos && parts.leaf.starts_with("Device");
  const bool is_rocprim = parts.qualified.starts_with("rocprim::");
  const bool is_thrust = parts.qualified.starts_with("thrust::");
  if (!is_cub && !is_rocprim && !is_thrust) return false;
  const std::string leaf = to_lower(parts.leaf);
  struct Name {
    std::string_view part, noun;
  };
  constexpr Name kNames[] = {{"radixsort", "radix sort"},
                             {"radix_sort", "radix sort"},
                             {"mergesort", "merge sort"},
                             {"reducebykey", "sums by key"},
                             {"compactinit", "start of a selection"},
                             {"scaninit", "start of a prefix sum"},
                             {"devicescan", "prefix sum (scan)"},
                             {"scan_config", "prefix sum (scan)"},
                             {"devicereduce", "reduction"},
                             {"reduce_config", "reduction"},
                             {"deviceselect", "selection"},
                             {"histogram", "histogram"},
                             {"transform", "elementwise operation"},
                             {"for_each", "elementwise operation"}};
  for (const Name& known : kNames)
    if (out.noun.empty() && (is_cub ? leaf : parts.lower).find(known.part) != std::string::npos) out.noun = known.noun;
  if (out.noun.empty()) return false;
  if (out.noun == "radix sort") {
    if (parts.has("histogram")) out[kOperation] = "histogram of digits";
    if (parts.has("exclusivesum")) out[kOperation] = "sums of the histogram";
    if (parts.has("onesweep")) out[kOperation] = "one pass over the keys (onesweep)";
    if (parts.has("singletile")) out[kOperation] = "all in one block";
    const std::size_t policy = parts.whole.find("DeviceRadixSortPolicy");
    if (policy != std::string_view::npos)
      if (const auto arguments = template_arguments(parts.whole.substr(policy)); !arguments.empty())
        out[kOperands] = type_word(arguments[0]) + " keys";
    if (out[kOperands] == " keys") out[kOperands].clear();
  }
  out[kLibrary] = is_rocprim ? "rocPRIM" : is_thrust ? "Thrust" : "CUB";
  return true;
}

bool read_collective(const NameParts& parts, Reading& out) {
  const std::string& leaf = parts.leaf;
  struct Kind {
    std::string_view part, noun;
  };
  constexpr Kind kKinds[] = {{"allreduce", "all-reduce"},
                             {"all_reduce", "all-reduce"},
                             {"cross_device_reduce", "all-reduce"},
                             {"reducescatter", "reduce-scatter"},
                             {"reduce_scatter", "reduce-scatter"},
                             {"allgather", "all-gather"},
                             {"all_gather", "all-gather"},
                             {"broadcast", "broadcast"},
                             {"sendrecv", "send and receive"},
                             {"alltoall", "all-to-all"},
                             {"all_to_all", "all-to-all"},
                             {"dispatch", "dispatch of tokens to experts"},
                             {"combine", "return of tokens from experts"},
                             {"reduce", "reduce"}};
  const auto set_kind = [&] {
    const std::string lower = to_lower(leaf);
    for (const Kind& kind : kKinds)
      if (out.noun.empty() && lower.find(kind.part) != std::string::npos) out.noun = kind.noun;
  };
  if (leaf.starts_with("nccl")) {
    set_kind();
    out[kLibrary] = "NCCL or RCCL";
    if (out.noun.empty() && parts.has("generic")) out.noun = "collective whose kind the name does not tell";
    if (out.noun.empty()) return false;
    if (parts.has("_ring")) append_item(out[kAlgorithm], "ring");
    if (parts.has("_tree")) append_item(out[kAlgorithm], "tree");
    if (parts.has("collnet")) append_item(out[kAlgorithm], "CollNet");
    if (parts.has("_nvls")) append_item(out[kAlgorithm], "NVLink SHARP");
    const auto words = words_between(parts.leaf, '_');
    for (const std::string_view word : words) {
      if (word == "LL") append_item(out[kAlgorithm], "LL (low latency)");
      if (word == "LL128") append_item(out[kAlgorithm], "LL128");
      if (word == "SIMPLE") append_item(out[kAlgorithm], "simple protocol");
      if (word == "Sum" && out.noun != "broadcast" && out.noun != "send and receive" && out.noun != "all-gather")
        out[kOperation] = "sum";
      if (word == "Max") out[kOperation] = "maximum";
      if (word == "Min") out[kOperation] = "minimum";
      // Broadcast and the like are compiled for bytes, whatever they move.
      if (const std::string type = type_word(word); !type.empty() && type != "int8") out[kOperands] = type;
    }
    // Any of its kernels can run any algorithm (NVIDIA/nccl issues 739 and 2196).
    if (!out[kAlgorithm].empty()) out[kAlgorithm] += ": what the kernel was compiled for; NCCL may run another in it";
    return true;
  }
  struct Library {
    std::string_view begins, name;
  };
  constexpr Library kLibraries[] = {{"deep_ep::", "DeepEP"},
                                    {"dpsk::ep::", "DeepEP"},
                                    {"vllm::", "vLLM"},
                                    {"aiter::", "AITER"},
                                    {"flashinfer::", "FlashInfer"},
                                    {"tensorrt_llm::", "TensorRT-LLM"},
                                    {"mscclpp::", "MSCCL++"},
                                    {"nvshmem", "NVSHMEM"},
                                    {"oneccl", "oneCCL"},
                                    {"userbuffers", "Transformer Engine (userbuffers)"},
                                    {"kuserbuffers", "Transformer Engine (userbuffers)"}};
  if (kernel_class(parts.whole) != KernelClass::kCommunication) return false;
  for (const Library& library : kLibraries)
    if (parts.qualified.starts_with(library.begins)) out[kLibrary] = library.name;
  if (leaf.starts_with("multimem_") || leaf.starts_with("one_shot_") || leaf.starts_with("two_shot_")) {
    out[kLibrary] = "PyTorch (symmetric memory)";
    if (leaf.starts_with("multimem_")) append_item(out[kAlgorithm], "multimem: the NVLink switch adds up");
  }
  if (leaf.starts_with("cached_notify") || leaf.starts_with("notify_dispatch")) {
    out.noun = "exchange of counts before tokens are sent to experts";
  } else if (out[kLibrary].starts_with("Transformer")) {
    out.noun = parts.has("_rs")                         ? "reduce-scatter"
               : parts.has("_ag")                       ? "all-gather"
               : parts.has("push") || parts.has("pull") ? "send and receive"
                                                        : "all-reduce";
  } else {
    set_kind();
  }
  if (parts.has("oneshot") || parts.has("one_shot") || parts.has("1stage")) append_item(out[kAlgorithm], "one-shot");
  if (parts.has("twoshot") || parts.has("two_shot") || parts.has("2stage")) append_item(out[kAlgorithm], "two-shot");
  if (parts.has("lamport")) append_item(out[kAlgorithm], "Lamport flags");
  if (parts.has("internode")) append_item(out[kVariant], "between machines");
  if (parts.has("intranode")) append_item(out[kVariant], "within a machine");
  if (parts.has("internode_ll")) append_item(out[kVariant], "low latency");
  if (parts.has("allreduce_fusion")) append_item(out[kVariant], "fused with what follows");
  out[kOperands] = first_type(parts);
  if (out[kLibrary].empty()) out.noun.clear();
  return !out.noun.empty();
}

}  // namespace lacuna
