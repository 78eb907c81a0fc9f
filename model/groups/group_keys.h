#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/number_map.h"
#include "model/base/seeded_hash.h"
#include "model/calls/graph_origins.h"
#include "model/columns/argument_columns.h"
#include "model/groups/group_table.h"
#include "model/kernels/kernel_class.h"
#include "model/trace/nearest_above.h"

namespace lacuna {

/// Gives each slice the number of its group; equal numbers mean equal labels. Walks the lanes once,
/// in order, so that the context of a slice is known when it is reached.
class GroupKeys {
 public:
  GroupKeys(const Trace& trace, const GroupOptions& options);
  /// Reads what is only in the file (kShape; for CUDA graphs what they were captured in).
  Result<void> prepare();

  std::uint32_t of(SliceId slice);
  std::string label(std::uint32_t key) const;
  /// Available after prepare(), if GPU times, modules or stacks are asked for.
  const GraphOrigins& graphs() const { return graphs_; }

 private:
  static constexpr std::uint32_t kNone = kNoIndex;
  /// Finds the launch of an activity, quickly if activities come in the order of their ids.
  class LaunchCursor {
   public:
    explicit LaunchCursor(const Links& links) : links_(links), next_(links.by_activity().begin()) {}
    SliceId launch_of(SliceId activity);

   private:
    const Links& links_;
    LinkTable<LaunchLink>::Iterator next_;
  };

  std::uint32_t intern(const std::string& text);
  /// Returns the key of a kernel class; nullopt means no GPU work.
  std::uint32_t key_of_class(std::optional<KernelClass> of);
  std::string where(const Track& track) const;
  std::string rank(const Track& track) const;
  /// kModule, kStack: computes the context (including the slice itself) of the slices of all CPU lanes.
  void spread_context();
  std::uint32_t context_of(SliceId slice);
  /// kModule, kStack: returns the key of what a CUDA graph node was captured in; kNone if not applicable.
  std::uint32_t key_of_graph_node(SliceId slice);
  std::uint32_t step_of(SliceId slice);
  std::uint32_t shape_of(SliceId slice);
  /// Returns the call that launched GPU work; the slice itself if it is on the CPU.
  SliceId on_cpu(SliceId slice);

  struct Frame {
    std::uint32_t outer = 0;  // index in frames_; 0 is none
    StringId name = kEmptyString;
  };
  struct Step {
    TimeSpan span;
    std::uint32_t key = 0;
  };

  const Trace& trace_;
  const GroupOptions& options_;
  std::unordered_map<std::string, std::uint32_t, SeededHash> ids_;
  std::vector<std::string> labels_;
  std::vector<std::vector<std::uint32_t>> context_;  // by lane; index in frames_
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> key_of_frame_;
  std::vector<std::uint32_t> key_of_name_;
  std::vector<std::uint32_t> key_of_track_;
  std::array<std::uint32_t, kKernelClassCount + 1> key_of_class_;
  NumberMap key_of_shape_;  // by name and the key of the dims
  std::uint32_t none_ = 0;  // key of no dims
  std::uint32_t outside_steps_ = kNone;
  std::vector<std::vector<Step>> steps_;                  // by source
  std::vector<ArgumentColumns::OperatorsPtr> operators_;  // kShape: by source
  std::vector<std::vector<std::uint32_t>> key_of_entry_;  // by source and entry of its column
  LaunchCursor launches_;
  NearestAbove operators_above_;
  GraphOrigins graphs_;
};

}  // namespace lacuna
