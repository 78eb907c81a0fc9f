#include "app/tables/diff_summary.h"

#include <cmath>

#include <fmt/format.h>

#include "render/format.h"

namespace lacuna {
namespace {

std::string rounded_duration(double ns) {
  return format_duration(static_cast<Nanos>(std::llround(ns)));
}

}  // namespace

std::string signed_duration(double ns) {
  const auto whole = static_cast<Nanos>(std::llround(ns));
  if (whole == 0) return "0 ns";
  return (whole < 0 ? "\xE2\x88\x92" : "+") + format_duration(std::abs(whole));
}

std::vector<DiffFact> summarise_diff(const TraceDiff& diff) {
  std::vector<DiffFact> facts;
  const auto add = [&](std::string what, double a, double b, int indent = 0) {
    facts.push_back({std::move(what), rounded_duration(a), rounded_duration(b), signed_duration(b - a), indent});
  };
  const auto in_a = [&](Nanos t) { return static_cast<double>(t) / diff.steps_a; };
  const auto in_b = [&](Nanos t) { return static_cast<double>(t) / diff.steps_b; };
  add("Wall time", in_a(diff.a.use.wall), in_b(diff.b.use.wall));
  if (diff.a.steps.has_steps() || diff.b.steps.has_steps())
    add("Median step", static_cast<double>(diff.a.steps.median()), static_cast<double>(diff.b.steps.median()));
  const DeviceReport none;
  const DeviceReport& device_a = diff.a.busiest() == nullptr ? none : *diff.a.busiest();
  const DeviceReport& device_b = diff.b.busiest() == nullptr ? none : *diff.b.busiest();
  const double busy_a = TimeUse::part(device_a.busy, diff.a.use.wall);
  const double busy_b = TimeUse::part(device_b.busy, diff.b.use.wall);
  facts.push_back({"GPU busy", format_percent(busy_a), format_percent(busy_b),
                   fmt::format("{:+.1f} points", 100 * (busy_b - busy_a)), 0});
  for (std::size_t k = 0; k < kTimeKindCount; ++k)
    if (diff.a.use.by_kind[k] != 0 || diff.b.use.by_kind[k] != 0)
      add(std::string(time_kind_name(static_cast<TimeKind>(k))), in_a(diff.a.use.by_kind[k]),
          in_b(diff.b.use.by_kind[k]), 1);
  // What the window pays for, but did not ask for: ranks differ by it, and so do their kernels.
  const Nanos early_a = diff.a.missing.unlinked_at_start_busy, early_b = diff.b.missing.unlinked_at_start_busy;
  if (early_a != 0 || early_b != 0) add("launched before the recording", in_a(early_a), in_b(early_b), 1);
  add("GPU idle", in_a(device_a.idle), in_b(device_b.idle));
  for (const GapCause cause : all_gap_causes())
    if (device_a.lost(cause) != 0 || device_b.lost(cause) != 0)
      add(std::string(cause_name(cause)), in_a(device_a.lost(cause)), in_b(device_b.lost(cause)), 1);
  facts.push_back({"Verdict", std::string(bound_name(diff.a.bound)), std::string(bound_name(diff.b.bound)), {}, 0});
  return facts;
}

}  // namespace lacuna
