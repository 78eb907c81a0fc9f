// TraceBuilder::settle(): the lanes of a recording under way grow instead of being made anew.
#include <iterator>
#include <map>
#include <utility>

#include "model/build/trace_builder_state.h"

namespace lacuna {

void TraceBuilder::State::give_up_settled(PendingTrack& track) {
  if (!track.settled) return;
  std::vector<SliceRun> runs = track.settled->give_up();
  track.runs.insert(track.runs.begin(), std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end()));
  track.settled = nullptr;
  track.never_settles = true;
}

void TraceBuilder::settle(SourceId source, const EventBatch& running, Nanos horizon) {
  State& s = *state_;
  if (!s.growing && !(s.growing = GrowingMemory::make())) return;
  const auto text = [&](StringId id) { return s.trace.strings_.find(running.strings.get(id)).value; };
  std::map<std::uint32_t, std::vector<Nanos>> open;  // starts, by index in pending
  for (const EventBatch::TrackEvents& events : running.tracks) {
    const TrackKey& key = events.key;
    const auto found = s.pending_index.find(
        {source.value, text(key.pid), text(key.tid), text(key.device), text(key.stream), kEmptyString.value, key.kind});
    if (found == s.pending_index.end()) continue;  // nothing of it ended yet
    for (const SliceRecord& slice : events.sealed_slices)
      open[found->second].push_back(saturating_add(slice.start, s.trace.sources_[source.value].shift_ns));
  }
  for (std::uint32_t i = 0; i < s.pending.size(); ++i) {
    PendingTrack& track = s.pending[i];
    if (track.source != source || track.track.kind != TrackKind::kThread || track.never_settles) continue;
    if (track.runs.empty() && !track.settled) continue;
    if (!track.settled) track.settled = std::make_shared<SettledRows>(s.growing);
    const auto found = open.find(i);
    if (!track.settled->settle(track.runs, found == open.end() ? std::vector<Nanos>() : std::move(found->second),
                               horizon))
      State::give_up_settled(track);
  }
}

}  // namespace lacuna
