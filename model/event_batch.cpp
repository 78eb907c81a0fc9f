#include "model/event_batch.h"

#include <algorithm>
#include <numeric>

#include "model/nesting.h"

namespace lacuna {
namespace {

/// Appends `from` to `to` and gives the memory of `from` back.
template <class Record, class Less>
void seal_into(PageVector<Record>& to, std::vector<Record>& from, Less less) {
  if (from.empty()) return;
  to.reserve(to.size() + from.size());
  to.insert(to.end(), from.begin(), from.end());
  from = {};
  if (!std::ranges::is_sorted(to, less)) std::ranges::sort(to, less);
}

}  // namespace

std::size_t EventBatch::KeyHash::operator()(const TrackKey& k) const noexcept {
  std::size_t h = static_cast<std::size_t>(k.kind);
  for (StringId id : {k.pid, k.tid, k.device, k.stream}) h = (h ^ id.value) * 0x9E3779B97F4A7C15ull;
  return h ^ (h >> 32);
}

std::uint32_t EventBatch::track(const TrackKey& key) {
  const auto [it, is_new] = track_index_.try_emplace(key, static_cast<std::uint32_t>(tracks.size()));
  if (is_new) tracks.emplace_back().key = key;
  return it->second;
}

std::uint32_t EventBatch::flow_thread(StringId pid, StringId tid) {
  const auto [it, is_new] =
      flow_index_.try_emplace(std::uint64_t{pid.value} << 32 | tid.value, static_cast<std::uint32_t>(flows.size()));
  if (is_new) flows.push_back({pid, tid, {}, {}});
  return it->second;
}

std::uint16_t EventBatch::category(StringId name) {
  constexpr std::size_t kMost = 0xffff;
  const auto next = static_cast<std::uint16_t>(std::min(categories.size(), kMost - 1));
  const auto [it, is_new] = category_index_.try_emplace(name.value, next);
  if (is_new && categories.size() < kMost) {
    categories.push_back(name);
    category_counts.push_back(0);
    category_first_offsets.push_back(ImportReport::kNoOffset);
  }
  return it->second;
}

void EventBatch::seal() {
  for (TrackEvents& track : tracks) seal_into(track.sealed_slices, track.slices, lies_before);
  const auto earlier = [](const FlowEvent& a, const FlowEvent& b) {
    return a.time != b.time ? a.time < b.time : a.file_offset < b.file_offset;
  };
  for (ThreadFlows& thread : flows) seal_into(thread.sealed_events, thread.events, earlier);
}

std::uint64_t EventBatch::event_count() const {
  return std::accumulate(phase_counts.begin(), phase_counts.end(), std::uint64_t{0});
}

}  // namespace lacuna
