#include "app/gui/panels/job/job_page.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/job/clock_shifts.h"
#include "model/job/job_stragglers.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kWordsPart = 0.45f;
constexpr std::size_t kHungShown = 6;

}  // namespace

std::string job_step_label(const Job& job, std::size_t step) {
  return job.steps[step] ? std::to_string(*job.steps[step]) : "all";
}

void JobPage::draw(UiContext& ui) {
  view_.ask(ui.workspace().document());
  if (view_.has_files()) source(ui);
  if (view_.answer() == nullptr) {
    const auto [read, files] = view_.files_read();
    if (files > 1)
      muted_text(ui, fmt::format("Bringing the ranks together: {} of {} files read\xE2\x80\xA6", read, files));
    else
      muted_text(ui, "Bringing the ranks together\xE2\x80\xA6");
    return;
  }
  const Job& job = view_.answer()->job;
  const HangFiles& files = view_.answer()->hang;
  const bool has_job = view_.answer()->error.empty() && job.ranks.size() >= 2 && !job.collectives.empty();
  if (!has_job && (!files.dumps.empty() || !files.problems.empty())) return hang(ui, files);
  ImGui::PushTextWrapPos(0);
  if (!view_.answer()->error.empty())
    coloured_text(ui.theme.error, view_.answer()->error);
  else if (!has_job && view_.has_files())
    muted_text(ui, "These files have no collectives in which several ranks take part.");
  else if (!has_job)
    muted_text(ui,
               "There are no collectives in which several ranks take part. Open the traces of a job's ranks together, "
               "or a folder of traces or digests with File > Open job\xE2\x80\xA6");
  ImGui::PopTextWrapPos();
  if (!has_job) return;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  begin_child("job words", {std::round(room.x * kWordsPart), room.y});
  hang(ui, files);
  clocks(ui, job);
  stragglers(ui, job);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(10));
  begin_child("job map", {0, room.y});
  views(ui);
  if (shows_comparison_ && has_comparison())
    comparison(ui);
  else
    map(ui, job);
  ImGui::EndChild();
}

/// Whose job it is, where it is not that of the open traces.
void JobPage::source(UiContext& ui) {
  ImGui::AlignTextToFramePadding();
  const std::string name = view_.files().size() == 1 ? view_.files().front() : files_title(view_.files());
  text("Job of " + name);
  ImGui::SameLine(0, ui.px(10));
  if (ImGui::Button("Close job")) view_.close_files();
  note_place(ui, "close_job");
  tooltip("Leaves the job; open traces stay.");
}

bool JobPage::has_comparison() const {
  return view_.comparison() != nullptr || view_.is_comparing();
}

void JobPage::views(UiContext& ui) {
  if (has_comparison()) {
    if (segment(ui, "Ranks and steps", !shows_comparison_)) shows_comparison_ = false;
    note_place(ui, "job_shows_map");
    ImGui::SameLine();
    if (segment(ui, "A against B", shows_comparison_)) shows_comparison_ = true;
    note_place(ui, "job_shows_comparison");
    ImGui::SameLine(0, ui.px(14));
  }
  if (ImGui::Button(has_comparison() ? "Another job\xE2\x80\xA6" : "Compare with another job\xE2\x80\xA6")) {
    ui.requests.add(ask::OpenTrace{ask::OpenFor::kOtherJob});
    shows_comparison_ = true;
  }
  note_place(ui, "compare_job");
  tooltip("Its folder of traces or digests: what changed in steps, waits and stragglers.");
  if (!has_comparison()) return;
  ImGui::SameLine();
  if (ImGui::Button("Close B")) view_.close_comparison();
  note_place(ui, "close_other_job");
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
  if (!ui.workspace().has_trace() || view_.has_files()) return;
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
       "By the base times that the files give."},
      {"by collectives", "clock_collectives", now == Alignment::kGiven,
       apart == 0 ? fmt::format("Collectives end for all ranks at once. By them these clocks agree to within {}.",
                                format_duration(static_cast<Nanos>(residual)))
                  : fmt::format("Collectives end for all ranks at once. By them the clock of rank {} is {} {}, and all "
                                "clocks are known to within {}.",
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

namespace {

/// The step of a place that proves a straggler: index in Job::steps.
std::uint32_t step_of(const Job& job, const Straggler& straggler, const JobPlace& place) {
  for (const std::uint32_t step : straggler.steps)
    if (job.steps[step] == place.step) return step;
  return straggler.steps.empty() ? 0 : straggler.steps.front();
}

}  // namespace

std::string JobPage::what_opens(const Job& job, std::uint32_t rank, std::uint32_t step) const {
  if (!view_.has_files()) return {};
  const auto other = longest_waiting(job, rank, step);
  return other ? fmt::format(", with rank {}, which waited longest, beside it", job.ranks[*other].rank) : std::string();
}

void JobPage::show(UiContext& ui, const Job& job, std::uint32_t rank, std::uint32_t step, TimeSpan span) {
  if (!view_.has_files())
    return ui.workspace().go_to(
        JobView::place_of(ui.workspace().trace(), job.ranks[rank].source, span.begin, span.duration()));
  std::vector<std::uint32_t> ranks{rank};
  if (const auto other = longest_waiting(job, rank, step)) ranks.push_back(*other);
  ask::ShowRanks wish{
      .paths = {}, .shifts = shifts_of_ranks(job, ranks), .start = span.begin, .duration = span.duration()};
  for (const std::uint32_t r : ranks)
    if (std::ranges::find(wish.paths, job.ranks[r].file) == wish.paths.end()) wish.paths.push_back(job.ranks[r].file);
  ui.requests.add(std::move(wish));
}

void JobPage::stragglers(UiContext& ui, const Job& job) {
  muted_text(ui, fmt::format("{}, {}, {} matched, {} unmatched", counted(job.ranks.size(), "rank"),
                             counted(job.steps.size(), "step"), counted(job.collectives.size(), "collective"),
                             counted(job.unmatched, "part")));
  if (job.stragglers.empty()) text("No rank made the others wait longer than chance does.");
  ImGui::PushTextWrapPos(0);
  for (std::size_t i = 0; i < job.stragglers.size(); ++i) {
    const Straggler& s = job.stragglers[i];
    ImGui::PushID(static_cast<int>(i));
    const std::string title = fmt::format("rank {}, {}: cost the others {}", job.ranks[s.rank].rank,
                                          straggler_steps(job, s), format_duration(s.lost));
    const bool was_clicked = link(ui, title.c_str());
    if (i == 0) note_place(ui, "first_straggler");
    if (!s.evidence.empty()) {
      const JobPlace& place = s.evidence[next_[i] % s.evidence.size()];
      const std::uint32_t step = step_of(job, s, place);
      // What else opens is looked for among all collectives: for the one under the mouse only.
      if (ImGui::IsItemHovered()) tooltip(fmt::format("Click shows {}{}", place.what, what_opens(job, s.rank, step)));
      if (was_clicked) {
        ++next_[i];
        show(ui, job, s.rank, step, {place.start, saturating_add(place.start, place.duration)});
      }
    }
    text(s.sentence);
    ImGui::Spacing();
    ImGui::PopID();
  }
  for (const JobProblem& problem : job.problems)
    muted_text(ui, problem.rank >= 0 ? fmt::format("rank {}: {}", problem.rank, problem.text) : problem.text);
  ImGui::PopTextWrapPos();
}

}  // namespace lacuna
