#include "model/report/hardware_report.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/trace/hardware_tracks.h"

namespace lacuna {
namespace {

/// A clock below this part of the usual one has fallen; with a reason of the driver's a smaller fall counts.
constexpr double kFallen = 0.9;
constexpr double kFallenWithReason = 0.98;
/// Shorter falls say little; without a reason, clocks follow the work with a delay of up to a second.
constexpr Nanos kShortestFallNs = 100'000'000;
constexpr Nanos kShortestUnexplainedNs = 2'000'000'000;
/// Falls closer than this are one.
constexpr Nanos kSameFallNs = 500'000'000;
constexpr double kAtWorkPercent = 50;

/// Goes along a counter: what it is from a time on.
class Value {
 public:
  explicit Value(const CounterSeries* series) : series_(series) {}
  /// Times ascend from call to call. Nothing before the first sample.
  std::optional<double> at(Nanos time) {
    if (series_ == nullptr) return std::nullopt;
    while (next_ < series_->times.size() && series_->times[next_] <= time) ++next_;
    return next_ == 0 ? std::nullopt : std::optional(series_->values[next_ - 1]);
  }

 private:
  const CounterSeries* series_;
  std::size_t next_ = 0;
};

struct HardwareTracks {
  std::string gpu;
  const CounterSeries* clock = nullptr;
  const CounterSeries* busy = nullptr;
  std::vector<std::pair<std::string, const CounterSeries*>> reasons;
};

std::string counter_name(std::string_view counter, std::string_view series) {
  return fmt::format("{} · {}", counter, series);
}

std::vector<HardwareTracks> find_tracks(const Trace& trace, SourceId source) {
  const std::string clock = counter_name(kSmClockCounter, kSmClockSeries);
  const std::string busy = counter_name(kGpuBusyCounter, kGpuBusySeries);
  const std::string throttled = counter_name(kThrottledCounter, "");
  std::vector<HardwareTracks> found;
  for (const Process& process : trace.processes()) {
    std::string_view name = trace.text(process.name);
    if (process.source != source || !name.starts_with(kHardwareOf)) continue;
    name.remove_prefix(kHardwareOf.size());
    HardwareTracks tracks;
    tracks.gpu = name.substr(0, name.find(':'));
    for (const TrackId id : process.tracks) {
      const Track& track = trace.track(id);
      if (track.kind != TrackKind::kCounter) continue;
      const std::string_view title = trace.text(track.name);
      if (title == clock) tracks.clock = &track.counter;
      if (title == busy) tracks.busy = &track.counter;
      if (title.starts_with(throttled)) tracks.reasons.emplace_back(title.substr(throttled.size()), &track.counter);
    }
    if (tracks.clock != nullptr) found.push_back(std::move(tracks));
  }
  return found;
}

/// A time in which no counter changes.
struct HardwareMoment {
  TimeSpan span;
  double mhz = 0;
  bool is_at_work = true;
  std::uint64_t reasons = 0;  // a bit for each of HardwareTracks::reasons
};

std::vector<HardwareMoment> moments_of(const HardwareTracks& tracks, TimeSpan window) {
  std::vector<Nanos> edges = {window.begin, window.end};
  const auto add = [&](const CounterSeries* series) {
    if (series == nullptr) return;
    for (const Nanos time : series->times)
      if (time > window.begin && time < window.end) edges.push_back(time);
  };
  add(tracks.clock);
  add(tracks.busy);
  for (const auto& reason : tracks.reasons) add(reason.second);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Value clock(tracks.clock), busy(tracks.busy);
  std::vector<Value> reasons;
  for (const auto& reason : tracks.reasons) reasons.emplace_back(reason.second);
  std::vector<HardwareMoment> moments;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    HardwareMoment moment;
    moment.span = {edges[i], edges[i + 1]};
    const std::optional<double> mhz = clock.at(edges[i]);
    moment.is_at_work = busy.at(edges[i]).value_or(100) >= kAtWorkPercent;
    for (std::size_t r = 0; r < std::min<std::size_t>(reasons.size(), 64); ++r)
      if (reasons[r].at(edges[i]).value_or(0) > 0) moment.reasons |= std::uint64_t{1} << r;
    if (!mhz) continue;
    moment.mhz = *mhz;
    moments.push_back(moment);
  }
  return moments;
}

/// The clock that a tenth of the time at work reached.
double usual_clock(const std::vector<HardwareMoment>& moments, Nanos at_work) {
  std::vector<std::pair<double, Nanos>> clocks;
  for (const HardwareMoment& m : moments)
    if (m.is_at_work) clocks.emplace_back(m.mhz, m.span.duration());
  std::ranges::sort(clocks, std::ranges::greater{});
  Nanos seen = 0;
  for (const auto& [mhz, time] : clocks)
    if ((seen += time) >= at_work / 10) return mhz;
  return 0;
}

std::string reason_words(const HardwareTracks& tracks, std::uint64_t reasons) {
  std::string words;
  for (std::size_t r = 0; r < std::min<std::size_t>(tracks.reasons.size(), 64); ++r)
    if ((reasons >> r & 1) != 0) words += (words.empty() ? "" : ", ") + tracks.reasons[r].first;
  return words;
}

void find_falls(const HardwareTracks& tracks, const std::vector<HardwareMoment>& moments, HardwareReport& report) {
  struct Fall {
    ClockFall fall;
    std::uint64_t reasons = 0;
  };
  std::vector<Fall> falls;
  for (const HardwareMoment& m : moments) {
    if (!m.is_at_work || m.mhz >= report.usual_mhz * (m.reasons != 0 ? kFallenWithReason : kFallen)) continue;
    if (falls.empty() || m.span.begin - falls.back().fall.span.end > kSameFallNs)
      falls.push_back({{m.span, m.mhz, {}}, 0});
    Fall& last = falls.back();
    last.fall.span.end = m.span.end;
    last.fall.lowest_mhz = std::min(last.fall.lowest_mhz, m.mhz);
    last.reasons |= m.reasons;
  }
  for (Fall& one : falls) {
    if (one.fall.span.duration() < (one.reasons != 0 ? kShortestFallNs : kShortestUnexplainedNs)) continue;
    one.fall.reason = reason_words(tracks, one.reasons);
    report.falls.push_back(std::move(one.fall));
  }
  report.fall_count = report.falls.size();
  sort_stably(report.falls, std::ranges::greater{}, [](const ClockFall& f) { return f.span.duration(); });
  if (report.falls.size() > kMostClockFalls) report.falls.resize(kMostClockFalls);
}

}  // namespace

std::vector<HardwareReport> report_hardware(const Trace& trace, SourceId source, TimeSpan window) {
  std::vector<HardwareReport> reports;
  for (const HardwareTracks& tracks : find_tracks(trace, source)) {
    const std::vector<HardwareMoment> moments = moments_of(tracks, window);
    HardwareReport report;
    report.gpu = tracks.gpu;
    double cycles = 0;
    std::vector<Nanos> held(tracks.reasons.size());
    for (const HardwareMoment& m : moments) {
      if (!m.is_at_work) continue;
      report.at_work += m.span.duration();
      cycles += m.mhz * static_cast<double>(m.span.duration());
      for (std::size_t r = 0; r < std::min<std::size_t>(held.size(), 64); ++r)
        if ((m.reasons >> r & 1) != 0) held[r] += m.span.duration();
    }
    if (report.at_work > 0) {
      report.mean_mhz = cycles / static_cast<double>(report.at_work);
      report.usual_mhz = usual_clock(moments, report.at_work);
      find_falls(tracks, moments, report);
    }
    for (std::size_t r = 0; r < held.size(); ++r)
      if (held[r] > 0) report.held.push_back({tracks.reasons[r].first, held[r]});
    sort_stably(report.held, std::ranges::greater{}, &HardwareReport::Held::time);
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace lacuna
