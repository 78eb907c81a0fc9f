// `lacuna memory --html`: one page (memory_page.html) without scripts, every text of the file escaped.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/html_page.h"
#include "app/cli/memory_answer.h"
#include "app/cli/memory_page.h"
#include "app/cli/report_pictures.h"
#include "app/cli/text_table.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr HtmlPage kMemoryFrame = HtmlPage::of(kMemoryPage);

/// Reserved and allocated bytes over the events of the history.
std::string chart(const DeviceAnswer& device) {
  std::uint64_t most = 1;
  for (const AllocatorState& state : device.over_time) most = std::max({most, state.reserved, state.live});
  const double events = std::max<double>(1, static_cast<double>(device.memory.history->event_count));
  const auto area = [&](std::uint64_t AllocatorState::*value, std::string_view colour) {
    std::string points = "0,100";
    double last = 0;
    for (const AllocatorState& state : device.over_time) {
      last = 1000 * static_cast<double>(state.moment) / events;
      points += fmt::format(" {:.1f},{:.2f}", last,
                            100 - 100 * static_cast<double>(state.*value) / static_cast<double>(most));
    }
    return fmt::format("<polygon points=\"{} {:.1f},100\" fill=\"var(--{})\"/>", points, last, colour);
  };
  return fmt::format(
      "<svg viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"reserved and allocated "
      "memory\">{}{}</svg>\n<p class=\"more\">Allocated within reserved memory over the events of the history; the "
      "top is {}.</p>\n",
      area(&AllocatorState::reserved, "reserved"), area(&AllocatorState::live, "active"), describe_size(most));
}

void write_holder_table(const std::vector<Holder>& holders, std::uint64_t held, std::size_t rows, Output& out) {
  out.write(
      "<table><thead><tr><th class=\"n\">Held</th><th class=\"n\">Share</th><th class=\"n\">Count</th>"
      "<th>Holder</th></tr></thead><tbody>\n");
  const std::size_t shown = rows == 0 ? holders.size() : std::min(rows, holders.size());
  for (std::size_t h = 0; h < shown; ++h)
    out.write(fmt::format(
        "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
        describe_size(holders[h].bytes),
        html_escape(held == 0 ? "-"
                              : format_percent(static_cast<double>(holders[h].bytes) / static_cast<double>(held))),
        format_count(holders[h].count), html_escape(shorten(printable(holders[h].name), 160))));
  out.write("</tbody></table>\n");
  if (shown < holders.size())
    out.write(fmt::format("<p class=\"more\">{} of {} rows</p>\n", shown, format_count(holders.size())));
}

}  // namespace

void write_snapshot_html(const SnapshotAnswer& answer, const MemoryCommand& command, Output& out) {
  out.write(kMemoryFrame.before);
  out.write(fmt::format("<h1>Memory</h1>\n<p class=\"path\">{}</p>\n", html_escape(printable(answer.path))));
  for (const std::string& remark : snapshot_remarks(answer)) out.write(fmt::format("<p>{}</p>\n", html_escape(remark)));
  for (const DeviceAnswer& device : answer.answers) {
    const DeviceMemory& memory = device.memory;
    out.write(fmt::format("<section>\n<h2>Device {}</h2>\n", memory.history->device));
    out.write(fmt::format("<p>{}. Peak of active memory {}, at the end {}, reserved at the end {}.</p>\n",
                          counted(memory.history->event_count, "event"),
                          describe_size(static_cast<std::uint64_t>(std::max<std::int64_t>(memory.peak_active, 0))),
                          describe_size(static_cast<std::uint64_t>(std::max<std::int64_t>(memory.active_at_end, 0))),
                          describe_size(memory.reserved_at_end)));
    out.write(chart(device));
    out.write("</section>\n");
    for (const OutOfMemory& oom : device.out_of_memory) {
      out.write("<section>\n<h2>Out of memory</h2>\n<ul>\n");
      for (const std::string& sentence : oom.sentences)
        out.write(fmt::format("<li class=\"bad\">{}</li>\n", html_escape(sentence)));
      out.write("</ul>\n</section>\n");
    }
    out.write(fmt::format("<section>\n<h2>Held at {} {}, by {}: {}</h2>\n", html_escape(command.at),
                          command.at == "peak" || command.at == "start" || command.at == "end" ? "" : "us",
                          html_escape(command.by), describe_size(device.held)));
    write_holder_table(device.holders, device.held, command.text_rows(), out);
    out.write("</section>\n");
  }
  out.write(kMemoryFrame.after);
}

}  // namespace lacuna
