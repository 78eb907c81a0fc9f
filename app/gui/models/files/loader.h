#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/gui/core/document.h"

namespace lacuna {

/// Loads documents on a thread of its own. One load at a time counts: starting another cancels the
/// one before, which runs out unseen. UI thread; `on_news` is called on the loading thread.
class Loader {
 public:
  explicit Loader(std::function<void()> on_news) : on_news_(std::move(on_news)) {}
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Work that makes the files, on the loading thread before they are read, and says which they are. It counts its
  /// bytes in the progress, ends soon when that says cancel, and may be done again; its error is that of the load.
  using Prepare = std::function<Result<std::vector<std::string>>(ImportProgress&)>;

  /// What load_document() asks, on the loading threads. Before anything is loaded.
  void remember_steps(RememberedSteps remembered) { remembered_steps_ = std::move(remembered); }

  void start(std::vector<std::string> paths, const ImportOptions& options, Prepare prepare = {});
  /// The same files again, with other options.
  void restart(const ImportOptions& options) { start(std::vector<std::string>(paths_), options, prepare_); }
  /// The load ends soon with kCancelled.
  void cancel();
  bool is_loading() const { return current_ != nullptr; }
  /// The outcome, once. Call every frame.
  std::optional<Result<DocumentPtr>> poll();
  /// The newest preview of the load under way that was not taken yet, or null. Call every frame.
  DocumentPtr take_preview();
  /// Blocks until the load is done.
  Result<DocumentPtr> wait();

  /// What the progress bar shows; only while loading.
  struct Status {
    double part = 0;  ///< 0..1 of the bytes read
    std::uint64_t events = 0;
    bool is_building = false;       ///< everything is read; indexes and tables are being made
    bool waits_for_writer = false;  ///< the pipe that is opened has no writer yet
    bool is_cancelled = false;
    bool is_preparing = false;  ///< `part` is that of the work before reading
    double seconds = 0;
  };
  Status status() const;
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  /// What one load shares with its thread.
  struct Task {
    ImportProgress progress;
    std::optional<Result<DocumentPtr>> result;  // written before `done` is set
    Error failure;                              // in words that need no more memory; may become the result
    std::atomic<bool> done{false};
    ImportProgress before_reading;  // of `prepare`; cancelling stops both
    std::atomic<bool> is_preparing{false};
    void cancel() { before_reading.cancel = progress.cancel = true; }
    std::mutex mutex;
    DocumentPtr preview;  // guarded by mutex
    std::jthread thread;
    double started_s = 0;
  };
  void retire();
  void run(Task& task, std::vector<std::string> paths, const ImportOptions& options, const Prepare& prepare);
  /// What `prepare` made. One at a time: a load that was cancelled may still be writing the same file.
  Result<std::vector<std::string>> made(const Prepare& prepare, ImportProgress& progress);
  /// Puts what was read into the cache, behind the window's back.
  void keep(DocumentPtr document);

  /// Somebody who does that.
  struct Keeper {
    std::atomic<bool> cancel{false};
    std::atomic<bool> done{false};
    std::jthread thread;
  };

  std::function<void()> on_news_;
  RememberedSteps remembered_steps_;
  std::vector<std::string> paths_;
  Prepare prepare_;
  std::mutex making_;
  std::unique_ptr<Task> current_;
  std::vector<std::unique_ptr<Task>> retired_;  // cancelled, still running out
  std::vector<std::unique_ptr<Keeper>> keepers_;
};

}  // namespace lacuna
