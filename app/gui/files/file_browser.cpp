#include "app/gui/files/file_browser.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "app/gui/files/files.h"
#include "app/gui/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<FolderEntry> list_folder(const std::string& path) {
  std::vector<FolderEntry> entries;
  std::error_code error;
  fs::directory_iterator it(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    FolderEntry entry;
    entry.name = it->path().filename().string();
    if (entry.name.empty() || entry.name.front() == '.') continue;
    std::error_code ignored;
    entry.is_folder = it->is_directory(ignored);
    if (!entry.is_folder) {
      const std::uintmax_t bytes = it->file_size(ignored);
      entry.bytes = ignored ? 0 : bytes;
    }
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name;
  });
  return entries;
}

bool looks_like_trace(const std::string& name) {
  for (const char* ending : {".json", ".gz", ".zst", ".trace"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

void FileBrowser::open(const std::string& folder) {
  is_open_ = true;
  just_opened_ = true;
  go_to(folder.empty() ? absolute_path(".") : folder);
}

void FileBrowser::go_to(const std::string& folder) {
  folder_ = absolute_path(folder);
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  entries_ = list_folder(folder_);
  selected_.clear();
  path_text_.fill(0);
  folder_.copy(path_text_.data(), path_text_.size() - 1);
}

/// A folder is gone to, anything else is the choice.
std::optional<std::vector<std::string>> FileBrowser::take_typed_path() {
  std::error_code error;
  const std::string typed = path_text_.data();
  if (typed.empty() || fs::is_directory(typed, error)) {
    if (!typed.empty()) go_to(typed);
    return std::nullopt;
  }
  return std::vector{typed};
}

std::optional<std::vector<std::string>> FileBrowser::draw(UiContext& ui) {
  std::optional<std::vector<std::string>> chosen;
  if (!is_open_) return chosen;
  if (just_opened_) {
    ImGui::OpenPopup("Open trace");
    just_opened_ = false;
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5f, display.y * 0.5f}, ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(ui.px(720), display.x * 0.9f),
                            std::min(ui.px(500), display.y * 0.9f)}, ImGuiCond_Appearing);
  bool stays = true;
  if (!ImGui::BeginPopupModal("Open trace", &stays, ImGuiWindowFlags_NoSavedSettings)) {
    is_open_ = false;
    return chosen;
  }
  if (ImGui::ArrowButton("up", ImGuiDir_Up)) go_to(folder_ + "/..");
  tooltip("Folder above");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputText("##path", path_text_.data(), path_text_.size(),
                       ImGuiInputTextFlags_EnterReturnsTrue)) {
    chosen = take_typed_path();
  }
  note_place(ui, "path");
  const float footer = ImGui::GetFrameHeightWithSpacing() + ui.px(4);
  if (begin_bordered_child("entries", {0, -footer})) entries(ui, chosen);
  ImGui::EndChild();
  ImGui::Checkbox("Only traces (.json, .gz, .zst)", &only_traces_);
  ImGui::SameLine();
  const float buttons = ui.px(200);
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowWidth() - buttons));
  if (ImGui::Button("Cancel", {ui.px(90), 0})) stays = false;
  ImGui::SameLine();
  if (ImGui::Button("Open", {ui.px(90), 0})) {
    if (selected_.empty()) {
      chosen = take_typed_path();
    } else {
      chosen = {folder_ + "/" + selected_};
    }
  }
  if (chosen || !stays) {
    is_open_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  return chosen;
}

void FileBrowser::entries(UiContext& ui, std::optional<std::vector<std::string>>& chosen) {
  std::string enter;
  int id = 0;
  for (const FolderEntry& entry : entries_) {
    ++id;
    if (!entry.is_folder && only_traces_ && !looks_like_trace(entry.name)) continue;
    ImGui::PushID(id);
    if (ImGui::Selectable("##entry", selected_ == entry.name, ImGuiSelectableFlags_AllowDoubleClick)) {
      selected_ = entry.is_folder ? std::string() : entry.name;
      if (entry.is_folder) enter = entry.name;
      if (!entry.is_folder && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        chosen = {folder_ + "/" + entry.name};
      }
    }
    ImGui::SameLine(ui.px(8));
    if (entry.is_folder) {
      coloured_text(ui.theme.accent, entry.name + "/");
    } else {
      text(entry.name);
      const std::string size = format_bytes(entry.bytes);
      ImGui::SameLine(ImGui::GetWindowWidth() - ui.px(110));
      muted_text(ui, size);
    }
    ImGui::PopID();
  }
  if (!enter.empty()) go_to(folder_ + "/" + enter);
}

}  // namespace lacuna
