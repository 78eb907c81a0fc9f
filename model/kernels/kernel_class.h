#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/trace/category.h"

namespace lacuna {

/// What a GPU activity is for. The one classification of kernels: report, statistics, timeline, causes and the decoder
/// of names ask it. In the order in which tables show them.
enum class KernelClass : std::uint8_t {
  kGemm,  ///< matrix products, with vectors too
  kConvolution,
  kAttention,
  kNormalisation,  ///< with softmax: both divide by a statistic of their row (Ivanov et al., 2021)
  kElementwise,
  kReduction,  ///< with scans, sorts, pooling and losses
  kEmbedding,  ///< look-ups: gather, scatter, index
  kOptimizer,
  kQuantisation,
  kMoeRouting,
  kCopy,  ///< moves, fills or reorders, computes nothing
  kCommunication,
  kWaiting,  ///< runs, but only until something else is done
  kOther,    ///< the name does not tell
};
inline constexpr std::size_t kKernelClassCount = 14;

/// "GEMM", "MoE routing": on every surface. "gemm", "moeRouting": in JSON and options.
std::string_view kernel_class_name(KernelClass kernel_class);
std::string_view kernel_class_key(KernelClass kernel_class);
/// One sentence of definition.
inline constexpr std::array<std::string_view, kKernelClassCount> kKernelClassDefinitions{
    "Products of matrices, of a matrix and a vector, and what cuBLAS adds up after a split k.",
    "Convolutions and their gradients, with the transforms and offsets that cuDNN and MIOpen prepare for them.",
    "Attention: scores, softmax and the product with the values in one kernel.",
    "Layer, RMS, batch and group norms, and softmax: each divides by a statistic of its row.",
    "One result for each element: activations, sums, products, dropout, positions, random numbers.",
    "Many elements become few or ordered ones: sums, means, maxima, losses, pooling, scans, sorts.",
    "Look-ups by index: embeddings, gather, scatter, indexing.",
    "Updates of the parameters: fused optimizers, and operations on lists of tensors (foreach) made for them.",
    "Conversions to and from 8 bits and less, with their scales.",
    "Which expert gets which token, and the sums of what the experts made of it.",
    "Data moved, converted to another type, transposed, concatenated or filled, without computing; all copies and "
    "sets.",
    "Data moved between GPUs: NCCL, RCCL, HCCL, oneCCL, MSCCL++, NVSHMEM, DeepEP, one-shot all-reduces.",
    "Kernels that do nothing until something else is done: an event, a semaphore, time.",
    "Kernels whose names do not tell."};
std::string_view kernel_class_definition(KernelClass kernel_class);

/// Judges a kernel by parts of its name; the rules with their sources: kernel_class.cpp. A name that no rule knows is
/// kOther. Letters count whatever their case. O(length), a few ns a character; any thread.
KernelClass kernel_class(std::string_view kernel_name);
/// The same of any GPU activity: copies and sets are kCopy whatever their name. What is no GPU activity is kOther.
KernelClass kernel_class(CategoryClass category, std::string_view name);

}  // namespace lacuna
