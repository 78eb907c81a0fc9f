#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/export/event_sink.h"

namespace lacuna {

/// Links each backward operator of PyTorch to the forward operator whose gradient it computes, by the rules of
/// torch.profiler (generateForwardBackwardLink): of a thread's forward operators with the same sequence number, the
/// last one that began is used, and it is linked once.
///
/// Rings of other threads may be read later, so a backward operator without its forward one waits until settle() was
/// called twice. Bounded: a thread's oldest forward operators are forgotten after kMost later unlinked ones.
class ForwardLinks {
 public:
  /// Flow ids are unique in the trace: the process index is their part from bit 40 on.
  ForwardLinks(std::uint32_t process_index, EventSink& sink)
      : sink_(sink), next_id_((std::uint64_t{process_index} << 40) + 1) {}

  /// `thread`: PyTorch's thread number, from 1.
  void forward(std::uint32_t thread, std::uint64_t sequence, const StreamedTrack& track, Nanos start);
  void backward(std::uint32_t forward_thread, std::uint64_t sequence, const StreamedTrack& track, Nanos start);
  /// Call at the end of each round in which all rings were read.
  void settle();

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20;
  static constexpr std::size_t kMostThreads = 4096;
  struct Begun {
    std::uint64_t sequence = ~std::uint64_t{0};  // ~0: the slot is free
    Nanos start = 0;
    StreamedTrack track;
  };
  /// The forward operators of one thread, indexed by the low bits of the sequence number.
  class Table {
   public:
    void put(const Begun& begun);
    /// Returns the entry, or null; set its sequence to ~0 to remove it.
    Begun* find(std::uint64_t sequence);

   private:
    std::vector<Begun> slots_;  // the size is a power of two
  };
  struct Waiting {
    std::uint32_t thread = 0;
    std::uint64_t sequence = 0;
    StreamedTrack track;
    Nanos start = 0;
    int rounds = 0;
  };
  bool join(const Waiting& backward);

  EventSink& sink_;
  std::uint64_t next_id_;
  std::unordered_map<std::uint32_t, Table> threads_;
  std::vector<Waiting> waiting_;
};

}  // namespace lacuna
