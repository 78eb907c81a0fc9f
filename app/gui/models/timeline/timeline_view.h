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

/// The part of the trace that the timeline shows, and its movements: camera, scrolling, collapsed
/// tracks, and their animation. Holds the TimelineInput that layout reads. No ImGui.
/// A relayout is O(tracks) and happens only when something vertical changed. UI thread.
class TimelineView {
 public:
  /// Starts over with another document (null = none); shows its home range.
  void show(DocumentPtr document);
  /// Shows a later document of the same files: what is in view stays in view. A
  /// view of the whole trace (the home range) stays one.
  void refresh(DocumentPtr document, const SameTracks& same);
  /// Sets the size of the track area in pixels (pinned and other tracks), and the interface's scale.
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
  /// Draws long idle stretches short; null or empty: none. The view stays in place.
  void fold_time(std::shared_ptr<const TimeFolds> folds);
  bool is_folding() const { return time_folds_ != nullptr; }
  Nanos origin() const { return input_.view.axis.origin; }
  /// Sets the steps named on the ruler, ascending. Must stay valid until the next call; null = none.
  void show_steps(const std::vector<StepSpan>* steps) { input_.data.steps = steps; }
  void set_axis(const TimeAxis& axis) { input_.view.axis = axis; }
  /// Returns the time under the mouse, if known.
  Nanos zoom_centre() const { return input_.view.time_at(zoom_x_px_); }

  // Immediate movement, as by the mouse. Ends an animation.
  void zoom_at(double x_px, double factor);
  void pan(double dx_px);
  void scroll(float dy_px);
  void scroll_to(float y_px);

  /// Centres on `t` at the same scale.
  void centre_on(Nanos t);
  /// Shows exactly this span, within the limits.
  void show_span(TimeSpan span);
  /// Sets the camera without checking its limits: another timeline leads this one.
  void show_at(const Camera& camera);

  // Animated movement, so that the eye can follow.
  void go_to(TimeSpan span, double margin = 0.1);
  /// Makes the least movement that shows `span` well: none if it is in view and wide enough; otherwise centres it, and
  /// zooms only if it would be narrower than 16 px or wider than the view.
  void bring_into_view(TimeSpan span);
  /// Scrolls, and expands collapsed tracks, so that the row of `slice` is in view.
  void reveal(SliceId slice);
  void reveal(TrackId track);
  // In a running recording the view follows the newest events until the user moves it.
  /// `span`: the length of time to show; 0 = the present length.
  void start_following(Nanos span);
  void stop_following() { is_following_ = false; }
  bool is_following() const { return is_following_; }
  /// Puts `newest` near the right edge if the view follows; call before each frame.
  void follow(Nanos newest);
  /// Returns the camera at the end of the present animation; the present camera if nothing moves.
  const Camera& destination() const { return move_ ? move_->to : input_.view.camera; }
  /// Returns destination() with the scroll position, for the history of places.
  ViewPlace destination_place() const { return {destination(), move_ ? move_->to_y : input_.view.scroll_y}; }
  void return_to(const ViewPlace& place) { start_move(place.camera, clamped_scroll(place.scroll_y)); }
  /// The number of times the view jumped (go_to, reveal, …) instead of being moved.
  unsigned jumps() const { return jumps_; }
  bool has_place() const { return document_ != nullptr && !needs_home_; }
  Camera camera_for(TimeSpan span, double margin = 0.1) const;

  // Keys W, A, S, D. `zoom_x_px`: the mouse position, the centre of zooming.
  KeyboardMotion& keys() { return keys_; }
  void set_zoom_centre(double x_px) { zoom_x_px_ = x_px; }

  /// Advances the animation by `seconds`. Returns true while it goes on: draw again.
  bool animate(double seconds);
  bool is_animating() const { return move_.has_value() || keys_.is_active(); }
  /// Off: every movement takes effect at once (screenshots, tests).
  void set_animated(bool animated) { is_animated_ = animated; }

  // Tracks.
  bool is_collapsed(TrackId track) const;
  bool is_collapsed(ProcessId process) const;
  void set_collapsed(TrackId track, bool collapsed);
  void set_collapsed(ProcessId process, bool collapsed);
  void set_all_collapsed(bool collapsed);
  bool any_collapsed() const;
  /// Places GPUs above the processes that feed them, so that their gaps are in view without scrolling even
  /// under deep Python stacks; off: the order of the trace.
  void put_gpu_first(bool first);
  /// Keeps GPU streams that are scrolled out of view visible in the pane of the pinned tracks.
  void keep_gpu(bool stays);
  /// Draws outer Python frames that last for all of a thread's time in one row.
  void squeeze_frames(bool squeezes);
  /// The number of GPU streams in that pane now.
  std::size_t kept_count() const { return kept_; }

  /// The tracks shown and their order.
  const TrackArrangement& arrangement() const { return arrangement_; }
  /// Sets the rows without hidden slices, for the shown trace; null = nothing is hidden. The top
  /// of the view stays in place.
  void show_rows(std::shared_ptr<const ShownRows> rows);
  const std::shared_ptr<const ShownRows>& shown_rows() const { return shown_rows_; }
  /// Calls change(TrackArrangement&) and lays out the result.
  template <class Change>
  void arrange(Change&& change) {
    change(arrangement_);
    relayout();
  }
  /// Changes whenever the arrangement or the set of collapsed tracks changes.
  std::uint64_t layout_version() const { return arrangement_.version() + collapse_version_; }

  /// Layout of the pinned tracks: a pane above the others with its own scroll position.
  const VerticalLayout& pinned() const { return pinned_; }
  float pins_px() const { return pins_px_; }
  float pin_scroll_y() const { return pin_scroll_y_; }
  void scroll_pins(float dy_px);
  /// Returns the input of that pane. Copies; call it once a frame.
  const TimelineInput& pin_input();

  // Marks that the layout uses.
  void mark_selection(SliceId slice, std::uint32_t gap_stream, std::uint32_t gap);
  /// Marks an instant; an invalid track: none.
  void mark_instant(TrackId track, std::uint32_t index) {
    input_.emphasis.selected_instant_track = track;
    input_.emphasis.selected_instant = index;
  }
  /// Marks the link of the selected slice that [ and ] follow; invalid = none is chosen.
  void mark_link(SliceId from, SliceId to) {
    input_.emphasis.focused_from = from;
    input_.emphasis.focused_to = to;
  }
  /// Draws the arrows of every slice in view that is wide enough to be drawn alone.
  void show_all_arrows(bool shown) { input_.emphasis.show_all_arrows = shown; }
  void mark_name(StringId name) { input_.emphasis.highlighted_name = name; }
  /// Marks the search matches; must stay valid until the next call. Null = no search.
  void mark_matches(const SliceMatches* matches);
  /// Marks the positions of the matches in shown_rows(). Ignored if they belong to other matches or rows.
  void mark_matches(std::shared_ptr<const ShownMatches> matches);
  /// Draws a critical path of the shown document; null: none.
  void show_path(std::shared_ptr<const PathMarks> path);
  bool shows_path() const { return path_ != nullptr; }
  /// Draws allocations of the shown document below the slices that made them; null: none.
  void show_memory(std::shared_ptr<const MemoryMarks> marks);
  /// Sets the causes of the gaps; null = unknown. Must stay valid until the next call.
  void show_causes(const CauseAnalysis* causes);
  /// Sets how busy GPU processes are; null = unknown. Must stay valid until the next call.
  void show_busy(const std::vector<ProcessBusy>* processes) { input_.data.process_busy = processes; }
  /// Dims all other gaps; empty = dims none.
  void mark_gaps(std::vector<GapRef> gaps);
  /// Shows each stream's queue depth as a lane under it.
  void show_queues(bool shown);
  bool shows_queues() const { return shows_queues_; }
  void show_gaps(bool shown) { input_.emphasis.show_gaps = shown; }
  void set_min_gap(Nanos shortest) { input_.emphasis.min_gap_ns = shortest; }

 private:
  /// A movement from one camera and scroll position to another.
  struct Move {
    Camera from, to;
    float from_y = 0, to_y = 0;
    double seconds = 0;  ///< elapsed time
  };

  void point_at_document();
  /// Returns the track at the top of the view and the view's offset in it. Invalid at the very top.
  std::pair<TrackId, float> top_of_view() const;
  void squeeze();
  void start_move(const Camera& to, float to_y);
  void end_move();
  TimeSpan folded(TimeSpan span) const { return time_folds_ ? time_folds_->fold(span) : span; }
  void relayout();
  void use_shown_matches();
  void find_keepable();
  bool is_kept(TrackId track) const;
  /// Scrolls the content's `y_px` to the top of the tracks below the pane, as far as the content allows.
  void put_at_top(float y_px);
  /// The number of kept tracks when `y_px` is at the top.
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
  std::shared_ptr<NameClasses> classes_;  ///< classes of the document's names, shared with input_
  VerticalLayout vertical_;
  TrackArrangement arrangement_;
  std::uint64_t collapse_version_ = 0;
  VerticalLayout pinned_;
  TimelineInput pin_input_;
  /// A GPU stream that is kept in view, and its usual position.
  struct Keepable {
    TrackId track;
    float y0 = 0, y1 = 0;
  };
  std::vector<Keepable> keepable_;  ///< ascending by y0; empty if GPUs are not kept
  std::size_t kept_ = 0;            ///< the first `kept_` of keepable_ are in the pane
  bool keeps_gpu_ = true;
  bool squeezes_frames_ = true;
  float pins_px_ = 0;  ///< height of the pinned tracks' pane
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
  Nanos followed_span_ = 0;  ///< the length that the next follow() shows; 0 = unchanged
  bool needs_home_ = false;  ///< show the home range as soon as the width is known
};

}  // namespace lacuna
