#include "model/query/track_replay.h"

#include <algorithm>

namespace lacuna {

void TrackReplay::start_source(std::uint32_t source) {
  source_ = source;
  root_names_.clear();
  asyncs_.clear();
  global_instants_ = TraceTables::kNone;
}

std::uint32_t TrackReplay::add(TraceTables::TrackType type, std::uint32_t utid, std::uint32_t upid, StringId name) {
  TraceTables::TrackRow row;
  row.type = type;
  row.utid = utid;
  row.upid = upid;
  row.name = name;
  row.source = source_;
  tables_.tracks.push_back(row);
  return static_cast<std::uint32_t>(tables_.tracks.size() - 1);
}

std::uint32_t TrackReplay::thread(std::uint32_t utid) {
  if (utid >= threads_.size()) threads_.resize(utid + 1, TraceTables::kNone);
  std::uint32_t& track = threads_[utid];
  if (track == TraceTables::kNone) track = add(TraceTables::TrackType::kThread, utid, TraceTables::kNone);
  return track;
}

std::uint32_t TrackReplay::overflow(std::uint32_t utid, Nanos ts, Nanos dur) {
  std::vector<OverflowTrack>& tracks = overflow_[utid];
  const Nanos end = saturating_add(ts, dur);
  for (OverflowTrack& track : tracks) {
    while (!track.open_ends.empty() && track.open_ends.back() <= ts) track.open_ends.pop_back();
    if (!track.open_ends.empty() && end > track.open_ends.back()) continue;
    track.open_ends.push_back(end);
    return track.track;
  }
  tracks.push_back({add(TraceTables::TrackType::kThreadOverlap, utid, TraceTables::kNone), {end}});
  return tracks.back().track;
}

std::uint32_t TrackReplay::async(StringId name, std::uint32_t upid, const AsyncCookie& cookie, bool is_local,
                                 char phase) {
  const std::uint32_t owner = is_local ? upid : TraceTables::kNone;
  const StringId root = root_names_.try_emplace({owner, cookie}, name).first->second;
  std::vector<AsyncTrack>& tracks = asyncs_[{owner, root.value}];
  auto at = std::ranges::find(tracks, cookie, &AsyncTrack::cookie);
  if (at == tracks.end()) {
    at = std::ranges::find(tracks, 0u, &AsyncTrack::nested);
    if (at == tracks.end()) {
      tracks.push_back({});
      at = tracks.end() - 1;
    }
    at->cookie = cookie;
  }
  if (at->track == TraceTables::kNone) {
    const auto type = is_local ? TraceTables::TrackType::kAsyncProcess : TraceTables::TrackType::kAsyncGlobal;
    at->track = add(type, TraceTables::kNone, is_local ? upid : TraceTables::kNone, name);
  }
  if (phase == 'b') ++at->nested;
  if (phase == 'e' && at->nested > 0) --at->nested;
  return at->track;
}

std::uint32_t TrackReplay::process_instants(std::uint32_t upid) {
  const auto found = process_instants_.find(upid);
  if (found != process_instants_.end()) return found->second;
  return process_instants_[upid] = add(TraceTables::TrackType::kProcessInstant, TraceTables::kNone, upid);
}

std::uint32_t TrackReplay::global_instants() {
  if (global_instants_ == TraceTables::kNone)
    global_instants_ = add(TraceTables::TrackType::kGlobalInstant, TraceTables::kNone, TraceTables::kNone);
  return global_instants_;
}

std::uint32_t TrackReplay::counter(std::uint32_t upid, StringId name) {
  const auto found = counters_.find({upid, name.value});
  if (found != counters_.end()) return found->second;
  return counters_[{upid, name.value}] = add(TraceTables::TrackType::kProcessCounter, TraceTables::kNone, upid, name);
}

}  // namespace lacuna
