#pragma once

#include "app/gui/application/ahead.h"
#include "app/gui/models/statistics/group_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"

namespace lacuna {

/// The statistics page: the table of slices by name, by another grouping with every column, or
/// torch.profiler's table; all with a filter and for the selected range. Rows highlight and step through their slices.
/// UI thread.
class StatisticsPanel {
 public:
  StatisticsPanel(GroupView& groups, const Ahead& ahead) : groups_(groups), ahead_(ahead) {}

  void draw(UiContext& ui);
  /// Resets the panel: the trace was closed.
  void forget();

 private:
  void toolbar(UiContext& ui);
  void right_side(UiContext& ui);
  void copy(UiContext& ui, CopyFormat format);
  void table(UiContext& ui);
  void row(UiContext& ui, std::uint32_t index);

  // torch.profiler's table: in torch_panel.cpp.
  void torch_options(UiContext& ui);
  void torch_table(UiContext& ui);
  void torch_row(UiContext& ui, const std::vector<TorchColumn>& columns, const std::vector<TableColumn>& looks,
                 std::uint32_t index);
  void torch_footers(UiContext& ui);
  void copy_torch(UiContext& ui, CopyFormat format);

  // Other groupings: in groups_panel.cpp.
  void group_choice(UiContext& ui);
  void group_table(UiContext& ui);
  void group_row(UiContext& ui, std::uint32_t index);
  void copy_groups(UiContext& ui, CopyFormat format);

  GroupView& groups_;
  const Ahead& ahead_;
  bool shows_groups_ = false;
  DocumentPtr grouped_ahead_;  // the document whose groups were requested before they were shown
  // The highlighted row of torch's table.
  std::string torch_name_;
  bool torch_on_gpu_ = false;
  bool torch_is_annotation_ = false;
};

/// What a table is restricted to, apart from the range.
enum class ScopeOf { kTime, kTracks, kStreams };
/// Draws "in 12.3 ms selected", "in steps 3 to 5", "of 2 tracks", with links that clear the restriction; if there is
/// none, "in the whole trace".
void scope_text(UiContext& ui, ScopeOf what);

}  // namespace lacuna
