#include "render/draw_list.h"

#include <utility>

namespace lacuna {

void DrawHeader::reset() {
  DrawHeader fresh;
  fresh.title = std::move(title);
  fresh.detail = std::move(detail);
  fresh.causes = std::move(causes);
  fresh.causes.clear();
  fresh.title.clear();
  fresh.detail.clear();
  *this = std::move(fresh);
}

void DrawTick::reset() {
  x = 0;
  is_major = false;
  label.clear();
}

void DrawStep::reset() {
  x0 = x1 = 0;
  label.clear();
}

void DrawTimeFold::reset() {
  x0 = x1 = 0;
  span = {};
  label.clear();
}

void DrawWait::reset() {
  x0 = x1 = y0 = y1 = 0;
  is_queued = false;
  label.clear();
}

void DrawDead::reset() {
  x0 = x1 = y0 = y1 = 0;
  label.clear();
}

void DrawMemoryMark::reset() {
  x0 = y0 = x1 = y1 = 0;
  index = 0;
  folded = 1;
  label.clear();
}

void TimelineDrawList::clear() {
  headers.clear();
  rows.clear();
  slices.clear();
  gaps.clear();
  instants.clear();
  memory_marks.clear();
  counter_steps.clear();
  arrows.clear();
  path_bars.clear();
  path_links.clear();
  match_ticks.clear();
  waits.clear();
  dead_windows.clear();
  ticks.clear();
  steps.clear();
  time_folds.clear();
  content_height = 0;
}

}  // namespace lacuna
