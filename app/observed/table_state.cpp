#include "app/observed/state_parts.h"

namespace lacuna {
namespace {

StateJson statistics_json(const App& app) {
  const StatisticsView& table = app.workspace.table();
  StateJson json = {{"rows", table.rows().size()},
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

StateJson torch_json(const App& app) {
  const TorchView& view = app.workspace.torch();
  StateJson json = {{"rows", view.rows().size()},
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

StateJson compare_json(const App& app) {
  const DiffView& view = app.diff;
  StateJson json = {{"loading", view.is_loading()}, {"hasOther", view.has_other()},
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

StateJson causes_json(const App& app) {
  const Workspace& w = app.workspace;
  StateJson json = {{"known", w.causes().analysis() != nullptr},
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
      json["firstOperator"] =
          blamed_name(w.trace(), rankings->operators.front().level, rankings->operators.front().name);
      json["firstLostNs"] = rankings->operators.front().lost;
      json["firstPlaces"] = rankings->operators.front().places.size();
    }
  }
  return json;
}

}  // namespace

void add_table_state(StateJson& json, const App& app) {
  const Workspace& w = app.workspace;
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
}

}  // namespace lacuna
