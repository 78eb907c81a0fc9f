#include "model/index/moment_folds.h"

#include <bit>
#include <cmath>

#include "model/base/parallel.h"

namespace lacuna {
namespace {

constexpr std::size_t kMomentsPerRun = 4;  // of the finest level
constexpr std::size_t kLeastRuns = 64;     // fewer are not worth a level
constexpr Nanos kWidestMoments = Nanos{1} << 61;

/// The first index of [hint, size) that is not before. It gallops: mostly the next pixel is asked for, and that is
/// near.
template <class IsBefore>
std::uint32_t first_from(std::uint32_t size, std::uint32_t hint, IsBefore is_before) {
  std::uint32_t low = hint;
  std::uint32_t high = hint == 0 ? size : hint;
  for (std::uint32_t step = 1; high < size && is_before(high); step *= 2) {
    low = high + 1;
    high = size - high > step ? high + step : size;
  }
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

std::uint32_t InstantRow::first_starting_from(Nanos t, std::uint32_t hint) const {
  return first_from(size(), hint, [&](std::uint32_t i) { return start(i) < t; });
}

std::uint32_t SampleRow::first_starting_from(Nanos t, std::uint32_t hint) const {
  return first_from(size(), hint, [&](std::uint32_t i) { return start(i) < t; });
}

std::uint32_t SampleRow::first_visible_from(Nanos t) const {
  const std::uint32_t next = first_starting_from(t);
  return next > 0 && end(next - 1) > t ? next - 1 : next;
}

SampleRow::Run SampleRow::run(std::uint32_t first, std::uint32_t last) const {
  Run out = run(first);
  if (last - first == 1) return out;
  out.greatest = series.extremes.greatest(first, last, series.values);
  out.high = series.values[out.greatest];
  out.low = series.values[series.extremes.least(first, last, series.values)];
  return out;
}

void SampleRow::join(Run& run, const Run& next) {
  // As in ExtremesIndex, NaN never wins over a number.
  if (next.high > run.high || (std::isnan(run.high) && !std::isnan(next.high))) {
    run.high = next.high;
    run.greatest = next.greatest;
  }
  if (next.low < run.low || (std::isnan(run.low) && !std::isnan(next.low))) run.low = next.low;
}

template <class Row>
void MomentFolds<Row>::fold(std::vector<Run>& runs, Nanos width) {
  const int shift = std::countr_zero(static_cast<std::uint64_t>(width));
  const auto cell_of = [shift](const Run& run) { return run.start >> shift; };
  // A run of several that a narrower width folded is shorter than this one: it lasts as long as a sample may.
  const auto is_short = [&](const Run& run, const Run& next) {
    return !Row::kLasts || saturating_sub(next.start, run.start) < width;
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const Run run = runs[i];
    // What follows a long one lies in another cell.
    if (kept > 0 && is_short(run, runs[i + 1]) && cell_of(run) == cell_of(runs[kept - 1])) {
      Row::join(runs[kept - 1], run);
    } else {
      runs[kept++] = run;
    }
  }
  runs[kept++] = runs.back();
  runs.resize(kept);
}

template <class Row>
MomentFolds<Row>::MomentFolds(const Row& row) {
  const std::size_t size = row.size();
  if (size < kMomentsPerRun * kLeastRuns) return;
  const std::uint32_t last = row.size() - 1;
  std::vector<Run> runs;
  runs.reserve(size + 1);
  for (std::uint32_t i = 0; i <= last; ++i) runs.push_back(row.run(i));
  Run& after = runs.emplace_back();
  after.start = row.end(last);
  after.first = last + 1;
  // Where runs would hold that many if they were spread evenly.
  const Nanos length = saturating_sub(row.start(last), row.start(0));
  const Nanos spread =
      std::clamp<Nanos>(length / static_cast<Nanos>(size) * Nanos{kMomentsPerRun / 2}, 1, kWidestMoments);
  std::size_t least = size / kMomentsPerRun;  // runs that a level has at most
  for (auto width = static_cast<Nanos>(std::bit_floor(static_cast<std::uint64_t>(spread)));; width *= 2) {
    fold(runs, width);
    if (runs.size() <= kLeastRuns) return;
    if (runs.size() - 1 <= least) {
      levels_.push_back({width, {runs.begin(), runs.end()}});
      least = runs.size() * 7 / 10;
    }
    if (width >= kWidestMoments) return;
  }
}

template <class Row>
const typename MomentFolds<Row>::Level* MomentFolds<Row>::level_for(Nanos fold_ns) const {
  const Level* best = nullptr;
  for (const Level& level : levels_) {
    if (level.width / 2 >= fold_ns) break;  // wider than 2 * fold_ns - 1
    best = &level;
  }
  return best;
}

template <class Row>
std::size_t MomentFolds<Row>::memory_bytes() const {
  std::size_t sum = levels_.capacity() * sizeof(Level);
  for (const Level& level : levels_) sum += level.runs.capacity() * sizeof(Run);
  return sum;
}

template class MomentFolds<InstantRow>;
template class MomentFolds<SampleRow>;

TrackFolds TrackFolds::build(const Trace& trace, unsigned threads) {
  const auto& tracks = trace.tracks();
  TrackFolds out;
  out.instants.resize(tracks.size());
  out.samples.resize(tracks.size());
  parallel_for(tracks.size(), threads, [&](std::size_t t) {
    const Track& track = tracks[t];
    if (!track.instants.empty()) out.instants[t] = InstantFolds(InstantRow(track.instants));
    if (!track.counter.times.empty()) out.samples[t] = SampleFolds(SampleRow(track.counter, trace.span().end));
  });
  return out;
}

std::size_t TrackFolds::memory_bytes() const {
  std::size_t sum = 0;
  for (const InstantFolds& folds : instants) sum += folds.memory_bytes();
  for (const SampleFolds& folds : samples) sum += folds.memory_bytes();
  return sum;
}

}  // namespace lacuna
