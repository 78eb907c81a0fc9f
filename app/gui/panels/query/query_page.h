#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/gui/models/query/query_view.h"
#include "app/gui/models/query/query_words.h"
#include "app/gui/panels/query/query_plot.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"

namespace lacuna {

/// The SQL page: an editor on the left, the result rows on the right, as a table or a plot. A row with an id or a
/// ts links to its place on the timeline; all rows can be shown there as a track or as marks. UI thread.
class QueryPage {
 public:
  explicit QueryPage(QueryView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void tools(UiContext& ui);
  void text_menu(UiContext& ui, const char* title, std::vector<std::string>& texts, bool can_forget);
  void editor(UiContext& ui, float height);
  void hints(UiContext& ui);
  void error(UiContext& ui, const QueryView::Answer& answer);
  void answer_tools(UiContext& ui, const QueryView::Answer& answer);
  void on_timeline(UiContext& ui, const QueryView::Answer& answer);
  void rows(UiContext& ui, const QueryView::Answer& answer);
  void row(UiContext& ui, const QueryView::Answer& answer, std::uint32_t index);
  void run(UiContext& ui);
  void copy(UiContext& ui, const QueryView::Answer& answer, CopyFormat format);

  QueryView& view_;
  std::uint64_t shown_ = 0;  ///< number of the answer that the columns belong to
  std::vector<TableColumn> columns_;
  std::size_t cursor_ = 0;  ///< byte offset in the text
  bool is_editing_ = false;
  std::string completed_for_;  ///< text and cursor that completion_ was computed for
  Completion completion_;
  QueryPlot plot_{view_};
};

}  // namespace lacuna
