#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job/rank_facts.h"

namespace lacuna {

/// Writes the traces of a small training job, one a rank, whose truth is known. Each step: data loading, then `layers`
/// times a kernel and a collective that the next kernel waits for, in groups of two ("tp"); at its end one over all
/// ranks ("dp"). All collectives end for all at once. Times in microseconds.
struct JobMaker {
  int ranks = 4;
  int steps = 3;
  int layers = 4;
  bool has_group_arguments = true;
  bool has_sequence = false;  ///< "Seq" and "Comms Id", as since PyTorch 2.12
  int first_step = 10;
  int device = 0;  ///< CUDA's number of each rank's GPU

  int slow_gpu = -1;                              ///< its kernels take twice as long
  int slow_data = -1, slow_data_step = -1;        ///< +20 ms, an index from 0
  int launch_bound = -1, launch_bound_step = -1;  ///< launches come 3 ms apart
  int more_work = -1;                             ///< runs each kernel twice
  bool has_clocks =
      false;  ///< counters of the hardware: that of the slow GPU falls from 1,980 to 1,095 MHz after 300 us
  std::vector<double> clock_us;   ///< by rank: added to its times
  std::vector<double> drift_ppm;  ///< likewise
  std::vector<int> begin_at;      ///< by rank: steps before this index are not in its trace

  /// The JSON of each rank.
  std::vector<std::string> make() const;
  /// What is reduced from them.
  std::vector<JobRank> reduce() const;
  /// How long each rank waited inside collectives (us), by make().
  mutable std::vector<double> waited_us;
};

}  // namespace lacuna
