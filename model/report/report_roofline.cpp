// Which operators of a busy GPU could be faster, by what bounds them.

#include <algorithm>

#include "model/calls/launched_work.h"
#include "model/report/report_parts.h"
#include "model/roofline/roofline.h"

namespace lacuna {
namespace {

bool is_product(const RooflineRow& row) {
  const KernelClass c = row.work.operator_class;
  return c == KernelClass::kGemm || c == KernelClass::kConvolution || c == KernelClass::kAttention;
}

/// One pass over memory for each of them, which a fused kernel saves.
bool is_fusible(const RooflineRow& row) {
  const KernelClass c = row.work.operator_class;
  return c == KernelClass::kElementwise || c == KernelClass::kNormalisation || c == KernelClass::kReduction ||
         c == KernelClass::kCopy;
}

struct Choice {
  RooflineReport::Part* part = nullptr;
  double after = 1;  ///< part of the time that is left after the change
};

Choice choose_part(const RooflineRow& row, const std::optional<GpuPeak>& peak, RooflineReport& report) {
  constexpr double kHalf = 0.5;  // of the bytes where two passes become one, of the bits, or of the launches
  switch (row.bound) {
    case RooflineBound::kUnknown:
      return {};
    case RooflineBound::kLatency:
      return {&report.tiny, kHalf};
    case RooflineBound::kMemory:
      if (is_product(row)) return {&report.memory_product, kHalf};
      return is_fusible(row) ? Choice{&report.fusible, kHalf} : Choice{};
    case RooflineBound::kCompute:
      if (!is_product(row) || !row.work.on_matrix_units) return {};
      if (row.roof_share < kGoodRoofShare) return {&report.slow_product, row.roof_share / kGoodRoofShare};
      if (row.work.type == FlopType::kHalf && peak && peak->fp8 > peak->half)
        return {&report.half_product, peak->half / peak->fp8};
      return {};
  }
  return {};
}

}  // namespace

void report_roofline(const Trace& trace, unsigned threads, Report& report) {
  if (report.window.empty() || std::ranges::none_of(report.devices, [](const DeviceReport& device) {
        return device.use.busy_share() >= kBusyEnough;
      }))
    return;
  RooflineOptions options;
  options.source = report.source;
  options.range = report.window;
  options.threads = threads;
  const Result<Roofline> roofline = compute_roofline(trace, options);
  if (!roofline) {
    if (report.arguments_error.empty()) report.arguments_error = roofline.error().cause;
    return;
  }
  for (const RooflineRow& row : roofline->rows) {
    if (row.is_around_others) continue;
    const Choice choice = choose_part(row, roofline->peak, report.roofline);
    if (choice.part == nullptr) continue;
    RooflineReport::Part& part = *choice.part;
    if (part.time == 0) part.longest = row.longest;  // rows with the most time come first
    part.time = saturating_add(part.time, row.gpu_time);
    for (const WorkRow& kernel : work_launched_by(trace, std::span(&row.longest, 1)).kernels)
      if (std::ranges::find(part.kernels, kernel.name, &std::pair<StringId, double>::first) == part.kernels.end())
        part.kernels.emplace_back(kernel.name, choice.after);
  }
}

}  // namespace lacuna
