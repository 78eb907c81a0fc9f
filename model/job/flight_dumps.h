#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/memory/flight_recorder.h"

namespace lacuna {

/// Dumps of PyTorch's flight recorder found beside the traces of a job, and their analysis. Movable, not
/// copyable: `analysis` points into `dumps`.
struct HangFiles {
  std::vector<FlightDump> dumps;  ///< by rank
  HangAnalysis analysis;
  std::vector<std::string> problems;  ///< why files that start like a dump could not be read

  HangFiles() = default;
  HangFiles(HangFiles&&) = default;
  HangFiles& operator=(HangFiles&&) = default;
  HangFiles(const HangFiles&) = delete;
  HangFiles& operator=(const HangFiles&) = delete;
};

/// Largest file that is examined, and most files of a folder.
inline constexpr std::uint64_t kMostFlightBytes = std::uint64_t{64} << 20;
inline constexpr std::size_t kMostFolderFiles = 4096;

/// Searches the folders of `paths` for flight recorder files: pickles that hold one, whatever their name. Skips other
/// pickles, such as snapshots. Blocking.
HangFiles find_flight_dumps(std::span<const std::string> paths);

}  // namespace lacuna
