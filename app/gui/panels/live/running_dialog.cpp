#include "app/gui/panels/live/running_dialog.h"

#include <algorithm>
#include <string>

#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {

bool RunningDialog::handle_key(const KeyPress& press) {
  if (press.shortcut.key != kKeyEnter || press.shortcut.modifiers != 0 || press.is_repeat) return false;
  return wants_begin_ = true;
}

void RunningDialog::open_anew() {
  is_open_ = true;
  wants_begin_ = false;
}

bool RunningDialog::begin_frame(UiContext& ui, const char* title, float width_px, float height_px) {
  if (!is_open_) return false;
  ui.state.redraw_in_s = view_.look();
  bool stays = true;
  const bool is_drawn = begin_dialog(ui, title, width_px, height_px, &stays);
  if (is_drawn && !stays) is_open_ = false;
  return is_drawn;
}

void RunningDialog::end_frame() {
  if (!is_open_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

bool RunningDialog::begin_list(UiContext& ui, const char* name, float height, bool is_empty, std::string_view none,
                               std::string_view how_to) {
  begin_bordered_child(name, {0, height});
  if (!is_empty) return true;
  ImGui::PushTextWrapPos(0);
  muted_text(ui, view_.has_looked() ? std::string(none) +
                                          " A program can be woken that was started under lacuna record --dormant, or "
                                          "with the variables of lacuna env" +
                                          std::string(how_to)
                                    : "Looking\xE2\x80\xA6");
  ImGui::PopTextWrapPos();
  return false;
}

float RunningDialog::list_height(const UiContext& ui, float rows) {
  return std::max(ui.px(60), ImGui::GetContentRegionAvail().y - rows);
}

void RunningDialog::begin_button(const UiContext& ui, const char* label, float width_px, bool may) {
  ImGui::BeginDisabled(!may);
  if (ImGui::Button(label, {ui.px(width_px), 0})) wants_begin_ = true;
  ImGui::EndDisabled();
}

void RunningDialog::close_button(const UiContext& ui) {
  ImGui::SameLine();
  if (ImGui::Button("Close", {ui.px(100), 0})) is_open_ = false;
}

}  // namespace lacuna
