#include "app/gui/panels/files/file_browser.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/formats/file_names.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kFieldId = "##path";

/// The title may change, the id may not.
std::string popup_name(const std::string& title) {
  return title + "###file_browser";
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string date_text(std::int64_t seconds) {
  if (seconds == 0) return {};
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(seconds)));
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

}  // namespace

void FileBrowser::open(const std::string& folder, const std::string& title) {
  is_open_ = just_opened_ = true;
  title_ = title;
  answer_.reset();
  go_to(folder.empty() ? absolute_path(".") : folder);
}

void FileBrowser::go_to(const std::string& folder) {
  folder_ = absolute_path(folder);
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  shown_folder_.clear();  // read again
  problem_.clear();
  set_typed({});
}

void FileBrowser::go_up() {
  const std::string from = file_name(folder_);
  go_to(joined(folder_, ".."));
  // Where one comes from is chosen, to go back with Enter.
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (listing_.entries[rows_[i]].name == from) choose_row(i);
}

void FileBrowser::set_typed(std::string text) {
  typed_ = text;
  new_text_ = std::move(text);
  focus_ = 2;
  update_rows();
}

void FileBrowser::update_rows() {
  const TypedPath path = split_typed(folder_, typed_);
  if (path.folder != shown_folder_) {
    shown_folder_ = path.folder;
    listing_ = list_folder(shown_folder_);
  }
  view_.typed = path.name;
  rows_ = rows_of(listing_.entries, view_);
  // Of what was typed the first that fits; else the first trace, which is the newest one.
  chosen_ = 0;
  if (view_.typed.empty()) {
    const auto first = std::ranges::find_if(rows_, [&](std::size_t i) { return !listing_.entries[i].is_folder; });
    if (first != rows_.end()) chosen_ = static_cast<std::size_t>(first - rows_.begin());
  }
  was_chosen_ = false;
  scrolls_ = true;
}

void FileBrowser::choose_row(std::size_t row) {
  if (rows_.empty()) return;
  chosen_ = std::min(row, rows_.size() - 1);
  was_chosen_ = scrolls_ = true;
  problem_.clear();
}

std::string FileBrowser::chosen() const {
  return chosen_ < rows_.size() ? listing_.entries[rows_[chosen_]].name : "";
}

bool FileBrowser::handle_key(const KeyPress& press) {
  const bool with_alt = press.shortcut.modifiers == kModAlt;
  if (press.shortcut.modifiers == kModCtrl && press.shortcut.key == kKeyEnter) {
    if (!press.is_repeat) take_folder();
    return true;
  }
  if (press.shortcut.modifiers != 0 && !with_alt) return false;
  const auto page = static_cast<std::size_t>(page_);
  switch (press.shortcut.key) {
    case kKeyUp:
      with_alt ? go_up() : choose_row(chosen_ > 0 ? chosen_ - 1 : 0);
      return with_alt;
    case kKeyDown:
      choose_row(chosen_ + 1);
      return false;
    case kKeyPageUp:
      choose_row(chosen_ > page ? chosen_ - page : 0);
      return false;
    case kKeyPageDown:
      choose_row(chosen_ + page);
      return false;
    case kKeyBackspace:
      if (!typed_.empty() || press.is_repeat) return false;
      go_up();
      return true;
    case kKeyEnter:
      if (!press.is_repeat) take();
      return true;  // the field gets the cursor back first
    default:
      return false;
  }
}

void FileBrowser::take() {
  problem_.clear();
  focus_ = 2;
  const std::string typed_path = joined(split_typed(folder_, typed_).folder, split_typed(folder_, typed_).name);
  std::error_code error;
  std::string path;
  if (!typed_.empty() && !was_chosen_ && std::filesystem::exists(typed_path, error)) {
    path = typed_path;
  } else if (chosen_ < rows_.size()) {
    path = joined(shown_folder_, chosen());
  } else {
    problem_ = "There is no " + typed_path;
    return;
  }
  if (is_folder(path)) {
    go_to(path);
  } else {
    answer_ = path;
  }
}

void FileBrowser::take_folder() {
  answer_ = shown_folder_;
}

/// Tab completes; what the program wants to be in the field is put there.
int FileBrowser::on_text(ImGuiInputTextCallbackData* data) {
  FileBrowser& self = *static_cast<FileBrowser*>(data->UserData);
  const auto put = [&](const std::string& text) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, text.c_str());
    data->ClearSelection();
    data->CursorPos = data->BufTextLen;
  };
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    const std::string whole = complete_path(data->Buf, self.listing_.entries, self.view_.only_traces);
    if (whole != data->Buf) put(whole);
  } else if (self.new_text_) {
    put(*std::exchange(self.new_text_, std::nullopt));
  }
  return 0;
}

void FileBrowser::path_line(UiContext& ui) {
  if (ImGui::ArrowButton("up", ImGuiDir_Up)) go_up();
  note_place(ui, "folder_above");
  tooltip("Folder above (Backspace in the empty field, Alt+Up)");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  push_font(ui.fonts.mono, ui.fonts.mono_px);
  fitted_text(ui, shown_folder_);
  ImGui::PopFont();
}

void FileBrowser::text_field(UiContext& ui) {
  if (focus_ == 2) activate_input(ImGui::GetID(kFieldId));
  if (focus_ == 1 && !new_text_) new_text_ = typed_;  // ImGui selects all of it when it gets the cursor
  ImGui::SetNextItemWidth(-1);
  const bool changed =
      text_input(kFieldId, "Part of a name, or a path: ~/traces/", typed_,
                 ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCompletion, on_text, this);
  note_place(ui, "path");
  if (focus_ > 0) --focus_;
  if (!changed) return;
  problem_.clear();
  update_rows();
}

std::optional<std::vector<std::string>> FileBrowser::draw(UiContext& ui) {
  if (!is_open_) return std::nullopt;
  const std::string name = popup_name(title_);
  if (std::exchange(just_opened_, false)) ImGui::OpenPopup(name.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5f, display.y * 0.5f}, ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(ui.px(760), display.x * 0.9f), std::min(ui.px(540), display.y * 0.9f)},
                           ImGuiCond_Appearing);
  bool stays = true;
  if (!ImGui::BeginPopupModal(name.c_str(), &stays, ImGuiWindowFlags_NoSavedSettings)) {
    is_open_ = false;
    return std::nullopt;
  }
  path_line(ui);
  text_field(ui);
  list(ui);
  if (std::exchange(wants_to_take_, false)) take();
  push_font(ui.fonts.label, ui.fonts.label_px);
  muted_text(
      ui,
      "Enter opens    Ctrl+Enter: all of this folder    Up, Down choose    Tab completes    Backspace: folder above");
  ImGui::PopFont();
  const bool traces_before = view_.only_traces;
  ImGui::Checkbox("Only traces", &view_.only_traces);
  tooltip(fmt::format("Hides files whose names do not end with {}. Other files that hold a trace open all the same.",
                      fmt::join(file_endings(), ", ")));
  if (view_.only_traces != traces_before) update_rows();
  ImGui::SameLine(0, ui.px(14));
  const float buttons = ui.px(318);
  const float room = ImGui::GetWindowWidth() - buttons - ui.px(14) - ImGui::GetCursorPosX();
  if (!problem_.empty() && room > ui.px(40)) {
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.warning));
    fitted_text(ui, problem_, room);
    ImGui::PopStyleColor();
    ImGui::SameLine();
  }
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - buttons);
  if (ImGui::Button("Cancel", {ui.px(90), 0})) stays = false;
  ImGui::SameLine();
  if (ImGui::Button("Open folder", {ui.px(112), 0})) take_folder();
  note_place(ui, "browser_open_folder");
  tooltip("Opens all traces of the folder that is listed (Ctrl+Enter).");
  ImGui::SameLine();
  if (ImGui::Button("Open", {ui.px(90), 0})) take();
  note_place(ui, "browser_open");

  const std::optional<std::string> answer = std::exchange(answer_, std::nullopt);
  if (answer || !stays) {
    is_open_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  if (!answer) return std::nullopt;
  return std::vector{*answer};
}

void FileBrowser::list(UiContext& ui) {
  const float footer =
      ImGui::GetFrameHeightWithSpacing() + ui.fonts.label_px + ImGui::GetStyle().ItemSpacing.y + ui.px(4);
  const ImVec2 size(0, std::max(ui.px(60), ImGui::GetContentRegionAvail().y - footer));
  if (!ImGui::BeginTable("entries", 3,
                         ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                             ImGuiTableFlags_BordersOuter | ImGuiTableFlags_NoSavedSettings,
                         size))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  const auto id = [](FolderColumn column) { return static_cast<ImGuiID>(column); };
  ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch, 0, id(FolderColumn::kName));
  ImGui::TableSetupColumn(
      "Modified",
      ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_DefaultSort | ImGuiTableColumnFlags_PreferSortDescending,
      ui.px(140), id(FolderColumn::kModified));
  ImGui::TableSetupColumn("Size", ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending,
                          ui.px(90), id(FolderColumn::kSize));
  ImGui::TableHeadersRow();
  int column = static_cast<int>(view_.column);
  if (table_order_changed(column, view_.descending) && column >= 0) {
    view_.column = static_cast<FolderColumn>(column);
    update_rows();
  }
  page_ = std::max(1, static_cast<int>(size.y / ImGui::GetTextLineHeightWithSpacing()) - 2);
  for_each_row_in_view(rows_.size(), [&](std::size_t i) { row(ui, i); });
  if (scrolls_ && !rows_.empty()) {
    const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    const float y = static_cast<float>(chosen_) * line;
    const float room = ImGui::GetWindowHeight() - 2 * line;
    if (y < ImGui::GetScrollY()) ImGui::SetScrollY(y);
    if (y > ImGui::GetScrollY() + room - line) ImGui::SetScrollY(y - room + line);
    scrolls_ = false;
  }
  if (rows_.empty()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    muted_text(ui, !listing_.problem.empty() ? "Cannot be read: " + listing_.problem
                   : !view_.typed.empty()    ? "Nothing fits."
                   : view_.only_traces       ? "No traces and no folders here."
                                             : "Nothing here.");
  }
  ImGui::EndTable();
}

void FileBrowser::row(UiContext& ui, std::size_t row) {
  const FolderEntry entry = listing_.entries[rows_[row]];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable("##entry", row == chosen_,
                        ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_SpanAllColumns)) {
    choose_row(row);
    focus_ = 2;  // typing goes on
    wants_to_take_ = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  }
  ImGui::SameLine(0, 0);
  if (entry.is_folder) {
    coloured_text(ui.theme.accent, entry.name + "/");
  } else {
    fitted_text(ui, entry.name);
  }
  ImGui::TableNextColumn();
  muted_text(ui, date_text(entry.modified_s));
  ImGui::TableNextColumn();
  if (!entry.is_folder) number_cell(ui, format_bytes(entry.bytes), true);
}

}  // namespace lacuna
