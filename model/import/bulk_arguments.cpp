#include "model/import/bulk_arguments.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <vector>

#include "model/import/byte_window.h"
#include "model/import/json_text.h"
#include "model/import/quick_arguments.h"
#include "model/import/tolerant_list.h"
#include "model/parallel.h"
#include "model/radix_sort.h"

namespace lacuna {
namespace {

/// The events of one source, one after the other.
class EventTexts {
 public:
  explicit EventTexts(const ByteSource& bytes) : window_(bytes), tolerant_(bytes) {
    tolerant_.keep_all();
  }

  /// False when the event at `offset` cannot be read back. The values are valid until the next
  /// call.
  bool read(std::uint64_t offset, std::span<const std::string_view> keys,
            std::span<std::string_view> values) {
    return read_here(offset, keys, values) || read_carefully(offset, keys, values);
  }

 private:
  // Mostly a few events away: small enough to stay in the cache between reading and scanning.
  static constexpr std::size_t kChunk = std::size_t{1} << 18;
  static constexpr std::size_t kPage = std::size_t{1} << 12;
  static constexpr std::uint64_t kFar = 16 << 10;
  static constexpr std::size_t kMostEvent = std::size_t{64} << 20;

  bool read_here(std::uint64_t offset, std::span<const std::string_view> keys,
                 std::span<std::string_view> values) {
    // Mostly the event lies in what was read for the one before.
    if (offset >= begin_ && offset - begin_ < chunk_.size() &&
        read_arguments_quickly(chunk_.substr(static_cast<std::size_t>(offset - begin_)), keys,
                               values)) {
      last_ = offset;
      return true;
    }
    // Where events lie far apart, what is between them is not read.
    const bool is_far = offset - last_ > kFar;
    last_ = offset;
    for (std::size_t wanted = is_far ? kPage : kChunk; wanted <= kMostEvent; wanted *= 16) {
      chunk_ = window_.at(offset, wanted);
      begin_ = offset;
      if (read_arguments_quickly(chunk_, keys, values)) return true;
      if (chunk_.size() < wanted) break;  // the data end
      if (is_too_odd_ && wanted >= kChunk) break;  // a broken file: more bytes do not help
    }
    is_too_odd_ = true;
    return false;
  }

  /// Any event that the import accepted, mended as there.
  bool read_carefully(std::uint64_t offset, std::span<const std::string_view> keys,
                      std::span<std::string_view> values) {
    ImportReport ignored;
    tolerant_.start(offset, false, ignored);
    if (tolerant_.find_entry() != TolerantList::Found::kEntry || tolerant_.offset() != offset ||
        tolerant_.read_entry() != TolerantList::Read::kEvent)
      return false;
    std::ranges::fill(values, std::string_view{});
    const EventWalker& tokens = tolerant_.tokens();
    tokens.for_each_member(tolerant_.fields().args, [&](TokenIndex key, TokenIndex value) {
      const auto found = std::ranges::find(keys, token_content(tokens.token(key)));
      if (found != keys.end())
        values[static_cast<std::size_t>(found - keys.begin())] = tokens.value_text(value);
    });
    return true;
  }

  ByteWindow window_;
  std::string_view chunk_;
  std::uint64_t begin_ = 0;
  std::uint64_t last_ = 0;   // the offset read last
  bool is_too_odd_ = false;  // an event could not be read in one pass
  TolerantList tolerant_;
};

}  // namespace

FileOrder in_file_order(const Trace& trace, std::span<const SliceId> slices) {
  PageVector<SortKey> keys, scratch;
  keys.resize(slices.size());
  for (std::uint32_t i = 0; i < slices.size(); ++i)
    keys[i] = {trace.lane(slices[i]).file_offset(slices[i].index), i};
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

Result<void> read_arguments_in_bulk(
    const TraceSource& source, std::span<const std::uint64_t> offsets,
    std::span<const std::string_view> keys,
    const std::function<void(std::size_t, std::span<const std::string_view>)>& visit) {
  if (offsets.empty()) return {};
  if (!source.bytes)
    return fail(ErrorCode::kUnsupported, "the bytes of this trace were not kept", source.path);
  if (source.bytes->has_changed())
    return fail(ErrorCode::kNotReadable, "the file changed since it was opened", source.path);
  try {
    EventTexts events(*source.bytes);
    std::vector<std::string_view> values(keys.size());
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      if (!events.read(offsets[k], keys, values))
        return fail(ErrorCode::kNotReadable, "the event cannot be read back", source.path,
                    offsets[k]);
      visit(k, values);
    }
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to read the events", source.path);
  }
  return {};
}

Result<void> read_arguments_in_parallel(
    const TraceSource& source, std::span<const std::uint64_t> offsets,
    std::span<const std::string_view> keys, unsigned threads,
    const std::function<void(std::size_t, std::span<const std::string_view>)>& visit) {
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
