#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job/rank_facts.h"

namespace lacuna {

/// Writes the traces of a small training job, one per rank, with known results. Each step: data loading, then `layers`
/// times a kernel and a collective that the next kernel waits for, in groups of two ("tp"); at its end one over
/// ranks ("dp"). All collectives end on all ranks at once. Times in microseconds.
struct JobMaker {
  int ranks = 4;
  int steps = 3;
  int layers = 4;
  bool has_group_arguments = true;
  bool has_sequence = false;  ///< "Seq" and "Comms Id", as since PyTorch 2.12
  int first_step = 10;
  int device = 0;  ///< CUDA's device number of each rank's GPU

  int slow_gpu = -1;                              ///< rank whose kernels take twice as long
  int slow_data = -1, slow_data_step = -1;        ///< rank and step (from 0) with 20 ms more
  int launch_bound = -1, launch_bound_step = -1;  ///< rank and step whose launches come 3 ms apart
  int more_work = -1;                             ///< rank that runs each kernel twice
  bool has_clocks = false;  ///< adds hardware counters: the slow GPU's clock falls from 1,980 to 1,095 MHz after 300 us
  std::vector<double> clock_us;   ///< by rank: offset of its times
  std::vector<double> drift_ppm;  ///< by rank: drift of its times
  std::vector<int> begin_at;      ///< by rank: its trace lacks the steps before this index

  /// Returns the JSON of each rank.
  std::vector<std::string> make() const;
  /// Returns the reduced ranks.
  std::vector<JobRank> reduce() const;
  /// Time that each rank waited inside collectives (us), set by make().
  mutable std::vector<double> waited_us;
};

}  // namespace lacuna
