#include "app/gui/models/files/loader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/gui/core/job_failures.h"
#include "model/base/guarded.h"
#include "model/base/os/machine.h"
#include "model/base/start_thread.h"

namespace lacuna {
namespace {

constexpr int kNiceness = 10;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Loader::~Loader() {
  if (current_) current_->cancel();
  for (const auto& task : retired_) task->cancel();
  for (const auto& keeper : keepers_) keeper->cancel = true;
}

void Loader::start(std::vector<std::string> paths, const ImportOptions& options, Prepare prepare) {
  retire();
  paths_ = std::move(paths);
  prepare_ = std::move(prepare);
  current_ = std::make_unique<Task>();
  current_->started_s = now_s();
  Task* task = current_.get();
  task->is_preparing = static_cast<bool>(prepare_);
  task->failure = {
      ErrorCode::kLimit, "there is not enough memory to open it", paths_.empty() ? "" : paths_.front(), {}};
  task->thread = start_thread([this, task, paths = paths_, options, prepare = prepare_]() mutable {
    const auto tell = [&](std::string_view what) {
      if (what != kNotEnoughMemory) task->failure.cause = what;
    };
    const bool is_done = run_guarded([&] { run(*task, std::move(paths), options, prepare); }, tell);
    if (!is_done) task->result.emplace(tl::make_unexpected(std::move(task->failure)));
    task->is_preparing = false;
    task->done = true;
    if (on_news_) (void)run_guarded(on_news_, [](std::string_view) {});
  });
  if (task->thread.joinable()) return;
  task->failure.cause = kNoMoreThreads;
  task->result.emplace(tl::make_unexpected(std::move(task->failure)));
  task->is_preparing = false;
  task->done = true;
  if (on_news_) on_news_();
}

void Loader::run(Task& task, std::vector<std::string> paths, const ImportOptions& options, const Prepare& prepare) {
  if (prepare) {
    Result<std::vector<std::string>> prepared = made(prepare, task.before_reading);
    task.is_preparing = false;
    if (!prepared) {
      task.result.emplace(tl::make_unexpected(prepared.error()));
      return;
    }
    paths = std::move(*prepared);
  }
  const auto preview = [this, &task](DocumentPtr document) {
    {
      const std::scoped_lock lock(task.mutex);
      task.preview = std::move(document);
    }
    if (on_news_) on_news_();
  };
  task.result.emplace(load_document(paths, options, task.progress, preview, remembered_steps_));
}

Result<std::vector<std::string>> Loader::made(const Prepare& prepare, ImportProgress& progress) {
  const std::scoped_lock lock(making_);
  if (progress.cancel) return fail(ErrorCode::kCancelled, "loading was cancelled");
  return prepare(progress);
}

void Loader::cancel() {
  if (current_) current_->cancel();
}

void Loader::retire() {
  if (current_) {
    current_->cancel();
    retired_.push_back(std::move(current_));
  }
}

std::optional<Result<DocumentPtr>> Loader::poll() {
  std::erase_if(retired_, [](const auto& task) { return task->done.load(); });
  std::erase_if(keepers_, [](const auto& keeper) { return keeper->done.load(); });
  if (!current_ || !current_->done) return std::nullopt;
  if (current_->thread.joinable()) current_->thread.join();
  std::optional<Result<DocumentPtr>> result = std::move(current_->result);
  current_.reset();
  prepare_ = {};
  if (*result) keep(**result);
  return result;
}

void Loader::keep(DocumentPtr document) {
  if (document->to_keep.key.empty()) return;
  auto keeper = std::make_unique<Keeper>();
  Keeper* const self = keeper.get();
  keeper->thread = start_thread([self, document = std::move(document)] {
    give_way_to_others(kNiceness);  // what the user does comes first
    // A cache that is not written is only slower the next time.
    (void)run_guarded([&] { keep_document(*document, self->cancel); }, note_failed_work);
    self->done = true;
  });
  if (keeper->thread.joinable()) keepers_.push_back(std::move(keeper));
}

DocumentPtr Loader::take_preview() {
  if (!current_) return nullptr;
  const std::scoped_lock lock(current_->mutex);
  return std::exchange(current_->preview, nullptr);
}

Result<DocumentPtr> Loader::wait() {
  if (!current_) return fail(ErrorCode::kInvalidArgument, "nothing is loading");
  if (current_->thread.joinable()) current_->thread.join();
  Result<DocumentPtr> result = std::move(*current_->result);
  current_.reset();
  return result;
}

Loader::Status Loader::status() const {
  Status status;
  if (!current_) return status;
  status.is_preparing = current_->is_preparing;
  const ImportProgress& progress = status.is_preparing ? current_->before_reading : current_->progress;
  const std::uint64_t total = progress.bytes_total;
  const std::uint64_t done = progress.bytes_done;
  status.part = total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  status.events = progress.events;
  status.is_building = progress.phase.load() != ImportProgress::Phase::kReading;
  status.waits_for_writer = progress.waits_for_writer;
  status.is_cancelled = progress.cancel;
  status.seconds = now_s() - current_->started_s;
  return status;
}

}  // namespace lacuna
