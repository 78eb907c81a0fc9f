#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/build/event_batch.h"
#include "model/trace/string_pool.h"
#include "model/trace/trace.h"
#include "model/trace/track.h"

namespace lacuna {

/// Names the tracks that the file does not name ("stream 7", "thread 4242"), and distinguishes
/// tracks that share one (pid, tid).
void name_tracks(std::vector<Track>& tracks, const std::vector<Process>& processes, StringPool& strings);

/// Names the processes that the file does not name ("process 6583", "GPU 0"; "profiler overhead" for
/// Kineto's own pid -1), and prefixes all names with the label of their file where it
/// has one. Both tables are those of `trace`, whose tracks and
/// lanes are read.
void name_processes(const Trace& trace, std::vector<Process>& processes, StringPool& strings);

/// Returns the display order of processes: by source, sort index (given, or as Kineto would set it: CPU
/// processes, then GPUs, then rows with textual pids), then pid, numbers before text.
std::vector<ProcessId> order_processes(const std::vector<Process>& processes, const StringPool& strings);

/// Tracks with a thread_sort_index from this value on are shown below the counters of their process, not above.
inline constexpr std::int64_t kBelowCounters = std::int64_t{1} << 40;

/// Fills Process::tracks in display order: threads, GPU streams with their
/// annotations above them, async tracks, counters, threads from
/// kBelowCounters on; each by sort index, then tid.
void order_tracks(std::vector<Process>& processes, const std::vector<Track>& tracks, const StringPool& strings);

}  // namespace lacuna
