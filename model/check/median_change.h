#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lacuna {

/// A median on two sides, and how sure the difference is. In the unit of the values.
///
/// The interval is that of the percentile bootstrap at 99 %, worked out exactly: the median of n values drawn again
/// from themselves is the i-th of them with a probability that depends on i and n alone, so nothing is drawn and there
/// is no seed. It is widened for few values as Student's t is, and by how far runs of one side lie apart where that is
/// known. Davison and Hinkley, Bootstrap Methods and their Application, 2.3 (the exact distribution) and 5.3 (the
/// interval).
struct MedianChange {
  double a = 0;
  double b = 0;
  double low = 0;  ///< of the difference b - a
  double high = 0;
  double low_part = 0;  ///< of (b - a) / a; meaningless where a is 0
  double high_part = 0;
  std::size_t count_a = 0;  ///< values
  std::size_t count_b = 0;
  bool is_enough = false;  ///< both sides have kLeastSamples; else the interval says nothing

  double difference() const { return b - a; }
  double part() const { return a == 0 ? 0 : (b - a) / a; }
  /// Half of the interval, the wider side.
  double error() const;
  bool is_more() const { return is_enough && low > 0; }
  bool is_less() const { return is_enough && high < 0; }
};

/// Of fewer values a side no difference is certain: even when all of one side are above all of the other, that happens
/// too often among equals.
inline constexpr std::size_t kLeastSamples = 4;

/// The values of one side, run by run: those of a run are alike in ways in which runs differ.
using SampleRuns = std::vector<std::vector<double>>;

/// O(n log n) in the values. Values are finite. Any thread.
MedianChange compare_medians(const SampleRuns& a, const SampleRuns& b);

/// The quantile of Student's t above which half a percent lies, for at least two degrees of freedom.
double student_t_995(double degrees);

}  // namespace lacuna
