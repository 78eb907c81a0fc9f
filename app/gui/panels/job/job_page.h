#pragma once

#include <map>
#include <string>

#include "app/gui/models/job/job_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The job page: which rank made the others wait and why, a map of ranks and steps, and what another job has changed. A
/// click shows the place on the timeline; of a job that was read from files it opens the ranks that prove it. Draws
/// without an open trace, too. UI thread.
class JobPage {
 public:
  explicit JobPage(JobView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void source(UiContext& ui);
  /// How the ranks lie on the time axis, and the ways to change it.
  void clocks(UiContext& ui, const Job& job);
  void stragglers(UiContext& ui, const Job& job);
  /// What the flight recorder files beside the traces say; nothing where there are none.
  void hang(UiContext& ui, const HangFiles& files);
  /// What stands on the right: the map, or the comparison.
  void views(UiContext& ui);
  void map(UiContext& ui, const Job& job);
  void comparison(UiContext& ui);
  bool has_comparison() const;

  /// What else a click on this rank and step opens, as the end of a sentence; empty: nothing.
  std::string what_opens(const Job& job, std::uint32_t rank, std::uint32_t step) const;
  /// Shows a span of a rank, by the clock of its trace, in the open trace, or in the traces that prove its lateness.
  void show(UiContext& ui, const Job& job, std::uint32_t rank, std::uint32_t step, TimeSpan span);

  JobView& view_;
  std::map<std::size_t, std::size_t> next_;  ///< by straggler: which of its places a click shows
  bool shows_comparison_ = true;             ///< where there is one
};

/// "3", or "all" where the traces have no steps.
std::string job_step_label(const Job& job, std::size_t step);

}  // namespace lacuna
