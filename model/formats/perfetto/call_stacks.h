#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/formats/perfetto/interned_data.h"

namespace lacuna {

/// The call stack of an event, the innermost frame first, as a JSON list of "function (file:line)": of an
/// InlineCallstack, and of one that its sequence interned (where functions alone are known). Empty without frames.
std::string inline_stack(std::string_view message);
std::string interned_stack(const InternedData& interned, InternedData::Generation generation, std::uint64_t id);

}  // namespace lacuna
