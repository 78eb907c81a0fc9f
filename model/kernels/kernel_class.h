#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/trace/category.h"

namespace lacuna {

/// The purpose of a GPU activity. The only classification of kernels: report, statistics, timeline, causes and the
/// decoder of names use it. In the order in which tables show them.
enum class KernelClass : std::uint8_t {
  kGemm,  ///< matrix products, including matrix-vector
  kConvolution,
  kAttention,
  kNormalisation,  ///< including softmax: both divide by a statistic of their row (Ivanov et al., 2021)
  kElementwise,
  kReduction,  ///< including scans, sorts, pooling and losses
  kEmbedding,  ///< look-ups: gather, scatter, index
  kOptimizer,
  kQuantisation,
  kMoeRouting,
  kCopy,  ///< moves, fills or reorders data, computes nothing
  kCommunication,
  kWaiting,  ///< runs only to wait for something else
  kOther,    ///< the name does not tell
};
inline constexpr std::size_t kKernelClassCount = 14;

/// Returns the class's name: "GEMM", "MoE routing" for users; "gemm", "moeRouting" for JSON and options.
std::string_view kernel_class_name(KernelClass kernel_class);
std::string_view kernel_class_key(KernelClass kernel_class);
/// One sentence of definition per class.
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
    "The choice of experts for each token, and the sums of the experts' results.",
    "Data moved, converted to another type, transposed, concatenated or filled, without computing; all copies and "
    "sets.",
    "Data moved between GPUs: NCCL, RCCL, HCCL, oneCCL, MSCCL++, NVSHMEM, DeepEP, one-shot all-reduces.",
    "Kernels that do nothing until something else is done: an event, a semaphore, time.",
    "Kernels whose names do not show their class."};
std::string_view kernel_class_definition(KernelClass kernel_class);

/// Classifies a kernel by parts of its name; the rules with their sources: kernel_class.cpp. A name without a matching
/// rule is kOther. Case-insensitive. O(length), a few ns per character; any thread.
KernelClass kernel_class(std::string_view kernel_name);
/// Classifies any GPU activity: copies and sets are kCopy whatever their name. Anything but GPU activities is kOther.
KernelClass kernel_class(CategoryClass category, std::string_view name);

}  // namespace lacuna
