#include "model/build/event_batch.h"

#include <algorithm>
#include <numeric>

#include "model/build/nested_order.h"
#include "model/build/nesting.h"

namespace lacuna {
namespace {

/// Adds `from` to `to`, sorted; leaves its memory in `spares`, or gives it back.
template <class Record, class Less>
void seal_into(SealedRecords<Record>& to, std::vector<Record>& from, std::vector<std::vector<Record>>* spares,
               Less less) {
  if (!from.empty()) {
    PageVector<Record> sealed;
    sealed.reserve(to.size() + from.size());
    touch_block(sealed.data(), sealed.capacity() * sizeof(Record));
    sealed.insert(sealed.end(), to.begin(), to.end());
    if (std::ranges::is_sorted(from, less)) {
      sealed.insert(sealed.end(), from.begin(), from.end());
    } else {
      std::vector<std::uint32_t> order;
      order_by_nesting(from, less, order);
      for (const std::uint32_t i : order) sealed.push_back(from[i]);
    }
    if (!std::ranges::is_sorted(sealed, less)) std::ranges::sort(sealed, less);
    to = SealedRecords<Record>(std::move(sealed));
    from.clear();
  }
  if (spares != nullptr && from.capacity() != 0) spares->push_back(std::move(from));
  from = {};
}

/// A vector that has memory already, if there is one.
template <class Record>
std::vector<Record> take_spare(std::vector<std::vector<Record>>* spares) {
  if (spares == nullptr || spares->empty()) return {};
  std::vector<Record> spare = std::move(spares->back());
  spares->pop_back();
  return spare;
}

}  // namespace

std::size_t EventBatch::KeyHash::operator()(const TrackKey& k) const noexcept {
  const std::uint64_t of_thread = SeededHash{}(std::uint64_t{k.pid.value} << 32 | k.tid.value);
  return SeededHash::mix(
      of_thread, (std::uint64_t{k.device.value} << 32 | k.stream.value) ^ static_cast<std::uint64_t>(k.kind) << 60);
}

std::uint32_t EventBatch::track(const TrackKey& key) {
  const auto [it, is_new] = track_index_.try_emplace(key, static_cast<std::uint32_t>(tracks.size()));
  if (is_new) {
    tracks.emplace_back().key = key;
    tracks.back().slices = take_spare(spares_ == nullptr ? nullptr : &spares_->slices);
  }
  return it->second;
}

std::uint32_t EventBatch::flow_thread(StringId pid, StringId tid) {
  const auto [it, is_new] =
      flow_index_.try_emplace(std::uint64_t{pid.value} << 32 | tid.value, static_cast<std::uint32_t>(flows.size()));
  if (is_new) flows.push_back({pid, tid, take_spare(spares_ == nullptr ? nullptr : &spares_->flows), {}});
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
  auto* const slices = spares_ == nullptr ? nullptr : &spares_->slices;
  auto* const events = spares_ == nullptr ? nullptr : &spares_->flows;
  spares_ = nullptr;
  // The last one first: the next batch meets the same tracks in the same order.
  for (auto track = tracks.rbegin(); track != tracks.rend(); ++track)
    seal_into(track->sealed_slices, track->slices, slices, lies_before);
  for (auto thread = flows.rbegin(); thread != flows.rend(); ++thread)
    seal_into(thread->sealed_events, thread->events, events, EarlierFlow{});
}

std::uint64_t EventBatch::event_count() const {
  return std::accumulate(phase_counts.begin(), phase_counts.end(), std::uint64_t{0});
}

}  // namespace lacuna
