#include "app/gui/panels/live/live_bar.h"

#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "capture/session/exit_words.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// A separator dot, then text.
void fact(const UiContext& ui, std::string_view what, Rgba colour) {
  ImGui::SameLine(0, ui.px(8));
  coloured_text(ui.theme.faint, "\xC2\xB7");
  ImGui::SameLine(0, ui.px(8));
  coloured_text(colour, what);
}

void losses(const UiContext& ui, const LiveSource::Status& status) {
  const auto tell = [&](std::uint64_t count, const char* what, const char* why, Rgba colour) {
    if (count == 0) return;
    fact(ui, format_count(count) + what, colour);
    tooltip(why);
  };
  tell(status.capture.dropped, " dropped", "Records for which a ring had no room. A larger buffer per thread helps.",
       ui.theme.error);
  tell(status.not_written, " not recorded", "The disk takes no more.", ui.theme.error);
  tell(status.forgotten, " forgotten", "The oldest events were dropped, to stay within the chosen limit.",
       ui.theme.warning);
  tell(status.capture.corrupt, " corrupt", "Records that could not be decoded; they are not shown.", ui.theme.error);
}

}  // namespace

std::string live_state(const LiveView& live) {
  const LiveSource::Status status = live.status();
  if (live.is_running()) {
    const Nanos since = live.since();
    if (status.exit)
      return fmt::format("The program {}; its children still run", exit_in_words(*status.exit, status.signal));
    if (*status.signal != 0) return fmt::format("Stopping ({} sent)", status.signal);
    if (live.is_paused()) return fmt::format("Picture paused at {:.1f} s", static_cast<double>(since) / 1e9);
    return fmt::format("Recording for {:.1f} s", static_cast<double>(since) / 1e9);
  }
  if (live.looks_at_process()) return "No longer watched";
  return status.exit ? "The program " + exit_in_words(*status.exit, status.signal) : std::string("Ended");
}

float draw_live_bar(UiContext& ui) {
  LiveView& live = ui.live;
  if (!live.has_recording()) return 0;
  const LiveSource::Status status = live.status();
  if (live.is_running() && live.is_paused()) ui.state.redraw_in_s = 0.25;  // the numbers go on
  const float height = std::round(ImGui::GetFrameHeight() + ui.px(8));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, to_imgui(ui.theme.panel));
  draw.AddLine({at.x, at.y + height - 0.5f}, {at.x + width, at.y + height - 0.5f}, to_imgui(ui.theme.border));
  const Rgba dot = !live.is_running() ? ui.theme.muted : live.is_paused() ? ui.theme.warning : ui.theme.error;
  draw.AddCircleFilled({at.x + ui.px(18), at.y + height * 0.5f}, ui.px(5), to_imgui(dot));
  ImGui::SetCursorScreenPos({at.x + ui.px(32), at.y + ui.px(4)});
  ImGui::AlignTextToFramePadding();
  const bool has_failed = status.exit && status.exit->shell_code() != 0 && *status.signal == 0;
  coloured_text(has_failed ? ui.theme.warning : ui.theme.text, live_state(live));
  if (const std::string place = live.place(); !place.empty()) {
    if (status.is_cut) {
      fact(ui, fmt::format("the line to {} is broken", place), ui.theme.warning);
      tooltip("Lacuna tries again. The recording goes on there, and what is missed meanwhile is fetched then.");
    } else {
      fact(ui, live.is_running() ? fmt::format("{}, {} late", place, format_duration(status.late)) : place,
           ui.theme.muted);
      tooltip(
          "That machine records and saves it; this is how far the picture here lags behind. This window may be closed "
          "at any time.");
    }
  } else if (live.looks_at_process()) {
    fact(ui, fmt::format("process {}", status.pid), ui.theme.muted);
    tooltip("A program that ran before and was woken. It sleeps again when this is stopped or closed, and goes on.");
  } else if (!live.is_own()) {
    fact(ui, "attached", ui.theme.muted);
    tooltip("Another process records this program and saves it. This window may be closed at any time.");
  }
  fact(ui, counted(status.events - status.forgotten, "event"), ui.theme.muted);
  tooltip(column_definition("bars", "Recorded events"));
  const std::uint64_t processes = status.capture.processes;
  if (processes == 0) {
    fact(ui, live.is_running() ? "nothing recorded yet" : "nothing was recorded", ui.theme.muted);
    tooltip(
        "Lacuna sees NVTX ranges, CUDA activity and PyTorch operators of the program and its children. The launch "
        "dialog (Ctrl+L) says what works on this machine.");
  } else {
    fact(ui, counted(processes, "process"), ui.theme.muted);
    tooltip(column_definition("bars", "Processes"));
  }
  if (status.capture.steps > 0) {
    fact(ui, counted(status.capture.steps, "step"), ui.theme.muted);
    tooltip(column_definition("bars", "Steps"));
  }
  losses(ui, status);
  const GrowingMemory::Usage memory = live.memory();
  if (memory.disk_bytes > 0) {
    fact(ui, format_bytes(memory.disk_bytes) + " on disk", ui.theme.muted);
    tooltip(column_definition("bars", "On disk"));
  }
  if (!memory.failure.empty() && live.is_running()) {
    fact(ui, format_bytes(memory.sealed_bytes) + " in memory", ui.theme.warning);
    tooltip(fmt::format("Slices cannot be moved to the disk: {}. Lacuna tries again.", memory.failure));
  }

  // From the right: what can be done.
  struct Button {
    const char* label;
    const char* place;
    const char* hint;
    bool is_shown;
    bool is_chosen;
    void (*run)(UiContext&);
  };
  const bool following = ui.open.view().is_following() && !live.is_paused();
  const Button buttons[] = {
      {"Follow", "live_follow", "Keep the newest in view (L)", live.is_running(), following,
       [](UiContext& u) {
         u.live.set_paused(false);
         u.open.view().start_following(0);
       }},
      {"Pause", "live_pause", "Stop the picture; recording goes on (P)", live.is_running(), live.is_paused(),
       [](UiContext& u) { u.live.set_paused(!u.live.is_paused()); }},
      {live.looks_at_process() ? "Stop looking" : "Stop", "live_stop",
       live.looks_at_process() ? "The program continues, and is dormant again (Ctrl+.)"
                               : "SIGINT, after two seconds SIGTERM, after two more SIGKILL (Ctrl+.)",
       live.may_stop(), false, [](UiContext& u) { u.live.stop(); }},
      {"Launch again", "live_again", "Launches the same program again; this recording is closed (Ctrl+Shift+R)",
       !live.is_running() && live.may_relaunch(), false, [](UiContext& u) { u.commands.run("relaunch"); }},
      {"Save\xE2\x80\xA6", "live_save", "Ctrl+S", status.events > 0, false,
       [](UiContext& u) { u.requests.add(ask::Save{}); }},
  };
  float needed = ui.px(10);
  for (const Button& b : buttons)
    if (b.is_shown) needed += ImGui::CalcTextSize(b.label).x + 2 * ImGui::GetStyle().FramePadding.x + ui.px(6);
  const float x = std::max(ImGui::GetItemRectMax().x + ui.px(12), at.x + width - needed);
  ImGui::SetCursorScreenPos({x, at.y + ui.px(4)});
  for (const Button& b : buttons) {
    if (!b.is_shown) continue;
    if (segment(ui, b.label, b.is_chosen)) b.run(ui);
    note_place(ui, b.place);
    tooltip(b.hint);
    ImGui::SameLine(0, ui.px(6));
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  return height;
}

}  // namespace lacuna
