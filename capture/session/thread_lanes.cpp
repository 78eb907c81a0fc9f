#include "capture/session/thread_lanes.h"

namespace lacuna {

std::vector<OpenRange>& ThreadLanes::stack(std::uint16_t domain) {
  for (auto& [id, ranges] : stacks_)
    if (id == domain) return ranges;
  return stacks_.emplace_back(domain, std::vector<OpenRange>{}).second;
}

bool ThreadLanes::is_open(std::uint16_t domain) const {
  for (const auto& [id, ranges] : stacks_)
    if (id == domain) return !ranges.empty();
  return false;
}

void ThreadLanes::settle(std::vector<OpenRange>& stack, std::uint8_t depth, std::vector<OpenRange>& lost_ends) {
  const auto difference = static_cast<std::int8_t>(static_cast<std::uint8_t>(depth - stack.size()));
  for (int i = 0; i > difference && !stack.empty(); --i) {
    if (stack.back().is_known) lost_ends.push_back(stack.back());
    stack.pop_back();
  }
  for (int i = 0; i < difference && stack.size() < kMostDepth; ++i) {
    OpenRange unknown;
    unknown.is_known = false;
    stack.push_back(unknown);
  }
}

void ThreadLanes::push(OpenRange range, std::vector<OpenRange>& lost_ends) {
  std::vector<OpenRange>& ranges = stack(range.head.domain);
  settle(ranges, range.head.depth, lost_ends);
  if (ranges.size() < kMostDepth) ranges.push_back(std::move(range));
}

std::optional<OpenRange> ThreadLanes::pop(const wire::RecordHead& head, std::vector<OpenRange>& lost_ends) {
  if (head.name != wire::kNoName) return std::nullopt;  // nothing was open in the target either
  std::vector<OpenRange>& ranges = stack(head.domain);
  settle(ranges, static_cast<std::uint8_t>(head.depth + 1), lost_ends);
  if (ranges.empty()) return std::nullopt;
  const OpenRange range = ranges.back();
  ranges.pop_back();
  if (!range.is_known) return std::nullopt;
  return range;
}

}  // namespace lacuna
