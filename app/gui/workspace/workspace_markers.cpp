// What a workspace does with markers and units of time.

#include <algorithm>

#include "app/gui/workspace/workspace.h"
#include "render/format.h"

namespace lacuna {

void Workspace::mark_temporarily() {
  if (!document_) return;
  const std::optional<TimeSpan> span = selected_span();
  // The same again, or nothing selected: lets go of it.
  markers_.set_temporary(span == markers_.temporary() ? std::nullopt : span);
}

std::optional<Note> Workspace::selection_as_note() const {
  const std::optional<TimeSpan> span = selected_span();
  if (!span) return std::nullopt;
  if (chosen_.selection.slice.valid())
    return Note{*span, {}, NoteOn::kSlice, std::string(trace().name(chosen_.selection.slice))};
  return Note{*span, {}, selected_gap() != nullptr ? NoteOn::kGap : NoteOn::kTime};
}

std::uint32_t Workspace::add_marker() {
  if (!document_) return 0;
  const Nanos at_mouse = view_.zoom_centre();
  Note note = selection_as_note().value_or(Note{{at_mouse, at_mouse}, {}});
  const std::uint32_t number = markers_.add(note.span, {}, note.on, std::move(note.name));
  markers_.choose(number);
  return number;
}

std::string Workspace::take_over(const ParsedNotes& notes) {
  const std::size_t taken = markers_.take_over(notes.notes);
  std::string words = "Took over " + counted(taken, "note");
  if (notes.passed_over > 0) words += "; " + format_count(notes.passed_over) + " passed over";
  return words;
}

void Workspace::keep_temporary() {
  if (!markers_.temporary()) return;
  markers_.choose(markers_.add(*markers_.temporary()));
  markers_.set_temporary(std::nullopt);
}

bool Workspace::remove_chosen_marker() {
  if (markers_.chosen() == 0) return false;
  const bool was_origin = chosen_.time_unit == TimeUnit::kMarker;
  markers_.remove(markers_.chosen());
  if (was_origin) set_time_unit(TimeUnit::kStart);
  return true;
}

template <class Take>
bool Workspace::find_noted(TimeSpan span, NoteOn on, std::string_view name, Take&& take) const {
  if (on == NoteOn::kSlice) {
    for (std::uint32_t k = 0; k < trace().lanes().size(); ++k) {
      const Lane& lane = trace().lanes()[k];
      for (std::uint32_t i = lane.first_starting_from(span.begin); i < lane.size() && lane.start(i) == span.begin;
           ++i) {
        const SliceId slice{LaneId{k}, i};
        if (lane.span(i) != span || trace().name(slice) != name) continue;
        take(slice);
        return true;
      }
    }
  }
  if (on == NoteOn::kGap) {
    for (std::uint32_t s = 0; s < document_->streams.size(); ++s) {
      const auto& gaps = document_->streams[s].gaps;
      const auto found = std::ranges::lower_bound(gaps, span.begin, {}, &Gap::start);
      if (found == gaps.end() || found->start != span.begin || found->end != span.end) continue;
      take(GapRef{s, static_cast<std::uint32_t>(found - gaps.begin())});
      return true;
    }
  }
  return false;
}

void Workspace::select(const Note& note) {
  if (document_) find_noted(note.span, note.on, note.name, [this](auto found) { select(found); });
}

void Workspace::go_to(const Marker& marker) {
  if (!document_) return;
  markers_.choose(marker.number);
  // What it is on may not be there: a gap may have been filled, a slice may be of another rank.
  if (!find_noted(marker.span, marker.on, marker.name, [this](auto found) { go_to(found); }))
    view_.bring_into_view(marker.span);
  if (chosen_.time_unit == TimeUnit::kMarker) set_time_unit(TimeUnit::kMarker);  // from this one now
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
  if (unit == TimeUnit::kSteps && found_.steps.empty()) return false;
  chosen_.time_unit = unit;
  view_.set_axis(axis_for(trace(), unit, origin));
  return true;
}

std::string Workspace::time_text(Nanos t) const {
  return time_in_unit(view_.input().view.axis, chosen_.time_unit, found_.steps, t,
                      time_step(view_.input().view.camera.ns_per_px()));
}

}  // namespace lacuna
