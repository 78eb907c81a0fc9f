#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lacuna {

/// The medians of two sides, and the confidence interval of their difference. In the unit of the values.
///
/// The interval is that of the percentile bootstrap at 99 %, computed exactly: the median of n values resampled
/// from themselves is the i-th of them with a probability that depends on i and n only, so nothing is sampled and there
/// is no seed. It is widened for few values like Student's t, and by the spread between runs of one side where that is
/// known. Davison and Hinkley, Bootstrap Methods and their Application, 2.3 (the exact distribution) and 5.3 (the
/// interval).
struct MedianChange {
  double a = 0;
  double b = 0;
  double low = 0;  ///< of the difference b - a
  double high = 0;
  double low_part = 0;  ///< of (b - a) / a; meaningless if a is 0
  double high_part = 0;
  std::size_t count_a = 0;  ///< number of values
  std::size_t count_b = 0;
  bool is_enough = false;  ///< both sides have kLeastSamples; otherwise the interval is meaningless

  double difference() const { return b - a; }
  double part() const { return a == 0 ? 0 : (b - a) / a; }
  /// Returns half of the interval, on its wider side.
  double error() const;
  bool is_more() const { return is_enough && low > 0; }
  bool is_less() const { return is_enough && high < 0; }
};

/// Least number of values per side: with fewer no difference is certain, as even for equal sides all values of one are
/// too often above all of the other.
inline constexpr std::size_t kLeastSamples = 4;

/// The values of one side, run by run: values of a run have more in common than those of different runs.
using SampleRuns = std::vector<std::vector<double>>;

/// Compares the medians. O(n log n) in the values, which must be finite. Any thread.
MedianChange compare_medians(const SampleRuns& a, const SampleRuns& b);

/// Returns the 99.5 % quantile of Student's t, for at least two degrees of freedom.
double student_t_995(double degrees);

}  // namespace lacuna
