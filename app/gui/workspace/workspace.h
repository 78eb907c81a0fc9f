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

/// The operations of a user on an open trace: viewing, selecting, stepping, selecting ranges. Panels display
/// and call it; commands call it; tests use it without a window. No ImGui, no I/O.
/// UI thread only; each expensive computation runs on a LatestJob.
class Workspace {
 public:
  /// Its jobs form a list of their own within `jobs`, which is woken when a result is ready
  /// (update() takes it).
  explicit Workspace(BackgroundJobs& jobs);

  /// Replaces the document; null closes it. View, selection and range are reset.
  void open(DocumentPtr document);
  /// Replaces the document by a more complete one of the same files: view, selection, range and
  /// highlight stay (but not a selected gap, which may have been filled).
  void refresh(DocumentPtr document);
  const DocumentPtr& document() const { return document_; }
  const Trace& trace() const { return document_->trace; }
  bool has_trace() const { return document_ != nullptr; }

  /// Takes the workers' results. Call once a frame. Returns true when something changed.
  bool update();
  /// Waits for the workers, then updates (for screenshots).
  void settle();

  TimelineView& view() { return view_; }
  const TimelineView& view() const { return view_; }

  // Selection.
  const Selection& selection() const { return chosen_.selection; }
  void select(SliceId slice);
  void select(GapRef gap);
  void select(InstantRef instant);
  /// Clears selection, range and highlight.
  void clear_selection();
  /// Returns the time of the selection: slice, gap or range; nothing without one.
  std::optional<TimeSpan> selected_span() const;
  /// Returns the note without text for a marker on the selection; nothing without a selection.
  std::optional<Note> selection_as_note() const;
  /// Selects the slice or gap of a note without moving the view; does nothing if it does not exist.
  void select(const Note& note);
  /// Adds another user's notes to the markers, and returns a summary: "Took over 3 notes; 1 passed over".
  std::string take_over(const ParsedNotes& notes);
  /// Returns the selected gap, of a stream or of a whole GPU; null if none is selected.
  const Gap* selected_gap() const;

  /// Selects the slice and brings it into view.
  void go_to(SliceId slice);
  void go_to(GapRef gap);
  void go_to(const BlamedPlace& place);
  /// Goes to a slice, or to a time span, which becomes the range.
  void go_to(const ReportPlace& place);

  // View.
  /// Zooms to the selection; if it is already shown, shows the whole trace.
  void focus();
  /// Shows the home range; if it is already shown, shows the whole trace.
  void fit();
  void zoom(double factor);  ///< around the middle

  // Stepping. Returns false when there is nowhere to go.
  /// Steps along the chosen route, else to the next gap of the list. For a trace seen from another
  /// machine, asks that machine for the next of all its gaps; the view follows when the answer arrives.
  bool step_gap(int direction);
  /// Goes to the gap in which the whole GPU was idle for longest.
  bool go_to_longest_gap();
  bool step_on_track(int direction);
  bool step_to_parent();
  bool step_to_child();
  /// Chooses the next (+1) or previous link of a selection with several.
  bool choose_link(int direction);
  std::size_t link_count() const { return links_of_selection().size(); }
  bool follow_link(int direction);  ///< +1: to what the selection launched or flows to; -1: to its origin
  /// `zooms`: also zoom to the slice.
  bool step_occurrence(int direction, bool zooms = false);

  // The history of the view. `now_s`: any clock. Call once a frame, unless the mouse is moving the view.
  void note_view(double now_s);
  const ViewHistory& history() const { return chosen_.history; }
  bool step_view(int direction);  ///< -1: back
  /// Scrolls to a track, and to its time if none of it is in view.
  void show_track(TrackId track);

  // Range.
  const std::optional<TimeSpan>& area() const { return chosen_.area; }
  /// An empty span clears it.
  void set_area(std::optional<TimeSpan> area);
  /// Selects a range of these tracks; none: of all tracks.
  void set_area(TimeSpan area, std::vector<TrackId> tracks);
  /// Makes the span of the selected slice or gap the range.
  void area_from_selection();

  /// Returns how busy the GPUs are over the whole trace; null until computed.
  const ActivityOverview* overview() const { return found_.overview.get(); }

  // Markers.
  Markers& markers() { return markers_; }
  const Markers& markers() const { return markers_; }
  /// Toggles the ruler's display of the selected span (M).
  void mark_temporarily();
  /// Adds a marker on the selection, else at the time under the mouse. Returns its number; 0 = there are too many.
  std::uint32_t add_marker();
  void keep_temporary();
  bool remove_chosen_marker();
  /// Goes to the marker, and selects its slice or gap if it has one.
  void go_to(const Marker& marker);

  // Units of time.
  TimeUnit time_unit() const { return chosen_.time_unit; }
  /// Returns false when the trace does not support the unit: no marker, no steps.
  bool set_time_unit(TimeUnit unit);
  std::string time_text(Nanos t) const;

  // Folding of time.
  /// Returns, once after folding found no stretch, a sentence that says why.
  std::string take_why_not_folded() { return std::exchange(found_.why_not_folded, {}); }
  bool folds_time() const { return chosen_.folds_time; }
  void set_fold_time(bool folds);
  /// Whether any time is folded; false = some shown track is busy all the time.
  bool has_time_folds() const { return view_.is_folding(); }

  // Slices hidden from the timeline. Statistics still count them.
  const HiddenNames& hidden() const { return chosen_.hidden; }
  /// The rows are compacted a moment later (is_computing()).
  void set_hidden(HiddenNames hidden);
  void hide_category(std::string_view category, bool is_hidden);
  void hide_name(std::string_view name, bool is_hidden);
  bool can_undo_hiding() const { return !chosen_.hidden_before.empty(); }
  /// Undoes the last change.
  void undo_hiding();
  /// The number of slices hidden now.
  std::uint64_t hidden_slice_count() const;

  /// Pins or unpins the track of the selected slice or gap.
  void pin_selected_track();

  /// Changes whenever the contents of the side-car change.
  std::uint64_t side_car_version() const { return view_.layout_version() + markers_.version() + hidden_version_; }

  // Steps (ProfilerStep#N).
  const std::vector<Step>& steps() const { return found_.steps; }
  /// Returns the pattern that defines the steps, for the side-car: the trace's, or the one chosen since.
  const std::string& steps_from() const { return found_.steps_from; }
  /// Stores the pattern; App::use_steps() reads the steps again.
  void set_steps_from(std::string pattern);
  /// Returns the steps whose window or annotations the range covers exactly, if there are any.
  std::optional<StepRange> selected_steps() const;
  /// Makes the steps and the GPU work launched in them the range (in a running recording only their annotations), and
  /// shows it.
  void select_steps(StepRange range);
  /// Goes to the step after (+1) or before (-1) the range; without a range to the first in view.
  bool step_step(int direction);

  // Tracks whose slices the statistics count; empty = all.
  const std::vector<TrackId>& counted_tracks() const { return chosen_.counted_tracks; }
  bool is_counted(TrackId track) const;
  void count_only(TrackId track);
  void toggle_counted(TrackId track);
  /// Adds a track to the range or removes it; the last one cannot be removed.
  void toggle_in_area(TrackId track);
  void count_all_tracks();

  // Statistics of the range, or of the whole trace. While a range is being computed, the last
  // complete answer stays.
  const Statistics& statistics() const;
  std::uint64_t statistics_version() const { return statistics_version_; }
  /// Statistics of the whole trace have no percentiles until this is called; those of a partly loaded
  /// trace have what their document has.
  void ask_percentiles();
  /// Whether anything that the panels show is being computed.
  bool is_computing() const { return jobs_.is_busy(); }
  /// Whether statistics of the range, or of the whole trace, are being computed.
  bool is_analyzing() const { return range_job_.is_busy() || whole_job_.is_busy() || !is_answered(); }
  /// Whether the statistics sent by another machine are of the present range and tracks; true
  /// for traces of this machine.
  bool is_answered() const;
  /// Returns the questions to the other machine about the present selection.
  RemoteQuestions questions(bool lists_gaps) const;
  /// Gives up a step requested from the other machine; returns false if there is none.
  bool forget_step();
  /// Goes to a place that the other machine named; selects it as soon as a picture contains it.
  void go_to_remote(const AskedSlice& slice);
  void go_to_remote(const AskedGap& gap);
  /// Returns the analysis of range and counted tracks; null without either, or until the first is computed.
  const RangeAnalysis* range_analysis() const { return found_.analysis.get(); }
  StatisticsView& table() { return table_; }
  const StatisticsView& table() const { return table_; }
  void update_table();
  /// torch.profiler's table.
  TorchView& torch() { return torch_; }
  const TorchView& torch() const { return torch_; }
  /// Requests torch's table of the range, or of the whole trace.
  void ask_torch();

  // Highlighting of a name.
  /// Returns the slices of the highlighted row. Computed in the background: empty until then (is_computing()).
  const Occurrences& occurrences() const { return found_.occurrences; }
  /// Returns the GPU work of the selected slice (slice_work) or of all slices of the highlighted row (in the range).
  const LaunchedWorkView& slice_work() const { return slice_work_; }
  /// Returns the notes about the selected slice.
  const SliceNotesView& slice_notes() const { return slice_notes_; }
  const LaunchedWorkView& row_work() const { return row_work_; }
  /// Whether the slices of occurrences() are still being searched.
  bool is_finding_occurrences() const { return occurrences_job_.is_busy(); }
  void highlight(StringId name, CategoryId category);
  /// Highlights all slices of a row of torch's table.
  void highlight(const TorchRow& row);
  /// Highlights all slices of the operator of a row of lost time.
  void highlight(const OperatorRow& row);
  /// Highlights all slices of a row of the grouped table computed with these options.
  void highlight(const GroupOptions& options, std::uint32_t row);
  /// Highlights all slices of a frame of a call tree built with these options.
  void highlight_calls(const CallTreeOptions& options, std::shared_ptr<const CallTree> tree, std::uint32_t node);
  void clear_highlight();
  /// Returns the row of torch's table whose slices are highlighted; empty if the highlight is a name (see
  /// occurrences()) or anything else.
  const std::string& highlighted_row() const { return found_.highlighted_row; }
  /// Restricts stepping to highlighted slices with such durations, starting with the first in view.
  void only_durations(std::optional<TimeSpan> durations);

  // Searching. Search and highlight exclude each other.
  const Search& search() const { return search_; }
  /// Searches for the text and marks the matches; empty = no search.
  void search_for(std::string text);
  /// Steps to the next (+1) or previous match; later, if not all matches are known yet.
  bool step_match(int direction);
  /// Goes to the next (1) or previous (-1) slice of the search, else of the highlighted name.
  bool step_found(int direction);

  // Gaps.
  GapList& gaps() { return gaps_; }
  const GapList& gaps() const { return gaps_; }
  Nanos min_gap() const { return chosen_.min_gap; }
  void set_min_gap(Nanos shortest);
  /// Whether gaps below the minimum length are not painted either.
  bool hides_short_gaps() const { return hides_short_gaps_; }
  void hide_short_gaps(bool hidden);
  void update_gaps();
  GapColumn gap_column = GapColumn::kDuration;
  bool gaps_descending = true;
  /// Without a selected range, gaps of the whole trace count, instead of those in the measured time.
  bool gaps_of_whole_trace = true;
  /// Whether the trace is completely loaded and the report's measured time is known.
  bool has_measured_time() const;
  /// Returns the filter for the range, else for the whole trace or the measured time, and for the counted GPU streams.
  GapFilter gap_filter() const;

  // Causes of gaps.
  GapCauses& causes() { return causes_; }
  const GapCauses& causes() const { return causes_; }
  /// Returns the places that N steps through instead of the gap list; empty = the list.
  const GapRoute& route() const { return found_.route; }
  void set_route(std::vector<BlamedPlace> places);
  void clear_route();

 private:
  Nanos reference_time(int direction) const;
  /// Calls `take` with the slice or gap of a note. Returns false if there is none. O(lanes).
  template <class Take>
  bool find_noted(TimeSpan span, NoteOn on, std::string_view name, Take&& take) const;
  /// A slice linked to the selected one by a launch or a flow.
  struct LinkedSlice {
    SliceId slice;
    bool is_forward = false;  ///< launched by the selection, or the end of its flow
  };
  /// The rows of the slice's track, if it has hidden slices; else null.
  const ShownRows* rows_of(SliceId slice) const;
  std::vector<LinkedSlice> links_of_selection() const;
  void highlight(const std::vector<StringId>& names, bool on_gpu, bool is_annotation);
  /// Returns the first slice that the selected slice launched.
  SliceId first_work() const;
  void choose_no_link();
  void mark_selection();
  /// Gives up what is being computed of the document, and what refers to it by its ids.
  void leave_document();
  /// Begins to look at the document, once view and choices are those for it.
  void show_document();
  void apply_hidden();
  /// Marks the search matches; if rows lack hidden slices, a worker computes the positions.
  void mark_matches();
  void analyze();
  /// Selects the wanted place as soon as a picture contains it.
  void find_wanted();
  void show_remote(TimeSpan span, TrackId track);
  /// Asks the other machine where a step leads; one more step requested meanwhile is queued.
  bool ask_step(int direction);
  /// Goes to the place that the other machine answered.
  void take_step();
  /// Searches slices on a worker; one step requested meanwhile is made when they are found.
  void find_occurrences(std::function<void(Occurrences&, const std::atomic<bool>&)> find);
  void stop_finding();
  /// The windows of steps(), by the same indices; there is a document.
  const std::vector<Step>& step_windows() const;

  BackgroundJobs jobs_;  // first member: the other jobs are registered in it
  DocumentPtr document_;

  /// What the user chose in the open trace. Stays when a more complete trace of the same files replaces it.
  struct Chosen {
    Selection selection;
    std::optional<std::size_t> link;  ///< index into links_of_selection()
    std::optional<TimeSpan> area;
    std::vector<TrackId> counted_tracks;
    Nanos min_gap = 0;
    HiddenNames hidden;
    std::vector<HiddenNames> hidden_before;  ///< undo history
    TimeUnit time_unit = TimeUnit::kStart;
    bool folds_time = false;
    ViewHistory history;
    // Named by the other machine, but not in a picture yet.
    std::optional<AskedSlice> wanted_slice;
    std::optional<AskedGap> wanted_gap;
    std::optional<AskedStep> wanted_step;  ///< requested, not answered yet
    std::optional<int> next_step;          ///< direction of the queued step
  };
  Chosen chosen_;

  /// What was found in the open trace, by its ids: another one begins without.
  struct Found {
    std::vector<Step> steps;
    std::string steps_from;
    std::vector<StepSpan> step_spans;  ///< steps for the ruler
    GapRoute route;
    Occurrences occurrences;
    std::shared_ptr<std::atomic<bool>> finding;  ///< set: the search of occurrences is given up
    int pending_step = 0;                        ///< to be made among occurrences that are being searched
    bool pending_zoom = false;
    std::string highlighted_row;
    std::shared_ptr<const RangeAnalysis> analysis;
    std::shared_ptr<const RangeAnalysis> whole;  ///< of the whole trace, with percentiles
    bool has_asked_whole = false;
    std::shared_ptr<const ActivityOverview> overview;
    std::uint64_t folded_for = 0;  ///< version of the arrangement that was folded
    std::string why_not_folded;
  };
  Found found_;

  TimelineView view_;
  Markers markers_;
  StatisticsView table_;
  std::uint64_t statistics_version_ = 0;
  GapList gaps_;
  bool hides_short_gaps_ = false;
  std::uint64_t hidden_version_ = 0;
  Search search_;
  LaunchedWorkView slice_work_;
  SliceNotesView slice_notes_;
  LaunchedWorkView row_work_;
  TorchView torch_;
  GapCauses causes_;
  RangeJob range_job_;
  RangeJob whole_job_;
  LatestJob<TimeFolds> fold_job_;
  LatestJob<ShownRows> shown_job_;
  LatestJob<ShownMatches> match_job_;
  LatestJob<ActivityOverview> overview_job_;
  LatestJob<Occurrences> occurrences_job_;
};

/// Returns the longest slice with this name, or an invalid id. O(slices).
SliceId find_longest(const Trace& trace, std::string_view name);

}  // namespace lacuna
