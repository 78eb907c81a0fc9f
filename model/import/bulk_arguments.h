#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "model/result.h"
#include "model/trace.h"

namespace lacuna {

/// Reads some args of many events from the bytes that their source keeps: for tables that group by
/// what the model does not hold (shapes, stacks, bytes). `offsets` ascend, so that the file is read
/// once, forward; about 1 us an event.
///
/// Calls visit(k, values) for each offset in turn: values[j] is what args has at keys[j], as
/// written in the file (strings with their quotes and escapes, see json_text.h), empty where it has
/// nothing. The views are valid during the call only. Damaged events are mended as in the import.
///
/// kUnsupported when the source has no bytes; kNotReadable when an event cannot be read back, which
/// means that the file changed. Nothing is visited after an error.
Result<void> read_arguments_in_bulk(
    const TraceSource& source, std::span<const std::uint64_t> offsets,
    std::span<const std::string_view> keys,
    const std::function<void(std::size_t, std::span<const std::string_view>)>& visit);

}  // namespace lacuna
