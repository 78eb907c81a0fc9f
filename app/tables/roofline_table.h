#pragma once

#include "app/tables/table.h"
#include "model/roofline/roofline.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The rows of a roofline, in their order; both must outlive the table.
Table roofline_table(const Trace& trace, const Roofline& roofline);

}  // namespace lacuna
