#include "app/gui/core/job_failures.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace lacuna {
namespace {

constexpr std::size_t kMostFailures = 20;

struct Failures {
  std::mutex mutex;
  std::deque<std::string> waiting;
};

Failures& failures() {
  static Failures all;
  return all;
}

}  // namespace

void note_job_failure(std::string_view what) {
  Failures& all = failures();
  const std::lock_guard lock(all.mutex);
  if (all.waiting.size() < kMostFailures && std::ranges::find(all.waiting, what) == all.waiting.end())
    all.waiting.emplace_back(what);
}

std::optional<std::string> take_job_failure() {
  Failures& all = failures();
  const std::lock_guard lock(all.mutex);
  if (all.waiting.empty()) return std::nullopt;
  std::string oldest = std::move(all.waiting.front());
  all.waiting.pop_front();
  return oldest;
}

void note_failed_work(std::string_view what) {
  if (what == kNotEnoughMemory)
    note_job_failure("There is not enough memory to compute what was asked for. What is on the screen stays as it is.");
  else
    note_job_failure(std::string("What was asked for could not be computed: ").append(what));
}

}  // namespace lacuna
