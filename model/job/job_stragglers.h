#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/job/job.h"

namespace lacuna {

/// A rank counts as a straggler in a step if its own lateness is at least this fraction of the step's length (3/100):
/// by chance every rank is the last now and then.
inline constexpr double kStragglerShare = 0.03;
/// Least lateness of a straggler in a step.
inline constexpr Nanos kStragglerDelayNs = 50'000;

/// Fills Job::stragglers from Job::cells and the ranks' work: who delayed others, why, and the
/// evidence.
void find_stragglers(Job& job);

/// Describes a straggler's steps: "step 12", "steps 10, 11", "34 of 100 steps, from 0 to 99": lists few, counts many;
/// "whole trace" if no step has a number.
std::string straggler_steps(const Job& job, const Straggler& straggler);

/// Returns the rank that waited longest in one collective of the step for `rank`, the last to enter it: the two side
/// by side prove the lateness. Nothing if the rank was never the last. Indices in Job::ranks and Job::steps.
/// O(collectives).
std::optional<std::uint32_t> longest_waiting(const Job& job, std::uint32_t rank, std::uint32_t step);

}  // namespace lacuna
