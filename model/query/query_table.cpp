#include "model/query/query_table.h"

#include "model/base/page_memory.h"
#include "model/base/radix_sort.h"

namespace lacuna {

Result<void> QueryTable::make_ready() {
  if (is_ready_) return {};
  const std::lock_guard lock(mutex_);
  if (is_ready_) return {};
  if (prepare) {
    if (auto done = prepare(); !done) return done;
  }
  is_ready_ = true;
  return {};
}

std::span<const std::uint32_t> QueryTable::rows_with(std::size_t column, std::int64_t value) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = indexes_.try_emplace(column);
  Index& index = at->second;
  if (is_new) {
    const std::uint32_t count = rows();
    PageVector<SortKey> keys, scratch;
    keys.reserve(count);
    for (std::uint32_t row = 0; row < count; ++row) {
      const Cell cell = columns[column].get(row);
      if (cell.kind == Cell::Kind::kInteger) keys.push_back({static_cast<std::uint64_t>(cell.integer), row});
    }
    radix_sort(keys, scratch);
    index.rows.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i == 0 || keys[i].key != keys[i - 1].key)
        index.places[static_cast<std::int64_t>(keys[i].key)].first = static_cast<std::uint32_t>(i);
      index.rows.push_back(keys[i].index);
      if (i + 1 == keys.size() || keys[i + 1].key != keys[i].key)
        index.places[static_cast<std::int64_t>(keys[i].key)].second = static_cast<std::uint32_t>(i + 1);
    }
  }
  const auto found = index.places.find(value);
  if (found == index.places.end()) return {};
  return std::span(index.rows).subspan(found->second.first, found->second.second - found->second.first);
}

std::span<const std::uint32_t> QueryTable::rows_by_text(std::size_t column) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = by_text_.try_emplace(column);
  if (is_new) {
    const std::uint32_t count = rows();
    PageVector<SortKey> keys, scratch;
    keys.resize(count);
    for (std::uint32_t row = 0; row < count; ++row) keys[row] = {columns[column].text_id(row), row};
    radix_sort(keys, scratch);
    at->second.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) at->second[i] = keys[i].index;
  }
  return at->second;
}

}  // namespace lacuna
