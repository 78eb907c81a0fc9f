#pragma once
// The file that a job writes, until it is ours.

#include <cstdint>
#include <string>

#include "capture/kineto/running_job.h"
#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// Kineto writes FILE_PID.json.tmp from the beginning of its warm-up on, and renames it to FILE_PID.json when it is
/// whole. An allocator's snapshot PyTorch writes itself, into FILE.json: that is whole when its end is there and it
/// grows no more. Then Kineto's own file stays behind, empty.
class TracePickup {
 public:
  /// `file`: as it was sent to the job.
  TracePickup(const RunningJob& job, const std::string& file, bool is_snapshot = false);

  enum class State { kNothing, kBegun, kComplete };
  State state();
  /// Bytes written so far.
  std::uint64_t bytes() const;
  /// The path at which the trace lies or will lie, as this process sees it.
  const std::string& path() const { return path_; }

  struct Taken {
    std::uint64_t bytes = 0;
    bool has_operators = false;  ///< "cpu_op" or "kernel" slices
  };
  /// Moves the complete file to where `to` is, which is published with it. Only what is a plain file of this user is
  /// taken. On failure it stays where it is.
  Result<Taken> take(ClaimedFile& to);
  /// Removes what a job left that died.
  void remove_rest() const;

 private:
  bool is_snapshot_whole();

  const std::string unfinished_;
  const std::string path_;
  const bool is_snapshot_;
  std::int64_t seen_bytes_ = -1;  // of a snapshot, when it was looked at last
};

/// A new, unpredictable name in a job's folder: "/tmp/lacuna_1f3c….json".
std::string new_trace_name(const std::string& folder);

}  // namespace lacuna
