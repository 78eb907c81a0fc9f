// TraceBuilder::seal(): the lanes of a recording under way grow instead of being made anew.
#include <iterator>
#include <map>
#include <utility>

#include "model/build/trace_builder_state.h"

namespace lacuna {
namespace {

// Slices may come later than was thought, or cross one that ran. Then the track starts over, and is given twice the
// time; each attempt costs by the slices that are laid once more.
constexpr std::uint32_t kMostAttempts = 5;
constexpr std::uint64_t kMostGivenUp = 4'000'000;

}  // namespace

void TraceBuilder::State::give_up_sealed(PendingTrack& track) {
  if (!track.sealed) return;
  std::vector<SliceRun> runs = track.sealed->give_up();
  track.runs.insert(track.runs.begin(), std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end()));
  track.given_up += track.sealed->size();
  track.sealed = nullptr;
  ++track.attempts;
}

void TraceBuilder::seal_in(std::shared_ptr<GrowingMemory> memory) {
  state_->growing = std::move(memory);
}

void TraceBuilder::seal(SourceId source, const EventBatch& running, Nanos now, Nanos after) {
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
    if (track.source != source || !traits_of(track.track.kind).has_tid)
      continue;  // async slices are paired when a trace is made
    if (track.attempts > kMostAttempts || track.given_up > kMostGivenUp) continue;
    if (track.runs.empty() && !track.sealed) continue;
    const NestMode mode = traits_of(track.track.kind).nests ? NestMode::kNested : NestMode::kFlat;
    if (!track.sealed) track.sealed = std::make_shared<SealedRows>(s.growing, mode, track.attempts);
    const Nanos horizon = saturating_sub(now, after << track.attempts);
    const auto found = open.find(i);
    if (!track.sealed->seal(track.runs, found == open.end() ? std::vector<Nanos>() : std::move(found->second), horizon))
      State::give_up_sealed(track);
  }
}

}  // namespace lacuna
