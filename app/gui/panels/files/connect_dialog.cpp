#include "app/gui/panels/files/connect_dialog.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kConnectTitle = "Connect to another machine";
constexpr float kConnectNamesPx = 76;
constexpr double kBusyRedrawS = 0.1;

void line_name(const UiContext& ui, const char* what) {
  ImGui::AlignTextToFramePadding();
  muted_text(ui, what);
  ImGui::SameLine(ui.px(kConnectNamesPx));
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string above(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : folder.substr(0, slash);
}

}  // namespace

void ConnectDialog::open() {
  is_open_ = just_opened_ = true;
  wants_begin_ = false;
}

void ConnectDialog::close() {
  is_open_ = false;
  view_.cancel();
}

bool ConnectDialog::handle_key(const KeyPress& press) {
  if (press.shortcut.key != kKeyEnter || press.shortcut.modifiers != 0 || press.is_repeat) return false;
  return wants_begin_ = true;
}

/// What Enter does: looks where another host or folder was typed, else opens what is chosen.
void ConnectDialog::begin() {
  if (view_.is_busy() || host_.empty()) return;
  if (!command_.empty()) return view_.record(host_, command_);
  const bool is_listed = view_.listing() != nullptr && view_.host() == host_ && folder_ == listed_;
  if (!is_listed) return view_.look(host_, folder_);
  take(chosen_);
}

void ConnectDialog::take(std::size_t row) {
  const FarSide::Listing& listing = *view_.listing();
  if (row >= listing.entries.size()) return;
  const RemoteEntry& entry = listing.entries[row];
  const std::string path = below(listing.folder, entry.name);
  if (entry.is_folder) {
    view_.look(host_, path);
  } else if (std::optional<RemotePlace> place = view_.place_of(host_)) {
    close();
    open_there_(std::move(*place), {path});
  }
}

void ConnectDialog::host_line(UiContext& ui) {
  line_name(ui, "Host");
  ImGui::SetNextItemWidth(-ui.px(110));
  if (std::exchange(just_opened_, false)) ImGui::SetKeyboardFocusHere();
  text_input("##host", "as your ssh knows it: gpu-box, or user@10.0.0.7", host_);
  note_place(ui, "connect_host");
  ImGui::SameLine();
  if (ImGui::Button("Look", {ui.px(100), 0}) && !host_.empty()) view_.look(host_, folder_);
  tooltip("Your own ssh, with its keys, jump hosts and known_hosts. Lacuna must be there: lacuna install-on HOST");
}

void ConnectDialog::folder_line(UiContext& ui) {
  line_name(ui, "Folder");
  const bool may_go_up = view_.listing() != nullptr && !view_.is_busy();
  if (ImGui::ArrowButton("up", ImGuiDir_Up) && may_go_up) view_.look(host_, above(view_.listing()->folder));
  note_place(ui, "connect_up");
  tooltip("Folder above");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  text_input("##folder", "~ (your home there)", folder_);
  note_place(ui, "connect_folder");
}

void ConnectDialog::list(UiContext& ui, float height) {
  begin_bordered_child("files", {0, height});
  const FarSide::Listing* listing = view_.listing();
  if (listing == nullptr) {
    ImGui::PushTextWrapPos(0);
    muted_text(ui, view_.is_busy() ? "Asking\xE2\x80\xA6"
                                   : "Files of the other machine appear here. What you open is seen from there at "
                                     "once, while it is fetched, compressed on the way, and kept: an unchanged file is "
                                     "not fetched a second time.");
    ImGui::PopTextWrapPos();
  } else if (ImGui::BeginTable("list", 3,
                               ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY)) {
    ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("Size");
    ImGui::TableSetupColumn("Modified");
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    std::optional<std::size_t> taken;
    for (std::size_t i = 0; i < listing->entries.size(); ++i) {
      const RemoteEntry& entry = listing->entries[i];
      if (only_traces_ && !entry.may_be_trace) continue;
      ImGui::PushID(static_cast<int>(i));
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImGuiSelectableFlags flags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
      if (ImGui::Selectable("##row", i == chosen_, flags)) {
        chosen_ = i;
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) taken = i;
      }
      if (i == chosen_) note_place(ui, "connect_chosen");
      ImGui::SameLine(0, 0);
      fitted_text(ui, entry.is_folder ? entry.name + "/" : entry.name);
      ImGui::TableNextColumn();
      muted_text(ui, entry.is_folder ? std::string() : format_bytes(entry.bytes));
      ImGui::TableNextColumn();
      const std::time_t modified = std::clamp<std::int64_t>(entry.modified_s, 0, std::int64_t{1} << 36);
      muted_text(ui, fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(modified)));
      ImGui::PopID();
    }
    ImGui::EndTable();
    if (taken && !view_.is_busy()) take(*taken);
  }
  ImGui::EndChild();
}

void ConnectDialog::record_line(UiContext& ui) {
  line_name(ui, "Record");
  ImGui::SetNextItemWidth(-ui.px(110));
  text_input("##command", "a command there: python train.py", command_);
  note_place(ui, "connect_command");
  ImGui::SameLine();
  const bool may = !command_.empty() && !host_.empty() && !view_.is_busy();
  if (!may) ImGui::BeginDisabled();
  if (ImGui::Button("Record", {ui.px(100), 0})) view_.record(host_, command_);
  if (!may) ImGui::EndDisabled();
  note_place(ui, "connect_record");
  tooltip("It is recorded there, into your home, and shown here while it runs. It goes on when the line breaks.");
}

void ConnectDialog::state_line(UiContext& ui) {
  ImGui::PushTextWrapPos(0);
  if (view_.is_busy()) {
    muted_text(ui, "Asking " + host_ + "\xE2\x80\xA6");
  } else if (!view_.problem().empty()) {
    coloured_text(ui.theme.error, view_.problem());
  } else if (view_.listing() != nullptr && view_.listing()->left_out > 0) {
    coloured_text(ui.theme.warning, fmt::format("{} more are not listed", format_count(view_.listing()->left_out)));
  }
  ImGui::PopTextWrapPos();
}

void ConnectDialog::draw(UiContext& ui) {
  view_.update();
  if (auto relay = view_.take_relay()) {
    is_open_ = false;
    command_.clear();
    attach_(relay->socket());
    relay_ = std::move(relay);  // the one before may go now
  }
  if (view_.listing() != nullptr && view_.listing()->folder != listed_) {
    folder_ = listed_ = view_.listing()->folder;
    const auto& entries = view_.listing()->entries;
    const auto first =
        std::ranges::find_if(entries, [](const RemoteEntry& e) { return e.may_be_trace && !e.is_folder; });
    chosen_ = first == entries.end() ? 0 : static_cast<std::size_t>(first - entries.begin());
  }
  if (!is_open_) return;
  if (view_.is_busy()) ui.state.redraw_in_s = kBusyRedrawS;
  if (!ImGui::IsPopupOpen(kConnectTitle)) ImGui::OpenPopup(kConnectTitle);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5f, display.y * 0.5f}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(ui.px(760), display.x * 0.96f), std::min(ui.px(520), display.y * 0.94f)});
  bool stays = true;
  if (!ImGui::BeginPopupModal(kConnectTitle, &stays,
                              ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize))
    return;
  host_line(ui);
  folder_line(ui);
  const float rows = ImGui::GetFrameHeightWithSpacing() * 3 + ImGui::GetTextLineHeightWithSpacing() * 2 + ui.px(8);
  list(ui, std::max(ui.px(60), ImGui::GetContentRegionAvail().y - rows));
  ImGui::Checkbox("Only traces (.json, .gz, .zst, .sqlite, .pickle)", &only_traces_);
  record_line(ui);
  const bool may_open = !view_.is_busy() && view_.listing() != nullptr && chosen_ < view_.listing()->entries.size();
  if (!may_open) ImGui::BeginDisabled();
  if (ImGui::Button("Open", {ui.px(100), 0})) take(chosen_);
  if (!may_open) ImGui::EndDisabled();
  note_place(ui, "connect_open");
  ImGui::SameLine();
  if (ImGui::Button(view_.is_busy() ? "Cancel" : "Close", {ui.px(100), 0})) {
    if (view_.is_busy()) {
      view_.cancel();
    } else {
      stays = false;
    }
  }
  state_line(ui);
  if (std::exchange(wants_begin_, false)) begin();
  if (!stays) close();
  if (!is_open_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace lacuna
