#pragma once

#include <memory>

#include "app/gui/core/document.h"
#include "app/gui/models/area/range_analysis.h"

namespace lacuna {

/// Returns the analysis of a range that the other machine sent, in the form of analyze_range(); null if the document's
/// picture came without numbers.
std::shared_ptr<const RangeAnalysis> analysis_of_answers(const Document& document);

}  // namespace lacuna
