#include "app/gui/models/files/remote_opening.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "app/gui/core/job_failures.h"
#include "model/base/guarded.h"
#include "model/base/start_thread.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(100);
constexpr auto kAskAgain = std::chrono::milliseconds(300);
constexpr auto kBetweenTries = std::chrono::seconds(2);
/// So much of a view's width must be left on both sides before the next picture is asked for.
constexpr Nanos kMarginParts = 8;

Nanos grid_of(Nanos fold_ns) {
  return static_cast<Nanos>(std::bit_ceil(static_cast<std::uint64_t>(std::clamp<Nanos>(fold_ns, 1, Nanos{1} << 60))));
}

}  // namespace

RemoteOpening::RemoteOpening(RemotePlace place, std::vector<std::string> paths, std::unique_ptr<FarSide> line,
                             bool stays_there, std::function<void()> wake)
    : place_(std::move(place)),
      paths_(std::move(paths)),
      name_(place_.name()),
      wake_(std::move(wake)),
      is_held_(stays_there),
      trace_view_([this](RemoteTraceView::Picture picture) { take(std::move(picture)); },
                  std::make_unique<LineNotice>(RemoteFiles::default_folder(), place_)) {
  for (const std::string& path : paths_) titles_.push_back(local_name(place_, path));
  trace_view_.look({});  // all of it, as soon as it is read there
  Error failure{ErrorCode::kLimit, std::string(kNotEnoughMemory), place_.name(), {}};  // made while there is some
  Error unstarted{ErrorCode::kLimit, std::string(kNoMoreThreads), place_.name(), {}};
  thread_ = start_thread([this, line = std::move(line), failure = std::move(failure)]() mutable {
    if (run_guarded([&] { run(std::move(line)); }, note_job_failure)) return;
    const std::lock_guard lock(mutex_);
    if (!fetched_) fetched_ = tl::make_unexpected(std::move(failure));
    has_come_.notify_all();
  });
  if (!thread_.joinable()) fetched_ = tl::make_unexpected(std::move(unstarted));
}

RemoteOpening::~RemoteOpening() {
  stop();
}

void RemoteOpening::stop() {
  is_over_ = true;
  trace_view_.look({});  // wakes the line
}

void RemoteOpening::hold(bool holds) {
  is_held_ = holds;
  wake_();
}

void RemoteOpening::run(std::unique_ptr<FarSide> line) {
  FetchBeside beside;
  beside.line = std::move(line);
  beside.aside = &trace_view_;
  beside.holds = &is_held_;
  beside.found = [this](const std::vector<RemoteFile>& files, const std::vector<std::string>& here, bool are_here) {
    std::vector<SeenFile> seen;
    for (std::size_t i = 0; i < files.size(); ++i) seen.push_back({files[i], here[i]});
    {
      const std::lock_guard lock(mutex_);
      paths_here_ = here;
    }
    if (!are_here) trace_view_.choose(std::move(seen));
  };
  const auto tell = [this](const FetchStep& step) {
    {
      const std::lock_guard lock(mutex_);
      step_ = step;
    }
    wake_();
  };
  Result<std::vector<std::string>> files = RemoteFiles().fetch(place_, paths_, tell, &is_over_, &beside);
  const bool is_here = files.has_value();
  {
    const std::lock_guard lock(mutex_);
    fetched_ = std::move(files);
    has_come_.notify_all();
  }
  wake_();
  if (is_here) attend(std::move(beside.line));
}

void RemoteOpening::attend(std::unique_ptr<FarSide> line) {
  // A line of which no picture came is not worth being made again.
  while (!is_over_ && (line != nullptr || is_seen())) {
    if (line != nullptr) {
      const Result<void> attended = line->attend([this] { return is_over_.load(); });
      if (attended) return;
      line.reset();
      const std::lock_guard lock(mutex_);
      waits_ = attended.error().message();
    }
    wake_();
    const auto until = std::chrono::steady_clock::now() + kBetweenTries;
    while (!is_over_ && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kLookAgain);
    if (is_over_) return;
    Result<std::unique_ptr<FarSide>> again = FarSide::connect(place_, &is_over_);
    const std::lock_guard lock(mutex_);
    if (again) {
      line = std::move(*again);
      line->set_aside(&trace_view_);
      waits_.clear();
    } else {
      waits_ = again.error().message();
    }
  }
}

Result<std::vector<std::string>> RemoteOpening::fetch(ImportProgress& progress) {
  std::unique_lock lock(mutex_);
  while (!fetched_) {
    if (progress.cancel) return fail(ErrorCode::kCancelled, "cancelled");
    progress.bytes_total = step_.total;
    progress.bytes_done = step_.bytes;
    has_come_.wait_for(lock, kLookAgain);
  }
  return *fetched_;
}

void RemoteOpening::take(RemoteTraceView::Picture picture) {
  std::vector<std::string> paths;
  {
    const std::lock_guard lock(mutex_);
    paths = paths_here_;
  }
  const std::shared_ptr<Document> document = make_thin_document(
      std::move(picture.trace), std::move(paths), std::move(picture.statistics), std::move(picture.answers));
  if (!home_) home_ = document->home;
  document->home = *home_;
  {
    const std::lock_guard lock(mutex_);
    preview_ = document;
    shown_ = picture.head;
  }
  wake_();
}

void RemoteOpening::look(TimeSpan visible, Nanos fold_ns, const std::vector<TrackId>& tracks,
                         const RemoteQuestions& questions) {
  const TimeSpan seen = visible.intersect(whole_);
  if (seen.empty() || fold_ns <= 0) return;
  const auto now = std::chrono::steady_clock::now();
  const bool is_due = !is_whole_ && now - asked_at_ > kAskAgain;
  if (asked_ && questions == asked_questions_ && !is_due) {
    // As TraceThinner goes beyond what is asked for.
    const TimeSpan had = asked_->span.intersect(whole_);
    const Nanos beyond = had.duration() / 2;
    const Nanos margin = seen.duration() / kMarginParts;
    const bool has_time =
        std::max(whole_.begin, saturating_sub(seen.begin, margin)) >= saturating_sub(had.begin, beyond) &&
        std::min(whole_.end, saturating_add(seen.end, margin)) <= saturating_add(had.end, beyond);
    const bool is_fine = grid_of(asked_->fold_ns) <= grid_of(fold_ns);
    const auto was_in_view = [&](TrackId id) { return std::ranges::find(asked_->tracks, id) != asked_->tracks.end(); };
    if (has_time && is_fine && (asked_->tracks.empty() || std::ranges::all_of(tracks, was_in_view))) return;
  }
  asked_ = ThinView{seen, fold_ns, tracks};
  if (asked_->tracks.size() > kMostRemoteViewTracks) asked_->tracks.resize(kMostRemoteViewTracks);
  asked_questions_ = questions;
  asked_at_ = now;
  is_whole_ = false;
  trace_view_.look(*asked_, asked_questions_);
}

bool RemoteOpening::is_waiting() const {
  return !is_whole_ && is_seen() && trace_view_.state().phase == RemoteTraceView::Phase::kSeen;
}

DocumentPtr RemoteOpening::take_preview() {
  const std::lock_guard lock(mutex_);
  if (preview_) {
    whole_ = preview_->trace.span();
    is_whole_ = preview_->answers->is_whole && preview_->answers->asked == asked_questions_;
  }
  return std::exchange(preview_, nullptr);
}

bool RemoteOpening::is_seen() const {
  const std::lock_guard lock(mutex_);
  return shown_.has_value();
}

RemoteOpening::State RemoteOpening::state() const {
  State state;
  state.view = trace_view_.state();
  const std::lock_guard lock(mutex_);
  state.step = step_;
  state.is_fetched = fetched_.has_value();
  state.waits = !waits_.empty() ? waits_ : step_.waits;
  state.has_line = waits_.empty() && step_.has_line;
  return state;
}

std::string RemoteOpening::why_no_answer() const {
  const State now = state();
  if (now.view.phase == RemoteTraceView::Phase::kRefused)
    return fmt::format("{} no longer answers: {}", name_, now.view.why);
  if (!now.has_line) return fmt::format("The line to {} is broken; it is asked when the line is back", name_);
  return {};
}

std::optional<std::vector<std::string>> RemoteOpening::fetched() const {
  const std::lock_guard lock(mutex_);
  if (!fetched_ || !*fetched_) return std::nullopt;
  return **fetched_;
}

std::string RemoteOpening::view_words() const {
  const State now = state();
  if (!now.waits.empty()) return fmt::format("{}; trying again", now.waits);
  switch (now.view.phase) {
    case RemoteTraceView::Phase::kAsking:
      return fmt::format("Asking {}\xE2\x80\xA6", name_);
    case RemoteTraceView::Phase::kReading:
      return now.view.reading.total == 0 ? fmt::format("{} opens it\xE2\x80\xA6", name_)
                                         : fmt::format("{} reads it: {}, {} events", name_,
                                                       format_percent(static_cast<double>(now.view.reading.bytes) /
                                                                      static_cast<double>(now.view.reading.total)),
                                                       format_count(now.view.reading.events));
    case RemoteTraceView::Phase::kSeen:
      return fmt::format("Seen from {}: a preview{}", name_, now.view.is_asking ? "\xE2\x80\xA6" : "");
    case RemoteTraceView::Phase::kRefused:
      return (is_seen() ? "What was seen stays: " : "No preview: ") + now.view.why;
  }
  return {};
}

std::string RemoteOpening::fetch_words() const {
  const State now = state();
  if (now.is_fetched) return "The trace is complete";
  if (now.step.total == 0) return {};
  if (is_held() && now.step.bytes == 0) return fmt::format("Not fetched ({})", format_bytes(now.step.total));
  const std::string which =
      now.step.files > 1 ? fmt::format(" (file {} of {})", now.step.file, now.step.files) : std::string();
  return fmt::format("{} of {} fetched{}{}", format_bytes(now.step.bytes), format_bytes(now.step.total), which,
                     is_held() ? ", paused" : "");
}

}  // namespace lacuna
