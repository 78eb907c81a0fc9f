// What a workspace does with markers and units of time.

#include "app/gui/workspace/workspace.h"

namespace lacuna {

void Workspace::mark_temporarily() {
  if (!document_) return;
  const std::optional<TimeSpan> span = selected_span();
  // The same again, or nothing selected: lets go of it.
  markers_.set_temporary(span == markers_.temporary() ? std::nullopt : span);
}

std::uint32_t Workspace::add_marker() {
  if (!document_) return 0;
  const Nanos at_mouse = view_.zoom_centre();
  const std::uint32_t number = markers_.add(selected_span().value_or(TimeSpan{at_mouse, at_mouse}));
  markers_.choose(number);
  return number;
}

void Workspace::keep_temporary() {
  if (!markers_.temporary()) return;
  markers_.choose(markers_.add(*markers_.temporary()));
  markers_.set_temporary(std::nullopt);
}

bool Workspace::remove_chosen_marker() {
  if (markers_.chosen() == 0) return false;
  const bool was_origin = time_unit_ == TimeUnit::kMarker;
  markers_.remove(markers_.chosen());
  if (was_origin) set_time_unit(TimeUnit::kStart);
  return true;
}

void Workspace::go_to(const Marker& marker) {
  markers_.choose(marker.number);
  view_.bring_into_view(marker.span);
  if (time_unit_ == TimeUnit::kMarker) set_time_unit(TimeUnit::kMarker);  // from this one now
}

bool Workspace::set_time_unit(TimeUnit unit) {
  if (!document_) return false;
  Nanos origin = 0;
  if (unit == TimeUnit::kMarker) {
    const Marker* marker = markers_.find(markers_.chosen());
    if (marker == nullptr && !markers_.all().empty()) marker = &markers_.all().front();
    if (marker == nullptr) return false;
    origin = marker->span.begin;
  }
  if (unit == TimeUnit::kSteps && steps_.empty()) return false;
  time_unit_ = unit;
  view_.set_axis(axis_for(trace(), unit, origin));
  return true;
}

std::string Workspace::time_text(Nanos t) const {
  return time_in_unit(view_.input().view.axis, time_unit_, steps_, t, time_step(view_.input().view.camera.ns_per_px()));
}

}  // namespace lacuna
