#include "capture/session/forward_links.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr std::size_t kFirstForwardSlots = 256;
constexpr std::size_t kMostWaitingLinks = std::size_t{1} << 16;

}  // namespace

void ForwardLinks::Table::put(const Begun& begun) {
  if (slots_.empty()) slots_.resize(kFirstForwardSlots);
  for (;;) {
    Begun& slot = slots_[begun.sequence & (slots_.size() - 1)];
    if (slot.sequence == ~std::uint64_t{0} || slot.sequence == begun.sequence || slots_.size() >= kMost) {
      slot = begun;
      return;
    }
    std::vector<Begun> larger(2 * slots_.size());
    for (const Begun& kept : slots_)
      if (kept.sequence != ~std::uint64_t{0}) larger[kept.sequence & (larger.size() - 1)] = kept;
    slots_ = std::move(larger);
  }
}

ForwardLinks::Begun* ForwardLinks::Table::find(std::uint64_t sequence) {
  if (slots_.empty()) return nullptr;
  Begun& slot = slots_[sequence & (slots_.size() - 1)];
  return slot.sequence == sequence ? &slot : nullptr;
}

void ForwardLinks::forward(std::uint32_t thread, std::uint64_t sequence, const StreamedTrack& track, Nanos start) {
  if (thread == 0 || (threads_.size() >= kMostThreads && !threads_.contains(thread))) return;
  threads_[thread].put({sequence, start, track});
}

bool ForwardLinks::join(const Waiting& backward) {
  const auto table = threads_.find(backward.thread);
  Begun* begun = table == threads_.end() ? nullptr : table->second.find(backward.sequence);
  if (begun == nullptr) return false;
  sink_.add(StreamedFlow{begun->track, begun->start, backward.track, backward.start, next_id_++, kForwardBackward});
  begun->sequence = ~std::uint64_t{0};
  return true;
}

void ForwardLinks::backward(std::uint32_t forward_thread, std::uint64_t sequence, const StreamedTrack& track,
                            Nanos start) {
  const Waiting waiting{forward_thread, sequence, track, start};
  if (!join(waiting) && waiting_.size() < kMostWaitingLinks) waiting_.push_back(waiting);
}

void ForwardLinks::settle() {
  std::erase_if(waiting_, [&](Waiting& backward) { return join(backward) || ++backward.rounds >= 2; });
}

}  // namespace lacuna
