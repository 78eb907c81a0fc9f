// The job as one HTML page (job_page.html): no script, nothing from elsewhere, every text of the traces escaped.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/cli/html_page.h"
#include "app/cli/job.h"
#include "app/cli/job_page.h"
#include "app/cli/report_pictures.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr HtmlPage kJobFrame = HtmlPage::of(kJobPage);

/// Beyond so many ranks the map shows those that cost most.
constexpr std::size_t kMostMapRows = 2048;

std::string step_name(const std::optional<std::int64_t>& step) {
  return step ? std::to_string(*step) : "all";
}

/// Ranks down, steps across; the redder, the longer others waited.
void write_map(const Job& job, Output& out) {
  if (job.ranks.empty() || job.steps.empty()) return;
  const std::size_t rows = std::min(job.ranks.size(), kMostMapRows);
  const int height = rows <= 64 ? 14 : rows <= 256 ? 6 : 3;
  const int width = std::clamp(static_cast<int>(900 / job.steps.size()), 3, 60);
  Nanos most = 1;
  for (const JobCell& cell : job.cells) most = std::max(most, cell.lost);
  out.write(fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"map of ranks and steps\">\n",
                        70 + width * static_cast<int>(job.steps.size()), 20 + height * static_cast<int>(rows)));
  for (std::size_t s = 0; s < job.steps.size(); ++s)
    if (width >= 20 || s % 10 == 0)
      out.write(fmt::format("<text x=\"{}\" y=\"12\">{}</text>\n", 66 + width * static_cast<int>(s),
                            step_name(job.steps[s])));
  for (std::size_t r = 0; r < rows && out.ok(); ++r) {
    const int y = 18 + height * static_cast<int>(r);
    if (height >= 12 || r % 16 == 0)
      out.write(fmt::format("<text x=\"0\" y=\"{}\">rank {}</text>\n", y + std::max(height - 3, 9), job.ranks[r].rank));
    for (std::size_t s = 0; s < job.steps.size(); ++s) {
      const JobCell& cell = job.cell(r, s);
      const double heat = std::sqrt(static_cast<double>(cell.lost) / static_cast<double>(most));
      out.write(fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" fill-opacity=\"{:.2f}\"><title>rank {} step "
          "{}: "
          "others waited {} for it, it waited {}</title></rect>\n",
          66 + width * static_cast<int>(s), y, width - 1, std::max(height - 1, 2),
          cell.length == 0 ? "var(--line)" : "var(--hot)", cell.length == 0 ? 0.3 : 0.05 + 0.95 * heat,
          job.ranks[r].rank, step_name(job.steps[s]), format_duration(cell.lost), format_duration(cell.waited)));
    }
  }
  out.write("</svg>\n");
  if (rows < job.ranks.size()) out.write(fmt::format("<p class=\"soft\">{} of {} ranks</p>\n", rows, job.ranks.size()));
}

}  // namespace

void write_job_html(const Job& job, Output& out) {
  out.write(kJobFrame.before);
  Nanos waited = 0;
  for (const Nanos w : job.waited) waited = saturating_add(waited, w);
  out.write(fmt::format(
      "<h1>Job of {}</h1><p class=\"soft\">{}, {} matched, {} unmatched; {} "
      "waited inside collectives, summed over ranks</p>\n",
      counted(job.ranks.size(), "rank"), counted(job.steps.size(), "step"),
      counted(job.collectives.size(), "collective"), counted(job.unmatched, "part"), format_duration(waited)));
  out.write("<section><h2>Stragglers</h2>\n");
  if (job.stragglers.empty()) out.write("<p>No rank made the others wait longer than chance does.</p>\n");
  for (const Straggler& s : job.stragglers) {
    std::string steps;
    for (const std::uint32_t step : s.steps) steps += (steps.empty() ? "" : ", ") + step_name(job.steps[step]);
    out.write(fmt::format("<p><b>rank {}</b>, steps {}: cost the others {}<br>{}</p><ul>\n", job.ranks[s.rank].rank,
                          steps, format_duration(s.lost), html_escape(s.sentence)));
    for (const JobPlace& place : s.evidence)
      out.write(fmt::format("<li>step {}: {} <span class=\"soft\">at {} \xC2\xB5s, {}</span></li>\n",
                            step_name(place.step), html_escape(place.what), place.start / 1000,
                            format_duration(place.duration)));
    out.write("</ul>\n");
  }
  out.write("</section>\n<section><h2>Time that others waited, by rank and step</h2>\n");
  write_map(job, out);
  out.write("</section>\n");
  if (!job.problems.empty()) {
    out.write("<section><h2>Not as the others</h2><ul>\n");
    for (const JobProblem& problem : job.problems)
      out.write(fmt::format(
          "<li>{}{}{}</li>\n", problem.rank >= 0 ? fmt::format("rank {}: ", problem.rank) : std::string(),
          html_escape(problem.text), problem.file.empty() ? std::string() : " (" + html_escape(problem.file) + ")"));
    out.write("</ul></section>\n");
  }
  out.write(
      "<section><h2>Ranks</h2><table><tr><th>Rank</th><th>Waited</th><th>Clock</th><th>Drift ppm</th><th>Residual</th>"
      "<th>File</th></tr>\n");
  for (std::size_t r = 0; r < job.ranks.size() && out.ok(); ++r)
    out.write(
        fmt::format("<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.1f} \xC2\xB5s</td><td "
                    "class=\"n\">{:.2f}</td><td class=\"n\">{:.1f} \xC2\xB5s</td><td>{}</td></tr>\n",
                    job.ranks[r].rank, format_duration(job.waited[r]), job.clocks[r].offset_ns / 1e3,
                    job.clocks[r].drift_ppm, job.clocks[r].residual_ns / 1e3, html_escape(job.ranks[r].file)));
  out.write("</table></section>\n");
  out.write(kJobFrame.after);
}

}  // namespace lacuna
