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

/// How much more something may take in B than in A, by its median a step.
struct CheckLimit {
  std::string text;  ///< as given: "step>3%"
  SampleKind kind = SampleKind::kStep;
  std::string name;     ///< of a cause, class, module, operator or kernel
  bool is_part = true;  ///< `most` is a part of what A takes, else ns
  double most = 0;      ///< 0.03
};

/// "step>3%", "idle>1ms", "cause:synchronisation>200us", "class:gemm>5%", "module:Embedding_0>2%", "operator:…>…",
/// "kernel:…>…". kInvalidArgument says what is wrong.
Result<CheckLimit> parse_check_limit(std::string_view text);

enum class LimitState : std::uint8_t {
  kKept,     ///< certainly: the whole interval is within the limit
  kPassed,   ///< certainly: all of it is beyond
  kUnknown,  ///< the values do not tell
};
struct LimitAnswer {
  CheckLimit limit;
  MedianChange change;
  LimitState state = LimitState::kUnknown;
  bool is_found = true;  ///< false: no run has something of that name
};
/// "kept", "passed", "unknown"
std::string_view limit_state_key(LimitState state);

/// What B's steps are, compared with A's.
enum class CheckVerdict : std::uint8_t { kSame, kSlower, kFaster, kUnknown };
/// "same", "slower", "faster", "unknown"
std::string_view check_verdict_key(CheckVerdict verdict);

/// Runs of one program differ by less than this however little their steps do: no verdict is made of that.
inline constexpr double kNoticeableChange = 0.01;
/// Where no limit is given: 3 %, of steps.
inline constexpr std::string_view kDefaultCheckLimit = "step>3%";
/// Rows that change by less than this part of a step are left out.
inline constexpr double kLeastRowChange = 0.001;

struct CheckRow {
  SampleKind kind = SampleKind::kStep;
  std::string name;
  MedianChange change;
};

/// The runs of two sides compared, step by step.
struct RunCheck {
  CheckVerdict verdict = CheckVerdict::kUnknown;
  MedianChange step;
  MedianChange activities;     ///< GPU activities a step: other numbers mean other work
  std::vector<CheckRow> rows;  ///< what certainly changed, the largest difference first
  std::vector<LimitAnswer> limits;
  std::size_t runs_a = 0, runs_b = 0;
  std::size_t without_steps = 0;  ///< runs of both sides that count as one step each

  /// What explains most of the step's change: GPU time of an operator, or idle time with a cause (without a GPU, CPU
  /// time of an operator); null where nothing certain does.
  const CheckRow* reason() const;
  /// Of such idle time, what the CPU was doing; null where it is not known.
  const CheckRow* blamed() const;
  /// Of all limits: kPassed where any is, kKept where all are.
  LimitState state() const;
};

/// Judges B by A. Each of `a` and `b` is a run. O(names (n log n)) in the steps. Any thread.
RunCheck check_runs(std::span<const StepSamples> a, std::span<const StepSamples> b, std::span<const CheckLimit> limits);

}  // namespace lacuna
