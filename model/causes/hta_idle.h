#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// Idle time per stream in the three classes of Holistic Trace Analysis (get_idle_time_breakdown), with
/// exactly its numbers, for comparison with its tables:
///
///     gap            ts_i - end_{i-1} of the previous row by ts, not the latest end so far:
/// if activities overlap, gaps can be negative and idle is not a union
///     host_wait      the launch's ts > end_{i-1}
///     kernel_wait    else, and gap < consecutive_kernel_delay_us
///     other          else
///
/// Time is in whole microseconds if the file has fractional ts: ts is rounded up and the end
/// down, in double precision as in pandas. If every ts is whole, nothing is rounded. With two
/// or more different ProfilerSteps, only activities count whose launch is in the file and began
/// before the last step; include_last_step: before its end. Streams of one file with the same
/// number are treated as one, whatever their device.
///
/// An activity whose launch is missing is compared with the first event of the file, as in HTA
/// (index_correlation 0 is taken for row 0): mostly "no host wait", but wrong if that event is
/// late.
///
/// Remaining differences: activities with the same ts are in file order here (pandas' order of
/// ties is unspecified); of several launches with one correlation the first counts here, the last
/// in HTA.
struct HtaOptions {
  std::int64_t consecutive_kernel_delay_us = 30;
  bool include_last_step = false;
};

enum class HtaClass : std::uint8_t { kHostWait, kKernelWait, kOther };
inline constexpr std::size_t kHtaClassCount = 3;
/// Returns "host_wait", "kernel_wait" or "other".
const char* hta_name(HtaClass c);

struct HtaIdle {
  SourceId source;
  StringId stream = kEmptyString;
  std::uint64_t rows = 0;                   ///< activities examined
  double idle_us[kHtaClassCount] = {};      ///< by HtaClass; microseconds, may be negative
  std::uint64_t gaps[kHtaClassCount] = {};  ///< rows by class, except the first row

  double total_us() const { return idle_us[0] + idle_us[1] + idle_us[2]; }
};

/// Returns one entry per (source, stream) with remaining activity, by source and stream number. Reads only;
/// any thread. O(n log n) in the GPU activities.
std::vector<HtaIdle> hta_idle(const Trace& trace, const HtaOptions& options = {});

}  // namespace lacuna
