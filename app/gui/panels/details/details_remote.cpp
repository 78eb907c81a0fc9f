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

constexpr const char* kAsking = "Asking the other machine\xE2\x80\xA6";

const char* remote_link_label(RemoteLinkKind kind) {
  switch (kind) {
    case RemoteLinkKind::kLaunchedBy:
      return "Launched by";
    case RemoteLinkKind::kLaunches:
      return "Launches";
    case RemoteLinkKind::kFlowsTo:
      return "Flows to";
    case RemoteLinkKind::kFlowsFrom:
      return "Flows from";
  }
  return "";
}

bool is_one_slice(const Trace& trace, SliceId slice) {
  return (trace.lane(slice).flags(slice.index) & kSliceFolded) == 0;
}

}  // namespace

const RemoteSlice* remote_slice(const Document& document, SliceId slice) {
  const RemoteAnswers& answers = *document.answers;
  const bool is_it =
      answers.slice && answers.asked.slice && answers.asked.slice == AskedSlice{slice.lane, document.trace.span(slice)};
  return is_it ? &*answers.slice : nullptr;
}

const RemoteGap* remote_gap(const Document& document, GapRef ref) {
  const RemoteAnswers& answers = *document.answers;
  const TrackId track = document.streams[ref.stream].track;
  const TimeSpan span = {get(document, ref).start, get(document, ref).end};
  if (answers.gap && answers.gap->track == track && answers.gap->span == span) return &*answers.gap;
  const auto listed =
      std::ranges::find_if(answers.gaps, [&](const RemoteGap& gap) { return gap.track == track && gap.span == span; });
  return listed == answers.gaps.end() ? nullptr : &*listed;
}

void draw_remote_links(UiContext& ui, SliceId slice) {
  Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  const RemoteSlice* remote = remote_slice(*workspace.document(), slice);
  if (remote == nullptr || (remote->links.empty() && remote->links_left_out == 0)) return;
  section(ui, "Links");
  if (!begin_facts(ui, "remote links")) return;
  std::optional<AskedSlice> chosen;
  std::optional<RemoteLinkKind> before;
  int id = 0;
  for (const RemoteLink& one : remote->links) {
    begin_fact_row(ui, before == one.kind ? "" : remote_link_label(one.kind));
    ImGui::PushID(++id);
    if (link(ui, one.name.c_str())) chosen = AskedSlice{one.lane, one.span};
    if (id == 1) note_place(ui, "first_remote_link");
    tooltip(track_text(trace, trace.track(trace.lane(one.lane).track)));
    ImGui::PopID();
    muted_text(ui, fmt::format("{}, {}", format_duration(one.span.duration()),
                               distance_text(trace.span(slice).begin, one.span.begin)));
    before = one.kind;
  }
  if (remote->links_left_out > 0) {
    begin_fact_row(ui, "");
    muted_text(ui, fmt::format("and {} more", format_count(remote->links_left_out)));
  }
  end_facts();
  if (chosen) workspace.go_to_remote(*chosen);
}

void draw_remote_arguments(UiContext& ui, SliceId slice) {
  const Document& document = *ui.workspace().document();
  if (!is_one_slice(document.trace, slice)) return;
  const RemoteSlice* remote = remote_slice(document, slice);
  if (remote == nullptr) return asked_text(ui, kAsking);
  if (remote->arguments_left_out > 0)
    coloured_text(ui.theme.warning,
                  fmt::format("{} more arguments were not sent", format_count(remote->arguments_left_out)));
  if (remote->values_cut > 0)
    coloured_text(ui.theme.warning, fmt::format("{} cut after {} characters", counted(remote->values_cut, "value"),
                                                format_count(kMostRemoteValueChars)));
}

void draw_remote_why(UiContext& ui, GapRef ref) {
  const Document& document = *ui.workspace().document();
  section(ui, "Why");
  const RemoteGap* remote = remote_gap(document, ref);
  if (remote != nullptr) {
    cause_text(ui, remote->cause);
    ImGui::PushTextWrapPos(0);
    text(remote->why);
    ImGui::PopTextWrapPos();
    return;
  }
  const RemoteAnswers& answers = *document.answers;
  const TimeSpan span = {get(document, ref).start, get(document, ref).end};
  const bool was_asked = answers.is_whole && answers.asked.gap == AskedGap{document.streams[ref.stream].track, span};
  if (was_asked) return muted_text(ui, "Several gaps, drawn together: zoom in for one of them.");
  asked_text(ui, kAsking);
}

}  // namespace lacuna
