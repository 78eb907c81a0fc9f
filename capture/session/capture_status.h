#pragma once

#include <cstdint>
#include <string>

namespace lacuna {

/// What a Session captured so far, and what it lost. All are counts.
struct CaptureStatus {
  std::uint64_t processes = 0;  ///< ever captured
  std::uint64_t running = 0;    ///< of these, still running
  std::uint64_t records = 0;
  std::uint64_t slices = 0;   ///< handed on to the sink
  std::uint64_t states = 0;   ///< of these, when threads ran and waited
  std::uint64_t marks = 0;    ///< NVTX's instants, and ranges across threads
  std::uint64_t dropped = 0;  ///< records dropped for want of room, CUPTI's own included
  std::uint64_t incomplete_gpu = 0;
  std::uint64_t corrupt = 0;  ///< broken records, rings and hellos
  std::uint64_t lost_ends = 0;
  std::uint64_t unmatched_pops = 0;
  std::uint64_t names_lost = 0;  ///< no room for them, or cut
  std::uint64_t steps = 0;
  std::uint64_t left_out = 0;         ///< events outside the steps or the window asked for
  std::uint64_t samples = 0;          ///< stacks taken from outside
  std::uint64_t samples_missed = 0;   ///< looks that came too late, and stacks that made no sense
  std::uint64_t switches_unseen = 0;  ///< context switches that thread states do not show

  /// Whether anything worth saving was recorded. Every program has thread states, which alone say little.
  bool has_content() const { return slices > states || marks > 0; }
};

/// What every saved recording says about itself, as the value of its key "lacuna": what was captured and what was lost.
/// `forgotten`: events dropped to stay within a limit; `not_written`: events that the disk did not take.
std::string losses_json(const CaptureStatus& status, std::uint64_t forgotten, std::uint64_t not_written);

}  // namespace lacuna
