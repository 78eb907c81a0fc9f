#include "app/tables/diff_summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "render/format.h"

namespace lacuna {

std::string diff_count(double n) {
  return n == std::floor(n) ? format_count(static_cast<std::uint64_t>(n)) : fmt::format("{:.1f}", n);
}

std::string rounded_duration(double ns) {
  return format_duration(static_cast<Nanos>(std::llround(ns)));
}

std::array<std::string, 6> diff_cells(const TraceDiff& diff, const DiffRow& row, DiffKey key, bool is_whole) {
  const auto text = [is_whole](double value, DiffKey of) {
    if (is_whole) return fmt::format("{}", value);
    return of == DiffKey::kCount ? diff_count(value) : rounded_duration(value);
  };
  const double a = diff.value_a(row, key), b = diff.value_b(row, key);
  return {text(diff.value_a(row, DiffKey::kCount), DiffKey::kCount),
          text(diff.value_b(row, DiffKey::kCount), DiffKey::kCount),
          text(a, key),
          text(b, key),
          is_whole                 ? fmt::format("{}", b - a)
          : key == DiffKey::kCount ? fmt::format("{:+.4g}", b - a)
                                   : signed_duration(b - a),
          a == 0   ? "new"
          : b == 0 ? "gone"
                   : fmt::format("{:.2f}\xC3\x97", b / a)};
}

std::string signed_duration(double ns) {
  const auto whole = static_cast<Nanos>(std::llround(ns));
  if (whole == 0) return "0 ns";
  return (whole < 0 ? "\xE2\x88\x92" : "+") + format_duration(std::abs(whole));
}

namespace {

/// Busy share, idle time and its causes of one GPU.
void add_device(const TraceDiff& diff, const DiffDevice& pair, std::vector<DiffFact>& facts) {
  const DeviceReport none;
  const DeviceReport& a = pair.a ? diff.a.devices[*pair.a] : none;
  const DeviceReport& b = pair.b ? diff.b.devices[*pair.b] : none;
  const auto shown = [](bool is_there, std::string text) { return is_there ? std::move(text) : std::string("-"); };
  const auto add = [&](const std::string& what, Nanos of_a, Nanos of_b, int indent) {
    const double in_a = static_cast<double>(of_a) / diff.steps_a, in_b = static_cast<double>(of_b) / diff.steps_b;
    facts.push_back({what, shown(pair.a.has_value(), rounded_duration(in_a)),
                     shown(pair.b.has_value(), rounded_duration(in_b)),
                     pair.a && pair.b ? signed_duration(in_b - in_a) : std::string{}, indent});
  };
  const double busy_a = TimeUse::part(a.busy, diff.a.use.wall), busy_b = TimeUse::part(b.busy, diff.b.use.wall);
  facts.push_back({pair.name + " busy", shown(pair.a.has_value(), format_percent(busy_a)),
                   shown(pair.b.has_value(), format_percent(busy_b)),
                   pair.a && pair.b ? fmt::format("{:+.1f} points", 100 * (busy_b - busy_a)) : std::string{}, 0});
  add(pair.name + " idle", a.idle, b.idle, 0);
  for (const GapCause cause : all_gap_causes())
    if (a.lost(cause) != 0 || b.lost(cause) != 0) add(std::string(cause_name(cause)), a.lost(cause), b.lost(cause), 1);
}

const PhaseTimes* find_phase(const StepPhases& of, StepPhase phase) {
  const auto found = std::ranges::find(of.phases, phase, &PhaseTimes::phase);
  return found == of.phases.end() ? nullptr : &*found;
}

/// Of inference servers: the steps of each phase that either side has.
void add_phases(const TraceDiff& diff, std::vector<DiffFact>& facts) {
  for (const StepPhase phase : {StepPhase::kPrefill, StepPhase::kDecode, StepPhase::kMixed, StepPhase::kIdle}) {
    const PhaseTimes* a = find_phase(diff.a.phases, phase);
    const PhaseTimes* b = find_phase(diff.b.phases, phase);
    if (a == nullptr && b == nullptr) continue;
    const std::string name = fmt::format("Phase {}", step_phase_key(phase));
    const auto shown = [](const PhaseTimes* of, auto&& text) { return of == nullptr ? std::string("-") : text(*of); };
    const auto steps = [](const PhaseTimes& of) { return format_count(of.steps); };
    const auto median = [](const PhaseTimes& of) { return format_duration(of.median); };
    const auto busy_part = [](const PhaseTimes& of) { return TimeUse::part(of.busy, of.length); };
    const auto busy = [&](const PhaseTimes& of) { return format_percent(busy_part(of)); };
    const bool are_both = a != nullptr && b != nullptr;
    facts.push_back({name + ", steps", shown(a, steps), shown(b, steps), {}, 0});
    facts.push_back({"median step", shown(a, median), shown(b, median),
                     are_both ? signed_duration(static_cast<double>(b->median - a->median)) : std::string(), 1});
    facts.push_back({"GPU busy", shown(a, busy), shown(b, busy),
                     are_both ? fmt::format("{:+.1f} points", 100 * (busy_part(*b) - busy_part(*a))) : std::string(),
                     1});
  }
}

}  // namespace

std::vector<DiffFact> summarise_diff(const TraceDiff& diff) {
  std::vector<DiffFact> facts;
  const auto add = [&](std::string what, double a, double b, int indent = 0) {
    facts.push_back({std::move(what), rounded_duration(a), rounded_duration(b), signed_duration(b - a), indent});
  };
  const auto in_a = [&](Nanos t) { return static_cast<double>(t) / diff.steps_a; };
  const auto in_b = [&](Nanos t) { return static_cast<double>(t) / diff.steps_b; };
  add("Wall time", in_a(diff.a.use.wall), in_b(diff.b.use.wall));
  const auto median_step = [](const Report& report) {
    return report.steps.has_steps() ? format_duration(report.steps.median()) : std::string("-");
  };
  const bool both_step = diff.a.steps.has_steps() && diff.b.steps.has_steps();
  if (diff.a.steps.has_steps() || diff.b.steps.has_steps())
    facts.push_back({"Median step", median_step(diff.a), median_step(diff.b),
                     both_step ? signed_duration(static_cast<double>(diff.b.steps.median() - diff.a.steps.median()))
                               : std::string{},
                     0});
  add_phases(diff, facts);
  for (std::size_t k = 0; k < kTimeKindCount; ++k)
    if (diff.a.use.by_kind[k] != 0 || diff.b.use.by_kind[k] != 0)
      add(std::string(time_kind_name(static_cast<TimeKind>(k))), in_a(diff.a.use.by_kind[k]),
          in_b(diff.b.use.by_kind[k]), 1);
  // What the window pays for, but did not ask for: ranks differ by it, and so do their kernels.
  const Nanos early_a = diff.a.missing.unlinked_at_start_busy, early_b = diff.b.missing.unlinked_at_start_busy;
  if (early_a != 0 || early_b != 0) add("launched before the recording", in_a(early_a), in_b(early_b), 1);
  for (const DiffDevice& pair : diff.devices) add_device(diff, pair, facts);
  facts.push_back({"Verdict", std::string(bound_name(diff.a.bound)), std::string(bound_name(diff.b.bound)), {}, 0});
  return facts;
}

}  // namespace lacuna
