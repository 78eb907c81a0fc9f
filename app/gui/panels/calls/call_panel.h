#pragma once

#include "app/gui/models/calls/call_view.h"
#include "app/gui/models/path/path_view.h"
#include "app/gui/panels/ui_context.h"
#include "render/flame_layout.h"

namespace lacuna {

/// The calls page: a flame graph or a table of who calls what in the selected range, steps, tracks or
/// row, by CPU time, GPU time launched or idle time charged. UI thread.
class CallPanel {
 public:
  CallPanel(CallView& view, const PathView& path) : view_(view), path_(path) {}
  void draw(UiContext& ui);

 private:
  void toolbar(UiContext& ui);
  void scope(UiContext& ui);
  void flames(UiContext& ui);
  void paint(UiContext& ui, const FlameRect& rect, ImVec2 at);
  void frame_tooltip(UiContext& ui, const FlameRect& rect);
  void table(UiContext& ui);
  void table_row(UiContext& ui, std::size_t index);
  void footer(UiContext& ui);
  void menu(UiContext& ui);
  void actions(UiContext& ui, std::uint32_t node);

  CallView& view_;
  const PathView& path_;
  FlameDrawList list_;  // reused to save allocations
};

}  // namespace lacuna
