#include "app/gui/panels/files/path_input.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "app/gui/core/files.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {

void PathInput::start(std::string path) {
  dialog_.close();
  path_ = std::move(path);
  gets_cursor_ = true;
  is_offered_ = NativeDialog::may_exist();
}

bool PathInput::draw(UiContext& ui, const std::string& title, const char* place) {
  if (std::optional<DialogAnswer> answer = dialog_.poll()) {
    if (answer->end == DialogAnswer::End::kUnavailable) {
      ui.state.notice = "The desktop's dialog does not answer: type the path";
      is_offered_ = false;
    }
    if (!answer->paths.empty()) path_ = std::move(answer->paths.front());
    if (!answer->elsewhere.empty()) ui.state.notice = answer->elsewhere.front() + " is not a file of this machine";
  }
  const char* label = dialog_.is_open() ? "Stop browsing" : "Browse\xE2\x80\xA6";
  const float button_px = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float beside_px = is_offered_ ? button_px + ImGui::GetStyle().ItemSpacing.x : 0;
  ImGui::BeginDisabled(dialog_.is_open());  // ImGui keeps a text of its own while the field has the cursor
  if (std::exchange(gets_cursor_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - beside_px);
  const bool is_entered = text_input("##path", "File", path_, ImGuiInputTextFlags_EnterReturnsTrue);
  note_place(ui, place);
  ImGui::EndDisabled();
  if (is_offered_) {
    ImGui::SameLine();
    if (ImGui::Button(label)) dialog_.is_open() ? dialog_.close() : ask_desktop(ui, title);
    note_place(ui, "browse");
  }
  if (dialog_.is_open()) ui.observed.desktop_dialog_open = true;
  return is_entered;
}

void PathInput::ask_desktop(UiContext& ui, const std::string& title) {
  const std::string whole = absolute_path(path_);
  const std::string name = file_name(whole);
  std::string folder = whole.substr(0, whole.size() - name.size());
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  dialog_.start({.saves = true, .title = title, .folder = folder, .name = name, .x11_window = ui.state.x11_window});
}

}  // namespace lacuna
