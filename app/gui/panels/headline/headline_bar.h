#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/gui/models/headline/headline_view.h"
#include "app/gui/models/report/report_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The answer above the timeline, in one line: how a GPU spent the measured time, the selected range or the newest part
/// of a recording, why it was idle, how sure that is, and what would gain most, each leading to its place. Of several
/// GPUs it speaks of the worst one, or of that which the user clicked. UI thread.
class HeadlineBar {
 public:
  HeadlineBar(ReportView& report, HeadlineView& of_range) : report_(report), of_range_(of_range) {}
  /// Asks for what it is about, and draws it from `at` on. How high it is drawn; 0 where there is nothing to say or the
  /// user closed it.
  float draw(UiContext& ui, ImVec2 at, float width);

 private:
  struct Shown {
    const Headline* headline = nullptr;
    std::string_view name;  // of what it is about; empty: the measured time
    bool operator==(const Shown&) const = default;
  };
  void ask(const UiContext& ui);
  Shown shown(const UiContext& ui) const;
  const Headline::Subject& subject(const Headline& headline) const;
  void picture(UiContext& ui, const Headline::Subject& subject, ImVec2 at, ImVec2 size) const;
  /// A small bar for each GPU. How wide they are together.
  float gpus(UiContext& ui, const Headline& headline, ImVec2 at, float height, float room);
  void levers(UiContext& ui, const Headline::Subject& subject, float right) const;

  ReportView& report_;
  HeadlineView& of_range_;
  std::optional<std::size_t> chosen_;  // of the subjects; nothing: the worst one
  DocumentPtr chosen_in_;
};

}  // namespace lacuna
