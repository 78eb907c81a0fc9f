#include "app/gui/panels/export/export_dialog.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/cut/range_export.h"
#include "app/finding/notes.h"
#include "app/finding/write_file.h"
#include "app/gui/application/page_groups.h"
#include "app/gui/core/files.h"
#include "app/gui/panels/export/finding_program.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/gui/workspace/side_car.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// What is written, and where.
struct ExportWords {
  const char* title;
  const char* suffix;     ///< of the proposed name
  const char* extension;  ///< of that one …
  const char* least;      ///< … and of one that is typed without
};

ExportWords export_words(ExportKind kind) {
  switch (kind) {
    case ExportKind::kRange:
      return {"Export the range as a trace", "-range", ".trace.json.gz", ".json.gz"};
    case ExportKind::kPicture:
      return {"Save the view as a picture", "-view", ".png", ".png"};
    case ExportKind::kNotes:
      return {"Export all notes", "-notes", ".json", ".json"};
    case ExportKind::kFinding:
      break;
  }
  return {"Share as a finding", "-finding", ".lacuna", ".lacuna"};
}

std::string export_words(const ExportedRange& done) {
  std::string words = fmt::format("Wrote {} to {}", counted(done.events, "event"), file_name(done.paths.front()));
  if (done.paths.size() > 1) words += fmt::format(" and {} more", done.paths.size() - 1);
  words += "; those that cross the range's edges are whole";
  if (done.without_args > 0)
    words += fmt::format("; {} without args: the file is damaged there", format_count(done.without_args));
  return words;
}

}  // namespace

void ExportDialog::open(UiContext& ui, ExportKind kind) {
  kind_ = kind;
  replace_.reset();
  looked_at_.clear();
  const Document& document = *ui.workspace().document();
  const std::string trace = document.paths.empty() ? "trace" : absolute_path(document.paths.front());
  const ExportWords words = export_words(kind);
  path_.start(suggested_export_path(trace, words.suffix, words.extension));
}

void ExportDialog::draw(UiContext& ui) {
  finish(ui);
  if (const auto wish = ui.requests.take<ask::Export>(); wish && ui.workspace().has_trace()) open(ui, wish->kind);
  if (!kind_) return path_.close();
  const char* title = export_words(*kind_).title;
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
  } else if (*kind_ == ExportKind::kPicture) {
    muted_text(ui, "The timeline as it is on the screen.");
  } else if (*kind_ == ExportKind::kNotes) {
    muted_text(ui,
               fmt::format("{} as JSON. Import notes reads them in another window, lacuna notes --import elsewhere.",
                           counted(workspace.markers().all().size(), "note")));
  } else {
    muted_text(ui, workspace.area()
                       ? fmt::format("The selected {}, with view, notes, report and picture, in one file.",
                                     format_duration(workspace.area()->duration()))
                       : std::string("All of the trace, with view, notes, report and picture, in one file."));
    ImGui::Checkbox("Replace paths, hosts, users and own names by hashes", &scrubs_);
    note_place(ui, "share_scrub");
    tooltip("As lacuna bundle --scrub does. What was changed is listed beside the file, for you alone.");
  }
  ImGui::Spacing();
  const bool entered = path_.draw(ui, title, "export_path");
  const std::string& typed = path_.path();
  const bool is_trace = *kind_ == ExportKind::kRange || *kind_ == ExportKind::kFinding;
  const bool is_in_the_way = *kind_ == ExportKind::kNotes && this->is_in_the_way(typed_path());
  std::error_code error;
  if (!typed.empty() && with_extension(typed, ".") != typed)
    muted_text(ui, fmt::format("Without an extension it becomes {}.", file_name(typed_path())));
  if (is_trace) {
    replace_.draw(ui, typed_path(), " ");
  } else if (is_in_the_way) {
    coloured_text(ui.theme.warning, "This file exists and holds no notes, so it is not replaced.");
  } else if (std::filesystem::exists(typed_path(), error)) {
    coloured_text(ui.theme.warning, "This file will be replaced.");
  }
  ImGui::Spacing();
  const bool may_write = !typed.empty() && !is_in_the_way && (!is_trace || replace_.may_write(typed_path()));
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
  return absolute_path(with_extension(path_.path(), export_words(*kind_).least));
}

void ExportDialog::save(UiContext& ui) {
  const std::string path = typed_path();
  if (*kind_ == ExportKind::kPicture) {
    ui.requests.add(ask::WritePicture{path, 3});  // by then without the dialog
    return;
  }
  if (*kind_ == ExportKind::kFinding) return share(ui, path);
  if (*kind_ == ExportKind::kNotes) return write_notes(ui, path);
  const Workspace& workspace = ui.workspace();
  RangeExportOptions options;
  options.range = workspace.area().value_or(workspace.view().visible());
  options.tracks = workspace.counted_tracks();
  options.path = path;
  options.existing = replace_.existing();
  options.cancel = &cancel_;
  job_.start([document = workspace.document(), options]() -> Answer {
    return export_range(document->trace, options).map([](const ExportedRange& done) {
      return Written{export_words(done), done.paths.front()};
    });
  });
  ui.state.notice = "Exporting\xE2\x80\xA6";
}

void ExportDialog::share(UiContext& ui, const std::string& path) {
  const Workspace& workspace = ui.workspace();
  FindingWish wish;
  wish.traces = workspace.document()->paths;
  wish.output = path;
  wish.range = workspace.area();
  wish.view = format_finding(workspace, ui.state.drawer_open ? page_key(ui.state.page) : std::string_view());
  wish.queries = ui.settings.saved_queries;
  wish.scrubs = scrubs_;
  wish.replaces = replace_.existing() == Existing::kReplace;
  job_.start([wish]() -> Answer {
    return write_finding(wish).map([&](const std::string& words) { return Written{words, wish.output}; });
  });
  ui.state.notice = "Exporting\xE2\x80\xA6";
}

bool ExportDialog::is_in_the_way(const std::string& path) {
  if (path == looked_at_) return is_in_the_way_;
  looked_at_ = path;
  std::error_code error;
  is_in_the_way_ =
      std::filesystem::exists(path, error) && (!std::filesystem::is_regular_file(path, error) || holds_no_notes(path));
  return is_in_the_way_;
}

void ExportDialog::write_notes(const UiContext& ui, const std::string& path) {
  job_.start([notes = ui.workspace().markers().notes(), path]() -> Answer {
    if (holds_no_notes(path))  // it has come since it was typed
      return fail(ErrorCode::kNotWritable, "it exists and holds no notes, so it is not replaced", path);
    return write_file_atomically(path, format_notes(notes)).map([&] {
      return Written{fmt::format("Wrote {} to {}", counted(notes.size(), "note"), file_name(path)), path};
    });
  });
}

void ExportDialog::finish(UiContext& ui) {
  if (const auto answer = job_.take()) {
    if (!*answer) {
      ui.state.notice.clear();
      return ui.show_error((*answer).error().message());
    }
    if (ui.state.is_in_browser) ui.requests.add(ask::Download{(*answer)->path});
    ui.state.notice = (*answer)->words;
  }
}

}  // namespace lacuna
