#include "app/gui/models/files/remote_view.h"

#include "capture/session/shell_words.h"

namespace lacuna {

RemoteView::RemoteView(const std::function<void()>& wake)
    : look_job_(wake), fetch_job_(wake), record_job_(wake), is_cancelled_(std::make_shared<std::atomic<bool>>(false)) {}

RemoteView::~RemoteView() {
  is_cancelled_->store(true);  // the threads are waited for
}

std::optional<RemotePlace> RemoteView::begin(const std::string& host, Doing what) {
  cancel();
  problem_.clear();
  is_cancelled_ = std::make_shared<std::atomic<bool>>(false);
  const Result<RemotePlace> place = make_remote_place(host, {});
  if (!place) {
    problem_ = place.error().message();
    return std::nullopt;
  }
  asked_host_ = host;
  what_ = what;
  return *place;
}

void RemoteView::look(const std::string& host, const std::string& folder) {
  const auto place = begin(host, Doing::kLooking);
  if (!place) return;
  look_job_.start([place = *place, folder, is_cancelled = is_cancelled_]() -> Found {
    const Result<std::unique_ptr<FarSide>> far = FarSide::connect(place, is_cancelled.get());
    if (!far) return {{}, far.error().message()};
    Result<FarSide::Listing> listing = (*far)->list(folder, is_cancelled.get());
    if (!listing) return {{}, listing.error().message()};
    return {std::move(*listing), {}};
  });
}

void RemoteView::fetch(const std::string& host, const std::string& path) {
  const auto place = begin(host, Doing::kFetching);
  if (!place) return;
  step_ = {};
  fetch_job_.start_growing([place = *place, path, is_cancelled = is_cancelled_](
                               LatestJob<Fetched>::Progress& progress) -> std::optional<Fetched> {
    const auto tell = [&](const FetchStep& step) { progress.show({step, {}, {}, false}); };
    const auto files = RemoteFiles().fetch(place, {path}, tell, is_cancelled.get());
    if (!files) return Fetched{{}, {}, files.error().message(), true};
    return Fetched{{}, *files, {}, true};
  });
}

void RemoteView::record(const std::string& host, const std::string& command) {
  const auto place = begin(host, Doing::kRecording);
  if (!place) return;
  Result<std::vector<std::string>> words = split_words(command);
  if (!words || words->empty()) {
    what_ = Doing::kNothing;
    problem_ = words ? "No command" : words.error().message();
    return;
  }
  words->insert(words->begin(), "--");
  record_job_.start([place = *place, words = *words]() -> Recorded {
    auto relay = LiveRelay::start({place, words, {}});
    if (!relay) return {nullptr, relay.error().message()};
    return {std::move(*relay), {}};
  });
}

void RemoteView::cancel() {
  is_cancelled_->store(true);
  look_job_.cancel();
  fetch_job_.cancel();
  record_job_.cancel();
  what_ = Doing::kNothing;
}

void RemoteView::update() {
  if (const auto found = look_job_.take()) {
    what_ = Doing::kNothing;
    problem_ = found->problem;
    if (problem_.empty()) {
      listing_ = found->listing;
      host_ = asked_host_;
    }
  }
  if (const auto fetched = fetch_job_.take()) {
    step_ = fetched->step;
    if (fetched->is_over) {
      what_ = Doing::kNothing;
      problem_ = fetched->problem;
      files_ = fetched->files;
    }
  }
  if (const auto recorded = record_job_.take()) {
    what_ = Doing::kNothing;
    problem_ = recorded->problem;
    relay_ = recorded->relay;
  }
}

}  // namespace lacuna
