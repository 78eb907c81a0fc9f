#pragma once

#include <map>

#include "app/gui/models/job/job_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The job page: which rank made the others wait and why, and a map of ranks and steps. A click shows the place on the
/// timeline. UI thread.
class JobPage {
 public:
  explicit JobPage(JobView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  /// How the ranks lie on the time axis, and the ways to change it.
  void clocks(UiContext& ui, const Job& job);
  void stragglers(UiContext& ui, const Job& job);
  /// What the flight recorder files beside the traces say; nothing where there are none.
  void hang(UiContext& ui, const HangFiles& files);
  void map(UiContext& ui, const Job& job);

  JobView& view_;
  std::map<std::size_t, std::size_t> next_;  ///< by straggler: which of its places a click shows
};

}  // namespace lacuna
