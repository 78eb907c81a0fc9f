#pragma once

#include <cstdint>
#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The drawer's markers page: a click on a row goes to the marker, notes are edited in place. UI thread.
class MarkersPage {
 public:
  void draw(UiContext& ui);

 private:
  void row(UiContext& ui, const Marker& marker);
  /// Copies and pastes notes.
  void share(UiContext& ui);

  std::uint32_t edited_ = 0;  ///< marker whose note is being edited
  std::string note_;
  std::uint32_t removed_ = 0;
};

}  // namespace lacuna
