#include "model/groups/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/quantiles.h"
#include "model/causes/launch_delay.h"

namespace lacuna {
namespace {

constexpr double kBinsPerOctave = 8;
/// The highest one whose end is no less than kMaxNanos, 2^63 - 1.
constexpr int kLastBin = 63 * 8 - 1;
/// A valley this much lower than the lower hump parts two modes …
constexpr double kValley = 0.5;
/// … that hold at least this part of the slices each.
constexpr double kLeastMode = 0.02;
constexpr std::uint64_t kLeastCount = 3;

/// Index of the bin of a duration, counted from 1 ns; 0 ns has -1.
int bin_of(Nanos duration) {
  if (duration <= 0) return -1;
  const double bin = std::floor(std::log2(static_cast<double>(duration)) * kBinsPerOctave);
  return std::min(static_cast<int>(bin), kLastBin);
}

Nanos bin_begin(int bin) {
  if (bin > kLastBin) return kMaxNanos;
  return bin < 0 ? 0 : static_cast<Nanos>(std::ceil(std::exp2(bin / kBinsPerOctave) - 1e-9));
}

std::vector<double> smoothed(const std::vector<HistogramBin>& bins) {
  constexpr int kWeights[] = {1, 2, 3, 2, 1};
  std::vector<double> result(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i)
    for (int w = -2; w <= 2; ++w) {
      const auto at = static_cast<std::ptrdiff_t>(i) + w;
      if (at >= 0 && at < static_cast<std::ptrdiff_t>(bins.size()))
        result[i] += kWeights[w + 2] * static_cast<double>(bins[static_cast<std::size_t>(at)].count);
    }
  return result;
}

/// Where to cut: the lowest bin of each deep valley.
std::vector<std::size_t> cuts(const std::vector<HistogramBin>& bins) {
  const std::vector<double> height = smoothed(bins);
  std::vector<std::size_t> result;
  // Climb and descend; a hump counts once a valley deep enough follows, a valley once a hump high
  // enough follows.
  double hump = 0, valley = 0;
  std::size_t valley_at = 0;
  bool in_valley = false;
  for (std::size_t i = 0; i < height.size(); ++i) {
    if (!in_valley) {
      hump = std::max(hump, height[i]);
      if (height[i] <= kValley * hump) {
        in_valley = true;
        valley = height[i];
        valley_at = i;
      }
    } else if (height[i] < valley) {
      valley = height[i];
      valley_at = i;
    } else if (height[i] > 0 && valley <= kValley * height[i]) {
      result.push_back(valley_at);
      in_valley = false;
      hump = height[i];
    }
  }
  return result;
}

void find_modes(DurationHistogram& histogram, std::vector<Nanos>& sorted) {
  std::vector<std::size_t> ends = cuts(histogram.bins);
  ends.push_back(histogram.bins.size());
  std::size_t first = 0;
  for (const std::size_t last : ends) {
    HistogramMode mode{first, last, 0, 0, 0};
    for (std::size_t b = first; b < last; ++b) {
      mode.count += histogram.bins[b].count;
      mode.total = saturating_add(mode.total, histogram.bins[b].total);
    }
    first = last;
    const auto is_small = [&](const HistogramMode& m) {
      return m.count < kLeastCount || static_cast<double>(m.count) < kLeastMode * static_cast<double>(histogram.count);
    };
    const bool joins = !histogram.modes.empty() && (is_small(mode) || is_small(histogram.modes.back()));
    if (!joins) {
      histogram.modes.push_back(mode);
      continue;
    }
    HistogramMode& before = histogram.modes.back();
    before.last = mode.last;
    before.count += mode.count;
    before.total = saturating_add(before.total, mode.total);
  }
  std::size_t from = 0;
  for (HistogramMode& mode : histogram.modes) {
    if (mode.count > 0) mode.median = std::midpoint(sorted[from + (mode.count - 1) / 2], sorted[from + mode.count / 2]);
    from += mode.count;
  }
}

struct Sample {
  Nanos duration;
  SliceId slice;
};

DurationHistogram build(std::vector<Sample> samples) {
  DurationHistogram histogram;
  if (samples.empty()) return histogram;
  std::ranges::stable_sort(samples, {}, &Sample::duration);
  std::vector<Nanos> sorted(samples.size());
  std::ranges::transform(samples, sorted.begin(), &Sample::duration);
  histogram.count = samples.size();
  histogram.min = sorted.front();
  histogram.max = sorted.back();
  histogram.p50 = sorted[nearest_rank_index(sorted.size(), 50)];
  histogram.p99 = sorted[nearest_rank_index(sorted.size(), 99)];
  const int low = bin_of(histogram.min), high = bin_of(histogram.max);
  for (int b = low; b <= high; ++b) {
    // Of very short durations several bins fall on one whole ns: only the last of them is not empty.
    HistogramBin bin{bin_begin(b), b < 0 ? 1 : bin_begin(b + 1), 0, 0, {}};
    if (bin.to > bin.from) histogram.bins.push_back(bin);
  }
  std::size_t at = 0;
  for (const Sample& sample : samples) {
    while (at + 1 < histogram.bins.size() && sample.duration >= histogram.bins[at].to) ++at;
    HistogramBin& bin = histogram.bins[at];
    ++bin.count;
    bin.total = saturating_add(bin.total, sample.duration);
    bin.longest = sample.slice;
  }
  find_modes(histogram, sorted);
  return histogram;
}

}  // namespace

DurationHistogram duration_histogram(const Trace& trace, StringId name, CategoryId category, TimeSpan range,
                                     const std::vector<TrackId>& tracks) {
  std::vector<Sample> samples;
  const auto add = [&](const Track& track) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = lane.first_visible_from(range.begin); i < lane.size() && lane.start(i) < range.end; ++i)
        if (lane.name(i) == name && (!category.valid() || lane.category(i) == category))
          samples.push_back({lane.duration(i), {id, i}});
    }
  };
  if (tracks.empty())
    for (const Track& track : trace.tracks()) add(track);
  else
    for (const TrackId id : tracks) add(trace.track(id));
  return build(std::move(samples));
}

DurationHistogram histogram_of(std::vector<Nanos> durations) {
  std::vector<Sample> samples;
  for (const Nanos duration : durations) samples.push_back({duration, {}});
  return build(std::move(samples));
}

}  // namespace lacuna
