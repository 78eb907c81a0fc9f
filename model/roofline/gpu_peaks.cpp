#include "model/roofline/gpu_peaks.h"

#include <algorithm>
#include <utility>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

// Without sparsity; data sheets often print the doubled number.
constexpr GpuPeak kPeaks[] = {
    {"GB200", 40, 80, 1250, 2500, 5000, 8000, "NVIDIA GB200 NVL72 page (per GPU, dense)"},
    {"B200", 37, 75, 1125, 2250, 4500, 8000, "NVIDIA DGX B200 data sheet (per GPU, dense)"},
    {"H200", 67, 67, 494.7, 989.4, 1978.9, 4800, "NVIDIA H200 data sheet"},
    {"H100 PCIe", 51.2, 51.2, 378, 756, 1513, 2039, "NVIDIA H100 data sheet (PCIe)"},
    {"H100 NVL", 60, 60, 417.5, 835, 1670.5, 3938, "NVIDIA H100 data sheet (NVL)"},
    {"GH200", 67, 67, 494.7, 989.4, 1978.9, 4000, "NVIDIA GH200 data sheet"},
    {"H100", 66.9, 66.9, 494.7, 989.4, 1978.9, 3352, "NVIDIA H100 white paper (SXM5)"},
    {"A100-SXM4-80GB", 19.5, 19.5, 156, 312, 0, 2039, "NVIDIA A100 data sheet"},
    {"A100-SXM4-40GB", 19.5, 19.5, 156, 312, 0, 1555, "NVIDIA A100 data sheet"},
    {"A100 80GB PCIe", 19.5, 19.5, 156, 312, 0, 1935, "NVIDIA A100 data sheet"},
    {"A100", 19.5, 19.5, 156, 312, 0, 1555, "NVIDIA A100 data sheet"},
    {"A10G", 0, 0, 35, 70, 0, 600, "NVIDIA A10G data sheet"},
    {"A10", 0, 31.2, 62.5, 125, 0, 600, "NVIDIA A10 data sheet"},
    {"A30", 10.3, 10.3, 82, 165, 0, 933, "NVIDIA A30 data sheet"},
    {"L40S", 0, 91.6, 183, 362.05, 733, 864, "NVIDIA L40S data sheet"},
    {"L40", 0, 90.5, 90.5, 181, 362, 864, "NVIDIA L40 data sheet"},
    {"L4", 0, 30.3, 60, 121, 242.5, 300, "NVIDIA L4 data sheet"},
    {"RTX 4090", 0, 82.6, 82.6, 165.2, 330.3, 1008, "NVIDIA Ada white paper (fp32 accumulation)"},
    {"RTX 3090", 0, 35.6, 35.6, 71, 0, 936, "NVIDIA Ampere GA102 white paper (fp32 accumulation)"},
    {"V100-PCIE", 7, 14, 0, 112, 0, 900, "NVIDIA V100 data sheet (PCIe)"},
    {"V100S", 8.2, 16.4, 0, 130, 0, 1134, "NVIDIA V100 data sheet (V100S)"},
    {"V100", 7.8, 15.7, 0, 125, 0, 900, "NVIDIA V100 data sheet (SXM2)"},
    {"Tesla T4", 0, 8.1, 0, 65, 0, 320, "NVIDIA T4 data sheet"},
    {"P100-PCIE", 4.7, 9.3, 0, 18.7, 0, 732, "NVIDIA P100 data sheet (PCIe, no tensor cores)"},
    {"P100", 5.3, 10.6, 0, 21.2, 0, 732, "NVIDIA P100 data sheet (SXM2, no tensor cores)"},
    {"MI355X", 78.6, 157.3, 0, 2516.6, 5033.2, 8000, "AMD Instinct MI355X data sheet"},
    {"MI325X", 163.4, 163.4, 653.7, 1307.4, 2614.9, 6000, "AMD Instinct MI325X data sheet"},
    {"MI300X", 163.4, 163.4, 653.7, 1307.4, 2614.9, 5300, "AMD Instinct MI300X data sheet"},
    // Each of its two dies is a device of its own to HIP, and so to torch: half of the data sheet.
    {"MI250X", 47.9, 23.9, 0, 191.5, 0, 1638, "AMD Instinct MI250X data sheet (half: one die)"},
};

/// int8 in TOP/s, of GPUs whose tensor cores have it, but no fp8: the beginnings of their `match`, more specific ones
/// first, from the same sources. Where there is fp8, int8 is as fast.
constexpr std::pair<std::string_view, double> kInt8[] = {
    {"A100", 624}, {"A10G", 140}, {"A10", 250}, {"A30", 330}, {"RTX 3090", 284}, {"Tesla T4", 130}, {"MI250X", 191.5}};

double int8_tops(std::string_view match) {
  const auto known = std::ranges::find_if(kInt8, [&](const auto& gpu) { return match.starts_with(gpu.first); });
  return known == std::end(kInt8) ? 0 : known->second;
}

bool is_letter_or_digit(char c) {
  return is_digit(c) || is_ascii_letter(c);
}

/// `part` as whole words: "L4" is in "NVIDIA L4", not in "NVIDIA L40S".
bool has_words(std::string_view text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) {
    const std::size_t end = at + part.size();
    if ((at == 0 || !is_letter_or_digit(text[at - 1])) && (end == text.size() || !is_letter_or_digit(text[end])))
      return true;
  }
  return false;
}

}  // namespace

double GpuPeak::tflops(FlopType type) const {
  switch (type) {
    case FlopType::kFp64:
      return fp64;
    case FlopType::kFp32:
      return fp32;
    case FlopType::kTf32:
      return tf32;
    case FlopType::kHalf:
      return half;
    case FlopType::kFp8:
      return fp8 > 0 ? fp8 : int8_tops(match);
  }
  return 0;
}

std::span<const GpuPeak> gpu_peaks() {
  return kPeaks;
}

const GpuPeak* gpu_peak(std::string_view device_name) {
  const auto found =
      std::ranges::find_if(kPeaks, [&](const GpuPeak& peak) { return has_words(device_name, peak.match); });
  return found == std::end(kPeaks) ? nullptr : found;
}

}  // namespace lacuna
