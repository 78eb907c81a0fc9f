#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// The answer of reports in one line each: how a GPU spent the window, why it was idle, which changes would gain time.
struct Headline {
  /// A part of the window; the parts add up to it.
  struct Part {
    std::optional<TimeKind> work;   ///< the GPU's work …
    std::optional<GapCause> cause;  ///< … or the cause of its idle time
    std::string name;
    Nanos time = 0;
    std::optional<KernelClass> kernel_class = {};  ///< of compute kernels, if a window separates them
    bool operator==(const Part&) const = default;
  };
  /// A change that would gain time.
  struct Lever {
    std::string text;     ///< "data loading: 284 ms" to gain; without advice "data loading: 1.20 s idle"
    std::string tooltip;  ///< what to do, or what the time is
    ReportPlace place;    ///< where it is visible; an empty range: nowhere
  };
  /// One GPU; for files without any, what the CPU did.
  struct Subject {
    SourceId source;
    StringId device = kEmptyString;
    std::string name;      ///< "GPU 0", "rank 3 · GPU 0"
    std::string sentence;  ///< "GPU 0 is idle for 44 %: data loading; 284 ms of 1.05 s to gain"
    std::string sure;      ///< "quite sure", "not sure"
    bool is_good = false;  ///< the GPU is busy computing
    TimeSpan window;
    Nanos idle = 0;
    std::vector<Part> parts;    ///< work first, then idle time, each largest first; none without a GPU
    std::vector<Lever> levers;  ///< at most three
  };
  std::vector<Subject> subjects;  ///< by file, then by GPU number; empty without reports
  std::size_t worst = 0;          ///< index in `subjects` of the one with the largest idle share of its window
};

/// Returns how a GPU spent the window: work first, then idle time, each largest first.
std::vector<Headline::Part> parts_of_window(const DeviceReport& device);
/// Returns the first sentence of an advice's text: what to do, without the reasons.
std::string first_sentence(std::string_view text);

/// For reports without a GPU it is the verdict on the first file's CPU, without parts. If no advice of a report has a
/// gain, or none was computed, the levers are the causes with the most idle time.
Headline make_headline(const Trace& trace, std::span<const Report> reports, const ReportFormat& format);

}  // namespace lacuna
