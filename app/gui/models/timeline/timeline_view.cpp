#include "app/gui/models/timeline/timeline_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/models/gaps/gap_causes.h"
#include "model/holders/memory_marks.h"

namespace lacuna {
namespace {

constexpr double kMoveSeconds = 0.18;
constexpr double kHomeMargin = 0.01;
constexpr double kNewestAt = 0.94;   // of the width, while following
constexpr float kMostPinned = 0.6f;  // of the height
constexpr float kMostKept = 0.4f;    // likewise, of GPU streams that nobody pinned
constexpr double kNarrowPx = 16;     // things to look at should be wider

double ease_out(double part) {
  const double rest = 1 - part;
  return 1 - rest * rest * rest;
}

/// A camera between two others. Zooming goes by the one point that both show at the same place, so
/// that it looks like zooming there.
Camera between(const Camera& from, const Camera& to, double part) {
  const double ratio = from.ns_per_px() / to.ns_per_px();  // > 1: zooms in
  const double shift_px = from.x_of(to.begin());           // of the target's left edge
  if (std::fabs(std::log(ratio)) < 0.02) return from.panned(shift_px * part);
  const double fixed_px = shift_px * ratio / (ratio - 1);
  return from.zoomed_at(fixed_px, std::pow(ratio, part));
}

/// But for rounding.
bool same_view(const Camera& a, const Camera& b) {
  return std::fabs(a.x_of(b.begin())) < 1 && std::fabs(a.ns_per_px() / b.ns_per_px() - 1) < 1e-6;
}

}  // namespace

void TimelineView::show(DocumentPtr document) {
  const TimelineInput old = std::move(input_);
  document_ = std::move(document);
  time_folds_.reset();
  shown_rows_.reset();
  shown_matches_.reset();
  input_ = TimelineInput{};
  input_.palette = old.palette;
  input_.view.metrics = old.view.metrics;
  input_.view.width_px = old.view.width_px;
  input_.view.height_px = old.view.height_px;
  input_.emphasis.show_gaps = old.emphasis.show_gaps;
  input_.emphasis.show_all_arrows = old.emphasis.show_all_arrows;
  input_.emphasis.min_gap_ns = old.emphasis.min_gap_ns;
  causes_ = nullptr;
  path_.reset();
  move_.reset();
  keys_.stop();
  is_following_ = false;
  needs_home_ = document_ != nullptr;
  if (document_) point_at_document();
  arrangement_.reset(input_.data.trace);
  relayout();
  // What does nothing but wait takes no room until somebody wants to see it.
  bool any_waits = false;
  for (std::uint32_t t = 0; t < input_.arrangement.tracks.size(); ++t)
    if (arrangement_.waits(TrackId{t})) any_waits = input_.arrangement.tracks[t].is_collapsed = true;
  if (any_waits) relayout();
  if (needs_home_ && input_.view.width_px > 0) resize(input_.view.width_px, area_px_, input_.view.metrics.scale);
}

void TimelineView::show_path(std::shared_ptr<const PathMarks> path) {
  path_ = std::move(path);
  input_.emphasis.path = path_.get();
}

void TimelineView::show_memory(std::shared_ptr<const MemoryMarks> marks) {
  if (marks == memory_) return;
  const auto [top, into] = top_of_view();
  memory_ = std::move(marks);
  input_.data.memory = memory_.get();
  place_extra_counters();
  relayout();
  if (const TrackPlace* place = top.valid() ? vertical_.find(top) : nullptr) put_at_top(place->y0 + into);
}

void TimelineView::point_at_document() {
  show_path(nullptr);
  std::erase_if(input_.arrangement.extra_counters, [](const ExtraCounter& extra) { return extra.is_memory; });
  memory_.reset();
  input_.data.memory = nullptr;
  input_.data.trace = &document_->trace;
  input_.data.is_thinned = document_->is_thinned;
  input_.data.streams = &document_->streams;
  input_.data.busy = &document_->busy;
  input_.data.measured = &document_->measured_of;
  input_.data.hues = &document_->hues;
  classes_ = std::make_shared<NameClasses>();
  input_.data.classes = classes_.get();
  input_.data.folds = &document_->folds;
  squeeze();
  input_.data.track_folds = document_->track_folds.instants.empty() ? nullptr : &document_->track_folds;
  input_.view.axis = {document_->trace.span().empty() ? 0 : document_->trace.span().begin, false};
  input_.arrangement.tracks.assign(document_->trace.tracks().size(), {});
  input_.arrangement.collapsed_processes.assign(document_->trace.processes().size(), 0);
}

void TimelineView::refresh(DocumentPtr document, const SameTracks& same) {
  // Other steps of the same files may mean another home, but their choice does not move the view.
  const bool has_other_steps = document->trace.steps_from() != document_->trace.steps_from();
  const bool was_home =
      !is_following_ &&
      (needs_home_ || (!has_other_steps && same_view(destination(), camera_for(document_->home, kHomeMargin))));
  auto [top, into] = top_of_view();
  if (top.valid()) top = same.track(top);
  const std::vector<TrackState> tracks = std::move(input_.arrangement.tracks);
  const std::vector<std::uint8_t> processes = std::move(input_.arrangement.collapsed_processes);
  document_ = std::move(document);
  shown_rows_.reset();  // their ids are those of the old trace
  input_.data.shown = nullptr;
  use_shown_matches();
  point_at_document();
  arrangement_.move_to(document_->trace, same);
  for (std::uint32_t t = 0; t < tracks.size(); ++t)
    if (const TrackId now = same.track(TrackId{t}); now.valid()) input_.arrangement.tracks[now.value] = tracks[t];
  for (std::uint32_t p = 0; p < processes.size(); ++p)
    if (const ProcessId now = same.process(ProcessId{p}); now.valid())
      input_.arrangement.collapsed_processes[now.value] = processes[p];
  relayout();
  if (was_home && input_.view.width_px > 0) {
    move_.reset();
    input_.view.camera = camera_for(document_->home, kHomeMargin);
  }
  if (const TrackPlace* place = top.valid() ? vertical_.find(top) : nullptr) put_at_top(place->y0 + into);
}

void TimelineView::mark_matches(const SliceMatches* matches) {
  input_.emphasis.matches = matches;
  use_shown_matches();
}

void TimelineView::mark_matches(std::shared_ptr<const ShownMatches> matches) {
  shown_matches_ = std::move(matches);
  use_shown_matches();
}

void TimelineView::use_shown_matches() {
  const bool is_current = shown_matches_ != nullptr && shown_matches_->rows() == shown_rows_.get() &&
                          shown_matches_->matches() == input_.emphasis.matches;
  if (!is_current) shown_matches_.reset();
  input_.emphasis.shown_matches = shown_matches_.get();
}

std::pair<TrackId, float> TimelineView::top_of_view() const {
  if (input_.view.scroll_y <= 0) return {};
  for (const TrackPlace& place : vertical_.tracks)
    if (place.y1 > input_.view.scroll_y) return {place.track, input_.view.scroll_y - place.y0};
  return {};
}

void TimelineView::show_rows(std::shared_ptr<const ShownRows> rows) {
  if (rows == shown_rows_) return;
  const auto [top, into] = top_of_view();
  shown_rows_ = std::move(rows);
  input_.data.shown = shown_rows_.get();
  use_shown_matches();
  relayout();
  if (const TrackPlace* place = top.valid() ? vertical_.find(top) : nullptr)
    put_at_top(place->y0 + std::min(into, place->y1 - place->y0));
}

void TimelineView::resize(float width_px, float height_px, float scale) {
  const bool scale_changed = scale != input_.view.metrics.scale;
  const bool width_changed = width_px != input_.view.width_px;
  if (width_changed && input_.view.width_px > 0 && width_px > 0 && document_ && !needs_home_) {
    // A resized window shows the same time.
    const TimeSpan shown = visible();
    input_.view.camera = Camera::fit(folded(shown), width_px);
    end_move();
  }
  input_.view.width_px = width_px;
  area_px_ = height_px;
  input_.view.metrics.scale = scale;
  scale_changed ? relayout() : share_height();
  if (needs_home_ && width_px > 0) {
    needs_home_ = false;
    input_.view.camera = camera_for(document_->home, kHomeMargin);
  }
  put_at_top(input_.view.scroll_y);
}

TimeSpan TimelineView::limits() const {
  return document_ ? folded(document_->trace.span()) : TimeSpan{};
}

Camera TimelineView::camera_for(TimeSpan span, double margin) const {
  return Camera::fit(folded(span), input_.view.width_px, margin).clamped(limits(), input_.view.width_px);
}

void TimelineView::start_following(Nanos span) {
  end_move();
  keys_.stop();
  is_following_ = true;
  followed_span_ = span;
}

void TimelineView::follow(Nanos newest) {
  if (!is_following_ || input_.view.width_px <= 0) return;
  const double at_px = input_.view.width_px * kNewestAt;
  if (followed_span_ > 0) {
    needs_home_ = false;
    const double ns_per_px = static_cast<double>(std::exchange(followed_span_, 0)) / input_.view.width_px;
    input_.view.camera = Camera::at(folded({newest, newest}).begin, 0, ns_per_px).panned(-at_px);
  } else {
    input_.view.camera = input_.view.camera.panned(input_.view.x_of(newest) - at_px);
  }
}

void TimelineView::zoom_at(double x_px, double factor) {
  end_move();
  stop_following();
  input_.view.camera = input_.view.camera.zoomed_at(x_px, factor).clamped(limits(), input_.view.width_px);
}

void TimelineView::pan(double dx_px) {
  end_move();
  stop_following();
  input_.view.camera = input_.view.camera.panned(dx_px).clamped(limits(), input_.view.width_px);
}

void TimelineView::centre_on(Nanos t) {
  end_move();
  const double middle = input_.view.width_px / 2.0;
  input_.view.camera = input_.view.camera.panned(input_.view.x_of(t) - middle).clamped(limits(), input_.view.width_px);
}

void TimelineView::show_span(TimeSpan span) {
  end_move();
  input_.view.camera = camera_for(span, 0);
}

void TimelineView::show_at(const Camera& camera) {
  end_move();
  input_.view.camera = camera;
}

void TimelineView::scroll(float dy_px) {
  end_move();
  // As if nothing was kept, so that the content does not jump when a track comes to its place in the pane:
  // that is where it was scrolled to.
  const auto height_of = [](const Keepable& k) { return k.y1 - k.y0; };
  float kept_px = 0;
  for (std::size_t k = 0; k < kept_; ++k) kept_px += height_of(keepable_[k]);
  const float room = input_.view.height_px + kept_px;
  const float y = std::clamp(input_.view.scroll_y - kept_px + dy_px, 0.0f, std::max(0.0f, vertical_.height - room));
  kept_px = 0;
  for (const Keepable& k : keepable_) {
    if (k.y0 - y >= kept_px || kept_px + height_of(k) > area_px_ * kMostKept) break;
    kept_px += height_of(k);
  }
  put_at_top(y + kept_px);
}

std::size_t TimelineView::count_kept(float y_px) const {
  float height = 0;
  std::size_t count = 0;
  for (const Keepable& k : keepable_) {
    height += k.y1 - k.y0;
    if (k.y0 >= y_px || height > area_px_ * kMostKept) break;
    ++count;
  }
  return count;
}

void TimelineView::put_at_top(float y_px) {
  input_.view.scroll_y = std::max(0.0f, y_px);
  // The second time for what the end of the content took back.
  for (int i = 0; i < 2; ++i) {
    const std::size_t kept = count_kept(input_.view.scroll_y);
    if (kept != kept_) {
      kept_ = kept;
      lay_out_pane();
    }
    input_.view.scroll_y = clamped_scroll(input_.view.scroll_y);
  }
}

bool TimelineView::is_kept(TrackId track) const {
  return std::any_of(keepable_.begin(), keepable_.begin() + static_cast<std::ptrdiff_t>(kept_),
                     [track](const Keepable& k) { return k.track == track; });
}

void TimelineView::keep_gpu(bool stays) {
  keeps_gpu_ = stays;
  relayout();
}

void TimelineView::scroll_to(float y_px) {
  end_move();
  put_at_top(y_px);
}

float TimelineView::clamped_scroll(float y) const {
  return std::clamp(y, 0.0f, std::max(0.0f, vertical_.height - input_.view.height_px));
}

void TimelineView::go_to(TimeSpan span, double margin) {
  start_move(camera_for(span, margin), move_ ? move_->to_y : input_.view.scroll_y);
}

void TimelineView::bring_into_view(TimeSpan span) {
  const Camera& now = destination();
  const double x0 = now.x_of(folded(span).begin);
  const double x1 = now.x_of(folded(span).end);
  const double width = input_.view.width_px;
  if (x1 - x0 < kNarrowPx || x1 - x0 > 0.9 * width) {
    // A fifth of the view: wide enough to read, with what surrounds it.
    const Nanos room = std::max<Nanos>(span.duration() * 2, 500);
    go_to({saturating_sub(span.begin, room), saturating_add(span.end, room)}, 0);
    return;
  }
  const double margin = 0.05 * width;
  if (x0 >= margin && x1 <= width - margin) return;
  start_move(now.panned((x0 + x1 - width) / 2).clamped(limits(), width), move_ ? move_->to_y : input_.view.scroll_y);
}

void TimelineView::reveal(SliceId slice) {
  if (!document_ || !slice.valid()) return;
  const Track& track = document_->trace.track_of(slice);
  reveal(track.id);
  const TrackPlace* place = vertical_.find(track.id);
  if (place == nullptr || is_kept(track.id)) return;
  const auto row = static_cast<float>(input_.data.row_of(slice));
  const float y0 = place->lanes_y0 + row * place->row_px;
  const float y1 = y0 + place->row_px;
  const float margin = place->row_px;
  const float now = move_ ? move_->to_y : input_.view.scroll_y;
  if (y0 - margin >= now && y1 + margin <= now + input_.view.height_px) return;
  start_move(destination(), clamped_scroll((y0 + y1 - input_.view.height_px) / 2));
}

void TimelineView::reveal(TrackId track_id) {
  if (!document_ || !track_id.valid()) return;
  const Track& track = document_->trace.track(track_id);
  if (input_.arrangement.is_hidden(track_id))
    arrange([&](TrackArrangement& tracks) {
      tracks.set_hidden(track_id, false);
      if (!tracks.filter().empty()) tracks.set_filter({});
    });
  if (is_collapsed(track.process)) set_collapsed(track.process, false);
  if (is_collapsed(track_id)) set_collapsed(track_id, false);
  const TrackPlace* place = vertical_.find(track_id);
  if (place == nullptr || is_kept(track_id)) return;
  const float now = move_ ? move_->to_y : input_.view.scroll_y;
  if (place->y1 <= now || place->y0 >= now + input_.view.height_px) {
    start_move(destination(), clamped_scroll((place->y0 + place->y1 - input_.view.height_px) / 2));
  }
}

void TimelineView::start_move(const Camera& to, float to_y) {
  keys_.stop();
  ++jumps_;
  stop_following();
  if (!is_animated_) {
    input_.view.camera = to;
    put_at_top(to_y);
    return;
  }
  move_ = Move{input_.view.camera, to, input_.view.scroll_y, to_y, 0};
}

void TimelineView::end_move() {
  move_.reset();
}

bool TimelineView::animate(double seconds) {
  if (move_) {
    move_->seconds += seconds;
    const double part = std::min(1.0, move_->seconds / kMoveSeconds);
    if (part >= 1) {
      input_.view.camera = move_->to;
      put_at_top(move_->to_y);
      move_.reset();
    } else {
      const double eased = ease_out(part);
      input_.view.camera = between(move_->from, move_->to, eased);
      put_at_top(move_->from_y + (move_->to_y - move_->from_y) * static_cast<float>(eased));
    }
  }
  if (keys_.is_active()) {
    const KeyboardMotion::Step step = keys_.advance(seconds);
    if (step.pan_px != 0) pan(step.pan_px);
    if (step.zoom_ratio != 0) zoom_at(zoom_x_px_, 1 / (1 - step.zoom_ratio));
  }
  return is_animating();
}

bool TimelineView::is_collapsed(TrackId track) const {
  return track.value < input_.arrangement.tracks.size() && input_.arrangement.tracks[track.value].is_collapsed;
}

bool TimelineView::is_collapsed(ProcessId process) const {
  return process.value < input_.arrangement.collapsed_processes.size() &&
         input_.arrangement.collapsed_processes[process.value] != 0;
}

void TimelineView::set_collapsed(TrackId track, bool collapsed) {
  if (track.value >= input_.arrangement.tracks.size()) return;
  input_.arrangement.tracks[track.value].is_collapsed = collapsed;
  ++collapse_version_;
  relayout();
}

void TimelineView::set_collapsed(ProcessId process, bool collapsed) {
  if (process.value >= input_.arrangement.collapsed_processes.size()) return;
  input_.arrangement.collapsed_processes[process.value] = collapsed ? 1 : 0;
  ++collapse_version_;
  relayout();
}

void TimelineView::set_all_collapsed(bool collapsed) {
  for (TrackState& track : input_.arrangement.tracks) track.is_collapsed = collapsed;
  ++collapse_version_;
  if (!collapsed)
    std::fill(input_.arrangement.collapsed_processes.begin(), input_.arrangement.collapsed_processes.end(), 0);
  relayout();
}

bool TimelineView::any_collapsed() const {
  return std::any_of(input_.arrangement.tracks.begin(), input_.arrangement.tracks.end(),
                     [](const TrackState& t) { return t.is_collapsed; }) ||
         std::any_of(input_.arrangement.collapsed_processes.begin(), input_.arrangement.collapsed_processes.end(),
                     [](std::uint8_t c) { return c != 0; });
}

void TimelineView::mark_selection(SliceId slice, std::uint32_t gap_stream, std::uint32_t gap) {
  input_.emphasis.selected = slice;
  input_.emphasis.selected_gap_stream = gap_stream;
  input_.emphasis.selected_gap = gap;
}

void TimelineView::show_causes(const CauseAnalysis* causes) {
  if (causes == causes_) return;
  causes_ = causes;
  input_.data.diagnoses = causes == nullptr ? nullptr : &causes->by_stream;
  place_extra_counters();
}

void TimelineView::mark_gaps(std::vector<GapRef> gaps) {
  input_.emphasis.marked_gaps.clear();
  for (const GapRef gap : gaps) input_.emphasis.marked_gaps.emplace_back(gap.stream, gap.gap);
  std::ranges::sort(input_.emphasis.marked_gaps);
}

void TimelineView::show_queues(bool shown) {
  shows_queues_ = shown;
  place_extra_counters();
}

void TimelineView::place_extra_counters() {
  const bool had_some = !input_.arrangement.extra_counters.empty();
  input_.arrangement.extra_counters.clear();
  if (causes_ != nullptr && shows_queues_) {
    for (const QueueDepth& queue : causes_->queues)
      input_.arrangement.extra_counters.push_back({queue.track, &queue.depth, "queue depth"});
  }
  if (memory_ != nullptr)
    for (const MemoryMarks::Lane& lane : memory_->lanes())
      input_.arrangement.extra_counters.push_back({lane.below, &lane.series, lane.title, true});
  if (had_some || !input_.arrangement.extra_counters.empty()) relayout();
}

void TimelineView::squeeze_frames(bool squeezes) {
  if (squeezes == squeezes_frames_) return;
  squeezes_frames_ = squeezes;
  if (!document_) return;
  const auto [top, into] = top_of_view();
  squeeze();
  relayout();
  if (const TrackPlace* place = top.valid() ? vertical_.find(top) : nullptr) put_at_top(place->y0 + into);
}

/// Rows of a recording under way stay where they are: slices are laid over them by their depth.
void TimelineView::squeeze() {
  const bool squeezes = squeezes_frames_ && document_ && !document_->is_partial;
  input_.data.outer_rows = squeezes ? &arrangement_.outer_frames() : nullptr;
}

void TimelineView::put_gpu_first(bool first) {
  gpu_first_ = first;
  relayout();
}

void TimelineView::relayout() {
  arrangement_.apply(gpu_first_, input_);
  const bool is_empty = input_.data.trace == nullptr;
  vertical_ = is_empty ? VerticalLayout{} : layout_vertically(input_);
  find_keepable();
  kept_ = count_kept(input_.view.scroll_y);
  lay_out_pane();
  put_at_top(input_.view.scroll_y);
}

void TimelineView::find_keepable() {
  keepable_.clear();
  if (!keeps_gpu_ || input_.data.trace == nullptr) return;
  for (const TrackPlace& place : vertical_.tracks) {
    if (place.is_overview || input_.data.trace->track(place.track).kind != TrackKind::kGpuStream) continue;
    if (place.is_extra() && !keepable_.empty() && keepable_.back().track == place.track) {
      keepable_.back().y1 = place.y1;  // its queue depth comes with it
    } else if (!place.is_extra() && !arrangement_.is_pinned(place.track)) {
      keepable_.push_back({place.track, place.y0, place.y1});
    }
  }
}

void TimelineView::lay_out_pane() {
  std::vector<TrackId> pane = arrangement_.pins();
  for (std::size_t k = 0; k < kept_; ++k) pane.push_back(keepable_[k].track);
  pinned_ = input_.data.trace == nullptr ? VerticalLayout{} : layout_pinned(input_, pane);
  share_height();
}

void TimelineView::share_height() {
  pins_px_ = std::min(pinned_.height, std::floor(area_px_ * kMostPinned));
  pin_scroll_y_ = std::clamp(pin_scroll_y_, 0.0f, pinned_.height - pins_px_);
  input_.view.height_px = area_px_ - pins_px_;
}

void TimelineView::fold_time(std::shared_ptr<const TimeFolds> folds) {
  if (folds && folds->empty()) folds = nullptr;
  if (folds == time_folds_) return;
  const bool was_home = same_view(destination(), camera_for(document_->home, kHomeMargin));
  const TimeSpan shown = visible();
  end_move();
  time_folds_ = std::move(folds);
  input_.view.time_folds = time_folds_.get();
  if (input_.view.width_px <= 0) return;
  input_.view.camera = was_home
                           ? camera_for(document_->home, kHomeMargin)
                           : Camera::fit(folded(shown), input_.view.width_px).clamped(limits(), input_.view.width_px);
}

void TimelineView::scroll_pins(float dy_px) {
  pin_scroll_y_ = std::clamp(pin_scroll_y_ + dy_px, 0.0f, pinned_.height - pins_px_);
}

const TimelineInput& TimelineView::pin_input() {
  pin_input_ = input_;
  pin_input_.view.height_px = pins_px_;
  pin_input_.view.scroll_y = pin_scroll_y_;
  pin_input_.emphasis.show_arrows = false;  // to and from the tracks below: drawn there
  return pin_input_;
}

}  // namespace lacuna
