#include "model/report/headline.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/base/natural_order.h"
#include "model/base/stable_sort.h"
#include "model/report/advice.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostLevers = 3;
constexpr double kLeastLever = 0.05;              // of the window: a cause with less idle time is not worth a chip
constexpr std::string_view kOnlyGpu = "the GPU";  // in a file that does not number it

/// "pageableCopies" → "pageable copies"
std::string words_of_key(std::string_view key) {
  std::string words;
  for (const char c : key) {
    if (c >= 'A' && c <= 'Z') words += ' ';
    words += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

void add_levers(const Report& report, const ReportFormat& format, std::vector<Headline::Lever>& levers) {
  for (const AdviceGiven& given : report.advice) {
    if (levers.size() == kMostLevers) break;
    if (!given.gain || *given.gain <= 0) continue;
    const AdviceRule& rule = advice_rules()[given.rule];
    const std::string what = rule.idle_for ? std::string(cause_name(*rule.idle_for)) : words_of_key(rule.key);
    Headline::Lever& lever = levers.emplace_back();
    lever.text = fmt::format("{}: {}", what, format.duration(*given.gain));
    lever.tooltip = first_sentence(rule.text) + ". A replay without it gains this much.";
    lever.place = given.places.empty() ? ReportPlace{{0, 0}, {}} : given.places.front();
  }
}

/// The causes with the most idle time, where no replay tells what they cost.
void add_idle_levers(const DeviceReport& device, Nanos window, const ReportFormat& format,
                     std::vector<Headline::Lever>& levers) {
  std::vector<GapCause> causes;
  for (const GapCause cause : all_gap_causes())
    if (cause != GapCause::kUnknown && TimeUse::part(device.lost(cause), window) >= kLeastLever)
      causes.push_back(cause);
  sort_stably(causes, std::ranges::greater{}, [&](GapCause cause) { return device.lost(cause); });
  for (const GapCause cause : causes) {
    if (levers.size() == kMostLevers) break;
    const Gap& longest = device.longest[static_cast<std::size_t>(cause)];
    levers.push_back({fmt::format("{}: {} idle", cause_name(cause), format.duration(device.lost(cause))),
                      "How long the GPU was idle for this reason. The place is the longest of these gaps.",
                      {{longest.start, longest.end}, longest.after}});
  }
}

std::string subject_name(const Trace& trace, SourceId source, StringId device) {
  const std::string& label = trace.sources()[source.value].label;
  const std::string_view id = trace.text(device);
  std::string name = label.empty() ? std::string() : label + " \xC2\xB7 ";
  return id.empty() || id.starts_with('-') ? name + std::string(kOnlyGpu) : name + fmt::format("GPU {}", id);
}

std::string_view sureness(const Confidence& confidence) {
  constexpr std::array<std::string_view, 3> kSure{"quite sure", "fairly sure", "not sure"};
  return kSure[static_cast<std::size_t>(confidence.level)];
}

double idle_share(const Headline::Subject& subject) {
  return TimeUse::part(subject.idle, subject.window.duration());
}

/// ", mostly in decode" of an inference server, where that is certain: all GPUs of the file count together.
std::string phase_named(const Report& report) {
  const PhaseTimes* phase = report.devices.size() == 1 ? report.phases.loses_most() : nullptr;
  return phase == nullptr ? std::string() : fmt::format(", mostly in {}", step_phase_key(phase->phase));
}

/// `most`, `least`: what follows the share that it is idle or busy for.
std::string sentence_about(const Headline::Subject& subject, const Report& report, const DeviceReport& device,
                           const ReportFormat& format, std::string_view most, std::string_view least) {
  std::string name = subject.name;
  if (name == kOnlyGpu) name[0] = 'T';
  const Nanos window = subject.window.duration();
  if (window <= 0) return name + ": what was measured took no time";
  std::string sentence =
      device.verdict.cause
          ? fmt::format("{} is idle for {}{}{}: {}", name, format.percent(TimeUse::part(device.idle, window)),
                        phase_named(report), most, cause_name(*device.verdict.cause))
          : fmt::format("{} is busy for {}{}: {}", name, format.percent(TimeUse::part(device.busy, window)), least,
                        bound_name(device.verdict.bound));
  if (device.verdict.cause == GapCause::kOutsideSteps && report.devices.size() == 1)
    if (const auto work = report.phases.mostly_at()) sentence += fmt::format(" (the CPU: {})", server_work_name(*work));
  const auto gains = [&](const AdviceGiven& given) {
    // The verdict leaves the profiler out, whose own time nobody gains who does not profile.
    const bool is_left_out = advice_rules()[given.rule].idle_for == GapCause::kProfilerOverhead &&
                             device.verdict.cause != GapCause::kProfilerOverhead;
    return given.gain && *given.gain > 0 && !is_left_out;
  };
  const auto best = std::ranges::find_if(report.advice, gains);
  if (best == report.advice.end()) return sentence;
  sentence += fmt::format("; {} of {} to gain", format.duration(*best->gain), format.duration(best->replayed));
  const std::optional<GapCause> without = advice_rules()[best->rule].idle_for;
  if (device.verdict.cause && without && without != device.verdict.cause)
    sentence += fmt::format(" without {}", cause_name(*without));
  return sentence;
}

struct SubjectOf {
  const Report* report;
  const DeviceReport* device;
};

}  // namespace

std::vector<Headline::Part> parts_of_window(const DeviceReport& device) {
  std::vector<Headline::Part> work, idle;
  const TimeUse& use = device.use;
  const Nanos others =
      use.at(TimeKind::kKernel) + use.at(TimeKind::kMemcpy) + use.at(TimeKind::kMemset) + use.at(TimeKind::kWaiting);
  for (std::size_t k = 0; k < static_cast<std::size_t>(TimeKind::kRuntime); ++k) {
    const auto kind = static_cast<TimeKind>(k);
    // Collectives on the CPU count as communication, too, but keep no GPU busy.
    const Nanos time = kind == TimeKind::kCommunication ? device.busy - others : use.at(kind);
    if (time > 0) work.push_back({kind, {}, std::string(time_kind_name(kind)), time});
  }
  for (const GapCause cause : all_gap_causes())
    if (device.lost(cause) > 0) idle.push_back({{}, cause, std::string(cause_name(cause)), device.lost(cause)});
  for (std::vector<Headline::Part>* list : {&work, &idle})
    sort_stably(*list, std::ranges::greater{}, &Headline::Part::time);
  work.insert(work.end(), idle.begin(), idle.end());
  return work;
}

std::string first_sentence(std::string_view text) {
  return std::string(text.substr(0, std::min(text.find(". "), text.size())));
}

Headline make_headline(const Trace& trace, std::span<const Report> reports, const ReportFormat& format) {
  Headline headline;
  std::vector<SubjectOf> of;
  for (const Report& report : reports) {
    const std::size_t first = of.size();
    for (const DeviceReport& device : report.devices) of.push_back({&report, &device});
    sort_stably(std::span(of).subspan(first), natural_less,
                [&](const SubjectOf& each) { return trace.text(each.device->device); });
  }
  if (of.empty() && !reports.empty()) {
    const Report& report = reports.front();
    Headline::Subject& subject = headline.subjects.emplace_back();
    subject.source = report.source;
    subject.window = report.window;
    subject.sentence = fmt::format("No GPU work; {}", bound_name(report.bound));
    const auto advice = std::ranges::find_if(report.advice, [](const AdviceGiven& a) { return a.blamed.has_value(); });
    if (advice != report.advice.end()) {
      subject.sentence += fmt::format("; look first at {}", path_of_place(trace, *advice->blamed));
      subject.levers.push_back({"show me",
                                first_sentence(advice_rules()[advice->rule].text),
                                {advice->blamed->longest, advice->blamed->slice}});
    }
  }
  for (const auto& [report, device] : of) {
    Headline::Subject& subject = headline.subjects.emplace_back();
    subject.source = report->source;
    subject.device = device->device;
    subject.name = subject_name(trace, report->source, device->device);
    subject.sure = sureness(device->confidence);
    subject.is_good = device->verdict.bound == Bound::kCompute;
    subject.window = report->window;
    subject.idle = device->idle;
    subject.parts = parts_of_window(*device);
    add_levers(*report, format, subject.levers);
    if (subject.levers.empty()) add_idle_levers(*device, report->window.duration(), format, subject.levers);
  }
  std::vector<Headline::Subject>& subjects = headline.subjects;
  headline.worst = static_cast<std::size_t>(std::ranges::max_element(subjects, {}, idle_share) - subjects.begin());
  for (std::size_t s = 0; s < of.size(); ++s) {
    const bool is_worst = s == headline.worst && of.size() > 1;
    subjects[s].sentence = sentence_about(subjects[s], *of[s].report, *of[s].device, format,
                                          is_worst ? fmt::format(", the most of {} GPUs", of.size()) : std::string(),
                                          is_worst ? fmt::format(", the least of {} GPUs", of.size()) : std::string());
  }
  return headline;
}

}  // namespace lacuna
