// find_call_places() of call_tree.h.

#include <algorithm>
#include <span>

#include "model/base/cancel.h"
#include "model/calls/call_tree.h"
#include "model/calls/call_walk.h"
#include "model/calls/launched_work.h"

namespace lacuna {
namespace {

/// Compares what is around slices with a path of frames.
class PathMatch {
 public:
  /// `frames`: innermost first.
  PathMatch(const Trace& trace, const CallTreeOptions& options, const GraphOrigins& graphs, std::vector<CallKey> frames)
      : trace_(trace),
        options_(options),
        graphs_(graphs),
        keys_(trace, options.hides_python),
        frames_(std::move(frames)) {}

  bool matches(SliceId slice) {
    const bool is_gpu = trace_.track_of(slice).kind == TrackKind::kGpuStream;
    matched_ = 0;
    if (is_gpu) {
      if (!next_is(key_of(slice))) return false;
      const SliceId launch = trace_.links().launch_of(slice);
      if (!launch.valid()) return next_is(CallKey::of(CallKind::kNoLaunch)) && ends();
      return climb_captured(graphs_.captured_in(trace_, slice), launch);
    }
    return climb(slice);
  }

  /// The first of what lies within a capture, the others around it, and then what launched the graph that replays it.
  bool matches_captured(std::span<const SliceId> captured, SliceId launch) {
    matched_ = 0;
    return climb_captured(captured, launch);
  }

 private:
  CallKey key_of(SliceId slice) const {
    const Lane& lane = trace_.lane(slice);
    return {CallKind::kSlices, lane.category(slice.index), lane.name(slice.index)};
  }
  bool is_chosen(SliceId slice) const { return std::ranges::binary_search(options_.places, slice); }
  /// All that bottom-up asks about is matched: further callers do not matter.
  bool is_satisfied() const { return options_.bottom_up && matched_ == frames_.size(); }
  bool next_is(const CallKey& key) {
    if (is_satisfied()) return true;
    if (matched_ == frames_.size() || frames_[matched_] != key) return false;
    ++matched_;
    return true;
  }
  bool ends() const { return matched_ == frames_.size(); }

  enum class Step : std::uint8_t { kGoesOn, kEnds, kDiffers };

  bool climb_captured(std::span<const SliceId> captured, SliceId launch) {
    for (const SliceId slice : captured)
      if (const Step step = climb_over(slice); step != Step::kGoesOn) return step == Step::kEnds && ends();
    return climb(launch);
  }
  bool climb(SliceId slice) {
    for (; slice.valid(); slice = trace_.parent(slice))
      if (const Step step = climb_over(slice); step != Step::kGoesOn) return step == Step::kEnds && ends();
    return ends();
  }
  Step climb_over(SliceId slice) {
    if (is_satisfied()) return Step::kEnds;
    CallKey key;
    const bool is_asked_for = !options_.places.empty() && is_chosen(slice);
    const CallFrames::What what = keys_.of(slice, key);
    if (what == CallFrames::What::kRecording) return Step::kEnds;
    if (what == CallFrames::What::kHidden && !is_asked_for) return Step::kGoesOn;
    if (!next_is(key)) return Step::kDiffers;
    // Top-down, the outermost of the places is the first level.
    return is_asked_for && !options_.bottom_up && is_outermost(slice) ? Step::kEnds : Step::kGoesOn;
  }
  bool is_outermost(SliceId slice) const {
    for (SliceId s = trace_.parent(slice); s.valid(); s = trace_.parent(s))
      if (is_chosen(s)) return false;
    return true;
  }

  const Trace& trace_;
  const CallTreeOptions& options_;
  const GraphOrigins& graphs_;
  CallFrames keys_;
  std::vector<CallKey> frames_;
  std::size_t matched_ = 0;
};

}  // namespace

std::vector<SliceId> find_call_places(const Trace& trace, const CallTreeOptions& options, const CallTree& tree,
                                      std::uint32_t node) {
  std::vector<CallKey> frames = tree.path_to(node);
  std::vector<SliceId> places;
  if (frames.empty()) return places;
  if (!options.bottom_up) std::ranges::reverse(frames);
  const CallKey wanted = frames.front();
  const bool is_merged = wanted.kind == CallKind::kSteps || wanted.kind == CallKind::kModules;
  if (wanted.kind != CallKind::kSlices && !is_merged) return places;
  const GraphOrigins graphs = origins_for_calls(trace, options);
  PathMatch path(trace, options, graphs, std::move(frames));
  CallFrames keys(trace, options.hides_python);
  CancelCheck check(options.cancel);
  const auto is_counted = [&](const Track& track) {
    return options.tracks.empty() || std::ranges::find(options.tracks, track.id) != options.tracks.end();
  };
  const bool chooses_streams =
      std::ranges::any_of(options.tracks, [&](TrackId id) { return trace.track(id).kind == TrackKind::kGpuStream; });
  const bool counts_samples = options.metric == CallMetric::kSamples;
  for (const Track& track : trace.tracks()) {
    const bool is_gpu = track.kind == TrackKind::kGpuStream;
    if (track.kind != (counts_samples ? TrackKind::kStacks : TrackKind::kThread) && (counts_samples || !is_gpu))
      continue;
    // GPU work in the range may be launched before it; CPU time and the work itself are in it.
    const bool is_in_range = is_gpu || counts_samples || options.metric == CallMetric::kCpuTime;
    if (is_in_range && (!is_gpu || chooses_streams) && !is_counted(track)) continue;
    const TimeSpan range = is_in_range ? options.range : TimeSpan::everything();
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      const std::uint32_t first = lane.first_visible_from(range.begin);
      const std::uint32_t last = range.end == kMaxNanos ? lane.size() : lane.first_starting_from(range.end, first);
      for (std::uint32_t i = first; i < last && !check(); ++i) {
        if (wanted.kind == CallKind::kSlices && (lane.name(i) != wanted.name || lane.category(i) != wanted.category))
          continue;
        CallKey key;
        if (is_merged && (keys.of(lane, i, key) == CallFrames::What::kRecording || key != wanted)) continue;
        const SliceId slice{id, i};
        if (!path.matches(slice)) continue;
        if (!is_gpu && options.metric == CallMetric::kGpuTime &&
            work_launched_by(trace, std::span(&slice, 1), options.range).count == 0)
          continue;
        places.push_back(slice);
      }
    }
  }
  // Frames of captures, by what replays them.
  for (const GraphOrigins::Entry& replayed : graphs.entries()) {
    if (options.metric != CallMetric::kGpuTime || check()) break;
    const SliceId launch = trace.links().launch_of(replayed.activity);
    const Track& counted = trace.track_of(chooses_streams ? replayed.activity : launch);
    if (!is_counted(counted) || !trace.span(replayed.activity).overlaps(options.range)) continue;
    const std::vector<SliceId> captured = graphs.captured_in(trace, replayed.activity);
    for (std::size_t c = 0; c < captured.size(); ++c) {
      CallKey key;
      const bool is_wanted =
          keys.of(trace.lane(captured[c]), captured[c].index, key) != CallFrames::What::kRecording && key == wanted;
      if (is_wanted && path.matches_captured(std::span(captured).subspan(c), launch)) places.push_back(captured[c]);
    }
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

}  // namespace lacuna
