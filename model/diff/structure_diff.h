#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/diff/structure_kind.h"
#include "model/trace/trace.h"

namespace lacuna {

struct DiffSide;
struct TraceDiff;

/// How the two sides of a row belong together.
enum class StructureRelation : std::uint8_t {
  kSame,      ///< of one name
  kReplaced,  ///< one for one of another name at the same place below the same parent; kernels of one class, if many
  kFused,     ///< several of A for one of B, or for what torch.compile made of them in B
  kSplit,     ///< one of A, or what torch.compile made, for several of B
  kOnlyA,
  kOnlyB,
};
/// "same", "replaced", "fused", "split", "onlyA", "onlyB", for JSON; and in words.
std::string_view structure_relation_key(StructureRelation relation);
std::string_view structure_relation_name(StructureRelation relation);

/// What one side has at a row, inside its measured window.
struct StructureSide {
  std::vector<std::string> names;  ///< several where they are fused or split, those that began first first
  std::uint64_t count = 0;         ///< slices; of kernels, kernels
  Nanos host = 0;
  std::uint64_t kernels = 0;  ///< below
  Nanos time = 0;             ///< of these kernels: the sum of that of the rows below
  Nanos own = 0;              ///< … of the kernels that stand right below
  SliceId longest;            ///< of those with the most kernel time the longest; invalid where count is 0

  bool is_there() const { return !names.empty(); }
  std::string name() const;  ///< all of them, with commas
};

/// One place of the aligned trees.
struct StructureRow {
  StructureKind kind = StructureKind::kRoot;  ///< of side A where it is there
  StructureRelation relation = StructureRelation::kSame;
  std::uint32_t parent = 0;  ///< index; of the root: itself
  std::uint32_t depth = 0;
  std::uint32_t end = 0;  ///< index behind the last row below
  StructureSide a, b;
  double difference = 0;  ///< B - A of kernel time, a step where the comparison is per step
  double moved = 0;       ///< absolute differences of the rows of kernels below; ≥ that of any row below

  std::string name() const;  ///< "aten::mm"; "aten::mul, aten::add → CompiledFxGraph" where the sides differ
};

/// An operator or compiled region, wherever it stands in the trees.
struct StructureOperator {
  struct Numbers {
    std::uint64_t count = 0;
    Nanos host = 0;  ///< inside each other they count once, as in `time`
    Nanos time = 0;  ///< of the kernels launched in it and below
    Nanos own = 0;   ///< … with no other operator in between
  };
  std::string name;
  Numbers a, b;
};

/// Two trees of what calls what, aligned from the top.
struct StructureDiff {
  /// Each behind its parent, those that moved most first. rows[0] is the root. Times of the rows of kind kKernel make
  /// the kernel time of the measured windows.
  std::vector<StructureRow> rows;
  std::vector<StructureOperator> operators;  ///< those with the largest difference of own kernel time first
  bool has_modules = false;                  ///< both sides have modules; else modules are left out
  bool is_module_side_a = false, is_module_side_b = false;  ///< that file has them
};

/// Aligns the measured windows of `diff`. Children of two aligned nodes meet by their names first. Of what is left and
/// launched kernels, operators meet the Triton kernels whose names say them (fused_names.h), kernels of one call those
/// of their class (kernels/kernel_class.h), others what stands between the same neighbours that met: one and one
/// replace each other, several and one are fused or split, as are any number and those that torch.compile made, and as
/// many of both sides replace each other in their order. What finds nothing there belongs to the compiled frame before
/// it, if only the other side has such. Below what is fused or split, operators that launch kernels meet wherever they
/// stand. Reads only; any thread. Two call trees a side (calls/call_tree.h), then O(nodes log nodes).
StructureDiff compare_structure(const DiffSide& a, const DiffSide& b, const TraceDiff& diff);

/// The `most` rows that moved most, with the rows around them, ascending; 0: all.
std::vector<std::uint32_t> most_moved(const StructureDiff& diff, std::size_t most);

}  // namespace lacuna
