#include "app/gui/panels/live/jobs_dialog.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kJobsTitle = "Running jobs";
constexpr std::size_t kMostOnStartPage = 4;
constexpr double kLongestWindowS = 3600;
constexpr float kNamesPx = 76;

using JobState = JobProgress::State;

void field_name(const UiContext& ui, const char* what) {
  ImGui::AlignTextToFramePadding();
  muted_text(ui, what);
  ImGui::SameLine(ui.px(kNamesPx));
}

std::string rank_of(const RunningJob& job) {
  return job.rank < 0 ? "-" : std::to_string(job.rank);
}

std::string progress_text(const JobProgress& progress) {
  switch (progress.state) {
    case JobState::kWaking:
      return "is woken";
    case JobState::kAwaited:
      return "waiting until it asks, up to 6 s";
    case JobState::kBusy:
      return progress.words;
    case JobState::kAsked:
      return "has the request";
    case JobState::kRecording:
      return progress.bytes > 0 ? fmt::format("writes, {}", format_bytes(progress.bytes)) : "records";
    case JobState::kDone:
      return progress.words.empty() ? fmt::format("came, {}", format_bytes(progress.bytes)) : progress.words;
    case JobState::kFailed:
      return progress.words;
  }
  return {};
}

Rgba progress_colour(const UiContext& ui, const JobProgress& progress) {
  if (progress.state == JobState::kFailed) return ui.theme.error;
  if (progress.state == JobState::kBusy) return ui.theme.warning;
  if (progress.state == JobState::kDone) return progress.words.empty() ? ui.theme.good : ui.theme.warning;
  return ui.theme.muted;
}

const JobProgress* progress_of(const TakenTraces* taken, const RunningJob& job) {
  if (taken == nullptr) return nullptr;
  const auto found = std::ranges::find_if(
      taken->jobs, [&](const JobProgress& p) { return p.job.pid == job.pid && p.job.start == job.start; });
  return found == taken->jobs.end() ? nullptr : &*found;
}

}  // namespace

void JobsDialog::open() {
  open_anew();
  left_out_.clear();
  if (folder_.empty()) folder_ = fmt::format("lacuna-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
}

/// Whether one of those chosen asks when it likes.
bool JobsDialog::asks_kineto() const {
  return std::ranges::any_of(view_.jobs(),
                             [&](const RunningJob& job) { return !job.is_dormant && !left_out_.contains(job.pid); });
}

bool JobsDialog::may_begin() const {
  return !view_.is_taking() && !folder_.empty() &&
         std::ranges::any_of(view_.jobs(), [&](const RunningJob& job) { return !left_out_.contains(job.pid); });
}

void JobsDialog::list(UiContext& ui, float height) {
  if (begin_list(ui, "jobs", height, view_.jobs().empty(), "None.",
                 ". A PyTorch program answers requests, too, when it was started with KINETO_USE_DAEMON=1 in its "
                 "environment, and has imported torch. Nothing else in it needs to change.") &&
      ImGui::BeginTable("list", 6, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableSetupColumn("##ask");
    ImGui::TableSetupColumn("Process");
    ImGui::TableSetupColumn("Kind");
    ImGui::TableSetupColumn("Rank");
    ImGui::TableSetupColumn("GPU");
    ImGui::TableSetupColumn("Command", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    for (const RunningJob& job : view_.jobs()) {
      ImGui::PushID(job.pid);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      bool is_chosen = !left_out_.contains(job.pid);
      if (view_.is_taking()) ImGui::BeginDisabled();
      if (ImGui::Checkbox("##chosen", &is_chosen)) {
        if (is_chosen) {
          left_out_.erase(job.pid);
        } else {
          left_out_.insert(job.pid);
        }
      }
      if (view_.is_taking()) ImGui::EndDisabled();
      for (const std::string& cell :
           {std::to_string(job.pid), job.kind(), rank_of(job), job.gpu.empty() ? "-" : job.gpu}) {
        ImGui::TableNextColumn();
        ImGui::AlignTextToFramePadding();
        text(cell);
      }
      ImGui::TableNextColumn();
      const JobProgress* progress = progress_of(view_.taken(), job);
      if (progress == nullptr) ImGui::AlignTextToFramePadding();
      fitted_text(ui, job.command);
      if (progress != nullptr) {
        ImGui::PushTextWrapPos(0);
        coloured_text(progress_colour(ui, *progress), progress_text(*progress));
        ImGui::PopTextWrapPos();
      }
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  if (const TakenTraces* taken = view_.taken()) {
    ImGui::PushTextWrapPos(0);
    if (!taken->error.empty()) coloured_text(ui.theme.error, taken->error);
    for (const std::string& problem : taken->problems) coloured_text(ui.theme.warning, problem);
    // Those that ended meanwhile are in the list no more.
    for (const JobProgress& progress : taken->jobs) {
      const auto is_listed = [&](const RunningJob& job) { return job.pid == progress.job.pid; };
      if (std::ranges::none_of(view_.jobs(), is_listed) && !progress_text(progress).empty())
        coloured_text(progress_colour(ui, progress),
                      fmt::format("process {}: {}", progress.job.pid, progress_text(progress)));
    }
    ImGui::PopTextWrapPos();
  }
  ImGui::EndChild();
}

void JobsDialog::window_of_time(UiContext& ui) {
  field_name(ui, "Window");
  if (segment(ui, "By time", !by_steps_ && !snapshot_)) by_steps_ = snapshot_ = false;
  ImGui::SameLine(0, ui.px(2));
  if (segment(ui, "By steps", by_steps_)) {
    by_steps_ = true;
    snapshot_ = false;
  }
  note_place(ui, "jobs_by_steps");
  tooltip("Steps of an optimizer. A program that takes none does not answer.");
  ImGui::SameLine(0, ui.px(2));
  if (segment(ui, "Memory snapshot", snapshot_)) {
    by_steps_ = false;
    snapshot_ = true;
  }
  note_place(ui, "jobs_snapshot");
  tooltip(
      "Takes a snapshot of CUDA's allocator in place of a trace: who holds its memory at the end of a time in which "
      "PyTorch notes allocations with their stacks.");
  ImGui::SameLine(0, ui.px(10));
  ImGui::SetNextItemWidth(ui.px(70));
  if (by_steps_) {
    ImGui::InputInt("##steps", &steps_, 0, 0);
    steps_ = std::clamp(steps_, 1, 1'000'000);
  } else {
    ImGui::InputDouble("##seconds", &seconds_, 0, 0, "%g");
    seconds_ = std::clamp(seconds_, 0.001, kLongestWindowS);
  }
  note_place(ui, "jobs_length");
  ImGui::SameLine(0, ui.px(6));
  muted_text(ui, by_steps_       ? "steps"
                 : snapshot_     ? "s, then the snapshot"
                 : asks_kineto() ? "s; all begin at one moment, in about 10 s"
                                 : "s; all begin at one moment");
}

void JobsDialog::what(UiContext& ui) {
  field_name(ui, "With");
  if (snapshot_) ImGui::BeginDisabled();
  ImGui::Checkbox("input shapes", &shapes_);
  ImGui::SameLine(0, ui.px(14));
  ImGui::Checkbox("Python frames", &stacks_);
  ImGui::SameLine(0, ui.px(14));
  ImGui::Checkbox("allocations", &memory_);
  ImGui::SameLine(0, ui.px(14));
  ImGui::Checkbox("modules", &modules_);
  tooltip("Of TorchScript");
  if (snapshot_) ImGui::EndDisabled();
  field_name(ui, "Into");
  ImGui::SetNextItemWidth(-1);
  text_input("##folder", "folder for rank0.json, pid1234.pickle \xE2\x80\xA6", folder_);
  note_place(ui, "jobs_folder");
}

void JobsDialog::begin() {
  if (!may_begin()) return;
  RequestPlan plan;
  for (const RunningJob& job : view_.jobs())
    if (!left_out_.contains(job.pid)) plan.choice.pids.push_back(job.pid);
  plan.request.duration = by_steps_ ? 0 : static_cast<Nanos>(seconds_ * 1e9);
  plan.request.iterations = by_steps_ ? steps_ : 0;
  plan.request.shapes = shapes_;
  plan.request.stacks = stacks_;
  plan.request.memory = memory_;
  plan.request.modules = modules_;
  plan.request.snapshot = snapshot_;
  plan.folder = folder_;
  opens_at_end_ = true;
  view_.take(std::move(plan));
}

void JobsDialog::buttons(UiContext& ui) {
  if (view_.is_taking()) {
    if (ImGui::Button("Stop waiting", {ui.px(130), 0})) view_.stop_taking();
    tooltip("Sends no further requests. Processes that have the request still write their traces.");
  } else {
    begin_button(ui, snapshot_ ? "Take a snapshot" : "Take a trace", 130, may_begin());
  }
  note_place(ui, "jobs_take");
  close_button(ui);
  const std::vector<std::string> files = view_.taken() != nullptr ? view_.taken()->files() : std::vector<std::string>();
  if (!view_.is_taking() && !files.empty()) {
    ImGui::SameLine();
    if (ImGui::Button("Open what came", {ui.px(150), 0})) {
      close();
      open_files_(files);
    }
    note_place(ui, "jobs_open");
  }
}

void JobsDialog::draw(UiContext& ui) {
  // What came is opened, also when the dialog was closed meanwhile; what did not come is told in the dialog.
  if (opens_at_end_ && view_.taken() != nullptr && view_.taken()->is_over) {
    opens_at_end_ = false;
    folder_.clear();  // the next ones into a new one
    if (view_.taken()->is_whole()) {
      const std::vector<std::string> files = view_.taken()->files();
      view_.forget_taken();
      close();
      open_files_(files);
    } else {
      open();
    }
  }
  if (!begin_frame(ui, kJobsTitle, 760, 460)) return;
  const float rows = ImGui::GetFrameHeightWithSpacing() * 4 + ui.px(10);
  list(ui, list_height(ui, rows));
  const bool is_taking = view_.is_taking();
  if (is_taking) ImGui::BeginDisabled();
  window_of_time(ui);
  what(ui);
  if (is_taking) ImGui::EndDisabled();
  ImGui::Dummy({1, ui.px(2)});
  buttons(ui);
  if (takes_begin()) begin();
  end_frame();
}

void draw_running_jobs(UiContext& ui, RunningJobsView& running, float width) {
  const double next = running.look();
  if (ui.state.redraw_in_s <= 0 || ui.state.redraw_in_s > next) ui.state.redraw_in_s = next;
  const std::vector<RunningJob>& jobs = running.jobs();
  if (jobs.empty()) return;
  ImGui::Dummy({width, ui.px(8)});
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  ImGui::AlignTextToFramePadding();
  muted_text(ui, jobs.size() == 1 ? "A job runs" : fmt::format("{} jobs run", format_count(jobs.size())));
  ImGui::PopFont();
  ImGui::SameLine(width - ui.px(130));
  if (ImGui::Button("Take a trace\xE2\x80\xA6", {ui.px(130), 0})) ui.requests.add(ask::RunningJobs{});
  note_place(ui, "start_jobs");
  for (std::size_t i = 0; i < jobs.size() && i < kMostOnStartPage; ++i) {
    const RunningJob& job = jobs[i];
    fitted_text(ui,
                fmt::format("{}{}{}  {}", job.pid, job.rank < 0 ? "" : fmt::format(", rank {}", job.rank),
                            job.gpu.empty() ? "" : fmt::format(", GPU {}", job.gpu), job.command),
                width - ui.px(10));
  }
  if (jobs.size() > kMostOnStartPage) muted_text(ui, fmt::format("and {} more", jobs.size() - kMostOnStartPage));
}

}  // namespace lacuna
