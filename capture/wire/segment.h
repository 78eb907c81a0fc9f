#pragma once
// The shared memory of one captured process: a memfd that the collector creates, seals, maps whole and
// passes to the viewer over the socket (handshake.h).
//
//   0             4096                                                   file_bytes
//   | SegmentHeader | control ring | GPU ring | thread ring | thread ring | … |
//
// The file has its final size from the start (sparse: pages exist once written) and is sealed
// against shrinking and growing, so neither side needs the descriptor later: a target that closes
// all its descriptors stays captured, and the viewer cannot be made to fault.
//
// Each ring is a RingHeader and a power of two of slots, written by one thread at a time and read
// by the viewer. When it is full, the newest record is dropped and counted.

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

/// The same instant on three clocks, to convert between them. `tsc` is 0 where there is no counter.
struct ClockTriple {
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  std::uint64_t tsc = 0;
};

/// Sizes are in slots and powers of two. All but the atomics is written before the handshake.
struct SegmentHeader {
  char magic[8] = {};
  std::uint32_t version = 0;
  std::uint32_t pid = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t control_slots = 0;
  std::uint64_t gpu_slots = 0;
  std::uint64_t thread_slots = 0;
  ClockKind clock = ClockKind::kMonotonic;
  std::uint32_t api_thread_is_tid = 0;  ///< 1: ApiRecord::thread is a tid, 0: it is pthread_self()
  ClockTriple start;
  std::uint32_t parent_pid = 0;
  std::uint32_t reserved = 0;
  char process_name[64] = {};   ///< /proc/self/comm; zero-terminated
  char command_line[512] = {};  ///< /proc/self/cmdline, truncated; zeros between arguments

  // Written by the collector while it runs.
  alignas(64) std::atomic<std::uint32_t> thread_rings{0};  ///< thread rings in use so far
  std::atomic<std::uint32_t> names_cut{0};
  std::atomic<std::uint64_t> names_lost{0};        ///< names dropped for lack of room in the control ring: kLostName
  std::atomic<std::uint64_t> gpu_records_lost{0};  ///< as CUPTI counted them
  std::atomic<std::uint64_t> gpu_unknown{0};       ///< CUPTI records of unknown kinds
  // Written by the viewer.
  alignas(64) std::atomic<std::uint32_t> viewer_is_done{0};  ///< 1: the reader has stopped
  std::atomic<std::uint32_t> counts_steps{0};                ///< 1: a schedule counts the steps of this process
};
static_assert(sizeof(SegmentHeader) <= kPageBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Positions count slots from the start and never wrap; slot i is at i modulo the ring's size.
struct RingHeader {
  alignas(64) std::atomic<std::uint64_t> head{0};     ///< set by the writer: all slots before it are complete
  alignas(64) std::atomic<std::uint64_t> tail{0};     ///< set by the reader: all slots before it may be reused
  alignas(64) std::atomic<std::uint64_t> dropped{0};  ///< set by the writer: records dropped for lack of room
};
static_assert(sizeof(RingHeader) == 192);
/// Slots begin on the page after the header.
inline constexpr std::size_t kRingHeaderBytes = kPageBytes;

constexpr std::uint64_t ring_bytes(std::uint64_t slots) {
  return kRingHeaderBytes + slots * kSlotBytes;
}

/// The positions of the rings. Ring 0 is the control ring, 1 the GPU ring, 2 + i thread ring i.
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
  /// The number of thread rings that fit in a file of this size.
  constexpr std::uint64_t thread_rings(std::uint64_t file_bytes) const {
    const std::uint64_t first = ring_offset(2);
    return file_bytes < first ? 0 : (file_bytes - first) / ring_bytes(thread_slots);
  }
};
inline constexpr std::uint64_t kControlRing = 0;
inline constexpr std::uint64_t kGpuRing = 1;
inline constexpr std::uint64_t kFirstThreadRing = 2;

}  // namespace lacuna::wire
