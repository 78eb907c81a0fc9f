#pragma once

#include <span>

#include "model/report/headline.h"
#include "model/report/report.h"

namespace lacuna {

/// Puts a part for each class of kernels in the place of all that compute, the class with the most time first: of the
/// time that some of them ran, as much as of their durations. `reports`: those that `headline` was made of.
void split_work_by_class(Headline& headline, std::span<const Report> reports);

}  // namespace lacuna
