#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/roofline/gpu_peaks.h"
#include "model/roofline/operator_work.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What holds calls back, by the roofline model (Williams, Waterman, Patterson: Roofline, CACM 52/4, 2009).
enum class RooflineBound : std::uint8_t {
  kUnknown,  ///< no peaks of the GPU are known, or nothing ran on it
  kMemory,   ///< moving the bytes at the peak takes longer than the operations at theirs
  kCompute,  ///< … the other way round
  kLatency,  ///< at the peaks a call takes less than kLatencyFloor, and it took over twice that: it is too small
};

/// The calls of one operator with the same shapes, types and strides.
struct RooflineRow {
  StringId name = kEmptyString;
  std::string dims, types, strides;  ///< as the file has them, in tidy_list()
  OperatorWork work;                 ///< of one call
  std::uint64_t count = 0;
  Nanos gpu_time = 0;  ///< durations of the GPU work that the calls launched, added up
  SliceId longest;     ///< the call with the most GPU time
  /// All of its GPU time belongs to calls inside of it that have models of their own, as aten::linear's to
  /// aten::addmm: not to be added to theirs.
  bool is_around_others = false;

  RooflineBound bound = RooflineBound::kUnknown;
  double roof_share = -1;  ///< of the best time by peaks in the time taken, 0 … 1; < 0: unknown
  double peak_tflops = 0;  ///< of the units and the type that the work is for; 0: unknown
  double peak_gigabytes = 0;

  /// Of the units whose roof it has: matrix units by its type, for all else the ordinary ones.
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
  std::optional<SourceId> source;           ///< of this file only
  TimeSpan range = TimeSpan::everything();  ///< calls that start in it
  std::optional<GpuPeak> peaks;             ///< measured ones, instead of the makers'
  bool with_calls = false;                  ///< fills Roofline::calls
  unsigned threads = 2;
  const std::atomic<bool>* cancel = nullptr;
};

struct Roofline {
  static constexpr Nanos kLatencyFloor = 2'000;  ///< about the shortest kernel

  std::vector<RooflineRow> rows;    ///< most GPU time first
  std::vector<ModelledCall> calls;  ///< in no order
  std::string device;               ///< of the first source that has one; empty: not in the file
  std::optional<GpuPeak> peak;      ///< of that; none: not in the table
  Nanos gpu_time = 0;               ///< of all activities that have a launch in the file
  Nanos modelled_time = 0;          ///< … in calls that have a row, each once
};

/// Rows of all operators that operator_work() knows. Reads the file once. Errors: those of scan_arguments(). Any
/// thread.
Result<Roofline> compute_roofline(const Trace& trace, const RooflineOptions& options);

/// "memory", "compute", "latency"; empty: unknown.
std::string_view roofline_bound_key(RooflineBound bound);
/// Bound and share of a row with its peaks set, by what the hardware has to do.
void judge_by_roofs(RooflineRow& row);

}  // namespace lacuna
