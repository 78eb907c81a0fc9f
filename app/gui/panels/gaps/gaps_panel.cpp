#include "app/gui/panels/gaps/gaps_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/statistics/statistics_panel.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"
#include "render/paint/hatch.h"

namespace lacuna {
namespace {

struct Choice {
  const char* label;
  Nanos least;
};
constexpr std::array kLengths = {Choice{"any length", 0}, Choice{"1 \xC2\xB5s or more", 1'000},
                                 Choice{"10 \xC2\xB5s or more", 10'000}, Choice{"100 \xC2\xB5s or more", 100'000},
                                 Choice{"1 ms or more", 1'000'000}};

struct ViewChoice {
  GapsView view;
  const char* label;
  const char* place;
  const char* explanation;
};
constexpr std::array kViews = {
    ViewChoice{GapsView::kList, "List", "gaps_list", "Every gap of every stream."},
    ViewChoice{GapsView::kCauses, "By cause", "gaps_causes", "Lost time by cause."},
    ViewChoice{GapsView::kOperators, "By operator", "gaps_operators", "Lost time by what the CPU was doing."},
    ViewChoice{GapsView::kDeadWindows, "Dead windows", "gaps_dead",
               "Time from the start of an annotation to the first thing in it."}};

}  // namespace

const std::array<GapPageColumn, 8>& gap_columns() {
  static const std::array<GapPageColumn, 8> all = {{
      {GapColumn::kDuration, {.title = "Duration", .sample = "1,234.5 ms", .unit = "ns", .sorted_at_first = true}},
      {GapColumn::kCause, {.title = "Cause", .text_px = 132}},
      {GapColumn::kStart, {.title = "Start", .sample = "1,234.5 ms", .unit = "ns"}},
      {GapColumn::kStart, {.title = "Step", .text_px = 52}},
      {GapColumn::kStream, {.title = "Stream", .text_px = 112}},
      {GapColumn::kBefore, {.title = "Activity before"}},
      {GapColumn::kAfter, {.title = "Activity after"}},
      {GapColumn::kLaunch, {.title = "Launched by", .weight = 0.6f}},
  }};
  return all;
}

std::vector<TableColumn> gap_looks() {
  std::vector<TableColumn> result;
  for (const GapPageColumn& column : gap_columns()) result.push_back(column.look);
  return result;
}

std::string step_of(const Workspace& workspace, Nanos t) {
  const std::vector<Step>& steps = workspace.steps();
  const auto found = std::ranges::find_if(steps, [&](const Step& step) { return step.span.contains(t); });
  if (found != steps.end()) return fmt::format("#{}", found->number);
  return steps.empty() ? "" : "between";
}

void cause_swatch(const UiContext& ui, GapCause cause) {
  const float size = ui.px(11);
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 a(at.x, std::floor(at.y + (line - size) * 0.5f));
  const ImVec2 b(a.x + size, a.y + size);
  const Rgba colour = ui.theme.gap_colour(cause);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(a, b, to_imgui(with_alpha(colour, 0.30f)));
  hatch(draw, a, b, ui.px(4), 0, cause, to_imgui(colour));
  draw_outline(draw, a, b, to_imgui(with_alpha(colour, 0.7f)), 1);
  ImGui::Dummy({size, line});
}

void cause_text(const UiContext& ui, GapCause cause) {
  ImGui::BeginGroup();
  cause_swatch(ui, cause);
  ImGui::SameLine(0, ui.px(6));
  text(cause_name(cause));
  ImGui::EndGroup();
  tooltip(cause_definition(cause));
}

void GapsPanel::draw(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  workspace.update_gaps();
  const GapsView view = ui.state.gaps_view;
  if (view == GapsView::kCauses || view == GapsView::kOperators)
    workspace.causes().rank(workspace.gap_filter(), ui.state.whole_gpu);
  toolbar(ui);
  if (workspace.document()->is_thinned) return draw_remote(ui);
  if (view == GapsView::kDeadWindows) return dead_windows(ui);
  if (workspace.document()->streams.empty()) {
    ImGui::Spacing();
    muted_text(ui, "No GPU activity in this trace, so there are no gaps to show.");
    return;
  }
  view == GapsView::kList ? list(ui) : rankings(ui);
}

void GapsPanel::toolbar(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  UiState& state = ui.state;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  for (std::size_t i = 0; i < kViews.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    if (segment(ui, kViews[i].label, state.gaps_view == kViews[i].view) && state.gaps_view != kViews[i].view) {
      state.gaps_view = kViews[i].view;
      workspace.clear_route();
    }
    note_place(ui, kViews[i].place);
    tooltip(kViews[i].explanation);
  }
  ImGui::PopStyleVar();
  if (state.gaps_view == GapsView::kDeadWindows) return;

  ImGui::SameLine(0, ui.px(10));
  ImGui::SetNextItemWidth(ui.px(128));
  const auto chosen = std::ranges::find(kLengths, workspace.min_gap(), &Choice::least);
  const std::string shown =
      chosen != kLengths.end() ? chosen->label : format_duration(workspace.min_gap()) + " or more";
  if (ImGui::BeginCombo("##least", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    auto least = static_cast<float>(std::max<Nanos>(workspace.min_gap(), 100));
    ImGui::SetNextItemWidth(ui.px(220));
    if (ImGui::SliderFloat("##threshold", &least, 100, 1e9f, format_duration(workspace.min_gap()).c_str(),
                           ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoInput))
      workspace.set_min_gap(least <= 100 ? 0 : std::llround(least));
    note_place(ui, "gap_threshold");
    tooltip("Shortest gap that counts, in the list, for N and in the sums.");
    bool hides = workspace.hides_short_gaps();
    if (ImGui::Checkbox("Hide shorter ones on the timeline", &hides)) workspace.hide_short_gaps(hides);
    note_place(ui, "gap_hide_short");
    ImGui::Separator();
    for (const Choice& choice : kLengths)
      if (ImGui::Selectable(choice.label, workspace.min_gap() == choice.least)) workspace.set_min_gap(choice.least);
    ImGui::EndCombo();
  }
  note_place(ui, "least");
  tooltip("Selects which gaps are counted.");
  facts(ui);
}

void GapsPanel::facts(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const bool ranks = ui.state.gaps_view != GapsView::kList;
  if (ranks) {
    ImGui::SameLine();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
    if (segment(ui, "GPU", ui.state.whole_gpu)) ui.state.whole_gpu = true;
    tooltip("Time in which all streams of a GPU were idle.");
    ImGui::SameLine();
    if (segment(ui, "Streams", !ui.state.whole_gpu)) ui.state.whole_gpu = false;
    tooltip("Idle time of each stream: while one idles, another may be busy.");
    ImGui::PopStyleVar();
  }
  const GapRoute& route = workspace.route();
  std::string position;
  if (!route.empty()) {
    const std::size_t at = route.find(workspace.selection().gap);
    position = at < route.size() ? fmt::format("{} / {}", format_count(at + 1), format_count(route.size()))
                                 : counted(route.size(), "place");
  }
  const float copy_px = ImGui::CalcTextSize("Copy").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float position_px = position.empty() ? 0 : ImGui::CalcTextSize(position.c_str()).x + ui.px(8);
  const float width = 2 * ImGui::GetFrameHeight() + ui.px(12) + copy_px + position_px;
  ImGui::SameLine(0, ui.px(12));
  const float left = ImGui::GetCursorPosX();
  const float right = left + ImGui::GetContentRegionAvail().x - width;
  ImGui::AlignTextToFramePadding();
  const GapSum listed = workspace.document()->is_thinned
                            ? remote_gaps(*workspace.document())
                            : GapSum{workspace.gaps().total(), workspace.gaps().rows().size()};
  const std::string total = fmt::format("{}, {} idle", counted(listed.gaps, "gap"), format_duration(listed.time));
  const bool has_way_back = workspace.area() || (workspace.has_measured_time() && !workspace.gaps_of_whole_trace);
  const float scope_px = ui.px(has_way_back ? 240 : 120);
  if (!ranks && right - left > ImGui::CalcTextSize(total.c_str()).x + scope_px) {
    if (link(ui, total.c_str())) ui.requests.add(ask::ExplainIdle{});
    note_place(ui, "gaps_idle");
    tooltip(std::string(column_definition("gaps", "Idle")) + " A click shows the other idle figures.");
    ImGui::SameLine(0, ui.px(12));
  }
  if (right - ImGui::GetCursorPosX() > scope_px - ui.px(30)) scope_text(ui, ScopeOf::kStreams);
  ImGui::SameLine(0, ui.px(8));
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right));
  if (ImGui::ArrowButton("previous", ImGuiDir_Left)) workspace.step_gap(-1);
  tooltip(with_key(ui, route.empty() ? "Previous gap in time" : "Previous place of the chosen row", "previous_gap"));
  if (!position.empty()) {
    ImGui::SameLine(0, ui.px(4));
    text(position);
  }
  ImGui::SameLine(0, ui.px(4));
  if (ImGui::ArrowButton("next", ImGuiDir_Right)) workspace.step_gap(1);
  tooltip(with_key(ui, route.empty() ? "Next gap in time" : "Next place of the chosen row", "next_gap"));
  ImGui::SameLine(0, ui.px(8));
  if (const auto format = copy_button(ui, "Gaps")) copy(ui, *format);
}

float GapsPanel::footer_px(const UiContext& ui) {
  return ImGui::GetTextLineHeightWithSpacing() + ui.px(3);
}

void GapsPanel::left_out(UiContext& ui, const GapSum& counted_gaps, const GapSum& shorter) {
  Workspace& workspace = ui.workspace();
  const std::string least = format_duration(workspace.min_gap());
  const bool has_least = workspace.min_gap() > 0;
  if (has_least) {
    muted_text(ui, fmt::format("Shorter than {}: {} in {}, left out", least, format_duration(shorter.time),
                               counted(shorter.gaps, "gap")));
    tooltip(column_definition("gaps", "Left out"));
    if (shorter.gaps > 0) {
      ImGui::SameLine(0, ui.px(4));
      if (link(ui, "Count them")) workspace.set_min_gap(0);
      note_place(ui, "gaps_count_all");
    }
    ImGui::SameLine(0, ui.px(14));
  }
  muted_text(
      ui, fmt::format("Gaps of any length: {} in {}", format_duration(saturating_add(counted_gaps.time, shorter.time)),
                      counted(counted_gaps.gaps + shorter.gaps, "gap")));
  tooltip(column_definition("gaps", "Idle"));
  ImGui::SameLine(0, ui.px(14));
  if (link(ui, "Other idle figures")) ui.requests.add(ask::ExplainIdle{});
  note_place(ui, "gaps_idle_figures");
  tooltip("What the title of the track, this page and the report count as idle, side by side.");
}

void GapsPanel::list(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  list_table(ui, {room.x, std::max(ui.px(40), room.y - footer_px(ui))});
  left_out(ui, {workspace.gaps().total(), workspace.gaps().rows().size()}, workspace.gaps().left_out());
}

GapsPanel::SelectedGap GapsPanel::selected_gap(const Workspace& workspace) {
  const GapRef ref = workspace.selection().gap;
  if (!ref.valid()) return {};
  return {workspace.document()->streams[ref.stream].track, get(*workspace.document(), ref).start};
}

bool GapsPanel::begin_list(UiContext& ui, ImVec2 size) {
  Workspace& workspace = ui.workspace();
  if (!ImGui::BeginTable("gaps", static_cast<int>(gap_columns().size()), kDrawerTable | ImGuiTableFlags_Hideable, size))
    return false;
  table_headers(ui, "gaps", gap_looks());
  int column = 0;
  if (table_order_changed(column, workspace.gaps_descending) && column >= 0) {
    workspace.gap_column = gap_columns()[static_cast<std::size_t>(column)].sort;
    workspace.update_gaps();
  }
  return true;
}

void GapsPanel::list_table(UiContext& ui, ImVec2 size) {
  Workspace& workspace = ui.workspace();
  if (workspace.gaps().rows().empty())
    return muted_text(ui, workspace.gaps().is_listing() ? "\xE2\x80\xA6" : "No gaps of that length here.");
  if (!begin_list(ui, size)) return;
  const std::vector<GapRef>& rows = workspace.gaps().rows();
  const SelectedGap selected = selected_gap(workspace);
  if (selected != last_selected_) {
    last_selected_ = selected;
    const std::size_t at = workspace.gaps().row_of(*workspace.document(), workspace.selection().gap);
    if (at < rows.size()) {
      const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
      const float y = static_cast<float>(at) * line;
      const float height = ImGui::GetWindowHeight();
      if (y < ImGui::GetScrollY() || y + 2 * line > ImGui::GetScrollY() + height) {
        ImGui::SetScrollY(std::max(0.0f, y - height / 2));
      }
    }
  }
  for_each_row_in_view(rows.size(), [&](std::size_t i) { row(ui, rows[i]); });
  ImGui::EndTable();
}

void GapsPanel::row(UiContext& ui, GapRef listed) {
  Workspace& workspace = ui.workspace();
  const Document& document = *workspace.document();
  const Trace& trace = document.trace;
  const Gap& gap = workspace.gaps().gap(listed);
  const GapRef ref = workspace.gaps().now(document, listed);
  const auto name_cell = [&](SliceId Gap::*side) {
    if (!ImGui::TableNextColumn()) return;
    const SliceId slice = ref.valid() ? get(document, ref).*side : SliceId{};
    if (slice.valid()) {
      fitted_kernel_name(ui, trace.name(slice), trace.category_class(slice));
    } else {
      muted_text(ui, ref.valid() ? "not in the trace" : "\xE2\x80\xA6");
    }
  };
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_selected = ref.valid() && workspace.selection().gap == ref;
  if (ImGui::Selectable("##gap", is_selected, ImGuiSelectableFlags_SpanAllColumns) && ref.valid()) {
    workspace.go_to(ref);
    last_selected_ = selected_gap(workspace);
  }
  ImGui::SameLine(0, 0);
  explained_number(ui, "gaps", gap_columns()[0].look, format_duration(gap.duration()),
                   format_duration_exact(gap.duration()));
  if (ImGui::TableNextColumn()) {
    if (const GapDiagnosis* diagnosis = workspace.causes().diagnosis(ref)) {
      cause_text(ui, diagnosis->cause);
    } else {
      muted_text(ui, workspace.causes().is_not_yet(ref) ? "not yet known" : "\xE2\x80\xA6");
    }
  }
  if (ImGui::TableNextColumn()) number_cell(ui, time_text(ui, gap.start), true);
  if (ImGui::TableNextColumn()) fitted_text(ui, step_of(workspace, gap.start), 0, true);
  if (ImGui::TableNextColumn())
    fitted_text(ui, ref.valid() ? stream_text(trace, document.streams[ref.stream]) : "\xE2\x80\xA6", 0, true);
  name_cell(&Gap::before);
  name_cell(&Gap::after);
  name_cell(&Gap::launch);
}

void GapsPanel::copy(UiContext& ui, CopyFormat format) {
  const Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  const auto time = [&](Nanos t) { return format == CopyFormat::kCsv ? std::to_string(t) : format_duration(t); };
  CopiedTable copied;
  if (workspace.document()->is_thinned) return copy_remote(ui, format);
  const GapRankings* rankings = workspace.causes().rankings();
  switch (ui.state.gaps_view) {
    case GapsView::kList:
      copied = copied_columns(gap_looks(), format);
      for (const GapRef listed : workspace.gaps().rows()) {
        const GapRef ref = workspace.gaps().now(*workspace.document(), listed);
        if (!ref.valid()) continue;  // filled since it was listed
        const Gap& gap = get(*workspace.document(), ref);
        const GapDiagnosis* diagnosis = workspace.causes().diagnosis(ref);
        const auto name = [&](SliceId s) { return std::string(s.valid() ? trace.name(s) : ""); };
        copied.rows.push_back({time(gap.duration()), std::string(diagnosis ? cause_name(diagnosis->cause) : ""),
                               format == CopyFormat::kCsv ? std::to_string(gap.start) : time_text(ui, gap.start),
                               step_of(workspace, gap.start),
                               stream_text(trace, workspace.document()->streams[ref.stream]), name(gap.before),
                               name(gap.after), name(gap.launch)});
      }
      break;
    case GapsView::kCauses:
      if (rankings == nullptr) return;
      copied = copied_causes(*rankings, format);
      break;
    case GapsView::kOperators:
      if (rankings == nullptr) return;
      copied = copied_operators(trace, *rankings, format);
      break;
    case GapsView::kDeadWindows:
      return;
  }
  ui.requests.add(ask::Copy{format == CopyFormat::kCsv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
