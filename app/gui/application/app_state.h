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

  BackgroundJobs jobs;  ///< all background work of the window
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

  /// Starts loading the files, or opens digests as a job; the open trace stays until a part of the new one can be
  /// shown, and comes back when loading fails or is cancelled.
  void open(std::vector<std::string> paths);
  /// Opens files of another machine; its answers are shown until the files are fetched. `line`: the connection; may be
  /// null. `stays_there`: nothing is fetched until the user asks for it (hold_fetch).
  void open_there(RemotePlace place, std::vector<std::string> paths, std::unique_ptr<FarSide> line = nullptr,
                  bool stays_there = false);
  /// Pauses (true) or resumes (false) the fetch of files of another machine.
  void hold_fetch(bool holds);
  /// The files of another machine that are being opened; null: none are.
  const RemoteOpening* remote() const { return remote_.get(); }
  /// Shows the job of these traces or digests without opening one of them; the open trace stays.
  void open_job(std::vector<std::string> paths);
  /// Opens these files of a job, unless they are open, and shows the time in question.
  void show_ranks(ask::ShowRanks ranks);
  /// Opens a recording that a crashed window left behind; the loader joins its parts.
  void open_old(const OldRecording& recording);
  /// Starts loading the trace to compare with, and shows the comparison.
  void compare_with(std::vector<std::string> paths);
  /// Whether the trace that is loading is so large that the window offers to leave out Python functions.
  bool offers_to_skip() const;
  /// Starts the load under way again, without events of this category.
  void load_without(const std::string& category);
  /// Launches a program, shows it while it runs, and remembers the launch. Closes the open trace. When the program
  /// cannot be started, the launch dialog comes (back) with the reason.
  void launch(const LivePlan& plan);
  /// Shows a recording of another process or another machine, or a dormant program. Closes the open trace.
  void attach(const AttachPlan& plan);
  /// Adds the notes of these files to those of the trace, and reports the result in the status line.
  void import_notes(const std::vector<std::string>& paths);
  /// Launches the same program again.
  void relaunch();
  /// Forgets the trace, or the recording after asking.
  void close_trace();
  void quit();
  /// Loads the same files again, including those of the job that is shown.
  void reload();
  /// Puts the files of the open trace onto one time axis in another way; the view stays. By collectives (kGiven): what
  /// prevents that is shown as an error.
  void use_clocks(FileClocks clocks);
  /// Finds the steps of the open trace by `steps_from` (Trace::steps_from(); empty: automatically), now and whenever it
  /// is opened; the view stays.
  void use_steps(std::string steps_from);
  /// Loads the same files again and reads their times as nanoseconds.
  void read_times_as_ns();
  /// How the clocks of the open trace's files are aligned.
  FileClocks clocks() const;
  /// Takes over finished results of the loader and the workers. Call once a frame; true = something changed.
  bool update();
  /// Whether something is loading, computing or moving, so that frames must keep coming.
  bool is_busy() const;
  /// Whether the open trace stays on another machine and is not fetched.
  bool is_looking_only() const;
  /// Whether a timeline is moving.
  bool is_moving() const;
  /// Whether workers are computing answers.
  bool is_computing() const { return jobs.is_busy(); }
  /// Waits until all answers, and those that they cause, are there (screenshots).
  void settle();

  /// Whether the workspace shows a part of a trace that is still loading.
  bool is_previewing() const { return opening_.is_previewed; }

  /// Whether the timeline shows allocations: as the user chose, else while the memory page is open.
  bool draws_memory_marks() const;
  /// Whether only snapshots or timelines of memory are open.
  bool is_about_memory() const;
  /// Whether the report is shown at the right of the timeline; false where there is no report.
  bool report_stands_right() const { return settings.report_right && ui.has_report; }
  void show_page(DrawerPage page);
  void show_table(bool torch);
  void show_gaps(GapsView view);
  void set_theme(bool light);
  void set_ui_scale(float scale);
  void show_error(std::string text);
  /// The names of the open files, for the title.
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
  /// Adds the characters of new names to the fonts.
  void ask_for_characters();
  void show_on_timeline();
  /// True when nothing unsaved is open; else asks the user, and runs `then` once the recording may be closed.
  bool may_close(std::function<void(App&)> then);
  void load(std::vector<std::string> paths, std::uint64_t bytes, Loader::Prepare prepare,
            std::vector<FileShift> shifts = {});
  void clear_for_recording();
  /// Drops the results of the panels with the trace that they belong to.
  void close_views();
  void go_to_shown_ranks();
  void show_preview(DocumentPtr preview);
  /// Shows again what was open before the part that is shown.
  void take_back_preview();
  /// Reads the open files again in another way; the view stays.
  void load_again();
  void finish_load(Result<DocumentPtr> result);
  /// Asks the other machine for the visible part of its trace that is not here yet.
  void look_there();
  void end_remote();

  /// What is known of the files that the loader reads.
  struct Opening {
    std::uint64_t bytes = 0;    ///< as they lie on disk
    bool is_refresh = false;    ///< they are open already, and read in another way
    bool is_previewed = false;  ///< the workspace shows a part of them
    DocumentPtr before = {};    ///< what it showed before; null: nothing, or it shows no part
  };
  Opening opening_;
  std::optional<ask::ShowRanks> shown_ranks_;  ///< gone to when they are open and drawn
  std::shared_ptr<RemoteOpening> remote_;      ///< what is loading comes from there
};

}  // namespace lacuna
