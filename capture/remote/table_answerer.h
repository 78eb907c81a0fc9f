#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "capture/remote/remote_table.h"
#include "model/roofline/roofline.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Computes the tables that a window asks for, one at a time, in a thread of its own. For one thread.
class TableAnswerer {
 public:
  /// `trace` must outlive it.
  explicit TableAnswerer(const Trace& trace) : trace_(trace) {}
  ~TableAnswerer() { cancel_ = true; }
  TableAnswerer(const TableAnswerer&) = delete;
  TableAnswerer& operator=(const TableAnswerer&) = delete;

  /// Returns the table; null while it is computed: ask again. Another question cancels that before. Throws
  /// std::bad_alloc.
  std::shared_ptr<const RemoteTable> find(const AskedTable& asked);

 private:
  void compute(RemoteTable& table);

  const Trace& trace_;
  std::shared_ptr<const RemoteTable> latest_;
  std::shared_ptr<const Roofline> roofline_;  // of the whole trace; the computing thread's while there is one
  std::shared_ptr<RemoteTable> next_;         // being computed; null: nothing is
  std::atomic<bool> cancel_{false};
  std::atomic<bool> is_done_{false};
  std::jthread thread_;  // last: joined before what it uses goes
};

}  // namespace lacuna
