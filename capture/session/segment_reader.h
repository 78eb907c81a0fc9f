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
/// The target is not trusted: the file must be sealed (so that it cannot be truncated under us), the
/// header is copied once and checked, slots are copied out before they are looked at, and positions
/// that make no sense end the reading of that ring, counted. Nothing read here is a pointer.
/// One thread at a time may use it.
class SegmentReader {
 public:
  /// Takes the descriptor. An Error says what is wrong with the segment.
  static Result<SegmentReader> open(int descriptor);
  SegmentReader(SegmentReader&& other) noexcept;
  SegmentReader& operator=(SegmentReader&& other) noexcept;
  ~SegmentReader();

  /// Constant facts as the target stated them.
  struct Facts {
    std::uint32_t pid = 0;
    std::uint32_t parent_pid = 0;
    wire::ClockKind clock = wire::ClockKind::kMonotonic;
    wire::ClockTriple start;
    std::string process_name;
    std::string command_line;  ///< arguments separated by spaces, cut
  };
  const Facts& facts() const { return facts_; }
  bool api_thread_is_tid() const;

  /// Rings in use now: the control ring, the GPU ring, and the thread rings so far.
  std::uint64_t ring_count() const;
  /// The place that the writer of a ring has reached; take() may read what was published before it.
  std::uint64_t head(std::uint64_t ring) const;
  /// Moves all slots up to `head` (from head()) out of the ring into `slots` and frees their room.
  void take(std::uint64_t ring, std::uint64_t head, std::vector<wire::Slot>& slots);

  struct Counts {
    std::uint64_t dropped = 0;  ///< records, over all rings
    std::uint64_t names_lost = 0;
    std::uint64_t names_cut = 0;
    std::uint64_t gpu_records_lost = 0;  ///< by CUPTI
    std::uint64_t gpu_unknown = 0;
    std::uint64_t broken_rings = 0;  ///< rings whose positions made no sense
  };
  Counts counts() const;

  /// Tells the collector that the steps of its process are those that the session's schedule counts.
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
  std::vector<std::uint64_t> tails_;  // by ring; ours, not the target's to change
  std::vector<bool> is_broken_;
  std::uint64_t broken_rings_ = 0;
  Facts facts_;
};

}  // namespace lacuna
