#pragma once

#include <cstdint>
#include <string>

namespace lacuna {

/// Counts of what a Session has captured and lost so far.
struct CaptureStatus {
  std::uint64_t processes = 0;  ///< all processes captured so far
  std::uint64_t running = 0;    ///< those still running
  std::uint64_t records = 0;
  std::uint64_t slices = 0;   ///< slices passed to the sink
  std::uint64_t states = 0;   ///< those that are thread states
  std::uint64_t marks = 0;    ///< NVTX instants, and ranges across threads
  std::uint64_t dropped = 0;  ///< records dropped for lack of room, including CUPTI's
  std::uint64_t incomplete_gpu = 0;
  std::uint64_t corrupt = 0;  ///< invalid records, rings and hellos
  std::uint64_t lost_ends = 0;
  std::uint64_t unmatched_pops = 0;
  std::uint64_t names_lost = 0;  ///< names that were cut, or dropped for lack of room
  std::uint64_t steps = 0;
  std::uint64_t left_out = 0;         ///< events outside the requested steps or window
  std::uint64_t samples = 0;          ///< stacks sampled from outside
  std::uint64_t samples_missed = 0;   ///< samples that were late, and stacks that were inconsistent
  std::uint64_t switches_unseen = 0;  ///< context switches that thread states do not show

  /// Whether anything worth saving was recorded: more than thread states, which every program has.
  bool has_content() const { return slices > states || marks > 0; }
};

/// Returns the value of the key "lacuna" of every saved recording: what was captured and what was lost.
/// `forgotten`: events dropped to stay within a limit; `not_written`: events that could not be written to disk.
std::string losses_json(const CaptureStatus& status, std::uint64_t forgotten, std::uint64_t not_written);

}  // namespace lacuna
