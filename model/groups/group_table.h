#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/columns/flops.h"
#include "model/roofline/roofline.h"
#include "model/statistics/statistics.h"

namespace lacuna {

/// What the slices of one row have in common, besides their category.
enum class GroupBy : std::uint8_t {
  kName,    ///< the same numbers as compute_statistics()
  kShape,   ///< name and "Input Dims"; GPU work by those of the operator that launched it
  kModule,  ///< the innermost "nn.Module: …" frame around it (with_stack, with_modules)
  kStack,   ///< the innermost Python frames around it
  kStep,    ///< the ProfilerStep in which it starts; for GPU work: in which it was launched
  kStream,  ///< its track
  kRank,    ///< its file
  kFamily,  ///< kernel_family() of GPU work, the name of anything else
  kClass,   ///< kernel_class() of GPU work; everything else together
};

/// Columns to compute besides count, total, self, min, max and share; each costs a pass.
struct GroupColumns {
  bool percentiles = false;  ///< p50, p99
  bool launch_delay = false;
  bool gpu_time = false;       ///< GPU time of CPU slices
  bool gpu_arguments = false;  ///< occupancy, grid, block, bytes: costs about 1 us per GPU activity
  bool flops = false;          ///< costs about 1 us per operator that has a formula; sets gpu_time
  bool roofline = false;       ///< intensity, bound, share of the roof: reads the args of operators with a model
};

struct GroupOptions {
  GroupBy by = GroupBy::kName;
  GroupColumns columns;
  /// Only slices that overlap the range count; their times are clipped to it.
  TimeSpan range = TimeSpan::everything();
  std::vector<TrackId> tracks;   ///< only these; empty = all
  std::size_t stack_frames = 5;  ///< kStack: how many of the innermost frames
  /// Of the whole trace, with its calls, for those who ask more than once; null: it is computed where a column needs
  /// it.
  std::shared_ptr<const Roofline> roofline;
  unsigned threads = 2;
  /// Set it to cancel: the result is then kCancelled. Null: cannot be cancelled.
  const std::atomic<bool>* cancel = nullptr;
};

/// Sums over the calls of a row whose operators have a model (operator_work.h). Of calls inside each other, as
/// aten::addmm in aten::linear, the outermost in the row counts.
struct GroupRoofline {
  double flop = 0;
  double bytes = 0;
  double timed_bytes = 0;             ///< of the calls that launched GPU work
  Nanos time = 0;                     ///< of that work
  double best_time = 0;               ///< ns: what calls under a known roof would take at it
  Nanos roofed_time = 0;              ///< … what they took
  std::array<Nanos, 4> bound_time{};  ///< GPU time by RooflineBound

  /// That of most GPU time; kUnknown where no call has one.
  RooflineBound bound() const;
};

struct GroupRow : StatisticsRow {
  std::string label;  ///< in place of the name

  /// Start of a GPU activity minus end of its launch, at least 0: the sum, and the number of summands.
  Nanos launch_delay = 0;
  std::uint64_t launch_delays = 0;

  /// Durations of the GPU work launched inside the row's CPU slices, added up; work inside nested
  /// slices of one row counts once.
  Nanos gpu_time = 0;

  double occupancy = -1;               ///< percent, mean weighted by time; < 0: unknown
  std::array<std::int32_t, 3> grid{};  ///< grid and block: of the first kernel; {0, 0, 0}: unknown
  std::array<std::int32_t, 3> block{};
  bool grids_differ = false;  ///< other kernels of the row have other grids
  std::uint64_t bytes = 0;

  double flops = 0;  ///< sum over the calls with sufficient args
  std::uint64_t flop_calls = 0;
  Nanos flop_time = 0;  ///< GPU time of those calls (their CPU time where they launched nothing)
  FlopType flop_type = FlopType::kFp32;
  double peak_tflops = 0;  ///< peak of the GPU for that type; 0: unknown

  GroupRoofline roofline;

  double gigabytes_per_second() const {
    return total == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(total);
  }
  double tflops() const { return flop_time == 0 ? 0 : flops / static_cast<double>(flop_time) / 1e3; }
};

struct GroupTable : ShareTotals {
  std::vector<GroupRow> rows;  ///< in order of first appearance by (track, row, start)
};

/// Computes the table. Reads only; any thread. O(slices in range) plus 4 bytes per slice,
/// plus what the columns cost. Errors: those of reading args back, for kShape, gpu_arguments, flops and
/// roofline only.
Result<GroupTable> compute_groups(const Trace& trace, const GroupOptions& options);

/// Returns all slices of one row of the table that compute_groups() gives for the same options, ordered by
/// track and row; does not compute columns. Costs as much as that table without columns.
Result<std::vector<SliceId>> find_group_slices(const Trace& trace, const GroupOptions& options, std::uint32_t row);

}  // namespace lacuna
