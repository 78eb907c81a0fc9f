#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/export/event_sink.h"

namespace lacuna {

/// Joins each backward operator of PyTorch to the forward operator whose gradient it computes, by the rules of
/// torch.profiler (generateForwardBackwardLink): of the forward operators of one thread with one sequence number the
/// last that began counts, and it is joined once.
///
/// Rings of other threads may be read later: what is not found yet waits until settle() was called twice. Bounded:
/// a thread's oldest forward operators are forgotten when kMost later ones were not asked for either.
class ForwardLinks {
 public:
  /// Makes unique numbers of arrows: those of one process lie above its index, 40 bits up.
  ForwardLinks(std::uint32_t process_index, EventSink& sink)
      : sink_(sink), next_id_((std::uint64_t{process_index} << 40) + 1) {}

  /// `thread`: in PyTorch's numbers, from 1.
  void forward(std::uint32_t thread, std::uint64_t sequence, const StreamedTrack& track, Nanos start);
  void backward(std::uint32_t forward_thread, std::uint64_t sequence, const StreamedTrack& track, Nanos start);
  /// To be called at the end of a round in which every ring was read.
  void settle();

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20;
  static constexpr std::size_t kMostThreads = 4096;
  struct Begun {
    std::uint64_t sequence = ~std::uint64_t{0};  // ~0: nothing here
    Nanos start = 0;
    StreamedTrack track;
  };
  /// The table of one thread, by the low bits of the sequence number.
  class Table {
   public:
    void put(const Begun& begun);
    /// Null when there is none; else it may be taken by setting its sequence to ~0.
    Begun* find(std::uint64_t sequence);

   private:
    std::vector<Begun> slots_;  // a power of two
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
