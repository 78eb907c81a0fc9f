#pragma once

#include "app/tables/table.h"
#include "model/roofline/roofline.h"

namespace lacuna {

/// Makes a table of the roofline's rows in their order; it must outlive it.
Table roofline_table(const Roofline& roofline);

}  // namespace lacuna
