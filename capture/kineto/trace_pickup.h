#pragma once
// The file that a job writes, until we have moved it.

#include <cstdint>
#include <string>

#include "capture/kineto/running_job.h"
#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// Kineto writes FILE_PID.json.tmp from the beginning of its warm-up on, and renames it to FILE_PID.json when it is
/// complete. PyTorch writes an allocator's snapshot itself, into FILE.json: it is complete when its end is there and it
/// no longer grows. Kineto's own file is then left over, empty.
class TracePickup {
 public:
  /// `file`: the path sent to the job.
  TracePickup(const RunningJob& job, const std::string& file, bool is_snapshot = false);

  enum class State { kNothing, kBegun, kComplete };
  State state();
  /// Bytes written so far.
  std::uint64_t bytes() const;
  /// Returns the present or future path of the trace, in this process's namespace.
  const std::string& path() const { return path_; }

  struct Taken {
    std::uint64_t bytes = 0;
    bool has_operators = false;  ///< "cpu_op" or "kernel" slices
  };
  /// Moves the complete file to `to` and publishes it. Accepts only a plain file of this
  /// user. On failure it stays where it is.
  Result<Taken> take(ClaimedFile& to);
  /// Removes the files that a dead job left.
  void remove_rest() const;

 private:
  bool is_snapshot_whole();

  const std::string unfinished_;
  const std::string path_;
  const bool is_snapshot_;
  std::int64_t seen_bytes_ = -1;  // size of a snapshot at the last check
};

/// Returns a new, unpredictable file name in a job's folder: "/tmp/lacuna_1f3c….json".
std::string new_trace_name(const std::string& folder);

}  // namespace lacuna
