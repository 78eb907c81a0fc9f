#include "app/gui/application/live_view.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/core/same_tracks.h"
#include "capture/session/live_capture.h"
#include "capture/share/attached_recording.h"
#include "model/base/standard_error.h"

namespace lacuna {

LiveView::LiveView(BackgroundJobs& jobs) : wake_(jobs.wake()), save_job_(jobs) {}

Result<void> LiveView::start(const LivePlan& plan) {
  auto recording = LiveRecording::start(plan, wake_);
  if (!recording) return tl::make_unexpected(recording.error());
  close();
  recording_ = std::move(*recording);
  started_ = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  return {};
}

Result<void> LiveView::attach(const AttachPlan& plan) {
  if (plan.process > 0) {
    LivePlan look;
    look.process = plan.process;
    look.keep = plan.keep;
    return start(look);
  }
  auto source = AttachedRecording::attach(plan.socket, plan.keep);
  if (!source) return tl::make_unexpected(source.error());
  auto recording = LiveRecording::follow(std::move(*source), wake_);
  if (!recording) return tl::make_unexpected(recording.error());
  close();
  recording_ = std::move(*recording);
  started_ = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  return {};
}

void LiveView::close() {
  save_job_.cancel();
  recording_.reset();
  chosen_.reset();
  is_shown_ = is_paused_ = is_end_reported_ = is_saved_ = false;
  saved_path_.clear();
}

bool LiveView::is_unsaved() const {
  if (!recording_ || !is_own()) return false;
  return is_running() || (!is_saved_ && status().events > 0);
}

void LiveView::end_by_signal(int signal) {
  if (!recording_) return;
  const char* name = strsignal(signal);
  if (!is_own()) {
    to_standard_error(fmt::format("lacuna: {}: the window closes; the program and its recording continue\n", name));
    return;
  }
  const LiveSource::Status now = status();
  if (is_running() && looks_at_process()) {
    to_standard_error(fmt::format("lacuna: {}: the program (process {}) goes on, and sleeps again\n", name, now.pid));
  } else if (is_running() && !now.exit)
    to_standard_error(fmt::format("lacuna: {}: ending the program (process {})\n", name, now.pid));
  if (is_unsaved() && now.events > 0) {
    recording_->capture().keep();
    to_standard_error("lacuna: the recording is kept; lacuna recordings lists and saves it\n");
  }
}

Nanos LiveView::now() const {
  if (!recording_) return 0;
  if (is_paused_) return paused_at_;
  if (!is_running()) return status().ended_at;
  return recording_->capture().now();
}

Nanos LiveView::since() const {
  return saturating_sub(now(), recording_->capture().started_at());
}

void LiveView::set_paused(bool paused) {
  if (!recording_ || paused == is_paused_) return;
  if (paused) paused_at_ = now();
  is_paused_ = paused;
  recording_->set_paused(paused);
}

LiveTailPtr LiveView::tail() const {
  return is_shown_ ? recording_->tail() : nullptr;
}

bool LiveView::update(Workspace& workspace) {
  if (recording_ && !is_running()) is_paused_ = false;  // nothing goes on behind the picture any more
  if (!recording_ || is_paused_) return false;
  DocumentPtr document = recording_->take_document();
  if (!document) return false;
  // A picture of nothing is none: the window says what was looked for instead.
  if (!is_shown_ && document->trace.slice_count() == 0 && document->trace.event_count() == 0) return true;
  if (!is_shown_) {
    is_shown_ = true;
    workspace.open(std::move(document));
    workspace.view().start_following(kFollowedSpanNs);
    return true;
  }
  DocumentPtr old = workspace.document();
  const bool is_whole = !document->is_partial;
  const bool was_following = workspace.view().is_following();
  workspace.refresh(std::move(document));
  if (is_whole) workspace.view().stop_following();
  // Over: who watched the newest gets to see it all.
  if (is_whole && was_following) workspace.view().go_to(workspace.document()->home, 0.01);
  recording_->retire(std::move(old));
  if (chosen_) {
    const Trace& trace = workspace.trace();
    if (const SliceId found = SameTracks(chosen_->trace(), trace).slice(chosen_->slice); found.valid()) {
      workspace.select(found);
      chosen_.reset();
    }
  }
  return true;
}

void LiveView::follow(Workspace& workspace) const {
  if (is_shown_ && is_running()) workspace.view().follow(now());
}

bool LiveView::take_failure() {
  if (!recording_ || is_running() || std::exchange(is_end_reported_, true)) return false;
  const LiveSource::Status now = status();
  return now.events == 0 || (now.exit && now.exit->shell_code() != 0 && *now.signal == 0);
}

std::string LiveView::title() const {
  if (!saved_path_.empty() && is_saved_) return file_name(saved_path_);
  std::string name = file_name(plan().arguments.front());
  // An interpreter's name says little.
  for (std::size_t i = 1; i < plan().arguments.size(); ++i) {
    const std::string& argument = plan().arguments[i];
    if (argument.ends_with(".py") || argument.ends_with(".sh")) {
      name = file_name(argument);
      break;
    }
  }
  if (!is_own() && !is_running()) name = file_name(recording_->capture().output());
  if (!place().empty()) name = fmt::format("{}:{}", place(), name);
  if (!is_own()) return is_running() ? name + " (attached)" : name;
  if (looks_at_process() && is_running()) return name + " (attached)";
  return name + (is_running() ? " (recording)" : " (not saved)");
}

std::string LiveView::suggested_path() const {
  if (!saved_path_.empty()) return saved_path_;
  std::string name = title();
  name.resize(std::min(name.size(), name.rfind(" (")));
  std::ranges::replace(name, '/', '_');  // of the place
  return absolute_path(fmt::format("{}-{}.trace.json.gz", name, started_));
}

void LiveView::save(std::string path, Existing existing) {
  if (!recording_) return;
  save_job_.start([recording = recording_, path = std::move(path), existing] {
    const bool is_whole = recording->is_complete();
    return Saved{recording->capture().save(path, existing), path, is_whole};
  });
}

std::optional<Result<std::string>> LiveView::take_saved() {
  const auto saved = save_job_.take();
  if (!saved) return std::nullopt;
  if (!saved->result) return tl::make_unexpected(saved->result.error());
  saved_path_ = saved->path;
  is_saved_ = saved->is_whole;
  return saved->path;
}

}  // namespace lacuna
