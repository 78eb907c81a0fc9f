#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "capture/wire/record.h"
#include "model/base/time.h"

namespace lacuna {

/// Facts about an operator of PyTorch beside its name.
struct OperatorFacts {
  std::uint64_t external_id = 0;               ///< 0: the range is no operator; else unique in the recording
  std::uint64_t sequence = ~std::uint64_t{0};  ///< autograd's number; ~0 = none
  std::uint32_t forward_thread = 0;            ///< PyTorch's number of the thread; 0 = it is no backward operator
  std::uint32_t inputs = 0;                    ///< name id of members of "args"
  wire::OperatorScope scope = wire::OperatorScope::kFunction;
  bool has_children = false;
};

/// A range that was pushed and not yet popped.
struct OpenRange {
  Nanos start = 0;
  wire::RecordHead head;
  OperatorFacts facts;
  wire::RangeRecord attributes;  ///< only with has_attributes
  bool has_attributes = false;
  bool is_known = true;  ///< false: its push was lost, only its pop will come
};

/// The open ranges of one thread, one stack per NVTX domain.
///
/// Each push and pop carries its depth modulo 256, so that the stacks recover after lost
/// records: ranges whose pop was lost are closed (`lost_ends`), pops whose push was lost are recognised
/// as such. Memory is bounded by kMostDepth.
class ThreadLanes {
 public:
  static constexpr std::size_t kMostDepth = 65536;

  std::uint32_t tid = 0;
  std::uint32_t pthread_low = 0;
  std::uint32_t torch_thread = 0;           ///< PyTorch's number of the thread; 0 = not known
  Nanos first_time = 0;                     ///< time of its first record
  std::optional<Nanos> step_start;          ///< start of the current training step
  std::optional<std::uint32_t> ended_step;  ///< a step that ends with the outermost open operator

  /// Opens a range; ranges that must have ended before it go to `lost_ends`.
  void push(OpenRange range, std::vector<OpenRange>& lost_ends);
  /// Returns the range that a pop ends; nothing when it was not open or its push was lost.
  std::optional<OpenRange> pop(const wire::RecordHead& head, std::vector<OpenRange>& lost_ends);
  /// Calls visit(OpenRange) for all open ranges, outermost first, and removes them.
  template <class Visit>
  void close_all(Visit&& visit) {
    for (auto& [domain, stack] : stacks_) {
      for (const OpenRange& range : stack)
        if (range.is_known) visit(range);
      stack.clear();
    }
  }
  template <class Visit>
  void for_each_open(Visit&& visit) const {
    for (const auto& [domain, stack] : stacks_)
      for (const OpenRange& range : stack)
        if (range.is_known) visit(range);
  }
  bool is_open(std::uint16_t domain) const;
  /// The innermost open range of a domain, or the one `out` levels around it; null when there is none. Valid until
  /// the next push or pop.
  OpenRange* innermost(std::uint16_t domain, std::size_t out = 0) {
    for (auto& [id, ranges] : stacks_)
      if (id == domain) return out < ranges.size() ? &ranges[ranges.size() - 1 - out] : nullptr;
    return nullptr;
  }

 private:
  std::vector<OpenRange>& stack(std::uint16_t domain);
  static void settle(std::vector<OpenRange>& stack, std::uint8_t depth, std::vector<OpenRange>& lost_ends);

  std::vector<std::pair<std::uint16_t, std::vector<OpenRange>>> stacks_;  // a list, as there are few domains
};

}  // namespace lacuna
