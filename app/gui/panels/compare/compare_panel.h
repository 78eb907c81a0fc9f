#pragma once

#include "app/gui/application/diff_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"

namespace lacuna {

/// The page that compares the open trace with another one: differences by name, both traces as one tree, kernels
/// side by side, total numbers, and the controls of the split timeline. UI thread.
class ComparePanel {
 public:
  explicit ComparePanel(DiffView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void sides(UiContext& ui);
  void toolbar(UiContext& ui);
  void names(UiContext& ui);
  void kernels(UiContext& ui);
  void kernel_list(UiContext& ui, float width);
  void chosen_kernels(UiContext& ui);
  void structure(UiContext& ui);
  void structure_row(UiContext& ui, std::uint32_t index);
  void copy_structure(CopiedTable& copied, CopyFormat format) const;
  /// Shows a slice of each side in its own timeline; an invalid one is skipped.
  void go_to(UiContext& ui, SliceId a, SliceId b);
  /// … below each other, also where the timelines are tied together.
  void show_both(UiContext& ui, SliceId a, SliceId b);
  void row(UiContext& ui, std::uint32_t index);
  void summary(UiContext& ui);
  void copy(UiContext& ui, CopyFormat format);

  enum class Shown { kNames, kStructure, kKernels, kSummary };

  DiffView& view_;
  Shown shown_ = Shown::kNames;
};

}  // namespace lacuna
