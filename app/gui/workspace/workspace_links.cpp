// The parts of Workspace that follow links and go back to where the view was.

#include "app/gui/workspace/workspace.h"

namespace lacuna {

std::vector<Workspace::LinkedSlice> Workspace::links_of_selection() const {
  std::vector<LinkedSlice> linked;
  const SliceId from = chosen_.selection.slice;
  if (!document_ || !from.valid()) return linked;
  const Links& links = trace().links();
  const SliceId launch = links.launch_of(from);
  for (const LaunchLink& link : links.activities_of(from)) linked.push_back({link.activity, true});
  for (const FlowArrow& flow : links.flows_from(from)) {
    // A flow may say the same as a launch.
    if (links.launch_of(flow.to) != from) linked.push_back({flow.to, true});
  }
  if (launch.valid()) linked.push_back({launch, false});
  for (const FlowArrow& flow : links.flows_to(from))
    if (flow.from != launch) linked.push_back({flow.from, false});
  return linked;
}

void Workspace::choose_no_link() {
  chosen_.link.reset();
  view_.mark_link({}, {});
}

bool Workspace::choose_link(int direction) {
  const std::vector<LinkedSlice> linked = links_of_selection();
  if (linked.empty()) return false;
  const std::size_t n = linked.size();
  const std::size_t step = direction > 0 ? 1 : n - 1;
  chosen_.link = chosen_.link ? (*chosen_.link + step) % n : direction > 0 ? 0 : n - 1;
  const LinkedSlice& chosen = linked[*chosen_.link];
  const SliceId own = chosen_.selection.slice;
  view_.mark_link(chosen.is_forward ? own : chosen.slice, chosen.is_forward ? chosen.slice : own);
  return true;
}

SliceId Workspace::first_work() const {
  if (!chosen_.selection.slice.valid()) return {};
  const auto known = slice_work_.answer();
  return known != nullptr ? known->work.first : first_work_of(trace(), chosen_.selection.slice);
}

bool Workspace::follow_link(int direction) {
  if (!document_) return false;
  SliceId target;
  if (const Gap* gap = selected_gap()) {
    target = direction > 0 ? gap->after : gap->launch;
  } else {
    const std::vector<LinkedSlice> linked = links_of_selection();
    if (chosen_.link && *chosen_.link < linked.size() && linked[*chosen_.link].is_forward == (direction > 0)) {
      target = linked[*chosen_.link].slice;
    }
    // What was launched anywhere inside comes before flows, which an operator mostly has to its backward.
    if (direction > 0 && !target.valid()) target = first_work();
    for (std::size_t i = 0; i < linked.size() && !target.valid(); ++i)
      if (linked[i].is_forward == (direction > 0)) target = linked[i].slice;
  }
  go_to(target);
  return target.valid();
}

void Workspace::note_view(double now_s) {
  if (view_.has_place() && view_.width_px() > 0)
    chosen_.history.note({view_.destination_place().camera, view_.destination_place().scroll_y, chosen_.selection},
                         view_.jumps(), now_s, view_.width_px());
}

bool Workspace::step_view(int direction) {
  const std::optional<ViewPlace> place = document_ ? chosen_.history.step(direction) : std::nullopt;
  if (!place) return false;
  if (place->selection != chosen_.selection) {
    select(place->selection.slice);
    chosen_.selection = place->selection;  // a gap, too
    mark_selection();
  }
  view_.return_to(*place);
  return true;
}

void Workspace::show_track(TrackId id) {
  if (!document_ || !id.valid()) return;
  view_.reveal(id);
  const TimeSpan span = trace().track(id).span;
  const TimeSpan visible = view_.destination().visible(view_.width_px());
  if (!span.empty() && (span.end <= visible.begin || span.begin >= visible.end)) view_.go_to(span);
}

}  // namespace lacuna
