#pragma once

#include <span>
#include <string_view>

#include "model/columns/flops.h"

namespace lacuna {

/// A GPU's peak performance, as stated by its maker: dense, in TFLOP/s and GB/s; 0 = not stated. fp32 is
/// for the ordinary units, the others for tensor (matrix) cores if there are any.
struct GpuPeak {
  std::string_view match;  ///< part of deviceProperties' name; the first match counts
  double fp64, fp32, tf32, half, fp8;
  double gigabytes;
  std::string_view source;

  double tflops(FlopType type) const;
};

/// All known GPUs, more specific names first.
std::span<const GpuPeak> gpu_peaks();
/// Returns the entry for a GPU of this name, or null.
const GpuPeak* gpu_peak(std::string_view device_name);

}  // namespace lacuna
