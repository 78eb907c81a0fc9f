#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/torch/torch_format.h"
#include "model/torch/torch_table.h"

namespace lacuna {

/// The arguments of torch's table(). Sort the rows first: sort_torch_rows().
struct TorchTextOptions {
  std::optional<std::size_t> row_limit = 100;  ///< none: all rows (torch: -1)
  // None: unlimited width (torch: None).
  std::optional<std::size_t> max_name_column_width = 55;
  std::optional<std::size_t> max_shapes_column_width = 80;
  std::optional<std::size_t> max_src_column_width = 75;
  std::optional<std::string> header;
  bool top_level_events_only = false;
  TorchTimeUnit time_unit = TorchTimeUnit::kAuto;
  /// Shows, instead of CPU total, its average and the device times: the time covered, and by how much
  /// torch's sums exceed it. torch has no such table. Needs TorchTable::has_covered.
  bool covered = false;
};

/// Returns `key_averages().table()` of torch 2.15, identical to the character if it has the same rows. Empty
/// if there are none. Percentages are of the sums over all rows, shown or not:
///   Self CPU %, CPU total %   of the sum of Self CPU; the second can pass 100 %; 0 for async rows
///   Self CUDA %               of the sum of Self CUDA over GPU rows that are no annotations, so
///                             that the column adds up to about 200 %
/// torch raises an error for a time with a sum of 0; here it prints NaN.
std::string torch_table_text(const TorchTable& table, const TorchTextOptions& options = {});

/// The values of 100 %, and of the footers, in us.
struct TorchTotals {
  double self_cpu = 0;
  double self_device = 0;
  bool has_device_time = false;  ///< whether the device columns are shown
  bool has_device_memory = false;
};
/// Sums in row order, as torch does after sorting.
TorchTotals torch_totals(const TorchTable& table);

}  // namespace lacuna
