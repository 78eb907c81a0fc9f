#pragma once

#include <map>
#include <set>
#include <string>

#include "app/gui/models/report/report_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "model/report/report_words.h"

namespace lacuna {

/// The report page: what limits the speed and why, as sentences and tables; each leads to the places
/// that show it. UI thread.
class ReportPage {
 public:
  explicit ReportPage(ReportView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void contents(UiContext& ui, const std::vector<ReportSection>& sections);
  /// Of a page that is too narrow for contents beside it: the same in one line above.
  void contents_line(UiContext& ui, const std::vector<ReportSection>& sections);
  void choose_file(UiContext& ui);
  void list_sections(UiContext& ui, const std::vector<ReportSection>& sections);
  void section(UiContext& ui, const ReportSection& section);
  void line(UiContext& ui, const ReportLine& line, std::string_view shown, int id);
  void table(UiContext& ui, const ReportSection& section, bool with_definitions);
  /// Unfolds the rules and definitions of a section, and folds them.
  void measured_fold(UiContext& ui, const std::string& key, bool is_open);
  void copy(UiContext& ui, const std::vector<ReportSection>& sections, CopyFormat format);

  ReportView& view_;
  std::string_view wanted_;                  ///< section to scroll to
  std::map<std::string, std::size_t> next_;  ///< by sentence: which of its places a click shows
  std::set<std::string> unfolded_;           ///< sections that say how they are measured
  DocumentPtr document_;                     ///< of the report shown
  SourceId source_;                          ///< of the report shown
  bool noted_ = false;                       ///< the first sentence that leads somewhere is noted
};

}  // namespace lacuna
