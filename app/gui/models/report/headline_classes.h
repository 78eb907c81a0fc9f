#pragma once

#include <span>

#include "model/report/headline.h"
#include "model/report/report.h"

namespace lacuna {

/// Replaces the headline's part of all compute kernels by one part per kernel class, the class with most time first.
/// The running time of compute kernels is split by the classes' durations. `reports`: those `headline` was made of.
void split_work_by_class(Headline& headline, std::span<const Report> reports);

}  // namespace lacuna
