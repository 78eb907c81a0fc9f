#include "app/gui/panels/files/replace_question.h"

#include <filesystem>
#include <system_error>

#include "app/gui/core/files.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/export/own_trace.h"

namespace lacuna {

void ReplaceQuestion::look(const std::string& path) {
  if (path == path_) return;
  path_ = path;
  is_agreed_ = false;
  std::error_code error;
  const std::string file = absolute_path(path);
  const bool holds_something =
      std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) > 0;
  there_ = path.empty() || !holds_something ? There::kNothing : is_own_trace(file) ? There::kOurs : There::kStranger;
}

bool ReplaceQuestion::may_write(const std::string& path) {
  look(path);
  return !path.empty() && (there_ != There::kStranger || is_agreed_);
}

bool ReplaceQuestion::handle_key(const KeyPress& press) {
  if (there_ != There::kStranger || !(press.shortcut == Shortcut{'r', kModAlt})) return false;
  is_agreed_ = !is_agreed_;
  return true;
}

void ReplaceQuestion::draw(UiContext& ui, const std::string& path, const char* when_free) {
  look(path);
  switch (there_) {
    case There::kNothing:
      muted_text(ui, when_free);
      break;
    case There::kOurs:
      coloured_text(ui.theme.warning, "This trace exists and will be replaced.");
      break;
    case There::kStranger:
      ImGui::Checkbox("##replace", &is_agreed_);
      note_place(ui, "replace_it");
      ImGui::SameLine();
      ImGui::AlignTextToFramePadding();
      coloured_text(ui.theme.warning, "This file exists, and Lacuna did not write it. Replace it (Alt+R)");
      break;
  }
}

}  // namespace lacuna
