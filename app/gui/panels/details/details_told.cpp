// Details of what is chosen in a trace that is seen from another machine, as far as that told of them.

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/gaps/gaps_panel.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/cache/trace_thinner.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kAsking = "The other machine is asked\xE2\x80\xA6";

const char* told_link_label(ToldLinkKind kind) {
  switch (kind) {
    case ToldLinkKind::kLaunchedBy:
      return "Launched by";
    case ToldLinkKind::kLaunches:
      return "Launches";
    case ToldLinkKind::kFlowsTo:
      return "Flows to";
    case ToldLinkKind::kFlowsFrom:
      return "Flows from";
  }
  return "";
}

std::string told_distance(Nanos from, Nanos to) {
  const Nanos d = saturating_sub(to, from);
  return d >= 0 ? fmt::format("{} later", format_duration(d))
                : fmt::format("{} earlier", format_duration(saturating_sub(0, d)));
}

bool is_one_slice(const Trace& trace, SliceId slice) {
  return (trace.lane(slice).flags(slice.index) & kSliceFolded) == 0;
}

}  // namespace

const ToldSlice* told_slice(const Document& document, SliceId slice) {
  const SightAnswers& told = *document.told;
  const bool is_it =
      told.slice && told.asked.slice && told.asked.slice == AskedSlice{slice.lane, document.trace.span(slice)};
  return is_it ? &*told.slice : nullptr;
}

const ToldGap* told_gap(const Document& document, GapRef ref) {
  const SightAnswers& told = *document.told;
  const TrackId track = document.streams[ref.stream].track;
  const TimeSpan span = {get(document, ref).start, get(document, ref).end};
  if (told.gap && told.gap->track == track && told.gap->span == span) return &*told.gap;
  const auto listed =
      std::ranges::find_if(told.gaps, [&](const ToldGap& gap) { return gap.track == track && gap.span == span; });
  return listed == told.gaps.end() ? nullptr : &*listed;
}

void draw_told_links(UiContext& ui, SliceId slice) {
  Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  const ToldSlice* told = told_slice(*workspace.document(), slice);
  if (told == nullptr || (told->links.empty() && told->links_left_out == 0)) return;
  section(ui, "Links");
  if (!begin_facts(ui, "told links")) return;
  std::optional<AskedSlice> chosen;
  std::optional<ToldLinkKind> before;
  int id = 0;
  for (const ToldLink& one : told->links) {
    begin_fact_row(ui, before == one.kind ? "" : told_link_label(one.kind));
    ImGui::PushID(++id);
    if (link(ui, one.name.c_str())) chosen = AskedSlice{one.lane, one.span};
    if (id == 1) note_place(ui, "first_told_link");
    tooltip(track_text(trace, trace.track(trace.lane(one.lane).track)));
    ImGui::PopID();
    muted_text(ui, fmt::format("{}, {}", format_duration(one.span.duration()),
                               told_distance(trace.span(slice).begin, one.span.begin)));
    before = one.kind;
  }
  if (told->links_left_out > 0) {
    begin_fact_row(ui, "");
    muted_text(ui, fmt::format("and {} more", format_count(told->links_left_out)));
  }
  end_facts();
  if (chosen) workspace.go_to_told(*chosen);
}

void draw_told_arguments(UiContext& ui, SliceId slice) {
  const Document& document = *ui.workspace().document();
  if (!is_one_slice(document.trace, slice)) return;
  const ToldSlice* told = told_slice(document, slice);
  if (told == nullptr) return asked_text(ui, kAsking);
  if (told->arguments_left_out > 0)
    coloured_text(ui.theme.warning,
                  fmt::format("{} more arguments were not sent", format_count(told->arguments_left_out)));
  if (told->values_cut > 0)
    coloured_text(ui.theme.warning, fmt::format("{} cut after {} characters", counted(told->values_cut, "value"),
                                                format_count(kMostToldValueChars)));
}

void draw_told_why(UiContext& ui, GapRef ref) {
  const Document& document = *ui.workspace().document();
  section(ui, "Why");
  const ToldGap* told = told_gap(document, ref);
  if (told != nullptr) {
    cause_text(ui, told->cause);
    ImGui::PushTextWrapPos(0);
    text(told->why);
    ImGui::PopTextWrapPos();
    return;
  }
  const SightAnswers& answers = *document.told;
  const TimeSpan span = {get(document, ref).start, get(document, ref).end};
  const bool was_asked = answers.is_whole && answers.asked.gap == AskedGap{document.streams[ref.stream].track, span};
  if (was_asked) return muted_text(ui, "Several gaps, drawn together: zoom in for one of them.");
  asked_text(ui, kAsking);
}

}  // namespace lacuna
