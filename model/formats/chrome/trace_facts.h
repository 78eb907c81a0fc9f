#pragma once

#include <string>
#include <string_view>

#include "model/trace/trace.h"

namespace lacuna {

/// Is `key` one of the top-level keys that the model understands?
bool is_known_fact(std::string_view key);

/// Takes the value of a known key (valid JSON) into `facts`. True when that tells all of it; false
/// when the value shall also be kept as metadata.
bool add_fact(std::string_view key, const std::string& value, TraceSource& facts);

}  // namespace lacuna
