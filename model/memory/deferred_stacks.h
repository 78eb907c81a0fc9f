#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/memory/call_stacks.h"

namespace lacuna {

/// Interns stacks on its own thread while the file is read: the reader gets a ticket at once, and the
/// stack's number in the end. A few stacks are interned without a thread. Use from one thread; errors of
/// the worker are thrown by the next call.
class DeferredStacks {
 public:
  /// Both must outlive this; no other code may intern stacks in `stacks` meanwhile.
  DeferredStacks(CallStacks& stacks, MemoryRoom& room);
  ~DeferredStacks();
  DeferredStacks(const DeferredStacks&) = delete;
  DeferredStacks& operator=(const DeferredStacks&) = delete;

  /// Like CallStacks::intern_stack(), but returns a ticket; these count from 1; 0 is the empty stack.
  std::uint32_t add(std::size_t kept, std::span<const std::uint32_t> inner);
  /// Waits for all stacks. Returns the number of each stack, by ticket.
  const std::vector<std::uint32_t>& finish();

 private:
  static constexpr std::size_t kBatchFrames = 1 << 16;

  /// Requests in order: the number of frames kept, the number of new frames, and these.
  using Batch = std::vector<std::uint32_t>;
  class Worker;

  void intern(const Batch& words);

  CallStacks& stacks_;
  MemoryRoom& room_;
  Batch filling_;
  std::uint32_t tickets_ = 0;
  std::vector<std::uint32_t> ids_{0};  // by ticket; owned by the worker while there is one
  std::vector<std::uint64_t> hashes_;  // hashes of a batch's stacks; owned by the worker, too
  std::unique_ptr<Worker> worker_;     // last member, so that it ends before the others are destroyed
};

}  // namespace lacuna
