#pragma once

#include "model/formats/format.h"

namespace lacuna {

// Files of sampling profilers. Each becomes tracks of sampled stacks, as our own recorder makes them; where a file has
// no times, samples lie side by side, and the name of the track says so.

/// speedscope's JSON, of py-spy and others: sampled profiles, and evented ones as slices of threads.
extern const Format kSpeedscopeFormat;
/// JSON of Firefox's profiler, as it writes it (schema and data) and processed, of `perf script gecko`, samply and
/// Python's profiling.sampling.
extern const Format kGeckoFormat;
/// Profiles of pprof (profile.proto), without times.
extern const Format kPprofFormat;
/// The text of `perf script`.
extern const Format kPerfScriptFormat;
/// A line for each stack, "main;step;read 12": of flamegraph.pl, py-spy, async-profiler, without times.
extern const Format kCollapsedFormat;

}  // namespace lacuna
