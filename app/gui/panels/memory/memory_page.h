#pragma once

#include <string>

#include "app/gui/application/diff_view.h"
#include "app/gui/models/memory/memory_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "render/draw_list.h"
#include "render/memory_layout.h"

namespace lacuna {

/// The memory page: bytes of a device by holder over time, live allocations at a moment, and for allocator snapshots
/// their segments, blocks, fragmentation and findings. UI thread.
class MemoryPage {
 public:
  /// `other`: the memory of the trace compared with, which `diff` has.
  MemoryPage(MemoryView& view, MemoryView& other, DiffView& diff) : view_(view), other_(other), diff_(diff) {}
  void draw(UiContext& ui);

 private:
  void toolbar(UiContext& ui, MemoryView& view);
  void moment_line(UiContext& ui, MemoryView& view);
  void left_out(UiContext& ui, const MemoryView& view);
  void legend(UiContext& ui, MemoryView& view);
  void live_table(UiContext& ui, MemoryView& view, ImVec2 size);
  void live_row(UiContext& ui, MemoryView& view, std::uint32_t piece, std::size_t row);
  void category_table(UiContext& ui, MemoryView& view, ImVec2 size);
  void stack_of_chosen(UiContext& ui, MemoryView& view);
  void copy(UiContext& ui, MemoryView& view, CopyFormat format);

  // memory_charts.cpp
  void chart(UiContext& ui, MemoryView& view, ImVec2 size);
  void chart_axes(UiContext& ui, TimeSpan shown, ImVec2 at, ImVec2 size);
  void chart_mouse(UiContext& ui, MemoryView& view, const MemoryTable& table, ImVec2 at, ImVec2 size);
  void fragmentation(UiContext& ui, MemoryView& view, ImVec2 size);
  void allocator(UiContext& ui, MemoryView& view, ImVec2 size);

  // memory_words.cpp
  void flames(UiContext& ui, MemoryView& view);
  void findings(UiContext& ui, MemoryView& view);
  void compare(UiContext& ui, MemoryView& view);
  void checkpointing(UiContext& ui, MemoryView& view);

  MemoryView& view_;
  MemoryView& other_;
  DiffView& diff_;
  MemoryDrawList list_;
  Recycled<DrawTick> ticks_;
  struct Drawn {
    const void* table = nullptr;
    const void* areas = nullptr;
    TimeSpan view;
    ImVec2 size;
    bool as_bands = false;
  } drawn_;                                 ///< what list_ was laid out for
  std::uint32_t zoomed_ = 0;                ///< node of the flame graph
  const void* zoomed_of_ = nullptr;         ///< the tree of zoomed_
  std::optional<std::uint32_t> scroll_to_;  ///< allocation to scroll to in the table
};

/// Returns the colour of an area, the same in every chart; kRest and the others are neutral.
Rgba segment_colour(const UiContext& ui, std::uint32_t kind);
Rgba memory_colour(const UiContext& ui, const MemoryView& view, std::uint32_t area);
/// Returns the columns of the comparison with another snapshot.
const std::vector<TableColumn>& memory_change_columns();
/// Returns the columns of the checkpointing table: what activation checkpointing would free.
const std::vector<TableColumn>& checkpointing_columns();

}  // namespace lacuna
