#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// A report at a glance: one answer with one number, a small chart of its parts, and the place
/// that shows it. Details are in the sections of describe_report().
struct ReportCard {
  enum class Picture : std::uint8_t {
    kNone,
    kStack,    ///< one bar: the parts' sizes add up to the whole, or less
    kRows,     ///< bars below each other, one row per part
    kColumns,  ///< bars side by side, from left to right in time
  };
  struct Part {
    std::string text;   ///< "data loading: 354 ms (33.1 %)"
    double size = 0;    ///< fraction of the chart's width (kStack) or of the longest bar's length; 0 … 1
    ReportPlace place;  ///< an empty range: nowhere
    // What determines its colour; none: the same for all
    std::optional<TimeKind> work = {};
    std::optional<GapCause> cause = {};
    std::optional<KernelClass> kernel_class = {};
  };
  std::string section;  ///< key of the ReportSection with the details
  std::string title;
  std::string number;   ///< "43.4 % idle"
  std::string caption;  ///< what the number measures
  Picture picture = Picture::kNone;
  std::vector<Part> parts;
  ReportPlace place;  ///< what "Show" leads to; an empty range: nowhere
};

/// Most parts of a chart: with more steps or moments each part stands for several, with the greatest value.
inline constexpr std::size_t kMostCardParts = 64;

/// Makes cards for the verdict, advice, steps, kernels by class, copies, memory; for files without a GPU operators too.
/// Cards without data are left out. O(steps + memory records).
std::vector<ReportCard> make_report_cards(const Trace& trace, const Report& report, const ReportFormat& format);

}  // namespace lacuna
