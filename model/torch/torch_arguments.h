#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/torch/torch_tree.h"
#include "model/trace/string_pool.h"

namespace lacuna {

/// Grouping data for the table that is only in the file; read on demand, from the args of the
/// events.

/// Shapes and stacks of each event, as torch has them. Equal ones get equal numbers.
struct TorchGroups {
  std::vector<std::uint32_t> shapes;                    ///< per event: index in shape_texts; empty if not requested
  std::vector<std::string> shape_texts;                 ///< [0] is "[]": Python's print of the list of shapes
  std::vector<std::uint32_t> stacks;                    ///< per event: index in stack_entries; empty if not requested
  std::vector<std::vector<std::string>> stack_entries;  ///< [0] is empty; innermost frame first
};

/// Reads shapes: "Input Dims", where a list of tensors counts as []; and stacks: the first `frames` entries
/// of "Call stack" (none when 0) without torch's own; a backward operator has that of the forward
/// operator with its sequence number and thread (`_set_backward_stacktraces`). torch records stacks
/// only with experimental_config=_ExperimentalConfig(verbose=True), or for TorchScript.
///
/// Backward operators are recognised by their parent, "autograd::engine::evaluate_function: NAME"; the
/// thread meant by a "Fwd thread id" is found by the sequence numbers that its operators share.
/// Reads every CPU operator's event once: about 1 us each.
Result<TorchGroups> read_torch_groups(const TorchTree& tree, bool shapes, std::size_t frames);

/// A "[memory]" record.
struct TorchMemoryRecord {
  Nanos time = 0;          ///< relative to the origin of its part, like the events
  std::uint32_t part = 0;  ///< index in TorchEvents::parts()
  TorchMemory bytes;
  bool out_of_memory = false;  ///< "[OutOfMemory]": never counted, always a row
  bool is_inside = false;      ///< whether a CPU event contains it
};

struct TorchMemoryUse {
  bool is_profiled = false;         ///< whether profile_memory was set
  std::vector<TorchMemory> events;  ///< per event; empty if not profiled
  /// Ascending by part and time: records outside all events, and out-of-memory records. torch
  /// gives them rows of their own.
  std::vector<TorchMemoryRecord> outside;
};

/// Adds to each CPU event the records in [start, end], both ends included, of all threads (torch
/// does not look at the thread). O((events + records) log records).
Result<TorchMemoryUse> read_torch_memory(const TorchEvents& events, TimeSpan range = TimeSpan::everything(),
                                         unsigned threads = 1);

}  // namespace lacuna
