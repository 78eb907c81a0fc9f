#include "app/gui/panels/search/omnibox.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/gui/application/commands.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostRowsInView = 14;
constexpr ImGuiWindowFlags kList = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                   ImGuiWindowFlags_NoNav;

/// `room`: for its text, in pixels.
std::string hint(const Keymap& keymap, OmniboxMode mode, float room) {
  switch (mode) {
    case OmniboxMode::kSearch: {
      const std::string search = fmt::format("Search ({})", keymap.key_of("search"));
      const std::string all = search + "     > for commands   : for SQL";
      return ImGui::CalcTextSize(all.c_str()).x <= room ? all : search;
    }
    case OmniboxMode::kCommands:
      return "Run a command";
    case OmniboxMode::kTracks:
      return "Go to a track";
  }
  return "";
}

/// Behind the text, nothing selected.
int put_cursor_last(ImGuiInputTextCallbackData* data) {
  auto* wanted = static_cast<bool*>(data->UserData);
  if (std::exchange(*wanted, false)) {
    data->CursorPos = data->BufTextLen;
    data->SelectionStart = data->SelectionEnd = data->CursorPos;
  }
  return 0;
}

}  // namespace

void Omnibox::open(UiState& state, OmniboxMode mode) {
  if (mode != OmniboxMode::kSearch || state.omnibox.mode != mode) text_.clear();
  state.omnibox.mode = mode;
  focus_ = 2;
  keeps_cursor_ = false;
  chosen_ = kNone;
  listed_.clear();
  scrolls_ = true;
  state.omnibox.shows_list = true;
}

/// Commands and tracks are forgotten, a search stays.
void Omnibox::leave(UiState& state) {
  state.omnibox.is_focused = state.omnibox.shows_list = false;
  rows_.clear();
  listed_.clear();
  if (state.omnibox.mode == OmniboxMode::kSearch) return;
  text_.clear();
  state.omnibox.mode = OmniboxMode::kSearch;
}

void Omnibox::draw_box(UiContext& ui, float x, float width) {
  OmniboxState& state = ui.state.omnibox;
  if (const auto asked = ui.requests.take<ask::OpenOmnibox>()) open(ui.state, asked->mode);
  if (!state.is_focused) show_search(ui);  // cleared elsewhere, or back from a command
  ImGui::SetCursorPosX(x);
  ImGui::SetNextItemWidth(width);
  if (focus_ == kAfterEnter) keeps_cursor_ = false;
  if (focus_ == 2) activate_input(ImGui::GetID("##omnibox"));
  const float room = std::floor((ImGui::GetWindowHeight() - ImGui::GetFontSize()) * 0.5f - ui.px(3));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(9), std::max(1.0f, room)});
  ImGui::SetCursorPosY(std::round(ui.px(3)));
  const bool changed = text_input("##omnibox", hint(ui.keymap, state.mode, width - ui.px(18)).c_str(), text_,
                                  ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_CallbackAlways,
                                  put_cursor_last, &keeps_cursor_);
  ImGui::PopStyleVar();
  note_place(ui, "omnibox");
  const bool is_active = ImGui::IsItemActive();
  const bool was_taken = focus_ == kAfterEnter;  // ImGui puts back the text and lets go of the box
  if (was_taken) {
    keeps_cursor_ = true;
    show_search(ui);
  }
  below_ = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y};
  width_ = width;
  if (changed && !clears_ && !was_taken) edited(ui);
  if (std::exchange(clears_, false)) text_.clear();
  if (is_active) {
    if (!state.is_focused) state.shows_list = true;  // a click
    state.is_focused = true;
    update_rows(ui);
  }
  count(ui);
  state.text = typed();
  state.rows = rows_.size();
  state.chosen = chosen_ < rows_.size() ? rows_[chosen_].text : "";
  state.message = state.is_focused ? message(ui) : "";
  if (focus_ > 0) {
    --focus_;
  } else if (!is_active && state.is_focused) {
    // A click on the list takes the cursor away, and must find the list.
    draw_list(ui);
    leave(ui.state);
  }
}

/// The text is that of the search, unless it is of commands or tracks.
void Omnibox::show_search(UiContext& ui) {
  const std::string& searched = ui.open.search().text();
  if (ui.state.omnibox.mode != OmniboxMode::kSearch || searched == typed()) return;
  text_ = searched;
}

void Omnibox::edited(UiContext& ui) {
  OmniboxState& state = ui.state.omnibox;
  chosen_ = kNone;
  scrolls_ = true;
  state.shows_list = true;
  if (state.mode != OmniboxMode::kSearch) return;
  if (typed().starts_with(':') && ui.open.has_trace()) {
    ui.open.search_for({});
    leave(ui.state);
    clears_ = true;
    ui.show_page(DrawerPage::kQuery);
    ui.requests.add(ask::FocusQuery{});
  } else if (typed().starts_with('>')) {
    state.mode = OmniboxMode::kCommands;
    ui.open.search_for({});
  } else {
    ui.open.search_for(std::string(typed()));
  }
}

/// How many were found, and which of them is current, at the right end of the box.
void Omnibox::count(UiContext& ui) const {
  const Search& search = ui.open.search();
  if (ui.state.omnibox.mode != OmniboxMode::kSearch || !search.is_active()) return;
  const std::optional<std::uint64_t> found = search.count();
  std::string text = found ? format_count(*found) : std::string("\xE2\x80\xA6");
  if (found && search.current()) text = format_count(*search.current() + 1) + " / " + text;
  const float width = text_width(ui.fonts.label, ui.fonts.label_px, text);
  const ImVec2 a = ImGui::GetItemRectMin();
  const ImVec2 b = ImGui::GetItemRectMax();
  const float x = b.x - width - ui.px(9);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({x - ui.px(6), a.y + 1}, {b.x - ui.px(2), b.y - 1}, to_imgui(ui.theme.raised));
  const bool is_nothing = found && *found == 0;
  draw_text(draw, ui.fonts.label, ui.fonts.label_px, {x, std::round((a.y + b.y - ui.fonts.label_px) * 0.5f)},
            to_imgui(is_nothing ? ui.theme.warning : ui.theme.muted), text, width + 1);
}

void Omnibox::take(UiContext& ui, const Row& row) {
  if (!row.is_enabled) return;
  if (!row.phrase.empty()) {
    ui.state.omnibox.mode = OmniboxMode::kSearch;
    ui.open.search_for(row.phrase);
    ui.open.step_match(1);
    focus_ = kAfterEnter;
    chosen_ = kNone;
    ui.state.omnibox.shows_list = false;
    return;
  }
  leave(ui.state);
  clears_ = true;
  if (row.track.valid()) ui.open.show_track(row.track);
  if (row.command != nullptr) ui.commands.run(*row.command);
}

bool Omnibox::handle_key(UiContext& ui, const KeyPress& press) {
  OmniboxState& state = ui.state.omnibox;
  if (!state.is_focused || (press.shortcut.modifiers & (kModCtrl | kModAlt)) != 0) return false;
  switch (press.shortcut.key) {
    case kKeyEscape:
      // ImGui puts back what was there before: cleared afterwards.
      clears_ = true;
      if (state.mode == OmniboxMode::kSearch) ui.open.search_for({});
      leave(ui.state);
      return true;
    case kKeyUp:
    case kKeyDown: {
      if (rows_.empty()) return true;
      if (!state.shows_list) return state.shows_list = true;
      const bool is_down = press.shortcut.key == kKeyDown;
      chosen_ = chosen_ == kNone ? (is_down ? 0 : rows_.size() - 1)
                                 : (chosen_ + (is_down ? 1 : rows_.size() - 1)) % rows_.size();
      scrolls_ = true;
      return true;
    }
    case kKeyEnter:
      if (chosen_ < rows_.size()) {
        take(ui, Row(rows_[chosen_]));
      } else if (state.mode == OmniboxMode::kSearch) {
        ui.open.step_match((press.shortcut.modifiers & kModShift) != 0 ? -1 : 1);
        focus_ = kAfterEnter;
        // What is stepped to must be seen; a list that says that nothing was found stays.
        state.shows_list = !message(ui).empty();
      }
      return true;
    default:
      return false;
  }
}

void Omnibox::draw_list(UiContext& ui) {
  const OmniboxState& state = ui.state.omnibox;
  const std::vector<std::string> foot = footer(ui);
  const std::string why_empty = message(ui);
  if (!state.is_focused || !state.shows_list || (rows_.empty() && foot.empty() && why_empty.empty())) return;
  const float line = ImGui::GetTextLineHeight() + ui.px(8);
  const auto lines = static_cast<float>(why_empty.empty() ? std::min(rows_.size(), kMostRowsInView) : 1);
  const float display = ImGui::GetIO().DisplaySize.x;
  const float width = std::max(width_, std::min(ui.px(560), display - ui.px(20)));
  const float x = std::clamp(below_.x + (width_ - width) * 0.5f, 0.0f, std::max(0.0f, display - width));
  const float foot_px = foot.empty() ? 0 : static_cast<float>(foot.size()) * (ui.fonts.label_px + ui.px(5)) + ui.px(6);
  ImGui::SetNextWindowPos({std::round(x), below_.y + ui.px(4)});
  ImGui::SetNextWindowSize({width, lines * line + foot_px + ui.px(10)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(5), ui.px(5)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyle().Colors[ImGuiCol_PopupBg]);
  if (ImGui::Begin("##omnibox_list", nullptr, kList | ImGuiWindowFlags_NoScrollbar)) {
    raise_window();
    int clicked = -1;
    if (!why_empty.empty()) {
      ImGui::SetCursorPos({ImGui::GetCursorPosX() + ui.px(8), ImGui::GetCursorPosY() + ui.px(4)});
      ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.warning));
      fitted_text(ui, why_empty, width - ui.px(26));
      ImGui::PopStyleColor();
      note_place(ui, "omnibox_message");
      ImGui::Dummy({0, ui.px(4)});
    } else if (!rows_.empty()) {  // a child of no height would take all there is
      begin_child("rows", {0, lines * line});
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        if (draw_row(ui, rows_[i], i == chosen_)) clicked = static_cast<int>(i);
        ImGui::PopID();
      }
      ImGui::EndChild();
    }
    ImVec2 at = ImGui::GetCursorScreenPos();
    at.y += ui.px(4);
    for (const std::string& text : foot) {
      draw_text(*ImGui::GetWindowDrawList(), ui.fonts.label, ui.fonts.label_px, {at.x + ui.px(8), at.y},
                to_imgui(ui.theme.muted), text, width - ui.px(26));
      at.y += ui.fonts.label_px + ui.px(5);
    }
    scrolls_ = false;
    if (clicked >= 0) take(ui, Row(rows_[static_cast<std::size_t>(clicked)]));
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
  const float note_px = row.note.empty() ? 0 : text_width(ui.fonts.label, ui.fonts.label_px, row.note) + padding;
  const float room = width - 2 * padding - note_px;
  const ImU32 colour = to_imgui(row.is_enabled ? ui.theme.text : ui.theme.muted);
  draw_text(draw, ui.fonts.ui, ui.fonts.ui_px, {at.x + padding, y}, colour, row.text, room);
  // The letters that fit, once more in the accent's colour; past the cut nothing.
  const FittedText fitted = fit_text(ui.fonts.ui, ui.fonts.ui_px, row.text, room);
  const std::size_t shown = fitted.elided ? fitted.text.size() : row.text.size();
  for (const std::uint32_t position : row.positions) {
    if (position >= shown) break;
    if ((row.text[position] & 0x80) != 0) continue;  // a part of a character
    const float before = text_width(ui.fonts.ui, ui.fonts.ui_px, std::string_view(row.text).substr(0, position));
    draw_text(draw, ui.fonts.ui, ui.fonts.ui_px, {at.x + padding + before, y}, to_imgui(ui.theme.accent),
              std::string_view(row.text).substr(position, 1), width);
  }
  draw_text(draw, ui.fonts.label, ui.fonts.label_px,
            {at.x + width - padding - note_px + padding, y + (ui.fonts.ui_px - ui.fonts.label_px) * 0.5f},
            to_imgui(ui.theme.muted), row.note, note_px);
  return is_hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && row.is_enabled;
}

}  // namespace lacuna
