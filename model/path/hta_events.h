#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/result.h"
#include "model/path/hta_path.h"
#include "model/trace/trace.h"

namespace lacuna {

/// One row of HTA's event table: a slice with a duration and a category.
struct HtaEvent {
  Nanos ts = 0;
  Nanos duration = 0;
  std::uint64_t file_offset = 0;
  std::int64_t correlation = -1;     ///< -1: none
  std::int64_t stream = -1;          ///< args.stream; -1: none, or not a number
  std::int64_t wait_on_stream = -1;  ///< of synchronisation events; -1: none
  std::int64_t wait_on_record = -1;  ///< the correlation of the cudaEventRecord
  std::uint32_t link = 0;            ///< HTA's index_correlation: row of the launch or of the launched work, from 1 on;
                                     ///< 0: none
  StringId name = kEmptyString;
  StringId category = kEmptyString;
  TrackId track;

  Nanos end() const { return ts + duration; }
};

/// HTA's tables of one source. Rows are numbered from 1 in the file's order; 0 means no row.
struct HtaEvents {
  std::vector<HtaEvent> rows;           ///< [0] is unused
  std::vector<std::uint32_t> order;     ///< rows of the table, in its order: those that HTA keeps
  std::vector<std::uint32_t> clipped;   ///< those of `order` that belong to the annotation; in the file's order
  std::vector<std::uint32_t> queue_of;  ///< by row: outstanding activities on the stream; kNoQueue: not counted
  static constexpr std::uint32_t kNoQueue = kNoIndex;

  const HtaEvent& operator[](std::uint32_t row) const { return rows[row]; }
  bool is_named(std::uint32_t row, StringId name) const { return name.valid() && rows[row].name == name; }
};

/// Names used by HTA's rules; invalid if the trace does not contain them.
struct HtaNames {
  explicit HtaNames(const Trace& trace);
  StringId event_sync, context_sync, stream_sync, stream_wait, event_record, stream_wait_call;
  StringId cpu_op, cuda_runtime, cuda_driver, cuda_sync;  ///< categories
  std::vector<StringId> launches;                         ///< calls that start one activity
  std::vector<StringId> blocking;                         ///< calls whose own time does not count

  bool is_launch(StringId name) const;
  bool is_blocking(StringId name) const;
};

/// Reads, links, filters and clips like HTA's parser and critical_path_analysis(). Errors: as hta_critical_path().
Result<HtaEvents> hta_events(const Trace& trace, SourceId source, const HtaNames& names, const HtaPathOptions& options);

}  // namespace lacuna
