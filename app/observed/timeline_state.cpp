#include <algorithm>

#include "app/observed/state_parts.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostSlices = 60;

StateJson selection_json(const App& app) {
  const Workspace& w = app.workspace;
  if (!w.has_trace() || w.selection().empty()) return {{"kind", "none"}};
  if (w.selection().slice.valid()) {
    const SliceId s = w.selection().slice;
    StateJson json = span_json(w.trace().span(s));
    json["kind"] = "slice";
    json["name"] = std::string(w.trace().name(s));
    json["lane"] = s.lane.value;
    json["index"] = s.index;
    json["track"] = std::string(w.trace().text(w.trace().track_of(s).name));
    return json;
  }
  if (const InstantRef ref = w.selection().instant; ref.valid()) {
    const Instant& instant = w.trace().track(ref.track).instants[ref.index];
    return {{"kind", "instant"}, {"name", std::string(w.trace().text(instant.name))}, {"atNs", instant.time}};
  }
  const GapRef ref = w.selection().gap;
  const Gap& gap = *w.selected_gap();
  StateJson json = span_json({gap.start, gap.end});
  json["kind"] = "gap";
  json["wholeGpu"] = w.selection().on_device.valid();
  json["stream"] = ref.stream;
  json["gap"] = ref.gap;
  return json;
}

/// The widest slices on the screen with their place, so that a test knows where to click.
StateJson slices_json(const App& app, const Shell& shell) {
  std::vector<const DrawSlice*> widest;
  for (const DrawSlice& s : shell.timeline().list().slices) {
    if (s.folded == 1 && s.has_label) widest.push_back(&s);
  }
  std::sort(widest.begin(), widest.end(),
            [](const DrawSlice* a, const DrawSlice* b) { return a->x1 - a->x0 > b->x1 - b->x0; });
  if (widest.size() > kMostSlices) widest.resize(kMostSlices);
  StateJson list = StateJson::array();
  const ImVec2 at = shell.timeline().place().tracks();
  for (const DrawSlice* s : widest) {
    const Trace& trace = app.workspace.trace();
    list.push_back({{"name", std::string(trace.name(s->slice))},
                    {"activity", is_gpu_activity(trace.category_class(s->slice))},
                    {"x0", at.x + s->x0},
                    {"y0", at.y + s->y0},
                    {"x1", at.x + s->x1},
                    {"y1", at.y + s->y1},
                    {"fill", s->fill},
                    {"gpu", s->is_gpu}});
  }
  return list;
}

/// Instants that stand alone, with their place.
StateJson instants_json(const Shell& shell) {
  StateJson list = StateJson::array();
  const ImVec2 at = shell.timeline().place().tracks();
  for (const DrawInstant& i : shell.timeline().list().instants)
    if (i.folded == 1 && list.size() < 20) list.push_back({at.x + i.x, at.y + (i.y0 + i.y1) / 2});
  return list;
}

/// Titles as they lie on the screen, and what became of the others.
StateJson tracks_json(const App& app, const Shell& shell) {
  const TimelineView& view = app.workspace.view();
  const TrackArrangement& tracks = view.arrangement();
  const TimelinePlace& place = shell.timeline().place();
  StateJson headers = StateJson::array();
  const auto add = [&](const TimelineDrawList& list, float top, bool is_pinned) {
    constexpr const char* kKinds[] = {"process", "track", "extra", "group"};
    for (const DrawHeader& h : list.headers)
      headers.push_back({{"title", h.title},
                         {"kind", kKinds[static_cast<int>(h.kind)]},
                         {"detail", h.detail},
                         {"y0", top + h.y0},
                         {"y1", top + h.y1},
                         {"pinned", is_pinned},
                         {"collapsed", h.is_collapsed}});
  };
  add(shell.timeline().pinned_list(), place.ruler_end(), true);
  add(shell.timeline().list(), place.tracks().y, false);
  return {{"headers", headers},
          {"pins", tracks.pins().size()},
          {"hidden", tracks.hidden_count()},
          {"filtered", tracks.filtered_count()},
          {"filter", tracks.filter()},
          {"filterError", tracks.filter_error()},
          {"grouping", static_cast<int>(tracks.grouping())}};
}

StateJson view_json(const App& app, const Shell& shell) {
  const TimelineView& view = app.workspace.view();
  const TimelinePlace& place = shell.timeline().place();
  return {{"camera", span_json(view.visible())},
          {"nsPerPx", view.camera().ns_per_px()},
          {"originNs", view.origin()},
          {"scrollY", view.scroll_y()},
          {"historySize", app.workspace.history().size()},
          {"historyAt", app.workspace.history().current()},
          {"allFlows", view.input().emphasis.show_all_arrows},
          {"arrows", shell.timeline().list().arrows.size()},
          {"litName", std::string(app.workspace.trace().text(shell.timeline().lit_name()))},
          {"focusedLink", view.input().emphasis.focused_to.valid()},
          {"matchTicks", shell.timeline().list().match_ticks.size()},
          {"gapsShown", view.input().emphasis.show_gaps},
          {"contentHeight", view.vertical().height},
          {"tracks",
           {{"x", place.tracks().x}, {"y", place.tracks().y}, {"width", place.width_px}, {"height", place.height_px}}}};
}

/// Of the allocations on the timeline: how many, and the middle of the widest.
StateJson allocation_marks_json(const TimelineDrawList& list) {
  StateJson json = {{"count", list.memory_marks.size()}};
  const DrawMemoryMark* widest = nullptr;
  for (const DrawMemoryMark& mark : list.memory_marks)
    if (widest == nullptr || mark.x1 - mark.x0 > widest->x1 - widest->x0) widest = &mark;
  if (widest != nullptr) json["widest"] = {(widest->x0 + widest->x1) / 2, (widest->y0 + widest->y1) / 2, widest->label};
  return json;
}

}  // namespace

StateJson span_json(TimeSpan span) {
  return {{"beginNs", span.begin}, {"endNs", span.end}};
}

void add_selection(StateJson& json, const App& app) {
  const Workspace& w = app.workspace;
  json["hasTrace"] = w.has_trace();
  json["selection"] = selection_json(app);
  json["area"] = w.area() ? span_json(*w.area()) : StateJson();
}

void add_timeline_state(StateJson& json, const App& app, const Shell& shell) {
  const Workspace& w = app.workspace;
  json["paths"] = w.document()->paths;
  json["span"] = span_json(w.trace().span());
  json["home"] = span_json(w.document()->home);
  json["events"] = w.trace().event_count();
  json["slices"] = w.trace().slice_count();
  json["hiddenSlices"] = {
      {"count", w.hidden_slice_count()}, {"categories", w.hidden().categories}, {"names", w.hidden().names}};
  json["keptTracks"] = w.view().kept_count();
  json["rows"] = shell.timeline().list().rows.size();
  json["contentHeight"] = w.view().vertical().height;
  json["view"] = view_json(app, shell);
  json["tracks"] = tracks_json(app, shell);
  json["markers"] = StateJson::array();
  for (const Marker& m : w.markers().all()) {
    StateJson marker = span_json(m.span);
    marker["note"] = m.note;
    marker["on"] = note_kind({m.span, {}, m.on});
    marker["number"] = m.number;
    json["markers"].push_back(marker);
  }
  json["temporary"] = w.markers().temporary() ? span_json(*w.markers().temporary()) : StateJson();
  json["chosenMarker"] = w.markers().chosen();
  json["foldsTime"] = w.folds_time();
  json["timeFolds"] = w.has_time_folds() ? w.view().input().view.time_folds->stretches().size() : 0;
  json["timeFolded"] = w.has_time_folds() ? w.view().input().view.time_folds->removed() : 0;
  json["hidesShortGaps"] = w.hides_short_gaps();
  json["drawnGaps"] = shell.timeline().list().gaps.size();
  json["pinnedGaps"] = shell.timeline().pinned_list().gaps.size();
  json["timeUnit"] = static_cast<int>(w.time_unit());
  json["viewText"] = w.time_text(w.view().visible().begin);
  json["steps"] = w.steps().size();
  json["stepsFrom"] = w.trace().steps_from();
  json["countedTracks"] = w.counted_tracks().size();
  json["drawsAllocations"] = app.draws_memory_marks();
  json["allocationMarks"] = allocation_marks_json(shell.timeline().list());
  json["queues"] = w.view().input().arrangement.extra_counters.size();
  json["links"] = w.link_count();
  json["arguments"] = shell.details().argument_count();
  json["argumentError"] = shell.details().argument_error();
  json["instants"] = instants_json(shell);
  json["visibleSlices"] = slices_json(app, shell);
}

}  // namespace lacuna
