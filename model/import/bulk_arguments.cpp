#include "model/import/bulk_arguments.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <vector>

#include "model/base/parallel.h"
#include "model/base/radix_sort.h"
#include "model/import/argument_reader.h"

namespace lacuna {

FileOrder in_file_order(const Trace& trace, std::span<const SliceId> slices) {
  PageVector<SortKey> keys, scratch;
  keys.resize(slices.size());
  for (std::uint32_t i = 0; i < slices.size(); ++i) keys[i] = {trace.lane(slices[i]).file_offset(slices[i].index), i};
  radix_sort(keys, scratch);
  FileOrder order;
  order.offsets.resize(keys.size());
  order.indices.resize(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    order.offsets[k] = keys[k].key;
    order.indices[k] = keys[k].index;
  }
  return order;
}

Result<void> read_arguments_in_bulk(const TraceSource& source, std::span<const std::uint64_t> offsets,
                                    std::span<const std::string_view> keys,
                                    const std::function<void(std::size_t, std::span<const std::string_view>)>& visit) {
  if (offsets.empty()) return {};
  if (!source.bytes) return fail(ErrorCode::kUnsupported, "the bytes of this trace were not kept", source.path);
  if (source.bytes->has_changed())
    return fail(ErrorCode::kNotReadable, "the file changed since it was opened", source.path);
  try {
    ArgumentReader events(source);
    std::vector<std::string_view> values(keys.size());
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      if (!events.read(offsets[k], keys, values))
        return fail(ErrorCode::kNotReadable, "the event cannot be read back", source.path, offsets[k]);
      visit(k, values);
    }
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to read the events", source.path);
  }
  return {};
}

Result<void> read_arguments_in_parallel(
    const TraceSource& source, std::span<const std::uint64_t> offsets, std::span<const std::string_view> keys,
    unsigned threads, const std::function<void(std::size_t, std::span<const std::string_view>)>& visit) {
  // Parts of the file, much larger than what one read fetches.
  constexpr std::size_t kPart = 20'000;
  const std::size_t parts = (offsets.size() + kPart - 1) / kPart;
  std::vector<Result<void>> outcomes(parts);
  parallel_for(parts, threads, [&](std::size_t p) {
    const std::size_t from = p * kPart;
    outcomes[p] = read_arguments_in_bulk(
        source, offsets.subspan(from, std::min(kPart, offsets.size() - from)), keys,
        [&](std::size_t k, std::span<const std::string_view> values) { visit(from + k, values); });
  });
  for (const Result<void>& outcome : outcomes)
    if (!outcome) return outcome;
  return {};
}

}  // namespace lacuna
