#include "app/gui/panels/export/export_dialog.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {

void ExportDialog::open(UiContext& ui, ExportKind kind) {
  kind_ = kind;
  replace_.reset();
  const Document& document = *ui.workspace().document();
  const std::string trace = document.paths.empty() ? "trace" : absolute_path(document.paths.front());
  path_.start(kind == ExportKind::kRange ? suggested_export_path(trace, "-range", ".trace.json.gz")
                                         : suggested_export_path(trace, "-view", ".png"));
}

void ExportDialog::draw(UiContext& ui) {
  finish(ui);
  if (const auto wish = ui.requests.take<ask::Export>(); wish && ui.workspace().has_trace()) open(ui, wish->kind);
  if (!kind_) return path_.close();
  const char* title = *kind_ == ExportKind::kRange ? "Export the range as a trace" : "Save the view as a picture";
  bool stays = true;
  if (!begin_dialog(ui, title, 620, 0, &stays)) return;
  const Workspace& workspace = ui.workspace();
  if (*kind_ == ExportKind::kRange) {
    const TimeSpan range = workspace.area().value_or(workspace.view().visible());
    muted_text(ui,
               fmt::format("{} {}, of {}: what overlaps it. Events that cross its edges stay whole, not cut.",
                           workspace.area() ? "The selected" : "The visible", format_duration(range.duration()),
                           workspace.counted_tracks().empty() ? std::string("all tracks")
                                                              : counted(workspace.counted_tracks().size(), "track")));
  } else {
    muted_text(ui, "The timeline as it is on the screen.");
  }
  ImGui::Spacing();
  const bool entered = path_.draw(ui, title, "export_path");
  const std::string& typed = path_.path();
  const bool is_trace = *kind_ == ExportKind::kRange;
  std::error_code error;
  if (!typed.empty() && with_extension(typed, ".") != typed)
    muted_text(ui, fmt::format("Without an extension it becomes {}.", file_name(typed_path())));
  if (is_trace) {
    replace_.draw(ui, typed_path(), " ");
  } else if (std::filesystem::exists(typed_path(), error)) {
    coloured_text(ui.theme.warning, "This file will be replaced.");
  }
  ImGui::Spacing();
  const bool may_write = !typed.empty() && (!is_trace || replace_.may_write(typed_path()));
  ImGui::BeginDisabled(!may_write);
  const bool saves = ImGui::Button(is_trace && replace_.exists() ? "Replace" : "Save", {ui.px(90), 0}) || entered;
  ImGui::EndDisabled();
  note_place(ui, "export_save");
  ImGui::SameLine();
  if (ImGui::Button("Cancel", {ui.px(90), 0})) stays = false;
  if (saves && may_write) {
    save(ui);
    stays = false;
  }
  if (!stays) {
    kind_.reset();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

std::string ExportDialog::typed_path() const {
  return absolute_path(with_extension(path_.path(), *kind_ == ExportKind::kRange ? ".json.gz" : ".png"));
}

void ExportDialog::save(UiContext& ui) {
  const std::string path = typed_path();
  if (*kind_ == ExportKind::kPicture) {
    ui.requests.add(ask::WritePicture{path, 3});  // by then without the dialog
    return;
  }
  const Workspace& workspace = ui.workspace();
  RangeExportOptions options;
  options.range = workspace.area().value_or(workspace.view().visible());
  options.tracks = workspace.counted_tracks();
  options.path = path;
  options.existing = replace_.existing();
  options.cancel = &cancel_;
  job_.start([document = workspace.document(), options]() -> Answer { return export_range(document->trace, options); });
  ui.state.notice = "Exporting\xE2\x80\xA6";
}

void ExportDialog::finish(UiContext& ui) {
  if (const auto answer = job_.take()) {
    if (!*answer) {
      ui.state.notice.clear();
      return ui.show_error((*answer).error().message());
    }
    const ExportedRange& done = **answer;
    if (ui.state.is_in_browser) ui.requests.add(ask::Download{done.paths.front()});
    ui.state.notice = fmt::format("Wrote {} to {}", counted(done.events, "event"), file_name(done.paths.front()));
    if (done.paths.size() > 1) ui.state.notice += fmt::format(" and {} more", done.paths.size() - 1);
    ui.state.notice += "; those that cross the range's edges are whole";
    if (done.without_args > 0)
      ui.state.notice += fmt::format("; {} without args: the file is damaged there", format_count(done.without_args));
  }
}

}  // namespace lacuna
