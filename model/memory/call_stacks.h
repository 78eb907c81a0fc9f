#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/base/ids.h"
#include "model/memory/chunked_vector.h"

namespace lacuna {

/// A frame of a recorded stack: of Python, or of native code, whose line is 0.
struct StackFrame {
  StringId name;
  StringId file;
  std::int32_t line = 0;
  bool operator==(const StackFrame&) const = default;
};

/// Distinct stacks of frames, innermost first, by number. Consecutive stacks share most of their
/// outermost frames, so each is stored as its difference to the previous one: some ten bytes where a pickle takes 200.
/// Id 0 is the empty stack. One writer; after that, readers on any thread.
class CallStacks {
 public:
  explicit CallStacks(MemoryRoom* room = nullptr) : bytes_(room), starts_(room), hashes_(room), room_(room) {
    starts_.push_back(0);
    hashes_.push_back(0);
  }

  std::uint32_t intern_frame(const StackFrame& frame);
  const StackFrame& frame(std::uint32_t id) const { return frames_[id]; }
  std::uint32_t frame_count() const { return static_cast<std::uint32_t>(frames_.size()); }

  /// Interns the stack that consists of the `kept` outermost frames of the previous call's stack, then `inner`,
  /// outermost first: frames shared with the previous stack cost nothing. Equal stacks get one number: by a
  /// 64-bit hash.
  std::uint32_t intern_stack(std::size_t kept, std::span<const std::uint32_t> inner) {
    return intern_stack(kept, inner, hash_stack(kept, inner));
  }
  /// Like intern_stack(kept, inner), in two steps, so that many stacks can be hashed before the first is looked up;
  /// each once, in the same order. prefetch(), some stacks ahead, loads the slot of a hash into the cache.
  std::uint64_t hash_stack(std::size_t kept, std::span<const std::uint32_t> inner);
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  std::uint32_t intern_stack(std::size_t kept, std::span<const std::uint32_t> inner, std::uint64_t hash);
  std::uint32_t stack_count() const { return static_cast<std::uint32_t>(starts_.size()); }
  /// Writes the frames of a stack to `out`.
  void read_stack(std::uint32_t stack, std::vector<std::uint32_t>& out) const;

  /// Ends interning and frees the tables needed for it.
  void finish();
  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint64_t kEnd = ~std::uint64_t{0};

  void write_number(std::uint64_t value);
  std::uint64_t read_number(std::uint64_t& at) const;
  void grow_slots();

  std::vector<StackFrame> frames_;
  std::vector<std::uint32_t> frame_slots_;  // hash table, id + 1
  ChunkedVector<std::uint8_t, 16> bytes_;
  ChunkedVector<std::uint64_t> starts_;
  ChunkedVector<std::uint64_t> hashes_;
  struct Slot {
    std::uint32_t tag = 0;  // part of the hash: rejects most other stacks without a further memory access
    std::uint32_t id = 0;   // 0: empty slot
  };
  std::vector<Slot> slots_;            // hash table
  std::vector<std::uint32_t> last_;    // frames of the stack added last, outermost first (like the next two)
  std::vector<std::uint32_t> asked_;   // frames of the stack asked for last
  std::vector<std::uint64_t> states_;  // hash states after each frame of the stack hashed last
  unsigned chain_ = 0;                 // number of previous stacks that must be read to decode the last one
  MemoryRoom* room_;
};

}  // namespace lacuna
