#include "app/gui/panels/tour/tour.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/gui/application/commands.h"
#include "app/gui/application/example.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/paint/imgui_compat.h"

namespace lacuna {
namespace {

constexpr ImGuiWindowFlags kHint = ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoTitleBar |
                                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;

enum class About { kGap, kDetails, kTimeline, kPages, kReport };

struct Hint {
  const char* title;
  const char* text;
  About about;
};
constexpr std::array kHints = {
    Hint{"This is a gap",
         "The GPU stream has nothing to do here. Gaps are painted on the timeline, each with its duration: "
         "together they are the time that the GPU loses. The longest of this trace is selected.",
         About::kGap},
    Hint{"Why it is there",
         "Colour and hatching of a gap say its cause. The details name it in a sentence, with the evidence: "
         "what the CPU did meanwhile, what it waited for, which launch ended the gap. Blue names lead there.",
         About::kDetails},
    Hint{"The next one", "N goes to the next gap, Shift+N to the one before. Try it: press N.", About::kTimeline},
    Hint{"The operator to blame",
         "Lost time by operator: the idle time that each operator, and the modules and Python functions around "
         "it, cost the GPU. Click a row, and N walks through its gaps.",
         About::kPages},
    Hint{"The report",
         "What limits the speed of each GPU, why, and what to do about it, in words. Each sentence leads to its "
         "evidence on the timeline. Now open a trace of your own.",
         About::kReport},
};

bool is_empty_place(const ImVec4& place) {
  return place.z <= place.x || place.w <= place.y;
}

}  // namespace

void Tour::begin(UiContext& ui) {
  ui.state.tour_waits = false;
  ui.settings.tour_seen = true;
  ui.state.drawer_open = true;
  go_to(ui, 1);
}

void Tour::go_to(UiContext& ui, std::size_t step) {
  ui.state.tour_step = step;
  Workspace& workspace = ui.open;
  switch (step) {
    case 1:
      workspace.clear_selection();
      workspace.go_to_longest_gap();
      break;
    case 2:
      if (!workspace.selection().gap.valid()) workspace.go_to_longest_gap();
      break;
    case 3:
      gap_ = workspace.selection().gap;
      break;
    case 4:
      ui.state.gaps_view = GapsView::kOperators;
      ui.show_page(DrawerPage::kGaps);
      break;
    case 5:
      ui.show_page(DrawerPage::kReport);
      break;
    default:
      ui.state.tour_step = 0;
      break;
  }
}

bool Tour::handle_key(UiContext& ui, int key) {
  if (ui.state.tour_step == 0 || (key != kKeyEscape && key != kKeyEnter)) return false;
  go_to(ui, key == kKeyEscape ? 0 : ui.state.tour_step + 1);
  return true;
}

void Tour::draw(UiContext& ui, const Places& places) {
  if (ui.state.tour_waits && loader_.is_loading()) return;
  if (ui.state.tour_waits) {
    const DocumentPtr& open = ui.open.document();
    const bool is_example = open != nullptr && !open->paths.empty() && open->paths.front() == example_trace_path();
    is_example ? begin(ui) : void(ui.state.tour_waits = false);
  }
  if (ui.state.tour_step == 0) return;
  if (!ui.open.has_trace() || loader_.is_loading()) return go_to(ui, 0);
  if (ui.state.tour_step == 3 && ui.open.selection().gap.valid() && ui.open.selection().gap != gap_) {
    go_to(ui, 4);
  }

  const std::size_t step = ui.state.tour_step;
  const Hint& hint = kHints[step - 1];
  ImVec4 about = hint.about == About::kGap       ? places.gap
                 : hint.about == About::kDetails ? places.details
                 : hint.about == About::kPages   ? places.pages
                 : hint.about == About::kReport  ? places.report
                                                 : places.gap;
  const bool is_beside = hint.about == About::kReport && !is_empty_place(about);
  if (hint.about == About::kReport && !is_beside) about = places.pages;
  if (is_empty_place(about)) about = places.timeline;
  const float edge = ui.px(2);
  draw_outline(*ImGui::GetForegroundDrawList(), {about.x + edge, about.y + edge}, {about.z - edge, about.w - edge},
               to_imgui(ui.theme.accent), edge);

  // Below a gap, above what lies in the drawer, beside what is as high as the window.
  const bool is_below = hint.about == About::kGap || hint.about == About::kTimeline || is_beside;
  const float width = ui.px(360);
  const float x =
      std::clamp((about.x + about.z) * 0.5f, places.timeline.x + width * 0.6f, places.timeline.z - width * 0.6f);
  const float y = is_beside ? about.y + ui.px(40) : is_below ? about.w + ui.px(12) : about.y - ui.px(12);
  ImGui::SetNextWindowPos({x, y}, ImGuiCond_Always, {0.5f, is_below ? 0.0f : 1.0f});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imgui(ui.theme.raised));
  ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(ui.theme.accent));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(14), ui.px(12)});
  if (ImGui::Begin("##tour", nullptr, kHint)) {
    push_font(ui.fonts.strong, ui.fonts.strong_px);
    text(hint.title);
    ImGui::PopFont();
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    text(hint.text);
    ImGui::PopTextWrapPos();
    ImGui::Dummy({width, ui.px(2)});
    ImGui::AlignTextToFramePadding();
    muted_text(ui, fmt::format("{} of {}", step, kHints.size()));
    const bool is_last = step == kHints.size();
    const float button = ui.px(72);
    const float buttons = (is_last ? 2 : 3) * button + (is_last ? 1 : 2) * ui.px(6);
    ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + width - buttons);
    std::size_t next = step;
    if (!is_last) {
      if (ImGui::Button("Skip", {button, 0})) next = 0;
      note_place(ui, "tour_skip");
      ImGui::SameLine(0, ui.px(6));
    }
    if (step == 1) ImGui::BeginDisabled();
    if (ImGui::Button("Back", {button, 0})) next = step - 1;
    if (step == 1) ImGui::EndDisabled();
    note_place(ui, "tour_back");
    ImGui::SameLine(0, ui.px(6));
    if (ImGui::Button(is_last ? "Done" : "Next", {button, 0})) next = step + 1;
    note_place(ui, "tour_next");
    tooltip(is_last ? "Enter. The menu Help starts the tour again." : "Enter; Esc skips the tour.");
    if (next != step) go_to(ui, next);
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
}

}  // namespace lacuna
