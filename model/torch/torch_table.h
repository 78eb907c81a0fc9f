#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// One row of torch.profiler's table: the sums of `key_averages()` in torch 2.15. Times are us as
/// double, added in torch's order, so that they print the same digits.
struct TorchRow {
  std::string name;  ///< "key": operators, annotations, kernels, copies, …
  bool is_on_gpu = false;
  bool is_annotation = false;  ///< record_function: separate from the row of an operator of the same name
  bool is_async = false;       ///< whether its first event is asynchronous
  bool is_inside = false;      ///< its first event is inside another: omitted from top-level tables
  std::uint64_t count = 0;
  double cpu_total = 0;
  double self_cpu = 0;
  double device_total = 0;
  double self_device = 0;
  std::int64_t cpu_memory = 0;
  std::int64_t self_cpu_memory = 0;
  std::int64_t device_memory = 0;
  std::int64_t self_device_memory = 0;
  std::string input_shapes;        ///< as Python prints the list; empty if not grouped by it
  std::vector<std::string> stack;  ///< innermost first; empty if not grouped by it

  // Time covered: overlapping events of the row count once, on all threads and streams.
  Nanos cpu_covered = 0;          ///< by the row's CPU events
  Nanos device_covered = 0;       ///< by the kernels of "CUDA total"
  Nanos self_device_covered = 0;  ///< by the kernels of "Self CUDA"

  double cpu_average() const { return count == 0 ? 0 : cpu_total / static_cast<double>(count); }
  double device_average() const { return count == 0 ? 0 : device_total / static_cast<double>(count); }
};

struct TorchTable {
  std::vector<TorchRow> rows;
  std::string device_name;   ///< "CUDA", "XPU"; empty when the trace has nothing of a GPU
  bool has_memory = false;   ///< whether profile_memory was set
  bool has_covered = false;  ///< whether the *_covered times were requested
  Nanos cpu_covered = 0;     ///< by CPU events of any row
  Nanos device_covered = 0;  ///< by GPU events of any row but annotations
};

struct TorchTableOptions {
  bool group_by_input_shape = false;
  std::size_t group_by_stack_n = 0;
  bool include_python_functions = false;
  bool covered = false;  ///< whether to fill in the *_covered times
  /// Only events that start in the range, as if the profiler had run only then.
  TimeSpan range = TimeSpan::everything();
  unsigned threads = 2;
};

/// Computes the rows, in order of first appearance. Data of torch that are missing in the file:
/// torch_events.h. Needs the source's bytes only for shapes, stacks and memory records; errors:
/// those of reading them. Any thread; O(n log n).
Result<TorchTable> compute_torch_table(const Trace& trace, const TorchTableOptions& options = {});

/// Sort keys such as `self_cuda_time_total`. torch accepts cuda, xpu and privateuse1 for device.
enum class TorchSortKey : std::uint8_t {
  kNone,
  kName,
  kCount,
  kCpuTime,
  kCpuTotal,
  kSelfCpu,
  kDeviceTime,
  kDeviceTotal,
  kSelfDevice,
  kCpuMemory,
  kSelfCpuMemory,
  kDeviceMemory,
  kSelfDeviceMemory,
};
/// Returns the key that `text` names; kNone if torch has no such attribute.
TorchSortKey parse_torch_sort_key(std::string_view text);
/// The names for --help, without aliases.
const std::vector<std::string_view>& torch_sort_keys();
/// Sorts, always descending; equal rows keep their order, as in Python's sorted(reverse=True). kNone keeps
/// the order. `covered`: uses the time covered for totals and averages.
void sort_torch_rows(std::vector<TorchRow>& rows, TorchSortKey key, bool covered = false);

}  // namespace lacuna
