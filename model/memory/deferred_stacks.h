#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/memory/call_stacks.h"

namespace lacuna {

/// Interns stacks on a thread of its own while the file is read on: the reader gets a ticket at once, and the
/// stack's number in the end. A few stacks are interned without a thread. One thread but for that one; what goes
/// wrong there is thrown by the next call here.
class DeferredStacks {
 public:
  /// Both must live as long; no other code interns stacks in `stacks` meanwhile.
  DeferredStacks(CallStacks& stacks, MemoryRoom& room);
  ~DeferredStacks();
  DeferredStacks(const DeferredStacks&) = delete;
  DeferredStacks& operator=(const DeferredStacks&) = delete;

  /// As CallStacks::intern_stack(). The ticket counts from 1; 0 is the empty stack.
  std::uint32_t add(std::size_t kept, std::span<const std::uint32_t> inner);
  /// Waits for all of them. The number of a stack by its ticket.
  const std::vector<std::uint32_t>& finish();

 private:
  static constexpr std::size_t kBatchFrames = 1 << 16;

  /// What is asked for one after the other: how many frames stay, how many come, and these.
  using Batch = std::vector<std::uint32_t>;
  class Worker;

  void intern(const Batch& words);

  CallStacks& stacks_;
  MemoryRoom& room_;
  Batch filling_;
  std::uint32_t tickets_ = 0;
  std::vector<std::uint32_t> ids_{0};  // by ticket; the worker's while there is one
  std::vector<std::uint64_t> hashes_;  // of a batch's stacks; likewise
  std::unique_ptr<Worker> worker_;     // last: ends before the rest goes
};

}  // namespace lacuna
