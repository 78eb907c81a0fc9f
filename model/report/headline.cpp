#include "model/report/headline.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/report/advice.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostLevers = 3;

std::vector<Headline::Part> parts_of_window(const DeviceReport& device) {
  std::vector<Headline::Part> work, idle;
  const TimeUse& use = device.use;
  const Nanos others =
      use.at(TimeKind::kKernel) + use.at(TimeKind::kMemcpy) + use.at(TimeKind::kMemset) + use.at(TimeKind::kWaiting);
  for (std::size_t k = 0; k < static_cast<std::size_t>(TimeKind::kRuntime); ++k) {
    const auto kind = static_cast<TimeKind>(k);
    // Collectives on the CPU count as communication, too, but keep no GPU busy.
    const Nanos time = kind == TimeKind::kCommunication ? device.busy - others : use.at(kind);
    if (time > 0) work.push_back({kind, {}, time_kind_name(kind), time});
  }
  for (const GapCause cause : all_gap_causes())
    if (device.lost(cause) > 0) idle.push_back({{}, cause, cause_name(cause), device.lost(cause)});
  for (std::vector<Headline::Part>* list : {&work, &idle})
    sort_stably(*list, std::ranges::greater{}, &Headline::Part::time);
  work.insert(work.end(), idle.begin(), idle.end());
  return work;
}

/// "pageableCopies" → "pageable copies"
std::string words_of_key(std::string_view key) {
  std::string words;
  for (const char c : key) {
    if (c >= 'A' && c <= 'Z') words += ' ';
    words += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

/// The first sentence of an advice: what to do, without the reasons.
std::string first_sentence(std::string_view text) {
  return std::string(text.substr(0, std::min(text.find(". "), text.size())));
}

void add_levers(const Report& report, const ReportFormat& format, Headline& headline) {
  for (const AdviceGiven& given : report.advice) {
    if (headline.levers.size() == kMostLevers) break;
    if (!given.gain || *given.gain <= 0) continue;
    const AdviceRule& rule = advice_rules()[given.rule];
    const std::string what = rule.idle_for ? std::string(cause_name(*rule.idle_for)) : words_of_key(rule.key);
    Headline::Lever& lever = headline.levers.emplace_back();
    lever.text = fmt::format("{}: {}", what, format.duration(*given.gain));
    lever.tooltip = first_sentence(rule.text);
    lever.place = given.places.empty() ? ReportPlace{{0, 0}, {}} : given.places.front();
  }
}

}  // namespace

Headline make_headline(const Trace& trace, const Report& report, const ReportFormat& format) {
  Headline headline;
  headline.window = report.window;
  if (report.devices.empty()) {
    headline.sentence = fmt::format("No GPU work; {}", bound_name(report.bound));
    return headline;
  }
  // The one to look at first.
  const DeviceReport& device = *std::ranges::max_element(report.devices, {}, &DeviceReport::idle);
  headline.device = device.device;
  headline.other_gpus = report.devices.size() - 1;
  headline.parts = parts_of_window(device);
  headline.is_good = device.verdict.bound == Bound::kCompute;
  const std::string_view id = trace.text(device.device);
  const std::string name = id.empty() || id.starts_with('-') ? std::string("The GPU") : fmt::format("GPU {}", id);
  if (device.verdict.cause) {
    headline.sentence =
        fmt::format("{} is idle for {}: {}", name, format.percent(TimeUse::part(device.idle, report.use.wall)),
                    cause_name(*device.verdict.cause));
  } else {
    headline.sentence =
        fmt::format("{} is busy for {}: {}", name, format.percent(TimeUse::part(device.busy, report.use.wall)),
                    bound_name(device.verdict.bound));
  }
  const auto gains = [](const AdviceGiven& given) { return given.gain && *given.gain > 0; };
  if (const auto best = std::ranges::find_if(report.advice, gains); best != report.advice.end())
    headline.sentence +=
        fmt::format("; {} of {} to gain", format.duration(*best->gain), format.duration(best->replayed));
  constexpr std::array<std::string_view, 3> kSure{"quite sure", "fairly sure", "not sure"};
  headline.sure = kSure[static_cast<std::size_t>(report.confidence.level)];
  add_levers(report, format, headline);
  return headline;
}

}  // namespace lacuna
