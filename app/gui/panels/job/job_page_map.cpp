#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/gui/panels/job/job_page.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kRowPx = 13;
constexpr float kLeastColumnPx = 5;
constexpr float kMostColumnPx = 56;
constexpr float kRankPx = 62;

struct ColumnName {
  JobColumn column;
  const char* name;
  const char* meaning;
};
constexpr std::array kJobColumns = {
    ColumnName{JobColumn::kLost, "Cost others",
               "How long other ranks waited because of this one. Lateness that a rank inherited is charged to the rank "
               "where it began."},
    ColumnName{JobColumn::kWaited, "Waited", "How long the rank waited inside collectives until the last rank came."},
    ColumnName{JobColumn::kDelay, "Own lateness", "By how much its own work made it late, each moment counted once."},
    ColumnName{JobColumn::kLength, "Step", "Length of the step."}};

}  // namespace

void JobPage::map(UiContext& ui, const Job& job) {
  for (const ColumnName& c : kJobColumns) {
    if (&c != &kJobColumns.front()) ImGui::SameLine();
    if (segment(ui, c.name, view_.order.column == c.column)) view_.order.column = c.column;
    tooltip(c.meaning);
  }
  const std::vector<std::string> groupings = job_groupings(job);
  JobMapOrder& order = view_.order;
  ImGui::SameLine(0, ui.px(18));
  if (segment(ui, "by rank", order.grouping.empty() && !order.is_by_value)) order = {{}, false, order.column};
  tooltip("Rows in order of rank.");
  note_place(ui, "job_by_rank");
  ImGui::SameLine();
  if (segment(ui, "largest first", order.grouping.empty() && order.is_by_value)) order = {{}, true, order.column};
  tooltip("The rank with the largest sum over its steps first.");
  note_place(ui, "job_by_value");
  for (const std::string& grouping : groupings) {
    ImGui::SameLine();
    if (segment(ui, ("by " + grouping).c_str(), order.grouping == grouping)) order.grouping = grouping;
    tooltip("Rows under what they belong to.");
    note_place(ui, ("job_by_" + grouping).c_str());
  }
  const std::vector<JobMapRow>& rows = view_.map().rows;
  const Nanos most = view_.map().most;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float row = std::round(ui.px(kRowPx)), left = ui.px(kRankPx);
  const float column =
      std::clamp(std::floor((room.x - left - ImGui::GetStyle().ScrollbarSize) / static_cast<float>(job.steps.size())),
                 ui.px(kLeastColumnPx), ui.px(kMostColumnPx));
  ImGui::BeginChild("cells", room, false, ImGuiWindowFlags_HorizontalScrollbar);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(left + column * static_cast<float>(job.steps.size()), row * static_cast<float>(rows.size() + 1));
  const bool clicked = ImGui::InvisibleButton("map", size);
  note_place(ui, "job_map");
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 clip_min = draw.GetClipRectMin(), clip_max = draw.GetClipRectMax();
  const ImU32 words = to_imgui(ui.theme.muted);
  // Only what is in sight is drawn: a job may have a thousand ranks and a hundred steps.
  const auto first_of = [](float from, float each) { return static_cast<std::size_t>(std::max(0.0f, from / each)); };
  const std::size_t first_step = first_of(clip_min.x - at.x - left, column);
  const std::size_t end_step = std::min(job.steps.size(), first_of(clip_max.x - at.x - left, column) + 1);
  const std::size_t first_row = first_of(clip_min.y - at.y - row, row);
  const std::size_t end_row = std::min(rows.size(), first_of(clip_max.y - at.y - row, row) + 1);
  for (std::size_t s = first_step; s < end_step; ++s) {
    const std::string label = job_step_label(job, s);
    if (ImGui::CalcTextSize(label.c_str()).x + ui.px(4) < column || s % 10 == 0)
      draw.AddText({at.x + left + column * static_cast<float>(s), at.y}, words, label.c_str());
  }
  for (std::size_t i = first_row; i < end_row; ++i) {
    const float y = at.y + row * static_cast<float>(i + 1);
    const std::size_t r = rows[i].rank;
    if (r == JobMapRow::kHeading) {
      draw.AddText({at.x, y - ui.px(1)}, to_imgui(ui.theme.text), rows[i].heading.c_str());
      continue;
    }
    const std::string name = fmt::format("rank {}", job.ranks[r].rank);
    draw.AddText({at.x, y - ui.px(1)}, words, name.c_str());
    for (std::size_t s = first_step; s < end_step; ++s) {
      const JobCell& cell = job.cell(r, s);
      if (cell.length == 0) continue;
      const float x = at.x + left + column * static_cast<float>(s);
      const double heat = std::sqrt(static_cast<double>(cell_value(cell, order.column)) / static_cast<double>(most));
      draw.AddRectFilled({x, y}, {x + column - 1, y + row - 1},
                         to_imgui(with_alpha(ui.theme.warning, 0.06f + 0.94f * static_cast<float>(heat))));
    }
  }
  const ImVec2 mouse = ImGui::GetMousePos();
  if (hovered && mouse.x >= at.x + left && mouse.y >= at.y + row) {
    const auto s = static_cast<std::size_t>((mouse.x - at.x - left) / column);
    const auto i = static_cast<std::size_t>((mouse.y - at.y - row) / row);
    const std::size_t r = i < rows.size() ? rows[i].rank : JobMapRow::kHeading;
    if (s < job.steps.size() && r < job.ranks.size() && job.cell(r, s).length > 0) {
      const JobCell& cell = job.cell(r, s);
      const auto rank = static_cast<std::uint32_t>(r), step = static_cast<std::uint32_t>(s);
      tooltip(fmt::format(
          "rank {}, step {}: cost the others {}, waited {}, own lateness {}, step {}. Click shows the step{}.",
          job.ranks[r].rank, job_step_label(job, s), format_duration(cell.lost), format_duration(cell.waited),
          format_duration(cell.delay), format_duration(cell.length), what_opens(job, rank, step)));
      if (clicked) show(ui, job, rank, step, JobView::step_of(job, r, s));
    }
  }
  ImGui::EndChild();
}

}  // namespace lacuna
