#include "app/gui/panels/report/card_grid.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/gui/panels/widgets/time_colours.h"
#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {
namespace {

constexpr float kLeastCardPx = 196;
constexpr std::size_t kMostCardColumns = 6;
constexpr float kCardPicturePx = 22;
constexpr float kPaddingPx = 8;
constexpr float kCardGapPx = 8;
constexpr float kLeastBarPx = 2;
constexpr std::size_t kMostCaptionLines = 2;

Rgba card_part_colour(const UiContext& ui, const ReportCard::Part& part) {
  if (part.cause) return ui.theme.gap_colour(*part.cause);
  if (part.kernel_class) return ui.palette.of_class(*part.kernel_class).fill;
  if (part.work) return work_colour(ui, *part.work);
  return ui.theme.accent;
}

struct Box {
  ImVec2 from, to;
};

/// Where the parts of a picture are drawn.
std::vector<Box> boxes_of(const UiContext& ui, const ReportCard& card, ImVec2 at, ImVec2 size) {
  std::vector<Box> boxes;
  const std::size_t count = card.parts.size();
  float x = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const auto part = static_cast<float>(std::clamp(card.parts[p].size, 0.0, 1.0));
    const auto nth = static_cast<float>(p), all = static_cast<float>(count);
    switch (card.picture) {
      case ReportCard::Picture::kStack: {
        const float to = std::min(size.x, x + size.x * part);
        boxes.push_back({{at.x + x, at.y}, {at.x + std::min(size.x, std::max(to, x + 1)), at.y + size.y}});
        x = to;
        break;
      }
      case ReportCard::Picture::kRows: {
        // As high as one of three, so that one row alone is no block.
        const float high = size.y / std::max(3.0f, all);
        const float top = std::round(at.y + nth * high);
        const float length = std::max(ui.px(kLeastBarPx), size.x * part);
        boxes.push_back({{at.x, top}, {at.x + length, std::round(top + high - ui.px(2))}});
        break;
      }
      case ReportCard::Picture::kColumns: {
        const float from = std::round(at.x + size.x * nth / all), to = std::round(at.x + size.x * (nth + 1) / all);
        const float gap = to - from > ui.px(3) ? std::round(ui.px(1)) : 0;
        const float high = std::max(1.0f, std::round(size.y * part));
        boxes.push_back({{from, at.y + size.y - high}, {std::max(from + 1, to - gap), at.y + size.y}});
        break;
      }
      case ReportCard::Picture::kNone:
        break;
    }
  }
  return boxes;
}

/// The part under the mouse: of columns and rows the whole height or width counts, for short ones are hard to hit.
const ReportCard::Part* hovered_part(const ReportCard& card, const std::vector<Box>& boxes) {
  const ImVec2 mouse = ImGui::GetMousePos();
  for (std::size_t p = 0; p < boxes.size(); ++p) {
    const bool is_in = card.picture == ReportCard::Picture::kRows
                           ? mouse.y >= boxes[p].from.y && mouse.y <= boxes[p].to.y + 2
                           : mouse.x >= boxes[p].from.x && mouse.x <= boxes[p].to.x + 1;
    if (is_in) return &card.parts[p];
  }
  return nullptr;
}

void card_picture(UiContext& ui, const ReportCard& card, ImVec2 at, ImVec2 size) {
  const std::vector<Box> boxes = boxes_of(ui, card, at, size);
  if (boxes.empty()) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (card.picture == ReportCard::Picture::kStack)
    draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.background));
  for (std::size_t p = 0; p < boxes.size(); ++p) {
    // Parts without a colour of their own that lie side by side: the later ones are paler.
    Rgba colour = card_part_colour(ui, card.parts[p]);
    const bool has_own = card.parts[p].cause || card.parts[p].kernel_class || card.parts[p].work;
    if (!has_own && card.picture == ReportCard::Picture::kStack)
      colour = mix(colour, ui.theme.panel, std::min(0.75f, 0.25f * static_cast<float>(p)));
    draw.AddRectFilled(boxes[p].from, boxes[p].to, to_imgui(colour));
  }
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton("picture", size);
  note_place(ui, ("card_picture " + std::string(card.section)).c_str());
  if (!ImGui::IsItemHovered()) return;
  const ReportCard::Part* part = hovered_part(card, boxes);
  if (part == nullptr) return;
  const bool leads = !part->place.span.empty();
  tooltip(leads ? part->text + "\nClick shows it." : part->text);
  if (leads) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (clicked && leads) ui.workspace().go_to(part->place);
}

std::size_t lines_of_caption(const std::string& caption, float width) {
  const float high = ImGui::CalcTextSize(broken_at_blanks(caption, width).c_str(), nullptr, false, width).y;
  return static_cast<std::size_t>(std::lround(high / ImGui::GetTextLineHeight()));
}

/// As many words of it as `lines` have room for.
std::string cut_caption(const std::string& caption, float width, std::size_t lines) {
  std::string shown = caption;
  std::size_t end = caption.size();
  while (lines_of_caption(shown, width) > lines && end > 0) {
    end = caption.rfind(' ', end - 1);
    if (end == caption.npos) break;
    shown = caption.substr(0, end) + "\xE2\x80\xA6";
  }
  return shown;
}

/// True: its title was clicked. `lines`: of captions that have room.
bool draw_card(UiContext& ui, const ReportCard& card, ImVec2 at, ImVec2 size, std::size_t lines) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.raised), ui.px(4));
  draw.AddRect(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.border), ui.px(4));
  const float padding = ui.px(kPaddingPx);
  const float width = size.x - 2 * padding;
  const float line = ImGui::GetTextLineHeight();
  const std::string section(card.section);
  float y = at.y + ui.px(6);
  const float show_px = ImGui::CalcTextSize("Show").x + ui.px(8);
  ImGui::SetCursorScreenPos({at.x + padding, y});
  ImGui::BeginGroup();
  fitted_text(ui, card.title, width - show_px - ui.px(4), true);
  ImGui::EndGroup();
  const bool title_clicked = ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  tooltip("Click shows what the report says about it below.");
  note_place(ui, ("card " + section).c_str());
  if (!card.place.span.empty()) {
    ImGui::SetCursorScreenPos({at.x + size.x - padding - show_px + ui.px(4), y});
    if (link(ui, "Show")) ui.workspace().go_to(card.place);
    note_place(ui, ("card_show " + section).c_str());
    tooltip("Shows it on the timeline.");
  }
  y += line + ui.px(1);
  ImGui::SetCursorScreenPos({at.x + padding, y});
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  fitted_text(ui, card.number, width);
  y += ImGui::GetTextLineHeight() + ui.px(3);
  ImGui::PopFont();
  card_picture(ui, card, {at.x + padding, y}, {width, ui.px(kCardPicturePx)});
  y += ui.px(kCardPicturePx) + ui.px(3);
  ImGui::SetCursorScreenPos({at.x + padding, y});
  const std::string shown = cut_caption(card.caption, width, lines);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  muted_text(ui, shown);
  ImGui::PopTextWrapPos();
  if (shown != card.caption) tooltip(card.caption);
  return title_clicked;
}

float card_height(UiContext& ui, std::size_t lines) {
  return std::round(static_cast<float>(1 + lines) * ImGui::GetTextLineHeight() + ui.fonts.strong_px +
                    ui.px(kCardPicturePx) + ui.px(24));
}

}  // namespace

std::string_view draw_card_grid(UiContext& ui, const std::vector<ReportCard>& cards) {
  if (cards.empty()) return {};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x - ui.px(4);
  const float gap = ui.px(kCardGapPx);
  const auto fitting = static_cast<std::size_t>(std::max(1.0f, std::floor((room + gap) / (ui.px(kLeastCardPx) + gap))));
  // As many rows as are needed, and those equally full.
  const std::size_t most = std::min({fitting, kMostCardColumns, cards.size()});
  const std::size_t rows = (cards.size() + most - 1) / most;
  const std::size_t columns = (cards.size() + rows - 1) / rows;
  const float width =
      std::max(ui.px(80), std::floor((room - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns)));
  std::size_t lines = 1;
  for (const ReportCard& card : cards)
    lines = std::clamp(lines_of_caption(card.caption, width - 2 * ui.px(kPaddingPx)), lines, kMostCaptionLines);
  const float height = card_height(ui, lines);
  std::string_view wanted;
  for (std::size_t c = 0; c < cards.size(); ++c) {
    const auto column = static_cast<float>(c % columns), row = static_cast<float>(c / columns);
    ImGui::PushID(static_cast<int>(c));
    if (draw_card(ui, cards[c], {at.x + column * (width + gap), at.y + row * (height + gap)}, {width, height}, lines))
      wanted = cards[c].section;
    ImGui::PopID();
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({room, static_cast<float>(rows) * (height + gap) - gap});
  ImGui::Dummy({1, gap / 2});  // what is scrolled to next is below this line, not below the first card
  return wanted;
}

}  // namespace lacuna
