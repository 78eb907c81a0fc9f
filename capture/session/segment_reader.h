#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/wire/segment.h"
#include "model/base/result.h"

namespace lacuna {

/// The reading end of one captured process's shared memory.
///
/// The target is not trusted: the file must be sealed (so that it cannot be truncated while mapped), the
/// header is copied once and checked, slots are copied out before they are decoded, and invalid positions
/// end the reading of that ring and are counted. Nothing read here is a pointer.
/// One thread at a time may use it.
class SegmentReader {
 public:
  /// Takes ownership of the descriptor. An Error says what is wrong with the segment.
  static Result<SegmentReader> open(int descriptor);
  SegmentReader(SegmentReader&& other) noexcept;
  SegmentReader& operator=(SegmentReader&& other) noexcept;
  ~SegmentReader();

  /// Constant facts as stated by the target.
  struct Facts {
    std::uint32_t pid = 0;
    std::uint32_t parent_pid = 0;
    wire::ClockKind clock = wire::ClockKind::kMonotonic;
    wire::ClockTriple start;
    std::string process_name;
    std::string command_line;  ///< arguments separated by spaces, truncated
  };
  const Facts& facts() const { return facts_; }
  bool api_thread_is_tid() const;

  /// The number of rings in use: the control ring, the GPU ring, and the thread rings so far.
  std::uint64_t ring_count() const;
  /// The write position of a ring; take() may read what was published before it.
  std::uint64_t head(std::uint64_t ring) const;
  /// Moves all slots up to `head` (from head()) from the ring into `slots` and frees their room.
  void take(std::uint64_t ring, std::uint64_t head, std::vector<wire::Slot>& slots);

  struct Counts {
    std::uint64_t dropped = 0;  ///< records dropped by all rings
    std::uint64_t names_lost = 0;
    std::uint64_t names_cut = 0;
    std::uint64_t gpu_records_lost = 0;  ///< records that CUPTI dropped
    std::uint64_t gpu_unknown = 0;
    std::uint64_t broken_rings = 0;  ///< rings with invalid positions
  };
  Counts counts() const;

  /// Tells the collector that the session's schedule counts the steps of its process.
  void say_steps_count();
  /// Marks the segment as no longer read.
  void say_done();

 private:
  SegmentReader() = default;
  wire::RingHeader* ring(std::uint64_t index) const;
  wire::SegmentHeader* header() const;

  char* memory_ = nullptr;
  std::uint64_t bytes_ = 0;
  wire::SegmentLayout layout_;
  std::uint64_t most_thread_rings_ = 0;
  std::vector<std::uint64_t> tails_;  // our copy of each ring's tail, which the target cannot change
  std::vector<bool> is_broken_;
  std::uint64_t broken_rings_ = 0;
  Facts facts_;
};

}  // namespace lacuna
