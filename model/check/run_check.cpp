#include "model/check/run_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "model/base/stable_sort.h"
#include "model/causes/gap_cause.h"
#include "model/kernels/kernel_class.h"
#include "model/report/cpu_use.h"

namespace lacuna {
namespace {

/// What limits may be on; "" has no name.
constexpr std::array<SampleKind, 10> kLimited{
    SampleKind::kStep,   SampleKind::kBusy,     SampleKind::kIdle,   SampleKind::kCause, SampleKind::kClass,
    SampleKind::kModule, SampleKind::kOperator, SampleKind::kKernel, SampleKind::kCpu,   SampleKind::kCpuOperator};

bool has_name(SampleKind kind) {
  return kind != SampleKind::kStep && kind != SampleKind::kBusy && kind != SampleKind::kIdle;
}

bool is_known_key(SampleKind kind, std::string_view name) {
  if (kind == SampleKind::kCause) {
    for (const GapCause cause : all_gap_causes())
      if (cause_key(cause) == name) return true;
    return false;
  }
  if (kind == SampleKind::kCpu) {
    for (std::size_t k = 0; k < kCpuKindCount; ++k)
      if (cpu_kind_key(static_cast<CpuKind>(k)) == name) return true;
    return false;
  }
  if (kind == SampleKind::kClass) {
    for (std::size_t c = 0; c < kKernelClassCount; ++c)
      if (kernel_class_key(static_cast<KernelClass>(c)) == name) return true;
    return false;
  }
  return true;
}

/// "3%" or "1.5ms".
bool read_most(std::string_view text, CheckLimit& limit) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit.most);
  if (error != std::errc{} || !std::isfinite(limit.most) || limit.most < 0) return false;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"%", 0.01}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [name, factor] : kUnits)
    if (unit == name) {
      limit.most *= factor;
      limit.is_part = name == "%";
      return true;
    }
  return false;
}

SampleRuns runs_of(std::span<const StepSamples> side, const StepSamples::Key& key) {
  SampleRuns runs;
  for (const StepSamples& run : side) {
    const auto found = run.values.find(key);
    runs.push_back(found == run.values.end() ? std::vector<double>(run.steps, 0.0) : found->second);
  }
  return runs;
}

bool any_has(std::span<const StepSamples> side, const StepSamples::Key& key) {
  return std::any_of(side.begin(), side.end(), [&](const StepSamples& run) { return run.values.count(key) != 0; });
}

LimitState judge_limit(const CheckLimit& limit, const MedianChange& change) {
  if (!change.is_enough) return LimitState::kUnknown;
  double low = change.low, high = change.high;
  if (limit.is_part) {
    // More than nothing is more by any part.
    if (change.a == 0) return low > 0 ? LimitState::kExceeded : high <= 0 ? LimitState::kKept : LimitState::kUnknown;
    low = change.low_part;
    high = change.high_part;
  }
  return low > limit.most ? LimitState::kExceeded : high <= limit.most ? LimitState::kKept : LimitState::kUnknown;
}

CheckVerdict judge_step(const MedianChange& step, double within) {
  if (!step.is_enough) return CheckVerdict::kUnknown;
  if (step.is_more() && step.part() >= kNoticeableChange) return CheckVerdict::kSlower;
  if (step.is_less() && step.part() <= -kNoticeableChange) return CheckVerdict::kFaster;
  return step.high_part <= within && step.low_part >= -within ? CheckVerdict::kSame : CheckVerdict::kUnknown;
}

bool explains_step(const CheckRow& row) {
  // Which operator it is says more than that it is one.
  if (row.kind == SampleKind::kCpu) return row.name != cpu_kind_key(CpuKind::kOperators);
  return row.kind == SampleKind::kOperator || row.kind == SampleKind::kCause || row.kind == SampleKind::kCpuOperator;
}

}  // namespace

Result<CheckLimit> parse_check_limit(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is no limit: " + std::string(why));
  };
  const std::size_t sign = text.rfind('>');  // names may have such signs
  if (sign == std::string_view::npos) return refuse("it is WHAT>MOST, like step>3%");
  CheckLimit limit;
  limit.text = text;
  if (!read_most(text.substr(sign + 1), limit)) return refuse("what follows > is a number with %, ns, us, ms or s");
  const std::string_view what = text.substr(0, sign);
  const std::size_t colon = what.find(':');
  const std::string_view key = what.substr(0, colon);
  if (colon != std::string_view::npos) limit.name = what.substr(colon + 1);
  for (const SampleKind kind : kLimited) {
    if (sample_kind_key(kind) != key) continue;
    limit.kind = kind;
    if (has_name(kind) == limit.name.empty())
      return refuse(has_name(kind) ? "that needs a name, like class:gemm>5%" : "that has no name");
    if (!is_known_key(kind, limit.name)) return refuse("there is no such cause, class or kind of time");
    return limit;
  }
  return refuse("it is on step, busy, idle, cause:, class:, module:, operator:, kernel:, cpu: or cpuOperator:");
}

std::string_view limit_state_key(LimitState state) {
  return state == LimitState::kKept ? "kept" : state == LimitState::kExceeded ? "exceeded" : "unknown";
}

std::string_view check_verdict_key(CheckVerdict verdict) {
  constexpr std::array<std::string_view, 4> kKeys{"same", "slower", "faster", "unknown"};
  return kKeys[static_cast<std::size_t>(verdict)];
}

const CheckRow* RunCheck::reason() const {
  const bool is_more = step.difference() > 0;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CheckRow& row) {
    return explains_step(row) && (row.change.difference() > 0) == is_more;
  });
  return found == rows.end() ? nullptr : &*found;
}

const CheckRow* RunCheck::blamed() const {
  const CheckRow* why = reason();
  if (why == nullptr || why->kind != SampleKind::kCause) return nullptr;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CheckRow& row) {
    return row.kind == SampleKind::kBlamed && (row.change.difference() > 0) == (why->change.difference() > 0);
  });
  // What has less than half of it does not explain it.
  return found == rows.end() || std::abs(found->change.difference()) < std::abs(why->change.difference()) / 2 ? nullptr
                                                                                                              : &*found;
}

LimitState RunCheck::state() const {
  LimitState all = LimitState::kKept;
  for (const LimitAnswer& answer : limits) {
    if (answer.state == LimitState::kExceeded) return LimitState::kExceeded;
    if (answer.state == LimitState::kUnknown) all = LimitState::kUnknown;
  }
  return all;
}

RunCheck check_runs(std::span<const StepSamples> a, std::span<const StepSamples> b,
                    std::span<const CheckLimit> limits) {
  RunCheck check;
  check.runs_a = a.size();
  check.runs_b = b.size();
  for (const std::span<const StepSamples> side : {a, b})
    for (const StepSamples& run : side) check.without_steps += run.has_steps ? 0 : 1;
  const auto change_of = [&](const StepSamples::Key& key) { return compare_medians(runs_of(a, key), runs_of(b, key)); };
  check.step = change_of({SampleKind::kStep, {}});
  check.activities = change_of({SampleKind::kActivities, {}});

  double within = 0.03;
  for (const CheckLimit& limit : limits) {
    LimitAnswer& answer = check.limits.emplace_back();
    const StepSamples::Key key{limit.kind, limit.name};
    answer.limit = limit;
    answer.change = change_of(key);
    const bool is_always_there = limit.kind != SampleKind::kModule && limit.kind != SampleKind::kOperator &&
                                 limit.kind != SampleKind::kKernel && limit.kind != SampleKind::kCpuOperator;
    answer.is_found = is_always_there || any_has(a, key) || any_has(b, key);
    if (answer.is_found) answer.state = judge_limit(limit, answer.change);
    if (limit.kind == SampleKind::kStep && limit.is_part) within = limit.most;
  }
  check.verdict = judge_step(check.step, within);

  std::set<StepSamples::Key> keys;
  for (const std::span<const StepSamples> side : {a, b})
    for (const StepSamples& run : side)
      for (const auto& [key, values] : run.values) keys.insert(key);
  for (const StepSamples::Key& key : keys) {
    if (key.first == SampleKind::kStep || key.first == SampleKind::kActivities) continue;
    MedianChange change = change_of(key);
    if (std::abs(change.difference()) < kLeastRowChange * check.step.a) continue;
    if (change.is_more() || change.is_less()) check.rows.push_back({key.first, key.second, change});
  }
  sort_stably(check.rows, [](const CheckRow& x, const CheckRow& y) {
    return std::abs(x.change.difference()) > std::abs(y.change.difference());
  });
  return check;
}

}  // namespace lacuna
