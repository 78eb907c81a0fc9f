// The report as one HTML page: no script, nothing from elsewhere, every text of the trace escaped.

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/report.h"
#include "app/cli/report_pictures.h"
#include "app/cli/text_table.h"
#include "model/help/column_help.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::string_view kHead = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Lacuna report</title>
<style>
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #ffffff; --ink: #1c2430; --soft: #5d6878; --line: #dfe3e9;
  --good: #1d7f4e; --warn: #a85b00; --advice: #2456b8; --bar: #e9ecf1;
  --kernel: #3b6fd4; --memcpy: #d98a1f; --memset: #b8a13a; --communication: #9a55c4;
  --runtime: #d1503f; --dataLoading: #1f9289; --cpu: #7a8699; --other: #c3c9d2;
  --operators: #3b6fd4; --collectives: #9a55c4; --waiting: #d1503f; --python: #d98a1f; --longGaps: #b8a13a;
  --ranges: #3b6fd4; --unrecorded: #c3c9d2; --outsideSteps: #c3c9d2;
  --running: #1d7f4e; --preempted: #d1503f; --lock: #9a55c4; --files: #d98a1f; --network: #b8a13a; --poll: #7a8699;
  --sleep: #9db4d8; --child: #1f9289; --device: #3b6fd4; --notSeen: #c3c9d2;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --card: #1d2229; --ink: #e4e8ee; --soft: #98a3b3; --line: #313842;
    --good: #5cc98f; --warn: #eba650; --advice: #86aef5; --bar: #2a3039;
    --kernel: #6c9bf0; --memcpy: #e9ab55; --memset: #d3c06a; --communication: #bd86e0;
    --runtime: #ec7c6c; --dataLoading: #4fbdb3; --cpu: #8d99ab; --other: #4b5461;
    --operators: #6c9bf0; --collectives: #bd86e0; --waiting: #ec7c6c; --python: #e9ab55; --longGaps: #d3c06a;
    --ranges: #6c9bf0; --unrecorded: #4b5461; --outsideSteps: #4b5461;
    --running: #5cc98f; --preempted: #ec7c6c; --lock: #bd86e0; --files: #e9ab55; --network: #d3c06a; --poll: #8d99ab;
    --sleep: #5d7396; --child: #4fbdb3; --device: #6c9bf0; --notSeen: #4b5461;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 22px; margin: 0; } h2 { font-size: 17px; margin: 0 0 10px; }
.path { color: var(--soft); overflow-wrap: anywhere; margin: 2px 0 18px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 18px 20px; margin: 16px 0; }
.cards { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0; }
.card { flex: 1 1 150px; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 12px 16px; }
.card b { display: block; font-size: 24px; font-weight: 650; }
.card span { color: var(--soft); font-size: 13px; }
ul { margin: 0 0 12px; padding: 0; list-style: none; }
li { padding: 5px 0 5px 14px; border-left: 3px solid var(--line); margin: 6px 0; overflow-wrap: anywhere; }
li.good { border-color: var(--good); } li.warning { border-color: var(--warn); }
li.advice { border-color: var(--advice); }
.at { color: var(--soft); font-size: 13px; white-space: nowrap; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th { text-align: left; color: var(--soft); font-weight: 550; border-bottom: 1px solid var(--line); }
th, td { padding: 5px 10px 5px 0; vertical-align: top; }
td { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td:first-child { min-width: 150px; }
th[title] { cursor: help; }
.wide table { font-size: 12px; }
.wide th, .wide td { padding-right: 6px; }
.wide td:first-child { min-width: 110px; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.more, footer { color: var(--soft); font-size: 13px; }
svg { display: block; width: 100%; height: auto; margin: 6px 0 12px; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 13px; color: var(--soft); margin-bottom: 8px; }
.legend i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
@media print {
  :root { color-scheme: light; --page: #ffffff; }
  body { font-size: 11px; }
  main { max-width: none; padding: 0; }
  section { padding: 8px 12px; margin: 8px 0; break-inside: auto; }
  h2, .legend, svg { break-after: avoid; }
  tr, li, .card { break-inside: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 10px; } .wide table { font-size: 8.5px; }
  th, td, .wide th, .wide td { padding: 2px 4px 2px 0; }
  td:first-child, .wide td:first-child { min-width: 0; }
}
</style>
</head>
<body>
<main>
)html";

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
    write_card(bound_name(report.devices[d].bound),
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
  out.write(kHead);
  if (reports.empty()) out.write("<h1>No slices in this trace</h1>\n");
  for (const Report& report : reports) {
    if (!out.ok()) return;
    const std::string path = trace.sources()[report.source.value].title();
    const DeviceProperties* gpu = report.properties(trace);
    out.write(fmt::format("<h1>Report{}</h1>\n<p class=\"path\">{}</p>\n",
                          gpu == nullptr ? std::string{} : " on " + html_escape(gpu->name), html_escape(path)));
    write_cards(trace, report, out);
    for (const ReportSection& section : describe_report(trace, report, report_format(), rows))
      write_section(trace, report, section, out);
  }
  out.write(
      fmt::format("<footer>Made by lacuna {}. Times are since the first event of the trace; "
                  "definitions: lacuna report --help.</footer>\n</main>\n</body>\n</html>\n",
                  LACUNA_VERSION));
}

}  // namespace lacuna
