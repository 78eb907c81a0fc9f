#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/keyboard_motion.h"
#include "app/gui/core/same_tracks.h"
#include "app/gui/models/gaps/gap_list.h"
#include "app/gui/models/navigation/view_history.h"
#include "app/gui/models/tracks/track_arrangement.h"
#include "model/shown/shown_matches.h"
#include "model/shown/shown_rows.h"
#include "render/timeline_layout.h"

namespace lacuna {

struct CauseAnalysis;

/// What part of the trace the timeline shows, and how it gets there: camera, scrolling, collapsed
/// tracks, and the animation of all of it. Holds the TimelineInput that layout reads. No ImGui.
/// Cheap: relayout is O(tracks) and happens only when something vertical changed. UI thread.
class TimelineView {
 public:
  /// Starts over with another document (null = none); shows its home range.
  void show(DocumentPtr document);
  /// Another document of the same files, which knows more of them: what is in view stays in view. A
  /// view of the whole (the home range) stays one.
  void refresh(DocumentPtr document, const SameTracks& same);
  /// Size of the track area in pixels (pinned tracks and the others), and the interface's scale.
  void resize(float width_px, float height_px, float scale);
  void set_palette(const Palette* palette) { input_.palette = palette; }

  const TimelineInput& input() const { return input_; }
  const VerticalLayout& vertical() const { return vertical_; }
  const Camera& camera() const { return input_.view.camera; }
  float width_px() const { return input_.view.width_px; }
  float height_px() const { return input_.view.height_px; }
  float scroll_y() const { return input_.view.scroll_y; }
  TimeSpan visible() const { return input_.view.visible(); }
  double x_of(Nanos t) const { return input_.view.x_of(t); }
  Nanos time_at(double x_px) const { return input_.view.time_at(x_px); }
  /// Long idle stretches are drawn short from now on; null or empty: none. What is in view stays there.
  void fold_time(std::shared_ptr<const TimeFolds> folds);
  bool is_folding() const { return time_folds_ != nullptr; }
  Nanos origin() const { return input_.view.axis.origin; }
  /// Steps to be named on the ruler, ascending. Must stay until the next call; null = none.
  void show_steps(const std::vector<StepSpan>* steps) { input_.data.steps = steps; }
  void set_axis(const TimeAxis& axis) { input_.view.axis = axis; }
  /// The time under the mouse, as far as it is known.
  Nanos zoom_centre() const { return input_.view.time_at(zoom_x_px_); }

  // Direct movement, as the mouse makes it. Ends an animation.
  void zoom_at(double x_px, double factor);
  void pan(double dx_px);
  void scroll(float dy_px);
  void scroll_to(float y_px);

  /// The same scale, with `t` in the middle.
  void centre_on(Nanos t);
  /// Exactly this, as far as the limits let it.
  void show_span(TimeSpan span);
  /// Takes this camera without a check of where it looks: another timeline leads this one.
  void show_at(const Camera& camera);

  // Movement that takes a moment, so that the eye can follow.
  void go_to(TimeSpan span, double margin = 0.1);
  /// The least movement that shows `span` well: none if it is in view and wide enough, else centred,
  /// zoomed only if it would be narrower than 16 px or wider than the view.
  void bring_into_view(TimeSpan span);
  /// Scrolls, and expands what is collapsed, so that the row of `slice` is in view.
  void reveal(SliceId slice);
  void reveal(TrackId track);
  // A recording under way: the view goes with the newest, until a movement of the user's ends that.
  /// `span`: how much time to show from now on; 0 = as much as now.
  void start_following(Nanos span);
  void stop_following() { is_following_ = false; }
  bool is_following() const { return is_following_; }
  /// Puts `newest` near the right edge if the view follows; to be called before each frame.
  void follow(Nanos newest);
  /// The camera at which the view will arrive; the present one when nothing moves.
  const Camera& destination() const { return move_ ? move_->to : input_.view.camera; }
  /// The same with the scrolling, for a history of places; and back to one of them.
  ViewPlace destination_place() const { return {destination(), move_ ? move_->to_y : input_.view.scroll_y}; }
  void return_to(const ViewPlace& place) { start_move(place.camera, clamped_scroll(place.scroll_y)); }
  /// How often the view went somewhere at once (go_to, reveal, …) instead of being moved.
  unsigned jumps() const { return jumps_; }
  bool has_place() const { return document_ != nullptr && !needs_home_; }
  Camera camera_for(TimeSpan span, double margin = 0.1) const;

  // Keys W, A, S, D. `zoom_x_px`: the mouse, around which zooming happens.
  KeyboardMotion& keys() { return keys_; }
  void set_zoom_centre(double x_px) { zoom_x_px_ = x_px; }

  /// Moves on by `seconds`. True while there is more to come: draw again.
  bool animate(double seconds);
  bool is_animating() const { return move_.has_value() || keys_.is_active(); }
  /// Off: every movement is done at once (screenshots, tests).
  void set_animated(bool animated) { is_animated_ = animated; }

  // Tracks.
  bool is_collapsed(TrackId track) const;
  bool is_collapsed(ProcessId process) const;
  void set_collapsed(TrackId track, bool collapsed);
  void set_collapsed(ProcessId process, bool collapsed);
  void set_all_collapsed(bool collapsed);
  bool any_collapsed() const;
  /// GPUs above the processes that feed them, so that their gaps are in view without scrolling even
  /// under deep Python stacks; else in the order of the trace.
  void put_gpu_first(bool first);
  bool is_gpu_first() const { return gpu_first_; }
  /// GPU streams that are scrolled away stay in view, in the pane of the pinned tracks.
  void keep_gpu(bool stays);
  /// Outer Python frames that last for all of a thread's time stand in one row.
  void squeeze_frames(bool squeezes);
  /// How many of them are in that pane now.
  std::size_t kept_count() const { return kept_; }

  /// Which tracks are shown, and in what order.
  const TrackArrangement& arrangement() const { return arrangement_; }
  /// Rows without hidden slices, of the trace that is shown; null = nothing is hidden. What is at the top
  /// of the view stays there.
  void show_rows(std::shared_ptr<const ShownRows> rows);
  const std::shared_ptr<const ShownRows>& shown_rows() const { return shown_rows_; }
  /// Calls change(TrackArrangement&) and lays out what came of it.
  template <class Change>
  void arrange(Change&& change) {
    change(arrangement_);
    relayout();
  }
  /// Counts changes of the arrangement and of what is collapsed.
  std::uint64_t layout_version() const { return arrangement_.version() + collapse_version_; }

  /// The pinned tracks have a pane of their own above the others, with a scroll position of its own.
  const VerticalLayout& pinned() const { return pinned_; }
  float pins_px() const { return pins_px_; }
  float pin_scroll_y() const { return pin_scroll_y_; }
  void scroll_pins(float dy_px);
  /// The input of that pane. Copies; call it once a frame.
  const TimelineInput& pin_input();

  // Marks that layout needs.
  void mark_selection(SliceId slice, std::uint32_t gap_stream, std::uint32_t gap);
  /// An invalid track: none.
  void mark_instant(TrackId track, std::uint32_t index) {
    input_.emphasis.selected_instant_track = track;
    input_.emphasis.selected_instant = index;
  }
  /// The one of the selected slice's links that [ and ] follow; invalid = none is chosen.
  void mark_link(SliceId from, SliceId to) {
    input_.emphasis.focused_from = from;
    input_.emphasis.focused_to = to;
  }
  /// Arrows of every slice in view that is wide enough to be drawn alone.
  void show_all_arrows(bool shown) { input_.emphasis.show_all_arrows = shown; }
  void mark_name(StringId name) { input_.emphasis.highlighted_name = name; }
  /// What the search found; must stay until the next call. Null = no search.
  void mark_matches(const SliceMatches* matches);
  /// Marks the places of matches in shown_rows(). What belongs to other matches or rows marks nothing.
  void mark_matches(std::shared_ptr<const ShownMatches> matches);
  /// A critical path of the document that is shown; null: none.
  void show_path(std::shared_ptr<const PathMarks> path);
  bool shows_path() const { return path_ != nullptr; }
  /// Allocations of the document that is shown, below what made them; null: none.
  void show_memory(std::shared_ptr<const MemoryMarks> marks);
  /// What is known of the gaps; null = nothing yet. Must stay until the next call.
  void show_causes(const CauseAnalysis* causes);
  /// How busy GPU processes are; null = not known yet. Must stay until the next call.
  void show_busy(const std::vector<ProcessBusy>* processes) { input_.data.process_busy = processes; }
  /// Others are dimmed; empty = none is.
  void mark_gaps(std::vector<GapRef> gaps);
  /// Queue depth of each stream as a lane under it.
  void show_queues(bool shown);
  bool shows_queues() const { return shows_queues_; }
  void show_gaps(bool shown) { input_.emphasis.show_gaps = shown; }
  void set_min_gap(Nanos shortest) { input_.emphasis.min_gap_ns = shortest; }

 private:
  /// A movement from one camera and scroll position to another.
  struct Move {
    Camera from, to;
    float from_y = 0, to_y = 0;
    double seconds = 0;  ///< that went by
  };

  void point_at_document();
  /// The track at the top of the view, and how far into it the view begins. Invalid at the very top.
  std::pair<TrackId, float> top_of_view() const;
  void squeeze();
  void start_move(const Camera& to, float to_y);
  void end_move();
  TimeSpan folded(TimeSpan span) const { return time_folds_ ? time_folds_->fold(span) : span; }
  void relayout();
  void use_shown_matches();
  void find_keepable();
  bool is_kept(TrackId track) const;
  /// Puts the content's `y_px` at the top of the tracks below the pane, as far as there is content.
  void put_at_top(float y_px);
  /// How many tracks are kept when `y_px` is at the top.
  std::size_t count_kept(float y_px) const;
  void lay_out_pane();
  void share_height();
  void place_extra_counters();
  float clamped_scroll(float y) const;
  TimeSpan limits() const;

  DocumentPtr document_;
  std::shared_ptr<const TimeFolds> time_folds_;
  std::shared_ptr<const ShownRows> shown_rows_;
  std::shared_ptr<const ShownMatches> shown_matches_;
  TimelineInput input_;
  std::shared_ptr<NameClasses> classes_;  ///< of the document's names, as input_ has it
  VerticalLayout vertical_;
  TrackArrangement arrangement_;
  std::uint64_t collapse_version_ = 0;
  VerticalLayout pinned_;
  TimelineInput pin_input_;
  /// A GPU stream that is kept in view: where it lies when it is not.
  struct Keepable {
    TrackId track;
    float y0 = 0, y1 = 0;
  };
  std::vector<Keepable> keepable_;  ///< ascending by y0; none when GPUs are not kept
  std::size_t kept_ = 0;            ///< the number of tracks, from the first, that are in the pane
  bool keeps_gpu_ = true;
  bool squeezes_frames_ = true;
  float pins_px_ = 0;  ///< height of their pane
  float pin_scroll_y_ = 0;
  float area_px_ = 0;  ///< height of both panes
  KeyboardMotion keys_;
  std::optional<Move> move_;
  double zoom_x_px_ = 0;
  bool is_animated_ = true;
  bool gpu_first_ = true;
  bool shows_queues_ = false;
  std::shared_ptr<const PathMarks> path_;
  std::shared_ptr<const MemoryMarks> memory_;
  const CauseAnalysis* causes_ = nullptr;
  unsigned jumps_ = 0;
  bool is_following_ = false;
  Nanos followed_span_ = 0;  ///< to be shown from the next follow() on; 0 = as is
  bool needs_home_ = false;  ///< show the home range once the width is known
};

}  // namespace lacuna
