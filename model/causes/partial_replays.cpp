#include "model/causes/partial_replays.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lacuna {
namespace {

constexpr std::size_t kFewestFull = 3;   // replays that look the same show what the graph has
constexpr std::size_t kFewestNodes = 8;  // of the graph: fewer may look alike by chance

using Nodes = std::vector<StringId>;

/// Whether `part` is `whole` with some left out.
bool is_part_of(const Nodes& part, const Nodes& whole) {
  auto next = part.begin();
  for (const StringId node : whole)
    if (next != part.end() && *next == node) ++next;
  return next == part.end();
}

}  // namespace

std::vector<PartialReplay> find_partial_replays(const Trace& trace) {
  // Launches of each file by what they started.
  std::map<std::pair<SourceId, Nodes>, std::vector<SliceId>> replays;
  const LinkTable<LaunchLink>& launches = trace.links().launches();
  std::vector<std::pair<Nanos, StringId>> started;
  for (auto first = launches.begin(); first != launches.end();) {
    const SliceId launch = first->launch;
    const auto first_of_launch = first;
    std::size_t count = 0;
    for (; first != launches.end() && first->launch == launch; ++first) ++count;
    if (count * 2 < kFewestNodes) continue;  // most launches start one activity
    started.clear();
    for (auto link = first_of_launch; link != first; ++link)
      started.emplace_back(trace.span(link->activity).begin, trace.lane(link->activity).name(link->activity.index));
    // A call of Ascend's hands its tasks over one by one, and no graph.
    if (trace.name(launch).starts_with("AscendCL@")) continue;
    std::ranges::stable_sort(started, {}, &std::pair<Nanos, StringId>::first);
    Nodes nodes;
    for (const auto& [begin, name] : started) nodes.push_back(name);
    replays[{trace.process(trace.track_of(launch).process).source, std::move(nodes)}].push_back(launch);
  }
  std::vector<PartialReplay> found;
  for (const auto& [part, once] : replays) {
    if (once.size() > 1) continue;
    std::optional<std::size_t> least;  // nodes of the smallest graph that it can be of
    for (const auto& [whole, often] : replays) {
      const std::size_t nodes = whole.second.size();
      if (often.size() < kFewestFull || nodes < kFewestNodes || whole.first != part.first ||
          nodes <= part.second.size() || nodes > 2 * part.second.size() || (least && nodes >= *least) ||
          !is_part_of(part.second, whole.second))
        continue;
      least = nodes;
    }
    if (least)
      found.push_back(
          {once.front(), static_cast<std::uint32_t>(*least - part.second.size()), static_cast<std::uint32_t>(*least)});
  }
  std::ranges::sort(found, {}, &PartialReplay::launch);
  return found;
}

}  // namespace lacuna
