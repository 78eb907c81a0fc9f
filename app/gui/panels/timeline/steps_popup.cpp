#include "app/gui/panels/timeline/steps_popup.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kListPx = 260;
constexpr float kMostRows = 12;

}  // namespace

float StepsPopup::width(const UiContext& ui) const {
  const Workspace& workspace = ui.workspace();
  if (workspace.steps().empty() && (!workspace.has_trace() || workspace.document()->step_choices.empty())) return 0;
  return ImGui::CalcTextSize("Steps").x + ui.px(16);
}

void StepsPopup::button(UiContext& ui) {
  if (width(ui) == 0) return;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(6), ui.px(1)});
  const bool clicked = ImGui::SmallButton("Steps");
  ImGui::PopStyleVar();
  note_place(ui, "steps");
  std::string text = with_key(ui, "Select steps", "steps") + "\n" + with_key(ui, "Next step", "next_step") + "\n" +
                     with_key(ui, "Previous step", "previous_step");
  const std::string from = step_choices_line(ui.workspace().document()->step_choices);
  if (!from.empty()) text += "\n" + with_key(ui, "Steps from " + from, "steps_from");
  tooltip(text);
  if (clicked) ui.requests.add(ask::ChooseSteps{});
}

void StepsPopup::draw(UiContext& ui) {
  if (!ui.workspace().has_trace()) return;
  button(ui);
  const bool asks_from = &ui.workspace() == &ui.open && ui.requests.take<ask::ChooseStepsFrom>().has_value();
  if (ui.requests.take<ask::ChooseSteps>() || asks_from) {
    typed_.clear();
    pattern_.clear();
    is_wrong_ = false;
    focuses_pattern_ = asks_from || ui.workspace().steps().empty();
    ImGui::OpenPopup("steps_popup");
  }
  ImGui::SetNextWindowSize({ui.px(kListPx) + 2 * ImGui::GetStyle().WindowPadding.x, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(10), ui.px(8)});
  const bool is_open = ImGui::BeginPopup("steps_popup");
  ImGui::PopStyleVar();
  if (!is_open) return;
  if (!ui.workspace().steps().empty()) choose_steps(ui);
  // The trace that this one is compared with has what this one has.
  if (&ui.workspace() == &ui.open && !ui.live.has_recording()) choose_from(ui);
  ImGui::EndPopup();
}

void StepsPopup::choose_steps(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  if (ImGui::IsWindowAppearing() && !focuses_pattern_) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  if (text_input("##steps", "12 or 12..15", typed_, ImGuiInputTextFlags_EnterReturnsTrue)) {
    const auto range = parse_step_range(workspace.steps(), typed_);
    is_wrong_ = !range;
    if (range) {
      workspace.select_steps(*range);
      ImGui::CloseCurrentPopup();
    }
  }
  if (is_wrong_) coloured_text(ui.theme.warning, "No such step in this trace.");
  muted_text(ui, "Shift+click selects up to a step.");
  list(ui);
  ImGui::Separator();
}

void StepsPopup::choose_from(UiContext& ui) {
  const Workspace& workspace = ui.workspace();
  const std::vector<StepChoice>& choices = workspace.document()->step_choices;
  text("Steps from");
  std::optional<std::string> chosen;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const StepChoice& choice = choices[i];
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);  // or the empty circles are hardly seen
    ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(ui.theme.muted));
    if (ImGui::RadioButton(fmt::format("##from{}", i).c_str(), choice.is_used)) chosen = choice.steps_from;
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    note_place(ui, fmt::format("steps_from_{}", i).c_str());
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    fitted_text(ui, fmt::format("{} ({})", choice.name, format_count(choice.count)), ui.px(kListPx - 30),
                !choice.is_used);
    if (ImGui::IsItemClicked()) chosen = choice.steps_from;
  }
  if (workspace.steps().empty() && !workspace.steps_from().empty())
    coloured_text(ui.theme.warning, "Nothing in this trace has such a name.");
  if (ImGui::IsWindowAppearing() && focuses_pattern_) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  if (text_input("##pattern", "another name: iteration *", pattern_, ImGuiInputTextFlags_EnterReturnsTrue))
    chosen = pattern_;
  note_place(ui, "steps_pattern");
  if (!workspace.steps_from().empty()) {
    if (link(ui, "As found")) chosen = std::string();
    note_place(ui, "steps_as_found");
  }
  if (!chosen) return;
  ui.requests.add(ask::UseSteps{std::move(*chosen)});
  ImGui::CloseCurrentPopup();
}

void StepsPopup::list(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const std::vector<Step>& steps = workspace.steps();
  const std::optional<StepRange> chosen = workspace.selected_steps();
  const float rows = std::min(kMostRows, static_cast<float>(steps.size()));
  begin_child("list", {0, rows * ImGui::GetTextLineHeightWithSpacing()});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(steps.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const bool is_chosen = chosen && index >= chosen->first && index <= chosen->last;
      const std::string label = fmt::format("Step {}##{}", steps[index].number, i);
      if (ImGui::Selectable(label.c_str(), is_chosen, ImGuiSelectableFlags_DontClosePopups)) {
        const std::size_t from = ImGui::GetIO().KeyShift && chosen ? chosen->first : index;
        workspace.select_steps({std::min(from, index), std::max(from, index)});
      }
      if (i < 2) note_place(ui, i == 0 ? "step_0" : "step_1");
      const std::string length = format_duration(steps[index].span.duration());
      ImGui::SameLine(ui.px(kListPx) - ImGui::CalcTextSize(length.c_str()).x - ui.px(18));
      muted_text(ui, length);
    }
  }
  ImGui::EndChild();
}

}  // namespace lacuna
