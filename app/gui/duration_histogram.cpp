#include "app/gui/duration_histogram.h"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

constexpr double kValley = 0.5;       // of the lower peak beside it
constexpr double kLeastShare = 0.05;  // of a hump in all slices

std::vector<double> smoothed(const std::vector<DurationHistogram::Bin>& bins) {
  std::vector<double> heights(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double left = i > 0 ? static_cast<double>(bins[i - 1].count) : 0;
    const double right = i + 1 < bins.size() ? static_cast<double>(bins[i + 1].count) : 0;
    heights[i] = (left + 2 * static_cast<double>(bins[i].count) + right) / 4;
  }
  return heights;
}

class HumpFinder {
 public:
  explicit HumpFinder(const DurationHistogram& histogram)
      : histogram_(histogram), heights_(smoothed(histogram.bins)) {}

  std::vector<DurationHistogram::Mode> find() {
    split(0, histogram_.bins.size());
    return std::move(modes_);
  }

 private:
  std::uint64_t count(std::size_t first, std::size_t last) const {
    std::uint64_t sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += histogram_.bins[i].count;
    return sum;
  }
  double peak(std::size_t first, std::size_t last) const {
    return *std::max_element(heights_.begin() + static_cast<std::ptrdiff_t>(first),
                             heights_.begin() + static_cast<std::ptrdiff_t>(last));
  }

  /// Parts [first, last) at its deepest valley, if it has one that counts.
  void split(std::size_t first, std::size_t last) {
    const double least = kLeastShare * static_cast<double>(histogram_.count);
    std::size_t best = 0;
    double best_depth = 0;
    for (std::size_t at = first + 1; at + 1 < last; ++at) {
      const double lower = std::min(peak(first, at), peak(at + 1, last));
      const double depth = lower - heights_[at];
      if (heights_[at] >= kValley * lower || depth <= best_depth) continue;
      if (static_cast<double>(count(first, at)) < least ||
          static_cast<double>(count(at, last)) < least)
        continue;
      best = at;
      best_depth = depth;
    }
    if (best_depth > 0) {
      split(first, best);
      split(best, last);
      return;
    }
    DurationHistogram::Mode mode{first, last, first, 0, 0};
    for (std::size_t i = first; i < last; ++i) {
      const DurationHistogram::Bin& bin = histogram_.bins[i];
      if (bin.count > histogram_.bins[mode.peak].count) mode.peak = i;
      mode.count += bin.count;
      mode.total = saturating_add(mode.total, bin.total);
    }
    modes_.push_back(mode);
  }

  const DurationHistogram& histogram_;
  std::vector<double> heights_;
  std::vector<DurationHistogram::Mode> modes_;
};

}  // namespace

DurationHistogram make_histogram(const std::vector<Nanos>& durations, std::size_t bins) {
  DurationHistogram histogram;
  histogram.count = durations.size();
  if (durations.empty() || bins == 0) return histogram;
  const auto [shortest, longest] = std::ranges::minmax(durations);
  // No more bins than there are lengths.
  const auto lengths = static_cast<double>(longest) - static_cast<double>(shortest) + 1;
  bins = static_cast<std::size_t>(std::clamp(lengths, 1.0, static_cast<double>(bins)));
  const double low = static_cast<double>(std::max<Nanos>(shortest, 1));
  const double high = static_cast<double>(std::max<Nanos>(longest, 1));
  histogram.is_logarithmic = high / low > DurationHistogram::kLogRatio;
  histogram.bins.resize(bins);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(bins);
    Nanos edge = histogram.is_logarithmic
                     ? static_cast<Nanos>(std::llround(low * std::pow(high / low, part)))
                     : shortest + static_cast<Nanos>(std::llround(
                                      part * static_cast<double>(longest - shortest)));
    if (i == 0) edge = shortest;
    if (i == bins) edge = longest;
    if (i < bins) histogram.bins[i].from = edge;
    if (i > 0) histogram.bins[i - 1].to = edge;
  }
  for (const Nanos duration : durations) {
    auto next = std::ranges::upper_bound(histogram.bins, duration, {}, &DurationHistogram::Bin::from);
    DurationHistogram::Bin& bin = *(next == histogram.bins.begin() ? next : next - 1);
    ++bin.count;
    bin.total = saturating_add(bin.total, duration);
    histogram.highest = std::max(histogram.highest, bin.count);
  }
  histogram.modes = HumpFinder(histogram).find();
  return histogram;
}

}  // namespace lacuna
