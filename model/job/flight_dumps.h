#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/memory/flight_recorder.h"

namespace lacuna {

/// Dumps of PyTorch's flight recorder that lie beside the traces of a job, and what they say. It may be moved, not
/// copied: `analysis` points into `dumps`.
struct HangFiles {
  std::vector<FlightDump> dumps;  ///< by rank
  HangAnalysis analysis;
  std::vector<std::string> problems;  ///< files that begin like one and could not be read: why

  HangFiles() = default;
  HangFiles(HangFiles&&) = default;
  HangFiles& operator=(HangFiles&&) = default;
  HangFiles(const HangFiles&) = delete;
  HangFiles& operator=(const HangFiles&) = delete;
};

/// Largest file that is looked into, and most files of a folder.
inline constexpr std::uint64_t kMostFlightBytes = std::uint64_t{64} << 20;
inline constexpr std::size_t kMostFolderFiles = 4096;

/// Looks into the folders of `paths` for flight recorder files: pickles that hold one, whatever their name. Other
/// pickles, such as snapshots, are passed over. Blocking.
HangFiles find_flight_dumps(std::span<const std::string> paths);

}  // namespace lacuna
