#pragma once

#include <cstdint>

#include "app/gui/models/calls/call_view.h"
#include "app/gui/models/path/path_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "model/base/ids.h"

namespace lacuna {

/// The critical path page: the path by name, cause and lane, and the slack of everything else. Clicks on a
/// row step through its places. UI thread.
class PathPage {
 public:
  PathPage(PathView& view, CallView& calls) : view_(view), calls_(calls) {}
  void draw(UiContext& ui);

 private:
  void toolbar(UiContext& ui);
  void causes(UiContext& ui, const DescribedPath& path);
  void table(UiContext& ui, const DescribedPath& path);
  void row(UiContext& ui, const DescribedPath& path, std::uint32_t index);
  void show(UiContext& ui, const DescribedPath::Row& row);
  void copy(UiContext& ui, const DescribedPath& path, CopyFormat format);

  PathView& view_;
  CallView& calls_;
  std::uint32_t chosen_ = kNoIndex;  ///< row of the table below
  std::size_t next_ = 0;             ///< index of the place that the next click shows
  const void* shown_ = nullptr;      ///< the table of chosen_ and next_; for comparing only
};

}  // namespace lacuna
