#include "model/event_batch.h"

#include <numeric>

namespace lacuna {

std::size_t EventBatch::KeyHash::operator()(const TrackKey& k) const noexcept {
  std::size_t h = static_cast<std::size_t>(k.kind);
  for (StringId id : {k.pid, k.tid, k.device, k.stream}) h = (h ^ id.value) * 0x9E3779B97F4A7C15ull;
  return h ^ (h >> 32);
}

std::uint32_t EventBatch::track(const TrackKey& key) {
  const auto [it, is_new] = track_index_.try_emplace(key, static_cast<std::uint32_t>(tracks.size()));
  if (is_new) tracks.push_back(TrackEvents{key, {}, {}, {}});
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

std::uint64_t EventBatch::event_count() const {
  return std::accumulate(phase_counts.begin(), phase_counts.end(), std::uint64_t{0});
}

}  // namespace lacuna
