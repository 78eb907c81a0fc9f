#pragma once

#include <span>

#include "model/help/column_help.h"

namespace lacuna {

/// Returns the meaning of numbers in the window's panels that no table of the command line has: part of
/// column_help(), in tables named after the panels.
std::span<const ColumnHelp> panel_help();

}  // namespace lacuna
