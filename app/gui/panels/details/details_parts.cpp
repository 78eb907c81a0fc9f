// The parts of which the details are made.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/help/glossary.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr ImGuiTableFlags kFactFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
constexpr float kLabelPx = 96;

/// The label just drawn is underlined where it is explained while the mouse rests on it: by the help of the details, or
/// by the glossary.
void explain_label(const UiContext& ui, std::string_view label) {
  std::string_view help = column_definition("details", label);
  if (const GlossaryEntry* entry = find_in_glossary(label); help.empty() && entry != nullptr) help = entry->meaning;
  if (help.empty()) return;
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const float dash = std::max(1.0f, std::round(ui.px(2)));
  for (float x = from.x; x < to.x; x += 2 * dash)
    ImGui::GetWindowDrawList()->AddLine({x, to.y - 0.5f}, {std::min(x + dash, to.x), to.y - 0.5f},
                                        to_imgui(with_alpha(ui.theme.muted, 0.8f)));
  tooltip(help);
}

}  // namespace

void details_heading(const UiContext& ui, Rgba colour, std::string_view title) {
  ui.observed.details_title = title;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  ImGui::Indent(ui.px(10));
  ImGui::PushTextWrapPos(0);
  text(title.substr(0, 1000));
  ImGui::PopTextWrapPos();
  ImGui::Unindent(ui.px(10));
  ImGui::PopFont();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 1}, {at.x + ui.px(4), ImGui::GetItemRectMax().y - 1},
                                            to_imgui(colour), ui.px(2));
  ImGui::Spacing();
}

bool begin_facts(const UiContext& ui, const char* id) {
  if (!ImGui::BeginTable(id, 2, kFactFlags)) return false;
  ImGui::TableSetupColumn("label", ImGuiTableColumnFlags_WidthFixed, ui.px(kLabelPx));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  return true;
}

void end_facts() {
  ImGui::EndTable();
}

void begin_fact_row(const UiContext& ui, std::string_view label) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  muted_text(ui, label);
  explain_label(ui, label);
  ImGui::TableNextColumn();
}

void fact_row(const UiContext& ui, std::string_view label, std::string_view value) {
  begin_fact_row(ui, label);
  ImGui::PushTextWrapPos(0);
  text(value);
  ImGui::PopTextWrapPos();
}

void section(const UiContext& ui, std::string_view title) {
  ImGui::Dummy({1, ui.px(4)});
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  muted_text(ui, title);
  ImGui::PopFont();
}

void slice_link(UiContext& ui, SliceId slice, int id) {
  const Trace& trace = ui.workspace().trace();
  ImGui::PushID(id);
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  const bool clicked = ImGui::InvisibleButton("go", {std::max(1.0f, width), height});
  const bool hovered = ImGui::IsItemHovered();
  const float used = draw_text(*ImGui::GetWindowDrawList(), ImGui::GetFont(), ImGui::GetFontSize(), at,
                               to_imgui(ui.theme.accent), trace.name(slice), width);
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::GetWindowDrawList()->AddLine({at.x, at.y + height}, {at.x + used, at.y + height}, to_imgui(ui.theme.accent));
    begin_tooltip(ui, 520);
    text(trace.name(slice).substr(0, 600));
    muted_text(ui, track_text(trace, trace.track_of(slice)));
    end_tooltip();
  }
  ImGui::PopID();
  if (clicked) ui.workspace().go_to(slice);
}

void stream_bars(UiContext& ui, const std::vector<StreamActivity>& streams, std::span<const Nanos> busy,
                 std::span<const Nanos> whole) {
  const Trace& trace = ui.workspace().trace();
  if (!ImGui::BeginTable("streams", 3, kFactFlags)) return;
  ImGui::TableSetupColumn("stream", ImGuiTableColumnFlags_WidthFixed, ui.px(112));
  ImGui::TableSetupColumn("bar", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("busy", ImGuiTableColumnFlags_WidthFixed, ui.px(104));
  for (std::size_t s = 0; s < streams.size() && s < busy.size() && s < whole.size(); ++s) {
    const StreamActivity& stream = streams[s];
    const double share = whole[s] > 0 ? static_cast<double>(busy[s]) / static_cast<double>(whole[s]) : 0;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text(stream_text(trace, stream));
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x);
    const float height = ImGui::GetTextLineHeight();
    const float y0 = at.y + height * 0.3f;
    const float y1 = at.y + height * 0.75f;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled({at.x, y0}, {at.x + width, y1}, to_imgui(with_alpha(ui.theme.gap, 0.30f)), ui.px(2));
    const auto part = static_cast<float>(std::clamp(share, 0.0, 1.0));
    draw.AddRectFilled({at.x, y0}, {at.x + width * part, y1}, to_imgui(ui.theme.gpu_edge), ui.px(2));
    ImGui::Dummy({width, height});
    tooltip(
        fmt::format("Busy {}, idle {}.", format_duration(busy[s]), format_duration(saturating_sub(whole[s], busy[s]))));
    ImGui::TableNextColumn();
    number_cell(ui, format_percent(share) + " busy");
    tooltip(column_definition("details", "Stream busy"));
  }
  ImGui::EndTable();
}

}  // namespace lacuna
