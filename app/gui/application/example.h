#pragma once

#include <string>

#include "app/gui/application/app_state.h"

namespace lacuna {

/// The example trace, where the program is installed or where it was built; empty: it is in neither place.
std::string example_trace_path();

/// Opens the example trace. The tour begins when it is open: the first time by itself, later when asked for.
void open_example(App& app, bool with_tour);

}  // namespace lacuna
