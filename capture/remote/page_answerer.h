#pragma once

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

/// Computes the pages that a window asks for, one after the other, in a thread of its own. For one thread.
class PageAnswerer {
 public:
  /// `trace` must outlive it. `format`: of numbers in texts.
  PageAnswerer(const Trace& trace, const ReportFormat& format) : trace_(trace), format_(format) {}
  ~PageAnswerer() { cancel_ = true; }
  PageAnswerer(const PageAnswerer&) = delete;
  PageAnswerer& operator=(const PageAnswerer&) = delete;

  using Pages = std::vector<std::shared_ptr<const RemotePage>>;
  /// Returns those that are there, in the order of the questions; the first one of the others is computed: ask again.
  /// What is computed and not asked for any more is cancelled. Pages about gaps, and about calls in them, wait until
  /// `causes` are given, which must outlive it. Throws std::bad_alloc.
  Pages find(const std::vector<AskedPage>& asked, const CausedTrace* causes = nullptr);

 private:
  static constexpr std::size_t kMostKept = 2 * kMostPages;

  /// Returns a page that says why, if there is no thread to compute it; it is not kept.
  std::shared_ptr<const RemotePage> start(const AskedPage& asked, const CausedTrace* causes);
  void compute(RemotePage& page, const CausedTrace* causes);

  const Trace& trace_;
  const ReportFormat format_;
  Pages kept_;  // the one asked for last comes last
  // The computing thread's while there is one:
  std::shared_ptr<const Roofline> roofline_;  // of the whole trace
  std::optional<RangeReports> range_reports_;
  std::optional<QueryEngine> queries_;
  std::optional<WhatIfTables> what_if_;
  std::shared_ptr<RemotePage> next_;  // being computed; null: nothing is
  std::atomic<bool> cancel_{false};
  std::atomic<bool> is_done_{false};
  std::jthread thread_;  // last: joined before what it uses goes
};

}  // namespace lacuna
