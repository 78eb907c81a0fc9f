#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/causes/cause_index.h"
#include "model/causes/chosen_gaps.h"
#include "model/gaps/gaps.h"
#include "model/report/report_words.h"

namespace lacuna {

// Idle time as tables in words, for those who see a trace from elsewhere: the figures of the gaps page.

/// What a table of idle time has a row for.
enum class GapTable : std::uint8_t { kCauses, kOperators, kDeadWindows };

/// Which gaps a table counts; dead windows are all told.
struct GapTableOptions {
  GapTable what = GapTable::kCauses;
  bool whole_gpu = true;  ///< gaps in which all streams of a GPU are idle; else those of each stream
  Nanos shortest = 0;
  TimeSpan range = TimeSpan::everything();  ///< gaps that overlap it
  std::vector<TrackId> tracks{};            ///< of these streams, or of their GPUs; empty: of all
};

struct DescribedGaps {
  ReportTable table;  ///< a row leads to its longest gap, or to the annotation that was dead for longest
  GapSum counted;
  GapSum left_out;        ///< too short
  Nanos not_charged = 0;  ///< of kOperators: idle time that is not the CPU's
};

/// The causes of the gaps of a trace, and its streams as analyze_streams() has them.
struct CausedTrace {
  const CauseIndex& causes;
  std::span<const StreamActivity> streams;
};

/// The gaps that a table counts. `what` does not matter. O(gaps log slices).
ChosenGaps choose_gaps(const CausedTrace& trace, const GapTableOptions& options);

/// `rows`: as many at most, those that come first. O(gaps log slices), and for operators the slices of their threads.
DescribedGaps describe_gaps(const CausedTrace& trace, const GapTableOptions& options, const ReportFormat& format,
                            std::size_t rows);

}  // namespace lacuna
