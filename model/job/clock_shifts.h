#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/import/importer.h"
#include "model/job/job.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Shifts that align the files of a trace to the clock of their job.
struct ClockShifts {
  std::vector<FileShift> shifts;  ///< for ImportOptions::shifts; empty: not known
  double residual_ns = 0;         ///< the largest residual of the ranks: a measure of accuracy
  /// Largest error that clock drift leaves at the ends of a record: a file is shifted as a whole, so that
  /// durations stay as measured.
  Nanos drift_left = 0;
  std::string why_not;  ///< a sentence, if `shifts` is empty
};

/// Computes shifts from the clocks that `job`, analysed from the ranks of `trace` (extract_ranks()), found at ends of
/// collectives: each file's offset at the middle of its collectives. The first file is not moved; files without
/// collectives stay where they are without this. Any thread.
ClockShifts shifts_by_collectives(const Trace& trace, const Job& job);

/// Like shifts_by_collectives(), for some ranks of a job that was read rank by rank (load_ranks()), before their files
/// are opened together. The first is not moved. Empty if the clock of one is not known, or for a single rank.
std::vector<FileShift> shifts_of_ranks(const Job& job, std::span<const std::uint32_t> ranks);

/// If `options` ask for FileClocks::kGiven without shifts: reads the files (or takes them from the
/// cache), and sets the shifts computed from their collectives. For a single file it sets kFiles instead.
/// Otherwise does nothing. Errors: those of import_files(); kNotFound if collectives give no shifts. Blocking, any
/// thread.
Result<void> resolve_clocks(std::span<const std::string> paths, ImportOptions& options,
                            ImportProgress* progress = nullptr);

}  // namespace lacuna
