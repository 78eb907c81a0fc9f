#include "app/gui/models/navigation/view_history.h"

#include <cmath>

namespace lacuna {
namespace {

constexpr std::size_t kMost = 200;
constexpr double kOneMovementS = 0.8;  // movements closer to each other are one

bool is_same(const ViewPlace& a, const ViewPlace& b, double width_px) {
  return std::fabs(a.camera.x_of(b.camera.begin())) < 1 &&
         std::fabs(a.camera.ns_per_px() / b.camera.ns_per_px() - 1) * width_px < 1 &&
         std::fabs(a.scroll_y - b.scroll_y) < 1;
}

}  // namespace

void ViewHistory::note(const ViewPlace& place, unsigned jumps, double now_s, double width_px) {
  if (places_.empty()) {
    places_.push_back(place);
    jumps_ = jumps;
    is_stepped_ = true;
    return;
  }
  if (is_same(places_[current_], place, width_px)) {
    places_[current_].selection = place.selection;
    jumps_ = jumps;
    return;
  }
  const bool goes_on = !is_stepped_ && jumps == jumps_ && now_s - moved_s_ < kOneMovementS;
  places_.resize(current_ + 1);
  if (goes_on) {
    places_.back() = place;
  } else {
    places_.push_back(place);
    if (places_.size() > kMost) places_.erase(places_.begin());
    current_ = places_.size() - 1;
  }
  jumps_ = jumps;
  moved_s_ = now_s;
  is_stepped_ = false;
}

bool ViewHistory::can_step(int direction) const {
  return direction < 0 ? current_ > 0 : current_ + 1 < places_.size();
}

std::optional<ViewPlace> ViewHistory::step(int direction) {
  if (!can_step(direction)) return std::nullopt;
  current_ += direction < 0 ? static_cast<std::size_t>(-1) : 1;
  is_stepped_ = true;
  return places_[current_];
}

void ViewHistory::forget_selections() {
  for (ViewPlace& place : places_) place.selection = {};
}

void ViewHistory::clear() {
  *this = ViewHistory();
}

}  // namespace lacuna
