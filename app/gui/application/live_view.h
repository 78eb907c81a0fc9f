#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/graphics_options.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/live/live_recording.h"
#include "app/gui/workspace/workspace.h"

namespace lacuna {

/// The recording that the window shows, if it shows one: starting, following, pausing, ending, saving.
/// No ImGui. UI thread.
class LiveView {
 public:
  /// How much time the view shows when it starts to follow.
  static constexpr Nanos kFollowedSpanNs = 5'000'000'000;

  explicit LiveView(BackgroundJobs& jobs);

  /// Starts a recording in place of the previous one. Errors: the program cannot be launched; then nothing changes.
  Result<void> start(const LivePlan& plan);
  /// Shows a recording of another process, or a dormant program, in place of the previous one.
  Result<void> attach(const AttachPlan& plan);
  /// Drops the recording; ends a target that still runs, unless another process records it.
  void close();

  bool has_recording() const { return recording_ != nullptr; }
  /// Whether more may arrive.
  bool is_running() const { return recording_ != nullptr && !recording_->is_complete(); }
  /// Whether this window launched the program, and so may stop it and launch it again.
  bool is_own() const { return recording_ != nullptr && recording_->capture().is_own(); }
  /// Whether it watches a program that ran before: stopping makes it dormant again.
  bool looks_at_process() const { return is_own() && plan().process > 0; }
  bool may_relaunch() const { return is_own() && plan().process == 0; }
  bool may_stop() const { return is_running() && recording_->capture().may_stop(); }
  /// The machine on which it is recorded; empty: this one.
  std::string place() const { return recording_ ? recording_->capture().place() : std::string(); }
  /// Whether closing it would lose data.
  bool is_unsaved() const;
  const LivePlan& plan() const { return recording_->capture().plan(); }
  LiveSource::Status status() const { return recording_->capture().status(); }
  const ConsoleBuffer& console() const { return recording_->capture().console(); }
  LiveRecording::Costs costs() const { return recording_->costs(); }
  GrowingMemory::Usage memory() const { return recording_->memory(); }
  void stop() {
    if (recording_) recording_->capture().stop();
  }
  /// Called when a signal ends the window: says on standard error what happens to the program, which is ended, and to
  /// the recording, which is left for `lacuna recordings` unless it is saved.
  void end_by_signal(int signal);
  /// The newest time that is shown: now, while it runs and is not paused. 0 without a recording.
  Nanos now() const;

  /// How long it has run, up to now().
  Nanos since() const;

  /// Whether the picture stands still while capturing goes on.
  bool is_paused() const { return is_paused_; }
  void set_paused(bool paused);
  /// A slice that was clicked and that no document has yet. The first document that has it selects it.
  void choose(std::optional<LiveSlice> slice) { chosen_ = std::move(slice); }
  const std::optional<LiveSlice>& chosen() const { return chosen_; }
  /// The newest slices, drawn over the document.
  LiveTailPtr tail() const;

  /// Shows new data in the workspace, and moves the view when it follows. Once a frame; true =
  /// something changed.
  bool update(Workspace& workspace);
  /// Scrolls with the time. Before each frame.
  void follow(Workspace& workspace) const;

  /// True once, when the recording ended and the program failed or nothing was recorded.
  bool take_failure();

  /// "train.py (recording)"; the file's name once it is saved.
  std::string title() const;
  /// PROGRAM-TIME.trace.json.gz in the working directory, or where it was saved before.
  std::string suggested_path() const;
  /// Starts to save on a thread; saved() tells how that went.
  void save(std::string path, Existing existing);
  bool is_saving() const { return save_job_.is_busy(); }
  /// How the last save ended, once.
  std::optional<Result<std::string>> take_saved();
  const std::string& saved_path() const { return saved_path_; }

 private:
  struct Saved {
    Result<void> result;
    std::string path;
    bool is_whole = false;  ///< nothing came after it
  };

  std::function<void()> wake_;
  std::shared_ptr<LiveRecording> recording_;  // shared with a save under way
  bool is_shown_ = false;                     ///< the workspace shows it
  bool is_paused_ = false;
  Nanos paused_at_ = 0;
  bool is_end_reported_ = false;
  bool is_saved_ = false;  ///< as it is now
  std::string saved_path_;
  std::optional<LiveSlice> chosen_;
  std::string started_;  ///< for the suggested name
  LatestJob<Saved> save_job_;
};

}  // namespace lacuna
