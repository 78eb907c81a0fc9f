#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/finding/markers.h"
#include "app/gui/core/document.h"
#include "app/gui/core/hidden_names.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/core/occurrences.h"
#include "app/gui/models/area/range_job.h"
#include "app/gui/models/details/launched_work_view.h"
#include "app/gui/models/details/slice_notes_view.h"
#include "app/gui/models/gaps/gap_causes.h"
#include "app/gui/models/gaps/gap_list.h"
#include "app/gui/models/gaps/gap_rankings.h"
#include "app/gui/models/minimap/activity_overview.h"
#include "app/gui/models/navigation/selection.h"
#include "app/gui/models/search/search.h"
#include "app/gui/models/statistics/statistics_view.h"
#include "app/gui/models/statistics/torch_view.h"
#include "app/gui/models/timeline/timeline_view.h"
#include "app/gui/models/units/fold_time.h"
#include "app/gui/models/units/time_units.h"
#include "capture/remote/remote_questions.h"
#include "model/calls/call_tree.h"
#include "model/groups/group_table.h"
#include "model/report/report.h"
#include "model/steps/steps.h"

namespace lacuna {

/// What a user does with an open trace: looking, selecting, stepping, selecting ranges. Panels show
/// it and call it; commands call it; tests drive it without a window. No ImGui, no I/O.
/// UI thread only; heavy questions go to a LatestJob each.
class Workspace {
 public:
  /// Its jobs stand in a list of their own within `jobs`, which is woken when something is ready to be shown
  /// (update() fetches it).
  explicit Workspace(BackgroundJobs& jobs);

  /// Replaces the document; null closes it. View, selection and range start over.
  void open(DocumentPtr document);
  /// Replaces the document by one that knows more of the same files: view, selection, range and
  /// highlight stay (a selected gap does not: it may have been filled).
  void refresh(DocumentPtr document);
  const DocumentPtr& document() const { return document_; }
  const Trace& trace() const { return document_->trace; }
  bool has_trace() const { return document_ != nullptr; }

  /// Fetches what workers finished. Call once a frame. True when something changed.
  bool update();
  /// Waits for the workers, then updates (screenshots).
  void settle();

  TimelineView& view() { return view_; }
  const TimelineView& view() const { return view_; }

  // Selection.
  const Selection& selection() const { return selection_; }
  void select(SliceId slice);
  void select(GapRef gap);
  void select(InstantRef instant);
  /// Clears selection, range and highlight.
  void clear_selection();
  /// The time that the selection covers: slice, gap or range; empty optional without one.
  std::optional<TimeSpan> selected_span() const;
  /// The note, without a text, that a marker on the selection is; nothing without one.
  std::optional<Note> selection_as_note() const;
  /// Selects the slice or gap that a note is on, without a movement of the view; nothing where it is not there.
  void select(const Note& note);
  /// Adds another user's notes to the markers, and says so: "Took over 3 notes; 1 passed over".
  std::string take_over(const ParsedNotes& notes);
  /// The selected gap, of a stream or of a whole GPU; null when none is.
  const Gap* selected_gap() const;

  /// Selects and brings into view.
  void go_to(SliceId slice);
  void go_to(GapRef gap);
  void go_to(const BlamedPlace& place);
  /// A slice, or a time, which becomes the range.
  void go_to(const ReportPlace& place);

  // Looking.
  /// Zooms to the selection; when the view is there already, shows the whole trace.
  void focus();
  /// Shows the home range; when the view is there already, the whole trace.
  void fit();
  void zoom(double factor);  ///< around the middle

  // Stepping. False when there is nowhere to go.
  /// Along the route where one is chosen, else to the next gap of the list. In a trace that is seen from another
  /// machine that machine is asked for the next of all its gaps; the view goes there when the answer comes.
  bool step_gap(int direction);
  /// To the one in which the whole GPU was idle for longest.
  bool go_to_longest_gap();
  bool step_on_track(int direction);
  bool step_to_parent();
  bool step_to_child();
  /// Chooses the next (+1) or previous link of the selection, where it has several.
  bool choose_link(int direction);
  std::size_t link_count() const { return links_of_selection().size(); }
  bool follow_link(int direction);  ///< +1: what the selection launched or flows to; -1: whence it came
  /// `zooms`: to the slice, too.
  bool step_occurrence(int direction, bool zooms = false);

  // Where the view was. `now_s`: any clock. Once a frame, unless the mouse is just moving the view.
  void note_view(double now_s);
  const ViewHistory& history() const { return history_; }
  bool step_view(int direction);  ///< -1: back
  /// Scrolls to a track, and to its time where none of it is in view.
  void show_track(TrackId track);

  // Range.
  const std::optional<TimeSpan>& area() const { return area_; }
  /// An empty span clears it.
  void set_area(std::optional<TimeSpan> area);
  /// Selects a range of these tracks; none: of all tracks.
  void set_area(TimeSpan area, std::vector<TrackId> tracks);
  /// Makes the selected slice or gap the range.
  void area_from_selection();

  /// How busy the GPUs are over the whole trace; null until it is computed.
  const ActivityOverview* overview() const { return overview_.get(); }

  // Markers.
  Markers& markers() { return markers_; }
  const Markers& markers() const { return markers_; }
  /// Shows the selected span on the ruler until it is asked for again (M).
  void mark_temporarily();
  /// Of the selection, else of the moment under the mouse. Its number; 0 = there are too many.
  std::uint32_t add_marker();
  void keep_temporary();
  bool remove_chosen_marker();
  /// Selects the slice or the gap that it is on, if it is on one.
  void go_to(const Marker& marker);

  // Units of time.
  TimeUnit time_unit() const { return time_unit_; }
  /// False when the trace has no such thing: no marker, no steps.
  bool set_time_unit(TimeUnit unit);
  std::string time_text(Nanos t) const;

  // Folding of time.
  /// Once after time was to be folded and no stretch could be: a sentence that says why.
  std::string take_why_not_folded() { return std::exchange(why_not_folded_, {}); }
  bool folds_time() const { return folds_time_; }
  void set_fold_time(bool folds);
  /// What came of it: false = nothing to fold, some track shown is busy all the time.
  bool has_time_folds() const { return view_.is_folding(); }

  // Slices that the timeline leaves out. Numbers still count them.
  const HiddenNames& hidden() const { return hidden_; }
  /// Rows close up a moment later (is_computing()).
  void set_hidden(HiddenNames hidden);
  void hide_category(std::string_view category, bool is_hidden);
  void hide_name(std::string_view name, bool is_hidden);
  bool can_undo_hiding() const { return !hidden_before_.empty(); }
  /// Takes the last change back.
  void undo_hiding();
  /// How many slices are left out now.
  std::uint64_t hidden_slice_count() const;

  /// Pins the track of the selected slice or gap, or lets go of it.
  void pin_selected_track();

  /// Counts changes of what a side-car keeps.
  std::uint64_t side_car_version() const { return view_.layout_version() + markers_.version() + hidden_version_; }

  // Steps (ProfilerStep#N).
  const std::vector<Step>& steps() const { return steps_; }
  /// What they are to be told by, for the side-car: that of the trace, or what was chosen since.
  const std::string& steps_from() const { return steps_from_; }
  /// Takes a note of it; App::use_steps() reads the steps anew.
  void set_steps_from(std::string pattern);
  /// The steps whose window or annotations the range covers exactly, if it does.
  std::optional<StepRange> selected_steps() const;
  /// Makes them the range, with the GPU work that they launched (of a recording under way their marks alone), and shows
  /// it.
  void select_steps(StepRange range);
  /// To the step after (+1) or before (-1) the range; the first in view without one.
  bool step_step(int direction);

  // Tracks whose slices the statistics count; none = all.
  const std::vector<TrackId>& counted_tracks() const { return counted_tracks_; }
  bool is_counted(TrackId track) const;
  void count_only(TrackId track);
  void toggle_counted(TrackId track);
  /// Takes a track into the range, or out of it; the last one stays.
  void toggle_in_area(TrackId track);
  void count_all_tracks();

  // Statistics of the range, or of the whole trace. While a range is being computed, the last
  // complete answer stays.
  const Statistics& statistics() const;
  std::uint64_t statistics_version() const { return statistics_version_; }
  /// Those of the whole trace come without percentiles, until somebody asks for them; those of a part of
  /// it have what their document has.
  void ask_percentiles();
  /// Anything is being computed that the panels show.
  bool is_computing() const { return jobs_.is_busy(); }
  /// Statistics of the range, or of the whole trace, are being computed.
  bool is_analyzing() const { return range_job_.is_busy() || whole_job_.is_busy() || !is_answered(); }
  /// The statistics of a trace that is seen from another machine are of the range and tracks that are chosen here; true
  /// for all other traces.
  bool is_answered() const;
  /// What the other machine is to tell of what is chosen here.
  RemoteQuestions questions(bool lists_gaps) const;
  /// Gives up a step that the other machine was asked for; false: there is none.
  bool forget_step();
  /// Goes to a place that the other machine named; selects it as soon as a picture shows it.
  void go_to_remote(const AskedSlice& slice);
  void go_to_remote(const AskedGap& gap);
  /// Analysis of range and counted tracks; null without either, or while the first is under way.
  const RangeAnalysis* range_analysis() const { return analysis_.get(); }
  StatisticsView& table() { return table_; }
  const StatisticsView& table() const { return table_; }
  void update_table();
  /// torch.profiler's table.
  TorchView& torch() { return torch_; }
  const TorchView& torch() const { return torch_; }
  /// Asks for torch's table of the range, or of the whole trace.
  void ask_torch();

  // Highlighting of a name.
  /// Places of the highlighted row. Found in the background: empty until then (is_computing()).
  const Occurrences& occurrences() const { return occurrences_; }
  /// GPU work behind the selected slice, and behind all slices of the highlighted row (in the range).
  const LaunchedWorkView& slice_work() const { return slice_work_; }
  /// What there is to say of the selected slice.
  const SliceNotesView& slice_notes() const { return slice_notes_; }
  const LaunchedWorkView& row_work() const { return row_work_; }
  /// Still looking for them.
  bool is_finding_occurrences() const { return occurrences_job_.is_busy(); }
  void highlight(StringId name, CategoryId category);
  /// All slices that a row of torch's table stands for.
  void highlight(const TorchRow& row);
  /// All slices of the name that a row of lost time by operator stands for.
  void highlight(const OperatorRow& row);
  /// All slices of a row of the table by group that was computed with these options.
  void highlight(const GroupOptions& options, std::uint32_t row);
  /// All slices of a frame of a call tree that was built with these options.
  void highlight_calls(const CallTreeOptions& options, std::shared_ptr<const CallTree> tree, std::uint32_t node);
  void clear_highlight();
  /// The row of torch's table whose slices are highlighted; empty when the highlight is of a name, which
  /// occurrences() knows, or of anything else.
  const std::string& highlighted_row() const { return highlighted_row_; }
  /// Steps only through highlighted slices of such durations, starting with the first in view.
  void only_durations(std::optional<TimeSpan> durations);

  // Searching: one of search and highlight at a time.
  const Search& search() const { return search_; }
  /// Marks what the text finds; empty = nothing.
  void search_for(std::string text);
  /// To the next slice found (+1), or the one before; later, when they are not all known yet.
  bool step_match(int direction);
  /// Goes to the next (1) or previous (-1) slice of the search, else of the highlighted name.
  bool step_found(int direction);

  // Gaps.
  GapList& gaps() { return gaps_; }
  const GapList& gaps() const { return gaps_; }
  Nanos min_gap() const { return min_gap_; }
  void set_min_gap(Nanos shortest);
  /// Gaps shorter than that are not painted either.
  bool hides_short_gaps() const { return hides_short_gaps_; }
  void hide_short_gaps(bool hidden);
  void update_gaps();
  GapColumn gap_column = GapColumn::kDuration;
  bool gaps_descending = true;
  /// Gaps count in the whole trace, not in the measured time, where no range is selected.
  bool gaps_of_whole_trace = true;
  /// The trace is all there, and what the report measures of it is known.
  bool has_measured_time() const;
  /// Of the range, else of the whole trace or the measured time, and of the GPU streams among the counted tracks.
  GapList::Filter gap_filter() const;

  // Why there are gaps.
  GapCauses& causes() { return causes_; }
  const GapCauses& causes() const { return causes_; }
  /// The places that N walks through instead of the list; empty = the list.
  const GapRoute& route() const { return route_; }
  void set_route(std::vector<BlamedPlace> places);
  void clear_route();

 private:
  Nanos reference_time(int direction) const;
  /// Calls `take` with the slice or gap that a note is on. False where there is none. O(lanes).
  template <class Take>
  bool find_noted(TimeSpan span, NoteOn on, std::string_view name, Take&& take) const;
  /// A slice that the selected one is tied to by a launch or a flow.
  struct LinkedSlice {
    SliceId slice;
    bool is_forward = false;  ///< what the selection launched or flows to
  };
  /// The rows of the slice's track, if it has hidden slices; else null.
  const ShownRows* rows_of(SliceId slice) const;
  std::vector<LinkedSlice> links_of_selection() const;
  void highlight(const std::vector<StringId>& names, bool on_gpu, bool is_annotation);
  /// What the selected slice launched first.
  SliceId first_work() const;
  void choose_no_link();
  void mark_selection();
  void start_overview();
  void apply_hidden();
  /// Marks what the search found; where rows lack hidden slices a worker looks up where that lies.
  void mark_matches();
  void show_steps();
  void forget_whole();
  void analyze();
  /// Selects what is looked for, where a picture shows it by now.
  void find_wanted();
  void show_remote(TimeSpan span, TrackId track);
  /// Asks the other machine where a step leads; one more that is wanted meanwhile follows it.
  bool ask_step(int direction);
  /// Goes where the other machine says.
  void take_step();
  /// Looks for places on a worker; one step asked for meanwhile is taken when they are there.
  void find_occurrences(std::function<void(Occurrences&, const std::atomic<bool>&)> find);
  void stop_finding();

  BackgroundJobs jobs_;  // first: the others stand in it
  DocumentPtr document_;
  TimelineView view_;
  Selection selection_;
  std::optional<TimeSpan> area_;
  Occurrences occurrences_;
  std::shared_ptr<std::atomic<bool>> occurrences_cancel_;
  int pending_step_ = 0;
  bool pending_zoom_ = false;
  std::string highlighted_row_;
  // Told of, not seen yet.
  std::optional<AskedSlice> wanted_slice_;
  std::optional<AskedGap> wanted_gap_;
  std::optional<AskedStep> wanted_step_;  // not told yet
  std::optional<int> next_step_;          // direction of the one after it
  StatisticsView table_;
  GapList gaps_;
  Nanos min_gap_ = 0;
  Markers markers_;
  TimeUnit time_unit_ = TimeUnit::kStart;
  bool folds_time_ = false;
  std::uint64_t folded_for_ = 0;  ///< version of the arrangement
  LatestJob<TimeFolds> fold_job_;
  HiddenNames hidden_;
  std::vector<HiddenNames> hidden_before_;  ///< each before a change
  std::uint64_t hidden_version_ = 0;
  LatestJob<ShownRows> shown_job_;
  LatestJob<ShownMatches> match_job_;
  bool hides_short_gaps_ = false;
  std::shared_ptr<const RangeAnalysis> analysis_;
  std::uint64_t statistics_version_ = 0;
  const std::vector<Step>& step_windows() const;  // of the steps, by the same indices; there is a document
  std::vector<Step> steps_;
  std::string steps_from_;
  std::vector<StepSpan> step_spans_;  ///< the same, for the ruler
  std::vector<TrackId> counted_tracks_;
  GapRoute route_;
  ViewHistory history_;
  std::string why_not_folded_;
  std::optional<std::size_t> chosen_link_;  ///< of links_of_selection()
  Search search_;
  RangeJob range_job_;
  RangeJob whole_job_;
  bool has_asked_whole_ = false;
  std::shared_ptr<const RangeAnalysis> whole_;  ///< of everything, with percentiles
  LatestJob<ActivityOverview> overview_job_;
  std::shared_ptr<const ActivityOverview> overview_;
  LatestJob<Occurrences> occurrences_job_;
  LaunchedWorkView slice_work_;
  SliceNotesView slice_notes_;
  LaunchedWorkView row_work_;
  TorchView torch_;
  GapCauses causes_;
};

/// The longest slice with this name, or an invalid id. O(slices).
SliceId find_longest(const Trace& trace, std::string_view name);

}  // namespace lacuna
