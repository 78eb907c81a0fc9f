#include "app/gui/models/area/range_job.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace lacuna {
namespace {

constexpr double kPatienceS = 0.15;  // for an answer that was overtaken

}  // namespace

void RangeJob::start(DocumentPtr document, TimeSpan range, std::vector<TrackId> tracks) {
  using Progress = LatestJob<RangeAnalysis>::Progress;
  const auto work = [this, document = std::move(document), range, tracks = std::move(tracks)](Progress& progress) {
    give_up_ = is_ending_.load();
    const auto begin = std::chrono::steady_clock::now();
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    RangeAnalysis whole = analyze_range(*document, range, tracks, threads, &give_up_, [&](RangeAnalysis so_far) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      const bool is_too_late = took.count() > kPatienceS && progress.is_overtaken();
      if (is_too_late || !progress.show(std::move(so_far))) give_up_ = true;
    });
    return give_up_ ? std::nullopt : std::optional<RangeAnalysis>(std::move(whole));
  };
  job_.start_growing(work);
}

void RangeJob::cancel() {
  job_.cancel();
  give_up_ = true;
}

}  // namespace lacuna
