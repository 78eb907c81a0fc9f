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
  // None: no limit to the width (torch: None).
  std::optional<std::size_t> max_name_column_width = 55;
  std::optional<std::size_t> max_shapes_column_width = 80;
  std::optional<std::size_t> max_src_column_width = 75;
  std::optional<std::string> header;
  bool top_level_events_only = false;
  TorchTimeUnit time_unit = TorchTimeUnit::kAuto;
  /// In place of CPU total, its average and the device times: the time covered, and how much
  /// torch's sums are above it. torch has no such table. Needs TorchTable::has_covered.
  bool covered = false;
};

/// `key_averages().table()` of torch 2.15, to the last character where it has the same rows. Empty
/// when there are none. Percentages are of the sums over all rows, shown or not:
///   Self CPU %, CPU total %   of the sum of Self CPU; the second can pass 100 %; 0 for async rows
///   Self CUDA %               of the sum of Self CUDA over GPU rows that are no annotations, so
///   that
///                             the column adds up to about 200 %
/// torch raises an error for a time beside a sum of 0; here it prints NaN.
std::string torch_table_text(const TorchTable& table, const TorchTextOptions& options = {});

/// What 100 % is, and the footers, in us.
struct TorchTotals {
  double self_cpu = 0;
  double self_device = 0;
  bool has_device_time = false;  ///< the device columns are shown
  bool has_device_memory = false;
};
/// Adds in the order of the rows, as torch does after sorting.
TorchTotals torch_totals(const TorchTable& table);

}  // namespace lacuna
