#include "app/gui/models/live/live_overlay.h"

#include <algorithm>

#include "app/gui/core/same_tracks.h"
#include "capture/session/running_offset.h"

namespace lacuna {
namespace {

float x_of_now(const TimelineInput& input, Nanos now) {
  return static_cast<float>(std::clamp(input.view.x_of(now), 0.0, double{input.view.width_px}));
}

void grow(DrawSlice& slice, const TimelineInput& input, float now_x) {
  slice.x1 = std::max(slice.x1, now_x);
  slice.label_x1 = std::max(slice.label_x1, now_x);
  slice.has_label = slice.x1 - slice.x0 >= input.view.metrics.px(input.view.metrics.label_min_px);
  slice.is_unfinished = false;  // it runs: its end is not missing
}

}  // namespace

void grow_unfinished(TimelineDrawList& list, const TimelineInput& input, Nanos now) {
  const float now_x = x_of_now(input, now);
  for (DrawSlice& slice : list.slices)
    if (slice.is_unfinished) grow(slice, input, now_x);
}

void LiveOverlay::lay_out(Entry& entry, const TimelineView& view, Nanos now, bool is_newest) {
  const TimelineInput& under = view.input();
  const Trace& trace = entry.layer->trace;
  TimelineInput& input = entry.input;
  input.data.trace = &trace;
  input.data.hues = &entry.layer->hues;
  input.data.classes = &entry.classes;
  input.data.folds = &entry.layer->folds;
  input.palette = under.palette;
  input.view.camera = under.view.camera;
  input.view.width_px = under.view.width_px;
  input.view.height_px = under.view.height_px;
  input.view.scroll_y = under.view.scroll_y;
  input.view.metrics = under.view.metrics;
  input.view.axis = under.view.axis;
  input.view.time_folds = under.view.time_folds;
  input.emphasis.show_gaps = input.emphasis.show_arrows = false;
  input.arrangement.tracks.assign(trace.tracks().size(), {});
  entry.vertical.tracks.clear();
  entry.vertical.height = view.vertical().height;
  for (const Track& track : trace.tracks()) {
    const TrackId in_document = entry.in_document[track.id.value];
    const TrackPlace* place = in_document.valid() ? view.vertical().find(in_document) : nullptr;
    if (place == nullptr || track.lane_count == 0) continue;
    input.arrangement.tracks[track.id.value].is_collapsed = under.arrangement.is_collapsed(in_document);
    TrackPlace& own = entry.vertical.tracks.emplace_back(*place);
    own.track = track.id;
    own.rows = std::min(own.rows, track.lane_count);
  }
  std::ranges::sort(entry.vertical.tracks, {}, &TrackPlace::y0);
  layout_timeline(input, entry.vertical, entry.list);
  const float now_x = x_of_now(input, now);
  for (DrawSlice& slice : entry.list.slices) {
    const bool is_running = trace.lane(slice.slice).file_offset(slice.slice.index) == kRunningOffset;
    if (slice.is_unfinished || (is_newest && is_running)) grow(slice, input, now_x);
  }
}

std::span<const TimelineLayer> LiveOverlay::layout(const TimelineView& view, const DocumentPtr& document,
                                                   const LiveTailPtr& tail, Nanos now) {
  layers_.clear();
  if (document != document_ || !tail) entries_.clear();
  document_ = document;
  if (!tail || !document) return {};
  // Layers are only added to a tail, and its last one replaced, as long as the document stays.
  std::size_t same = 0;
  while (same < entries_.size() && same < tail->layers.size() && entries_[same]->layer == tail->layers[same]) ++same;
  entries_.resize(same);
  for (const LiveLayerPtr& layer : std::span(tail->layers).subspan(same)) {
    Entry& made = *entries_.emplace_back(std::make_unique<Entry>());
    made.layer = layer;
    const SameTracks same_tracks(layer->trace, document->trace);
    for (const Track& track : layer->trace.tracks()) made.in_document.push_back(same_tracks.track(track.id));
  }
  const TimeSpan visible = view.input().view.camera.visible(view.input().view.width_px);
  for (const auto& entry : entries_) {
    const bool is_newest = entry->layer == tail->layers.back();
    // A layer that ended before what is in view has nothing there, unless a range of it goes on.
    const bool is_before = entry->layer->made_at < visible.begin;
    const bool is_behind = entry->layer->trace.span().begin > visible.end;
    if (!is_newest && (is_before || is_behind)) {
      entry->list.clear();
      continue;
    }
    lay_out(*entry, view, now, is_newest);
    layers_.push_back({entry->list, entry->input});
  }
  return layers_;
}

std::optional<LiveSlice> LiveOverlay::hit(float x, float y, float scale) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    const Entry& e = **entry;
    const Hit found = hit_test(e.list, x, y, scale);
    if (found.kind == Hit::Kind::kSlice)
      return LiveSlice{e.layer, found.slice,
                       e.layer->trace.lane(found.slice).file_offset(found.slice.index) == kRunningOffset};
  }
  return std::nullopt;
}

std::size_t LiveOverlay::drawn() const {
  std::size_t count = 0;
  for (const auto& entry : entries_) count += entry->list.slices.size();
  return count;
}

const DrawSlice* LiveOverlay::find(std::string_view name) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
    for (const DrawSlice& slice : (*entry)->list.slices)
      if ((*entry)->layer->trace.name(slice.slice) == name) return &slice;
  return nullptr;
}

}  // namespace lacuna
