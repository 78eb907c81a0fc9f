#pragma once

#include "app/tables/table.h"
#include "model/roofline/roofline.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Makes a table of the roofline's rows in their order; trace and roofline must outlive it.
Table roofline_table(const Trace& trace, const Roofline& roofline);

}  // namespace lacuna
