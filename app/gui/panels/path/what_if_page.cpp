#include "app/gui/panels/path/what_if_page.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/causes/gap_cause.h"
#include "render/format.h"

namespace lacuna {
namespace {

using ChangeKind = WhatIfChange::Kind;

const TableColumn kGainChange{.title = "Change", .can_sort = false};
const TableColumn kGain{.title = "Gain", .sample = "1,234 ms", .can_sort = false};
const TableColumn kGainShare{.title = "Share", .sample = "100.0 %", .can_sort = false};

/// Kinds that need more than a row of the ranking.
struct OwnKind {
  ChangeKind kind;
  const char* label;
  const char* hint;
  const char* help;
};
constexpr std::array kOwnKinds = {
    OwnKind{ChangeKind::kScale, "Takes more or less time", "kernel or operator, in full",
            "Each slice of this name takes so many percent of its time."},
    OwnKind{ChangeKind::kNoGap, "Leaves no gaps", "operator, in full",
            "The CPU does nothing of this name while the GPU is idle, nor waits for the GPU in it."},
    OwnKind{ChangeKind::kFuse, "Fused", "kernels, with commas", "Neighbours of these names become one kernel."},
    OwnKind{ChangeKind::kGraph, "As a CUDA graph", "steps: 3..5, or all",
            "All launches of each of these steps become one."}};

std::string gain_share(Nanos part, Nanos whole) {
  return whole <= 0 ? "\xE2\x80\x93" : format_percent(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

void WhatIfPage::draw(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  view_.ask(workspace.document());
  if (workspace.document()->is_partial) {
    muted_text(ui, "Steps are replayed when the whole trace is there.");
    return;
  }
  toolbar(ui);
  const WhatIfView::Answer* answer = view_.answer();
  if (answer == nullptr || answer->document != workspace.document() || answer->source != view_.source) {
    muted_text(ui, "Replaying the steps\xE2\x80\xA6");
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float left_px = std::round(room.x * 0.54f);
  begin_child("gains", {left_px, room.y});
  ranking(ui, *answer);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(12));
  begin_child("predicted", {0, room.y});
  prediction(ui, *answer);
  ImGui::EndChild();
}

void WhatIfPage::toolbar(UiContext& ui) {
  const Trace& trace = ui.workspace().trace();
  if (trace.sources().size() > 1) {
    const auto label = [&](std::size_t s) {
      const TraceSource& source = trace.sources()[s];
      return source.label.empty() ? fmt::format("file {}", s + 1) : source.label;
    };
    ImGui::SetNextItemWidth(ui.px(110));
    if (ImGui::BeginCombo("##rank", label(std::min(view_.source, trace.sources().size() - 1)).c_str())) {
      for (std::size_t s = 0; s < trace.sources().size(); ++s) {
        ImGui::PushID(static_cast<int>(s));
        if (ImGui::Selectable(label(s).c_str(), view_.source == s)) view_.source = s;
        ImGui::PopID();
      }
      ImGui::EndCombo();
    }
    tooltip("Whose steps are replayed.");
    ImGui::SameLine(0, ui.px(8));
  }
  own_change(ui);
}

/// A change that the ranking does not offer.
void WhatIfPage::own_change(UiContext& ui) {
  const OwnKind& own = kOwnKinds[static_cast<std::size_t>(kind_)];
  ImGui::SetNextItemWidth(ui.px(178));
  if (ImGui::BeginCombo("##kind", own.label)) {
    for (std::size_t k = 0; k < kOwnKinds.size(); ++k)
      if (ImGui::Selectable(kOwnKinds[k].label, kind_ == static_cast<int>(k))) kind_ = static_cast<int>(k);
    ImGui::EndCombo();
  }
  note_place(ui, "what_if_kind");
  tooltip(own.help);
  ImGui::SameLine(0, ui.px(4));
  const SliceId selected = ui.workspace().selection().slice;
  ImGui::SetNextItemWidth(ui.px(220));
  const bool entered = text_input("##what_if_name", own.hint, name_, ImGuiInputTextFlags_EnterReturnsTrue);
  note_place(ui, "what_if_name");
  if (selected.valid() && own.kind != ChangeKind::kGraph) {
    ImGui::SameLine(0, ui.px(4));
    if (link(ui, "Selected")) name_ = ui.workspace().trace().name(selected);
    note_place(ui, "what_if_selected");
    tooltip("The name of the slice selected on the timeline.");
  }
  if (own.kind == ChangeKind::kScale) {
    ImGui::SameLine(0, ui.px(6));
    ImGui::SetNextItemWidth(ui.px(96));
    ImGui::SliderFloat("##percent", &percent_, 0, 200, "%.0f %%");
    note_place(ui, "what_if_percent");
    tooltip("How much of its time it still takes. Ctrl+click to type.");
  }
  ImGui::SameLine(0, ui.px(6));
  const bool can_add = !name_.empty() || own.kind == ChangeKind::kGraph;
  ImGui::BeginDisabled(!can_add);
  const bool pressed = ImGui::Button("Add");
  ImGui::EndDisabled();
  note_place(ui, "what_if_add");
  if (!can_add || (!pressed && !entered)) return;
  const WhatIfChange change{own.kind, name_,
                            own.kind == ChangeKind::kScale ? static_cast<double>(percent_) / 100 : 1.0};
  if (!view_.has(change)) view_.toggle(change);
}

void WhatIfPage::ranking(UiContext& ui, const WhatIfView::Answer& answer) {
  if (answer.ranking.empty()) {
    muted_text(ui, "Nothing of what was tried would gain anything.");
    return;
  }
  static const std::vector<TableColumn> kColumns = {kGainChange, kGain, kGainShare};
  if (!ImGui::BeginTable("gains", static_cast<int>(kColumns.size()), kDrawerTable & ~ImGuiTableFlags_Sortable,
                         ImGui::GetContentRegionAvail()))
    return;
  table_headers(ui, "what_if", kColumns);
  for_each_row_in_view(answer.ranking.size(), [&](std::size_t i) {
    const WhatIfGain& gain = answer.ranking[i];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool is_chosen = view_.has(gain.change);
    if (ImGui::Selectable("##gain", is_chosen, ImGuiSelectableFlags_SpanAllColumns)) view_.toggle(gain.change);
    if (i == 0) note_place(ui, "what_if_first");
    if (i == 1) note_place(ui, "what_if_second");
    ImGui::SameLine(0, 0);
    coloured_text(is_chosen ? ui.theme.accent : ui.theme.faint, is_chosen ? "\xE2\x97\x8F" : "\xE2\x97\x8B");
    ImGui::SameLine(0, ui.px(6));
    fitted_name(ui, what_if_words(gain.change));
    if (ImGui::TableNextColumn())
      explained_number(ui, "what_if", kGain, format_duration(gain.gain), format_duration_exact(gain.gain));
    const std::string share = gain_share(gain.gain, answer.prediction.replayed);
    if (ImGui::TableNextColumn()) explained_number(ui, "what_if", kGainShare, share, share);
  });
  ImGui::EndTable();
}

void WhatIfPage::bar(UiContext& ui, const char* label, Nanos time, Nanos most, Rgba colour, std::string_view help) {
  const float label_px = ui.px(74);
  const float number_px = ui.px(92);
  const float room = std::max(ui.px(20), ImGui::GetContentRegionAvail().x - label_px - number_px);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  const float x0 = at.x + label_px;
  const float part = most <= 0 ? 0 : static_cast<float>(static_cast<double>(time) / static_cast<double>(most));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({x0, at.y + 1}, {x0 + room, at.y + line - 1}, to_imgui(ui.theme.raised));
  draw.AddRectFilled({x0, at.y + 1}, {x0 + std::max(1.0f, room * part), at.y + line - 1}, to_imgui(colour));
  ImGui::BeginGroup();
  muted_text(ui, label);
  ImGui::SameLine(ImGui::GetCursorPosX() + label_px + room + ui.px(8));
  text(format_duration(time));
  ImGui::EndGroup();
  tooltip(help);
}

void WhatIfPage::prediction(UiContext& ui, const WhatIfView::Answer& answer) {
  const WhatIfAnswer& p = answer.prediction;
  const bool is_current = answer.changes.size() == view_.changes().size() &&
                          std::ranges::all_of(answer.changes, [&](const WhatIfChange& c) { return view_.has(c); });
  if (!answer.error.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.error, answer.error);
    ImGui::PopTextWrapPos();
    note_place(ui, "what_if_error");
  } else {
    const Nanos most = std::max({p.measured, p.replayed, p.predicted});
    const std::string of = p.steps > 1                      ? fmt::format("{} together", counted(p.steps, "step"))
                           : ui.workspace().steps().empty() ? std::string("The whole trace")
                                                            : std::string("One step");
    muted_text(ui, of);
    bar(ui, "Measured", p.measured, most, mix(ui.theme.raised, ui.theme.muted, 0.55f),
        "As long as it took in the trace.");
    bar(ui, "Replayed", p.replayed, most, mix(ui.theme.raised, ui.theme.muted, 0.75f),
        "What the same replay gives without a change: as far as it is from what was measured, it is not to be "
        "trusted.");
    if (!answer.changes.empty()) {
      const Nanos gain = p.replayed - p.predicted;
      bar(ui, "Predicted", p.predicted, most, gain >= 0 ? ui.theme.good : ui.theme.warning,
          "What the replay gives with the changes below.");
      push_font(ui.fonts.strong, ui.fonts.strong_px);
      coloured_text(gain >= 0 ? ui.theme.good : ui.theme.warning,
                    fmt::format("{} {} ({})", gain >= 0 ? "Gains" : "Loses", format_duration(gain < 0 ? -gain : gain),
                                gain_share(gain < 0 ? -gain : gain, p.replayed)));
      ImGui::PopFont();
      note_place(ui, "what_if_gain");
    }
  }
  if (!is_current || view_.is_computing()) muted_text(ui, "computing\xE2\x80\xA6");
  ImGui::Dummy({1, ui.px(4)});
  ImGui::PushTextWrapPos(0);
  if (view_.changes().empty()) {
    muted_text(ui, "Click changes on the left, or make one above: all that are chosen apply together.");
  } else {
    std::optional<WhatIfChange> removed;
    for (std::size_t c = 0; c < view_.changes().size(); ++c) {
      ImGui::PushID(static_cast<int>(c));
      if (link(ui, "Remove")) removed = view_.changes()[c];
      if (c == 0) note_place(ui, "what_if_remove");
      ImGui::SameLine(0, ui.px(6));
      text(what_if_words(view_.changes()[c]));
      tooltip("lacuna what-if " + what_if_text(view_.changes()[c]));
      ImGui::PopID();
    }
    if (removed) view_.toggle(*removed);
  }
  if (answer.error.empty()) {
    ImGui::Dummy({1, ui.px(4)});
    for (const std::string& assumption : p.assumptions) muted_text(ui, "Assumed: " + assumption + ".");
  }
  ImGui::PopTextWrapPos();
}

}  // namespace lacuna
