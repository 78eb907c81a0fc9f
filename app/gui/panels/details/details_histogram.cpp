// Durations of the highlighted name, as a histogram; its humps can be stepped through.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kHeightPx = 64;

std::string range_text(Nanos from, Nanos to) {
  return from == to ? format_duration(from) : fmt::format("{} to {}", format_duration(from), format_duration(to));
}

}  // namespace

void draw_histogram(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const Occurrences& found = workspace.occurrences();
  const DurationHistogram& histogram = found.histogram();
  if (histogram.count < 2) return;
  const std::uint64_t highest = std::ranges::max_element(histogram.bins, {}, &HistogramBin::count)->count;
  section(ui, fmt::format("Durations of {}", counted(histogram.count, "slice")));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(ui.px(60), ImGui::GetContentRegionAvail().x - ui.px(8));
  const float height = ui.px(kHeightPx);
  const float bar = width / static_cast<float>(histogram.bins.size());
  ImGui::InvisibleButton("histogram", {width, height});
  const bool hovered = ImGui::IsItemHovered();
  const bool clicked = ImGui::IsItemClicked();
  note_place(ui, "histogram");
  const float mouse_x = ImGui::GetMousePos().x - at.x;
  const auto under =
      static_cast<std::size_t>(std::clamp(mouse_x / bar, 0.0f, static_cast<float>(histogram.bins.size() - 1)));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, to_imgui(ui.theme.background), ui.px(2));
  const SliceId current = workspace.selection().slice;
  for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
    const HistogramBin& bin = histogram.bins[i];
    if (bin.count == 0) continue;
    const float part = static_cast<float>(static_cast<double>(bin.count) / static_cast<double>(highest));
    const float top = at.y + height - std::max(2.0f, part * (height - ui.px(4)));
    const bool is_in = !found.durations() || (bin.to > found.durations()->begin && bin.from < found.durations()->end);
    const Rgba colour = with_alpha(ui.theme.accent, !is_in ? 0.25f : hovered && i == under ? 1.0f : 0.7f);
    draw.AddRectFilled({at.x + static_cast<float>(i) * bar + 0.5f, top},
                       {at.x + static_cast<float>(i + 1) * bar - 0.5f, at.y + height}, to_imgui(colour));
  }
  for (std::size_t m = 1; m < histogram.modes.size(); ++m) {
    const float x = std::round(at.x + static_cast<float>(histogram.modes[m].first) * bar) + 0.5f;
    draw.AddLine({x, at.y}, {x, at.y + height}, to_imgui(with_alpha(ui.theme.warning, 0.6f)));
  }
  if (current.valid() && found.current()) {
    // Where the selected slice lies.
    const Nanos length = workspace.trace().span(current).duration();
    const auto next = std::ranges::upper_bound(histogram.bins, length, {}, &HistogramBin::from);
    const auto index = static_cast<float>(std::max<std::ptrdiff_t>(next - histogram.bins.begin(), 1) - 1);
    const float x = at.x + (index + 0.5f) * bar;
    draw.AddTriangleFilled({x - ui.px(4), at.y}, {x + ui.px(4), at.y}, {x, at.y + ui.px(6)}, to_imgui(ui.theme.text));
  }
  const HistogramBin& bin = histogram.bins[under];
  if (hovered) {
    tooltip(fmt::format("{}: {}, {} in total. Click steps through these.", range_text(bin.from, bin.to),
                        counted(bin.count, "slice"), format_duration(bin.total)));
  }
  if (clicked && bin.count > 0) workspace.only_durations(TimeSpan{bin.from, bin.to});
  muted_text(ui, fmt::format("{} to {}, p50 {}, p99 {}", format_duration(histogram.min), format_duration(histogram.max),
                             format_duration(histogram.p50), format_duration(histogram.p99)));
  tooltip(column_definition("details", "Histogram"));
  if (found.durations()) {
    ImGui::SameLine(0, ui.px(8));
    if (link(ui, "All")) workspace.only_durations(std::nullopt);
    note_place(ui, "histogram_all");
  }
  if (histogram.modes.size() < 2) return;
  for (std::size_t m = 0; m < histogram.modes.size(); ++m) {
    const HistogramMode& mode = histogram.modes[m];
    const TimeSpan range{histogram.bins[mode.first].from, histogram.bins[mode.last - 1].to};
    ImGui::PushID(static_cast<int>(m));
    const std::string label = fmt::format("{} around {}, {} in total", counted(mode.count, "slice"),
                                          format_duration(mode.median), format_duration(mode.total));
    if (link(ui, label.c_str())) workspace.only_durations(range);
    if (m == 0) note_place(ui, "first_mode");
    tooltip(range_text(range.begin, range.end) + ": click steps through this hump only.");
    ImGui::PopID();
  }
}

}  // namespace lacuna
