#include <algorithm>
#include <cmath>
#include <span>

#include "model/holders/memory_marks.h"
#include "model/shown/shown_rows.h"
#include "render/timeline_layout.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kCollapsedRows = 4;
constexpr std::size_t kOverviewTracks = 4;
constexpr float kOverviewPadding = 4;
constexpr float kOverviewRow = 8;
constexpr float kLeastRowScale = 0.25f;
constexpr float kMostRowScale = 8;

bool has_content(const Track& track) {
  return track.slice_count > 0 || !track.instants.empty() || !track.counter.times.empty();
}

/// Appends one track's place at y and returns where it ends. Places touch, so that every y below a
/// process header belongs to a track: the gap between tracks is half above, half below the content.
float place_track(const TimelineInput& input, const Track& track, float y, VerticalLayout& out) {
  const TimelineMetrics& m = input.view.metrics;
  const bool is_collapsed = input.arrangement.is_collapsed(track.id);
  const float gap = m.px(m.track_gap);
  const float least = m.px(m.min_track);
  const float scale = std::clamp(input.arrangement.row_scale(track.id), kLeastRowScale, kMostRowScale);
  TrackPlace place;
  place.track = track.id;
  place.y0 = y;
  float height = least;
  if (track.kind == TrackKind::kCounter) {
    if (!is_collapsed) height = std::max(least, m.px(m.counter * scale));
    place.lanes_y0 = y + std::floor(gap / 2);
  } else {
    const float strip = track.instants.empty() ? 0 : m.px(m.instant_strip);
    const std::uint32_t rows = input.data.row_count(track);
    place.rows = is_collapsed ? std::min(kCollapsedRows, rows) : rows;
    const float row = m.row * traits_of(track.kind).row_height;
    place.row_px = is_collapsed ? m.px(m.collapsed_row) : m.px(row * scale);
    const bool has_foot = !is_collapsed && input.data.memory != nullptr && input.data.memory->needs_row(track.id);
    const float content = strip + static_cast<float>(place.rows + (has_foot ? 1 : 0)) * place.row_px;
    height = std::max(least, content);
    place.lanes_y0 = y + std::floor(gap / 2) + strip + std::floor((height - content) / 2);
  }
  place.y1 = y + height + gap;
  out.tracks.push_back(place);
  return place.y1;
}

/// Appends the counters that stand below a track; returns where they end.
float place_extras(const TimelineInput& input, TrackId track, float y, VerticalLayout& out) {
  const TimelineMetrics& m = input.view.metrics;
  if (input.arrangement.is_collapsed(track)) return y;
  for (std::uint32_t i = 0; i < input.arrangement.extra_counters.size(); ++i) {
    if (input.arrangement.extra_counters[i].below != track || input.arrangement.extra_counters[i].series == nullptr)
      continue;
    TrackPlace place;
    place.track = track;
    place.extra = i;
    place.y0 = y;
    place.lanes_y0 = y + std::floor(m.px(m.track_gap) / 2);
    place.y1 = y + std::max(m.px(m.min_track), m.px(m.counter * 0.75f)) + m.px(m.track_gap);
    out.tracks.push_back(place);
    y = place.y1;
  }
  return y;
}

/// The fullest tracks of a collapsed process as thin lanes in its header row, in their usual order.
void place_overview(const TimelineInput& input, const Process& process, float y0, float y1, VerticalLayout& out) {
  const TimelineMetrics& m = input.view.metrics;
  std::vector<std::uint32_t> fullest;  // indices into process.tracks
  for (std::uint32_t i = 0; i < process.tracks.size(); ++i)
    if (input.data.row_count(input.data.trace->track(process.tracks[i])) > 0 &&
        !input.arrangement.is_hidden(process.tracks[i]))
      fullest.push_back(i);
  const auto rank = [&](std::uint32_t i) {
    const Track& track = input.data.trace->track(process.tracks[i]);
    return std::pair(track.kind == TrackKind::kGpuStream, track.slice_count);
  };
  std::ranges::stable_sort(fullest, [&](auto a, auto b) { return rank(a) > rank(b); });
  if (fullest.size() > kOverviewTracks) fullest.resize(kOverviewTracks);
  std::ranges::sort(fullest);
  if (fullest.empty()) return;

  const auto count = static_cast<float>(fullest.size());
  const float room = y1 - y0 - 2 * m.px(kOverviewPadding);
  const float row = std::clamp(std::floor(room / count), 1.0f, m.px(kOverviewRow));
  float y = y0 + std::floor((y1 - y0 - row * count) / 2);
  for (const std::uint32_t i : fullest) {
    out.tracks.push_back({process.tracks[i], y, y + row, y, row, 1, true});
    y += row;
  }
}

/// The tracks of a process in the order in which they are shown.
std::vector<TrackId> ordered_tracks(const TimelineInput& input, const Process& process) {
  std::vector<TrackId> tracks = process.tracks;
  const auto rank = [&](TrackId id) {
    return id.value < input.arrangement.track_rank.size() ? input.arrangement.track_rank[id.value] : 0u;
  };
  if (!input.arrangement.track_rank.empty()) std::ranges::stable_sort(tracks, {}, rank);
  return tracks;
}

/// Fills in the ways from ids to places.
void index_places(const Trace& trace, VerticalLayout& out) {
  out.place_of_track.assign(trace.tracks().size(), VerticalLayout::kNoPlace);
  out.place_of_process.assign(trace.processes().size(), VerticalLayout::kNoPlace);
  for (std::uint32_t i = 0; i < out.tracks.size(); ++i)
    if (!out.tracks[i].is_extra()) out.place_of_track[out.tracks[i].track.value] = i;
  for (std::uint32_t i = 0; i < out.processes.size(); ++i) out.place_of_process[out.processes[i].process.value] = i;
}

}  // namespace

float TimelineMetrics::px(float v) const {
  return v <= 0 ? 0.0f : std::max(1.0f, std::round(v * scale));
}

VerticalLayout layout_vertically(const TimelineInput& input) {
  const Trace& trace = *input.data.trace;
  VerticalLayout out;
  float y = 0;
  const std::span<const ProcessId> order =
      input.arrangement.process_order.empty() ? trace.process_order() : std::span(input.arrangement.process_order);
  std::uint32_t group = 0;                           // the next that may come
  std::uint32_t waiting = VerticalLayout::kNoPlace;  // that has no process in view yet
  for (const ProcessId id : order) {
    if (group < input.arrangement.groups.size() && input.arrangement.groups[group].first == id) waiting = group++;
    const Process& process = trace.process(id);
    const auto shown = [&](TrackId track) {
      return has_content(trace.track(track)) && !input.arrangement.is_hidden(track);
    };
    if (std::ranges::none_of(process.tracks, shown)) continue;
    if (waiting != VerticalLayout::kNoPlace) {
      out.groups.push_back({waiting, y, y + input.view.metrics.px(input.view.metrics.group_header)});
      y = out.groups.back().y1;
      waiting = VerticalLayout::kNoPlace;
    }
    VerticalLayout::ProcessPlace place{id, y, y + input.view.metrics.px(input.view.metrics.process_header), 0};
    y = place.y1;
    if (input.arrangement.is_collapsed(id)) {
      place_overview(input, process, place.y0, place.y1, out);
    } else {
      for (const TrackId track : ordered_tracks(input, process))
        if (shown(track)) y = place_extras(input, track, place_track(input, trace.track(track), y, out), out);
    }
    place.bottom = y;
    out.processes.push_back(place);
  }
  out.height = y;
  index_places(trace, out);
  return out;
}

VerticalLayout layout_pinned(const TimelineInput& input, std::span<const TrackId> pinned) {
  VerticalLayout out;
  out.names_processes = true;
  float y = 0;
  for (const TrackId id : pinned) {
    const Track& track = input.data.trace->track(id);
    if (has_content(track)) y = place_extras(input, id, place_track(input, track, y, out), out);
  }
  out.height = y;
  index_places(*input.data.trace, out);
  return out;
}

const TrackPlace* VerticalLayout::find(TrackId id) const {
  if (id.value >= place_of_track.size() || place_of_track[id.value] == kNoPlace) return nullptr;
  return &tracks[place_of_track[id.value]];
}

const VerticalLayout::ProcessPlace* VerticalLayout::find(ProcessId id) const {
  if (id.value >= place_of_process.size() || place_of_process[id.value] == kNoPlace) return nullptr;
  return &processes[place_of_process[id.value]];
}

std::uint32_t TimelineData::row_count(const Track& track) const {
  return shown != nullptr && shown->changes(track.id) ? shown->row_count(track.id)
                                                      : track.lane_count - (rows_in_first(track) - 1);
}

std::uint32_t TimelineData::rows_in_first(const Track& track) const {
  if (outer_rows == nullptr || track.id.value >= outer_rows->size()) return 1;
  if (shown != nullptr && shown->changes(track.id)) return 1;
  return std::max(1u, (*outer_rows)[track.id.value]);
}

std::uint32_t TimelineData::row_of(SliceId slice) const {
  const Track& track = trace->track_of(slice);
  if (shown == nullptr || !shown->changes(track.id)) {
    const std::uint32_t row = slice.lane.value - track.first_lane.value;
    return row - std::min(row, rows_in_first(track) - 1);
  }
  if (shown->row_of(slice) == ShownRows::kNoRow) slice = shown->parent(*trace, slice);
  return slice.valid() ? shown->row_of(slice) : 0;
}

bool find_slice_y(const TimelineInput& input, const VerticalLayout& vertical, SliceId slice, float& y0, float& y1) {
  const Track& track = input.data.trace->track_of(slice);
  if (input.data.shown != nullptr && input.data.shown->is_hidden(*input.data.trace, slice)) return false;
  if (const TrackPlace* place = vertical.find(track.id); place != nullptr && place->rows > 0) {
    const std::uint32_t row = std::min(input.data.row_of(slice), place->rows - 1);
    y0 = place->lanes_y0 + static_cast<float>(row) * place->row_px;
    y1 = y0 + place->row_px;
    return true;
  }
  const VerticalLayout::ProcessPlace* process = vertical.find(track.process);
  if (process == nullptr) return false;
  y0 = process->y0;
  y1 = process->y1;
  return true;
}

}  // namespace lacuna
