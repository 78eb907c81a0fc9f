#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// The answer of a report in one line: how one GPU spent the window, why it was idle, what could be gained.
struct Headline {
  /// A part of the window; they add up to it.
  struct Part {
    std::optional<TimeKind> work;   ///< what the GPU did …
    std::optional<GapCause> cause;  ///< … or why it was idle
    std::string_view name;
    Nanos time = 0;
  };
  /// What would gain most.
  struct Lever {
    std::string text;     ///< "data loading: 284 ms"
    std::string tooltip;  ///< what to do
    ReportPlace place;    ///< where it is seen; an empty range: nowhere
  };
  std::string sentence;  ///< "GPU 0 is idle for 44 %: data loading; 284 ms of 1.05 s to gain"
  std::string sure;      ///< "quite sure", "not sure"
  bool is_good = false;  ///< the GPU is kept busy computing
  StringId device = kEmptyString;
  TimeSpan window;
  std::vector<Part> parts;     ///< work first, then idle time, each with the most first
  std::vector<Lever> levers;   ///< at most three
  std::size_t other_gpus = 0;  ///< of several it is the one that idles most
};

/// Of a report without a GPU it is the verdict on the CPU, without parts.
Headline make_headline(const Trace& trace, const Report& report, const ReportFormat& format);

}  // namespace lacuna
