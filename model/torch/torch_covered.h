#pragma once

#include <cstdint>
#include <span>

#include "model/torch/torch_table.h"
#include "model/torch/torch_tree.h"

namespace lacuna {

/// Fills in the *_covered times of `table`: lengths of unions of intervals, where torch adds
/// durations. Kernels that overlap on two streams, and an operator inside one of its own name,
/// then count once, and no row covers more than the trace's duration.
///
///     CPU       union of the row's events
///     self GPU  a CPU row: union of the kernels its events launched; a GPU row: of its events
///     GPU       a CPU row: also those launched by events inside; a GPU row: of its events
///
/// `row_of_event`: kNone for events without a row. O(events + launches * depth).
void add_covered(const TorchTree& tree, std::span<const std::uint32_t> row_of_event, TorchTable& table);

/// Returns by how much torch's sum of durations exceeds the time covered, in us. A difference below the last printed
/// digit is a rounding error of the sum, and counts as zero: no table shows "-0.000us".
double torch_overlap(double sum_us, Nanos covered);

}  // namespace lacuna
