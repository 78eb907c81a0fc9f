#include "app/observed/state_parts.h"

namespace lacuna {
namespace {

/// GPU work behind the selected slice or the highlighted row.
StateJson work_json(const LaunchedWorkView& view) {
  StateJson json = {{"computing", view.is_computing()}, {"count", 0}};
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

StateJson calls_json(const App& app) {
  const CallView& calls = app.calls;
  StateJson json = {{"computing", calls.is_computing()},
                    {"nodes", 0},
                    {"metric", static_cast<int>(calls.metric)},
                    {"bottomUp", calls.bottom_up},
                    {"filter", calls.filter},
                    {"places", calls.has_places()}};
  if (calls.tree() == nullptr) return json;
  const CallTree& tree = *calls.tree();
  json["nodes"] = tree.nodes.size();
  json["totalNs"] = tree.root().total;
  json["rows"] = calls.rows().size();
  json["zoomed"] = call_label(calls.names(), tree.nodes[calls.zoomed()].key);
  json["chosen"] = calls.chosen() && *calls.chosen() < tree.nodes.size()
                       ? call_label(calls.names(), tree.nodes[*calls.chosen()].key)
                       : "";
  json["found"] = calls.match_count();
  return json;
}

StateJson sql_json(const App& app) {
  const QueryView& query = app.query;
  StateJson json = {{"text", query.text},
                    {"editing", app.observed.sql_editing && app.ui.page == DrawerPage::kQuery},
                    {"computing", query.is_computing()},
                    {"answers", query.answer_count()},
                    {"plot", query.plot.is_shown}};
  json["onTimeline"] = StateJson::array();
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

StateJson path_json(const App& app, const Shell& shell) {
  const PathView& path = app.path;
  StateJson json = {
      {"drawn", path.is_drawn},
      {"computing", path.is_computing()},
      {"bars", shell.timeline().list().path_bars.size() + shell.timeline().pinned_list().path_bars.size()},
      {"links", shell.timeline().list().path_links.size()},
      {"rows", 0}};
  std::size_t dimmed = 0;
  for (const DrawSlice& s : shell.timeline().list().slices) dimmed += s.is_dimmed ? 1 : 0;
  json["dimmed"] = dimmed;
  if (path.answer() == nullptr) return json;
  Nanos sum = 0;
  for (const DescribedPath::Row& row : path.answer()->table->rows) sum += row.time;
  json["rows"] = path.rows().size();
  json["wallNs"] = path.answer()->table->wall;
  json["sumNs"] = sum;
  json["hasSlack"] = path.answer()->has_slack;
  if (!path.rows().empty()) json["firstName"] = path.answer()->table->rows[path.rows().front()].name;
  return json;
}

StateJson what_if_json(const App& app) {
  const WhatIfView& view = app.what_if;
  StateJson json = {{"computing", view.is_computing()}, {"ranking", 0}};
  json["changes"] = StateJson::array();
  for (const WhatIfChange& change : view.changes()) json["changes"].push_back(what_if_text(change));
  if (view.answer() == nullptr) return json;
  json["ranking"] = view.answer()->table.ranking.size();
  json["error"] = view.answer()->table.error;
  json["measuredNs"] = view.answer()->table.prediction.measured;
  json["replayedNs"] = view.answer()->table.prediction.replayed;
  json["predictedNs"] = view.answer()->table.prediction.predicted;
  json["predictedWith"] = view.answer()->changes.size();
  if (!view.answer()->table.ranking.empty()) json["firstGainNs"] = view.answer()->table.ranking.front().gain;
  return json;
}

StateJson roofline_json(const App& app) {
  const RooflineView& view = app.roofline;
  StateJson json = {{"computing", view.is_computing()}, {"rows", view.rows().size()}, {"chosen", -1}};
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
                   {"operator", first.name},
                   {"gpuTimeNs", first.gpu_time},
                   {"bound", roofline_bound_key(first.bound)}};
  return json;
}

StateJson memory_json(const App& app) {
  const MemoryView& memory = app.memory;
  StateJson json = {{"computing", memory.is_computing()},
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

}  // namespace

void add_analysis_state(StateJson& json, const App& app, const Shell& shell) {
  json["calls"] = calls_json(app);
  json["sql"] = sql_json(app);
  json["path"] = path_json(app, shell);
  json["whatIf"] = what_if_json(app);
  json["roofline"] = roofline_json(app);
  json["memory"] = memory_json(app);
  json["sliceWork"] = work_json(app.workspace.slice_work());
  json["rowWork"] = work_json(app.workspace.row_work());
}

}  // namespace lacuna
