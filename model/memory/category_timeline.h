#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/base/time.h"
#include "model/memory/memory_holders.h"

namespace lacuna {

/// Memory by category over time, from a file of torch.profiler's export_memory_timeline: its eight series, unchanged
/// (torch/profiler/_memory_profiler.py).
struct CategoryTimeline {
  /// The order of the file's indices.
  static constexpr std::array<MemoryCategory, kMemoryCategories> kOrder{
      MemoryCategory::kParameter,      MemoryCategory::kOptimizerState, MemoryCategory::kInput,
      MemoryCategory::kTemporary,      MemoryCategory::kActivation,     MemoryCategory::kGradient,
      MemoryCategory::kAutogradDetail, MemoryCategory::kUnknown};

  bool is_raw = false;
  std::vector<std::int64_t> times_us;  ///< ascending; rows for memory held before the first event get that event's time
  std::vector<std::array<std::int64_t, kMemoryCategories>> bytes;  ///< after times_us[i], in kOrder
  std::uint64_t rows = 0;                                          ///< number of rows in the file
  std::uint64_t not_understood = 0;                                ///< number of rows skipped

  std::int64_t total(std::size_t i) const;
  /// Returns times_us[i] in ns, clamped to the range of Nanos.
  Nanos time_ns(std::size_t i) const;
  std::size_t memory_bytes() const;
  /// Returns the index of the first moment with the most bytes; 0 if there is none.
  std::size_t peak() const;
};

}  // namespace lacuna
