#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/gui/models/navigation/selection.h"
#include "render/camera.h"

namespace lacuna {

/// A place that the view was at, and what was selected there last.
struct ViewPlace {
  Camera camera;
  float scroll_y = 0;
  Selection selection{};
};

/// Where the view has been, to go back and forward as in a browser. Small movements that follow each
/// other closely (wheel, keys, drags) count as one; jumps count one by one. Going back and then
/// elsewhere forgets what lay ahead. Another selection alone is not another place. Keeps the last 200 places. A plain
/// value; no clock inside.
class ViewHistory {
 public:
  /// The view rests here (or is on its way here). `jumps`: how often it jumped so far; `now_s`: any
  /// clock; `width_px`, to tell what counts as another place.
  void note(const ViewPlace& place, unsigned jumps, double now_s, double width_px);
  /// The place before (-1) or after (+1), which becomes the current one.
  std::optional<ViewPlace> step(int direction);
  bool can_step(int direction) const;
  void clear();
  /// Slices and gaps have other ids from now on.
  void forget_selections();
  std::size_t size() const { return places_.size(); }
  std::size_t current() const { return current_; }

 private:
  std::vector<ViewPlace> places_;
  std::size_t current_ = 0;
  unsigned jumps_ = 0;
  double moved_s_ = 0;      // when places_[current_] last changed
  bool is_stepped_ = true;  // … by stepping: the next movement begins a new place
};

}  // namespace lacuna
