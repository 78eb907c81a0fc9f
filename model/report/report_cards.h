#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// A report at a glance: one answer with one number, a small picture of what the number is a part of, and the place
/// that shows it. The sections of describe_report() have the rest.
struct ReportCard {
  enum class Picture : std::uint8_t {
    kNone,
    kStack,    ///< one bar: the parts' sizes add up to all of it, or to less
    kRows,     ///< bars below each other, a row for each part
    kColumns,  ///< bars beside each other, from left to right in time
  };
  struct Part {
    std::string text;   ///< "data loading: 354 ms (33.1 %)"
    double size = 0;    ///< of the picture's width (kStack) or the longest bar's length; 0 … 1
    ReportPlace place;  ///< an empty range: nowhere
    // What gives its colour; none: that of all
    std::optional<TimeKind> work = {};
    std::optional<GapCause> cause = {};
    std::optional<KernelClass> kernel_class = {};
  };
  std::string_view section;  ///< key of the ReportSection that says more
  std::string_view title;
  std::string number;   ///< "43.4 % idle"
  std::string caption;  ///< what the number is about
  Picture picture = Picture::kNone;
  std::vector<Part> parts;
  ReportPlace place;  ///< what "Show" leads to; an empty range: nowhere
};

/// Most parts of a picture: of more steps or moments each part stands for several, by the greatest.
inline constexpr std::size_t kMostCardParts = 64;

/// The verdict, what to change, steps, kernels by class, copies, memory; of files without a GPU also operators. Those
/// of which the report has nothing are left out. O(steps + memory records).
std::vector<ReportCard> make_report_cards(const Trace& trace, const Report& report, const ReportFormat& format);

}  // namespace lacuna
