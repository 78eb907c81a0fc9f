#pragma once

#include <vector>

#include "app/gui/core/document.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// How busy the GPUs are over the whole trace: for the minimap, and for what the titles of GPU
/// processes say of the visible range. Computed once a document, in the background. Immutable.
struct ActivityOverview {
  static constexpr std::size_t kBins = 4096;

  enum class Kind : std::uint8_t {
    kNothing,  ///< no slices
    kGpu,      ///< bins: time in which a GPU is busy (union of its streams), mean over the GPUs
    kCpu,  ///< no GPU activity: bins: time of outermost slices on CPU threads, else time in which threads ran, 1 = the
           ///< fullest bin
  } kind = Kind::kNothing;
  TimeSpan span;                       ///< cut into kBins bins of equal length
  std::vector<float> bins;             ///< 0..1
  std::vector<ProcessBusy> processes;  ///< each GPU process: union of its streams

  /// Mean of the bins under [x0, x1) of `width`: what a column of pixels shows. O(bins under it).
  float mean(double x0, double x1, double width) const;
};

/// O(activities * log), of a recording O(GPUs * bins * log); or O(CPU threads * bins). Any thread.
ActivityOverview make_overview(const Document& document);

}  // namespace lacuna
