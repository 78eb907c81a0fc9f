#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/check/median_change.h"
#include "model/check/step_samples.h"

namespace lacuna {

/// A limit on how much more something may take in B than in A, by its median per step.
struct CheckLimit {
  std::string text;  ///< as given: "step>3%"
  SampleKind kind = SampleKind::kStep;
  std::string name;     ///< of a cause, class, module, operator or kernel
  bool is_part = true;  ///< `most` is a fraction of A's value, else ns
  double most = 0;      ///< for example 0.03
};

/// Parses "step>3%", "idle>1ms", "cause:synchronisation>200us", "class:gemm>5%", "module:Embedding_0>2%",
/// "operator:…>…", "kernel:…>…". The message of kInvalidArgument says what is wrong.
Result<CheckLimit> parse_check_limit(std::string_view text);

enum class LimitState : std::uint8_t {
  kKept,      ///< with certainty: the whole interval is within the limit
  kExceeded,  ///< with certainty: the whole interval is beyond the limit
  kUnknown,   ///< the values do not suffice
};
struct LimitAnswer {
  CheckLimit limit;
  MedianChange change;
  LimitState state = LimitState::kUnknown;
  bool is_found = true;  ///< false: no run contains that name
};
/// Returns "kept", "exceeded" or "unknown".
std::string_view limit_state_key(LimitState state);

/// How B's steps compare with A's.
enum class CheckVerdict : std::uint8_t { kSame, kSlower, kFaster, kUnknown };
/// Returns "same", "slower", "faster" or "unknown".
std::string_view check_verdict_key(CheckVerdict verdict);

/// Least change that gives a verdict: runs of one program may differ by less even if their steps hardly vary.
inline constexpr double kNoticeableChange = 0.01;
/// Used if no limit is given: 3 % of the step time.
inline constexpr std::string_view kDefaultCheckLimit = "step>3%";
/// Rows that change by less than this fraction of a step are left out.
inline constexpr double kLeastRowChange = 0.001;

struct CheckRow {
  SampleKind kind = SampleKind::kStep;
  std::string name;
  MedianChange change;
};

/// Compares the runs of two sides, step by step.
struct RunCheck {
  CheckVerdict verdict = CheckVerdict::kUnknown;
  MedianChange step;
  MedianChange activities;     ///< GPU activities per step: different numbers mean different work
  std::vector<CheckRow> rows;  ///< rows with a certain change, the largest difference first
  std::vector<LimitAnswer> limits;
  std::size_t runs_a = 0, runs_b = 0;
  std::size_t without_steps = 0;  ///< runs of both sides without steps, each counted as one step

  /// Returns the row that explains most of the step's change: GPU time of an operator, or idle time with a cause (if
  /// there is no GPU, CPU time of an operator); null if none is certain.
  const CheckRow* reason() const;
  /// Returns what the CPU was doing during such idle time; null if unknown.
  const CheckRow* blamed() const;
  /// Returns the state of all limits together: kExceeded if any is, kKept if all are.
  LimitState state() const;
};

/// Compares B with A; each element of `a` and `b` is a run. O(names (n log n)) in the steps. Any thread.
RunCheck check_runs(std::span<const StepSamples> a, std::span<const StepSamples> b, std::span<const CheckLimit> limits);

}  // namespace lacuna
