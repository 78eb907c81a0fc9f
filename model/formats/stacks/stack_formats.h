#pragma once

#include "model/formats/format.h"

namespace lacuna {

// Formats of sampling profilers. Each becomes tracks of sampled stacks, like those of our own recorder; without
// times in the file, samples are laid side by side, and the track's name says so.

/// speedscope's JSON, as of py-spy and others: sampled profiles, and evented ones as slices of threads.
extern const Format kSpeedscopeFormat;
/// JSON of Firefox's profiler, raw (schema and data) or processed, also from `perf script gecko`, samply and
/// Python's profiling.sampling.
extern const Format kGeckoFormat;
/// pprof profiles (profile.proto), without times.
extern const Format kPprofFormat;
/// The text of `perf script`.
extern const Format kPerfScriptFormat;
/// One line per stack, "main;step;read 12", without times: from flamegraph.pl, py-spy, async-profiler.
extern const Format kCollapsedFormat;

}  // namespace lacuna
