#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/gui/application/idle_figures.h"
#include "app/gui/models/live/launch_form.h"
#include "app/gui/models/search/omnibox_state.h"
#include "model/base/ids.h"
#include "model/import/importer.h"

namespace lacuna {

/// The pages of the drawer below the timeline.
enum class DrawerPage {
  kStatistics,
  kGaps,
  kReport,
  kCompare,
  kImport,
  kConsole,
  kMarkers,
  kCalls,
  kJob,
  kQuery,
  kMemory,
  kPath,
  kWhatIf,
  kRoofline
};

/// What the timeline can export.
enum class ExportKind { kRange, kPicture, kFinding, kNotes };

/// A launch that could not be started.
struct LaunchFailure {
  LaunchForm form;
  std::string reason;
};

/// Requests of commands and panels to another part of the window. One part takes each kind; it is named here.
namespace ask {
/// What the files chosen in the open dialog are for.
enum class OpenFor { kLooking, kComparing, kJob, kOtherJob, kNotes };
struct OpenTrace {
  OpenFor purpose = OpenFor::kLooking;
};  ///< show the open dialog: the shell
struct ShowRanks {
  std::vector<std::string> paths;  ///< of their traces; the place is in the first
  std::vector<FileShift> shifts;   ///< that put them on one clock; empty: as the files say
  Nanos start = 0;                 ///< in the times of that file
  Nanos duration = 0;
};  ///< open exactly these, unless they are open, and show the place: the shell
struct Launch {
  std::optional<LaunchFailure> failure = {};
};                      ///< show the launch dialog: the shell
struct RunningJobs {};  ///< show the dialog of jobs that run: the shell
struct Attach {};       ///< show what can be watched live: the shell
struct Connect {};      ///< show the dialog of another machine: the shell
struct Save {};         ///< ask where to save the recording: SaveDialog
struct Export {
  ExportKind kind;
};  ///< ask where to write it: ExportDialog
struct WritePicture {
  std::string path;
  int in_frames;
};  ///< write the timeline after so many frames: the window
struct Download {
  std::string path;
};  ///< of a file that was written, to the user's own machine, where that is another one: the window
struct Copy {
  std::string text;
};  ///< to the clipboard: the shell
struct ShowPage {
  DrawerPage page;
};  ///< bring its tab to the front: the shell
struct ShowCalls {
  std::string label;
  std::vector<SliceId> places;
};                           ///< show who calls these slices: the shell
struct FocusFilter {};       ///< cursor into the filter box: the statistics page
struct FocusCallsFilter {};  ///< cursor into the search of calls: its page
struct FocusQuery {};        ///< cursor into the editor: the SQL page
struct ShowAllocation {
  std::uint32_t mark;
};  ///< of MemoryMarks: what was live when it was made: the memory page
/// What a change of the page "What if" is about: slices of a name, gaps that an operator is to blame for, or the key of
/// a cause of gaps.
enum class WhatIfAbout { kName, kGapsOf, kCause };
struct TryWhatIf {
  WhatIfAbout about;
  std::string what;
};  ///< add the change: the page "What if"
struct OpenOmnibox {
  OmniboxMode mode;
};                        ///< cursor into the box of the title bar, in this mode: the box
struct OpenCallsMenu {};  ///< the menu of the chosen frame: the page of calls
struct ReadAsNs {};       ///< load the open files again, whose times are nanoseconds: the shell
struct EditNote {
  std::uint32_t marker;
};                          ///< cursor into the note of a marker: its page
struct ChooseSteps {};      ///< open the choice of steps: the timeline
struct ChooseStepsFrom {};  ///< … of what steps are told by: the timeline
struct UseSteps {
  std::string steps_from;  ///< Trace::steps_from()
};                         ///< read the steps of the open trace anew: the application
struct ExplainIdle {
  IdleSubject subject = {};
};                           ///< show what counts as idle time: its popup
struct OpenMenu {};          ///< open the first menu for the keyboard: the shell
struct ToggleFullscreen {};  ///< the window
struct Quit {};              ///< the window; stays, so that its loop ends
}  // namespace ask

using Request = std::variant<ask::OpenTrace, ask::ShowRanks, ask::Launch, ask::RunningJobs, ask::Attach, ask::Connect,
                             ask::Save, ask::Export, ask::WritePicture, ask::Download, ask::Copy, ask::ShowPage,
                             ask::ShowCalls, ask::FocusQuery, ask::FocusFilter, ask::FocusCallsFilter,
                             ask::ShowAllocation, ask::TryWhatIf, ask::OpenOmnibox, ask::OpenCallsMenu, ask::ReadAsNs,
                             ask::EditNote, ask::ChooseSteps, ask::ChooseStepsFrom, ask::UseSteps, ask::ExplainIdle,
                             ask::OpenMenu, ask::ToggleFullscreen, ask::Quit>;

/// Requests wait here until their taker is drawn, in the same or the next frame. UI thread.
class Requests {
 public:
  /// Takes the place of one of the same kind that still waits.
  void add(Request request) {
    for (Request& waiting : waiting_) {
      if (waiting.index() != request.index()) continue;
      waiting = std::move(request);
      return;
    }
    waiting_.push_back(std::move(request));
  }
  /// Takes the request of this kind from the queue; nothing when there is none.
  template <class Kind>
  std::optional<Kind> take() {
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
      Kind* found = std::get_if<Kind>(&*at);
      if (found == nullptr) continue;
      std::optional<Kind> taken(std::move(*found));
      waiting_.erase(at);
      return taken;
    }
    return std::nullopt;
  }
  /// Looks at the request of this kind without taking it. Null: there is none. Valid until the next add() or take().
  template <class Kind>
  Kind* find() {
    for (Request& waiting : waiting_)
      if (Kind* found = std::get_if<Kind>(&waiting); found != nullptr) return found;
    return nullptr;
  }

 private:
  std::vector<Request> waiting_;
};

}  // namespace lacuna
