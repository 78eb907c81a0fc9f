#pragma once

#include <nlohmann/json.hpp>

#include "model/trace.h"

namespace lacuna {

/// Compares what the analyses say of `trace` with a .ref.json: every number as an exact integer.
/// Looks at the sections that the reference has, so it serves the references of the shared traces
/// and those that tests/golden/reference.py makes. Returns how many sections it compared.
int check_reference(const Trace& trace, const nlohmann::json& reference);

}  // namespace lacuna
