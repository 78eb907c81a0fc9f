#pragma once

#include <map>
#include <string>

#include "app/gui/models/job/job_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The job page: which rank made the others wait and why, a map of ranks and steps, and differences to another job. A
/// click shows the place on the timeline; for a job read from files it opens the traces of the ranks involved. Also
/// works without an open trace. UI thread.
class JobPage {
 public:
  explicit JobPage(JobView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void source(UiContext& ui);
  /// Draws how the ranks' clocks were aligned, and the ways to change that.
  void clocks(UiContext& ui, const Job& job);
  void stragglers(UiContext& ui, const Job& job);
  /// Draws the findings of flight recorder files beside the traces; nothing without any.
  void hang(UiContext& ui, const HangFiles& files);
  /// Draws the right side: the map, or the comparison.
  void views(UiContext& ui);
  void map(UiContext& ui, const Job& job);
  void comparison(UiContext& ui);
  bool has_comparison() const;

  /// Returns what else a click on this rank and step opens, as the end of a sentence; empty: nothing.
  std::string what_opens(const Job& job, std::uint32_t rank, std::uint32_t step) const;
  /// Shows a span of a rank, in its trace's clock, in the open trace, or in the traces that prove its lateness.
  void show(UiContext& ui, const Job& job, std::uint32_t rank, std::uint32_t step, TimeSpan span);

  JobView& view_;
  std::map<std::size_t, std::size_t> next_;  ///< by straggler: index of the place that the next click shows
  bool shows_comparison_ = true;             ///< if there is one
};

/// Returns "3", or "all" if the traces have no steps.
std::string job_step_label(const Job& job, std::size_t step);

}  // namespace lacuna
