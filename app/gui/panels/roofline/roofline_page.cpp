#include "app/gui/panels/roofline/roofline_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/panels/statistics/statistics_panel.h"
#include "app/gui/panels/statistics/table_rows.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kPlotPart = 0.45f;       // of the width, beside the table
constexpr float kPlotAbovePart = 0.55f;  // of the height, above it
constexpr float kLeastPlotPx = 90;       // a lower page is the table alone

TableColumn roofline_look(const Table::Column& column) {
  TableColumn look{.title = column.title};
  if (column.key == "gpuTimeNs") {
    look.sample = "123.4 ms";
    look.sorted_at_first = true;
  } else if (column.is_number) {
    look.sample = "1,234";
  } else {
    look.text_px = column.key == "operator" ? 136 : column.key == "inputDims" ? 90 : 68;
  }
  return look;
}

/// The same for every answer.
const std::vector<TableColumn>& roofline_looks(const RooflineView& view) {
  static const std::vector<TableColumn> looks = [&] {
    std::vector<TableColumn> all;
    for (const Table::Column* column : view.columns()) all.push_back(roofline_look(*column));
    return all;
  }();
  return looks;
}

/// Every digit of a number.
std::string exact_text(const Cell& cell) {
  if (cell.kind == Cell::Kind::kInteger) return std::to_string(cell.integer);
  return cell.kind == Cell::Kind::kReal ? fmt::format("{}", cell.real) : std::string();
}

void wrapped_text(const UiContext& ui, std::string_view s) {
  ImGui::PushTextWrapPos(0);
  muted_text(ui, s);
  ImGui::PopTextWrapPos();
}

}  // namespace

void RooflinePage::draw(UiContext& ui) {
  const Workspace& workspace = ui.workspace();
  const TimeSpan range = workspace.area().value_or(TimeSpan::everything());
  ui.state.asked_page = {AskedRoofline{}, range};
  view_.ask(workspace.document(), range);
  const Answer* answer = view_.answer();
  if (answer != nullptr && !is_same_trace(answer->document, workspace.document())) answer = nullptr;
  toolbar(ui, answer);
  if (!workspace.document()->is_answerable())
    return wrapped_text(ui, "The roofline is computed once the whole trace is loaded.");
  if (answer == nullptr) return asked_text(ui, "Reading the shapes of operators\xE2\x80\xA6");
  if (!answer->error.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.warning, answer->error);
    ImGui::PopTextWrapPos();
    return;
  }
  if (answer->roofline.rows.empty())
    return wrapped_text(ui, answer->range == TimeSpan::everything()
                                ? "No operator of this trace has shapes that a model knows. PyTorch writes them with "
                                  "record_shapes=True."
                                : "No operator that starts in the selected range has shapes that a model knows. "
                                  "PyTorch writes them with record_shapes=True.");
  const bool is_low =
      ImGui::GetContentRegionAvail().y < ui.px(kLeastPlotPx) + 2 * ImGui::GetTextLineHeightWithSpacing();
  if (answer->plot.dots.empty() || is_low) return table(ui, *answer, ImGui::GetContentRegionAvail());
  legend(ui, *answer);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x > 1.4f * room.y) {
    const float plot_px = std::round(room.x * kPlotPart);
    chart(ui, *answer, {plot_px, room.y});
    ImGui::SameLine(0, ui.px(10));
    table(ui, *answer, {room.x - plot_px - ui.px(10), room.y});
  } else {
    chart(ui, *answer, {room.x, std::round(room.y * kPlotAbovePart)});
    table(ui, *answer, ImGui::GetContentRegionAvail());
  }
}

void RooflinePage::toolbar(UiContext& ui, const Answer* answer) {
  const float left = ImGui::GetCursorPosX();
  const float right =
      left + ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize("Copy").x - 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::AlignTextToFramePadding();
  if (answer != nullptr && !answer->roofline.rows.empty()) {
    const Roofline& roofline = answer->roofline;
    const std::string time = format_duration(roofline.modelled_time);
    text(answer->range == TimeSpan::everything()
             ? fmt::format("{} of {} of GPU time", time, format_duration(roofline.gpu_time))
             : fmt::format("{} of GPU time", time));
    tooltip(column_definition("roofline", "Time in the roofline"));
    ImGui::SameLine(0, ui.px(10));
    const std::string rows = counted(roofline.rows.size(), "row");
    if (right - ImGui::GetCursorPosX() > ImGui::CalcTextSize(rows.c_str()).x + ui.px(150)) {
      muted_text(ui, rows);
      tooltip(fmt::format("{} more have the GPU time of operators inside them, which have rows of their own.",
                          format_count(answer->roofline.around_others)));
      ImGui::SameLine(0, ui.px(10));
    }
  }
  if (right - ImGui::GetCursorPosX() > ui.px(120)) scope_text(ui, ScopeOf::kTime);
  if (view_.is_computing()) {
    ImGui::SameLine(0, ui.px(8));
    asked_text(ui, "computing\xE2\x80\xA6");
  }
  ImGui::SameLine(0, ui.px(8));
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right));
  const std::optional<CopyFormat> format = copy_button(ui, "Roofline");
  if (format && answer != nullptr) copy(ui, *format);
}

void RooflinePage::table(UiContext& ui, const Answer& answer, ImVec2 size) {
  const std::vector<TableColumn>& looks = roofline_looks(view_);
  constexpr ImGuiTableFlags kFlags =
      kDrawerTable | ImGuiTableFlags_Hideable | ImGuiTableFlags_ScrollX | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("roofline", static_cast<int>(looks.size()), kFlags, size)) return;
  table_headers(ui, "roofline", looks);
  int column = 0;
  if (table_order_changed(column, view_.descending) && column >= 0) {
    view_.column = static_cast<std::size_t>(column);
    view_.sort();
  }
  pointed_.reset();
  if (scroll_to_) {
    const auto found = std::ranges::find(view_.rows(), *scroll_to_);
    const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    if (found != view_.rows().end())
      ImGui::SetScrollY(std::max(0.0f, static_cast<float>(found - view_.rows().begin()) * line - size.y / 2));
    scroll_to_.reset();
  }
  for_each_row_in_view(view_.rows().size(), [&](std::size_t i) {
    row(ui, answer, view_.rows()[i]);
    if (i == 0) note_place(ui, "roofline_first_row");
  });
  ImGui::EndTable();
}

void RooflinePage::row(UiContext& ui, const Answer& answer, std::uint32_t index) {
  const RooflineRow& row = answer.roofline.rows[index];
  const std::vector<TableColumn>& looks = roofline_looks(view_);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable("##row", view_.chosen == index, kRowFlags)) choose(ui, answer, index);
  if (ImGui::IsItemHovered()) pointed_ = index;
  ImGui::SameLine(0, 0);
  colour_swatch(ui, ui.palette.of_class(row.work.operator_class).fill);
  ImGui::SameLine(0, ui.px(6));
  fitted_text(ui, view_.columns().front()->text(index));
  for (std::size_t c = 1; c < view_.columns().size(); ++c) {
    if (!ImGui::TableNextColumn()) continue;
    const Table::Column& column = *view_.columns()[c];
    const std::string shown = column.text(index);
    if (column.is_number)
      explained_number(ui, "roofline", looks[c], shown, shown == "-" ? "not known" : exact_text(column.value(index)),
                       shown == "-");
    else
      fitted_text(ui, shown, 0, true);
  }
}

void RooflinePage::choose(UiContext& ui, const Answer& answer, std::uint32_t row) {
  view_.chosen = row;
  ui.workspace().go_to(ReportPlace{answer.roofline.rows[row].longest_span, answer.roofline.rows[row].longest});
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) ui.workspace().focus();
}

void RooflinePage::copy(UiContext& ui, CopyFormat format) {
  const bool is_csv = format == CopyFormat::kCsv;
  CopiedTable copied;
  for (const Table::Column* column : view_.columns()) {
    copied.titles.push_back(is_csv ? column->key : column->title);
    copied.is_number.push_back(column->is_number);
  }
  for (const std::uint32_t index : view_.rows()) {
    std::vector<std::string>& cells = copied.rows.emplace_back();
    for (const Table::Column* column : view_.columns())
      cells.push_back(is_csv && column->is_number ? exact_text(column->value(index)) : column->text(index));
  }
  ui.requests.add(ask::Copy{is_csv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
