#pragma once

#include <cstdint>
#include <vector>

#include "model/base/page_memory.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Kineto writes a gpu_user_annotation `early` ns before its first kernel and ends it `late` ns
/// after its last. These are the amounts to undo.
struct AnnotationShift {
  Nanos early = 0;
  Nanos late = 0;
};
/// Finds the shift used by this source's writer: the one with which the most annotations start and end with
/// activities of their stream. O(annotations * log n).
AnnotationShift find_annotation_shift(const Trace& trace, SourceId source);

/// A slice, with its start for fast comparison.
struct OrderedSlice {
  Nanos start;
  SliceId slice;
};
static_assert(sizeof(OrderedSlice) == 16);

struct OrderOptions {
  std::vector<bool> skipped_categories;     ///< by CategoryId
  std::vector<bool> skipped_names;          ///< by StringId
  TimeSpan range = TimeSpan::everything();  ///< range of the starts
  AnnotationShift shift;                    ///< removed from `start`, and from what ties compare
  unsigned threads = 1;
};

/// Returns all slices of one source's threads, streams and GPU annotations in the order (start, longest
/// first, file), as torch.profiler sorts its list. The rows of a track are already sorted and
/// nested, so this walks each nest once and merges: O(n log nests), no comparison sort.
RawVector<OrderedSlice> order_slices(const Trace& trace, SourceId source, const OrderOptions& options);

}  // namespace lacuna
