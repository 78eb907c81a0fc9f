#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report/report.h"

namespace lacuna {

/// How numbers are written; render/format.h has all of them.
struct ReportFormat {
  std::string (*duration)(Nanos) = nullptr;
  std::string (*count)(std::uint64_t) = nullptr;
  std::string (*percent)(double) = nullptr;  ///< of a part, 0 … 1
  std::string (*bytes)(std::uint64_t) = nullptr;
};

enum class ReportTone : std::uint8_t { kFact, kGood, kWarning, kAdvice };

/// One sentence, with the places that show it (none: nothing to look at).
struct ReportLine {
  std::string text;
  ReportTone tone = ReportTone::kFact;
  std::vector<ReportPlace> places;
  StringId idle_of = kEmptyString;     ///< the GPU whose idle time the sentence gives, if it does
  std::optional<GapCause> cause = {};  ///< of gaps, that the sentence is about
  std::size_t how_measured =
      0;  ///< the number of bytes at the end of the text that say how it is measured; they may be folded
};

/// A table below the sentences. `places[r]` belongs to `rows[r]`. Cells hold text of the trace
/// verbatim: the caller escapes it (control characters, HTML).
struct ReportTable {
  struct Column {
    std::string title;
    bool is_number = false;
    bool is_definition = false;  ///< says how the row is measured; may be folded
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<ReportPlace> places;
  std::size_t row_count = 0;  ///< before the limit
};

struct ReportSection {
  /// "summary", "advice", "steps", "phases", "time", "waiting", "kernelClasses", "kernels", "operators", "threads",
  /// "between", "copies", "communication", "hardware", "memory", "missing"
  std::string_view key;
  std::string_view title;
  std::vector<ReportLine> lines;
  ReportTable table;  ///< without columns: none
};

/// A part of the wall time; those of a stretch add up to it.
struct TimePart {
  std::string_view key;  ///< in JSON, and of its colour
  std::string_view name;
  std::string_view definition;
  Nanos time = 0;
};
/// How the window was used. With a GPU: all of TimeKind; without: those of CpuKind that the window or a step has; of a
/// program seen from outside alone: those of ProgramKind that it has.
std::vector<TimePart> time_parts(const Report& report);
/// … and one step of it, with the same parts in the same order.
std::vector<TimePart> time_parts(const Report& report, std::size_t step);

/// The report in words: the same on the command line, in HTML and in the window. `rows`: how many
/// rows of each table; 0 = all.
std::vector<ReportSection> describe_report(const Trace& trace, const Report& report, const ReportFormat& format,
                                           std::size_t rows = 10);

}  // namespace lacuna
