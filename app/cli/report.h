#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/cli/output.h"
#include "model/report/report_words.h"
#include "model/trace/trace.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna report`
struct ReportCommand {
  bool json = false;
  bool html = false;
  bool brief = false;         ///< only the answer
  bool markdown = false;      ///< of --brief: as Markdown
  std::size_t tokens = 0;     ///< of --brief: its length in tokens, roughly; 0: all of it
  bool check = false;         ///< prints contradictions between figures in place of the report
  bool with_warm_up = false;  ///< counts the leading steps, too
  std::string output;         ///< file; empty: standard output
  std::size_t rows = 10;      ///< of each table in text and HTML; 0 = all
  std::size_t width = 120;    ///< columns of text

  /// Declares the options on `report`, bound to this object, which must outlive the parsing.
  void add_to(CLI::App& report);
};

/// Writes the report on every file of the trace to `out`, or to the file that `command` names.
/// kNotWritable when that cannot be written.
Result<void> print_reports(const Trace& trace, const ReportCommand& command, Output& out);

/// The answer in a few lines (report_brief.cpp).
void write_report_brief(const Trace& trace, const std::vector<Report>& reports, const ReportCommand& how, Output& out);

/// The HTML page (report_html.cpp): one file, nothing from elsewhere, no script.
void write_report_html(const Trace& trace, const std::vector<Report>& reports, std::size_t rows, Output& out);
/// The JSON document (report_json.cpp).
void write_report_json(const Trace& trace, const std::vector<Report>& reports, Output& out);

}  // namespace lacuna
