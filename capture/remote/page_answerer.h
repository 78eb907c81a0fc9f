#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "capture/remote/remote_page.h"
#include "model/report/range_reports.h"
#include "model/roofline/roofline.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Computes the pages that a window asks for, one after the other, in a thread of its own; queries in another, since
/// they may never end. For one thread.
class PageAnswerer {
 public:
  /// `trace` must outlive it. `format`: of numbers in texts.
  PageAnswerer(const Trace& trace, const ReportFormat& format) : trace_(trace), format_(format) {}
  ~PageAnswerer() {
    for (Worker& worker : workers_) worker.cancel = true;
  }
  PageAnswerer(const PageAnswerer&) = delete;
  PageAnswerer& operator=(const PageAnswerer&) = delete;

  using Pages = std::vector<std::shared_ptr<const RemotePage>>;
  /// Returns those that are there, in the order of the questions; the first one of the others, and the first query, are
  /// computed: ask again. What is computed and not asked for any more is cancelled. Pages about gaps, and about calls
  /// in them, wait until `causes` are given, which must outlive it. Throws std::bad_alloc.
  Pages find(const std::vector<AskedPage>& asked, const CausedTrace* causes = nullptr);

 private:
  static constexpr std::size_t kMostKept = 2 * kMostPages;

  /// Computes one page.
  struct Worker {
    std::shared_ptr<RemotePage> next;  // null: none
    std::atomic<bool> cancel{false};
    std::atomic<bool> is_done{false};
    std::jthread thread;
  };

  /// Returns a page that says why, if there is no thread to compute it; it is not kept.
  std::shared_ptr<const RemotePage> start(Worker& worker, const AskedPage& asked, const CausedTrace* causes);
  void compute(RemotePage& page, const CausedTrace* causes, const std::atomic<bool>& cancel);

  const Trace& trace_;
  const ReportFormat format_;
  Pages kept_;  // the one asked for last comes last
  // The computing threads' while there are some:
  std::shared_ptr<const Roofline> roofline_;  // of the whole trace
  std::optional<RangeReports> range_reports_;
  std::optional<QueryEngine> queries_;
  std::optional<WhatIfTables> what_if_;
  std::array<Worker, 2> workers_;  // of pages, and of queries; last: joined before what they use goes
};

}  // namespace lacuna
