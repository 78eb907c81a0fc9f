#include "app/cli/report_pictures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/cli/text_table.h"
#include "model/base/stable_sort.h"
#include "model/report/report_words.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr double kWidth = 1000;  // of every picture, in its own units
constexpr std::size_t kMostSteps = 60;

std::string svg(double height, std::string_view label, const std::string& content) {
  return fmt::format("<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n", kWidth, height,
                     html_escape(label), content);
}

std::string rectangle(double x, double y, double width, double height, std::string_view colour, std::string_view tip,
                      double radius = 0) {
  return fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"{}\" "
      "fill=\"var(--{})\"><title>{}</title></rect>\n",
      x, y, std::max(width, 0.0), height, radius, colour, html_escape(tip));
}

std::string label(double x, double y, std::string_view text, std::string_view anchor = "start") {
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, html_escape(text));
}

/// The kinds of time of one stretch side by side, `width` long.
std::string kinds(const std::vector<TimePart>& parts, Nanos wall, double x, double y, double width, double height) {
  std::string result;
  for (const TimePart& kind : parts) {
    const double share = TimeUse::part(kind.time, wall);
    const double part = width * share;
    if (part > 0)
      result += rectangle(x, y, part, height, kind.key,
                          fmt::format("{}: {} ({})", kind.name, format_duration(kind.time), format_percent(share)));
    x += part;
  }
  return result;
}

std::string legend(const Report& report) {
  std::string result = "<div class=\"legend\">";
  for (const TimePart& kind : time_parts(report))
    if (kind.time > 0)
      result += fmt::format("<span><i style=\"background:var(--{})\"></i>{} {}</span>", kind.key, kind.name,
                            format_percent(TimeUse::part(kind.time, report.use.wall)));
  return result + "</div>\n";
}

/// A step line through `values` at `times`, folded to at most two points a unit of width.
std::string path(const MemoryTimeline& memory, const std::vector<std::int64_t>& values, TimeSpan span, double top,
                 double height, std::int64_t low, std::int64_t high, bool is_closed) {
  const auto x_of = [&](Nanos t) {
    return kWidth * TimeUse::part(saturating_sub(t, span.begin), std::max<Nanos>(span.duration(), 1));
  };
  const auto y_of = [&](std::int64_t v) {
    return top +
           height * (1 - static_cast<double>(v - low) / static_cast<double>(std::max<std::int64_t>(high - low, 1)));
  };
  std::string result =
      fmt::format("M{:.1f},{:.1f}", x_of(memory.times.front()), is_closed ? top + height : y_of(values.front()));
  double last_y = y_of(values.front());
  if (is_closed) result += fmt::format("V{:.1f}", last_y);
  for (std::size_t i = 0; i < values.size();) {
    // All samples of one unit of width: its highest value, then its last one.
    const double cell = std::floor(x_of(memory.times[i]));
    std::int64_t highest = values[i];
    std::size_t end = i;
    for (; end < values.size() && std::floor(x_of(memory.times[end])) == cell; ++end)
      highest = std::max(highest, values[end]);
    result += fmt::format("H{:.1f}V{:.1f}", x_of(memory.times[i]), y_of(highest));
    last_y = y_of(values[end - 1]);
    result += fmt::format("V{:.1f}", last_y);
    i = end;
  }
  result += fmt::format("H{:.1f}", kWidth);
  if (is_closed) result += fmt::format("V{:.1f}Z", top + height);
  return result;
}

std::string signed_bytes(std::int64_t bytes) {
  return bytes < 0 ? "-" + format_bytes(static_cast<std::uint64_t>(-(bytes + 1)) + 1)
                   : format_bytes(static_cast<std::uint64_t>(bytes));
}

}  // namespace

std::string html_escape(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string picture_of_steps(const Trace& trace, const Report& report) {
  if (report.by_step.empty()) return {};
  const std::size_t shown = std::min(report.by_step.size(), kMostSteps);
  Nanos longest = 1;
  for (std::size_t s = 0; s < shown; ++s) longest = std::max(longest, report.by_step[s].use.wall);
  constexpr double kLeft = 190, kRight = 150, kRow = 24, kBar = 16;
  std::string content;
  for (std::size_t s = 0; s < shown; ++s) {
    const StepReport& step = report.by_step[s];
    const double y = static_cast<double>(s) * kRow;
    content += label(0, y + 13,
                     shorten(printable(trace.text(step.step.name)), 18) + (step.step.is_warm_up ? " (warm-up)" : ""));
    const double width = (kWidth - kLeft - kRight) * TimeUse::part(step.use.wall, longest);
    content += kinds(time_parts(report, s), step.use.wall, kLeft, y, width, kBar);
    const std::string busy = report.devices.empty() ? std::string{} : ", busy " + format_percent(step.use.busy_share());
    content += label(kWidth, y + 13, format_duration(step.use.wall) + busy, "end");
  }
  std::string result = svg(static_cast<double>(shown) * kRow, "Time of each step by kind", content);
  if (shown < report.by_step.size())
    result += fmt::format("<p class=\"more\">the first {} of {} steps</p>\n", shown, report.by_step.size());
  return legend(report) + result;
}

std::string picture_of_time(const Report& report) {
  if (report.use.wall == 0) return {};
  return legend(report) + svg(34, "Wall time by kind", kinds(time_parts(report), report.use.wall, 0, 0, kWidth, 30));
}

namespace {

std::string picture_of_causes(const DeviceReport& device) {
  if (device.idle == 0) return {};
  std::vector<std::pair<std::string, Nanos>> bars;
  for (const GapCause cause : all_gap_causes())
    if (device.lost(cause) > 0) bars.emplace_back(cause_name(cause), device.lost(cause));
  sort_stably(bars, std::ranges::greater{}, [](const auto& bar) { return bar.second; });
  constexpr double kLeft = 190, kRight = 170, kRow = 24, kBar = 14;
  std::string content;
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const double y = static_cast<double>(b) * kRow;
    const double width = kWidth - kLeft - kRight;
    const double part = TimeUse::part(bars[b].second, device.idle);
    content += label(0, y + 12, bars[b].first);
    content += rectangle(kLeft, y, width, kBar, "bar", "all idle time", 3);
    content +=
        rectangle(kLeft, y, width * part, kBar, "runtime", fmt::format("{} of the idle time", format_percent(part)), 3);
    content += label(kWidth, y + 12,
                     fmt::format("{} of idle, {}", format_percent(part), format_duration(bars[b].second)), "end");
  }
  return svg(static_cast<double>(bars.size()) * kRow, "Idle GPU time by cause", content);
}

}  // namespace

std::string pictures_of_causes(const Trace& trace, const Report& report) {
  std::string pictures;
  for (const DeviceReport& device : report.devices) {
    if (report.devices.size() > 1)
      pictures += fmt::format("<p class=\"legend\">GPU {}</p>\n", html_escape(trace.text(device.device)));
    pictures += picture_of_causes(device);
  }
  return pictures;
}
std::string pictures_of_memory(const Trace& trace, const Report& report) {
  std::string result;
  for (const MemoryTimeline& memory : report.memory) {
    if (memory.times.size() < 2) continue;
    std::int64_t low = 0, high = memory.allocated[memory.peak];
    for (const std::int64_t value : memory.allocated) low = std::min(low, value);
    if (memory.peak_reserved > 0) high = std::max(high, memory.peak_reserved);
    constexpr double kTop = 20, kHeight = 130;
    const TimeSpan span = trace.span();
    std::string content = label(
        0, 12,
        fmt::format("{}: peak {}{}", memory.is_gpu ? fmt::format("GPU {}", memory.device) : "CPU",
                    signed_bytes(memory.allocated[memory.peak]),
                    memory.peak_reserved > 0 ? fmt::format(", reserved {} (dashed)", signed_bytes(memory.peak_reserved))
                                             : std::string{}));
    content += fmt::format(
        "<path d=\"{}\" fill=\"var(--kernel)\" fill-opacity=\"0.25\" stroke=\"var(--kernel)\" "
        "stroke-width=\"1.2\"/>\n",
        path(memory, memory.allocated, span, kTop, kHeight, low, high, true));
    if (memory.peak_reserved > 0)
      content += fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"var(--cpu)\" stroke-width=\"1.2\" "
          "stroke-dasharray=\"5 4\"/>\n",
          path(memory, memory.reserved, span, kTop, kHeight, low, high, false));
    content += label(0, kTop + kHeight + 15, "0");
    content += label(kWidth, kTop + kHeight + 15, format_duration(span.duration()), "end");
    result += svg(kTop + kHeight + 20, "Memory over time", content);
  }
  return result;
}

}  // namespace lacuna
