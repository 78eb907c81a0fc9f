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

/// Loads documents on a thread of its own, one at a time: starting another load cancels the previous
/// one, whose thread ends in the background. UI thread; `on_news` is called on the loading thread.
class Loader {
 public:
  explicit Loader(std::function<void()> on_news) : on_news_(std::move(on_news)) {}
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Work on the loading thread that produces the files before they are read, and returns their paths. It counts its
  /// bytes in the progress, stops soon after a cancel there, and may be repeated; its error becomes that of the load.
  using Prepare = std::function<Result<std::vector<std::string>>(ImportProgress&)>;

  /// Sets the callback of load_document(), called on the loading threads. Call it before the first load.
  void remember_steps(RememberedSteps remembered) { remembered_steps_ = std::move(remembered); }

  void start(std::vector<std::string> paths, const ImportOptions& options, Prepare prepare = {});
  /// Loads the same files again with other options.
  void restart(const ImportOptions& options) { start(std::vector<std::string>(paths_), options, prepare_); }
  /// Cancels the load, which soon ends with kCancelled.
  void cancel();
  bool is_loading() const { return current_ != nullptr; }
  /// Returns the outcome, once. Call every frame.
  std::optional<Result<DocumentPtr>> poll();
  /// Returns the newest preview of the running load that was not taken yet, or null. Call every frame.
  DocumentPtr take_preview();
  /// Blocks until the load is done.
  Result<DocumentPtr> wait();

  /// Data of the progress bar; only while loading.
  struct Status {
    double part = 0;  ///< 0..1 of the bytes read
    std::uint64_t events = 0;
    bool is_building = false;       ///< all bytes are read; indexes and tables are being built
    bool waits_for_writer = false;  ///< the opened pipe has no writer yet
    bool is_cancelled = false;
    bool is_preparing = false;  ///< `part` is the progress of Prepare, before reading
    double seconds = 0;
  };
  Status status() const;
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  /// The state that a load shares with its thread.
  struct Task {
    ImportProgress progress;
    std::optional<Result<DocumentPtr>> result;  // written before `done` is set
    Error failure;                              // needs no more memory to be reported; may become the result
    std::atomic<bool> done{false};
    ImportProgress before_reading;  // progress of `prepare`; cancelling stops both
    std::atomic<bool> is_preparing{false};
    void cancel() { before_reading.cancel = progress.cancel = true; }
    std::mutex mutex;
    DocumentPtr preview;  // guarded by mutex
    std::jthread thread;
    double started_s = 0;
  };
  void retire();
  void run(Task& task, std::vector<std::string> paths, const ImportOptions& options, const Prepare& prepare);
  /// Returns the files of `prepare`. Runs one at a time: a cancelled load may still be writing the same file.
  Result<std::vector<std::string>> made(const Prepare& prepare, ImportProgress& progress);
  /// Writes the document to the cache on a background thread.
  void keep(DocumentPtr document);

  /// A thread that writes to the cache.
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
  std::vector<std::unique_ptr<Task>> retired_;  // cancelled, threads still ending
  std::vector<std::unique_ptr<Keeper>> keepers_;
};

}  // namespace lacuna
