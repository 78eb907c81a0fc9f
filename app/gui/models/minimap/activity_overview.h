#pragma once

#include <vector>

#include "app/gui/core/document.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// How busy the GPUs are over the whole trace: for the minimap, and for the GPU processes' busy time
/// of the visible range. Computed once per document, in the background. Immutable.
struct ActivityOverview {
  static constexpr std::size_t kBins = 4096;

  enum class Kind : std::uint8_t {
    kNothing,  ///< no slices
    kGpu,      ///< bins: fraction of time in which a GPU is busy (union of its streams), mean over the GPUs
    kCpu,      ///< no GPU activity. Bins: outermost slices on CPU threads, else running time of threads; 1 = the
               ///< fullest bin
  } kind = Kind::kNothing;
  TimeSpan span;                       ///< cut into kBins bins of equal length
  std::vector<float> bins;             ///< 0..1
  std::vector<ProcessBusy> processes;  ///< by GPU process: union of its streams

  /// Returns the mean of the bins under [x0, x1) of `width`: one column of pixels. O(bins under it).
  float mean(double x0, double x1, double width) const;
};

/// O(activities * log), for a recording O(GPUs * bins * log); without GPU activity O(CPU threads * bins). Any thread.
ActivityOverview make_overview(const Document& document);

}  // namespace lacuna
