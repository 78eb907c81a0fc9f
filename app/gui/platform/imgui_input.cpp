#include "app/gui/platform/imgui_input.h"

#ifndef GLFW_INCLUDE_NONE
#define GLFW_INCLUDE_NONE
#endif
#include <cfloat>

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

namespace lacuna {

void ImGuiInput::feed(GLFWwindow* window, InputQueue& queue, const InputQueue::Handler& handle) {
  wheel_x_ = wheel_y_ = 0;
  queue.feed([&](const InputQueue::Event& event) { tell(window, event); }, handle);
  apply_mouse();
}

#if IMGUI_VERSION_NUM >= 18700

// ImGui has a queue of its own behind these.
void ImGuiInput::tell(GLFWwindow* window, const InputQueue::Event& e) {
  using Kind = InputQueue::Event::Kind;
  switch (e.kind) {
    case Kind::kKey:
      ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.modifiers);
      break;
    case Kind::kCharacter:
      ImGui_ImplGlfw_CharCallback(window, e.codepoint);
      break;
    case Kind::kButton:
      ImGui_ImplGlfw_MouseButtonCallback(window, e.key, e.action, e.modifiers);
      break;
    case Kind::kMove:
      ImGui_ImplGlfw_CursorPosCallback(window, e.x, e.y);
      break;
    case Kind::kWheel:
      ImGui_ImplGlfw_ScrollCallback(window, e.x, e.y);
      break;
    case Kind::kEnter:
      ImGui_ImplGlfw_CursorEnterCallback(window, e.key);
      break;
    case Kind::kFocus:
      ImGui_ImplGlfw_WindowFocusCallback(window, e.key);
      break;
  }
}

void ImGuiInput::apply_mouse() {}

#else

void ImGuiInput::tell(GLFWwindow* window, const InputQueue::Event& e) {
  using Kind = InputQueue::Event::Kind;
  switch (e.kind) {
    case Kind::kKey:
      ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.modifiers);
      break;
    case Kind::kCharacter:
      ImGui::GetIO().AddInputCharacter(e.codepoint);
      break;
    case Kind::kButton:
      if (e.key >= 0 && e.key < 5) buttons_[e.key] = e.action == GLFW_PRESS;
      break;
    case Kind::kMove:
      mouse_x_ = e.x;
      mouse_y_ = e.y;
      mouse_inside_ = true;
      break;
    case Kind::kWheel:
      wheel_x_ += static_cast<float>(e.x);
      wheel_y_ += static_cast<float>(e.y);
      break;
    case Kind::kEnter:
      mouse_inside_ = e.key != 0;
      break;
    case Kind::kFocus:
      ImGui_ImplGlfw_WindowFocusCallback(window, e.key);
      break;
  }
}

void ImGuiInput::apply_mouse() {
  ImGuiIO& io = ImGui::GetIO();
  bool any_down = false;
  for (int i = 0; i < 5; ++i) {
    io.MouseDown[i] = buttons_[i];
    any_down = any_down || buttons_[i];
  }
  io.MousePos = mouse_inside_ || any_down ? ImVec2(static_cast<float>(mouse_x_), static_cast<float>(mouse_y_))
                                          : ImVec2(-FLT_MAX, -FLT_MAX);
  io.MouseWheel += wheel_y_;
  io.MouseWheelH += wheel_x_;
}

#endif

}  // namespace lacuna
