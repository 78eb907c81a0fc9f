#include "app/tables/group_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "render/format.h"

namespace lacuna {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string duration(double ns) {
  return std::isnan(ns) ? "-" : format_duration(static_cast<Nanos>(std::llround(ns)));
}
std::string count(double n) {
  return std::isnan(n) ? "-" : format_count(static_cast<std::uint64_t>(n));
}
std::string percent(double p) {
  return std::isnan(p) ? "-" : format_percent(p / 100);
}
std::string bytes(double b) {
  return std::isnan(b) ? "-" : format_bytes(static_cast<std::uint64_t>(b));
}
std::string plain(double v) {
  if (v >= 1000) return format_count(static_cast<std::uint64_t>(std::llround(v)));
  return std::isnan(v) ? "-" : fmt::format("{:.3g}", v);
}
/// 1.23 G
std::string scaled(double v) {
  if (std::isnan(v)) return "-";
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  for (; v >= 1000 && unit + 1 < std::size(kUnits); ++unit) v /= 1000;
  return fmt::format("{:.3g}{}", v, kUnits[unit]);
}

using T = Trace;
using G = GroupTable;
using R = GroupRow;
void nothing(GroupColumns&) {}
void flops(GroupColumns& c) {
  c.flops = true;
}
void arguments(GroupColumns& c) {
  c.gpu_arguments = true;
}
void roofline(GroupColumns& c) {
  c.roofline = true;
}
void percentiles(GroupColumns& c) {
  c.percentiles = true;
}

using Sizes = std::array<std::int32_t, 3>;
double volume(const Sizes& size) {
  return size[0] == 0 ? kUnknown : 1.0 * size[0] * size[1] * size[2];
}
/// "110x1x1"; with "…" where other kernels of the row have others.
std::string sizes_text(const Sizes& size, bool differs) {
  return fmt::format("{}x{}x{}{}", size[0], size[1], size[2], differs ? " …" : "");
}
std::string sizes_list(const Sizes& size) {
  return fmt::format("[{}]", fmt::join(size, ","));
}

double real(Nanos t) {
  return static_cast<double>(t);
}

constexpr GroupColumn kColumns[] = {
    {"count", "Count", "count", true, nothing,
     [](const T&, const G&, const R& r) { return static_cast<double>(r.count); }, count, true},
    {"total", "Total", "totalNs", true, nothing, [](const T&, const G&, const R& r) { return real(r.total); }, duration,
     true},
    {"self", "Self", "selfNs", true, nothing, [](const T&, const G&, const R& r) { return real(r.self); }, duration,
     true},
    {"avg", "Avg", "avgNs", true, nothing, [](const T&, const G&, const R& r) { return real(r.average()); }, duration,
     true},
    {"min", "Min", "minNs", true, nothing, [](const T&, const G&, const R& r) { return real(r.min); }, duration, true},
    {"max", "Max", "maxNs", true, nothing, [](const T&, const G&, const R& r) { return real(r.max); }, duration, true},
    {"p50", "P50", "p50Ns", false, percentiles, [](const T&, const G&, const R& r) { return real(r.p50); }, duration,
     true},
    {"p99", "P99", "p99Ns", false, percentiles, [](const T&, const G&, const R& r) { return real(r.p99); }, duration,
     true},
    {"share", "Share", "sharePercent", true, nothing,
     [](const T& t, const G& g, const R& r) { return std::round(100 * g.share(t, r) * 1e4) / 1e4; }, percent, false},
    {"launch_delay", "Launch delay", "launchDelayNs", false, [](GroupColumns& c) { c.launch_delay = true; },
     [](const T&, const G&, const R& r) {
       return r.launch_delays == 0 ? kUnknown : std::round(real(r.launch_delay) / static_cast<double>(r.launch_delays));
     },
     duration, true},
    {"gpu_time", "GPU time", "gpuTimeNs", false, [](GroupColumns& c) { c.gpu_time = true; },
     [](const T&, const G&, const R& r) { return r.gpu_time == 0 ? kUnknown : real(r.gpu_time); }, duration, true},
    {"occupancy", "Occupancy", "occupancyPercent", false, arguments,
     [](const T&, const G&, const R& r) { return r.occupancy < 0 ? kUnknown : r.occupancy; }, percent, false},
    {"bytes", "Bytes", "bytes", false, arguments,
     [](const T&, const G&, const R& r) { return r.bytes == 0 ? kUnknown : static_cast<double>(r.bytes); }, bytes,
     true},
    {"gbps", "GB/s", "gigabytesPerSecond", false, [](GroupColumns& c) { c.gpu_arguments = c.roofline = true; },
     [](const T&, const G&, const R& r) {
       if (r.bytes != 0) return r.gigabytes_per_second();
       return r.roofline.time == 0 ? kUnknown : r.roofline.timed_bytes / real(r.roofline.time);
     },
     plain, false},
    {"flops", "FLOPs", "flops", false, flops,
     [](const T&, const G&, const R& r) { return r.flop_calls == 0 ? kUnknown : r.flops; }, scaled, true},
    {"tflops", "TFLOP/s", "tflops", false, flops,
     [](const T&, const G&, const R& r) { return r.flop_calls == 0 ? kUnknown : r.tflops(); }, plain, false},
    {"peak", "Peak %", "peakPercent", false, flops,
     [](const T&, const G&, const R& r) {
       return r.flop_calls == 0 || r.peak_tflops == 0 ? kUnknown : 100 * r.tflops() / r.peak_tflops;
     },
     percent, false},
    {"intensity", "FLOP/B", "flopPerByte", false, roofline,
     [](const T&, const G&, const R& r) {
       return r.roofline.bytes == 0 ? kUnknown : r.roofline.flop / r.roofline.bytes;
     },
     plain, false},
    {"roof", "Of roof", "percentOfRoof", false, roofline,
     [](const T&, const G&, const R& r) {
       return r.roofline.roofed_time == 0 ? kUnknown : 100 * r.roofline.best_time / real(r.roofline.roofed_time);
     },
     percent, false},
    {"bound", "Bound by", "bound", false, roofline,
     [](const T&, const G&, const R& r) {
       return r.roofline.bound() == RooflineBound::kUnknown ? kUnknown : static_cast<double>(r.roofline.bound());
     },
     plain, false, [](const R& r) { return std::string(roofline_bound_key(r.roofline.bound())); }},
    {"grid", "Grid", "grid", false, arguments, [](const T&, const G&, const R& r) { return volume(r.grid); }, plain,
     false, [](const R& r) { return sizes_text(r.grid, r.grids_differ); },
     [](const R& r) { return sizes_list(r.grid); }},
    {"block", "Block", "block", false, arguments, [](const T&, const G&, const R& r) { return volume(r.block); }, plain,
     false, [](const R& r) { return sizes_text(r.block, r.grids_differ); },
     [](const R& r) { return sizes_list(r.block); }},
};

}  // namespace

std::span<const GroupColumn> group_columns() {
  return kColumns;
}

const GroupColumn* group_column(std::string_view key) {
  const auto found = std::ranges::find(kColumns, key, &GroupColumn::key);
  return found == std::end(kColumns) ? nullptr : found;
}

std::string GroupColumn::text_of(const Trace& trace, const GroupTable& table, const GroupRow& row) const {
  const double known = value(trace, table, row);
  return words == nullptr || std::isnan(known) ? text(known) : words(row);
}

}  // namespace lacuna
