#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capture/session/recording_spool.h"
#include "capture/session/save_requests.h"
#include "model/base/result.h"
#include "model/export/held_event.h"

namespace lacuna {

class Session;

/// Saves the present contents of a spool on request, on a thread of its own, while recording continues.
///
///     saver.look(now, *session, losses);   // every round of the capture thread
///     saver.ask({path, existing, {}});     // or another process asks (ask_to_save)
class SnapshotSaver {
 public:
  /// `beside`: base of the names of snapshots without one, which get a number; empty: the spool folder's name in ours.
  SnapshotSaver(RecordingSpool& spool, std::string beside);
  ~SnapshotSaver() { finish(); }
  SnapshotSaver(const SnapshotSaver&) = delete;
  SnapshotSaver& operator=(const SnapshotSaver&) = delete;

  // Called by the capture thread only.
  /// Requests a snapshot, which the next look() begins.
  void ask(SaveRequest request) { asked_.push_back(std::move(request)); }
  /// Checks for requests at intervals. On a request: flushes the spool and begins to save it, with the ranges
  /// still running, and `losses()` as the value of "lacuna".
  void look(Nanos now, const Session& session, const std::function<TraceJsonWriter::Members()>& members);
  /// Waits for the requested snapshots. Call no look() afterwards.
  void finish();
  /// Returns new messages for the user.
  std::vector<std::string> take_messages();

 private:
  struct Job {
    SaveRequest request;
    std::vector<HeldEvent> running;
    TraceJsonWriter::Members members;
  };
  void run();
  Result<std::string> save(const Job& job) const;

  RecordingSpool& spool_;
  std::string beside_;
  std::vector<SaveRequest> asked_;
  Nanos looked_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::deque<Job> jobs_;
  std::vector<std::string> messages_;
  bool is_ending_ = false;

  std::jthread thread_;
};

}  // namespace lacuna
