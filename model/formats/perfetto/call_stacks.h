#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/formats/perfetto/interned_data.h"

namespace lacuna {

/// Returns the call stack of an event, innermost frame first, as a JSON list of "function (file:line)": from an
/// InlineCallstack, or from an interned callstack (functions only). Empty without frames.
std::string inline_stack(std::string_view message);
std::string interned_stack(const InternedData& interned, InternedData::Generation generation, std::uint64_t id);

}  // namespace lacuna
