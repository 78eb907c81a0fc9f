#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/gui/application/ahead.h"
#include "app/gui/application/diff_view.h"
#include "app/gui/application/idle_figures.h"
#include "app/gui/application/keymap.h"
#include "app/gui/application/live_view.h"
#include "app/gui/application/observed.h"
#include "app/gui/application/requests.h"
#include "app/gui/application/settings.h"
#include "app/gui/application/ui_state.h"
#include "app/gui/models/calls/call_view.h"
#include "app/gui/models/files/loader.h"
#include "app/gui/models/files/remote_opening.h"
#include "app/gui/models/headline/headline_view.h"
#include "app/gui/models/job/job_view.h"
#include "app/gui/models/live/launch_form.h"
#include "app/gui/models/live/running_jobs_view.h"
#include "app/gui/models/memory/memory_view.h"
#include "app/gui/models/path/path_view.h"
#include "app/gui/models/path/what_if_view.h"
#include "app/gui/models/query/query_view.h"
#include "app/gui/models/report/report_view.h"
#include "app/gui/models/roofline/roofline_view.h"
#include "app/gui/models/statistics/group_view.h"
#include "app/gui/workspace/side_car.h"
#include "app/gui/workspace/workspace.h"
#include "capture/session/old_recordings.h"

namespace lacuna {

/// Everything that a window shows: the composition that panels and commands work on. No ImGui.
class App {
 public:
  /// `wake` is called on other threads when a frame should be drawn.
  App(Settings settings, std::function<void()> wake);

  BackgroundJobs jobs;  ///< all that the window waits for
  Settings settings;
  Keymap keymap;  ///< as settings.keys says
  Workspace workspace{jobs};
  Loader loader{jobs.wake()};
  ReportView report{jobs};
  HeadlineView headline{jobs};
  JobView job{jobs};
  QueryView query{jobs};
  GroupView groups{jobs};
  CallView calls{jobs};
  PathView path{jobs};
  WhatIfView what_if{jobs};
  RooflineView roofline{jobs};
  MemoryView memory{jobs};
  MemoryView memory_other{jobs};  ///< of the trace compared with
  DiffView diff{jobs};
  SideCarKeeper side_car;  ///< of the open trace
  UiState ui;
  Requests requests;
  Observed observed;
  LiveView live{jobs};
  RunningJobsView running_jobs{jobs.wake()};
  std::vector<OldRecording> old_recordings;  ///< found at the start, offered on the start page
  ImportOptions import;                      ///< of every load
  Ahead ahead{jobs.wake()};
  bool computes_ahead = false;  ///< a window that takes clicks; not a screenshot

  /// Starts loading, or brings digests together as a job; what is open stays until there is something of the new trace
  /// to show, and comes back when loading fails or is cancelled.
  void open(std::vector<std::string> paths);
  /// The same of files of another machine, which are seen from there until they are here. `line`: to it; may be null.
  /// `stays_there`: they are not fetched until the user asks for it (hold_fetch).
  void open_there(RemotePlace place, std::vector<std::string> paths, std::unique_ptr<FarSide> line = nullptr,
                  bool stays_there = false);
  /// Pauses the fetch of files of another machine, or goes on with it.
  void hold_fetch(bool holds);
  /// Files of another machine on their way; null: none are.
  const RemoteOpening* remote() const { return remote_.get(); }
  /// Shows the job of these traces or digests, of which none is opened; what is open stays.
  void open_job(std::vector<std::string> paths);
  /// Opens these files of a job, unless they are open, and shows the place.
  void show_ranks(ask::ShowRanks ranks);
  /// The same for a recording that was left behind; several parts are joined first, by the loader.
  void open_old(const OldRecording& recording);
  /// Starts loading the trace to compare with, and shows the comparison.
  void compare_with(std::vector<std::string> paths);
  /// What is loading is so large that leaving out Python functions is worth offering.
  bool offers_to_skip() const;
  /// Starts the load under way again, without events of this category.
  void load_without(const std::string& category);
  /// Launches a program, shows it while it runs, and remembers the launch. What is open goes. When it
  /// cannot be started, the launch dialog comes (back) with the reason.
  void launch(const LivePlan& plan);
  /// Shows a recording that another process, or another machine, makes, or a dormant program. What is open goes.
  void attach(const AttachPlan& plan);
  /// Adds the notes of these files to those of the trace, and says what came of it.
  void import_notes(const std::vector<std::string>& paths);
  /// Launches the same program again.
  void relaunch();
  /// Forgets the trace, or the recording after asking.
  void close_trace();
  void quit();
  /// Loads the same files again, those of a job that is shown, too.
  void reload();
  /// Puts the files of the open trace onto one time axis in another way; the view stays. By collectives (kGiven): what
  /// keeps them from telling is shown as an error.
  void use_clocks(FileClocks clocks);
  /// Tells the steps of the open trace by `steps_from` (Trace::steps_from(); empty: as found), now and whenever it is
  /// opened; the view stays.
  void use_steps(std::string steps_from);
  /// Loads the same files again, whose times are nanoseconds.
  void read_times_as_ns();
  /// How the files of the open trace lie on their axis.
  FileClocks clocks() const;
  /// Takes over what the loader and the workers finished. Call once a frame; true = changed.
  bool update();
  /// Something is loading, computing or moving: frames must keep coming.
  bool is_busy() const;
  /// What is open is seen from another machine, and not fetched.
  bool is_looking_only() const;
  /// A timeline moves.
  bool is_moving() const;
  /// Workers have answers under way.
  bool is_computing() const { return jobs.is_busy(); }
  /// Waits for them, and for what follows from them (screenshots).
  void settle();

  /// The workspace shows a part of what is still loading.
  bool is_previewing() const { return is_previewing_; }

  /// Whether allocations stand on the timeline: as the user wished, else while the memory page is open.
  bool draws_memory_marks() const;
  /// What is open are snapshots or timelines of memory alone.
  bool is_about_memory() const;
  /// The report stands beside the timeline; not where there is none to give.
  bool report_stands_right() const { return settings.report_right && ui.has_report; }
  void show_page(DrawerPage page);
  void show_table(bool torch);
  void show_gaps(GapsView view);
  void set_theme(bool light);
  void set_ui_scale(float scale);
  void show_error(std::string text);
  /// Text that says what is open: file names.
  std::string title() const;

 private:
  /// The models of pages: their answers are taken over once a frame, and they forget what they are about when the trace
  /// is closed.
  auto views() {
    return std::tie(report, headline, job, query, groups, calls, path, what_if, roofline, memory, memory_other);
  }
  /// Asks for what is drawn on the timeline, and hands it over.
  /// The page that says most about a trace that was not open before.
  void show_first_page();
  void ask_for_timeline();
  /// Fonts get the characters of names that are new.
  void ask_for_characters();
  void show_on_timeline();
  /// True when nothing unsaved is open; else the user is asked, and `then` runs when it may be closed.
  bool may_close(std::function<void(App&)> then);
  void load(std::vector<std::string> paths, std::uint64_t bytes, Loader::Prepare prepare,
            std::vector<FileShift> shifts = {});
  void clear_for_recording();
  /// What panels have worked out goes, with the trace that it is of.
  void close_views();
  void go_to_shown_ranks();
  void show_preview(DocumentPtr preview);
  void finish_load(Result<DocumentPtr> result);
  /// Asks for what is in view, as far as it is not here yet.
  void look_there();
  void end_remote();

  bool is_previewing_ = false;                 ///< the workspace shows a part of what is loading
  bool is_refreshing_ = false;                 ///< what loads is what is open, read in another way
  std::optional<ask::ShowRanks> shown_ranks_;  ///< gone to when they are open and drawn
  std::shared_ptr<RemoteOpening> remote_;      ///< what is loading comes from there
  DocumentPtr before_;                         ///< what was open before, while previewing
  std::uint64_t opening_bytes_ = 0;            // of the files that are loading, as they lie on disk
};

}  // namespace lacuna
