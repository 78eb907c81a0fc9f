#pragma once

#include <string>
#include <vector>

#include "model/job/rank_facts.h"

namespace lacuna {

/// Simulates pipelines with the schedule 1F1B (one forward, one backward) and writes traces. Each data-parallel rank
/// rank has a pipeline of `stages`; rank = stage * data_parallel + its data-parallel rank. Microbatches go down the
/// stages and back: receive, compute, send; at a step's end each stage reduces over the data-parallel ranks. Times in
/// microseconds.
struct PipelineMaker {
  int stages = 4;
  int data_parallel = 2;
  int microbatches = 8;
  int steps = 2;
  double forward = 1000, backward = 2000, transfer = 20, reduction = 300;
  int slow_rank = -1;  ///< rank whose kernels take `slowness` times as long
  double slowness = 2;

  /// Returns one Kineto trace per rank; sends and receives are NCCL kernels that start when the rank is ready for them.
  std::vector<std::string> traces() const;
  /// Returns the same ranks, reduced.
  std::vector<JobRank> reduce() const;
  /// Returns all ranks in one file, as threads named after their places. With `waits`: sends and receives start when
  /// their rank is ready; else when both are, as in published timelines. "embedding-grads-all-reduce" is one of
  /// the first and the last stage, "layernorm-grads-all-reduce" includes ranks that are not in the file.
  std::string timeline(bool waits) const;
};

}  // namespace lacuna
