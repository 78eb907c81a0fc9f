#pragma once

#include <string>
#include <string_view>

#include "model/trace/trace.h"

namespace lacuna {

/// Whether `key` is one of the top-level keys that the model understands.
bool is_known_fact(std::string_view key);

/// Stores the value of a known key (valid JSON) in `facts`. Returns true if nothing of it is lost; false
/// if the value must also be kept as metadata.
bool add_fact(std::string_view key, const std::string& value, TraceSource& facts);

}  // namespace lacuna
