#include "app/gui/models/live/running_jobs_view.h"

#include <algorithm>
#include <utility>

#include "capture/kineto/job_request.h"

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
      std::vector<RunningJob> jobs = find_possible_jobs();
      std::erase_if(jobs, [](const RunningJob& job) { return job.is_launcher; });
      sort_jobs(jobs);
      return jobs;
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
    while (!is_stopped->load() && (*request)->step(50ms)) {
      TakenTraces now = taken_so_far(**request);
      if (is_same_progress(now, shown)) continue;
      shown = now;
      progress.show(std::move(now));
    }
    TakenTraces last = taken_so_far(**request);
    last.is_over = true;
    return last;
  });
}

bool RunningJobsView::update() {
  bool changed = false;
  if (const auto found = look_job_.take()) {
    jobs_ = *found;
    has_looked_ = changed = true;
  }
  if (auto taken = take_job_.take()) {
    if (taken_ != nullptr) taken_ = std::move(taken);
    changed = true;
  }
  return changed;
}

}  // namespace lacuna
