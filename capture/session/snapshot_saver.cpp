#include "capture/session/snapshot_saver.h"

#include <filesystem>

#include <fmt/format.h>

#include "capture/session/session.h"
#include "model/base/guarded.h"
#include "model/base/start_thread.h"
#include "model/export/replace_file.h"

namespace lacuna {
namespace {

constexpr Nanos kSaveLookEveryNs = 100'000'000;
constexpr int kMostSnapshots = 100'000;

/// Keeps copies of slices.
class RunningRanges : public EventSink {
 public:
  void add(const StreamedSlice& slice) override {
    StreamedSlice running = slice;
    running.is_open = true;  // it has no end yet, in the file neither
    events.emplace_back(running);
  }
  void add(const StreamedInstant&) override {}
  void add(const StreamedAsync&) override {}
  void add(const StreamedFlow&) override {}
  void add(const StreamedName&) override {}
  void add(const StreamedDevice&) override {}
  std::vector<HeldEvent> events;
};

}  // namespace

SnapshotSaver::SnapshotSaver(RecordingSpool& spool, std::string beside)
    : spool_(spool), beside_(std::move(beside)), thread_(start_thread([this] {
        // Requests that are left then are answered by nobody; who asked stops waiting by itself.
        (void)run_guarded([this] { run(); }, [](std::string_view) {});
      })) {}

void SnapshotSaver::finish() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SnapshotSaver::look(Nanos now, const Session& session, const std::function<TraceJsonWriter::Members()>& members) {
  if (now - looked_ >= kSaveLookEveryNs) {
    looked_ = now;
    for (SaveRequest& request : take_save_requests(spool_.folder())) asked_.push_back(std::move(request));
  }
  if (asked_.empty()) return;
  spool_.flush();
  RunningRanges running;
  session.add_open(running, now);
  const std::scoped_lock lock(mutex_);
  for (SaveRequest& request : asked_) jobs_.push_back({std::move(request), running.events, members()});
  asked_.clear();
  changed_.notify_all();
}

std::vector<std::string> SnapshotSaver::take_messages() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(messages_, {});
}

void SnapshotSaver::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    Result<std::string> saved = std::string();
    const auto tell = [&](std::string_view what) { saved = fail(ErrorCode::kLimit, std::string(what)); };
    if (!run_guarded([&] { saved = save(job); }, tell) && saved) saved = tl::make_unexpected(Error());  // without words
    answer_save_request(job.request, saved ? Result<void>() : tl::make_unexpected(saved.error()));
    lock.lock();
    messages_.push_back(saved ? fmt::format("what is kept so far is in {}", *saved)
                              : fmt::format("what is kept so far was not saved: {}", saved.error().message()));
  }
}

Result<std::string> SnapshotSaver::save(const Job& job) const {
  const auto write = [&](OutputFile& out) { return spool_.write_to(out, job.members, job.running); };
  if (!job.request.path.empty()) {
    const Result<void> saved = replace_file(job.request.path, job.request.existing, write);
    if (!saved) return tl::make_unexpected(saved.error());
    return job.request.path;
  }
  for (int number = 1;; ++number) {
    const std::string path = with_suffix(beside_, fmt::format("-{}", number));
    const Result<void> saved = replace_file(path, Existing::kKeep, write);
    if (saved) return path;
    if (saved.error().code != ErrorCode::kInvalidArgument || number == kMostSnapshots)
      return tl::make_unexpected(saved.error());
  }
}

}  // namespace lacuna
