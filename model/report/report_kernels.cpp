#include <algorithm>
#include <array>

#include "model/base/quantiles.h"
#include "model/base/stable_sort.h"
#include "model/columns/argument_columns.h"
#include "model/kernels/kernel_class.h"
#include "model/report/report_parts.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// A GPU activity that overlaps the window.
struct Seen {
  SliceId slice;
  Nanos time = 0;  ///< inside the window
  std::uint32_t row = 0;
};

struct KernelRows {
  std::vector<ReportKernel> rows;
  std::vector<Seen> seen;  ///< ascending by lane and index
};

KernelRows gather(const Trace& trace, const Report& report) {
  KernelRows result;
  constexpr std::uint32_t kNoRow = kNoIndex;
  // A kernel and a copy never share a name.
  std::vector<std::uint32_t> row_of(trace.strings().size(), kNoRow);
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, report.source)) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = lane.first_visible_from(report.window.begin);
           i < lane.size() && lane.start(i) < report.window.end; ++i) {
        const CategoryClass category = trace.category_class(lane.category(i));
        if (!is_gpu_activity(category)) continue;
        std::uint32_t& row = row_of[lane.name(i).value];
        if (row == kNoRow) {
          row = static_cast<std::uint32_t>(result.rows.size());
          ReportKernel& added = result.rows.emplace_back();
          added.name = lane.name(i);
          added.category = category;
        }
        ReportKernel& kernel = result.rows[row];
        const Nanos time = lane.span(i).intersect(report.window).duration();
        ++kernel.count;
        kernel.total = saturating_add(kernel.total, time);
        if (!kernel.longest.valid() || lane.duration(i) > trace.span(kernel.longest).duration())
          kernel.longest = {id, i};
        result.seen.push_back({{id, i}, time, row});
      }
    }
  }
  for (ReportKernel& row : result.rows) {
    row.kernel_class = kernel_class(row.category, trace.text(row.name));
    if (row.category == CategoryClass::kKernel) row.matrix = matrix_use(trace.text(row.name));
  }
  return result;
}

/// Sums weighted by time.
struct Weighted {
  double time = 0;
  double sum = 0;
  void add(double value, Nanos weight) {
    time += static_cast<double>(weight);
    sum += value * static_cast<double>(weight);
  }
  double mean() const { return time == 0 ? 0 : sum / time; }
};

void add_arguments(const Trace& trace, const ArgumentColumns::Gpu& arguments, KernelRows& rows, KernelReport& all) {
  std::vector<Weighted> occupancy(rows.rows.size());
  Weighted total_occupancy, sm_share;
  for (const Seen& seen : rows.seen) {
    const GpuArguments& facts = arguments.of(seen.slice);
    ReportKernel& row = rows.rows[seen.row];
    row.bytes += facts.bytes;
    if (row.category != CategoryClass::kKernel) continue;
    if (facts.occupancy >= 0) occupancy[seen.row].add(facts.occupancy, seen.time);
    if (!row.computes()) continue;
    if (facts.occupancy >= 0) total_occupancy.add(facts.occupancy, seen.time);
    if (facts.blocks_per_sm >= 0) {
      sm_share.add(std::min(facts.blocks_per_sm, 1.0f), seen.time);
      if (facts.blocks_per_sm < 1) {
        all.small_grids = saturating_add(all.small_grids, seen.time);
        if (!all.longest_small.valid() || trace.span(seen.slice).duration() > trace.span(all.longest_small).duration())
          all.longest_small = seen.slice;
      }
    }
  }
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    if (occupancy[r].time > 0) rows.rows[r].occupancy = occupancy[r].mean();
  all.occupancy = total_occupancy.mean();
  all.occupancy_known = all.compute == 0 ? 0 : total_occupancy.time / static_cast<double>(all.compute);
  if (sm_share.time > 0) all.sm_share = sm_share.mean();
}

void sum_up(const Trace& trace, const KernelRows& rows, KernelReport& all) {
  Nanos most_plain = 0;
  for (const ReportKernel& row : rows.rows) {
    if (row.category != CategoryClass::kKernel) continue;
    all.count += row.count;
    all.total = saturating_add(all.total, row.total);
    if (row.kernel_class == KernelClass::kWaiting) all.waiting = saturating_add(all.waiting, row.total);
    if (row.computes()) all.compute = saturating_add(all.compute, row.total);
    if (row.matrix == MatrixUse::kTensor) all.tensor = saturating_add(all.tensor, row.total);
    if (row.matrix == MatrixUse::kUnclear) all.unclear_matrix = saturating_add(all.unclear_matrix, row.total);
    if (row.matrix != MatrixUse::kPlain) continue;
    all.plain_matrix = saturating_add(all.plain_matrix, row.total);
    if (row.total > most_plain) {
      most_plain = row.total;
      all.longest_plain = row.longest;
    }
  }
  std::vector<Nanos> durations;
  for (const Seen& seen : rows.seen)
    if (rows.rows[seen.row].category == CategoryClass::kKernel) durations.push_back(trace.span(seen.slice).duration());
  all.median = median_of(std::move(durations));
}

void sum_up_devices(const Trace& trace, const KernelRows& rows, KernelReport& all) {
  DeviceClasses* sums = nullptr;
  for (const Seen& seen : rows.seen) {
    const ReportKernel& row = rows.rows[seen.row];
    if (!row.computes()) continue;
    const StringId device = trace.track_of(seen.slice).device;
    if (sums == nullptr || sums->device != device) {
      const auto known = std::ranges::find(all.computing, device, &DeviceClasses::device);
      sums = known != all.computing.end() ? &*known : &all.computing.emplace_back(DeviceClasses{device, {}});
    }
    Nanos& time = sums->by_class[static_cast<std::size_t>(row.kernel_class)];
    time = saturating_add(time, seen.time);
  }
}

std::vector<ReportKernelClass> by_class(const Trace& trace, const std::vector<ReportKernel>& rows) {
  std::array<ReportKernelClass, kKernelClassCount> all;
  for (const ReportKernel& row : rows) {
    ReportKernelClass& sum = all[static_cast<std::size_t>(row.kernel_class)];
    sum.kernel_class = row.kernel_class;
    sum.count += row.count;
    sum.total = saturating_add(sum.total, row.total);
    if (!sum.longest.valid() || trace.span(row.longest).duration() > trace.span(sum.longest).duration())
      sum.longest = row.longest;
  }
  std::vector<ReportKernelClass> used;
  for (const ReportKernelClass& sum : all)
    if (sum.count > 0) used.push_back(sum);
  sort_stably(used, std::ranges::greater{}, &ReportKernelClass::total);
  return used;
}

}  // namespace

void report_kernels(const Trace& trace, unsigned threads, Report& report) {
  report.kernel.sm_share = -1;
  KernelRows rows = gather(trace, report);
  sum_up(trace, rows, report.kernel);
  sum_up_devices(trace, rows, report.kernel);
  const auto arguments = argument_columns(trace).gpu(trace, report.source, threads);
  if (arguments) {
    add_arguments(trace, **arguments, rows, report.kernel);
  } else if (!rows.seen.empty()) {
    report.arguments_error = arguments.error().cause;
  }
  report.classes = by_class(trace, rows.rows);
  sort_stably(rows.rows, std::ranges::greater{}, &ReportKernel::total);
  for (const ReportKernel& row : rows.rows)
    (row.category == CategoryClass::kKernel ? report.kernels : report.copies).push_back(row);
}

}  // namespace lacuna
