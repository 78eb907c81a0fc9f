#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/import/importer.h"
#include "model/job/job.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What puts the files of a trace on the clock of their job.
struct ClockShifts {
  std::vector<FileShift> shifts;  ///< for ImportOptions::shifts; empty: nothing is known
  double residual_ns = 0;         ///< the largest of the ranks': how far to trust them
  /// By so much the clocks that drift are off at the ends of their record: a file is moved as a whole, so that
  /// durations stay what they were measured as.
  Nanos drift_left = 0;
  std::string why_not;  ///< a sentence where `shifts` is empty
};

/// From the clocks that `job`, analysed from the ranks of `trace` (extract_ranks()), found at the ends of collectives:
/// the offset of each file at the middle of its collectives. The first file stays where it is; files that have no part
/// in a collective stay where they are put without this. Any thread.
ClockShifts shifts_by_collectives(const Trace& trace, const Job& job);

/// The same for some ranks of a job that was read rank by rank (load_ranks()), before their files are opened together.
/// The first stays where it is. Empty where the clock of one of them is not known, or for one rank.
std::vector<FileShift> shifts_of_ranks(const Job& job, std::span<const std::uint32_t> ranks);

/// Where `options` ask for FileClocks::kGiven without saying the shifts: reads the files (or takes them from the
/// cache), and sets the shifts that their collectives tell. Of one file there is nothing to tell; it is kFiles then.
/// Otherwise does nothing. Errors: those of import_files(); kNotFound where collectives tell nothing. Blocking, any
/// thread.
Result<void> resolve_clocks(std::span<const std::string> paths, ImportOptions& options,
                            ImportProgress* progress = nullptr);

}  // namespace lacuna
