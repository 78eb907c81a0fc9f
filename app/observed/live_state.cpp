#include <algorithm>

#include "app/gui/panels/live/live_bar.h"
#include "app/observed/state_parts.h"
#include "capture/session/exit_words.h"

namespace lacuna {
namespace {

StateJson live_json(const App& app, const Shell& shell) {
  const LiveView& live = app.live;
  StateJson json = {{"dialog", shell.launch_dialog().is_open()},
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
  json["jobs"] = StateJson::array();
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

StateJson answers_json(const App& app, const RemoteAnswers& answers) {
  StateJson json = {{"isAnswered", app.workspace.is_answered()}, {"isWhole", answers.is_whole},
                    {"rowsLeftOut", answers.rows_left_out},      {"hasGaps", answers.has_gaps},
                    {"gapsLeftOut", answers.gaps_left_out},      {"gaps", StateJson::array()}};
  for (const RemoteGap& gap : answers.gaps)
    json["gaps"].push_back({{"durationNs", gap.span.duration()}, {"cause", cause_key(gap.cause)}, {"why", gap.why}});
  if (answers.slice) {
    json["links"] = StateJson::array();
    for (const RemoteLink& link : answers.slice->links) json["links"].push_back(link.name);
  }
  if (answers.gap) json["gap"] = answers.gap->why;
  for (const std::shared_ptr<const RemotePage>& page : answers.pages)
    if (const auto* gaps = std::get_if<AskedGaps>(&page->asked.what))
      json["idle"] = {
          {"what", static_cast<int>(gaps->what)}, {"ns", page->gaps.counted.time}, {"rows", page->gaps.table.rows}};
  return json;
}

}  // namespace

void add_live_state(StateJson& json, const App& app, const Shell& shell) {
  const Workspace& w = app.workspace;
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
                     {"entries", StateJson::array()},
                     {"jobs", StateJson::array()}};
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
  json["live"] = live_json(app, shell);
}

}  // namespace lacuna
