#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The ascending file offsets of many slices of one source: the slice with index indices[k] in the input
/// is at offsets[k].
struct FileOrder {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> indices;
};
/// Sorts the slices by file offset. O(n) in practice (a radix sort).
FileOrder in_file_order(const Trace& trace, std::span<const SliceId> slices);

/// Reads some args of many events from their source's bytes: for tables that group by
/// data that the model does not hold (shapes, stacks, bytes). `offsets` must ascend, so that the file is read
/// once, forward; about 0.3 us per event.
///
/// Calls visit(k, values) for each offset in turn: values[j] is the arg keys[j], as
/// written in the file (strings with their quotes and escapes, see json_text.h), empty if it is
/// missing. The views are valid during the call only. Damaged events are repaired as in the import.
///
/// kUnsupported if the source has no bytes; kNotReadable if an event cannot be read back, which
/// means that the file changed. Nothing is visited after an error.
Result<void> read_arguments_in_bulk(const TraceSource& source, std::span<const std::uint64_t> offsets,
                                    std::span<const std::string_view> keys,
                                    const std::function<void(std::size_t, std::span<const std::string_view>)>& visit);

/// Like read_arguments_in_bulk(), on up to `threads` threads, which call visit() for different k concurrently, in no
/// order; some events may have been visited before an error is returned.
Result<void> read_arguments_in_parallel(
    const TraceSource& source, std::span<const std::uint64_t> offsets, std::span<const std::string_view> keys,
    unsigned threads, const std::function<void(std::size_t, std::span<const std::string_view>)>& visit);

}  // namespace lacuna
