#include "app/gui/panels/tracks/track_tools.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

struct Grouping {
  TrackGrouping value;
  const char* name;
  const char* place;
  const char* help;
};
constexpr std::array kGroupings = {
    Grouping{TrackGrouping::kProcess, "Process", "group_process", "Processes one after the other."},
    Grouping{TrackGrouping::kRank, "Rank", "group_rank", "The processes of each file (rank) together."},
    Grouping{TrackGrouping::kDevice, "Device", "group_device",
             "GPUs by their number, over all files; CPU processes below."}};

const Grouping& chosen(const TrackArrangement& a) {
  return *std::ranges::find(kGroupings, a.grouping(), &Grouping::value);
}

}  // namespace

void TrackTools::draw(UiContext& ui, ImVec2 at, ImVec2 size) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.panel));
  const TrackArrangement& a = ui.workspace().view().arrangement();
  const std::size_t missing = a.hidden_count() + a.filtered_count();
  push_font(ui.fonts.label, ui.fonts.label_px);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(6), ui.px(3)});
  const float height = ImGui::GetFrameHeight();
  const float gap = ui.px(5);
  const std::string hidden_label = fmt::format("{} hidden", missing);
  const float padding = 2 * ui.px(6);
  const float group_px = ImGui::CalcTextSize(chosen(a).name).x + padding;
  const float hidden_px = missing == 0 ? 0 : ImGui::CalcTextSize(hidden_label.c_str()).x + padding + gap;
  const std::size_t more = a.single_instants();
  const std::string more_label = a.shows_single_instants() ? "fewer" : fmt::format("{} more", more);
  const float more_px = more == 0 ? 0 : ImGui::CalcTextSize(more_label.c_str()).x + padding + gap;
  const float room = size.x - 2 * ui.px(8) - group_px - gap - hidden_px - more_px;
  const bool has_group = room > ui.px(60);
  const float filter_px = has_group ? room : room + group_px + gap;
  const float y = std::floor(at.y + (size.y - height) * 0.5f);
  ImGui::SetCursorScreenPos({at.x + ui.px(8), y});
  filter(ui, std::max(filter_px, ui.px(40)));
  if (has_group) {
    ImGui::SameLine(0, gap);
    grouping(ui);
  }
  if (missing > 0) {
    ImGui::SameLine(0, gap);
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.warning));
    if (ImGui::Button(hidden_label.c_str())) ImGui::OpenPopup("hidden_tracks");
    ImGui::PopStyleColor();
    note_place(ui, "tracks_hidden");
    tooltip("Tracks that are not shown. Click to bring them back.");
  }
  if (more > 0) {
    ImGui::SameLine(0, gap);
    if (ImGui::Button(more_label.c_str()))
      ui.workspace().view().arrange(
          [](TrackArrangement& tracks) { tracks.show_single_instants(!tracks.shows_single_instants()); });
    note_place(ui, "more_tracks");
    tooltip(a.shows_single_instants() ? "Hides groups with nothing but one instant."
                                      : "Shows groups with nothing but one instant, too.");
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  hidden(ui);

  // A bad expression says so at once, below the box.
  if (!a.filter_error().empty()) {
    const std::string message = "Not a regular expression: " + a.filter_error();
    const float pad = ui.px(6);
    const ImVec2 corner(at.x + ui.px(8), at.y + size.y);
    const float width = text_width(ui.fonts.label, ui.fonts.label_px, message);
    ImDrawList& over = *ImGui::GetForegroundDrawList();
    over.AddRectFilled(corner, {corner.x + width + 2 * pad, corner.y + ui.fonts.label_px + 2 * pad},
                       to_imgui(ui.theme.raised), ui.px(3));
    draw_outline(over, corner, {corner.x + width + 2 * pad, corner.y + ui.fonts.label_px + 2 * pad},
                 to_imgui(ui.theme.error), 1);
    draw_text(over, ui.fonts.label, ui.fonts.label_px, {corner.x + pad, corner.y + pad}, to_imgui(ui.theme.error),
              message, width + 1);
  }
}

void TrackTools::filter(UiContext& ui, float width) {
  TimelineView& view = ui.workspace().view();
  const std::string& filter = view.arrangement().filter();
  if (!is_typing_) typed_ = filter;
  const bool is_bad = !view.arrangement().filter_error().empty();
  if (is_bad) ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.error));
  ImGui::SetNextItemWidth(width);
  const bool edited = text_input("##track_filter", "Filter tracks", typed_);
  if (is_bad) ImGui::PopStyleColor();
  is_typing_ = ImGui::IsItemActive();
  note_place(ui, "track_filter");
  tooltip(
      "Shows the tracks whose process and name contain this regular expression, ignoring case: "
      "stream (7|13)$");
  if (edited) view.arrange([&](TrackArrangement& a) { a.set_filter(typed_); });
}

void TrackTools::grouping(UiContext& ui) {
  TimelineView& view = ui.workspace().view();
  if (ImGui::Button(chosen(view.arrangement()).name)) ImGui::OpenPopup("grouping");
  note_place(ui, "track_grouping");
  tooltip("What brings processes together.");
  if (!ImGui::BeginPopup("grouping")) return;
  muted_text(ui, "Group by");
  for (const Grouping& grouping : kGroupings) {
    if (ImGui::MenuItem(grouping.name, nullptr, view.arrangement().grouping() == grouping.value))
      view.arrange([&](TrackArrangement& a) { a.set_grouping(grouping.value); });
    note_place(ui, grouping.place);
    tooltip(grouping.help);
  }
  ImGui::EndPopup();
}

void TrackTools::hidden(UiContext& ui) {
  if (!ImGui::BeginPopup("hidden_tracks")) return;
  Workspace& workspace = ui.workspace();
  TimelineView& view = workspace.view();
  const Trace& trace = workspace.trace();
  if (ImGui::MenuItem("Show all")) view.arrange([](TrackArrangement& a) { a.show_all(); });
  note_place(ui, "show_all_tracks");
  if (const std::size_t n = view.arrangement().filtered_count(); n > 0)
    muted_text(ui, counted(n, "track") + " left out by the filter");
  ImGui::Separator();
  TrackId back;
  begin_child("list", {ui.px(380), std::min(ui.px(300), static_cast<float>(view.arrangement().hidden_count() + 1) *
                                                            ImGui::GetTextLineHeightWithSpacing())});
  for (const Track& track : trace.tracks()) {
    if (!view.arrangement().is_hidden(track.id) || !has_content(track)) continue;
    ImGui::PushID(static_cast<int>(track.id.value));
    if (ImGui::Selectable("##hidden")) back = track.id;
    ImGui::SameLine(ui.px(6));
    fitted_text(ui, track_text(trace, track), ui.px(360));
    ImGui::PopID();
  }
  ImGui::EndChild();
  if (back.valid()) view.arrange([&](TrackArrangement& a) { a.set_hidden(back, false); });
  ImGui::EndPopup();
}

}  // namespace lacuna
