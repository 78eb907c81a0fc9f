#include "app/gui/panels/live/attach_dialog.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "capture/share/share_places.h"
#include "model/base/ascii.h"

namespace lacuna {
namespace {

constexpr const char* kAttachTitle = "Attach";

/// What the field means by a word of digits alone; 0: it is a name.
int typed_process(const std::string& word) {
  const bool is_number = !word.empty() && word.size() < 10 && std::ranges::all_of(word, is_digit);
  return is_number ? std::atoi(word.c_str()) : 0;
}

std::string recording_name(const std::string& socket) {
  const std::string name = file_name(socket);
  return name.substr(0, name.rfind('.'));
}

bool is_watched(const RunningJob& job) {
  return job.watcher != 0;
}

}  // namespace

void AttachDialog::open() {
  open_anew();
  just_opened_ = true;
  target_.clear();
}

void AttachDialog::choose(const std::string& target, bool is_double_click) {
  target_ = target;
  if (is_double_click) want_begin();
}

void AttachDialog::begin() {
  const int process = typed_process(target_);
  AttachPlan plan;
  plan.process = process;
  if (process == 0) plan.socket = share_path(target_).value_or(target_);
  close();
  attach_(plan);
}

void AttachDialog::list(UiContext& ui, float height) {
  const auto row = [&](const std::string& target, const std::string& kind, const std::string& what, bool may) {
    ImGui::PushID(target.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (!may) ImGui::BeginDisabled();
    if (ImGui::Selectable(typed_process(target) > 0 ? target.c_str() : "##row", target == target_,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick))
      choose(target, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left));
    if (!may) ImGui::EndDisabled();
    note_place(ui, "attach_row");
    ImGui::TableNextColumn();
    muted_text(ui, kind);
    ImGui::TableNextColumn();
    fitted_text(ui, what, 0, !may);
    ImGui::PopID();
  };
  const bool has_dormant = std::ranges::any_of(view_.jobs(), &RunningJob::is_dormant);
  const bool is_empty = !has_dormant && view_.recordings().empty();
  if (begin_list(ui, "targets", height, is_empty, "Nothing to watch here.",
                 "; a recording can be watched that was begun with lacuna record --live.") &&
      ImGui::BeginTable("list", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY)) {
    ImGui::TableSetupColumn("Process");
    ImGui::TableSetupColumn("Kind");
    ImGui::TableSetupColumn("Command", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    for (const RunningJob& job : view_.jobs())
      if (job.is_dormant)
        row(std::to_string(job.pid), is_watched(job) ? fmt::format("watched by {}", job.watcher) : "dormant",
            job.rank < 0 ? job.command : fmt::format("rank {}: {}", job.rank, job.command), !is_watched(job));
    for (const std::string& socket : view_.recordings()) row(socket, "recording", recording_name(socket), true);
    ImGui::EndTable();
  }
  ImGui::EndChild();
}

void AttachDialog::draw(UiContext& ui) {
  if (!begin_frame(ui, kAttachTitle, 680, 360)) return;
  // The first that may be watched, until another is chosen.
  if (target_.empty() && !ImGui::IsAnyItemActive()) {
    const auto first =
        std::ranges::find_if(view_.jobs(), [](const RunningJob& j) { return j.is_dormant && !is_watched(j); });
    if (first != view_.jobs().end()) {
      target_ = std::to_string(first->pid);
    } else if (!view_.recordings().empty()) {
      target_ = view_.recordings().front();
    }
  }
  const float rows = ImGui::GetFrameHeightWithSpacing() * 2 + ImGui::GetTextLineHeightWithSpacing() + ui.px(8);
  list(ui, list_height(ui, rows));
  ImGui::SetNextItemWidth(-1);
  if (std::exchange(just_opened_, false)) ImGui::SetKeyboardFocusHere();
  text_input("##target", "process, or a recording's name or socket", target_);
  note_place(ui, "attach_target");
  muted_text(ui, "A dormant program is woken with what it started, and sleeps again when it is closed here.");
  begin_button(ui, "Attach", 100, !target_.empty());
  note_place(ui, "attach_begin");
  close_button(ui);
  if (takes_begin() && !target_.empty()) begin();
  end_frame();
}

}  // namespace lacuna
