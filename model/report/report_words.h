#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report/report.h"

namespace lacuna {

/// Formatting functions for numbers; render/format.h has all of them.
struct ReportFormat {
  std::string (*duration)(Nanos) = nullptr;
  std::string (*count)(std::uint64_t) = nullptr;
  std::string (*percent)(double) = nullptr;  ///< of a fraction, 0 … 1
  std::string (*bytes)(std::uint64_t) = nullptr;
};

enum class ReportTone : std::uint8_t { kFact, kGood, kWarning, kAdvice };

/// One sentence, with the places that support it (none: nothing to look at).
struct ReportLine {
  std::string text;
  ReportTone tone = ReportTone::kFact;
  std::vector<ReportPlace> places;
  StringId idle_of = kEmptyString;     ///< the GPU whose idle time the sentence states, if it does
  StringId about = kEmptyString;       ///< the GPU that the sentence is about; empty: all of them, or none
  std::optional<GapCause> cause = {};  ///< the cause of gaps that the sentence is about
  std::size_t how_measured =
      0;  ///< number of bytes at the end of the text that explain how it is measured; may be folded
};

/// A table below the sentences. `places[r]` belongs to `rows[r]`. Cells hold the trace's text
/// verbatim: the caller escapes it (control characters, HTML).
struct ReportTable {
  struct Column {
    std::string title;
    bool is_number = false;
    bool is_definition = false;  ///< tells how the row is measured; may be folded
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<ReportPlace> places;
  std::size_t row_count = 0;  ///< number of rows before the limit
};

struct ReportSection {
  /// "summary", "advice", "steps", "phases", "time", "waiting", "kernelClasses", "kernels", "operators", "threads",
  /// "between", "copies", "communication", "hardware", "memory", "missing"
  std::string key;
  std::string title;
  std::vector<ReportLine> lines;
  ReportTable table;  ///< no columns: no table
};

/// A part of the wall time; the parts of a stretch add up to it.
struct TimePart {
  std::string_view key;  ///< in JSON, and for its colour
  std::string_view name;
  std::string_view definition;
  Nanos time = 0;
};
/// Returns how the window was used. With a GPU: all of TimeKind; without: the CpuKinds that occur in the window or a
/// step; for a program seen from outside only: the ProgramKinds that occur.
std::vector<TimePart> time_parts(const Report& report);
/// Returns one step's use, with the same parts in the same order.
std::vector<TimePart> time_parts(const Report& report, std::size_t step);

/// Describes the report in words: the same on the command line, in HTML and in the window. `rows`: number of
/// rows per table; 0 = all.
std::vector<ReportSection> describe_report(const Trace& trace, const Report& report, const ReportFormat& format,
                                           std::size_t rows = 10);

}  // namespace lacuna
