#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"

namespace lacuna {

class App;

/// Computes in advance what clicks are likely to ask for: once a trace is loaded and the causes of its
/// gaps are known, first the columns of its args (argument_columns.h), on a thread of lowest priority,
/// then torch's table, then the report; each when the one before is done. The statistics
/// page adds its groups (see is_done()). Does nothing while a recording runs, or for traces so large that
/// the memory which torch's table takes meanwhile (about 70 bytes a slice) would be felt.
///
/// Reading args stops at once when the trace is closed; a table under way is finished and thrown away.
/// UI thread; nothing here waits.
class Ahead {
 public:
  explicit Ahead(std::function<void()> wake) : job_(std::move(wake)) {}
  ~Ahead() { cancel(); }

  /// Takes the next step, if it is time. Call once a frame.
  void update(App& app);
  /// Whether everything is computed for the document that was open at the last update().
  bool is_done() const { return step_ == Step::kDone; }

 private:
  enum class Step { kWaiting, kArguments, kTorch, kReport, kDone };
  static constexpr std::uint64_t kMostSlices = 8'000'000;

  void cancel();

  DocumentPtr document_;
  Step step_ = Step::kWaiting;
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the job under way
  LatestJob<bool> job_;
};

}  // namespace lacuna
