#include "model/report/report_check.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "model/report/advice.h"
#include "model/report/report_parts.h"

namespace lacuna {
namespace {

class Checker {
 public:
  Checker(const Trace& trace, const Report& report, const ReportFormat& format)
      : trace_(trace), report_(report), f_(format) {}

  std::vector<std::string> run() {
    for (const DeviceReport& device : report_.devices) {
      sums(device);
      verdict(device);
    }
    steps();
    gains();
    sentences();
    return std::move(found_);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    found_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void sums(const DeviceReport& device) {
    const std::string_view name = trace_.text(device.device);
    const Nanos causes = std::accumulate(device.by_cause.begin(), device.by_cause.end(), Nanos{0});
    if (causes != device.idle)
      say("GPU {}: its causes add up to {} of {} idle time", name, f_.duration(causes), f_.duration(device.idle));
    if (device.busy + device.idle != report_.use.wall)
      say("GPU {}: busy {} and idle {} do not add up to the window of {}", name, f_.duration(device.busy),
          f_.duration(device.idle), f_.duration(report_.use.wall));
    if (device.busy != device.use.gpu_busy)
      say("GPU {}: it is busy for {} by its gaps and for {} by its work", name, f_.duration(device.busy),
          f_.duration(device.use.gpu_busy));
  }

  void verdict(const DeviceReport& device) {
    if (!device.verdict.cause) return;
    for (const GapCause cause : all_gap_causes()) {
      if (cause == GapCause::kProfilerOverhead && device.verdict.of < report_.use.wall) continue;
      if (device.lost(cause) > device.lost(*device.verdict.cause))
        say("GPU {}: the verdict is {}, but more is lost to {}", trace_.text(device.device),
            cause_name(*device.verdict.cause), cause_name(cause));
    }
  }

  /// The window has in it what its steps launched.
  void steps() {
    for (std::size_t s = report_.steps.warm_up_count; s < report_.steps.steps.size(); ++s) {
      const MeasuredStep& step = report_.steps.steps[s];
      if (step.launches > 0 && step.work.end > report_.window.end)
        say("{} launched work that ends {} after the window", trace_.text(step.name),
            f_.duration(step.work.end - report_.window.end));
    }
  }

  void gains() {
    Nanos idle = 0, beside = 0;
    for (const DeviceReport& device : report_.devices) {
      idle = std::max(idle, device.idle);
      beside = std::max(beside, device.use.exposed() + device.use.at(TimeKind::kMemcpy));
    }
    for (const AdviceGiven& given : report_.advice) {
      const AdviceRule& rule = advice_rules()[given.rule];
      if (!given.gain) continue;
      // A replay may be off by what is between its events.
      constexpr Nanos kReplayShare = 100;
      if (std::abs(given.replayed - report_.use.wall) > report_.use.wall / kReplayShare)
        say("{}: the replay without a change takes {}, the window {}", rule.key, f_.duration(given.replayed),
            f_.duration(report_.use.wall));
      if (rule.idle_for && *given.gain > idle + beside)
        say("{}: it gains {}, but no GPU idles for more than {}", rule.key, f_.duration(*given.gain),
            f_.duration(idle));
    }
  }

  void sentences() {
    for (const ReportSection& section : describe_report(trace_, report_, f_))
      for (const ReportLine& line : section.lines) {
        // Where other numbers stand beside it, that one is 0 is a fact.
        const bool is_zero =
            line.text.find_first_of("123456789") == std::string::npos && line.text.find("0 ns") != std::string::npos;
        if (is_zero) say("{}: a sentence is about nothing: {}", section.key, line.text);
      }
  }

  const Trace& trace_;
  const Report& report_;
  const ReportFormat& f_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> check_report(const Trace& trace, const Report& report, const ReportFormat& format) {
  return Checker(trace, report, format).run();
}

}  // namespace lacuna
