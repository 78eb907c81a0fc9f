#include "app/gui/models/live/running_jobs_view.h"

#include <algorithm>
#include <utility>

#include "capture/kineto/job_request.h"
#include "capture/share/share_places.h"

namespace lacuna {
namespace {

using namespace std::chrono_literals;

/// A look reads /proc of every process: some milliseconds of another thread.
constexpr std::chrono::milliseconds kJobLook = 3s;

TakenTraces taken_so_far(const JobRequest& request) {
  return {.jobs = request.jobs(), .problems = request.problems(), .error = {}, .is_over = false};
}

bool is_same_progress(const TakenTraces& a, const TakenTraces& b) {
  return std::ranges::equal(a.jobs, b.jobs, [](const JobProgress& x, const JobProgress& y) {
    return x.state == y.state && x.bytes == y.bytes && x.words == y.words;
  });
}

}  // namespace

std::vector<std::string> TakenTraces::files() const {
  std::vector<std::string> files;
  for (const JobProgress& job : jobs)
    if (job.state == JobProgress::State::kDone) files.push_back(job.file);
  return files;
}

bool TakenTraces::is_whole() const {
  return error.empty() && problems.empty() && std::ranges::all_of(jobs, [](const JobProgress& job) {
           return job.state == JobProgress::State::kDone && job.words.empty();
         });
}

RunningJobsView::RunningJobsView(std::function<void()> wake)
    : look_job_(wake), take_job_(std::move(wake)), is_stopped_(std::make_shared<std::atomic<bool>>(false)) {}

RunningJobsView::~RunningJobsView() {
  stop_taking();  // the thread is waited for
}

double RunningJobsView::look() {
  const Clock::time_point now = Clock::now();
  if (now >= next_look_) {
    next_look_ = now + kJobLook;
    look_job_.start([] {
      JobChoice all;
      all.is_all = true;
      std::vector<std::string> missing;
      Found found{chosen_jobs(all, find_running_jobs(), missing), shared_recordings()};
      sort_jobs(found.jobs);
      return found;
    });
  }
  return std::chrono::duration<double>(next_look_ - now).count();
}

void RunningJobsView::take(RequestPlan plan) {
  stop_taking();  // one that runs
  is_stopped_ = std::make_shared<std::atomic<bool>>(false);
  taken_ = std::make_shared<const TakenTraces>();
  take_job_.start_growing([plan = std::move(plan), is_stopped = is_stopped_](
                              LatestJob<TakenTraces>::Progress& progress) -> std::optional<TakenTraces> {
    const Result<std::unique_ptr<JobRequest>> request = JobRequest::start(plan);
    if (!request) return TakenTraces{.jobs = {}, .problems = {}, .error = request.error().message(), .is_over = true};
    TakenTraces shown = taken_so_far(**request);
    progress.show(shown);
    const auto show_news = [&] {
      TakenTraces now = taken_so_far(**request);
      if (is_same_progress(now, shown)) return;
      shown = now;
      progress.show(std::move(now));
    };
    while (!is_stopped->load() && (*request)->step(50ms)) show_news();
    (*request)->stop();
    while ((*request)->has_windows()) {  // those end, and what came of them is written
      (*request)->step(20ms);
      show_news();
    }
    TakenTraces last = taken_so_far(**request);
    last.is_over = true;
    return last;
  });
}

bool RunningJobsView::update() {
  bool changed = false;
  if (const auto found = look_job_.take()) {
    found_ = *found;
    has_looked_ = changed = true;
  }
  if (auto taken = take_job_.take()) {
    if (taken_ != nullptr) taken_ = std::move(taken);
    changed = true;
  }
  return changed;
}

}  // namespace lacuna
