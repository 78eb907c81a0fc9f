#include "app/gui/models/files/remote_view.h"

#include <algorithm>

#include "model/base/shell_words.h"

namespace lacuna {

RemoteView::RemoteView(const std::function<void()>& wake)
    : look_job_(wake),
      jobs_job_(wake),
      request_job_(wake),
      record_job_(wake),
      is_cancelled_(std::make_shared<std::atomic<bool>>(false)) {}

RemoteView::~RemoteView() {
  is_cancelled_->store(true);  // the threads are waited for
}

std::optional<RemotePlace> RemoteView::begin(const RemoteAddress& where, Doing what) {
  cancel();
  problem_.clear();
  is_cancelled_ = std::make_shared<std::atomic<bool>>(false);
  const Result<RemotePlace> place = make_remote_place(where.host, where.transport);
  if (!place) {
    problem_ = place.error().message();
    return std::nullopt;
  }
  asked_ = where;
  what_ = what;
  return *place;
}

void RemoteView::look(const RemoteAddress& where, const std::string& folder) {
  const auto place = begin(where, Doing::kLooking);
  if (!place) return;
  look_job_.start([place = *place, folder, is_cancelled = is_cancelled_]() -> Found {
    const Result<std::unique_ptr<FarSide>> far = FarSide::connect(place, is_cancelled.get());
    if (!far) return {{}, far.error().message()};
    Result<FarSide::Listing> listing = (*far)->list(folder, is_cancelled.get());
    if (!listing) return {{}, listing.error().message()};
    return {std::move(*listing), {}};
  });
}

std::optional<RemotePlace> RemoteView::place_of(const RemoteAddress& where) {
  std::optional<RemotePlace> place = begin(where, Doing::kNothing);
  what_ = Doing::kNothing;
  return place;
}

void RemoteView::record(const RemoteAddress& where, const std::string& command) {
  const auto place = begin(where, Doing::kRecording);
  if (!place) return;
  Result<std::vector<std::string>> words = split_words(command);
  if (!words || words->empty()) {
    what_ = Doing::kNothing;
    problem_ = words ? "No command" : words.error().message();
    return;
  }
  words->insert(words->begin(), "--");
  start_relay({*place, *words, {}, 0});
}

void RemoteView::attach(const RemoteAddress& where, const FarJob& job) {
  const auto place = begin(where, Doing::kRecording);
  if (place) start_relay({*place, {}, job.recording, job.pid});
}

void RemoteView::start_relay(LiveRelayPlan plan) {
  record_job_.start([plan = std::move(plan)]() -> Recorded {
    auto relay = LiveRelay::start(plan);
    if (!relay) return {nullptr, relay.error().message()};
    return {std::move(*relay), {}};
  });
}

void RemoteView::look_at_jobs(const RemoteAddress& where) {
  const auto place = begin(where, Doing::kLooking);
  if (!place) return;
  jobs_job_.start([place = *place, is_cancelled = is_cancelled_]() -> FoundJobs {
    const Result<std::unique_ptr<FarSide>> far = FarSide::connect(place, is_cancelled.get());
    if (!far) return {{}, far.error().message()};
    Result<std::vector<FarJob>> jobs = list_far_jobs(**far, is_cancelled.get());
    if (!jobs) return {{}, jobs.error().message()};
    return {std::move(*jobs), {}};
  });
}

void RemoteView::request(const RemoteAddress& where, const std::vector<int>& pids, double seconds) {
  const auto place = begin(where, Doing::kRequesting);
  if (!place) return;
  std::string list;
  for (const int pid : pids) list += (list.empty() ? "" : ",") + std::to_string(pid);
  const std::string duration = std::to_string(static_cast<std::int64_t>(seconds * 1000)) + "ms";
  request_job_.start([place = *place, list, duration, is_cancelled = is_cancelled_]() -> Requested {
    const Result<std::unique_ptr<FarSide>> far = FarSide::connect(place, is_cancelled.get());
    if (!far) return {{}, far.error().message()};
    const Result<std::string> out = run_there(**far, {"request", list, "--duration", duration}, is_cancelled.get());
    if (!out) return {{}, out.error().message()};
    Requested requested;
    for (std::size_t at = 0; at < out->size();) {
      const std::size_t end = std::min(out->find('\n', at), out->size());
      if (end > at) requested.paths.push_back(out->substr(at, end - at));
      at = end + 1;
    }
    return requested;
  });
}

void RemoteView::cancel() {
  is_cancelled_->store(true);
  look_job_.cancel();
  jobs_job_.cancel();
  request_job_.cancel();
  record_job_.cancel();
  what_ = Doing::kNothing;
}

void RemoteView::update() {
  if (const auto found = look_job_.take()) {
    what_ = Doing::kNothing;
    problem_ = found->problem;
    if (problem_.empty()) {
      listing_ = found->listing;
      listed_at_ = asked_;
    }
  }
  if (const auto found = jobs_job_.take()) {
    what_ = Doing::kNothing;
    problem_ = found->problem;
    if (problem_.empty()) {
      jobs_ = found->jobs;
      jobs_at_ = asked_;
    }
  }
  if (const auto requested = request_job_.take()) {
    what_ = Doing::kNothing;
    problem_ = requested->problem;
    files_ = requested->paths;
  }
  if (const auto recorded = record_job_.take()) {
    what_ = Doing::kNothing;
    problem_ = recorded->problem;
    relay_ = recorded->relay;
  }
}

}  // namespace lacuna
