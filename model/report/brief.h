#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// A report's answer in a few sentences, for users in a terminal and programs that act on it.
struct Brief {
  /// A change that would gain time.
  struct Lever {
    std::string_view rule;      ///< AdviceRule::key
    std::string text;           ///< what to do
    std::string blamed;         ///< where the program was meanwhile: "train.py:9: throttle → time.sleep"; or empty
    std::optional<Nanos> gain;  ///< predicted by a replay; nothing if no replay can tell
    Nanos replayed = 0;         ///< … the duration of that replay without the change
  };
  /// A place to look at.
  struct Place {
    std::string text;  ///< "the longest gap for data loading, 69.1 ms"
    TimeSpan span;
  };
  std::string answer;                ///< for the GPU with the largest idle share, as in Headline
  Bound bound = Bound::kNoGpu;       ///< the verdict on it; without a GPU that of the report
  std::string_view confidence;       ///< confidence_key(); empty without a GPU, as it is about idle time, and where
                                     ///< what was measured took no time
  std::vector<std::string> summary;  ///< the first sentences of the report's first section, of other GPUs none
  std::vector<Lever> levers;         ///< largest gain first; those without a gain are left out
  std::vector<Place> places;         ///< most telling first, at most kMostBriefPlaces; no two with the same time
};

inline constexpr std::size_t kMostBriefPlaces = 5;

Brief make_brief(const Trace& trace, const Report& report, const ReportFormat& format);

}  // namespace lacuna
