#pragma once

#include <memory>

#include "app/gui/core/document.h"
#include "app/gui/models/area/range_analysis.h"

namespace lacuna {

/// The other machine's numbers of a range, as analyze_range() would give them; null where the document's picture
/// came without numbers.
std::shared_ptr<const RangeAnalysis> analysis_of_answers(const Document& document);

}  // namespace lacuna
