#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/document_upkeep.h"
#include "capture/session/live_source.h"
#include "model/base/growing_memory.h"
#include "model/base/page_memory.h"
#include "model/build/trace_builder.h"

namespace lacuna {

/// A part of the events since the document was made. Small and quick to build; has no gaps, links or
/// statistics. Immutable.
struct LiveLayer {
  Trace trace;
  NameHues hues;
  std::vector<FoldIndex> folds;
  Nanos made_at = 0;  ///< ranges running at that time have the offset kRunningOffset and end there
};
using LiveLayerPtr = std::shared_ptr<const LiveLayer>;

/// A slice that is in no document yet.
struct LiveSlice {
  LiveLayerPtr layer;
  SliceId slice;
  bool is_running = false;

  const Trace& trace() const { return layer->trace; }
  bool operator==(const LiveSlice&) const = default;
};

/// All events since the document was made, drawn over it, oldest first. A range that was running when a
/// layer was made is also in a later layer, which is drawn over it. Immutable.
struct LiveTail {
  std::vector<LiveLayerPtr> layers;  ///< never empty; the last one has the running ranges
};
using LiveTailPtr = std::shared_ptr<const LiveTail>;

/// Shows a running recording: a LiveSource, and threads that build documents of it.
///
/// There are two kinds of pictures, so that the newest events show at once however long the recording is:
///  - documents, like a file's previews: all events so far with all indexes, statistics and gaps. Slices of threads
///    are sealed (TraceBuilder::seal) soon after they arrive: documents share them and their links, so that a document
///    costs time by the events since the last one. Documents get kDocumentPart of a thread's time: after one that took
///    t, the next starts no earlier than t * (1 / kDocumentPart - 1) later, but at most kMostPauseS later, or t if that
///    is longer. So numbers are no older than this pause and the time of two documents. If other programs occupy the
///    cores and that would exceed kMostAgeS, the pause is shorter, but at least t / 2.
///  - tails: the events since the last document, also while the next one is being made, in layers of up to
///    kLayerEvents, of which only the last one is rebuilt. A tail costs time by the events of that layer, and gets
///    kTailPart of a thread's time in the same way, at most 60 times a second.
/// Neither blocks the capture thread, and the UI thread takes whatever is ready.
class LiveRecording {
 public:
  static constexpr double kDocumentPart = 0.25;
  static constexpr double kMostPauseS = 0.3;
  static constexpr double kMostAgeS = 0.6;
  static constexpr double kTailPart = 0.4;
  static constexpr std::size_t kLayerEvents = 60'000;

  /// Starts a recording. `wake` is called on other threads when there is something new to show.
  static Result<std::unique_ptr<LiveRecording>> start(const LivePlan& plan, std::function<void()> wake);
  /// Shows a recording that is already running.
  static Result<std::unique_ptr<LiveRecording>> follow(std::unique_ptr<LiveSource> source, std::function<void()> wake);
  ~LiveRecording();
  LiveRecording(const LiveRecording&) = delete;
  LiveRecording& operator=(const LiveRecording&) = delete;

  LiveSource& capture() { return *capture_; }
  const LiveSource& capture() const { return *capture_; }

  // UI thread.
  /// Returns the newest document not taken yet, or null. Taking it restarts tail().
  DocumentPtr take_document();
  /// Returns what to draw over the document taken last; null = nothing.
  LiveTailPtr tail() const;
  /// Frees a document on another thread: freeing millions of slices takes a while.
  void retire(DocumentPtr document);
  /// While paused, capturing goes on, but no pictures are made.
  void set_paused(bool paused);
  /// Whether the last document, with all events, was taken.
  bool is_complete() const { return is_complete_; }

  struct Costs {
    std::uint64_t documents = 0;
    std::uint64_t tails = 0;
    double document_seconds = 0;   ///< of the last document
    double most_document_cpu = 0;  ///< CPU seconds of its thread; maximum of the documents before the last
    double tail_seconds = 0;
  };
  Costs costs() const;
  /// Where its sealed slices are stored. Any thread.
  GrowingMemory::Usage memory() const;

 private:
  LiveRecording(std::function<void()> wake) : wake_(std::move(wake)) {}
  void run();
  /// Runs until the source has ended, or memory is exhausted.
  void follow_source();
  void add(LiveDelivery delivery);
  void make_last_document();
  void start_document();
  void take_over_document();
  void make_tail();
  LiveLayerPtr make_layer(std::unique_ptr<TraceBuilder> builder) const;
  void finish_layer();
  void start_layer();
  void count_losses();
  void free_retired();
  void seal();

  // Layers, and batches in transit, are allocated and freed all the time.
  const PageReuse reuse_{std::size_t{32} << 20};
  std::function<void()> wake_;
  std::unique_ptr<LiveSource> capture_;

  // Recording thread only:
  TraceBuilder builder_;
  SourceId source_;
  std::unique_ptr<TraceBuilder> front_;  // builds the newest layer
  std::size_t front_events_ = 0;
  std::vector<LiveLayerPtr> layers_;  // layers before it, since the document shown
  std::size_t layers_in_next_ = 0;    // how many of these are in the document being made or waiting
  DocumentPtr made_;                  // waits for its first tail
  double document_begun_s_ = 0;
  bool is_late_ = false;                      // the last document took long: other programs had the cores
  std::atomic<double> document_worked_s_{0};  // CPU time of its thread
  EventBatch running_;
  DocumentUpkeep upkeep_;  // of the document being made
  std::size_t running_count_ = 0;
  Nanos newest_ = 0;
  bool has_new_events_ = false;   // since the last document
  bool has_new_in_tail_ = false;  // since the last tail
  std::uint64_t forgotten_below_ = 0;
  ImportReport counted_;
  double document_due_s_ = 0;
  double tail_due_s_ = 0;

  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_paused_{false};
  std::atomic<bool> is_complete_{false};
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  DocumentPtr document_;        // not taken yet
  LiveTailPtr tail_;            // over the document taken last
  LiveTailPtr tail_over_next_;  // over document_, while that is not taken yet
  std::vector<DocumentPtr> retired_;
  Costs costs_;

  std::future<DocumentPtr> document_job_;
  std::future<void> freeing_job_;
  std::jthread thread_;  // last member: joined before the others are destroyed
};

}  // namespace lacuna
