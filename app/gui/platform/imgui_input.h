#pragma once

#include "app/gui/platform/input_queue.h"

struct GLFWwindow;

namespace lacuna {

/// Passes the events of InputQueue on to ImGui's GLFW backend. UI thread.
class ImGuiInput {
 public:
  /// Feeds one frame's share of `queue`. Call after the backend's NewFrame, before ImGui::NewFrame.
  void feed(GLFWwindow* window, InputQueue& queue, const InputQueue::Handler& handle);

 private:
  void tell(GLFWwindow* window, const InputQueue::Event& event);
  void apply_mouse();

  // The mouse position for ImGui; before 1.87 it has no queue of its own.
  double mouse_x_ = 0, mouse_y_ = 0;
  bool mouse_inside_ = false;
  bool buttons_[5] = {};
  float wheel_x_ = 0, wheel_y_ = 0;
};

}  // namespace lacuna
