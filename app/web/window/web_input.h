#pragma once

#include <string>

#include "app/gui/platform/input_queue.h"
#include "app/web/wire/page_events.h"

namespace lacuna {

/// The event as the window's queue takes it; only for kinds from kKey to kFocus.
InputQueue::Event input_event(const PageEvent& event);

/// Tells ImGui of the events that InputQueue hands on, in place of ImGui's GLFW backend. UI thread, in the context of
/// the window.
class WebInput {
 public:
  /// Prepares the current ImGui context: which numbers keys have.
  static void set_up();
  /// Takes what a frame gets out of `queue`. Before ImGui::NewFrame.
  void feed(InputQueue& queue, const InputQueue::Handler& handle);

 private:
  void tell(const InputQueue::Event& event);

  // The mouse as ImGui is to see it; before 1.87 it has no queue of its own.
  float mouse_x_ = 0, mouse_y_ = 0;
  bool mouse_inside_ = false;
  bool buttons_[5] = {};
};

}  // namespace lacuna
