#pragma once
// The shared memory of one captured process: a memfd that the collector makes, seals, maps whole and
// hands to the viewer over the socket (handshake.h).
//
//   0             4096                                                   file_bytes
//   | SegmentHeader | control ring | GPU ring | thread ring | thread ring | … |
//
// The file is as large as it will ever be from the start (sparse: pages exist once written) and sealed
// against shrinking and growing, so neither side needs the descriptor later: a target that closes
// all its descriptors stays captured, and the viewer cannot be made to fault.
//
// Each ring is one RingHeader and a power of two of slots, written by one thread at a time and read
// by the viewer. Full: the newest record is dropped and counted.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "capture/wire/record.h"

namespace lacuna::wire {

inline constexpr char kMagic[8] = {'L', 'A', 'C', 'U', 'N', 'A', 'R', '\0'};
inline constexpr std::size_t kPageBytes = 4096;

enum class ClockKind : std::uint32_t {
  kMonotonic = 0,  ///< CLOCK_MONOTONIC ns
  kTsc = 1,        ///< ticks of the invariant time-stamp counter
};

/// The same instant on three clocks; what joins them. 0 in `tsc` where there is none.
struct ClockTriple {
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  std::uint64_t tsc = 0;
};

/// Sizes are in slots and powers of two. All of it is written before the handshake but the atomics.
struct SegmentHeader {
  char magic[8] = {};
  std::uint32_t version = 0;
  std::uint32_t pid = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t control_slots = 0;
  std::uint64_t gpu_slots = 0;
  std::uint64_t thread_slots = 0;
  ClockKind clock = ClockKind::kMonotonic;
  std::uint32_t api_thread_is_tid = 0;  ///< ApiRecord::thread is a tid, else pthread_self()
  ClockTriple start;
  std::uint32_t parent_pid = 0;
  std::uint32_t reserved = 0;
  char process_name[64] = {};   ///< /proc/self/comm; zero-terminated
  char command_line[512] = {};  ///< /proc/self/cmdline, cut; zeros between arguments

  // Written by the collector while it runs.
  alignas(64) std::atomic<std::uint32_t> thread_rings{0};  ///< thread rings in use so far
  std::atomic<std::uint32_t> names_cut{0};
  std::atomic<std::uint64_t> names_lost{0};        ///< no room in the control ring: kLostName
  std::atomic<std::uint64_t> gpu_records_lost{0};  ///< as CUPTI counted them
  std::atomic<std::uint64_t> gpu_unknown{0};       ///< CUPTI records of kinds we do not read
  // Written by the viewer.
  alignas(64) std::atomic<std::uint32_t> viewer_is_done{0};  ///< 1: the reader is gone
  std::atomic<std::uint32_t> counts_steps{0};  ///< 1: the steps of this process are those that a schedule counts
};
static_assert(sizeof(SegmentHeader) <= kPageBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Positions count slots since the start and never wrap; slot i lies at i modulo the ring's size.
struct RingHeader {
  alignas(64) std::atomic<std::uint64_t> head{0};     ///< by the writer: all before it is complete
  alignas(64) std::atomic<std::uint64_t> tail{0};     ///< by the reader: all before it may be reused
  alignas(64) std::atomic<std::uint64_t> dropped{0};  ///< by the writer: records without room
};
static_assert(sizeof(RingHeader) == 192);
/// Slots begin on a page of their own behind the header.
inline constexpr std::size_t kRingHeaderBytes = kPageBytes;

constexpr std::uint64_t ring_bytes(std::uint64_t slots) {
  return kRingHeaderBytes + slots * kSlotBytes;
}

/// Where the rings lie. Ring 0 is the control ring, 1 the GPU ring, 2 + i thread ring i.
struct SegmentLayout {
  std::uint64_t control_slots = 0;
  std::uint64_t gpu_slots = 0;
  std::uint64_t thread_slots = 0;

  constexpr std::uint64_t ring_offset(std::uint64_t ring) const {
    std::uint64_t offset = kPageBytes;
    if (ring > 0) offset += ring_bytes(control_slots);
    if (ring > 1) offset += ring_bytes(gpu_slots) + (ring - 2) * ring_bytes(thread_slots);
    return offset;
  }
  constexpr std::uint64_t slots(std::uint64_t ring) const {
    return ring == 0 ? control_slots : ring == 1 ? gpu_slots : thread_slots;
  }
  /// Thread rings that fit in a file of this size.
  constexpr std::uint64_t thread_rings(std::uint64_t file_bytes) const {
    const std::uint64_t first = ring_offset(2);
    return file_bytes < first ? 0 : (file_bytes - first) / ring_bytes(thread_slots);
  }
};
inline constexpr std::uint64_t kControlRing = 0;
inline constexpr std::uint64_t kGpuRing = 1;
inline constexpr std::uint64_t kFirstThreadRing = 2;

}  // namespace lacuna::wire
