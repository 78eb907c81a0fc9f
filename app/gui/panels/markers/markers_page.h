#pragma once

#include <cstdint>
#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The drawer's page of markers: a click on a row goes there, notes are edited in place. UI thread.
class MarkersPage {
 public:
  void draw(UiContext& ui);

 private:
  void row(UiContext& ui, const Marker& marker);
  /// Copies and pastes notes.
  void share(UiContext& ui);

  std::uint32_t edited_ = 0;  ///< whose note is in the box
  std::string note_;
  std::uint32_t removed_ = 0;
};

}  // namespace lacuna
