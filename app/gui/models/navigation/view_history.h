#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/gui/models/navigation/selection.h"
#include "render/camera.h"

namespace lacuna {

/// A place of the view, and the last selection there.
struct ViewPlace {
  Camera camera;
  float scroll_y = 0;
  Selection selection{};
};

/// The history of the view's places, for back and forward as in a browser. Small movements in close
/// succession (wheel, keys, drags) count as one; each jump counts as one. A movement after going back
/// drops the places ahead. A change of selection alone is no new place. Keeps the last 200 places. A plain
/// value; has no clock.
class ViewHistory {
 public:
  /// Records where the view rests (or is moving to). `jumps`: its number of jumps so far; `now_s`: any
  /// clock; `width_px`: decides what counts as another place.
  void note(const ViewPlace& place, unsigned jumps, double now_s, double width_px);
  /// Moves to the previous (-1) or next (+1) place and returns it.
  std::optional<ViewPlace> step(int direction);
  bool can_step(int direction) const;
  void clear();
  /// Drops the selections: ids of slices and gaps have changed.
  void forget_selections();
  std::size_t size() const { return places_.size(); }
  std::size_t current() const { return current_; }

 private:
  std::vector<ViewPlace> places_;
  std::size_t current_ = 0;
  unsigned jumps_ = 0;
  double moved_s_ = 0;      // when places_[current_] last changed
  bool is_stepped_ = true;  // the last change was a step: the next movement begins a new place
};

}  // namespace lacuna
