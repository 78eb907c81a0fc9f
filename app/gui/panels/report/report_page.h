#pragma once

#include <map>
#include <set>
#include <string>

#include "app/gui/models/report/report_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "model/report/report_words.h"

namespace lacuna {

/// The report page: what limits the speed and why, as sentences and tables, each with links to the places
/// that show it. UI thread.
class ReportPage {
 public:
  explicit ReportPage(ReportView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void contents(UiContext& ui, const std::vector<ReportSection>& sections);
  /// Draws the contents in one line on top, if the page is too narrow for contents on the side.
  void contents_line(UiContext& ui, const std::vector<ReportSection>& sections);
  void choose_file(UiContext& ui);
  void list_sections(UiContext& ui, const std::vector<ReportSection>& sections);
  void section(UiContext& ui, const ReportSection& section);
  void line(UiContext& ui, const ReportLine& line, std::string_view shown, int id);
  void table(UiContext& ui, const ReportSection& section, bool with_definitions);
  /// Draws the toggle for a section's rules and definitions.
  void measured_fold(UiContext& ui, const std::string& key, bool is_open);
  void copy(UiContext& ui, const std::vector<ReportSection>& sections, CopyFormat format);

  ReportView& view_;
  std::string wanted_;                       ///< section to scroll to
  std::map<std::string, std::size_t> next_;  ///< by sentence: index of the place that the next click shows
  std::set<std::string> unfolded_;           ///< sections whose rules are expanded
  DocumentPtr document_;                     ///< of the report shown
  SourceId source_;                          ///< of the report shown
  bool noted_ = false;                       ///< the first sentence with a link was registered
};

}  // namespace lacuna
