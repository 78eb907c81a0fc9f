#pragma once

#include <span>

#include "model/help/column_help.h"

namespace lacuna {

/// What the numbers of the window's panels mean that are in no table of the command line: part of
/// column_help(), in tables named after the panels.
std::span<const ColumnHelp> panel_help();

}  // namespace lacuna
