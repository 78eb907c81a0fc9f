#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/groups/group_table.h"
#include "model/torch/torch_table.h"
#include "model/torch/torch_text.h"
#include "model/trace/trace.h"

namespace lacuna {

class FieldReader;
class FieldWriter;

/// torch.profiler's table, with the options of TorchTableOptions that users choose.
struct AskedTorch {
  bool by_shape = false;
  std::uint32_t stack_frames = 0;
  bool python_functions = false;
  bool operator==(const AskedTorch&) const = default;
};

/// A table that is computed from all of the trace when it is asked for.
struct AskedTable {
  std::variant<GroupBy, AskedTorch> what;
  TimeSpan range = TimeSpan::everything();
  std::vector<TrackId> tracks = {};  ///< only these; empty: all. Not for torch's
  bool operator==(const AskedTable&) const = default;
};

/// The limit of rows, and of the bytes of a text in them.
inline constexpr std::size_t kMostTableRows = 1000;
inline constexpr std::size_t kMostTableText = 4000;

/// The longest slice of a group.
struct LongestSlice {
  LaneId lane;
  TimeSpan span;
  std::string name;
};

/// The answer: the table that a local window would compute. Of more than kMostTableRows rows those with the longest
/// self time, in the same order; totals are those of all rows.
struct RemoteTable {
  AskedTable asked;
  std::string problem;  ///< why there is no table; empty: there is one
  std::uint64_t rows_left_out = 0;
  GroupTable groups;                  ///< without names and slices, which are in the trace over there
  std::vector<LongestSlice> longest;  ///< of each row of `groups`
  TorchTable torch;
  TorchTotals totals;  ///< of `torch`
};

/// Returns at most so many bytes of a text, which ends with a whole character and "…" if it was longer.
std::string shortened(std::string_view text, std::size_t most);

void put(FieldWriter& out, const AskedTable& asked);
/// Reads a question; bounded for any input, and nothing if it is invalid.
std::optional<AskedTable> get_asked_table(FieldReader& in);
void put(FieldWriter& out, const RemoteTable& table);
/// Returns nothing if the input is invalid. All categories and lanes in the result exist in `trace`.
std::optional<RemoteTable> get_remote_table(FieldReader& in, const Trace& trace);

}  // namespace lacuna
