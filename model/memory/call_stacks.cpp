#include "model/memory/call_stacks.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr unsigned kLongestChain = 16;
constexpr std::size_t kFrameBytes = 24;  // with its place in the hash table

/// Nothing small makes the state zero, from which the numbers before would be forgotten.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ (value + 0xd6e8'feb8'6659'fd93)) * 0x9e37'79b9'7f4a'7c15;
  return hash ^ (hash >> 32);
}

/// The part of a hash that does not choose the slot.
std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace

std::uint32_t CallStacks::intern_frame(const StackFrame& frame) {
  if (frame_slots_.size() < 2 * (frames_.size() + 1)) {
    frame_slots_.assign(std::max<std::size_t>(1024, 2 * frame_slots_.size()), 0);
    for (std::uint32_t id = 0; id < frames_.size(); ++id) {
      const StackFrame& old = frames_[id];
      std::size_t slot = mixed(mixed(mixed(0, old.name.value), old.file.value), static_cast<std::uint32_t>(old.line));
      while (frame_slots_[slot &= frame_slots_.size() - 1] != 0) ++slot;
      frame_slots_[slot] = id + 1;
    }
  }
  std::size_t slot = mixed(mixed(mixed(0, frame.name.value), frame.file.value), static_cast<std::uint32_t>(frame.line));
  while (frame_slots_[slot &= frame_slots_.size() - 1] != 0) {
    const std::uint32_t id = frame_slots_[slot] - 1;
    if (frames_[id] == frame) return id;
    ++slot;
  }
  if (room_ != nullptr) room_->take(kFrameBytes);
  frames_.push_back(frame);
  frame_slots_[slot] = static_cast<std::uint32_t>(frames_.size());
  return static_cast<std::uint32_t>(frames_.size() - 1);
}

void CallStacks::write_number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes_.push_back(static_cast<std::uint8_t>(value));
}

std::uint64_t CallStacks::read_number(std::uint64_t& at) const {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = bytes_[at++];
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

void CallStacks::grow_slots() {
  const std::size_t size = std::max<std::size_t>(4096, 2 * slots_.size());
  if (room_ != nullptr) room_->take((size - slots_.size()) * sizeof(Slot));
  slots_.assign(size, {});
  constexpr std::uint32_t kAhead = 16;
  for (std::uint32_t id = 1; id < starts_.size(); ++id) {
    if (id + kAhead < starts_.size()) prefetch(hashes_[id + kAhead]);
    std::size_t slot = hashes_[id];
    while (slots_[slot &= size - 1].id != 0) ++slot;
    slots_[slot] = {tag_of(hashes_[id]), id};
  }
}

std::uint64_t CallStacks::hash_stack(std::size_t kept, std::span<const std::uint32_t> inner) {
  states_.resize(std::min(kept, states_.size()));
  std::uint64_t state = states_.empty() ? 0 : states_.back();
  for (const std::uint32_t frame : inner) states_.push_back(state = mixed(state, frame));
  return mixed(state, states_.size());
}

std::uint32_t CallStacks::intern_stack(std::size_t kept, std::span<const std::uint32_t> inner, std::uint64_t hash) {
  asked_.resize(std::min(kept, asked_.size()));
  asked_.insert(asked_.end(), inner.begin(), inner.end());
  if (asked_.empty()) return 0;
  if (slots_.size() < 2 * (starts_.size() + 1)) grow_slots();
  const std::uint32_t tag = tag_of(hash);
  std::size_t slot = hash;
  for (; slots_[slot &= slots_.size() - 1].id != 0; ++slot)
    if (slots_[slot].tag == tag && hashes_[slots_[slot].id] == hash) return slots_[slot].id;
  std::size_t shared = 0;
  if (chain_ < kLongestChain)
    shared = static_cast<std::size_t>(std::ranges::mismatch(asked_, last_).in1 - asked_.begin());
  chain_ = shared == 0 ? 0 : chain_ + 1;
  const auto id = static_cast<std::uint32_t>(starts_.size());
  slots_[slot] = {tag, id};
  starts_.push_back(bytes_.size());
  hashes_.push_back(hash);
  write_number(shared);
  write_number(asked_.size() - shared);
  for (std::size_t i = asked_.size(); i-- > shared;) write_number(asked_[i]);
  last_.resize(shared);
  last_.insert(last_.end(), asked_.begin() + static_cast<std::ptrdiff_t>(shared), asked_.end());
  return id;
}

void CallStacks::read_stack(std::uint32_t stack, std::vector<std::uint32_t>& out) const {
  out.clear();
  if (stack == 0 || stack >= starts_.size()) return;
  // Of each stack on the way down, the frames just before the `wanted` outermost ones.
  std::uint64_t wanted = 0;
  for (bool is_first = true;; is_first = false, --stack) {
    std::uint64_t at = starts_[stack];
    const std::uint64_t shared = read_number(at);
    const std::uint64_t own = read_number(at);
    if (is_first) wanted = shared + own;
    const std::uint64_t skipped = shared + own - wanted;  // innermost frames that only this one has
    for (std::uint64_t i = 0; i < own; ++i) {
      const auto frame = static_cast<std::uint32_t>(read_number(at));
      if (i >= skipped) out.push_back(frame);
    }
    wanted = std::min(wanted, shared);
    if (wanted == 0) return;
  }
}

void CallStacks::finish() {
  frame_slots_ = {};
  slots_ = {};
  last_ = {};
  asked_ = {};
  states_ = {};
  hashes_.clear();
  bytes_.leave_room();
  starts_.leave_room();
  hashes_.leave_room();
  room_ = nullptr;
}

std::size_t CallStacks::memory_bytes() const {
  return frames_.capacity() * sizeof(StackFrame) + bytes_.memory_bytes() + starts_.memory_bytes();
}

}  // namespace lacuna
