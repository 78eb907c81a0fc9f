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

/// A piece of what came since the document was made. Small and quickly made; knows no gaps, no links and no
/// statistics. Immutable.
struct LiveLayer {
  Trace trace;
  NameHues hues;
  std::vector<FoldIndex> folds;
  Nanos made_at = 0;  ///< ranges that ran then have kRunningOffset as their offset, and end there
};
using LiveLayerPtr = std::shared_ptr<const LiveLayer>;

/// A slice that no document has yet.
struct LiveSlice {
  LiveLayerPtr layer;
  SliceId slice;
  bool is_running = false;

  const Trace& trace() const { return layer->trace; }
  bool operator==(const LiveSlice&) const = default;
};

/// All that came since the document was made, to be drawn over it, oldest first. A range that ran when a
/// layer was made is in a later one, too, so the later one is drawn over it. Immutable.
struct LiveTail {
  std::vector<LiveLayerPtr> layers;  ///< never empty; the last one has what runs now
};
using LiveTailPtr = std::shared_ptr<const LiveTail>;

/// A recording that is shown while it is made: a LiveSource, and threads that make documents of it.
///
/// Two kinds of pictures, so that the newest is on the screen at once however long the recording is:
///  - documents, like a file's previews: everything so far with all indexes, statistics and gaps. Slices of threads
///    are sealed (TraceBuilder::seal) soon after they came: documents share them, and their links, and one costs by
///    what came since the last. They get kDocumentPart of a thread's time: after one that took t of it the next is
///    begun no earlier than t * (1 / kDocumentPart - 1) later, but after kMostPauseS, or t if that is longer: numbers
///    are never older than that and what two documents take. Where that would be more than kMostAgeS, as other programs
///    have the cores, the pause is shorter, t / 2 at least.
///  - tails: what came since the last document, also while the next one is being made, in layers of up to
///    kLayerEvents, of which only the last one is made again and again. That costs by its events, and gets
///    kTailPart of a thread's time in the same way, 60 times a second at most.
/// Neither holds up the capture thread, and the UI thread takes what is ready.
class LiveRecording {
 public:
  static constexpr double kDocumentPart = 0.25;
  static constexpr double kMostPauseS = 0.3;
  static constexpr double kMostAgeS = 0.6;
  static constexpr double kTailPart = 0.4;
  static constexpr std::size_t kLayerEvents = 60'000;

  /// `wake` is called on other threads when there is something to show.
  static Result<std::unique_ptr<LiveRecording>> start(const LivePlan& plan, std::function<void()> wake);
  /// Shows a recording that is under way.
  static Result<std::unique_ptr<LiveRecording>> follow(std::unique_ptr<LiveSource> source, std::function<void()> wake);
  ~LiveRecording();
  LiveRecording(const LiveRecording&) = delete;
  LiveRecording& operator=(const LiveRecording&) = delete;

  LiveSource& capture() { return *capture_; }
  const LiveSource& capture() const { return *capture_; }

  // UI thread.
  /// The newest document not taken yet, or null. With it, tail() starts over.
  DocumentPtr take_document();
  /// What to draw over the document taken last; null = nothing.
  LiveTailPtr tail() const;
  /// Lets go of a document on another thread: freeing millions of slices takes a while.
  void retire(DocumentPtr document);
  /// Paused: capturing goes on, no pictures are made.
  void set_paused(bool paused);
  /// The last document was handed out: it has everything.
  bool is_complete() const { return is_complete_; }

  struct Costs {
    std::uint64_t documents = 0;
    std::uint64_t tails = 0;
    double document_seconds = 0;   ///< of the last one
    double most_document_cpu = 0;  ///< seconds of its thread's time; of those before the last
    double tail_seconds = 0;
  };
  Costs costs() const;
  /// Where its sealed slices lie. Any thread.
  GrowingMemory::Usage memory() const;

 private:
  LiveRecording(std::function<void()> wake) : wake_(std::move(wake)) {}
  void run();
  /// Until the source has ended, or memory has.
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

  const BlockReuse reuse_;  // layers, and batches on their way, are made and freed all the time
  std::function<void()> wake_;
  std::unique_ptr<LiveSource> capture_;

  // The recording's thread.
  TraceBuilder builder_;
  SourceId source_;
  std::unique_ptr<TraceBuilder> front_;  // of the newest layer
  std::size_t front_events_ = 0;
  std::vector<LiveLayerPtr> layers_;  // before it, since the document shown
  std::size_t layers_in_next_ = 0;    // of these, in the document that is being made or waits
  DocumentPtr made_;                  // waits for its first tail
  double document_begun_s_ = 0;
  bool is_late_ = false;                      // the last document took long: others had the cores
  std::atomic<double> document_worked_s_{0};  // its thread's time
  EventBatch running_;
  DocumentUpkeep upkeep_;  // of the document that is being made
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
  std::jthread thread_;  // last: joined before the rest goes
};

}  // namespace lacuna
