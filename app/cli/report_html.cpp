// The report as one HTML page (report_page.html): no script, nothing from elsewhere, every text of the trace escaped.

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "app/cli/html_page.h"
#include "app/cli/report.h"
#include "app/cli/report_page.h"
#include "app/cli/report_pictures.h"
#include "app/cli/text_table.h"
#include "app/tables/report_format.h"
#include "model/help/column_help.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr HtmlPage kReportFrame = HtmlPage::of(kReportPage);

std::string_view tone_class(ReportTone tone) {
  switch (tone) {
    case ReportTone::kGood:
      return "good";
    case ReportTone::kWarning:
      return "warning";
    case ReportTone::kAdvice:
      return "advice";
    case ReportTone::kFact:
      break;
  }
  return "fact";
}

void write_card(std::string_view value, std::string_view what, Output& out) {
  out.write(fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", html_escape(value), html_escape(what)));
}

void write_cards(const Trace& trace, const Report& report, Output& out) {
  const DeviceReport* device = report.busiest();
  out.write("<div class=\"cards\">\n");
  if (report.devices.size() == 1)
    write_card(format_percent(TimeUse::part(device->busy, report.use.wall)), "GPU busy", out);
  if (report.devices.empty() && report.cpu.calls > 0)
    write_card(format_percent(report.cpu.use.share(CpuKind::kOperators)), "in operators", out);
  if (report.devices.size() < 2) write_card(bound_name(report.bound), "verdict", out);
  for (std::size_t d = 0; report.devices.size() > 1 && d < report.devices.size(); ++d)
    write_card(bound_name(report.devices[d].verdict.bound),
               fmt::format("GPU {}, busy {}", trace.text(report.devices[d].device),
                           format_percent(TimeUse::part(report.devices[d].busy, report.use.wall))),
               out);
  write_card(format_duration(report.use.wall), "measured wall time", out);
  if (report.steps.has_steps()) write_card(format_duration(report.steps.median()), "median step", out);
  if (report.use.communication > 0)
    write_card(format_percent(TimeUse::part(report.use.exposed(), report.use.wall)), "exposed communication", out);
  if (report.launch.launches > 0)
    write_card(format_duration(report.launch.median_gpu), "median GPU time of a launch", out);
  out.write("</div>\n");
}

void write_table(const ReportTable& table, Output& out) {
  if (table.rows.empty()) return;
  constexpr std::size_t kWide = 9;  // more columns than fit into the page at the usual size
  out.write(fmt::format("<div class=\"scroll{}\"><table><thead><tr>", table.columns.size() >= kWide ? " wide" : ""));
  const auto open = [&](std::size_t column, const char* tag, std::string_view more = {}) {
    return fmt::format("<{}{}{}>", tag, table.columns[column].is_number ? " class=\"n\"" : "", more);
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& title = table.columns[c].title;
    std::string help;
    for (const ColumnHelp* column : explain_column(title))
      if (column->table == "report") help = fmt::format(" title=\"{}\"", html_escape(std::string(column->definition)));
    out.write(open(c, "th", help) + html_escape(title) + "</th>");
  }
  out.write("</tr></thead>\n<tbody>\n");
  for (const auto& row : table.rows) {
    out.write("<tr>");
    for (std::size_t c = 0; c < row.size(); ++c) {
      // Whole names would fill the page; the start and the end tell kernels apart.
      const std::string text = table.columns[c].is_number ? row[c] : shorten(printable(row[c]), 110);
      out.write(open(c, "td") + html_escape(text) + "</td>");
    }
    out.write("</tr>\n");
  }
  out.write("</tbody></table></div>\n");
  if (table.rows.size() < table.row_count)
    out.write(fmt::format("<p class=\"more\">{} of {} rows</p>\n", table.rows.size(), format_count(table.row_count)));
}

void write_section(const Trace& trace, const Report& report, const ReportSection& section, Output& out) {
  out.write(fmt::format("<section>\n<h2>{}</h2>\n", html_escape(section.title)));
  out.write("<ul>\n");
  for (const ReportLine& line : section.lines) {
    out.write(fmt::format("<li class=\"{}\">{}", tone_class(line.tone), html_escape(line.text)));
    if (!line.places.empty()) {
      const TimeSpan span = line.places.front().span;
      out.write(fmt::format(" <span class=\"at\">at {}, {} long</span>",
                            html_escape(format_duration(saturating_sub(span.begin, trace.span().begin))),
                            html_escape(format_duration(span.duration()))));
    }
    out.write("</li>\n");
  }
  out.write("</ul>\n");
  if (section.key == "steps") out.write(picture_of_steps(trace, report));
  if (section.key == "time") out.write(picture_of_time(report));
  if (section.key == "waiting") out.write(pictures_of_causes(trace, report));
  if (section.key == "memory") out.write(pictures_of_memory(trace, report));
  write_table(section.table, out);
  out.write("</section>\n");
}

}  // namespace

void write_report_html(const Trace& trace, const std::vector<Report>& reports, std::size_t rows, Output& out) {
  out.write(kReportFrame.before);
  if (reports.empty()) out.write("<h1>No slices in this trace</h1>\n");
  for (const Report& report : reports) {
    if (!out.ok()) return;
    const std::string path = trace.sources()[report.source.value].title();
    const DeviceProperties* gpu = report.properties(trace);
    out.write(fmt::format("<h1>Report{}</h1>\n<p class=\"path\">{}</p>\n",
                          gpu == nullptr ? std::string{} : " on " + html_escape(gpu->name), html_escape(path)));
    write_cards(trace, report, out);
    for (const ReportSection& section : describe_report(trace, report, kReportFormat, rows))
      write_section(trace, report, section, out);
  }
  out.write(
      fmt::format("<footer>Made by lacuna {}. Times are since the first event of the trace; "
                  "definitions: lacuna report --help.</footer>\n",
                  LACUNA_VERSION));
  out.write(kReportFrame.after);
}

}  // namespace lacuna
