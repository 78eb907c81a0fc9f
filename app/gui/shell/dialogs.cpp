#include "app/gui/shell/dialogs.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/application/example.h"
#include "app/gui/core/files.h"
#include "app/gui/panels/live/jobs_dialog.h"
#include "app/gui/panels/live/old_recordings_list.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/base/ascii.h"
#include "model/help/glossary.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr ImGuiWindowFlags kDialog =
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize;
constexpr ImGuiWindowFlags kCard =
    kDialog | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;

void centre_next_window() {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5f, display.y * 0.5f}, ImGuiCond_Always, {0.5f, 0.5f});
}

/// Breaks lines at spaces, or anywhere where there are none: the multi-line box does not wrap.
/// In the current font, which has to be monospaced.
std::string wrap(std::string_view text, float most_px) {
  const auto columns = std::max<std::size_t>(10, static_cast<std::size_t>(most_px / ImGui::CalcTextSize("0").x));
  std::string wrapped;
  while (text.size() > columns || text.find('\n') < text.size()) {
    std::size_t cut = std::min(text.find('\n'), text.size());
    std::size_t next = cut + 1;
    if (cut > columns) {
      const std::size_t space = text.rfind(' ', columns);
      const bool at_space = space != std::string_view::npos && space > columns / 2;
      cut = at_space ? space : columns;
      next = at_space ? space + 1 : columns;
    }
    wrapped.append(text.substr(0, cut)).append("\n");
    text.remove_prefix(std::min(next, text.size()));
  }
  return wrapped.append(text);
}

}  // namespace

void draw_error_dialog(UiContext& ui) {
  std::string& error = ui.state.error;
  if (error.empty()) return;
  constexpr const char* kTitle = "Something went wrong";
  bool stays = true;
  if (!begin_dialog(ui, kTitle, 560, 0, &stays)) return;
  ImGui::Spacing();
  // Read-only, so that parts can be selected with the mouse.
  const float lines = 5;
  ImGui::PushStyleColor(ImGuiCol_FrameBg, to_imgui(ui.theme.background));
  push_font(ui.fonts.mono, ui.fonts.mono_px);
  std::string wrapped = wrap(error, ImGui::GetWindowWidth() - ui.px(60));
  ImGui::InputTextMultiline("##error", wrapped.data(), wrapped.size() + 1,
                            {-1, ImGui::GetTextLineHeight() * lines + ui.px(10)}, ImGuiInputTextFlags_ReadOnly);
  ImGui::PopFont();
  ImGui::PopStyleColor();
  ImGui::Spacing();
  if (ImGui::Button("Copy", {ui.px(90), 0})) ui.requests.add(ask::Copy{error});
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - ui.px(100));
  if (ImGui::Button("Close", {ui.px(90), 0})) stays = false;
  note_place(ui, "error_close");
  if (!stays) {
    error.clear();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void draw_about(UiContext& ui) {
  if (!ui.state.about_open) return;
  centre_next_window();
  ImGui::SetNextWindowSize({ui.px(420), 0});
  if (ImGui::Begin("About Lacuna", &ui.state.about_open, kDialog | ImGuiWindowFlags_NoCollapse)) {
    text(fmt::format("Lacuna {}", LACUNA_VERSION));
    ImGui::PushTextWrapPos(0);
    muted_text(ui, "Shows what a PyTorch program does on CPU and GPU, and where the GPU waits.");
    ImGui::Spacing();
    muted_text(ui, "Reads files only: no network, and nothing in a trace is ever executed.");
    ImGui::Spacing();
    muted_text(ui, fmt::format("Dear ImGui {}. MIT licence.", ImGui::GetVersion()));
    ImGui::PopTextWrapPos();
  }
  ImGui::End();
}

void draw_glossary(UiContext& ui) {
  if (!ui.state.glossary_open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5f, display.y * 0.5f}, ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(ui.px(640), display.x * 0.94f), std::min(ui.px(520), display.y * 0.9f)},
                           ImGuiCond_Appearing);
  if (ImGui::Begin("Glossary", &ui.state.glossary_open,
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse)) {
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    text_input("##glossary", "Part of a word", ui.state.glossary_filter, 0, nullptr, nullptr);
    note_place(ui, "glossary_filter");
    begin_child("words", {0, 0});
    const std::string wanted = to_lower(ui.state.glossary_filter);
    bool any = false;
    for (const GlossaryEntry& entry : glossary()) {
      if (entry.word.find(wanted) == std::string_view::npos) continue;
      any = true;
      push_font(ui.fonts.strong, ui.fonts.strong_px);
      text(entry.word);
      ImGui::PopFont();
      ImGui::PushTextWrapPos(0);
      text(entry.meaning);
      ImGui::PopTextWrapPos();
      ImGui::Dummy({1, ui.px(4)});
    }
    if (!any) muted_text(ui, "No such word here.");
    ImGui::EndChild();
  }
  ImGui::End();
}

void draw_loading(UiContext& ui, App& app, ImVec2 centre, ImVec2 corner) {
  Loader& loader = app.loader;
  if (!loader.is_loading()) return;
  const Loader::Status status = loader.status();
  // While a part of the trace is shown already, out of its way: in a corner of the timeline.
  const bool is_showing = app.is_previewing();
  ImGui::SetNextWindowPos(is_showing ? corner : centre, ImGuiCond_Always,
                          is_showing ? ImVec2(1, 1) : ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowBgAlpha(0.96f);
  if (ImGui::Begin("##loading", nullptr, kCard)) {
    const bool may_hold = app.remote() != nullptr && is_showing && status.is_preparing && !status.is_cancelled;
    const float width = ui.px(may_hold ? 360 : is_showing ? 300 : 380);
    const std::string name =
        loader.paths().size() == 1 ? file_name(loader.paths().front()) : fmt::format("{} files", loader.paths().size());
    ImGui::Dummy({width, ui.px(2)});
    fitted_text(ui, (app.is_looking_only() ? "Looking at " : "Opening ") + name, width);
    const float part = status.is_building ? 1.0f : static_cast<float>(status.part);
    ImGui::ProgressBar(part, {width, ui.px(6)}, "");
    const std::string state =
        status.is_cancelled                              ? std::string("Stopping\xE2\x80\xA6")
        : status.is_preparing && app.remote() != nullptr ? app.remote()->fetch_words()
        : status.is_preparing     ? fmt::format("Joining its parts, {}", format_percent(status.part))
        : status.waits_for_writer ? std::string("Waiting until something is written into this pipe")
        : status.is_building      ? fmt::format("Arranging {} events\xE2\x80\xA6", format_count(status.events))
                             : fmt::format("{}, {} events", format_percent(status.part), format_count(status.events));
    if (app.remote() != nullptr) {
      ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
      text(app.remote()->view_words());
      ImGui::PopTextWrapPos();
    }
    if (app.offers_to_skip()) {
      muted_text(ui, "This is a large file.");
      ImGui::SameLine();
      if (link(ui, "Leave out Python functions")) app.load_without("python_function");
      note_place(ui, "skip_python");
    }
    ImGui::AlignTextToFramePadding();
    muted_text(ui, state);
    ImGui::SameLine();
    if (may_hold) {
      ImGui::SetCursorPosX(ImGui::GetCursorStartPos().x + width - ui.px(80 + 6 + 70));
      const bool is_held = app.remote()->is_held();
      if (ImGui::Button(is_held ? "Fetch" : "Pause", {ui.px(70), 0})) app.hold_fetch(!is_held);
      note_place(ui, "hold_fetch");
      tooltip(is_held ? "Fetches all of it, and keeps it: an unchanged file is not fetched a second time."
                      : "Stops fetching until you ask for it; what you look at still arrives.");
      ImGui::SameLine(0, ui.px(6));
    }
    ImGui::SetCursorPosX(ImGui::GetCursorStartPos().x + width - ui.px(80));
    const char* close = app.is_looking_only() ? "Close" : "Cancel";
    if (ImGui::Button(close, {ui.px(80), 0})) loader.cancel();
    note_place(ui, "cancel");
  }
  ImGui::End();
}

void draw_start_page(UiContext& ui, App& app, ImVec2 centre) {
  ImGui::SetNextWindowPos(centre, ImGuiCond_Always, {0.5f, 0.5f});
  if (ImGui::Begin("##start", nullptr, kCard | ImGuiWindowFlags_NoBackground)) {
    const float width = ui.px(460);
    push_font(ui.fonts.strong, ui.fonts.strong_px);
    text("Open a trace");
    ImGui::PopFont();
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    muted_text(ui,
               "Drop a file here, or open one: Chrome-trace JSON as written by torch.profiler, "
               "plain or compressed with gzip or zstd.");
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    if (ImGui::Button("Open a file\xE2\x80\xA6", {ui.px(140), 0})) ui.requests.add(ask::OpenTrace{});
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    muted_text(ui,
               fmt::format("{}        {}  shows every key", ui.keymap.key_of("open"), ui.keymap.key_of("shortcuts")));
    if (ImGui::Button("Launch a program\xE2\x80\xA6", {ui.px(140), 0})) ui.requests.add(ask::Launch{});
    note_place(ui, "start_launch");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    muted_text(ui, fmt::format("{}        and watch its CPU and GPU while it runs", ui.keymap.key_of("launch")));
    if (!example_trace_path().empty()) {
      if (ImGui::Button("Example trace", {ui.px(140), 0})) open_example(app, false);
      note_place(ui, "start_example");
      ImGui::SameLine();
      ImGui::AlignTextToFramePadding();
      muted_text(ui, ui.settings.tour_seen ? "a GPU with gaps" : "a GPU with gaps, and five hints that explain them");
    }
    draw_running_jobs(ui, app.running_jobs, width);
    draw_old_recordings(ui, app.old_recordings, width, [&app](const OldRecording& found) { app.open_old(found); });
    if (!ui.settings.recent.empty()) {
      ImGui::Dummy({width, ui.px(8)});
      push_font(ui.fonts.strong, ui.fonts.strong_px);
      muted_text(ui, "Recent");
      ImGui::PopFont();
      std::string chosen;
      int id = 0;
      for (const std::string& path : ui.settings.recent) {
        ImGui::PushID(++id);
        if (ImGui::Selectable("##recent", false, 0, {width, 0})) chosen = path;
        ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + ui.px(4));
        fitted_text(ui, file_name(path), width * 0.5f);
        ImGui::SameLine(width * 0.5f + ui.px(14));
        fitted_text(ui, path.substr(0, path.size() - file_name(path).size()), width * 0.5f - ui.px(14), true);
        ImGui::PopID();
      }
      if (!chosen.empty()) app.open({chosen});
    }
  }
  ImGui::End();
}

}  // namespace lacuna
