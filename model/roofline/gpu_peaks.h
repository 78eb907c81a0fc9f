#pragma once

#include <span>
#include <string_view>

#include "model/columns/flops.h"

namespace lacuna {

/// What a GPU can do at best, by its maker: dense, in TFLOP/s and GB/s; 0 = not stated. fp32 is
/// that of the ordinary units, the others of tensor (matrix) cores where there are such.
struct GpuPeak {
  std::string_view match;  ///< part of deviceProperties' name; the first that fits counts
  double fp64, fp32, tf32, half, fp8;
  double gigabytes;
  std::string_view source;

  double tflops(FlopType type) const;
};

/// All known GPUs, special names before general ones.
std::span<const GpuPeak> gpu_peaks();
/// The one for a GPU of this name, or null.
const GpuPeak* gpu_peak(std::string_view device_name);

}  // namespace lacuna
