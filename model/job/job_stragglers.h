#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/job/job.h"

namespace lacuna {

/// A cell of the map is a straggler's when its own lateness is this part of the step's length (3/100): chance makes
/// every rank last now and then.
inline constexpr double kStragglerShare = 0.03;
/// … and at least so long.
inline constexpr Nanos kStragglerDelayNs = 50'000;

/// Fills Job::stragglers from Job::cells and what the ranks did: who made others wait, why, and where that is to be
/// seen.
void find_stragglers(Job& job);

/// "step 12", "steps 10, 11", "34 of 100 steps, from 0 to 99": few are listed, many counted; "whole trace" where none
/// have numbers.
std::string straggler_steps(const Job& job, const Straggler& straggler);

/// The rank that waited longest in one collective of the step for this rank, which came last to it: the two beside
/// each other prove the lateness. Nothing where the rank came last to none. Indices in Job::ranks and Job::steps.
/// O(collectives).
std::optional<std::uint32_t> longest_waiting(const Job& job, std::uint32_t rank, std::uint32_t step);

}  // namespace lacuna
