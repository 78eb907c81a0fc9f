#pragma once

#include <string>

#include "app/gui/platform/input_queue.h"
#include "app/web/wire/page_events.h"

namespace lacuna {

/// Converts an event for the window's queue; only for kinds from kKey to kFocus.
InputQueue::Event input_event(const PageEvent& event);

/// Passes the events of InputQueue on to ImGui, instead of ImGui's GLFW backend. UI thread, with the window's
/// context current.
class WebInput {
 public:
  /// Sets the key numbers of the current ImGui context.
  static void set_up();
  /// Feeds one frame's share of `queue`. Call before ImGui::NewFrame.
  void feed(InputQueue& queue, const InputQueue::Handler& handle);

 private:
  void tell(const InputQueue::Event& event);

  // The mouse position for ImGui; before 1.87 it has no queue of its own.
  float mouse_x_ = 0, mouse_y_ = 0;
  bool mouse_inside_ = false;
  bool buttons_[5] = {};
};

}  // namespace lacuna
