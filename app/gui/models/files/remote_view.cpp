#include "app/gui/models/files/remote_view.h"

#include "capture/session/shell_words.h"

namespace lacuna {

RemoteView::RemoteView(const std::function<void()>& wake)
    : look_job_(wake), record_job_(wake), is_cancelled_(std::make_shared<std::atomic<bool>>(false)) {}

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

std::optional<RemotePlace> RemoteView::place_of(const std::string& host) {
  std::optional<RemotePlace> place = begin(host, Doing::kNothing);
  what_ = Doing::kNothing;
  return place;
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
  if (const auto recorded = record_job_.take()) {
    what_ = Doing::kNothing;
    problem_ = recorded->problem;
    relay_ = recorded->relay;
  }
}

}  // namespace lacuna
