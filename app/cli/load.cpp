#include "app/cli/load.h"

#include <fmt/format.h>

#include "app/cli/pipe_notice.h"
#include "app/cli/text_table.h"
#include "model/cache/trace_cache.h"
#include "model/job/clock_shifts.h"
#include "model/steps/step_choices.h"
#include "model/steps/steps.h"
#include "model/trace/import_finding.h"
#include "render/format.h"

namespace lacuna {

Result<Trace> load_traces(const std::vector<std::string>& paths, const ImportOptions& wanted) {
  ImportOptions options = wanted;
  if (Result<void> known = resolve_clocks(paths, options); !known) return tl::make_unexpected(known.error());
  if (options.use_cache) {
    if (auto kept = TraceCache().find(TraceCache::look_at(paths, options), options)) return std::move(kept->trace);
  }
  ImportProgress progress;
  const PipeNotice notice(paths, progress);
  return import_files(paths, options, &progress);
}

void print_error(const Error& error, std::FILE* err) {
  fmt::print(err, "lacuna: {}\n", printable(error.message()));
}

void print_warnings(const Trace& trace, std::FILE* err) {
  std::string where;
  if (trace.sources().size() == 1) where = trace.sources().front().path + ": ";
  for (const ImportReport::Line& line : trace.report().lines()) {
    const FindingInfo& finding = info(line.finding);
    if (finding.severity == Severity::kInfo) continue;
    std::string text = where;
    if (finding.has_count()) text += format_count(line.count) + " ";
    text += finding.words_after(line.count);
    if (line.first_offset != ImportReport::kNoOffset) text += fmt::format(" (first at byte {})", line.first_offset);
    fmt::print(err, "lacuna: warning: {}\n", printable(text));
  }
  if (!trace.steps_from().empty() && find_steps(trace).empty())
    fmt::print(err, "lacuna: warning: no steps: {}\n", printable(without_asked_steps(trace)));
}

}  // namespace lacuna
