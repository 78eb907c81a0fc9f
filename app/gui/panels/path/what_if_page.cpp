#include "app/gui/panels/path/what_if_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/base/ascii.h"
#include "model/base/stable_sort.h"
#include "model/causes/gap_cause.h"
#include "render/format.h"

namespace lacuna {
namespace {

using ChangeKind = WhatIfChange::Kind;

constexpr std::size_t kMostFound = 8;

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
    OwnKind{ChangeKind::kScale, "Takes more or less time", "part of a name: kernel, operator",
            "Each slice of this name takes so many percent of its time."},
    OwnKind{ChangeKind::kNoGap, "Leaves no gaps", "part of an operator's name",
            "The CPU does nothing of this name while the GPU is idle, nor waits for the GPU in it."},
    OwnKind{ChangeKind::kFuse, "Fused", "kernels, with commas", "Neighbours of these names become one kernel."},
    OwnKind{ChangeKind::kGraph, "As a CUDA graph", "steps: 3..5, or all",
            "All launches of each of these steps become one."}};

}  // namespace

void WhatIfPage::draw(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  view_.ask(workspace.document());
  if (const auto asked = ui.requests.take<ask::TryWhatIf>()) try_change(*asked);
  if (may_be_asked(view_.changes())) ui.state.asked_page = AskedPage{view_.asked()};
  if (!workspace.document()->is_answerable()) {
    muted_text(ui, "Steps are replayed once the whole trace is loaded.");
    return;
  }
  toolbar(ui);
  const WhatIfView::Answer* answer = view_.answer();
  if (answer == nullptr || answer->source != view_.source) {
    asked_text(ui, "Replaying the steps\xE2\x80\xA6");
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

void WhatIfPage::try_change(const ask::TryWhatIf& asked) {
  const ChangeKind kind = asked.about == ask::WhatIfAbout::kName     ? ChangeKind::kScale
                          : asked.about == ask::WhatIfAbout::kGapsOf ? ChangeKind::kNoGap
                                                                     : ChangeKind::kNoCause;
  const bool is_there = std::ranges::any_of(view_.changes(), [&](const WhatIfChange& change) {
    return change.kind == kind && change.argument == asked.what;
  });
  if (!is_there) view_.toggle({kind, asked.what, kind == ChangeKind::kScale ? 0.5 : 1.0});
}

/// Names of the trace that have `typed` in them, most time first.
void WhatIfPage::find_names(const UiContext& ui) {
  const Workspace& workspace = ui.workspace();
  if (names_of_ != workspace.document()) {
    names_of_ = workspace.document();
    const Trace& trace = workspace.trace();
    std::vector<const StatisticsRow*> rows;
    for (const StatisticsRow& row : names_of_->statistics.rows)
      if (!comes_last(trace, row.category)) rows.push_back(&row);
    sort_stably(rows, std::ranges::greater{}, &StatisticsRow::total);
    names_.clear();
    std::vector<bool> is_listed(trace.strings().size(), false);
    for (const StatisticsRow* row : rows) {
      if (!is_listed[row->name.value]) names_.push_back(row->name);
      is_listed[row->name.value] = true;
    }
    found_for_ = "\n";  // is no name
  }
  // Of several names the last one is being typed.
  const bool is_list = kOwnKinds[static_cast<std::size_t>(kind_)].kind == ChangeKind::kFuse;
  const std::string typed = to_lower(is_list ? std::string_view(name_).substr(name_.find_last_of(',') + 1) : name_);
  if (typed == found_for_) return;
  found_for_ = typed;
  found_.clear();
  for (const StringId id : names_) {
    const std::string_view name = workspace.trace().text(id);
    if (to_lower(name).find(typed) != std::string::npos) found_.push_back(name);
    if (found_.size() == kMostFound) break;
  }
}

bool WhatIfPage::name_box(UiContext& ui, const char* hint) {
  const bool has_names = kOwnKinds[static_cast<std::size_t>(kind_)].kind != ChangeKind::kGraph;
  ImGui::SetNextItemWidth(ui.px(220));
  const bool entered = text_input("##what_if_name", hint, name_, ImGuiInputTextFlags_EnterReturnsTrue);
  note_place(ui, "what_if_name");
  if (!has_names) return entered;
  const bool is_active = ImGui::IsItemActive();
  const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y);
  if (is_active) is_list_open_ = true;
  if (!is_list_open_ && !entered) return false;
  find_names(ui);
  if (entered) {
    // What is part of a name stands for the one with the most time.
    if (!name_.empty() && !found_.empty() && !ui.workspace().trace().strings().find(name_).valid()) complete(found_[0]);
    is_list_open_ = false;
    return true;
  }
  name_list(ui, below);
  if (!is_active && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) is_list_open_ = false;
  return false;
}

void WhatIfPage::complete(std::string_view name) {
  const bool is_list = kOwnKinds[static_cast<std::size_t>(kind_)].kind == ChangeKind::kFuse;
  name_ = is_list ? name_.substr(0, name_.find_last_of(',') + 1) + std::string(name) : std::string(name);
}

void WhatIfPage::name_list(UiContext& ui, ImVec2 below) {
  if (found_.empty() || (found_.size() == 1 && found_[0] == name_)) return;
  constexpr ImGuiWindowFlags kList = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar;
  const float line = ImGui::GetTextLineHeight() + ui.px(6);
  const float width = std::min(ui.px(520), ImGui::GetIO().DisplaySize.x - below.x);
  const float height = line * static_cast<float>(found_.size()) + ui.px(10);
  // The drawer is at the bottom: what has no room below the box stands above it.
  const float box = ImGui::GetFrameHeight();
  const bool fits = below.y + height + ui.px(2) <= ImGui::GetIO().DisplaySize.y;
  ImGui::SetNextWindowPos({below.x, fits ? below.y + ui.px(2) : below.y - box - height - ui.px(2)});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(5), ui.px(5)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyle().Colors[ImGuiCol_PopupBg]);
  if (ImGui::Begin("##what_if_names", nullptr, kList)) {
    raise_window();
    for (std::size_t n = 0; n < found_.size(); ++n) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::Dummy({width - ui.px(10), line});
      if (n == 0) note_place(ui, "what_if_found");
      const bool is_hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
      if (is_hovered)
        ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width - ui.px(10), at.y + line},
                                                  ImGui::GetColorU32(ImGuiCol_HeaderHovered), ui.px(3));
      ImGui::SetCursorScreenPos({at.x + ui.px(6), at.y + ui.px(3)});
      fitted_name(ui, found_[n], width - ui.px(22));
      ImGui::SetCursorScreenPos({at.x, at.y + line});
      if (is_hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
        complete(std::string_view(found_[n]));
        is_list_open_ = false;
        break;
      }
    }
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
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
  const bool entered = name_box(ui, own.hint);
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
  if (answer.table.ranking.empty()) {
    muted_text(ui, "None of the changes that were tried gains anything.");
    return;
  }
  static const std::vector<TableColumn> kColumns = {kGainChange, kGain, kGainShare};
  if (!ImGui::BeginTable("gains", static_cast<int>(kColumns.size()), kDrawerTable & ~ImGuiTableFlags_Sortable,
                         ImGui::GetContentRegionAvail()))
    return;
  table_headers(ui, "what_if", kColumns);
  for_each_row_in_view(answer.table.ranking.size(), [&](std::size_t i) {
    const WhatIfGain& gain = answer.table.ranking[i];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool is_chosen = view_.has(gain.change);
    if (ImGui::Selectable("##gain", is_chosen, ImGuiSelectableFlags_SpanAllColumns)) view_.toggle(gain.change);
    if (i == 0) note_place(ui, "what_if_first");
    if (i == 1) note_place(ui, "what_if_second");
    ImGui::SameLine(0, 0);
    coloured_text(is_chosen ? ui.theme.accent : ui.theme.faint, is_chosen ? "\xE2\x97\x8F" : "\xE2\x97\x8B");
    ImGui::SameLine(0, ui.px(6));
    if (const std::string factor = what_if_factor(gain.change); !factor.empty()) {
      text(factor);
      ImGui::SameLine(0, ui.px(4));
    }
    // What takes a part of its time may be an operator: then no kernel is known by its name.
    const bool is_name = gain.change.kind == WhatIfChange::Kind::kScale;
    fitted_kernel_name(ui, what_if_words(gain.change), is_name ? CategoryClass::kKernel : CategoryClass::kOther);
    if (ImGui::TableNextColumn())
      explained_number(ui, "what_if", kGain, format_duration(gain.gain), format_duration_exact(gain.gain));
    const std::string share = share_text(gain.gain, answer.table.prediction.replayed);
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
  const WhatIfAnswer& p = answer.table.prediction;
  const bool is_current = answer.changes.size() == view_.changes().size() &&
                          std::ranges::all_of(answer.changes, [&](const WhatIfChange& c) { return view_.has(c); });
  if (!answer.table.error.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.error, answer.table.error);
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
        "What the replay gives without a change. The further it is from what was measured, the less the replay is to "
        "be trusted.");
    if (!answer.changes.empty()) {
      const Nanos gain = p.replayed - p.predicted;
      bar(ui, "Predicted", p.predicted, most, gain >= 0 ? ui.theme.good : ui.theme.warning,
          "What the replay gives with the changes below.");
      push_font(ui.fonts.strong, ui.fonts.strong_px);
      coloured_text(gain >= 0 ? ui.theme.good : ui.theme.warning,
                    fmt::format("{} {} ({})", gain >= 0 ? "Gains" : "Loses", format_duration(gain < 0 ? -gain : gain),
                                share_text(gain < 0 ? -gain : gain, p.replayed)));
      ImGui::PopFont();
      note_place(ui, "what_if_gain");
    }
  }
  if (!is_current || view_.is_computing()) asked_text(ui, "computing\xE2\x80\xA6");
  ImGui::Dummy({1, ui.px(4)});
  ImGui::PushTextWrapPos(0);
  if (view_.changes().empty()) {
    muted_text(ui, "Click changes on the left, or make one above: all that are chosen apply together.");
  } else {
    changes(ui);
  }
  if (answer.table.error.empty()) {
    ImGui::Dummy({1, ui.px(4)});
    for (const std::string& assumption : p.assumptions) muted_text(ui, "Assumed: " + assumption + ".");
  }
  ImGui::PopTextWrapPos();
}

/// The changes that are chosen, each with its slider where it has a measure.
void WhatIfPage::changes(UiContext& ui) {
  std::optional<WhatIfChange> removed;
  for (std::size_t c = 0; c < view_.changes().size(); ++c) {
    const WhatIfChange& change = view_.changes()[c];
    ImGui::PushID(static_cast<int>(c));
    if (link(ui, "Remove")) removed = change;
    if (c == 0) note_place(ui, "what_if_remove");
    ImGui::SameLine(0, ui.px(6));
    if (change.kind == ChangeKind::kScale) {
      float percent = static_cast<float>(change.factor) * 100;
      ImGui::SetNextItemWidth(ui.px(110));
      ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(4), 0});
      if (ImGui::SliderFloat("##factor", &percent, 0, 200, "%.0f %%"))
        view_.set_factor(c, std::round(static_cast<double>(percent)) / 100);
      ImGui::PopStyleVar();
      if (c == 0) note_place(ui, "what_if_slider");
      tooltip("How much of its time it still takes. Ctrl+click to type.");
      ImGui::SameLine(0, ui.px(6));
      fitted_name(ui, change.argument);
    } else {
      text(what_if_words(change));
      tooltip("lacuna what-if " + what_if_text(change));
    }
    ImGui::PopID();
  }
  if (removed) view_.toggle(*removed);
}

}  // namespace lacuna
