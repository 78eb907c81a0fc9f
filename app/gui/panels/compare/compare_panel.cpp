#include "app/gui/panels/compare/compare_panel.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/application/diff_view.h"
#include "app/gui/core/files.h"
#include "app/gui/panels/statistics/table_rows.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/tables/diff_summary.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr ImGuiTableFlags kFlags = kDrawerTable & ~ImGuiTableFlags_Sortable;

std::string title_of(const DocumentPtr& document, std::size_t file) {
  if (!document || file >= document->trace.sources().size()) return "\xE2\x80\x93";
  return file_name(document->trace.sources()[file].path);
}

void file_choice(UiContext& ui, const char* id, const char* letter, const DocumentPtr& document, std::size_t& file) {
  coloured_text(ui.theme.accent, letter);
  ImGui::SameLine(0, ui.px(5));
  const std::string name = title_of(document, file);
  if (!document || document->trace.sources().size() < 2) {
    // As text of the line, so that it stands on the baseline of the buttons beside it.
    const FittedText fitted = fit_text(ImGui::GetFont(), ImGui::GetFontSize(), name, ui.px(170));
    text(std::string(fitted.text) + (fitted.elided ? "\xE2\x80\xA6" : ""));
    if (fitted.elided) tooltip(name);
    return;
  }
  ImGui::SetNextItemWidth(ui.px(150));
  if (!ImGui::BeginCombo(id, name.c_str())) return;
  for (std::size_t i = 0; i < document->trace.sources().size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(title_of(document, i).c_str(), i == file)) file = i;
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

const std::vector<TableColumn>& columns(DiffKey key) {
  static const auto make = [](const char* what) {
    return std::vector<TableColumn>{{.title = "Name", .can_sort = false},
                                    {.title = "Count A", .sample = "12,345.6", .can_sort = false},
                                    {.title = "Count B", .sample = "12,345.6", .can_sort = false},
                                    {.title = fmt::format("{} A", what), .sample = "123.4 ms", .can_sort = false},
                                    {.title = fmt::format("{} B", what), .sample = "123.4 ms", .can_sort = false},
                                    {.title = "B \xE2\x88\x92 A", .sample = "+123.4 ms", .can_sort = false},
                                    {.title = "B / A", .sample = "12.34\xC3\x97", .can_sort = false}};
  };
  static const std::vector<TableColumn> kTotal = make("Total");
  static const std::vector<TableColumn> kSelf = make("Self");
  static const std::vector<TableColumn> kCount = make("Count");
  static const std::vector<TableColumn> kAverage = make("Avg");
  switch (key) {
    case DiffKey::kSelf:
      return kSelf;
    case DiffKey::kCount:
      return kCount;
    case DiffKey::kAverage:
      return kAverage;
    case DiffKey::kTotal:
      break;
  }
  return kTotal;
}

}  // namespace

void ComparePanel::draw(UiContext& ui) {
  view_.ask(ui.open.document());
  view_.update();
  sides(ui);
  if (!view_.error().empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.error, view_.error());
    ImGui::PopTextWrapPos();
  }
  if (view_.is_loading()) return muted_text(ui, "Loading the other trace\xE2\x80\xA6");
  const DocumentPtr b = view_.document_b();
  if (!view_.has_other() && (!b || b->trace.sources().size() < 2)) {
    ImGui::Spacing();
    ImGui::PushTextWrapPos(0);
    muted_text(ui,
               "Open a second trace to compare this one with: names with their differences, step "
               "time, causes of idle time, and both timelines one above the other.");
    ImGui::PopTextWrapPos();
    return;
  }
  if (view_.diff() == nullptr) {
    return muted_text(ui, view_.is_computing() ? "Comparing\xE2\x80\xA6" : "Choose two different files.");
  }
  toolbar(ui);
  switch (shown_) {
    case Shown::kNames:
      return names(ui);
    case Shown::kStructure:
      return structure(ui);
    case Shown::kKernels:
      return kernels(ui);
    case Shown::kSummary:
      return summary(ui);
  }
}

void ComparePanel::sides(UiContext& ui) {
  ImGui::AlignTextToFramePadding();
  file_choice(ui, "##a", "A", ui.open.document(), view_.file_a);
  ImGui::SameLine(0, ui.px(14));
  const DocumentPtr b = view_.document_b();  // without another: this one, of whose files two can be compared
  if (view_.has_other() || (b && b->trace.sources().size() > 1)) {
    file_choice(ui, "##b", "B", b, view_.file_b);
    ImGui::SameLine(0, ui.px(10));
  }
  if (ImGui::Button(view_.has_other() ? "Another\xE2\x80\xA6" : "Open B\xE2\x80\xA6"))
    ui.requests.add(ask::OpenTrace{ask::OpenFor::kComparing});
  note_place(ui, "open_other");
  tooltip("Opens the trace to compare with.");
  if (!view_.has_other()) return;
  ImGui::SameLine();
  if (ImGui::Button("Close B")) return view_.close();
  note_place(ui, "close_other");
  ImGui::SameLine(0, ui.px(14));
  ImGui::Checkbox("Split timeline", &view_.split);
  note_place(ui, "split");
  tooltip("Both timelines, one above the other.");
  if (!view_.split) return;
  ImGui::SameLine();
  ImGui::Checkbox("Locked", &view_.is_locked);
  note_place(ui, "locked");
  tooltip(
      "Both show the same length of time and move together. Unlock to shift one against the "
      "other; locked again, they keep that offset.");
  ImGui::SameLine();
  if (ImGui::Button("Align")) view_.align_starts();
  tooltip("Puts the starts of the measured windows below each other.");
}

void ComparePanel::toolbar(UiContext& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  const auto choice = [&](const char* label, Shown what) {
    if (segment(ui, label, shown_ == what)) shown_ = what;
  };
  choice("Names", Shown::kNames);
  ImGui::SameLine();
  choice("Structure", Shown::kStructure);
  note_place(ui, "diff_structure");
  tooltip(
      "Modules, operators and kernels of A and B as one tree: where kernel time differs, what is fused or replaced.");
  ImGui::SameLine();
  choice("Kernels", Shown::kKernels);
  note_place(ui, "diff_kernels");
  tooltip("The kernels that did the same work in A and B, and what their names say, side by side.");
  ImGui::SameLine();
  choice("Summary", Shown::kSummary);
  note_place(ui, "diff_summary");
  if (shown_ != Shown::kSummary) {
    ImGui::SameLine(0, ui.px(10));
    ImGui::SetNextItemWidth(ui.px(120));
    text_input("##diff_filter", "Filter", view_.filter);
  }
  if (shown_ == Shown::kNames) {
    ImGui::SameLine(0, ui.px(8));
    if (segment(ui, "All", view_.side == StatisticsSide::kAll)) view_.side = StatisticsSide::kAll;
    ImGui::SameLine();
    if (segment(ui, "CPU", view_.side == StatisticsSide::kCpu)) view_.side = StatisticsSide::kCpu;
    ImGui::SameLine();
    if (segment(ui, "GPU", view_.side == StatisticsSide::kGpu)) view_.side = StatisticsSide::kGpu;
    note_place(ui, "diff_gpu");
    ImGui::SameLine(0, ui.px(8));
    constexpr std::array<const char*, 4> kKeys = {"Total", "Self", "Count", "Avg"};
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (i > 0) ImGui::SameLine();
      if (segment(ui, kKeys[i], view_.key == static_cast<DiffKey>(i))) view_.key = static_cast<DiffKey>(i);
    }
    ImGui::SameLine(0, ui.px(8));
    if (segment(ui, "New", view_.which == DiffRows::kNew))
      view_.which = view_.which == DiffRows::kNew ? DiffRows::kAll : DiffRows::kNew;
    tooltip("Only names that A does not have.");
    ImGui::SameLine();
    if (segment(ui, "Vanished", view_.which == DiffRows::kVanished))
      view_.which = view_.which == DiffRows::kVanished ? DiffRows::kAll : DiffRows::kVanished;
    tooltip("Only names that B does not have.");
  }
  ImGui::PopStyleVar();
  ImGui::SameLine(0, ui.px(10));
  ImGui::AlignTextToFramePadding();
  if (view_.diff()->is_per_step) {
    muted_text(ui, fmt::format("per step ({} and {})", view_.diff()->steps_a, view_.diff()->steps_b));
    tooltip(column_definition("diff", "Per step"));
    ImGui::SameLine(0, ui.px(8));
  }
  const float width = ImGui::CalcTextSize("Copy").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width;
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right));
  if (const auto format = copy_button(ui, "Comparison")) copy(ui, *format);
}

void ComparePanel::names(UiContext& ui) {
  const std::vector<TableColumn>& looks = columns(view_.key);
  view_.update();
  if (view_.rows().empty()) {
    if (view_.which == DiffRows::kAll) return no_rows(ui, view_.filter, view_.side, "name");
    ImGui::Spacing();
    muted_text(ui, view_.which == DiffRows::kNew ? "There is no name that A does not have."
                                                 : "There is no name that B does not have.");
    ImGui::SameLine(0, ui.px(6));
    if (link(ui, "All names")) view_.which = DiffRows::kAll;
    return;
  }
  if (!ImGui::BeginTable("diff", static_cast<int>(looks.size()), kFlags | ImGuiTableFlags_Hideable,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  table_headers(ui, "diff", looks);
  for_each_row_in_view(view_.rows().size(), [&](std::size_t i) { row(ui, view_.rows()[i]); });
  ImGui::EndTable();
}

void ComparePanel::go_to(UiContext& ui, SliceId a, SliceId b) {
  if (a.valid()) ui.open.go_to(a);
  if (!b.valid()) return;
  if (!view_.has_other()) {
    if (!a.valid()) ui.open.go_to(b);
  } else if (!a.valid() || !view_.is_locked) {
    view_.other().go_to(b);
  } else {
    view_.other().select(b);
    view_.other().view().reveal(b);
  }
}

void ComparePanel::show_both(UiContext& ui, SliceId a, SliceId b) {
  if (a.valid() && b.valid() && view_.has_other())
    view_.set_offset(saturating_sub(view_.other().trace().span(b).begin, ui.open.trace().span(a).begin));
  go_to(ui, a, b);
}

void ComparePanel::row(UiContext& ui, std::uint32_t index) {
  const TraceDiff& diff = *view_.diff();
  const DiffRow& row = diff.rows[index];
  const std::vector<TableColumn>& looks = columns(view_.key);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable("##diff", false, ImGuiSelectableFlags_SpanAllColumns)) {
    go_to(ui, row.a.longest, row.b.longest);
  }
  ImGui::SameLine(0, 0);
  colour_swatch(ui, ui.palette.slice(row.name, row.category));
  if (index == view_.rows().front()) note_place(ui, "first_diff");
  ImGui::SameLine(0, ui.px(6));
  fitted_kernel_name(ui, row.name, row.category);
  const auto texts = diff_cells(diff, row, view_.key, false);
  for (std::size_t c = 0; c < texts.size(); ++c)
    if (ImGui::TableNextColumn()) explained_number(ui, "diff", looks[c + 1], texts[c], texts[c], c < 2);
}

void ComparePanel::summary(UiContext& ui) {
  static const std::vector<TableColumn> kColumns = {
      {.title = "Measured window", .can_sort = false},
      {.title = "A", .sample = "synchronisation-bound", .can_sort = false},
      {.title = "B", .sample = "synchronisation-bound", .can_sort = false},
      {.title = "B \xE2\x88\x92 A", .sample = "+100.0 points", .can_sort = false}};
  if (!ImGui::BeginTable("diff_summary", 4, kFlags, ImGui::GetContentRegionAvail())) return;
  table_headers(ui, "diff_summary", kColumns);
  for (const DiffFact& fact : summarise_diff(*view_.diff())) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (fact.indent > 0) ImGui::Indent(ui.px(14));
    fact.indent > 0 ? muted_text(ui, fact.what) : text(fact.what);
    if (fact.indent > 0) ImGui::Unindent(ui.px(14));
    for (const std::string* cell : {&fact.a, &fact.b, &fact.difference}) {
      ImGui::TableNextColumn();
      number_cell(ui, *cell);
    }
  }
  ImGui::EndTable();
}

void ComparePanel::copy(UiContext& ui, CopyFormat format) {
  const TraceDiff& diff = *view_.diff();
  CopiedTable copied;
  if (shown_ == Shown::kKernels) {
    copied.titles = {"Operator", "Class", "Kernel A", "Kernel B", "Total A", "Total B", "Differs"};
    copied.is_number = {false, false, false, false, true, true, false};
    for (const std::uint32_t index : view_.kernels()) {
      const KernelPair& pair = diff.kernels[index];
      const auto total = [&](const PairedKernel& kernel, double steps) {
        const double value = static_cast<double>(kernel.total) / steps;
        return format == CopyFormat::kCsv ? fmt::format("{}", value) : rounded_duration(value);
      };
      copied.rows.push_back({kernel_pair_operators(pair), std::string(kernel_class_name(pair.kernel_class)),
                             pair.a.name, pair.b.name, total(pair.a, diff.steps_a), total(pair.b, diff.steps_b),
                             kernel_pair_difference(pair)});
    }
  } else if (shown_ == Shown::kStructure) {
    copy_structure(copied, format);
  } else if (shown_ == Shown::kSummary) {
    copied.titles = {"Measured window", "A", "B", "B - A"};
    copied.is_number = {false, true, true, true};
    for (const DiffFact& fact : summarise_diff(diff))
      copied.rows.push_back({fact.what, fact.a, fact.b, fact.difference});
  } else {
    copied = copied_columns(columns(view_.key), format);
    for (const std::uint32_t index : view_.rows()) {
      const auto cells = diff_cells(diff, diff.rows[index], view_.key, format == CopyFormat::kCsv);
      copied.rows.emplace_back(cells.begin(), cells.end()).insert(copied.rows.back().begin(), diff.rows[index].name);
    }
  }
  ui.requests.add(ask::Copy{format == CopyFormat::kCsv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
