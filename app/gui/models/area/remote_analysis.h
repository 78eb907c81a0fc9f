#pragma once

#include <memory>

#include "app/gui/core/document.h"
#include "app/gui/models/area/range_analysis.h"

namespace lacuna {

/// What the other machine told of a range with the document's picture, as analyze_range() would have it; null where it
/// told no numbers.
std::shared_ptr<const RangeAnalysis> analysis_of_answers(const Document& document);

}  // namespace lacuna
