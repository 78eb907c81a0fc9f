#include "app/gui/models/live/live_recording.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "app/gui/core/job_failures.h"
#include "app/gui/core/resident_limit.h"
#include "capture/sampling/start_job.h"
#include "capture/session/batch_sink.h"
#include "capture/session/live_capture.h"
#include "model/base/guarded.h"
#include "model/base/os/machine.h"
#include "model/base/start_thread.h"

namespace lacuna {
namespace {

constexpr int kWaitMs = 20;
constexpr int kDocumentNice = 4;        // capturing, tails and the window's frames go first
constexpr double kLateDocumentS = 0.4;  // one after one that took longer does not stand back: numbers would be too old
constexpr double kLeastDocumentPeriodS = 0.08;
constexpr double kLeastTailPeriodS = 1.0 / 60;
/// GPU calls are told by CUPTI some time after they were: until then slices have no place that lasts.
constexpr Nanos kSealedAfterNs = 150'000'000;
/// A document at least this often while anything runs, so that its numbers go with the time.
constexpr double kMostDocumentAge = 0.5;

double recording_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TraceSource describe_source(const LiveSource& capture) {
  TraceSource source;
  source.path = "recording";
  source.format = "live recording";
  source.base_time_ns = capture.base_time_ns();
  source.has_base_time = true;
  source.display_time_unit = "ms";  // as its file says
  source.bytes = capture.bytes();
  return source;
}

std::size_t slice_count(const EventBatch& batch) {
  std::size_t count = 0;
  for (const EventBatch::TrackEvents& track : batch.tracks) count += track.slices.size() + track.sealed_slices.size();
  return count;
}

}  // namespace

Result<std::unique_ptr<LiveRecording>> LiveRecording::start(const LivePlan& plan, std::function<void()> wake) {
  auto capture = LiveCapture::start(plan, {});
  if (!capture) return tl::make_unexpected(capture.error());
  return follow(std::move(*capture), std::move(wake));
}

Result<std::unique_ptr<LiveRecording>> LiveRecording::follow(std::unique_ptr<LiveSource> source,
                                                             std::function<void()> wake) {
  std::unique_ptr<LiveRecording> recording(new LiveRecording(std::move(wake)));
  recording->capture_ = std::move(source);
  recording->source_ = recording->builder_.add_source(describe_source(*recording->capture_));
  recording->builder_.seal_in(recording->upkeep_.resident()->memory());
  recording->thread_ = start_thread([raw = recording.get()] { raw->run(); });
  if (!recording->thread_.joinable()) return fail(ErrorCode::kLimit, std::string(kNoMoreThreads));
  return recording;
}

LiveRecording::~LiveRecording() {
  is_stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void LiveRecording::run() {
  const auto tell = [](std::string_view what) {
    note_job_failure(fmt::format("The recording goes on and can be saved, but is not shown any further: {}.", what));
  };
  if (run_guarded([this] { follow_source(); }, tell)) return;
  // What is delivered has to go somewhere, or it would fill the memory even more.
  front_.reset();
  for (bool is_last = false; !is_stopping_ && !is_last;) {
    const auto drop = [&] {
      is_last = capture_->status().is_over;  // a last delivery may have been lost on its way
      LiveDelivery delivery;
      (void)capture_->take(delivery, kWaitMs);
    };
    if (!run_guarded(drop, [](std::string_view) {})) std::this_thread::sleep_for(std::chrono::milliseconds(kWaitMs));
  }
  is_complete_ = true;
  (void)run_guarded(wake_, [](std::string_view) {});
}

void LiveRecording::follow_source() {
  double last_document_s = 0;
  while (!is_stopping_) {
    LiveDelivery delivery;
    const bool has_news = capture_->take(delivery, kWaitMs);
    const bool is_last = delivery.is_last;
    if (has_news) add(std::move(delivery));
    free_retired();
    if (is_last) return make_last_document();
    take_over_document();
    const double now = recording_now_s();
    const bool is_first = last_document_s == 0;  // shows that there is nothing yet
    if (is_paused_ && !is_first) continue;
    bool is_free = !document_job_.valid() && made_ == nullptr;
    if (is_free) {
      const std::scoped_lock lock(mutex_);
      is_free = document_ == nullptr;
    }
    const bool wants_document =
        is_first || has_new_events_ || (running_count_ > 0 && now - last_document_s > kMostDocumentAge);
    if (wants_document && is_free && now >= document_due_s_) {
      start_document();
      last_document_s = now;
    }
    if (front_ && (made_ != nullptr || (has_new_in_tail_ && now >= tail_due_s_))) make_tail();
  }
}

void LiveRecording::add(LiveDelivery delivery) {
  for (EventBatch& batch : delivery.batches) {
    if (front_) front_->add(source_, copied(batch));
    front_events_ += static_cast<std::size_t>(batch.event_count());
    builder_.add(source_, std::move(batch));
    has_new_events_ = has_new_in_tail_ = true;
  }
  if (delivery.forget_below > forgotten_below_) {
    forgotten_below_ = delivery.forget_below;
    builder_.forget(source_, forgotten_below_, "older than the recording's limit");
    has_new_events_ = true;
  }
  const std::size_t running = slice_count(delivery.running);
  if (running != running_count_) has_new_events_ = has_new_in_tail_ = true;
  if (running > 0) has_new_in_tail_ = true;
  running_count_ = running;
  running_ = std::move(delivery.running);
  newest_ = delivery.now;
  if (!delivery.is_last) seal();
}

void LiveRecording::seal() {
  // What a limit forgets, and ranges that run and that nobody is told of, leave slices without a place.
  const LivePlan& plan = capture_->plan();
  if (plan.keep.is_set() || plan.schedule.is_set()) return;
  builder_.seal(source_, running_, newest_, kSealedAfterNs);
}

void LiveRecording::free_retired() {
  if (freeing_job_.valid() && !is_done(freeing_job_)) return;
  std::vector<DocumentPtr> retired;
  {
    const std::scoped_lock lock(mutex_);
    std::swap(retired, retired_);
  }
  if (!retired.empty()) freeing_job_ = start_job([documents = std::move(retired)]() mutable { documents.clear(); });
}

void LiveRecording::count_losses() {
  ImportReport now;
  capture_->report_to(now);
  TraceSource& source = builder_.source(source_);
  for (const ImportReport::Line& line : now.lines()) {
    const std::uint64_t before = counted_.count(line.finding);
    if (line.count > before) source.report.add(line.finding, ImportReport::kNoOffset, {}, line.count - before);
  }
  counted_ = now;
  source.devices = capture_->devices();
  source.file_bytes = capture_->status().spool_bytes;
  source.json_bytes = source.bytes->size() - forgotten_below_;
}

void LiveRecording::make_last_document() {
  const double begin = recording_now_s();
  if (document_job_.valid()) document_job_.get();
  count_losses();
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  Trace trace = builder_.finish(all, &is_stopping_);
  if (is_stopping_) return;
  DocumentPtr document = make_document(std::move(trace), upkeep_, false, all);
  {
    const std::scoped_lock lock(mutex_);
    std::swap(document_, document);
    tail_over_next_ = nullptr;
    ++costs_.documents;
    costs_.document_seconds = recording_now_s() - begin;
  }
  is_complete_ = true;
  wake_();
}

void LiveRecording::start_document() {
  document_begun_s_ = recording_now_s();
  has_new_events_ = false;
  count_losses();
  finish_layer();  // so that the document has whole layers
  layers_in_next_ = layers_.size();
  std::unique_ptr<TraceBuilder> copy = builder_.copy();
  copy->add(source_, copied(running_));
  document_job_ = start_job([this, builder = std::move(copy), is_late = is_late_] {
    if (!is_late) give_way_to_others(kDocumentNice);
    DocumentPtr document = make_document(builder->finish(1, &is_stopping_, &upkeep_.links()), upkeep_, true);
    document_worked_s_ = static_cast<double>(thread_worked_ns()) / 1e9;  // of a thread that was begun for this
    return document;
  });
}

void LiveRecording::take_over_document() {
  if (!document_job_.valid() || !is_done(document_job_)) return;
  made_ = document_job_.get();
  const double end = recording_now_s();
  const double worked = document_worked_s_;
  const double took = end - document_begun_s_;
  is_late_ = took > kLateDocumentS;
  double pause = std::min(worked * (1 / kDocumentPart - 1), std::max(worked, kMostPauseS));
  // Numbers are as old as two documents and the pause between them. Where others have the cores a short pause makes the
  // next document shorter, too.
  pause = std::min(pause, std::max(kMostAgeS - 2 * took, worked / 2));
  document_due_s_ = end + std::max(pause, kLeastDocumentPeriodS);
  const std::scoped_lock lock(mutex_);
  ++costs_.documents;
  costs_.document_seconds = took;
  costs_.most_document_cpu = std::max(costs_.most_document_cpu, worked);
}

LiveLayerPtr LiveRecording::make_layer(std::unique_ptr<TraceBuilder> builder) const {
  auto layer = std::make_shared<LiveLayer>();
  builder->add(source_, copied(running_));
  layer->trace = builder->finish();
  layer->hues = NameHues(layer->trace.strings());
  layer->folds = FoldIndex::build(layer->trace.lanes(), 1);
  layer->made_at = newest_;
  return layer;
}

void LiveRecording::start_layer() {
  front_ = std::make_unique<TraceBuilder>();
  (void)front_->add_source(describe_source(*capture_));
  front_events_ = 0;
}

void LiveRecording::finish_layer() {
  if (front_ && front_events_ > 0) layers_.push_back(make_layer(std::move(front_)));
  start_layer();
}

void LiveRecording::make_tail() {
  const double begin = recording_now_s();
  has_new_in_tail_ = false;
  auto tail = std::make_shared<LiveTail>();
  if (made_ != nullptr) {
    layers_.erase(layers_.begin(), layers_.begin() + static_cast<std::ptrdiff_t>(layers_in_next_));
    layers_in_next_ = 0;
  }
  tail->layers = layers_;
  if (front_events_ >= kLayerEvents) {
    finish_layer();
    tail->layers.push_back(layers_.back());
  } else {
    tail->layers.push_back(make_layer(front_->copy()));
  }
  const double end = recording_now_s();
  tail_due_s_ = std::max(begin + kLeastTailPeriodS, end + (end - begin) * (1 / kTailPart - 1));
  {
    const std::scoped_lock lock(mutex_);
    // With its first tail a document is handed out: nothing that was shown vanishes in between.
    if (made_ != nullptr) document_ = std::exchange(made_, nullptr);
    (document_ != nullptr ? tail_over_next_ : tail_) = std::move(tail);
    ++costs_.tails;
    costs_.tail_seconds = end - begin;
  }
  wake_();
}

DocumentPtr LiveRecording::take_document() {
  const std::scoped_lock lock(mutex_);
  if (!document_) return nullptr;
  tail_ = std::exchange(tail_over_next_, nullptr);
  return std::exchange(document_, nullptr);
}

LiveTailPtr LiveRecording::tail() const {
  const std::scoped_lock lock(mutex_);
  return tail_;
}

void LiveRecording::retire(DocumentPtr document) {
  const std::scoped_lock lock(mutex_);
  retired_.push_back(std::move(document));
}

void LiveRecording::set_paused(bool paused) {
  is_paused_ = paused;
}

LiveRecording::Costs LiveRecording::costs() const {
  const std::scoped_lock lock(mutex_);
  return costs_;
}

GrowingMemory::Usage LiveRecording::memory() const {
  const auto& memory = upkeep_.resident()->memory();
  return memory ? memory->usage() : GrowingMemory::Usage();
}

}  // namespace lacuna
