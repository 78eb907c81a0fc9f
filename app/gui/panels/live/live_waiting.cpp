#include "app/gui/panels/live/live_waiting.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/live/live_bar.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// Before that a program is only starting.
constexpr Nanos kPatienceNs = 1'500'000'000;
constexpr float kCardPx = 720;

bool runs_python(const LivePlan& plan) {
  return std::ranges::any_of(plan.arguments, [](const std::string& argument) {
    const std::string name = file_name(argument);
    return name.starts_with("python") || name.ends_with(".py") || name == "torchrun";
  });
}

void waiting_heading(const UiContext& ui, std::string_view what) {
  ImGui::Dummy({1, ui.px(6)});
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  text(what);
  ImGui::PopFont();
}

}  // namespace

std::vector<SoughtFor> sought_for(const LivePlan& plan, const LiveSource::Status& status) {
  const std::uint64_t processes = status.capture.processes;
  const auto found = [&](bool is_on, const char* why_not) -> std::string {
    if (!is_on) return "not looked for: switched off when it was launched";
    return processes == 0
               ? why_not
               : fmt::format("none in {}", processes == 1 ? std::string("the one process that can have them")
                                                          : fmt::format("{} processes that can have them", processes));
  };
  return {
      {"NVTX ranges and marks", found(plan.nvtx, "none: the program has not called NVTX"), !plan.nvtx},
      {"CUDA kernels, copies and calls", found(plan.cuda, "none: the program has not used CUDA"), !plan.cuda},
      {"PyTorch operators", found(plan.torch, "none: the program has not imported torch"), !plan.torch},
  };
}

std::vector<std::string> advice_for(const LivePlan& plan) {
  std::vector<std::string> advice;
  if (plan.process > 0)
    advice.emplace_back("It was woken a moment ago: ranges that began before are not seen, only those that begin now.");
  if (runs_python(plan)) {
    advice.emplace_back(
        "Mark what the program does: pip install nvtx, then \"with nvtx.annotate('load'): ...\". "
        "PyTorch operators are recorded automatically.");
  } else {
    advice.emplace_back(
        "Mark what the program does with NVTX: #include <nvtx3/nvtx3.hpp>, then "
        "nvtx3::scoped_range range{\"load\"};");
  }
  advice.emplace_back(
      "Programs that it starts are recorded too, but not through sudo, ssh or docker: those drop the "
      "environment. Run lacuna record in there.");
  advice.emplace_back("Which of this works on this machine: the launch dialog (Ctrl+L), or lacuna doctor.");
  return advice;
}

void draw_live_waiting(UiContext& ui) {
  const LiveView& live = ui.live;
  const LiveSource::Status status = live.status();
  const float room = ImGui::GetContentRegionAvail().x;
  const float width = std::min(ui.px(kCardPx), room - ui.px(40));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(ui.px(20), std::round((room - width) * 0.5f)));
  ImGui::BeginGroup();
  const float left = ImGui::GetCursorPosX();
  ImGui::PushTextWrapPos(left + width);
  waiting_heading(ui, live.is_running() ? "Nothing to show yet" : "Nothing was recorded");
  note_place(ui, "live_waiting");
  std::string command;
  for (const std::string& argument : live.plan().arguments) command += (command.empty() ? "" : " ") + argument;
  push_font(ui.fonts.mono, ui.fonts.mono_px);
  fitted_text(ui, command, width, true);
  ImGui::PopFont();
  if (!live.is_running() || live.since() > kPatienceNs) {
    waiting_heading(ui, "What was looked for");
    for (const SoughtFor& sought : sought_for(live.plan(), status)) {
      coloured_text(sought.is_off ? ui.theme.muted : ui.theme.text, sought.what);
      ImGui::SameLine();
      ImGui::SetCursorPosX(left + ui.px(230));  // SameLine(x) counts from the group
      muted_text(ui, sought.found);
      note_place(ui, "live_sought");
    }
    waiting_heading(ui, "What you can do");
    for (const std::string& sentence : advice_for(live.plan())) {
      const float y = ImGui::GetCursorPosY();
      muted_text(ui, "\xE2\x80\xA2");
      ImGui::SetCursorPos({left + ui.px(14), y});
      text(sentence);
    }
  } else {
    muted_text(ui, "Waiting for its first event.");
  }
  ImGui::PopTextWrapPos();
  ImGui::Dummy({1, ui.px(8)});
  if (!live.is_running()) {
    if (live.may_relaunch() && ImGui::Button("Launch again")) ui.commands.run("relaunch");
    ImGui::SameLine();
    if (ImGui::Button("Launch another\xE2\x80\xA6")) ui.requests.add(ask::Launch{});
    ImGui::SameLine();
    if (ImGui::Button("Close")) ui.commands.run("close");
    note_place(ui, "waiting_close");
  }
  ImGui::EndGroup();
}

}  // namespace lacuna
