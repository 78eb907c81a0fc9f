#pragma once

#include "app/gui/models/report/report_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The answer above the timeline, in one line: how a GPU spent the measured time, why it was idle, how sure that is,
/// and what would gain most, each leading to its place. UI thread.
class HeadlineBar {
 public:
  explicit HeadlineBar(ReportView& view) : view_(view) {}
  /// How high it is drawn; 0 where there is nothing to say or the user closed it.
  float height(const UiContext& ui) const;
  /// Draws it from `at` on. Asks for the report of the open trace.
  void draw(UiContext& ui, ImVec2 at, float width);

 private:
  const ReportView::File* file(const UiContext& ui) const;
  void picture(UiContext& ui, const Headline& headline, ImVec2 at, ImVec2 size) const;
  void levers(UiContext& ui, const Headline& headline, float right) const;

  ReportView& view_;
};

}  // namespace lacuna
