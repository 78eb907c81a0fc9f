#include "model/causes/growing_causes.h"

#include <algorithm>
#include <utility>

namespace lacuna {
namespace {

constexpr Nanos kMostKnownAfterNs = 10'000'000'000;

}  // namespace

GrowingCauses::Verdicts GrowingCauses::judge(Verdicts& known, const SharedVector<Gap>& gaps, std::size_t kept,
                                             Nanos since, const LaneGrowth::News& news) {
  known.shorten(kept);
  const auto holds = std::ranges::upper_bound(gaps, since, {}, &Gap::end);
  known.shorten(static_cast<std::size_t>(holds - gaps.begin()));
  if (news.has_moved) {
    Verdicts moved;
    for (GapDiagnosis verdict : known) {
      verdict.sync_call = growth_.moved(verdict.sync_call);
      verdict.waited_for = growth_.moved(verdict.waited_for);
      moved.push_back(verdict);
    }
    known = std::move(moved);
  }
  index_.look_at_graphs(gaps, known.size());
  for (std::size_t g = known.size(); g < gaps.size() && gaps[g].end <= growth_.horizon(); ++g) {
    known.push_back(index_.diagnose(gaps[g]));
    ++judged_;
  }
  return known;
}

IdleTime GrowingCauses::update(const Trace& trace, bool is_last) {
  const Nanos horizon = is_last ? kMaxNanos : saturating_sub(trace.span().end, known_after_);
  const LaneGrowth::News news = growth_.update(trace, horizon);
  if (news.starts_over) {
    ++starts_over_;
    known_after_ = std::min(known_after_ * 2, kMostKnownAfterNs);
    of_streams_.clear();
    of_devices_.clear();
  }
  gaps_.update(trace, growth_, news);
  IdleTime idle;
  idle.streams = gaps_.streams().sets;
  idle.kept = gaps_.streams().kept;
  const Nanos since = index_.update(trace, growth_, news);
  const auto source_of = [&](TrackId track) { return trace.process(trace.track(track).process).source; };
  for (std::size_t s = 0; s < idle.streams.size(); ++s) {
    const StreamActivity& stream = idle.streams[s];
    Verdicts& known = of_streams_[{source_of(stream.track), stream.device, stream.stream}];
    idle.by_stream.push_back(judge(known, stream.gaps, gaps_.streams().kept[s], since, news));
  }
  for (std::size_t d = 0; d < gaps_.devices().sets.size(); ++d) {
    const DeviceActivity& device = gaps_.devices().sets[d];
    CausedGaps& set = idle.devices.emplace_back();
    set.is_device = true;
    set.source = device.source;
    set.device = device.device;
    set.window = device.window();
    set.busy = device.busy;
    set.gaps = device.gaps;
    const Key key{device.source, device.device, kEmptyString};
    set.diagnoses = judge(of_devices_[key], device.gaps, gaps_.devices().kept[d], since, news);
    StreamBusyIndex& busy = busy_devices_[key];
    busy.grow(to_stream_activity(device), gaps_.devices().kept[d]);
    idle.device_busy.push_back(busy);
  }
  idle.known_until = growth_.horizon();
  return idle;
}

}  // namespace lacuna
