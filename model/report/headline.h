#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// The answer of reports in one line each: how a GPU spent the window, why it was idle, what could be gained.
struct Headline {
  /// A part of the window; they add up to it.
  struct Part {
    std::optional<TimeKind> work;   ///< what the GPU did …
    std::optional<GapCause> cause;  ///< … or why it was idle
    std::string_view name;
    Nanos time = 0;
    std::optional<KernelClass> kernel_class = {};  ///< of computing kernels, where a window tells them apart
    bool operator==(const Part&) const = default;
  };
  /// What would gain most.
  struct Lever {
    std::string text;     ///< "data loading: 284 ms" to gain; without advice "data loading: 1.20 s idle"
    std::string tooltip;  ///< what to do, or what the time is
    ReportPlace place;    ///< where it is seen; an empty range: nowhere
  };
  /// One GPU; of files without any what the CPU did.
  struct Subject {
    SourceId source;
    StringId device = kEmptyString;
    std::string name;      ///< "GPU 0", "rank 3 · GPU 0"
    std::string sentence;  ///< "GPU 0 is idle for 44 %: data loading; 284 ms of 1.05 s to gain"
    std::string sure;      ///< "quite sure", "not sure"
    bool is_good = false;  ///< the GPU is kept busy computing
    TimeSpan window;
    Nanos idle = 0;
    std::vector<Part> parts;    ///< work first, then idle time, each with the most first; none without a GPU
    std::vector<Lever> levers;  ///< at most three
  };
  std::vector<Subject> subjects;  ///< by file, then as GPUs are numbered; empty without reports
  std::size_t worst = 0;          ///< of these the one that is idle for the greatest part of its window
};

/// How a GPU spent the window: work first, then idle time, each with the most first.
std::vector<Headline::Part> parts_of_window(const DeviceReport& device);
/// The first sentence of an advice's text: what to do, without the reasons.
std::string first_sentence(std::string_view text);

/// Of reports without a GPU it is the verdict on the first file's CPU, without parts. Where no advice of a report gains
/// anything, or none was sought, the levers are the causes with the most idle time.
Headline make_headline(const Trace& trace, std::span<const Report> reports, const ReportFormat& format);

}  // namespace lacuna
