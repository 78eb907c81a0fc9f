#include "app/gui/panels/details/details_live.h"

#include <algorithm>

#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kLiveTooltipPx = 520;
constexpr std::size_t kMostDetailCharacters = 600;

}  // namespace

std::string live_duration_text(const UiContext& ui, const LiveSlice& live) {
  const TimeSpan span = live.trace().span(live.slice);
  if (!live.is_running) return format_duration(span.duration());
  return format_duration(std::max<Nanos>(0, saturating_sub(ui.live.now(), span.begin))) + " so far";
}

void live_tooltip(UiContext& ui, const LiveSlice& live) {
  const Trace& trace = live.trace();
  const TimeSpan span = trace.span(live.slice);
  begin_tooltip(ui, kLiveTooltipPx);
  text(trace.name(live.slice).substr(0, kMostDetailCharacters));
  tooltip_fact(ui, "Duration", live_duration_text(ui, live));
  tooltip_fact(ui, "Start", time_text(ui, span.begin));
  tooltip_fact(ui, "Track", track_text(trace, trace.track_of(live.slice)));
  end_tooltip();
}

void draw_live_details(UiContext& ui, const LiveSlice& live) {
  const Trace& trace = live.trace();
  details_heading(ui, ui.theme.accent, trace.name(live.slice));
  if (!begin_facts(ui, "live_slice")) return;
  fact_row(ui, "Duration", live_duration_text(ui, live));
  fact_row(ui, "Start", time_text(ui, trace.span(live.slice).begin));
  fact_row(ui, "Category", trace.category_name(trace.lane(live.slice).category(live.slice.index)));
  fact_row(ui, "Track", track_text(trace, trace.track_of(live.slice)));
  fact_row(ui, "Recording", live.is_running ? "it runs" : "just recorded: details follow in a moment");
  end_facts();
}

}  // namespace lacuna
