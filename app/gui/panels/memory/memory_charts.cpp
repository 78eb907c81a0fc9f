// The memory page's pictures over time, and of the allocator at a moment.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/memory/memory_page.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/memory/out_of_memory.h"
#include "render/format.h"
#include "render/paint/text_fit.h"
#include "render/ticks.h"

namespace lacuna {
namespace {

constexpr float kSegmentRowPx = 13;
constexpr float kLeastWithAxesPx = 240;
constexpr float kAxisPx = 72;      // for the bytes
constexpr float kAxisStepPx = 34;  // least distance of two of them
constexpr float kLeastLabelPx = 15;
constexpr double kZoomStep = 1.25;

/// A rectangle with a hair of the background around it where there is room.
void fill(ImDrawList& draw, ImVec2 at, const MemoryRect& rect, Rgba colour) {
  const float gap = rect.y1 - rect.y0 >= 3 ? 1.0f : 0.0f;
  draw.AddRectFilled({at.x + rect.x0, at.y + rect.y0}, {at.x + rect.x1, at.y + rect.y1 - gap}, to_imgui(colour));
}

void chart_label(UiContext& ui, ImVec2 at, const MemoryRect& rect, Rgba colour, std::string_view words) {
  const float room = rect.x1 - rect.x0 - ui.px(8);
  if (rect.y1 - rect.y0 < ui.px(kLeastLabelPx) || room < ui.px(40)) return;
  const float size = ImGui::GetFontSize();
  const float y = std::round((rect.y0 + rect.y1 - size) * 0.5f);
  draw_text(*ImGui::GetWindowDrawList(), ImGui::GetFont(), size, {at.x + rect.x0 + ui.px(4), at.y + y},
            to_imgui(Palette::label_on(colour)), words, room);
}

}  // namespace

void MemoryPage::chart(UiContext& ui, MemoryView& view, ImVec2 size) {
  const bool of_segments = view.shows == MemoryShows::kSegments;
  const bool as_bands = view.shows != MemoryShows::kHolders;
  const MemoryTable& table = of_segments ? view.snapshot()->segments() : view.device()->table;
  const HolderAreas* areas = view.areas();
  if (!as_bands && areas == nullptr) return muted_text(ui, "computing\xE2\x80\xA6");
  ImVec2 at = ImGui::GetCursorScreenPos();
  size = {std::floor(size.x), std::floor(size.y)};
  if (size.x < 8 || size.y < 8) return;
  const TimeSpan shown = ui.workspace().view().visible();
  // Axes where the picture is large enough to be read by them.
  const bool has_axes = size.x > ui.px(kLeastWithAxesPx) && size.y > ui.px(kLeastWithAxesPx) * 0.5f;
  if (has_axes) {
    at.x += std::round(ui.px(kAxisPx));
    size.x -= std::round(ui.px(kAxisPx));
    size.y -= std::round(ImGui::GetTextLineHeight() + ui.px(4));
    ImGui::SetCursorScreenPos(at);
  }
  ImGui::InvisibleButton("memory_area", size);
  note_place(ui, "memory_chart");
  if (drawn_.table != &table || drawn_.areas != areas || drawn_.view != shown || drawn_.size.x != size.x ||
      drawn_.size.y != size.y || drawn_.as_bands != as_bands) {
    drawn_ = {&table, areas, shown, size, as_bands};
    const MemoryChart input{&table, shown, size.x, size.y};
    as_bands ? layout_memory_bands(input, list_) : layout_memory_areas(input, *areas, list_);
  }
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
  draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.background));
  const auto colour_of = [&](std::uint32_t what) {
    if (what == kRest) return memory_colour(ui, view, kRest);
    if (of_segments) return segment_colour(ui, table.pieces[what].label);
    if (!as_bands) return memory_colour(ui, view, what);
    return memory_colour(ui, view, areas == nullptr ? kRest : areas->area_of[what]);
  };
  for (const MemoryRect& rect : list_.rects) {
    const bool is_dimmed = view.only_area && !of_segments && areas != nullptr && rect.what != kRest &&
                           (as_bands ? areas->area_of[rect.what] : rect.what) != *view.only_area;
    const Rgba colour = is_dimmed ? dimmed_fill(ui.theme, colour_of(rect.what)) : colour_of(rect.what);
    fill(draw, at, rect, colour);
    if (as_bands && view.chosen_piece == rect.what && !of_segments)
      draw.AddRect({at.x + rect.x0, at.y + rect.y0}, {at.x + rect.x1, at.y + rect.y1}, to_imgui(ui.theme.selection), 0,
                   0, ui.px(1.5f));
    if (rect.what == kRest) continue;
    chart_label(ui, at, rect, colour,
                of_segments ? describe_size(table.pieces[rect.what].bytes)
                : as_bands
                    ? describe_size(table.pieces[rect.what].bytes) + "  " + table.labels[table.pieces[rect.what].label]
                    : areas->areas[rect.what].name);
  }
  // The selected range, and the moment that the table is about.
  const auto x_of = [&](Nanos t) {
    return at.x +
           static_cast<float>(static_cast<double>(saturating_sub(t, shown.begin)) /
                              static_cast<double>(std::max<Nanos>(1, shown.duration())) * static_cast<double>(size.x));
  };
  if (const auto span = ui.workspace().selected_span()) {
    draw.AddRectFilled({at.x, at.y}, {std::clamp(x_of(span->begin), at.x, at.x + size.x), at.y + size.y},
                       to_imgui(ui.theme.outside));
    draw.AddRectFilled({std::clamp(x_of(span->end), at.x, at.x + size.x), at.y}, {at.x + size.x, at.y + size.y},
                       to_imgui(ui.theme.outside));
  }
  const float x = x_of(view.device()->table.time_of(view.moment()));
  if (x >= at.x && x <= at.x + size.x)
    draw.AddLine({std::floor(x) + 0.5f, at.y}, {std::floor(x) + 0.5f, at.y + size.y}, to_imgui(ui.theme.text),
                 std::max(1.0f, ui.px(1.2f)));
  if (has_axes) draw.PopClipRect();
  if (has_axes) chart_axes(ui, shown, at, size);
  if (has_axes) draw.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
  const std::string top =
      has_axes ? std::string() : describe_size(static_cast<std::uint64_t>(std::max<std::int64_t>(0, list_.top)));
  const float top_px = ImGui::CalcTextSize(top.c_str()).x;
  if (!has_axes)
    draw.AddRectFilled({at.x, at.y}, {at.x + top_px + ui.px(8), at.y + ImGui::GetFontSize() + ui.px(3)},
                       to_imgui(with_alpha(ui.theme.panel, 0.8f)));
  draw.AddText({at.x + ui.px(4), at.y + ui.px(1)}, to_imgui(ui.theme.muted), top.c_str());
  if (list_.moments.empty() || list_.top <= 0)
    draw.AddText({at.x + ui.px(4), at.y + size.y * 0.5f}, to_imgui(ui.theme.muted), "Nothing is held in view.");
  draw.PopClipRect();
  chart_mouse(ui, view, table, at, size);
}

/// Bytes at the left in steps of powers of two, time below as the ruler counts it.
void MemoryPage::chart_axes(UiContext& ui, TimeSpan shown, ImVec2 at, ImVec2 size) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 line = to_imgui(with_alpha(ui.theme.text, 0.14f));
  const ImU32 words = to_imgui(ui.theme.muted);
  const float line_px = ImGui::GetFontSize();
  const auto top = static_cast<std::uint64_t>(std::max<std::int64_t>(0, list_.top));
  const double most_lines = std::max(1.0, static_cast<double>(size.y) / static_cast<double>(ui.px(kAxisStepPx)));
  std::uint64_t step = 1;
  while (static_cast<double>(top) / static_cast<double>(step) > most_lines) step *= 2;
  for (std::uint64_t bytes = 0; bytes <= top && top > 0; bytes += step) {
    const float y =
        std::round(at.y + size.y * (1 - static_cast<float>(static_cast<double>(bytes) / static_cast<double>(top))));
    if (bytes > 0) draw.AddLine({at.x, y + 0.5f}, {at.x + size.x, y + 0.5f}, line);
    const std::string label = describe_size(bytes);
    const float width = ImGui::CalcTextSize(label.c_str()).x;
    const float label_y = std::clamp(y - line_px * 0.5f, at.y, at.y + size.y - line_px * 0.5f);
    draw.AddText({std::round(at.x - width - ui.px(5)), std::round(label_y)}, words, label.c_str());
  }
  if (shown.empty()) return;
  TickStyle style;
  style.min_label_px = static_cast<double>(ui.px(90));
  ticks_.clear();
  append_ticks(Camera::fit(shown, size.x), static_cast<double>(size.x), ui.workspace().view().input().view.axis.origin,
               style, 0, ticks_);
  for (const DrawTick& tick : ticks_) {
    if (!tick.is_major || tick.x < 0 || tick.x > size.x) continue;
    const float x = std::round(at.x + tick.x);
    draw.AddLine({x + 0.5f, at.y}, {x + 0.5f, at.y + size.y}, line);
    const float width = ImGui::CalcTextSize(tick.label.c_str()).x;
    if (x + ui.px(3) + width <= at.x + size.x)
      draw.AddText({x + ui.px(3), std::round(at.y + size.y + ui.px(2))}, words, tick.label.c_str());
  }
}

void MemoryPage::chart_mouse(UiContext& ui, MemoryView& view, const MemoryTable& table, ImVec2 at, ImVec2 size) {
  if (!ImGui::IsItemHovered() || list_.moments.empty()) return;
  const ImVec2 mouse = ImGui::GetMousePos();
  const float x = std::clamp(mouse.x - at.x, 0.0f, size.x - 1);
  const float wheel = ImGui::GetIO().MouseWheel;
  TimelineView& timeline = ui.workspace().view();
  // The chart is as wide as the timeline's view: what moves one moves the other.
  if (ImGui::GetIO().KeyCtrl && wheel != 0) {
    timeline.zoom_at(static_cast<double>(x / size.x * timeline.width_px()), std::pow(kZoomStep, wheel));
    return;
  }
  const std::uint32_t moment = list_.moments[std::min(static_cast<std::size_t>(x), list_.moments.size() - 1)];
  const MemoryRect* under = memory_rect_at(list_, x, mouse.y - at.y);
  const bool as_bands = drawn_.as_bands;
  const bool of_segments = view.shows == MemoryShows::kSegments;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    view.choose_moment(moment);
    if (as_bands && !of_segments && under != nullptr && under->what != kRest) {
      view.chosen_piece = under->what;
      scroll_to_ = under->what;
    }
  }
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) timeline.centre_on(table.time_of(moment));
  if (begin_tooltip(ui, 460)) {
    text(fmt::format("{} at {}",
                     describe_size(static_cast<std::uint64_t>(std::max<std::int64_t>(0, table.active[moment]))),
                     time_text(ui, table.time_of(moment))));
    if (under == nullptr) {
      muted_text(ui, "Click: what was live then.");
    } else if (under->what == kRest) {
      muted_text(ui, as_bands ? "allocations too small to be drawn alone, and what was there before"
                              : "not attributed: there before the recording, or rounding");
    } else if (as_bands) {
      const MemoryPiece& piece = table.pieces[under->what];
      muted_text(ui, fmt::format("{}  {}", describe_size(piece.bytes), table.labels[piece.label]));
    } else {
      const HolderArea& area = view.areas()->areas[under->what];
      muted_text(ui, fmt::format("{}  {}", describe_size(area.at(moment)), area.name));
    }
    end_tooltip();
  }
}

void MemoryPage::fragmentation(UiContext& ui, MemoryView& view, ImVec2 size) {
  if (view.findings() == nullptr) return muted_text(ui, "Replaying the allocator\xE2\x80\xA6");
  const std::vector<AllocatorState>& states = view.findings()->over_time;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float words = ImGui::GetTextLineHeightWithSpacing();
  const float height = size.y - words;
  if (states.size() < 2 || height < 20) return muted_text(ui, "No history.");
  std::uint64_t most = 1;
  for (const AllocatorState& state : states) most = std::max({most, state.reserved, state.live});
  ImGui::InvisibleButton("memory_states", {size.x, height});
  note_place(ui, "memory_chart");
  const bool is_hovered = ImGui::IsItemHovered();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + size.x, at.y + height}, to_imgui(ui.theme.background));
  const Rgba reserved = mix(ui.theme.background, ui.theme.muted, 0.45f);
  const Rgba live = ui.palette.colour(3, CategoryClass::kKernel).fill;
  const Rgba largest = ui.theme.warning;
  const auto x_of = [&](std::size_t i) {
    return at.x + size.x * static_cast<float>(i) / static_cast<float>(states.size() - 1);
  };
  const auto y_of = [&](std::uint64_t bytes) {
    return at.y + height * (1 - static_cast<float>(static_cast<double>(bytes) / static_cast<double>(most) * 0.95));
  };
  for (std::size_t i = 0; i + 1 < states.size(); ++i) {
    draw.AddRectFilled({x_of(i), y_of(states[i].reserved)}, {x_of(i + 1), at.y + height}, to_imgui(reserved));
    draw.AddRectFilled({x_of(i), y_of(states[i].live)}, {x_of(i + 1), at.y + height}, to_imgui(live));
    draw.AddLine({x_of(i), y_of(states[i].largest_free)}, {x_of(i + 1), y_of(states[i + 1].largest_free)},
                 to_imgui(largest), ui.px(1.6f));
  }
  const auto shown = static_cast<std::size_t>(
      std::ranges::lower_bound(states, Moment{view.moment()}, {}, &AllocatorState::moment) - states.begin());
  const std::size_t now = std::min(shown, states.size() - 1);
  draw.AddLine({x_of(now), at.y}, {x_of(now), at.y + height}, to_imgui(ui.theme.text));
  std::size_t pointed = now;
  if (is_hovered) {
    const float part = std::clamp((ImGui::GetMousePos().x - at.x) / size.x, 0.0f, 1.0f);
    pointed = static_cast<std::size_t>(std::lround(part * static_cast<float>(states.size() - 1)));
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
      view.choose_moment(static_cast<std::uint32_t>(states[pointed].moment));
    tooltip("Over the events of the history, not over time. Click: the allocator at that moment.");
  }
  const AllocatorState& state = states[pointed];
  const auto legend_part = [&](Rgba colour, const std::string& words_of) {
    colour_swatch(ui, colour);
    ImGui::SameLine(0, ui.px(4));
    text(words_of);
    ImGui::SameLine(0, ui.px(10));
  };
  legend_part(reserved, "reserved " + describe_size(state.reserved));
  legend_part(live, "allocated " + describe_size(state.live));
  legend_part(largest, "largest free " + describe_size(state.largest_free));
  muted_text(ui, "fragmentation " + format_percent(state.fragmentation()));
  if (is_hovered) return;
  tooltip("Of the free bytes, those that do not lie in the largest free range.");
}

void MemoryPage::allocator(UiContext& ui, MemoryView& view, ImVec2 size) {
  const MemoryView::AtMoment* at_moment = view.at_moment();
  if (at_moment == nullptr) return muted_text(ui, "Replaying the allocator\xE2\x80\xA6");
  const std::vector<SegmentPicture>& segments = at_moment->segments;
  const AllocatorState& state = at_moment->state;
  fitted_text(
      ui,
      fmt::format("{}, {} reserved, {} of it free, largest free range {}, {} unused",
                  counted(segments.size(), "segment"), describe_size(state.reserved), describe_size(state.free_bytes),
                  describe_size(state.largest_free), counted(state.unused_segments, "segment")),
      0, true);
  const float used = ImGui::GetTextLineHeightWithSpacing();
  begin_child("segments", {size.x, size.y - used});
  const MemoryTable& table = view.device()->table;
  const float row = std::round(ui.px(kSegmentRowPx));
  const float width = ImGui::GetContentRegionAvail().x - ui.px(4);
  const double most = segments.empty() ? 1 : static_cast<double>(std::max<std::uint64_t>(1, segments.front().size));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("rows", {width, std::max(row, row * static_cast<float>(segments.size()))});
  note_place(ui, "memory_segments_rows");
  const bool is_hovered = ImGui::IsItemHovered();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float clip_top = draw.GetClipRectMin().y, clip_end = draw.GetClipRectMax().y;
  const auto first = static_cast<std::size_t>(std::max(0.0f, (clip_top - at.y) / row));
  const std::size_t end =
      std::min(segments.size(), static_cast<std::size_t>(std::max(0.0f, clip_end - at.y) / row) + 1);
  const ImVec2 mouse = ImGui::GetMousePos();
  for (std::size_t s = first; s < end; ++s) {
    const SegmentPicture& segment_of = segments[s];
    const float y = at.y + row * static_cast<float>(s);
    const double scale = static_cast<double>(width) / most;
    const float right = std::max(ui.px(3), static_cast<float>(static_cast<double>(segment_of.size) * scale));
    draw.AddRectFilled({at.x, y}, {at.x + right, y + row - 2},
                       to_imgui(mix(ui.theme.background, ui.theme.muted, 0.2f)));
    float drawn_to = -1;
    bool is_explained = false;
    for (const SegmentPicture::Block& block : segment_of.blocks) {
      const float x0 = static_cast<float>(static_cast<double>(block.offset) * scale);
      const float x1 = std::max(x0 + 0.5f, static_cast<float>(static_cast<double>(block.offset + block.size) * scale));
      const bool is_under = is_hovered && mouse.y >= y && mouse.y < y + row && mouse.x - at.x >= x0 &&
                            mouse.x - at.x < std::max(x1, x0 + 1);
      if (is_under && !is_explained) {
        is_explained = true;
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
          view.chosen_piece = block.piece;
          scroll_to_ = block.piece;
        }
        if (begin_tooltip(ui, 460)) {
          const MemoryPiece& piece = table.pieces[block.piece];
          text(fmt::format("{} at 0x{:x}{}", describe_size(block.size), segment_of.address + block.offset,
                           block.waits ? ", waits for another stream to be freed" : ""));
          muted_text(ui, table.labels[piece.label]);
          end_tooltip();
        }
      }
      if (x1 < drawn_to + 0.5f) continue;  // a pixel shows one
      drawn_to = x1;
      const std::uint32_t area = view.areas() == nullptr ? kRest : view.areas()->area_of[block.piece];
      Rgba colour = memory_colour(ui, view, area);
      if (block.waits) colour = receded_fill(ui.theme, colour);
      draw.AddRectFilled({at.x + x0, y}, {at.x + x1 - (x1 - x0 > 2 ? 1.0f : 0.0f), y + row - 2}, to_imgui(colour));
      if (view.chosen_piece == block.piece)
        draw.AddRect({at.x + x0 - 1, y - 1}, {at.x + x1, y + row - 1}, to_imgui(ui.theme.selection), 0, 0, ui.px(1.5f));
    }
    if (is_hovered && !is_explained && mouse.y >= y && mouse.y < y + row && begin_tooltip(ui, 460)) {
      const SegmentSpan& span = view.snapshot()->memory().segments[segment_of.span];
      text(fmt::format("segment of {} at 0x{:x}{}", describe_size(segment_of.size), segment_of.address,
                       span.is_expandable ? ", expandable"
                       : span.is_small    ? ", for small blocks"
                                          : ""));
      muted_text(ui, counted(segment_of.blocks.size(), "block") + " in use. What is free is drawn pale.");
      end_tooltip();
    }
  }
  ImGui::EndChild();
}

}  // namespace lacuna
