// What a workspace does with markers and units of time.

#include <algorithm>

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
  const TimeSpan span = selected_span().value_or(TimeSpan{at_mouse, at_mouse});
  std::uint32_t number = 0;
  if (selection_.slice.valid()) {
    number = markers_.add(span, {}, NoteOn::kSlice, std::string(trace().name(selection_.slice)));
  } else {
    number = markers_.add(span, {}, selected_gap() != nullptr ? NoteOn::kGap : NoteOn::kTime);
  }
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

bool Workspace::select_marked(const Marker& marker) {
  if (marker.on == NoteOn::kSlice) {
    for (std::uint32_t k = 0; k < trace().lanes().size(); ++k) {
      const Lane& lane = trace().lanes()[k];
      for (std::uint32_t i = lane.first_starting_from(marker.span.begin);
           i < lane.size() && lane.start(i) == marker.span.begin; ++i) {
        const SliceId slice{LaneId{k}, i};
        if (lane.span(i) != marker.span || trace().name(slice) != marker.name) continue;
        go_to(slice);
        return true;
      }
    }
  }
  if (marker.on == NoteOn::kGap) {
    for (std::uint32_t s = 0; s < document_->streams.size(); ++s) {
      const auto& gaps = document_->streams[s].gaps;
      const auto found = std::ranges::lower_bound(gaps, marker.span.begin, {}, &Gap::start);
      if (found == gaps.end() || found->start != marker.span.begin || found->end != marker.span.end) continue;
      go_to(GapRef{s, static_cast<std::uint32_t>(found - gaps.begin())});
      return true;
    }
  }
  return false;
}

void Workspace::go_to(const Marker& marker) {
  if (!document_) return;
  markers_.choose(marker.number);
  // What it is on may not be there: a gap may have been filled, a slice may be of another rank.
  if (!select_marked(marker)) view_.bring_into_view(marker.span);
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
