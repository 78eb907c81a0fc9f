#include "app/gui/panels/widgets/widgets.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui_internal.h>

#include "render/format.h"
#include "render/paint/short_name.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kNumberGutter = 13;
constexpr float kTooltipPx = 520;
constexpr float kTooltipFonts = 30;  // widest line, in heights of the font
constexpr std::size_t kMostCharacters = 1000;
constexpr float kNowhere = -32000;

// One window, one frame at a time: tooltip() is told nothing but its text.
bool& tooltips_are_held() {
  static bool held = false;
  return held;
}

ImU32 colour_of(const UiContext& ui, bool muted) {
  return to_imgui(muted ? ui.theme.muted : ui.theme.text);
}

/// Draws `s` cut to the room; `whole` goes into the tooltip when that does not show all of it.
void draw_fitted(const UiContext& ui, std::string_view s, std::string_view whole, float max_px, bool muted) {
  if (max_px <= 0) max_px = ImGui::GetContentRegionAvail().x;
  ImFont* font = ImGui::GetFont();
  const float size = ImGui::GetFontSize();
  const float width =
      draw_text(*ImGui::GetWindowDrawList(), font, size, ImGui::GetCursorScreenPos(), colour_of(ui, muted), s, max_px);
  ImGui::Dummy({std::max(1.0f, width), size});
  note_seen(s);
  if (!ImGui::IsItemHovered()) return;
  if (s.size() == whole.size() && !fit_text(font, size, s, max_px).elided) return;
  begin_tooltip(ui, kTooltipPx);
  text(whole.substr(0, kMostCharacters));
  end_tooltip();
}

}  // namespace

namespace {

thread_local std::vector<std::string>* seen_texts = nullptr;

/// The next window, of that size, goes below the item just drawn, or above it where there is no room:
/// beside the mouse it would cover the item's neighbours.
void put_below_item(ImVec2 size) {
  const ImVec2 a = ImGui::GetItemRectMin();
  const ImVec2 b = ImGui::GetItemRectMax();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float gap = ImGui::GetStyle().ItemInnerSpacing.y;
  // Of a wide item (the row of a table), below the mouse.
  const bool is_wide = b.x - a.x > ImGui::GetFontSize() * kTooltipFonts / 2;
  const float x = is_wide ? ImGui::GetMousePos().x : a.x;
  const bool has_room = b.y + gap + size.y <= display.y;
  ImGui::SetNextWindowPos(
      {std::max(0.0f, std::min(x, display.x - size.x)), has_room ? b.y + gap : std::max(0.0f, a.y - gap - size.y)});
}

}  // namespace

std::string broken_at_blanks(std::string_view s, float width) {
  std::string lines(s);
  float used = 0;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t end = std::min(s.find_first_of(" \n", at), s.size());
    const float word = ImGui::CalcTextSize(s.data() + at, s.data() + end).x;
    if (used > 0 && used + word > width) {
      lines[at - 1] = '\n';
      used = 0;
    }
    used += word;
    if (end < s.size()) used = s[end] == '\n' ? 0 : used + ImGui::CalcTextSize(" ").x;
    at = end + 1;
  }
  return lines;
}

void text(std::string_view s) {
  const float wrap = ImGui::GetCurrentWindow()->DC.TextWrapPos;
  if (wrap < 0) {
    ImGui::TextUnformatted(s.data(), s.data() + s.size());
  } else {
    const std::string lines = broken_at_blanks(s, ImGui::CalcWrapWidthForPos(ImGui::GetCursorScreenPos(), wrap));
    ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
  }
  note_seen(s);
}

void coloured_text(Rgba colour, std::string_view s) {
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(colour));
  text(s);
  ImGui::PopStyleColor();
}

void muted_text(const UiContext& ui, std::string_view s) {
  coloured_text(ui.theme.muted, s);
}

void asked_text(const UiContext& ui, std::string_view waiting) {
  if (ui.state.why_no_answer.empty()) return muted_text(ui, waiting);
  ImGui::PushTextWrapPos(0);
  coloured_text(ui.theme.warning, ui.state.why_no_answer);
  ImGui::PopTextWrapPos();
  note_place(ui, "why_no_answer");
}

void mono_text(const UiContext& ui, std::string_view s) {
  push_font(ui.fonts.mono, ui.fonts.mono_px);
  text(s);
  ImGui::PopFont();
}

void fitted_text(const UiContext& ui, std::string_view s, float max_px, bool muted) {
  draw_fitted(ui, s, s, max_px, muted);
}

void fitted_name(const UiContext& ui, std::string_view name, float max_px) {
  const float room = max_px > 0 ? max_px : ImGui::GetContentRegionAvail().x;
  const bool fits = !fit_text(ImGui::GetFont(), ImGui::GetFontSize(), name, room).elided;
  draw_fitted(ui, fits ? name : short_name(name), name, room, false);
}

void number_cell(const UiContext& ui, std::string_view s, bool muted) {
  const float width = text_width(ui.fonts.mono, ui.fonts.mono_px, s);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x - ui.px(kNumberGutter);
  const float dy = (ImGui::GetTextLineHeight() - ui.fonts.mono_px) * 0.5f;
  draw_text(*ImGui::GetWindowDrawList(), ui.fonts.mono, ui.fonts.mono_px,
            {at.x + std::max(0.0f, room - width), at.y + dy}, colour_of(ui, muted), s, width + 1);
  ImGui::Dummy({1, ImGui::GetTextLineHeight()});
}

void number_header(const UiContext& ui, const char* label) {
  const float width = ImGui::CalcTextSize(label).x;
  const float room = ImGui::GetContentRegionAvail().x - ui.px(kNumberGutter);
  if (room > width) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  ImGui::TableHeader(label);
}

float number_column_px(const UiContext& ui, const char* header, std::string_view sample) {
  const float cells = text_width(ui.fonts.mono, ui.fonts.mono_px, sample);
  const float head = ImGui::CalcTextSize(header).x;
  return std::ceil(std::max(cells, head) + ui.px(kNumberGutter + 2));
}

void colour_swatch(const UiContext& ui, Rgba colour) {
  const float size = ui.px(9);
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = std::round(at.y + (line - size) * 0.5f);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + size, y + size}, to_imgui(colour), ui.px(2));
  ImGui::Dummy({size, line});
}

void beside_if_room(const UiContext& ui, const char* label) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  const float width = ImGui::CalcTextSize(label).x + 2 * ui.px(4);
  if (ImGui::GetItemRectMax().x + ui.px(4) + width <= right) ImGui::SameLine(0, ui.px(4));
}

bool link(const UiContext& ui, const char* label) {
  ImGui::PushStyleColor(ImGuiCol_Button, 0);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, to_imgui(with_alpha(ui.theme.accent, 0.14f)));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, to_imgui(with_alpha(ui.theme.accent, 0.26f)));
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.accent));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(4), 0});
  const bool clicked = ImGui::SmallButton(label);  // small ones stand on the line of the text
  note_seen(label);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(4);
  return clicked;
}

bool segment(const UiContext& ui, const char* label, bool is_chosen) {
  if (is_chosen) {
    ImGui::PushStyleColor(ImGuiCol_Button, to_imgui(with_alpha(ui.theme.accent, 0.24f)));
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, to_imgui(with_alpha(ui.theme.accent, 0.30f)));
  }
  const bool clicked = ImGui::Button(label);
  if (is_chosen) ImGui::PopStyleColor(2);
  return clicked;
}

bool item_let_go() {
  return ImGui::IsItemDeactivated() && ImGui::IsMousePosValid();
}

void tooltip(std::string_view s) {
  if (!ImGui::IsItemHovered()) return;
  const float wrap = ImGui::GetFontSize() * kTooltipFonts;
  const std::string lines = broken_at_blanks(s, wrap);
  const ImVec2 text_px = ImGui::CalcTextSize(lines.c_str(), nullptr, false, wrap);
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  put_below_item({text_px.x + 2 * padding.x, text_px.y + 2 * padding.y});
  if (tooltips_are_held()) ImGui::SetNextWindowPos({kNowhere, kNowhere});
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(wrap);
  text(s);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

std::string with_key(const UiContext& ui, std::string_view what, std::string_view command_id) {
  std::string text(what);
  const std::string_view key = ui.keymap.key_of(command_id);
  if (!key.empty()) text.append(" (").append(key).append(")");
  return text;
}

void hold_tooltips(bool held) {
  tooltips_are_held() = held;
}

bool begin_tooltip(const UiContext& ui, float max_px) {
  if (tooltips_are_held()) ImGui::SetNextWindowPos({kNowhere, kNowhere});
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ui.px(max_px));
  return true;
}

void end_tooltip() {
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

bool begin_dialog(const UiContext& ui, const char* title, float width_px, float height_px, bool* stays) {
  if (!ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5f, display.y * 0.5f}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(ui.px(width_px), display.x * 0.96f), std::min(ui.px(height_px), display.y * 0.94f)});
  return ImGui::BeginPopupModal(title, stays,
                                ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize);
}

void keep_seen_texts(std::vector<std::string>* texts) {
  seen_texts = texts;
}

void note_seen(std::string_view s) {
  if (seen_texts != nullptr && ImGui::IsItemVisible()) seen_texts->emplace_back(s);
}

void note_place(const UiContext& ui, const char* name) {
  const ImVec2 a = ImGui::GetItemRectMin();
  const ImVec2 b = ImGui::GetItemRectMax();
  // Of a row that is wider than its table, the part in view.
  const float left = std::max(a.x, ImGui::GetWindowPos().x);
  const float right = std::min(b.x, ImGui::GetWindowPos().x + ImGui::GetWindowSize().x);
  const float x = left < right ? (left + right) * 0.5f : (a.x + b.x) * 0.5f;
  ui.observed.places[name] = {x, (a.y + b.y) * 0.5f};
}

std::string time_text(const UiContext& ui, Nanos t) {
  return ui.workspace().time_text(t);
}

std::string share_text(Nanos part, Nanos whole) {
  return whole <= 0 ? "\xE2\x80\x93" : format_percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string distance_text(Nanos from, Nanos to) {
  const Nanos d = saturating_sub(to, from);
  return d >= 0 ? fmt::format("{} later", format_duration(d))
                : fmt::format("{} earlier", format_duration(saturating_sub(0, d)));
}

void tooltip_fact(const UiContext& ui, std::string_view label, std::string_view value) {
  muted_text(ui, label);
  ImGui::SameLine(ui.px(84));
  text(value);
}

}  // namespace lacuna
