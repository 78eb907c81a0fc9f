#include "model/query/query_source.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/base/radix_sort.h"

namespace lacuna {

Result<void> QuerySource::make_tables(const std::atomic<bool>* cancel) {
  const std::lock_guard lock(mutex_);
  if (tables_) return {};
  auto made = make_trace_tables(trace_, threads_, cancel);
  if (!made) return tl::make_unexpected(made.error());
  tables_ = std::move(*made);
  return {};
}

std::uint32_t QuerySource::row_of(SliceId slice) {
  std::call_once(matched_, [this] { match_slices(); });
  if (!slice.valid() || slice.lane.value >= row_by_slice_.size()) return TraceTables::kNone;
  return row_by_slice_[slice.lane.value][slice.index];
}

SliceId QuerySource::slice_of(std::uint32_t row) {
  std::call_once(matched_, [this] { match_slices(); });
  return row < slice_by_row_.size() ? slice_by_row_[row] : SliceId{};
}

/// Both know where the event stands in its file.
void QuerySource::match_slices() {
  if (!make_tables()) return;
  const TraceTables::Slices& slices = tables_->slices;
  slice_by_row_.assign(slices.size(), SliceId{});
  row_by_slice_.resize(trace_.lanes().size());
  // Ranks of one file are one source of Perfetto's tables: the first that has those bytes.
  std::vector<std::uint32_t> file_of(trace_.sources().size());
  for (std::uint32_t s = 0; s < file_of.size(); ++s) {
    file_of[s] = s;
    for (std::uint32_t t = 0; t < s; ++t) {
      if (trace_.sources()[s].bytes && trace_.sources()[t].bytes == trace_.sources()[s].bytes) {
        file_of[s] = t;
        break;
      }
    }
  }
  std::vector<PageVector<SortKey>> rows(trace_.sources().size());
  for (std::uint32_t row = 0; row < slices.size(); ++row)
    rows[tables_->source_of(row)].push_back({slices.offset[row], row});
  PageVector<SortKey> scratch;
  for (PageVector<SortKey>& of_source : rows) radix_sort(of_source, scratch);
  for (std::uint32_t l = 0; l < trace_.lanes().size(); ++l) {
    const Lane& lane = trace_.lanes()[l];
    row_by_slice_[l].assign(lane.size(), TraceTables::kNone);
    const PageVector<SortKey>& known = rows[file_of[trace_.process(trace_.track(lane.track).process).source.value]];
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const auto at = std::lower_bound(known.begin(), known.end(), lane.file_offset(i),
                                       [](const SortKey& key, std::uint64_t offset) { return key.key < offset; });
      if (at == known.end() || at->key != lane.file_offset(i)) continue;
      row_by_slice_[l][i] = at->index;
      slice_by_row_[at->index] = {LaneId{l}, i};
    }
  }
}

}  // namespace lacuna
