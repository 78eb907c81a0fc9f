#include "app/gui/panels/query/query_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/query/exported_tables.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostLinePoints = 5000;
constexpr std::size_t kMostTipColumns = 10;
constexpr std::size_t kMostTipCharacters = 160;
constexpr float kPointPx = 2;
constexpr float kPointReachPx = 8;

bool is_number_column(const QueryRows& rows, std::size_t column) {
  return rows.kind(column) == Cell::Kind::kInteger || rows.kind(column) == Cell::Kind::kReal;
}

std::optional<double> number_in(const Cell& cell) {
  if (cell.kind == Cell::Kind::kInteger) return static_cast<double>(cell.integer);
  if (cell.kind == Cell::Kind::kReal && std::isfinite(cell.real)) return cell.real;
  return std::nullopt;
}

}  // namespace

void QueryPlot::draw(UiContext& ui, const QueryView::Answer& answer) {
  const std::size_t columns = answer.rows.names().size();
  if (view_.plot.x >= columns || view_.plot.y >= columns) view_.plot.x = view_.plot.y = 0;
  ImGui::AlignTextToFramePadding();
  choose(ui, "x", answer, view_.plot.x, false);
  ImGui::SameLine(0, ui.px(14));
  choose(ui, "y", answer, view_.plot.y, true);
  ImVec2 size = ImGui::GetContentRegionAvail();
  size = {std::floor(size.x), std::floor(size.y)};
  if (!is_number_column(answer.rows, view_.plot.y)) return muted_text(ui, "A plot needs a column of numbers for y.");
  read(answer);
  if (rows_.empty()) return muted_text(ui, "No row has numbers in both columns.");
  is_number_column(answer.rows, view_.plot.x) ? points(ui, answer, size) : bars(ui, answer, size);
}

bool QueryPlot::choose(UiContext& ui, const char* label, const QueryView::Answer& answer, std::size_t& column,
                       bool only_numbers) const {
  bool is_changed = false;
  muted_text(ui, label);
  ImGui::SameLine(0, ui.px(5));
  ImGui::SetNextItemWidth(ui.px(150));
  ImGui::PushID(label);
  if (ImGui::BeginCombo("##column", answer.rows.names()[column].c_str(), ImGuiComboFlags_HeightLarge)) {
    for (std::size_t c = 0; c < answer.rows.names().size(); ++c) {
      if (only_numbers && !is_number_column(answer.rows, c)) continue;
      ImGui::PushID(static_cast<int>(c));
      if (ImGui::Selectable("##name", c == column)) {
        column = c;
        is_changed = true;
      }
      ImGui::SameLine(0, 0);
      text(answer.rows.names()[c]);
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  note_place(ui, (std::string("sql_plot_") + label).c_str());
  ImGui::PopID();
  return is_changed;
}

/// The numbers of both columns, once for each answer and choice.
void QueryPlot::read(const QueryView::Answer& answer) {
  if (answer_ == view_.answer_count() && x_ == view_.plot.x && y_ == view_.plot.y) return;
  answer_ = view_.answer_count();
  x_ = view_.plot.x;
  y_ = view_.plot.y;
  width_ = height_ = 0;
  rows_.clear();
  xs_.clear();
  ys_.clear();
  least_x_ = least_y_ = std::numeric_limits<double>::max();
  most_x_ = most_y_ = std::numeric_limits<double>::lowest();
  ascends_ = true;
  const bool has_numbers = is_number_column(answer.rows, x_);
  for (std::uint32_t row = 0; row < answer.rows.size(); ++row) {
    const auto y = number_in(answer.rows.cell(row, y_));
    const auto x = has_numbers ? number_in(answer.rows.cell(row, x_)) : std::optional<double>(row);
    if (!x || !y) continue;
    ascends_ = ascends_ && (xs_.empty() || *x > xs_.back());
    rows_.push_back(row);
    xs_.push_back(*x);
    ys_.push_back(*y);
    least_x_ = std::min(least_x_, *x);
    most_x_ = std::max(most_x_, *x);
    least_y_ = std::min(least_y_, *y);
    most_y_ = std::max(most_y_, *y);
  }
}

/// Times as times: a ts counts from the trace's start on the ruler, but here ns are what they are.
std::string QueryPlot::value_text(const std::string& column, double value) const {
  const bool is_time = unit_of_column(column) == "ns" && std::fabs(value) < 9e18;
  if (!is_time) return format_value(value);
  const auto ns = static_cast<Nanos>(std::fabs(value));
  return (value < 0 ? "-" : "") + format_duration(ns);
}

void QueryPlot::points(UiContext& ui, const QueryView::Answer& answer, ImVec2 size) {
  const std::string& x_name = answer.rows.names()[x_];
  const std::string& y_name = answer.rows.names()[y_];
  ImFont* const font = ui.fonts.label;
  const float text_px = ui.fonts.label_px;
  const float gutter = ui.px(64);
  const float foot = text_px + ui.px(6);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = size.x - gutter - ui.px(12);
  const float height = size.y - foot - ui.px(8);
  if (width < ui.px(40) || height < ui.px(30)) return;
  const PlotAxis x_axis =
      plot_axis(least_x_, most_x_, std::max(2, static_cast<int>(width / ui.px(90))), PlotEnds::kAtValues);
  const PlotAxis y_axis = plot_axis(least_y_, most_y_, std::max(2, static_cast<int>(height / ui.px(28))));
  if (width != width_ || height != height_) {
    width_ = width;
    height_ = height;
    points_ = layout_plot(xs_, ys_, x_axis, y_axis, width, height);
  }
  ImGui::InvisibleButton("sql_points", size);
  note_place(ui, "sql_points");
  const bool is_hovered = ImGui::IsItemHovered();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 corner{at.x + gutter, at.y + ui.px(4)};
  draw.AddRectFilled(corner, {corner.x + width, corner.y + height}, to_imgui(ui.theme.background));
  for (const double tick : y_axis.ticks()) {
    const float y = std::floor(corner.y + (1 - static_cast<float>(y_axis.part(tick))) * height) + 0.5f;
    draw.AddLine({corner.x, y}, {corner.x + width, y}, to_imgui(tick == 0 ? ui.theme.faint : ui.theme.grid));
    const std::string label = value_text(y_name, tick);
    draw_text(draw, font, text_px, {corner.x - ui.px(6) - text_width(font, text_px, label), y - text_px * 0.5f},
              to_imgui(ui.theme.muted), label, gutter);
  }
  for (const double tick : x_axis.ticks()) {
    const float x = std::floor(corner.x + static_cast<float>(x_axis.part(tick)) * width) + 0.5f;
    draw.AddLine({x, corner.y}, {x, corner.y + height}, to_imgui(ui.theme.grid));
    const std::string label = value_text(x_name, tick);
    const float label_px = text_width(font, text_px, label);
    const float left = std::clamp(x - label_px * 0.5f, at.x, at.x + size.x - label_px);
    draw_text(draw, font, text_px, {left, corner.y + height + ui.px(3)}, to_imgui(ui.theme.muted), label, label_px + 1);
  }
  const ImU32 colour = to_imgui(ui.theme.accent);
  const auto place = [&](const PlotPoint& p) { return ImVec2{corner.x + p.x, corner.y + p.y}; };
  if (ascends_ && points_.size() <= kMostLinePoints)
    for (std::size_t i = 1; i < points_.size(); ++i)
      draw.AddLine(place(points_[i - 1]), place(points_[i]), to_imgui(with_alpha(ui.theme.accent, 0.6f)), 1);
  const float radius = ui.px(kPointPx);
  for (const PlotPoint& point : points_) {
    const ImVec2 centre = place(point);
    draw.AddRectFilled({centre.x - radius, centre.y - radius}, {centre.x + radius, centre.y + radius}, colour, radius);
  }
  if (!is_hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const PlotPoint* point = plot_point_at(points_, mouse.x - corner.x, mouse.y - corner.y, ui.px(kPointReachPx));
  if (point == nullptr) return;
  draw.AddCircle(place(*point), radius + ui.px(3), to_imgui(ui.theme.text), 0, std::max(1.0f, ui.px(1.2f)));
  row_tooltip(ui, answer, rows_[point->row], point->folded);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    if (const auto where = view_.place_of(rows_[point->row])) ui.workspace().go_to(*where);
}

void QueryPlot::bars(UiContext& ui, const QueryView::Answer& answer, ImVec2 size) {
  const std::string& y_name = answer.rows.names()[y_];
  const double low = std::min(0.0, least_y_);
  const double high = std::max(0.0, most_y_);
  const double range = high > low && std::isfinite(high - low) ? high - low : 1;
  // In the table's order, without those that have no number.
  std::vector<std::uint32_t> order;
  std::vector<double> values(answer.rows.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows_.size(); ++i) values[rows_[i]] = ys_[i];
  for (const std::uint32_t row : view_.order())
    if (row < values.size() && !std::isnan(values[row])) order.push_back(row);
  begin_child("sql_bars", size);
  note_place(ui, "sql_bars");
  ImFont* const font = ui.fonts.ui;
  const float text_px = ui.fonts.ui_px;
  const float line = text_px + ui.px(5);
  const float name_px = std::floor(std::min(size.x * 0.4f, ui.px(360)));
  const float value_px = ui.px(84);
  const float bar_px = std::max(ui.px(20), ImGui::GetContentRegionAvail().x - name_px - value_px);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for_each_row_in_view(order.size(), [&](std::size_t i) {
    const std::uint32_t row = order[i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton("bar", {std::max(1.0f, name_px + value_px + bar_px), line}))
      if (const auto where = view_.place_of(row)) ui.workspace().go_to(*where);
    if (ImGui::IsItemHovered()) {
      draw.AddRectFilled(at, {at.x + name_px + value_px + bar_px, at.y + line}, to_imgui(ui.theme.hovered));
      row_tooltip(ui, answer, row, 1);
    }
    const Cell label = answer.rows.cell(row, x_);
    const bool is_null = label.kind == Cell::Kind::kNull;
    const float y = at.y + std::floor((line - text_px) * 0.5f);
    const std::string name = is_null ? "NULL" : cell_text(label);
    draw_text(draw, font, text_px, {at.x, y}, to_imgui(is_null ? ui.theme.muted : ui.theme.text), name,
              name_px - ui.px(8));
    const double value = values[row];
    const std::string number = value_text(y_name, value);
    draw_text(draw, font, text_px, {at.x + name_px + value_px - ui.px(8) - text_width(font, text_px, number), y},
              to_imgui(ui.theme.text), number, value_px);
    const float left = at.x + name_px + value_px;
    const float x0 = left + static_cast<float>((std::min(value, 0.0) - low) / range) * bar_px;
    const float x1 = left + static_cast<float>((std::max(value, 0.0) - low) / range) * bar_px;
    draw.AddRectFilled({x0, at.y + ui.px(2)}, {std::max(x1, x0 + 1), at.y + line - ui.px(2)},
                       to_imgui(with_alpha(ui.theme.accent, 0.75f)), ui.px(2));
  });
  ImGui::EndChild();
}

void QueryPlot::row_tooltip(UiContext& ui, const QueryView::Answer& answer, std::uint32_t row,
                            std::uint32_t folded) const {
  if (!begin_tooltip(ui, 460)) return;
  const QueryRows& rows = answer.rows;
  for (std::size_t c = 0; c < std::min(rows.names().size(), kMostTipColumns); ++c) {
    muted_text(ui, rows.names()[c]);
    ImGui::SameLine(0, ui.px(8));
    const Cell cell = rows.cell(row, c);
    text(cell.kind == Cell::Kind::kNull ? "NULL" : cell_text(cell).substr(0, kMostTipCharacters));
  }
  if (folded > 1) muted_text(ui, fmt::format("and {} at the same place", counted(folded - 1, "row")));
  end_tooltip();
}

}  // namespace lacuna
