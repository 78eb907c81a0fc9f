#include "app/gui/panels/job/job_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kWordsPart = 0.45f;
constexpr std::size_t kHungShown = 6;
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
               "What other ranks waited because of this one; inherited lateness is charged to its root."},
    ColumnName{JobColumn::kWaited, "Waited", "Inside collectives, until the last rank came."},
    ColumnName{JobColumn::kDelay, "Own lateness", "By how much its own work made it late, each moment counted once."},
    ColumnName{JobColumn::kLength, "Step", "Length of the step."}};

std::string step_label(const Job& job, std::size_t step) {
  return job.steps[step] ? std::to_string(*job.steps[step]) : "all";
}

}  // namespace

void JobPage::draw(UiContext& ui) {
  view_.ask(ui.workspace().document());
  if (view_.answer() == nullptr) {
    muted_text(ui, "Bringing the ranks together\xE2\x80\xA6");
    return;
  }
  const Job& job = view_.answer()->job;
  const HangFiles& files = view_.answer()->hang;
  const bool has_job = view_.answer()->error.empty() && job.ranks.size() >= 2 && !job.collectives.empty();
  if (!has_job && (!files.dumps.empty() || !files.problems.empty())) return hang(ui, files);
  if (!view_.answer()->error.empty()) {
    muted_text(ui, view_.answer()->error);
    return;
  }
  if (!has_job) {
    muted_text(ui, "No collectives that several ranks have part in. Open the traces of a job's ranks together.");
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  begin_child("job words", {std::round(room.x * kWordsPart), room.y});
  hang(ui, files);
  clocks(ui, job);
  stragglers(ui, job);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(10));
  begin_child("job map", {0, room.y});
  map(ui, job);
  ImGui::EndChild();
}

void JobPage::hang(UiContext& ui, const HangFiles& files) {
  if (files.dumps.empty() && files.problems.empty()) return;
  ImGui::PushTextWrapPos(0);
  coloured_text(files.analysis.hung.empty() ? ui.theme.good : ui.theme.warning,
                fmt::format("Flight recorder: {} beside the traces", counted(files.dumps.size(), "dump")));
  note_place(ui, "job_hang");
  for (const std::string& sentence : files.analysis.sentences) text(sentence + ".");
  for (std::size_t h = 0; h < std::min(kHungShown, files.analysis.hung.size()); ++h) {
    const HungOperation& hung = files.analysis.hung[h];
    const auto ranks_of = [](const std::vector<std::int64_t>& ranks) {
      return fmt::format("{}", fmt::join(ranks, " "));
    };
    std::vector<std::int64_t> entered;
    for (const HungOperation::Rank& rank : hung.entered) entered.push_back(rank.rank);
    muted_text(ui, fmt::format("{} {} of {}: entered by {}; completed by {}; missing {}", hung.name, hung.sequence,
                               hung.group.description.empty() ? hung.group.name : hung.group.description,
                               ranks_of(entered), hung.completed.empty() ? "none" : ranks_of(hung.completed),
                               hung.missing.empty() ? "none" : ranks_of(hung.missing)));
    if (h > 0 || hung.entered.empty()) continue;
    for (const HungOperation::Rank& rank : hung.entered) {
      if (rank.entry->frames.empty()) continue;
      muted_text(ui, fmt::format("  rank {}, {}: {}", rank.rank, rank.entry->state, rank.entry->frames.front()));
      if (!ImGui::IsItemHovered() || !begin_tooltip(ui, 520)) continue;
      for (const std::string& frame : rank.entry->frames) text(frame);
      end_tooltip();
    }
  }
  if (files.analysis.hung.size() > kHungShown)
    muted_text(ui, fmt::format("{} more: lacuna hang FILES", files.analysis.hung.size() - kHungShown));
  for (const std::string& problem : files.problems) muted_text(ui, problem);
  ImGui::Separator();
  ImGui::PopTextWrapPos();
}

void JobPage::clocks(UiContext& ui, const Job& job) {
  const std::span<const TraceSource> sources = ui.workspace().trace().sources();
  if (sources.size() < 2) return;
  const Alignment now = sources.front().alignment;
  double residual = 0;
  std::size_t worst = 0;
  for (std::size_t r = 0; r < job.clocks.size(); ++r) {
    residual = std::max(residual, job.clocks[r].residual_ns);
    if (std::abs(job.clocks[r].offset_ns) > std::abs(job.clocks[worst].offset_ns)) worst = r;
  }
  ImGui::AlignTextToFramePadding();
  muted_text(ui, "Clocks");
  struct Choice {
    const char* name;
    const char* command;
    bool is_chosen;
    std::string help;
  };
  const double apart = job.clocks.empty() ? 0 : std::abs(job.clocks[worst].offset_ns);
  const Choice choices[] = {
      {"as the files say", "clock_files", now != Alignment::kRaw && now != Alignment::kGiven,
       "By the base times of the files, or whatever else they say of theirs."},
      {"by collectives", "clock_collectives", now == Alignment::kGiven,
       apart == 0
           ? fmt::format("Collectives end for all ranks at once. By them these clocks agree, to {}.",
                         format_duration(static_cast<Nanos>(residual)))
           : fmt::format("Collectives end for all ranks at once. By them the clock of rank {} is {} {}, and all are "
                         "known to {}.",
                         job.ranks[worst].rank, format_duration(static_cast<Nanos>(apart)),
                         job.clocks[worst].offset_ns > 0 ? "fast" : "slow",
                         format_duration(static_cast<Nanos>(residual)))},
      {"raw", "clock_raw", now == Alignment::kRaw, "Each file's own times, as they are."}};
  for (const Choice& choice : choices) {
    ImGui::SameLine();
    if (segment(ui, choice.name, choice.is_chosen)) ui.commands.run(choice.command);
    note_place(ui, choice.command);
    tooltip(choice.help);
  }
}

void JobPage::stragglers(UiContext& ui, const Job& job) {
  muted_text(ui,
             fmt::format("{} ranks, {} step{}, {} collectives matched, {} parts unmatched", job.ranks.size(),
                         job.steps.size(), job.steps.size() == 1 ? "" : "s", job.collectives.size(), job.unmatched));
  if (job.stragglers.empty()) text("No rank made the others wait longer than chance does.");
  ImGui::PushTextWrapPos(0);
  for (std::size_t i = 0; i < job.stragglers.size(); ++i) {
    const Straggler& s = job.stragglers[i];
    ImGui::PushID(static_cast<int>(i));
    std::string steps;
    for (const std::uint32_t step : s.steps) steps += (steps.empty() ? "" : ", ") + step_label(job, step);
    const std::string title = fmt::format("rank {}, {} {}: cost the others {}", job.ranks[s.rank].rank,
                                          s.steps.size() == 1 ? "step" : "steps", steps, format_duration(s.lost));
    if (link(ui, title.c_str()) && !s.evidence.empty()) {
      const JobPlace& place = s.evidence[next_[i]++ % s.evidence.size()];
      ui.workspace().go_to(JobView::place_of(ui.workspace().trace(), job.ranks[s.rank], place.start, place.duration));
    }
    if (i == 0) note_place(ui, "first_straggler");
    if (!s.evidence.empty()) tooltip("Click shows " + s.evidence[next_[i] % s.evidence.size()].what);
    text(s.sentence);
    ImGui::Spacing();
    ImGui::PopID();
  }
  for (const JobProblem& problem : job.problems)
    muted_text(ui, problem.rank >= 0 ? fmt::format("rank {}: {}", problem.rank, problem.text) : problem.text);
  ImGui::PopTextWrapPos();
}

void JobPage::map(UiContext& ui, const Job& job) {
  for (const ColumnName& c : kJobColumns) {
    if (&c != &kJobColumns.front()) ImGui::SameLine();
    if (segment(ui, c.name, view_.column == c.column)) view_.column = c.column;
    tooltip(c.meaning);
  }
  const std::vector<std::string> groupings = JobView::groupings(job);
  if (!groupings.empty()) {
    ImGui::SameLine(0, ui.px(18));
    if (segment(ui, "by rank", view_.grouping.empty())) view_.grouping.clear();
    tooltip("Rows in order of rank.");
    note_place(ui, "job_by_rank");
    for (const std::string& grouping : groupings) {
      ImGui::SameLine();
      if (segment(ui, ("by " + grouping).c_str(), view_.grouping == grouping)) view_.grouping = grouping;
      tooltip("Rows under what they belong to.");
      note_place(ui, ("job_by_" + grouping).c_str());
    }
  }
  const std::vector<JobView::Row> rows = JobView::rows(job, view_.grouping);
  Nanos most = 1;
  for (const JobCell& cell : job.cells) most = std::max(most, JobView::value(cell, view_.column));
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
    const std::string label = step_label(job, s);
    if (ImGui::CalcTextSize(label.c_str()).x < column || s % 10 == 0)
      draw.AddText({at.x + left + column * static_cast<float>(s), at.y}, words, label.c_str());
  }
  for (std::size_t i = first_row; i < end_row; ++i) {
    const float y = at.y + row * static_cast<float>(i + 1);
    const std::size_t r = rows[i].rank;
    if (r == JobView::Row::kHeading) {
      draw.AddText({at.x, y - ui.px(1)}, to_imgui(ui.theme.text), rows[i].heading.c_str());
      continue;
    }
    const std::string name = fmt::format("rank {}", job.ranks[r].rank);
    draw.AddText({at.x, y - ui.px(1)}, words, name.c_str());
    for (std::size_t s = first_step; s < end_step; ++s) {
      const JobCell& cell = job.cell(r, s);
      if (cell.length == 0) continue;
      const float x = at.x + left + column * static_cast<float>(s);
      const double heat =
          std::sqrt(static_cast<double>(JobView::value(cell, view_.column)) / static_cast<double>(most));
      draw.AddRectFilled({x, y}, {x + column - 1, y + row - 1},
                         to_imgui(with_alpha(ui.theme.warning, 0.06f + 0.94f * static_cast<float>(heat))));
    }
  }
  const ImVec2 mouse = ImGui::GetMousePos();
  if (hovered && mouse.x >= at.x + left && mouse.y >= at.y + row) {
    const auto s = static_cast<std::size_t>((mouse.x - at.x - left) / column);
    const auto i = static_cast<std::size_t>((mouse.y - at.y - row) / row);
    const std::size_t r = i < rows.size() ? rows[i].rank : JobView::Row::kHeading;
    if (s < job.steps.size() && r < job.ranks.size() && job.cell(r, s).length > 0) {
      const JobCell& cell = job.cell(r, s);
      tooltip(fmt::format(
          "rank {}, step {}: cost the others {}, waited {}, own lateness {}, step {}. Click shows the step.",
          job.ranks[r].rank, step_label(job, s), format_duration(cell.lost), format_duration(cell.waited),
          format_duration(cell.delay), format_duration(cell.length)));
      if (clicked) ui.workspace().go_to(JobView::step_of(ui.workspace().trace(), job, r, s));
    }
  }
  ImGui::EndChild();
}

}  // namespace lacuna
