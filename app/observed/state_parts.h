#pragma once
// The parts of the state that StateWriter writes. Keys are those that tests/e2e read.

#include <cstddef>

#include <nlohmann/json.hpp>

#include "app/gui/shell/shell.h"

namespace lacuna {

using StateJson = nlohmann::json;

inline constexpr std::size_t kMostCopied = 4000;  ///< bytes of a console or of the clipboard

/// Returns begin and end in ns.
StateJson span_json(TimeSpan span);

/// Returns the window around the trace: dialogs, settings, the omnibox, what the panels say they show.
StateJson window_state(const App& app, const Shell& shell);
/// Adds recordings, jobs, other machines and their answers.
void add_live_state(StateJson& json, const App& app, const Shell& shell);
/// Adds what is selected, also where no trace is open.
void add_selection(StateJson& json, const App& app);

// With a trace only.
/// Adds the timeline: what it shows, and where on the screen.
void add_timeline_state(StateJson& json, const App& app, const Shell& shell);
/// Adds statistics, gaps and their causes, comparison and search.
void add_table_state(StateJson& json, const App& app);
/// Adds calls, SQL, critical path, roofline, memory and launched work.
void add_analysis_state(StateJson& json, const App& app, const Shell& shell);

}  // namespace lacuna
