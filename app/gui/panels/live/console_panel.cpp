#include "app/gui/panels/live/console_panel.h"

#include <fmt/format.h>

#include "app/gui/panels/live/live_bar.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/base/shell_words.h"
#include "render/format.h"

namespace lacuna {

void ConsolePanel::draw(UiContext& ui) {
  LiveView& live = ui.live;
  if (!live.has_recording()) return;
  const ConsoleBuffer& console = live.console();
  ImGui::AlignTextToFramePadding();
  muted_text(ui, fmt::format("Process {}: {}", live.status().pid, live_state(live)));
  if (console.dropped_lines() > 0) {
    ImGui::SameLine(0, ui.px(14));
    coloured_text(ui.theme.warning, counted(console.dropped_lines(), "older line") + " gone");
  }
  ImGui::SameLine(0, ui.px(14));
  if (live.may_stop()) {
    if (ImGui::Button(live.looks_at_process() ? "Stop looking" : "Stop")) live.stop();
    note_place(ui, "console_stop");
    tooltip(live.looks_at_process()
                ? "The program goes on, and sleeps again."
                : "SIGINT, after two seconds SIGTERM, after two more SIGKILL. Again: the next one at once.");
    ImGui::SameLine(0, ui.px(6));
  }
  if (live.may_relaunch()) {
    if (ImGui::Button("Launch again")) ui.commands.run("relaunch");
    note_place(ui, "console_again");
    tooltip(with_key(ui, "Launches the same program again; this recording is closed.", "relaunch"));
    ImGui::SameLine(0, ui.px(6));
  }
  if (ImGui::Button("Copy all")) ui.requests.add(ask::Copy{console.text()});
  note_place(ui, "console_copy");

  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_imgui(ui.theme.background));
  begin_padded_child("console", ImGui::GetContentRegionAvail(), ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PopStyleColor();
  push_font(ui.fonts.mono, ui.fonts.mono_px);
  const std::uint64_t version = console.version();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(console.size()));
  while (clipper.Step()) {
    console.for_each(static_cast<std::size_t>(clipper.DisplayStart), static_cast<std::size_t>(clipper.DisplayEnd),
                     [&](const ConsoleBuffer::Line& line) {
                       using Stream = ConsoleBuffer::Stream;
                       coloured_text(line.stream == Stream::kErrors ? ui.theme.warning
                                     : line.stream == Stream::kOurs ? ui.theme.accent
                                                                    : ui.theme.text,
                                     line.text);
                     });
  }
  ImGui::PopFont();
  // At the end it stays there; scrolled up it stays where it is.
  if (follows_ && version != shown_version_) ImGui::SetScrollHereY(1.0f);
  if (version == shown_version_) follows_ = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
  shown_version_ = version;
  ImGui::EndChild();
}

}  // namespace lacuna
