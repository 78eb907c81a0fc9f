#include "app/gui/shell/test_hooks.h"

#include <algorithm>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "app/finding/write_file.h"
#include "app/gui/application/page_groups.h"
#include "app/gui/panels/live/live_bar.h"
#include "app/gui/panels/widgets/widgets.h"
#include "capture/session/exit_words.h"

namespace lacuna {
namespace {

using HookJson = nlohmann::json;

constexpr std::size_t kMostSlices = 60;
constexpr std::size_t kMostCopied = 4000;

HookJson span_json(TimeSpan span) {
  return {{"beginNs", span.begin}, {"endNs", span.end}};
}

HookJson selection_json(const App& app) {
  const Workspace& w = app.workspace;
  if (!w.has_trace() || w.selection().empty()) return {{"kind", "none"}};
  if (w.selection().slice.valid()) {
    const SliceId s = w.selection().slice;
    HookJson json = span_json(w.trace().span(s));
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
  HookJson json = span_json({gap.start, gap.end});
  json["kind"] = "gap";
  json["wholeGpu"] = w.selection().on_device.valid();
  json["stream"] = ref.stream;
  json["gap"] = ref.gap;
  return json;
}

HookJson statistics_json(const App& app) {
  const StatisticsView& table = app.workspace.table();
  HookJson json = {{"rows", table.rows().size()},
                   {"events", table.events()},
                   {"filter", table.filter},
                   {"descending", table.descending},
                   {"column", static_cast<int>(table.column)},
                   {"version", app.workspace.statistics_version()},
                   {"cpuSelfNs", app.workspace.statistics().cpu_self},
                   {"gpuTotalNs", app.workspace.statistics().gpu_total},
                   {"computing", app.is_computing()}};
  if (!table.rows().empty() && app.workspace.has_trace()) {
    const StatisticsRow& first = table.sorted().rows[table.rows().front()];
    json["firstName"] = std::string(app.workspace.trace().text(first.name));
    json["firstTotalNs"] = first.total;
    json["firstCategory"] = std::string(app.workspace.trace().category_name(first.category));
  }
  return json;
}

HookJson torch_json(const App& app) {
  const TorchView& view = app.workspace.torch();
  HookJson json = {{"rows", view.rows().size()},
                   {"covered", view.covered},
                   {"byShape", view.options.by_shape},
                   {"sort", static_cast<int>(view.sort)},
                   {"error", view.error()}};
  if (view.table() != nullptr && !view.rows().empty()) {
    const TorchRow& first = view.table()->rows[view.rows().front()];
    json["firstName"] = first.name;
    json["firstCount"] = first.count;
    json["device"] = view.table()->device_name;
  }
  return json;
}

HookJson compare_json(const App& app) {
  const DiffView& view = app.diff;
  HookJson json = {{"loading", view.is_loading()}, {"hasOther", view.has_other()},
                   {"split", view.is_split()},     {"titleA", app.title()},
                   {"titleB", view.title()},       {"locked", view.is_locked},
                   {"offsetNs", view.offset()},    {"rows", view.rows().size()},
                   {"error", view.error()},        {"places", view.structure.visible().size()}};
  if (view.has_other()) {
    const TimelineView& other = view.other().view();
    json["camera"] = span_json(other.visible());
    json["nsPerPx"] = other.camera().ns_per_px();
    json["selected"] = view.other().selection().slice.valid();
  }
  return json;
}

HookJson causes_json(const App& app) {
  const Workspace& w = app.workspace;
  HookJson json = {{"known", w.causes().analysis() != nullptr},
                   {"route", w.route().size()},
                   {"routeAt", w.route().find(w.selection().gap)}};
  if (const CauseAnalysis* analysis = w.causes().analysis()) {
    std::size_t judged = 0;
    for (const SharedVector<GapDiagnosis>& stream : analysis->by_stream) judged += stream.size();
    json["judged"] = judged;
    json["growing"] = analysis->is_growing;
  }
  if (const GapDiagnosis* diagnosis = w.causes().diagnosis(
          w.selection().on_device.valid() ? GapKey(w.selection().on_device) : GapKey(w.selection().gap)))
    json["selected"] = std::string(cause_key(diagnosis->cause));
  if (const GapRankings* rankings = w.causes().rankings()) {
    json["idleNs"] = rankings->idle;
    json["causes"] = rankings->causes.size();
    json["operators"] = rankings->operators.size();
    if (!rankings->operators.empty()) {
      json["firstOperator"] = blamed_name(w.trace(), rankings->operators.front());
      json["firstLostNs"] = rankings->operators.front().lost;
      json["firstPlaces"] = rankings->operators.front().places.size();
    }
  }
  return json;
}

/// The widest slices on the screen with their place, so that a test knows where to click.
HookJson slices_json(const App& app, const Shell& shell) {
  std::vector<const DrawSlice*> widest;
  for (const DrawSlice& s : shell.timeline().list().slices) {
    if (s.folded == 1 && s.has_label) widest.push_back(&s);
  }
  std::sort(widest.begin(), widest.end(),
            [](const DrawSlice* a, const DrawSlice* b) { return a->x1 - a->x0 > b->x1 - b->x0; });
  if (widest.size() > kMostSlices) widest.resize(kMostSlices);
  HookJson list = HookJson::array();
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
HookJson instants_json(const Shell& shell) {
  HookJson list = HookJson::array();
  const ImVec2 at = shell.timeline().place().tracks();
  for (const DrawInstant& i : shell.timeline().list().instants)
    if (i.folded == 1 && list.size() < 20) list.push_back({at.x + i.x, at.y + (i.y0 + i.y1) / 2});
  return list;
}

HookJson live_json(const App& app, const Shell& shell) {
  const LiveView& live = app.live;
  HookJson json = {{"dialog", shell.launch_dialog().is_open()},
                   {"saveDialog", shell.save_dialog().is_open()},
                   {"dialogFailure", shell.launch_dialog().failure()},
                   {"command", shell.launch_dialog().form().command},
                   {"recording", live.has_recording()},
                   {"running", live.is_running()},
                   {"paused", live.is_paused()},
                   {"following", app.workspace.view().is_following()},
                   {"own", live.is_own()},
                   {"unsaved", live.is_unsaved()},
                   {"saving", live.is_saving()},
                   {"savedPath", live.saved_path()},
                   {"oldRecordings", app.old_recordings.size()},
                   {"jobsDialog", shell.jobs_dialog().is_open()},
                   {"attachDialog", shell.attach_dialog().is_open()},
                   {"connectDialog", shell.connect_dialog().is_open()},
                   {"place", live.place()},
                   {"takingTraces", app.running_jobs.is_taking()}};
  json["jobs"] = HookJson::array();
  for (const RunningJob& job : app.running_jobs.jobs()) json["jobs"].push_back(job.pid);
  if (!live.has_recording()) return json;
  const LiveSource::Status status = live.status();
  json["pid"] = status.pid;
  json["events"] = status.events;
  json["forgotten"] = status.forgotten;
  json["dropped"] = status.capture.dropped;
  json["exit"] = status.exit ? exit_in_words(*status.exit, status.signal) : "";
  json["state"] = live_state(live);
  json["cut"] = status.is_cut;
  json["diskBytes"] = live.memory().disk_bytes;
  json["lateNs"] = status.late;
  json["overlay"] = shell.timeline().live_overlay().drawn();
  const std::string console = live.console().text();
  json["console"] = console.substr(console.size() - std::min(console.size(), kMostCopied));
  return json;
}

/// Titles as they lie on the screen, and what became of the others.
HookJson tracks_json(const App& app, const Shell& shell) {
  const TimelineView& view = app.workspace.view();
  const TrackArrangement& tracks = view.arrangement();
  const TimelinePlace& place = shell.timeline().place();
  HookJson headers = HookJson::array();
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

HookJson view_json(const App& app, const Shell& shell) {
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

/// GPU work behind the selected slice or the highlighted row.
HookJson work_json(const LaunchedWorkView& view) {
  HookJson json = {{"computing", view.is_computing()}, {"count", 0}};
  const auto answer = view.answer();
  if (answer == nullptr) return json;
  const LaunchedWork& work = answer->work;
  const LaunchSites& sites = answer->sites;
  json["count"] = work.count;
  json["timeNs"] = work.time;
  json["names"] = work.kernels.size();
  json["activities"] = sites.count;
  json["operators"] = sites.operators.size();
  return json;
}

HookJson calls_json(const App& app) {
  const CallView& calls = app.calls;
  HookJson json = {{"computing", calls.is_computing()},
                   {"nodes", 0},
                   {"metric", static_cast<int>(calls.metric)},
                   {"bottomUp", calls.bottom_up},
                   {"filter", calls.filter},
                   {"places", calls.has_places()}};
  if (calls.tree() == nullptr) return json;
  const CallTree& tree = *calls.tree();
  const Trace& trace = calls.document()->trace;
  json["nodes"] = tree.nodes.size();
  json["totalNs"] = tree.root().total;
  json["rows"] = calls.rows().size();
  json["zoomed"] = call_label(trace, tree.nodes[calls.zoomed()].key);
  json["chosen"] =
      calls.chosen() && *calls.chosen() < tree.nodes.size() ? call_label(trace, tree.nodes[*calls.chosen()].key) : "";
  json["found"] = calls.match_count();
  return json;
}

HookJson sql_json(const App& app) {
  const QueryView& query = app.query;
  HookJson json = {{"text", query.text},
                   {"editing", app.observed.sql_editing && app.ui.page == DrawerPage::kQuery},
                   {"computing", query.is_computing()},
                   {"answers", query.answer_count()},
                   {"plot", query.plot.is_shown}};
  json["onTimeline"] = HookJson::array();
  for (const QueryView::Shown& shown : query.shown())
    json["onTimeline"].push_back({{"title", shown.title},
                                  {"marks", shown.track.kind == ResultTrack::Kind::kMarks},
                                  {"items", shown.track.items},
                                  {"lanes", shown.track.lanes.size()}});
  if (query.answer() == nullptr) return json;
  const QueryView::Answer& answer = *query.answer();
  json["rows"] = answer.count;
  json["error"] = answer.error;
  json["errorOffset"] = answer.error_offset ? static_cast<std::int64_t>(*answer.error_offset) : -1;
  json["cancelled"] = answer.is_cancelled;
  if (!query.order().empty()) json["first"] = cell_text(answer.rows.cell(query.order().front(), 0));
  return json;
}

HookJson path_json(const App& app, const Shell& shell) {
  const PathView& path = app.path;
  HookJson json = {{"drawn", path.is_drawn},
                   {"computing", path.is_computing()},
                   {"bars", shell.timeline().list().path_bars.size() + shell.timeline().pinned_list().path_bars.size()},
                   {"links", shell.timeline().list().path_links.size()},
                   {"rows", 0}};
  std::size_t dimmed = 0;
  for (const DrawSlice& s : shell.timeline().list().slices) dimmed += s.is_dimmed ? 1 : 0;
  json["dimmed"] = dimmed;
  if (path.answer() == nullptr) return json;
  Nanos sum = 0;
  for (const PathRow& row : path.answer()->rows) sum += row.time;
  json["rows"] = path.rows().size();
  json["wallNs"] = path.answer()->wall();
  json["sumNs"] = sum;
  json["hasSlack"] = path.answer()->has_slack;
  if (!path.rows().empty())
    json["firstName"] =
        std::string(path_name(path.answer()->document->trace, path.answer()->rows[path.rows().front()]));
  return json;
}

HookJson what_if_json(const App& app) {
  const WhatIfView& view = app.what_if;
  HookJson json = {{"computing", view.is_computing()}, {"ranking", 0}};
  json["changes"] = HookJson::array();
  for (const WhatIfChange& change : view.changes()) json["changes"].push_back(what_if_text(change));
  if (view.answer() == nullptr) return json;
  json["ranking"] = view.answer()->ranking.size();
  json["error"] = view.answer()->error;
  json["measuredNs"] = view.answer()->prediction.measured;
  json["replayedNs"] = view.answer()->prediction.replayed;
  json["predictedNs"] = view.answer()->prediction.predicted;
  json["predictedWith"] = view.answer()->changes.size();
  if (!view.answer()->ranking.empty()) json["firstGainNs"] = view.answer()->ranking.front().gain;
  return json;
}

HookJson roofline_json(const App& app) {
  const RooflineView& view = app.roofline;
  HookJson json = {{"computing", view.is_computing()}, {"rows", view.rows().size()}, {"chosen", -1}};
  if (view.chosen) json["chosen"] = *view.chosen;
  if (view.answer() == nullptr) return json;
  const RooflineView::Answer& answer = *view.answer();
  json["error"] = answer.error;
  json["dots"] = answer.plot.dots.size();
  json["roofs"] = answer.plot.roofs.size();
  json["modelledNs"] = answer.roofline.modelled_time;
  if (view.rows().empty()) return json;
  const RooflineRow& first = answer.roofline.rows[view.rows().front()];
  json["first"] = {{"row", view.rows().front()},
                   {"operator", std::string(answer.document->trace.text(first.name))},
                   {"gpuTimeNs", first.gpu_time},
                   {"bound", roofline_bound_key(first.bound)}};
  return json;
}

/// Of the allocations on the timeline: how many, and the middle of the widest.
HookJson allocation_marks_json(const TimelineDrawList& list) {
  HookJson json = {{"count", list.memory_marks.size()}};
  const DrawMemoryMark* widest = nullptr;
  for (const DrawMemoryMark& mark : list.memory_marks)
    if (widest == nullptr || mark.x1 - mark.x0 > widest->x1 - widest->x0) widest = &mark;
  if (widest != nullptr) json["widest"] = {(widest->x0 + widest->x1) / 2, (widest->y0 + widest->y1) / 2, widest->label};
  return json;
}

HookJson memory_json(const App& app) {
  const MemoryView& memory = app.memory;
  HookJson json = {{"computing", memory.is_computing()},
                   {"shows", static_cast<int>(memory.shows)},
                   {"by", static_cast<int>(memory.by())},
                   {"moment", memory.moment()},
                   {"chosen", memory.has_chosen_moment()},
                   {"piece", memory.chosen_piece.has_value()},
                   {"area", memory.only_area.has_value()},
                   {"devices", memory.histories() == nullptr ? 0 : memory.histories()->devices.size()}};
  const MemoryHistory* device = memory.device();
  if (device == nullptr || device->table.active.empty()) return json;
  json["pieces"] = device->has_pieces();
  json["activeBytes"] = device->table.active[memory.moment()];
  json["peakBytes"] = device->table.active[device->table.peak()];
  if (memory.at_moment() != nullptr) {
    json["live"] = memory.at_moment()->live.size();
    json["liveMoment"] = memory.at_moment()->moment;
    json["segments"] = memory.at_moment()->segments.size();
    json["frames"] = memory.at_moment()->tree.nodes.size();
  }
  if (memory.areas() != nullptr) json["areas"] = memory.areas()->areas.size();
  return json;
}

HookJson answers_json(const App& app, const RemoteAnswers& answers) {
  HookJson json = {{"isAnswered", app.workspace.is_answered()}, {"isWhole", answers.is_whole},
                   {"rowsLeftOut", answers.rows_left_out},      {"hasGaps", answers.has_gaps},
                   {"gapsLeftOut", answers.gaps_left_out},      {"gaps", HookJson::array()}};
  for (const RemoteGap& gap : answers.gaps)
    json["gaps"].push_back({{"durationNs", gap.span.duration()}, {"cause", cause_key(gap.cause)}, {"why", gap.why}});
  if (answers.slice) {
    json["links"] = HookJson::array();
    for (const RemoteLink& link : answers.slice->links) json["links"].push_back(link.name);
  }
  if (answers.gap) json["gap"] = answers.gap->why;
  return json;
}

}  // namespace

TestHooks::TestHooks(int window) {
  if (const char* path = std::getenv("LACUNA_TEST_STATE"); path != nullptr) path_ = path;
  if (!path_.empty() && window > 0) path_ += "." + std::to_string(window);
  only_probes_ = std::getenv("LACUNA_TEST_STATE_ON_PROBE") != nullptr;
}

std::string describe_state(const App& app, const Shell& shell) {
  const Workspace& w = app.workspace;
  constexpr const char* kGapsViews[] = {"list", "causes", "operators", "dead"};
  HookJson json = {{"loading", app.loader.is_loading()},
                   {"previewing", app.is_previewing()},
                   {"hasTrace", w.has_trace()},
                   {"animating", app.is_moving()},
                   {"clocks", static_cast<int>(app.clocks())},
                   {"error", app.ui.error},
                   {"notice", app.ui.notice},
                   {"exportOpen", shell.is_exporting()},
                   {"probes", app.observed.probes},
                   {"places", app.observed.places},
                   {"hovered", app.observed.hovered},
                   {"tooltip", shows_tooltip()},
                   {"menu", shell.keyboard_menu()},
                   {"page", page_key(app.ui.page)},
                   {"torchTable", app.ui.torch_table},
                   {"gapsView", kGapsViews[static_cast<int>(app.ui.gaps_view)]},
                   {"copied", app.observed.copied.substr(0, kMostCopied)},
                   {"hiddenColumns", app.settings.hidden_columns},
                   {"detailsTitle", app.observed.details_title},
                   {"kernelSentence", app.observed.kernel_sentence},
                   {"notes", app.observed.notes},
                   {"seen", app.observed.seen},
                   {"idleOpen", app.ui.idle_open},
                   {"idleFiguresNs", app.observed.idle_figures},
                   {"drawerOpen", app.ui.drawer_open},
                   {"drawerMaximised", app.ui.drawer_maximised},
                   {"parts",
                    {{"drawer", app.settings.drawer_part},
                     {"details", app.settings.details_part},
                     {"report", app.settings.report_part},
                     {"headerPx", app.settings.header_px}}},
                   {"shortcutsOpen", app.ui.shortcuts_open},
                   {"sheetScrolled", app.observed.sheet_scrolled},
                   {"fileBrowserOpen", app.observed.file_browser_open},
                   {"desktopDialogOpen", app.observed.desktop_dialog_open},
                   {"filterFocused", app.observed.filter_focused},
                   {"lightTheme", app.settings.light_theme},
                   {"uiScale", app.settings.ui_scale},
                   {"recent", app.settings.recent},
                   {"selection", selection_json(app)}};
  constexpr const char* kModes[] = {"search", "commands", "tracks"};
  json["omnibox"] = {{"mode", kModes[static_cast<int>(app.ui.omnibox.mode)]},
                     {"focused", app.ui.omnibox.is_focused},
                     {"text", app.ui.omnibox.text},
                     {"rows", app.ui.omnibox.rows},
                     {"chosen", app.ui.omnibox.chosen},
                     {"list", app.ui.omnibox.shows_list},
                     {"message", app.ui.omnibox.message}};
  const FileBrowser& browser = shell.file_browser();
  json["browser"] = {{"title", browser.title()},   {"folder", browser.folder()},  {"typed", browser.typed()},
                     {"chosen", browser.chosen()}, {"rows", browser.row_count()}, {"problem", browser.problem()}};
  const bool has_job = app.job.answer() != nullptr && app.job.answer()->error.empty();
  json["job"] = {
      {"files", app.job.files()},
      {"ranks", has_job ? app.job.answer()->job.ranks.size() : 0},
      {"error", app.job.answer() == nullptr ? std::string() : app.job.answer()->error},
      {"compared", app.job.comparison() == nullptr        ? -1
                   : !app.job.comparison()->error.empty() ? 0
                                                          : static_cast<int>(app.job.comparison()->both.b.ranks)}};
  const RemoteView& remote = shell.connect_dialog().view();
  json["connect"] = {{"problem", remote.problem()},
                     {"busy", remote.is_busy()},
                     {"entries", HookJson::array()},
                     {"jobs", HookJson::array()}};
  if (remote.jobs() != nullptr)
    for (const FarJob& job : *remote.jobs()) json["connect"]["jobs"].push_back({{"pid", job.pid}, {"kind", job.kind}});
  if (remote.listing() != nullptr)
    for (const RemoteEntry& entry : remote.listing()->entries) json["connect"]["entries"].push_back(entry.name);
  if (app.remote() != nullptr) {
    const RemoteOpening::State there = app.remote()->state();
    json["there"] = {{"pictures", there.view.pictures},     {"asking", there.view.is_asking},
                     {"bytes", there.view.bytes},           {"lastBytes", there.view.last_bytes},
                     {"lastNs", there.view.last_ns},        {"lastThereNs", there.view.last_there_ns},
                     {"fetched", there.step.bytes},         {"total", there.step.total},
                     {"isFetched", there.is_fetched},       {"words", app.remote()->view_words()},
                     {"whyNoAnswer", app.ui.why_no_answer}, {"fetchWords", app.remote()->fetch_words()}};
  }
  json["thinned"] = w.has_trace() && w.document()->is_thinned;
  if (w.has_trace() && w.document()->answers != nullptr) json["answers"] = answers_json(app, *w.document()->answers);
  json["title"] = app.title();
  json["aboutOpen"] = app.ui.about_open;
  json["glossaryOpen"] = app.ui.glossary_open;
  json["gpuFirst"] = app.settings.gpu_first;
  json["gpuStays"] = app.settings.gpu_stays;
  json["squeezeFrames"] = app.settings.squeeze_frames;
  json["colourByClass"] = app.settings.colour_by_class;
  json["headline"] = app.settings.headline;
  json["headlineText"] = app.observed.headline;
  json["reportRight"] = app.settings.report_right;
  json["reportOpen"] = app.ui.report_open;
  json["legendClasses"] = app.observed.legend_classes;
  json["tour"] = app.ui.tour_step;
  json["fullscreen"] = app.observed.is_fullscreen;
  json["settingsWarnings"] = app.ui.settings_warnings;
  json["live"] = live_json(app, shell);
  json["area"] = w.area() ? span_json(*w.area()) : HookJson();
  if (w.has_trace()) {
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
    json["markers"] = HookJson::array();
    for (const Marker& m : w.markers().all()) {
      HookJson marker = span_json(m.span);
      marker["note"] = m.note;
      marker["on"] = note_kind({m.span, {}, m.on});
      marker["number"] = m.number;
      json["markers"].push_back(marker);
    }
    json["temporary"] = w.markers().temporary() ? span_json(*w.markers().temporary()) : HookJson();
    json["chosenMarker"] = w.markers().chosen();
    json["foldsTime"] = w.folds_time();
    json["timeFolds"] = w.has_time_folds() ? w.view().input().view.time_folds->stretches().size() : 0;
    json["timeFolded"] = w.has_time_folds() ? w.view().input().view.time_folds->removed() : 0;
    json["hidesShortGaps"] = w.hides_short_gaps();
    json["drawnGaps"] = shell.timeline().list().gaps.size();
    json["pinnedGaps"] = shell.timeline().pinned_list().gaps.size();
    json["timeUnit"] = static_cast<int>(w.time_unit());
    json["viewText"] = w.time_text(w.view().visible().begin);
    json["statistics"] = statistics_json(app);
    json["gaps"] = {{"rows", w.gaps().rows().size()},
                    {"minNs", w.min_gap()},
                    {"idleNs", w.gaps().total()},
                    {"leftOutNs", w.gaps().left_out().time},
                    {"leftOut", w.gaps().left_out().gaps}};
    json["torch"] = torch_json(app);
    json["causes"] = causes_json(app);
    json["report"] = app.report.files() == nullptr ? 0 : app.report.files()->size();
    json["compare"] = compare_json(app);
    json["steps"] = w.steps().size();
    json["stepsFrom"] = w.has_trace() ? w.trace().steps_from() : std::string();
    json["countedTracks"] = w.counted_tracks().size();
    json["drawsAllocations"] = app.draws_memory_marks();
    json["allocationMarks"] = allocation_marks_json(shell.timeline().list());
    json["queues"] = w.view().input().arrangement.extra_counters.size();
    json["histogram"] = {{"bins", w.occurrences().histogram().bins.size()},
                         {"modes", w.occurrences().histogram().modes.size()},
                         {"restricted", w.occurrences().durations().has_value()}};
    json["occurrences"] = {
        {"count", w.occurrences().size()},
        {"current", w.occurrences().current() ? static_cast<std::int64_t>(*w.occurrences().current()) : -1}};
    const Search& search = w.search();
    json["search"] = {
        {"text", search.text()},
        {"count", search.count() ? static_cast<std::int64_t>(*search.count()) : -1},
        {"found", search.matches() == nullptr ? -1 : static_cast<std::int64_t>(search.matches()->order.size())},
        {"computing", search.is_computing()},
        {"problems", search.query().problems},
        {"current", search.current() ? static_cast<std::int64_t>(*search.current()) : -1}};
    json["links"] = w.link_count();
    json["calls"] = calls_json(app);
    json["sql"] = sql_json(app);
    json["path"] = path_json(app, shell);
    json["whatIf"] = what_if_json(app);
    json["roofline"] = roofline_json(app);
    json["memory"] = memory_json(app);
    json["sliceWork"] = work_json(w.slice_work());
    json["rowWork"] = work_json(w.row_work());
    json["arguments"] = shell.details().argument_count();
    json["argumentError"] = shell.details().argument_error();
    json["instants"] = instants_json(shell);
    json["visibleSlices"] = slices_json(app, shell);
  }
  return json.dump(1, ' ', false, HookJson::error_handler_t::replace);
}

void TestHooks::before_frame(App& app) const {
  if (!is_active()) return;
  app.observed.seen.clear();
  keep_seen_texts(&app.observed.seen);
}

void TestHooks::after_frame(const App& app, const Shell& shell) {
  if (!is_active()) return;
  ++frames_;
  // Where frames are counted, describing the state must not be what they spend their time on.
  if (only_probes_ && app.observed.probes == probes_) return;
  probes_ = app.observed.probes;
  std::string now = describe_state(app, shell);
  if (only_probes_) now.insert(1, "\"frames\": " + std::to_string(frames_) + ",");
  if (now == last_) return;
  // A test that cannot read its state fails by itself; there is nobody to tell here.
  if (write_file_atomically(path_, now)) last_ = std::move(now);
}

}  // namespace lacuna
