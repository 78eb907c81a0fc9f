#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/diff/structure_kind.h"
#include "model/trace/trace.h"

namespace lacuna {

struct DiffSide;

/// Numbers for the names of two traces, so that they can be compared.
class StructureNames {
 public:
  std::uint32_t of(std::string_view text);
  const std::string& text(std::uint32_t number) const { return *texts_[number]; }

 private:
  std::unordered_map<std::string, std::uint32_t, SeededHash> numbers_;
  std::vector<const std::string*> texts_;
};

/// All slices of one kind and name below one parent.
struct StructureNode {
  StructureKind kind = StructureKind::kRoot;
  std::uint32_t name = 0;  ///< in StructureNames, as name_across_traces(), compiled graphs without their hashes
  std::uint32_t parent = 0;
  std::uint64_t count = 0;    ///< slices that overlap the window; of kernels, kernels
  Nanos host = 0;             ///< time inside the window, of kernels 0
  std::uint64_t kernels = 0;  ///< launched in it and below; of kernels, themselves
  Nanos time = 0;             ///< of these kernels, inside the window
  Nanos first = kMaxNanos;    ///< when the first of its slices began
  SliceId longest;            ///< invalid: it ran outside of the window, and only its kernels inside
  Nanos longest_time = -1;
};

/// A trace merged by what calls what: modules, operators and compiled regions, and below each the kernels that calls
/// directly in it launched. Annotations, runtime calls, other Python frames and wrappers of modules
/// (DistributedDataParallel) are left out: what they hold belongs to what is around them. Nodes of CUDA graphs belong
/// where they were captured, as far as that is known. The times of all kKernel nodes make the time of all kernels in
/// the window. nodes[0] is the root, and there always is one.
struct StructureTree {
  std::vector<StructureNode> nodes;  ///< parents before their children
  /// The children of node n are order[begins[n]] to order[begins[n + 1]], those that began first first.
  std::vector<std::uint32_t> order, begins;
  bool has_modules = false;  ///< the file has them, counted here or not

  template <class Visit>
  void for_each_child(std::uint32_t node, Visit&& visit) const {
    for (std::uint32_t c = begins[node]; c < begins[node + 1]; ++c) visit(order[c]);
  }
};

/// `with_modules`: false leaves modules out as well. Reads only; any thread. Costs as two call trees
/// (calls/call_tree.h).
StructureTree build_structure_tree(const DiffSide& side, TimeSpan window, bool with_modules, StructureNames& names);

}  // namespace lacuna
