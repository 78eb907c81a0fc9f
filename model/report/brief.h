#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// The answer of a report in a few sentences, for a person in a terminal and for a program that acts on it.
struct Brief {
  /// Something to change.
  struct Lever {
    std::string_view rule;      ///< AdviceRule::key
    std::string text;           ///< what to do
    std::string blamed;         ///< where the program was meanwhile: "train.py:9: throttle → time.sleep"; or empty
    std::optional<Nanos> gain;  ///< by a replay without it; nothing where no replay can tell
    Nanos replayed = 0;         ///< … of this time
  };
  /// Somewhere to look.
  struct Place {
    std::string text;  ///< "the longest gap for data loading, 69.1 ms"
    TimeSpan span;
  };
  std::string answer;                ///< of the GPU that is idle for the greatest part, as in Headline
  std::string_view confidence;       ///< confidence_key(); empty without a GPU, whose idle time it is about
  std::vector<std::string> summary;  ///< the first sentences of the report's first section
  std::vector<Lever> levers;         ///< what gains most first; what gains nothing is left out
  std::vector<Place> places;         ///< most telling first, at most kMostBriefPlaces; no two of the same time
};

inline constexpr std::size_t kMostBriefPlaces = 5;

Brief make_brief(const Trace& trace, const Report& report, const ReportFormat& format);

}  // namespace lacuna
