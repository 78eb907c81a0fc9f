// What a side-car says, as JSON.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/cut/json_text.h"
#include "app/finding/finding_view.h"
#include "app/finding/notes.h"
#include "app/gui/workspace/side_car.h"
#include "app/gui/workspace/workspace.h"
#include "model/gaps/beside_gpu.h"

namespace lacuna {
namespace {

using TextJson = nlohmann::json;

constexpr int kVersion = 1;

std::string dump(const TextJson& json) {
  return json.dump(-1, ' ', false, TextJson::error_handler_t::replace);
}

/// Names a process in every load of the same files: ids of the model may differ with what was skipped.
TextJson key_of(const Trace& trace, const Process& p) {
  TextJson key = TextJson::array({p.source.value, std::string(trace.text(p.pid))});
  if (is_beside_gpu(trace, p)) key.push_back("cpu");
  return key;
}

/// As SameTracks tells tracks apart.
TextJson key_of(const Trace& trace, const Track& t) {
  const bool by_name = !traits_of(t.kind).has_tid;
  TextJson key = key_of(trace, trace.process(t.process));
  key.push_back(static_cast<int>(t.kind));
  key.push_back(std::string(trace.text(by_name ? t.name : t.tid)));
  key.push_back(std::string(trace.text(t.device)));
  key.push_back(std::string(trace.text(t.stream)));
  return key;
}

const TextJson* member(const TextJson& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

/// Ids of one trace by their keys.
class Lookup {
 public:
  explicit Lookup(const Trace& trace) {
    for (const Track& t : trace.tracks()) tracks_.try_emplace(dump(key_of(trace, t)), t.id);
    for (const Process& p : trace.processes()) processes_.try_emplace(dump(key_of(trace, p)), p.id);
  }
  std::vector<TrackId> tracks(const TextJson& json, const char* name) const { return find(json, name, tracks_); }
  std::vector<ProcessId> processes(const TextJson& json, const char* name) const {
    return find(json, name, processes_);
  }
  TrackId track(const TextJson& key) const {
    const auto found = tracks_.find(dump(key));
    return found == tracks_.end() ? TrackId{} : found->second;
  }

 private:
  template <class Id>
  static std::vector<Id> find(const TextJson& json, const char* name, const std::map<std::string, Id>& in) {
    std::vector<Id> ids;
    const TextJson* list = member(json, name);
    if (list == nullptr || !list->is_array()) return ids;
    for (const TextJson& key : *list)
      if (const auto found = in.find(dump(key)); found != in.end()) ids.push_back(found->second);
    return ids;
  }
  std::map<std::string, TrackId> tracks_;
  std::map<std::string, ProcessId> processes_;
};

TextJson kept_tracks_json(const Workspace& workspace) {
  const TimelineView& view = workspace.view();
  const TrackArrangement& tracks = view.arrangement();
  const Trace& trace = workspace.trace();
  TextJson pinned = TextJson::array(), hidden = TextJson::array(), collapsed = TextJson::array(),
           heights = TextJson::array();
  for (const TrackId id : tracks.pins()) pinned.push_back(key_of(trace, trace.track(id)));
  for (const Track& t : trace.tracks()) {
    if (tracks.is_hidden(t.id)) hidden.push_back(key_of(trace, t));
    if (view.is_collapsed(t.id)) collapsed.push_back(key_of(trace, t));
    if (tracks.row_scale(t.id) != 1)
      heights.push_back({{"track", key_of(trace, t)}, {"scale", tracks.row_scale(t.id)}});
  }
  TextJson closed = TextJson::array(), process_order = TextJson::array(), track_order = TextJson::array();
  for (const Process& p : trace.processes())
    if (view.is_collapsed(p.id)) closed.push_back(key_of(trace, p));
  for (const ProcessId id : tracks.process_order()) process_order.push_back(key_of(trace, trace.process(id)));
  if (tracks.has_own_order()) {
    for (const Process& p : trace.processes()) {
      const std::vector<TrackId> order = tracks.order_of(p);
      if (order == p.tracks) continue;
      for (const TrackId id : order) track_order.push_back(key_of(trace, trace.track(id)));
    }
  }
  return {{"pinned", pinned},
          {"hidden", hidden},
          {"collapsed", collapsed},
          {"heights", heights},
          {"collapsedProcesses", closed},
          {"processOrder", process_order},
          {"trackOrder", track_order},
          {"grouping", static_cast<int>(tracks.grouping())}};
}

void apply_tracks(const TextJson& json, Workspace& workspace) {
  TimelineView& view = workspace.view();
  const Lookup lookup(workspace.trace());
  for (const TrackId id : lookup.tracks(json, "collapsed")) view.set_collapsed(id, true);
  for (const ProcessId id : lookup.processes(json, "collapsedProcesses")) view.set_collapsed(id, true);
  view.arrange([&](TrackArrangement& tracks) {
    for (const TrackId id : lookup.tracks(json, "pinned")) tracks.set_pinned(id, true);
    for (const TrackId id : lookup.tracks(json, "hidden")) tracks.set_hidden(id, true);
    if (const std::vector<TrackId> order = lookup.tracks(json, "trackOrder"); !order.empty())
      tracks.set_track_order(order);
    tracks.set_process_order(lookup.processes(json, "processOrder"));
    if (const TextJson* grouping = member(json, "grouping"); grouping != nullptr && grouping->is_number_integer()) {
      const auto value = grouping->get<std::int64_t>();
      if (value >= 0 && value <= 2) tracks.set_grouping(static_cast<TrackGrouping>(value));
    }
    const TextJson* heights = member(json, "heights");
    if (heights == nullptr || !heights->is_array()) return;
    for (const TextJson& height : *heights) {
      if (!height.is_object()) continue;
      const TextJson* key = member(height, "track");
      const TextJson* scale = member(height, "scale");
      if (key == nullptr || scale == nullptr || !scale->is_number()) continue;
      const double value = scale->get<double>();
      if (std::isfinite(value)) tracks.set_row_scale(lookup.track(*key), static_cast<float>(value));
    }
  });
}

/// The track at the top of the view, and how much of it is above.
TextJson top_json(const Workspace& workspace) {
  const TimelineView& view = workspace.view();
  for (const TrackPlace& place : view.vertical().tracks) {
    if (place.is_extra() || place.y1 <= view.scroll_y() || place.y1 <= place.y0) continue;
    const float above = (view.scroll_y() - place.y0) / (place.y1 - place.y0);
    return {{"track", key_of(workspace.trace(), workspace.trace().track(place.track))}, {"above", above}};
  }
  return {};
}

void apply_top(const TextJson& json, Workspace& workspace) {
  const TextJson* key = member(json, "track");
  const TextJson* above = member(json, "above");
  if (key == nullptr || above == nullptr || !above->is_number()) return;
  const TrackId track = Lookup(workspace.trace()).track(*key);
  const TrackPlace* place = track.valid() ? workspace.view().vertical().find(track) : nullptr;
  const double part = above->get<double>();
  if (place == nullptr || !std::isfinite(part)) return;
  workspace.view().scroll_to(place->y0 + static_cast<float>(std::clamp(part, -20.0, 1.0)) * (place->y1 - place->y0));
}

TextJson hidden_json(const HiddenNames& hidden) {
  return {{"categories", hidden.categories}, {"names", hidden.names}};
}

HiddenNames parse_hidden(const TextJson& json) {
  const auto texts = [&](const char* name) {
    std::vector<std::string> list;
    const TextJson* found = member(json, name);
    if (found == nullptr || !found->is_array()) return list;
    for (const TextJson& text : *found)
      if (text.is_string()) list.push_back(text.get<std::string>());
    return list;
  };
  return {texts("categories"), texts("names")};
}

TextJson side_car_json(const Workspace& workspace) {
  TextJson json = {{"version", kVersion}, {"files", workspace.document()->paths}};
  json["tracks"] = kept_tracks_json(workspace);
  if (!workspace.hidden().empty()) json["hiddenSlices"] = hidden_json(workspace.hidden());
  if (!workspace.steps_from().empty()) json["stepsFrom"] = workspace.steps_from();
  json["markers"] = notes_to_json(workspace.markers().notes());
  return json;
}

std::string written(const TextJson& json) {
  return json.dump(1, ' ', false, TextJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string format_finding(const Workspace& workspace, std::string_view page) {
  if (!workspace.has_trace()) return {};
  TextJson json = side_car_json(workspace);
  if (const auto note = workspace.selection_as_note(); note && note->on != NoteOn::kTime)
    json["selection"] = notes_to_json(std::span(&*note, 1));
  if (TextJson top = top_json(workspace); !top.is_null()) json["top"] = std::move(top);
  if (!page.empty()) json["page"] = page;
  return with_finding_times(written(json), {workspace.view().visible(), workspace.area()});
}

std::string page_of_finding(const std::string& text) {
  const TextJson json = text.empty() ? TextJson() : parse_json(text);
  const TextJson* page = json.is_object() ? member(json, "page") : nullptr;
  return page != nullptr && page->is_string() ? page->get<std::string>() : std::string();
}

std::string format_side_car(const Workspace& workspace) {
  return workspace.has_trace() ? written(side_car_json(workspace)) : std::string();
}

void apply_side_car(const std::string& text, Workspace& workspace) {
  if (text.empty() || !workspace.has_trace()) return;
  const TextJson json = parse_json(text);
  if (!json.is_object()) return;
  const TextJson* version = member(json, "version");
  if (version == nullptr || *version != kVersion) return;  // of a later program: left alone
  if (const TextJson* tracks = member(json, "tracks"); tracks != nullptr && tracks->is_object())
    apply_tracks(*tracks, workspace);
  if (const TextJson* hidden = member(json, "hiddenSlices"); hidden != nullptr && hidden->is_object())
    workspace.set_hidden(parse_hidden(*hidden));
  if (const TextJson* markers = member(json, "markers"); markers != nullptr && markers->is_array())
    for (Note& note : notes_of_json(*markers))
      workspace.markers().add(note.span, std::move(note.text), note.on, std::move(note.name));
  if (const auto range = finding_times(text).range) workspace.set_area(*range, {});
  if (const TextJson* selection = member(json, "selection"); selection != nullptr && selection->is_array())
    for (const Note& note : notes_of_json(*selection)) workspace.select(note);
  if (const TextJson* top = member(json, "top"); top != nullptr && top->is_object()) apply_top(*top, workspace);
}

}  // namespace lacuna
