#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/kernels/kernel_name.h"
#include "model/trace/trace.h"

namespace lacuna {

struct DiffSide;
struct TraceDiff;

/// One side's kernel in a pair.
struct PairedKernel {
  std::string name;  ///< as from name_across_traces(); empty: this side has no matching kernel
  std::string op;    ///< the innermost operator that launched it; empty: none
  std::uint64_t count = 0;
  Nanos total = 0;  ///< inside the side's measured window
  SliceId longest;  ///< invalid if count is 0
  Nanos max = 0;    ///< duration of `longest`

  bool is_there() const { return count != 0; }
};

/// Kernels of both sides that did the same work: with the same operator and class.
struct KernelPair {
  KernelClass kernel_class = KernelClass::kOther;
  PairedKernel a, b;

  bool is_same() const { return a.name == b.name; }
  bool has_both() const { return a.is_there() && b.is_there(); }
};

/// Matches each kernel of the measured windows of `diff` with one of the other side. Kernels of one operator and
/// class are taken in launch order: if both sides launch the same number (per step), the first matches
/// the first, and so on. If not, equal names match, and the rest is matched in order of time. Kernels without
/// a match in their operator match the same name under other operators. Matrix products, convolutions and attention
/// launched outside of operators, as by a captured graph, are matched with anything left on the other side. The pair
/// with the most time (per step) comes first. Reads only; any thread. O(kernels log kernels).
std::vector<KernelPair> pair_kernels(const DiffSide& a, const DiffSide& b, const TraceDiff& diff);

/// A fact about two kernels, parsed from their names.
struct KernelFactPair {
  KernelFact fact = KernelFact::kLibrary;
  std::string a, b;  ///< empty: the name does not contain the fact

  bool differs() const;
};
/// Returns the facts contained in at least one of the names, in the order of KernelFact.
std::vector<KernelFactPair> compare_kernel_names(const KernelName& a, const KernelName& b);

/// Returns "aten::addmm"; both operators if the sides have different ones.
std::string kernel_pair_operators(const KernelPair& pair);
/// Says whether it is the same kernel, and what differs: "Not the same kernel. From A to B: tile 128x64 → 256x128."
std::string kernel_pair_sentence(const KernelPair& pair);
/// Returns the differences in short: "tile, stages"; "the same", "only in A".
std::string kernel_pair_difference(const KernelPair& pair);

}  // namespace lacuna
