#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/gui/models/headline/headline_view.h"
#include "app/gui/models/report/report_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The one-line summary above the timeline: how a GPU spent the measured time, the selected range or the newest part
/// of a recording, why it was idle, how certain that is, and what would gain most, each with a link. With several
/// GPUs it is about the worst one, or the one that the user clicked. UI thread.
class HeadlineBar {
 public:
  HeadlineBar(ReportView& report, HeadlineView& of_range) : report_(report), of_range_(of_range) {}
  /// Requests its headline and draws it at `at`. Returns the height drawn; 0 without a headline or after the
  /// user closed it.
  float draw(UiContext& ui, ImVec2 at, float width);

 private:
  struct Shown {
    const Headline* headline = nullptr;
    std::string_view name;  // of the range; empty: the measured time
    bool operator==(const Shown&) const = default;
  };
  void ask(const UiContext& ui);
  Shown shown(const UiContext& ui) const;
  const Headline::Subject& subject(const Headline& headline) const;
  void picture(UiContext& ui, const Headline::Subject& subject, ImVec2 at, ImVec2 size) const;
  /// Draws a small bar for each GPU. Returns their total width.
  float gpus(UiContext& ui, const Headline& headline, ImVec2 at, float height, float room);
  void levers(UiContext& ui, const Headline::Subject& subject, float right) const;

  ReportView& report_;
  HeadlineView& of_range_;
  std::optional<std::size_t> chosen_;  // index of the subject; nothing: the worst one
  DocumentPtr chosen_in_;
};

}  // namespace lacuna
