#include "model/columns/argument_scan.h"

#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/base/radix_sort.h"
#include "model/import/argument_reader.h"

namespace lacuna {
namespace {

/// Bytes of a piece of the file: large against what is read at its edges, small against a file.
constexpr std::uint64_t kPiece = 8 << 20;

class Scanner {
 public:
  Scanner(const Trace& trace, const ArgumentScan& scan)
      : trace_(trace), scan_(scan), source_(trace.sources()[scan.source.value]) {
    for (const LaneId id : scan.lanes) {
      const auto offsets = trace.lane(id).file_offsets();
      if (offsets.empty()) continue;
      const bool ascends = std::ranges::is_sorted(offsets);
      lanes_.push_back({id, ascends});
      end_ = std::max(end_, 1 + (ascends ? offsets.back() : *std::ranges::max_element(offsets)));
    }
  }

  Result<void> run() {
    const unsigned workers = std::max(scan_.threads, 1u);
    const auto pieces = static_cast<std::size_t>((end_ + kPiece - 1) / kPiece);
    std::vector<Result<void>> outcomes(workers);
    std::atomic<std::size_t> next{0};
    parallel_for(workers, workers, [&](std::size_t w) {
      ArgumentReader reader(source_);
      for (std::size_t p; outcomes[w] && (p = next.fetch_add(1)) < pieces;) {
        outcomes[w] = is_cancelled(scan_.cancel) ? fail(ErrorCode::kCancelled, "cancelled", source_.path)
                                                 : read_piece(p * kPiece, static_cast<unsigned>(w), reader);
        if (!outcomes[w]) next = pieces;
      }
    });
    for (const Result<void>& outcome : outcomes)
      if (!outcome) return outcome;
    return {};
  }

 private:
  struct ScannedLane {
    LaneId id;
    bool ascends = false;  ///< its slices stand in the file in their order, as they mostly do
  };
  struct Item {
    SliceId slice;
    int keys = 0;
  };

  Result<void> read_piece(std::uint64_t begin, unsigned worker, ArgumentReader& reader) {
    PageVector<SortKey> order, scratch;
    std::vector<Item> items;
    const auto add = [&](const Lane& lane, SliceId slice) {
      const int keys = scan_.wanted(lane, slice.index);
      if (keys < 0) return;
      order.push_back({lane.file_offset(slice.index), static_cast<std::uint32_t>(items.size())});
      items.push_back({slice, keys});
    };
    for (const auto& [id, ascends] : lanes_) {
      const Lane& lane = trace_.lane(id);
      const auto offsets = lane.file_offsets();
      if (ascends) {
        const auto first = std::ranges::lower_bound(offsets, begin);
        for (auto at = first; at != offsets.end() && *at < begin + kPiece; ++at)
          add(lane, {id, static_cast<std::uint32_t>(at - offsets.begin())});
      } else {
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          if (offsets[i] >= begin && offsets[i] - begin < kPiece) add(lane, {id, i});
      }
    }
    radix_sort(order, scratch);
    std::vector<std::string_view> values;
    for (const SortKey& next : order) {
      const Item& item = items[next.index];
      const auto keys = scan_.keys[static_cast<std::size_t>(item.keys)];
      values.resize(keys.size());
      if (!reader.read(next.key, keys, values))
        return fail(ErrorCode::kNotReadable, "the event cannot be read back", source_.path, next.key);
      scan_.visit(worker, item.slice, values);
    }
    return {};
  }

  const Trace& trace_;
  const ArgumentScan& scan_;
  const TraceSource& source_;
  std::vector<ScannedLane> lanes_;
  std::uint64_t end_ = 0;  // behind the last offset
};

}  // namespace

Result<void> scan_arguments(const Trace& trace, const ArgumentScan& scan) {
  const TraceSource& source = trace.sources()[scan.source.value];
  if (scan.lanes.empty()) return {};
  if (!source.bytes) return fail(ErrorCode::kUnsupported, "the bytes of this trace were not kept", source.path);
  if (source.bytes->has_changed())
    return fail(ErrorCode::kNotReadable, "the file changed since it was opened", source.path);
  try {
    return Scanner(trace, scan).run();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to read the events", source.path);
  }
}

}  // namespace lacuna
