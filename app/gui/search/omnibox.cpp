#include "app/gui/search/omnibox.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "app/gui/commands.h"
#include "app/gui/search/fuzzy.h"
#include "app/gui/widgets.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostRowsInView = 14;
constexpr ImGuiWindowFlags kList = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

const char* hint(OmniboxMode mode) {
  switch (mode) {
    case OmniboxMode::kSearch: return "Search   (> for commands)";
    case OmniboxMode::kCommands: return "Run a command";
    case OmniboxMode::kTracks: return "Go to a track";
  }
  return "";
}

}  // namespace

void Omnibox::open(UiState& state, OmniboxMode mode) {
  if (mode != OmniboxMode::kSearch || state.omnibox.mode != mode) text_[0] = 0;
  state.omnibox.mode = mode;
  wants_focus_ = true;
  chosen_ = 0;
  scrolls_ = true;
}

/// Commands and tracks are forgotten, a search stays.
void Omnibox::leave(UiState& state) {
  state.omnibox.is_focused = false;
  rows_.clear();
  if (state.omnibox.mode == OmniboxMode::kSearch) return;
  text_[0] = 0;
  state.omnibox.mode = OmniboxMode::kSearch;
}

void Omnibox::draw_box(UiContext& ui, float x, float width) {
  OmniboxState& state = ui.app.ui.omnibox;
  if (const auto mode = std::exchange(state.request, std::nullopt)) open(ui.app.ui, *mode);
  ImGui::SetCursorPosX(x);
  ImGui::SetNextItemWidth(width);
  if (std::exchange(wants_focus_, false)) activate_input(ImGui::GetID("##omnibox"));
  const float room = std::floor((ImGui::GetWindowHeight() - ImGui::GetFontSize()) * 0.5f - ui.px(3));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(9), std::max(1.0f, room)});
  ImGui::SetCursorPosY(std::round(ui.px(3)));
  const bool changed =
      ImGui::InputTextWithHint("##omnibox", hint(state.mode), text_.data(), text_.size(),
                               ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopStyleVar();
  note_place(ui, "omnibox");
  const bool is_active = ImGui::IsItemActive();
  below_ = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y};
  width_ = width;
  if (std::exchange(clears_, false)) text_[0] = 0;
  if (changed) {
    chosen_ = 0;
    scrolls_ = true;
    if (state.mode == OmniboxMode::kSearch && typed().starts_with('>')) {
      state.mode = OmniboxMode::kCommands;
    }
  }
  if (is_active) {
    state.is_focused = true;
    update_rows(ui.app);
  }
  state.text = typed();
  state.rows = rows_.size();
  state.chosen = chosen_ < rows_.size() ? rows_[chosen_].text : "";
  if (!is_active && state.is_focused && !wants_focus_) {
    // A click on the list takes the cursor away, and must find the list.
    draw_list(ui);
    leave(ui.app.ui);
  }
}

void Omnibox::update_rows(const App& app) {
  rows_.clear();
  if (app.ui.omnibox.mode == OmniboxMode::kCommands) list_commands(app);
  chosen_ = rows_.empty() ? 0 : std::min(chosen_, rows_.size() - 1);
}

void Omnibox::list_commands(const App& app) {
  std::string_view wanted = typed();
  if (wanted.starts_with('>')) wanted.remove_prefix(1);
  for (const Command& command : commands()) {
    if (command.run == nullptr) continue;
    Row row;
    row.text = std::string(to_text(command.menu)) + ": " + std::string(command.name);
    // The name alone decides; the menu is there to be read.
    const auto prefix = static_cast<std::uint32_t>(row.text.size() - command.name.size());
    auto match = fuzzy_match(wanted, command.name);
    if (match) {
      for (std::uint32_t& position : match->positions) position += prefix;
    } else if ((match = fuzzy_match(wanted, row.text))) {
      match->score -= 10;
    } else {
      continue;
    }
    row.positions = std::move(match->positions);
    row.score = match->score;
    row.is_enabled = is_enabled(app, command);
    if (!row.is_enabled) row.score -= 1000;
    for (const std::string& key : app.keymap.keys_of(command))
      row.note += (row.note.empty() ? "" : "   ") + key;
    row.command = &command;
    rows_.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows_, std::greater{}, &Row::score);
}

void Omnibox::take(App& app, const Row& row) {
  if (row.command == nullptr || !row.is_enabled) return;
  const Command& command = *row.command;
  leave(app.ui);
  clears_ = true;
  run_command(app, command);
}

bool Omnibox::handle_key(App& app, const KeyPress& press) {
  OmniboxState& state = app.ui.omnibox;
  if (!state.is_focused) return false;
  switch (press.shortcut.key) {
    case kKeyEscape:
      // ImGui puts back what was there before: cleared afterwards.
      clears_ = true;
      leave(app.ui);
      return true;
    case kKeyUp:
    case kKeyDown: {
      if (rows_.empty()) return true;
      const std::size_t step = press.shortcut.key == kKeyDown ? 1 : rows_.size() - 1;
      chosen_ = (chosen_ + step) % rows_.size();
      scrolls_ = true;
      return true;
    }
    case kKeyEnter:
      if (chosen_ < rows_.size()) take(app, Row(rows_[chosen_]));
      return true;
    default: return false;
  }
}

void Omnibox::draw_list(UiContext& ui) {
  if (!ui.app.ui.omnibox.is_focused || rows_.empty()) return;
  const float line = ImGui::GetTextLineHeight() + ui.px(8);
  const auto lines = static_cast<float>(std::min(rows_.size(), kMostRowsInView));
  const float width = std::max(width_, std::min(ui.px(560), ImGui::GetIO().DisplaySize.x - ui.px(20)));
  const float x = std::clamp(below_.x + (width_ - width) * 0.5f, 0.0f,
                             std::max(0.0f, ImGui::GetIO().DisplaySize.x - width));
  ImGui::SetNextWindowPos({std::round(x), below_.y + ui.px(4)});
  ImGui::SetNextWindowSize({width, lines * line + ui.px(10)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(5), ui.px(5)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyle().Colors[ImGuiCol_PopupBg]);
  if (ImGui::Begin("##omnibox_list", nullptr, kList)) {
    raise_window();
    int clicked = -1;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      if (draw_row(ui, rows_[i], i == chosen_)) clicked = static_cast<int>(i);
      ImGui::PopID();
    }
    scrolls_ = false;
    if (clicked >= 0) take(ui.app, Row(rows_[static_cast<std::size_t>(clicked)]));
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

/// Whether it was clicked.
bool Omnibox::draw_row(UiContext& ui, const Row& row, bool is_chosen) {
  const float height = ImGui::GetTextLineHeight() + ui.px(8);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy({width, height});
  if (is_chosen && scrolls_) ImGui::SetScrollHereY(0.5f);
  if (!ImGui::IsItemVisible()) return false;
  const bool is_hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (is_chosen || is_hovered) {
    draw.AddRectFilled(at, {at.x + width, at.y + height},
                       ImGui::GetColorU32(is_chosen ? ImGuiCol_Header : ImGuiCol_HeaderHovered), ui.px(4));
  }
  const float y = at.y + ui.px(4);
  const float padding = ui.px(8);
  const float note_px =
      row.note.empty() ? 0 : text_width(ui.fonts.label, ui.fonts.label_px, row.note) + padding;
  const float room = width - 2 * padding - note_px;
  const ImU32 colour = to_imgui(row.is_enabled ? ui.theme.text : ui.theme.muted);
  draw_text(draw, ui.fonts.ui, ui.fonts.ui_px, {at.x + padding, y}, colour, row.text, room);
  // The letters that fit, once more in the accent's colour; past the cut nothing.
  const FittedText fitted = fit_text(ui.fonts.ui, ui.fonts.ui_px, row.text, room);
  const std::size_t shown = fitted.elided ? fitted.text.size() : row.text.size();
  for (const std::uint32_t position : row.positions) {
    if (position >= shown) break;
    if ((row.text[position] & 0x80) != 0) continue;  // a part of a character
    const float before =
        text_width(ui.fonts.ui, ui.fonts.ui_px, std::string_view(row.text).substr(0, position));
    draw_text(draw, ui.fonts.ui, ui.fonts.ui_px, {at.x + padding + before, y},
              to_imgui(ui.theme.accent), std::string_view(row.text).substr(position, 1), width);
  }
  draw_text(draw, ui.fonts.label, ui.fonts.label_px,
            {at.x + width - padding - note_px + padding,
             y + (ui.fonts.ui_px - ui.fonts.label_px) * 0.5f},
            to_imgui(ui.theme.muted), row.note, note_px);
  return is_hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && row.is_enabled;
}

}  // namespace lacuna
