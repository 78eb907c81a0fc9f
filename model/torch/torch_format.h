#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna {

/// Formats numbers and cells exactly as torch.profiler prints them
/// (torch/autograd/profiler_util.py of torch 2.15). Pure functions; independent of the locale.

/// One unit for all times of a table (`time_unit=`), or the best one for each value.
enum class TorchTimeUnit : std::uint8_t { kAuto, kSeconds, kMilliseconds, kMicroseconds };

/// 1234.5 -> "1.234ms". Three decimals always; s from 10^6 us, ms from 10^3 us, below that, and for
/// every negative time, us.
std::string torch_time(double us, TorchTimeUnit unit = TorchTimeUnit::kAuto);
/// Formats part / whole as "12.34%"; "NaN" if the whole is 0. Not limited to 0 .. 100.
std::string torch_share(double part, double whole);
/// 1536 -> "1.50 KB"; units of 1024; whole bytes below 1 KB; negative when more was freed.
std::string torch_memory(std::int64_t bytes);
/// Formats `value` with `decimals` digits after the point, rounded exactly (half to even of the double).
std::string fixed_decimal(double value, int decimals);

/// Python's len(): code points. Bytes that are not UTF-8 count one each.
std::size_t python_length(std::string_view text);
/// Python's text[:count].
std::string_view python_head(std::string_view text, std::size_t count);
/// Python's text[-count:].
std::string_view python_tail(std::string_view text, std::size_t count);

/// Sums like Python's sum() of floats: compensated since 3.12 (Neumaier). The result differs from
/// naive summation by 10^-10 us, which decides how a value half-way between two prints rounds.
class PythonSum {
 public:
  void add(double x) {
    const double t = sum_ + x;
    const double big = sum_ < 0 ? -sum_ : sum_;
    if (big >= (x < 0 ? -x : x)) {
      lost_ += (sum_ - t) + x;
    } else {
      lost_ += (x - t) + sum_;
    }
    sum_ = t;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace lacuna
