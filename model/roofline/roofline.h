#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/roofline/gpu_peaks.h"
#include "model/roofline/operator_work.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What limits calls by the roofline model (Williams, Waterman, Patterson: Roofline, CACM 52/4, 2009).
enum class RooflineBound : std::uint8_t {
  kUnknown,  ///< the GPU's peaks are not known, or nothing ran on it
  kMemory,   ///< moving the bytes at peak bandwidth takes longer than the operations at peak rate
  kCompute,  ///< the operations take longer
  kLatency,  ///< at the peaks a call takes less than kLatencyFloor, and it took over twice that: it is too small
};

/// The calls of one operator with the same shapes, types and strides.
struct RooflineRow {
  std::string name;
  std::string dims, types, strides;  ///< as in the file, formatted by tidy_list()
  OperatorWork work;                 ///< of one call
  std::uint64_t count = 0;
  Nanos gpu_time = 0;     ///< sum of the durations of the GPU work launched by the calls
  SliceId longest;        ///< the call with the most GPU time
  TimeSpan longest_span;  ///< its own
  /// Whether all of its GPU time belongs to calls inside it that have models of their own, like aten::linear's to
  /// aten::addmm: must not be added to theirs.
  bool is_around_others = false;

  RooflineBound bound = RooflineBound::kUnknown;
  double roof_share = -1;  ///< best time by the peaks / time taken, 0 … 1; < 0: unknown
  double peak_tflops = 0;  ///< of the units and the type that the work uses; 0: unknown
  double peak_gigabytes = 0;

  /// The type of the units whose roof applies: its own type for matrix units, else that of the ordinary units.
  FlopType unit_type() const {
    return work.on_matrix_units || work.type == FlopType::kFp64 ? work.type : FlopType::kFp32;
  }
  double intensity() const { return work.work.bytes > 0 ? work.work.flop / work.work.bytes : 0; }  ///< FLOP per byte
  double tflops() const { return per_second(work.work.flop) / 1e12; }
  double gigabytes_per_second() const { return per_second(work.work.bytes) / 1e9; }
  double per_second(double of_call) const {
    return gpu_time > 0 ? of_call * static_cast<double>(count) / (static_cast<double>(gpu_time) / 1e9) : 0;
  }
};

/// One call of a row of the roofline; of a captured call, what graphs replayed of it in one step.
struct ModelledCall {
  SliceId slice;
  std::uint32_t row = 0;    ///< index in Roofline::rows
  std::uint64_t count = 0;  ///< 1, or how often graphs replayed it
  Nanos gpu_time = 0;       ///< durations of the GPU work that it launched, added up over all replays
};

struct RooflineOptions {
  std::optional<SourceId> source;           ///< only this file
  TimeSpan range = TimeSpan::everything();  ///< only calls that start in it
  std::optional<GpuPeak> peaks;             ///< measured peaks, instead of the maker's
  bool with_calls = false;                  ///< fills Roofline::calls
  unsigned threads = 2;
  const std::atomic<bool>* cancel = nullptr;
};

struct Roofline {
  static constexpr Nanos kLatencyFloor = 2'000;  ///< about the duration of the shortest kernels

  std::vector<RooflineRow> rows;    ///< most GPU time first
  std::uint64_t around_others = 0;  ///< rows that drop_around_others() dropped
  std::vector<ModelledCall> calls;  ///< in no order
  std::string device;               ///< of the first source that has one; empty: not recorded
  std::optional<GpuPeak> peak;      ///< of `device`; none: not in the table
  Nanos gpu_time = 0;               ///< of all activities whose launch is in the file
  Nanos modelled_time = 0;          ///< … in calls that have a row, each counted once

  /// Leaves the rows whose times may be added up. Those of `calls` mean nothing afterwards.
  void drop_around_others() { around_others += std::erase_if(rows, std::mem_fn(&RooflineRow::is_around_others)); }
};

/// Computes rows of all operators that operator_work() knows. Reads the file once. Errors: those of scan_arguments().
/// Any thread.
Result<Roofline> compute_roofline(const Trace& trace, const RooflineOptions& options);

/// Returns "memory", "compute" or "latency"; empty: unknown.
std::string_view roofline_bound_key(RooflineBound bound);
/// Sets bound and share of a row whose peaks are set, by the work that the hardware must do.
void judge_by_roofs(RooflineRow& row);

}  // namespace lacuna
