#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/kernels/kernel_name.h"
#include "model/trace/trace.h"

namespace lacuna {

struct DiffSide;
struct TraceDiff;

/// What one side ran.
struct PairedKernel {
  std::string name;  ///< as name_across_traces(); empty: this side ran nothing like the other
  std::string op;    ///< the innermost operator that launched it; empty: none
  std::uint64_t count = 0;
  Nanos total = 0;  ///< inside the side's measured window
  SliceId longest;  ///< invalid where count is 0
  Nanos max = 0;    ///< its time

  bool is_there() const { return count != 0; }
};

/// Kernels of both sides that did the same work: of the same operator and class.
struct KernelPair {
  KernelClass kernel_class = KernelClass::kOther;
  PairedKernel a, b;

  bool is_same() const { return a.name == b.name; }
  bool has_both() const { return a.is_there() && b.is_there(); }
};

/// Finds for each kernel of the measured windows of `diff` its like on the other side. Kernels of one operator and
/// class are taken in the order of their launches: where both sides launch as many of them (a step), the first is like
/// the first, and so on. Where they do not, a name meets its own, and what is left meets in the order of its time. What
/// found nothing in its operator meets its own name under others. Products, convolutions and attention that a call
/// without an operator launched, as a captured graph, are looked for among all that is left of the other side. The pair
/// with the most time (a step) first. Reads only; any thread. O(kernels log kernels).
std::vector<KernelPair> pair_kernels(const DiffSide& a, const DiffSide& b, const TraceDiff& diff);

/// What the two names tell, beside each other.
struct KernelFactPair {
  KernelFact fact = KernelFact::kLibrary;
  std::string a, b;  ///< empty: that name does not tell

  bool differs() const;
};
/// The facts that at least one of the names tells, in the order of KernelFact.
std::vector<KernelFactPair> compare_kernel_names(const KernelName& a, const KernelName& b);

/// "aten::addmm"; both, where the sides have different ones.
std::string kernel_pair_operators(const KernelPair& pair);
/// Whether it is the same kernel, and what differs: "Not the same kernel. From A to B: tile 128x64 → 256x128."
std::string kernel_pair_sentence(const KernelPair& pair);
/// What differs in short: "tile, stages"; "the same", "only in A".
std::string kernel_pair_difference(const KernelPair& pair);

}  // namespace lacuna
