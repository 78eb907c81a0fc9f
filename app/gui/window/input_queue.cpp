#include "app/gui/window/input_queue.h"

#ifndef GLFW_INCLUDE_NONE
#define GLFW_INCLUDE_NONE
#endif
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <cfloat>

namespace lacuna {
namespace {

bool is_modifier(const InputQueue::Event& event) {
  return event.kind == InputQueue::Event::Kind::kKey && event.key >= GLFW_KEY_LEFT_SHIFT &&
         event.key <= GLFW_KEY_RIGHT_SUPER;
}

}  // namespace

void InputQueue::push(const Event& event) {
  if (event.kind == Event::Kind::kKey) {
    is_skipping_ = event.action == GLFW_REPEAT &&
                   std::any_of(events_.begin(), events_.end(), [&](const Event& waiting) {
                     return waiting.kind == Event::Kind::kKey && waiting.key == event.key &&
                            waiting.action == GLFW_REPEAT;
                   });
  }
  const bool is_typed = event.kind == Event::Kind::kKey || event.kind == Event::Kind::kCharacter;
  if (!is_skipping_ || !is_typed) events_.push_back(event);
}

bool InputQueue::ends_batch(const Event& event) const {
  switch (event.kind) {
    case Event::Kind::kKey:
      // What was done with a modifier must be seen together with it.
      if (is_modifier(event)) return pressed_key_ >= 0 || button_changed_ || wheel_turned_;
      if (event.action == GLFW_RELEASE) return event.key == pressed_key_;
      return pressed_key_ >= 0 || button_changed_;
    case Event::Kind::kCharacter: return false;
    case Event::Kind::kFocus: return false;
    case Event::Kind::kButton:
    case Event::Kind::kMove:
    case Event::Kind::kWheel:
    case Event::Kind::kEnter:
      // A button changes where the mouse was then, so nothing may move it in the same frame.
      return button_changed_ || (event.kind == Event::Kind::kButton && pressed_key_ >= 0);
  }
  return false;
}

void InputQueue::feed(GLFWwindow* window, const Handler& handle) {
  pressed_key_ = -1;
  button_changed_ = false;
  wheel_turned_ = false;
  wheel_x_ = wheel_y_ = 0;
  if (pause_ > 0) {
    --pause_;
  } else {
    while (!events_.empty() && !ends_batch(events_.front())) {
      const Event event = events_.front();
      events_.pop_front();
      // Modifiers alone do not use up a frame's key press.
      if (event.kind == Event::Kind::kKey && event.action != GLFW_RELEASE && !is_modifier(event)) {
        pressed_key_ = event.key;
      }
      button_changed_ = button_changed_ || event.kind == Event::Kind::kButton;
      wheel_turned_ = wheel_turned_ || event.kind == Event::Kind::kWheel;
      const bool is_echo = event.kind == Event::Kind::kCharacter && command_key_ >= 0 &&
                           repeated_key_ == command_key_;
      if (!is_echo) tell_imgui(window, event);
      follow(event, handle(event));
      if (pause_ > 0) break;
    }
  }
  apply_mouse();
}

void InputQueue::follow(const Event& event, bool ran_command) {
  if (event.kind == Event::Kind::kKey && !is_modifier(event)) {
    repeated_key_ = event.action == GLFW_REPEAT ? event.key : -1;
    const bool is_other = event.action == GLFW_PRESS && event.key != command_key_;
    const bool is_let_go = event.action == GLFW_RELEASE && event.key == command_key_;
    if (is_other || is_let_go) command_key_ = -1;
    if (event.action == GLFW_PRESS) last_key_ = event.key;
  }
  const bool is_typed = event.kind == Event::Kind::kKey || event.kind == Event::Kind::kCharacter;
  if (ran_command && is_typed && repeated_key_ < 0) command_key_ = last_key_;
}

#if IMGUI_VERSION_NUM >= 18700

// ImGui has a queue of its own behind these.
void InputQueue::tell_imgui(GLFWwindow* window, const Event& e) {
  switch (e.kind) {
    case Event::Kind::kKey:
      ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.modifiers);
      break;
    case Event::Kind::kCharacter: ImGui_ImplGlfw_CharCallback(window, e.codepoint); break;
    case Event::Kind::kButton:
      ImGui_ImplGlfw_MouseButtonCallback(window, e.key, e.action, e.modifiers);
      break;
    case Event::Kind::kMove: ImGui_ImplGlfw_CursorPosCallback(window, e.x, e.y); break;
    case Event::Kind::kWheel: ImGui_ImplGlfw_ScrollCallback(window, e.x, e.y); break;
    case Event::Kind::kEnter: ImGui_ImplGlfw_CursorEnterCallback(window, e.key); break;
    case Event::Kind::kFocus: ImGui_ImplGlfw_WindowFocusCallback(window, e.key); break;
  }
}

void InputQueue::apply_mouse() {}

#else

void InputQueue::tell_imgui(GLFWwindow* window, const Event& e) {
  switch (e.kind) {
    case Event::Kind::kKey:
      ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.modifiers);
      break;
    case Event::Kind::kCharacter: ImGui::GetIO().AddInputCharacter(e.codepoint); break;
    case Event::Kind::kButton:
      if (e.key >= 0 && e.key < 5) buttons_[e.key] = e.action == GLFW_PRESS;
      break;
    case Event::Kind::kMove:
      mouse_x_ = e.x;
      mouse_y_ = e.y;
      mouse_inside_ = true;
      break;
    case Event::Kind::kWheel:
      wheel_x_ += static_cast<float>(e.x);
      wheel_y_ += static_cast<float>(e.y);
      break;
    case Event::Kind::kEnter: mouse_inside_ = e.key != 0; break;
    case Event::Kind::kFocus: ImGui_ImplGlfw_WindowFocusCallback(window, e.key); break;
  }
}

void InputQueue::apply_mouse() {
  ImGuiIO& io = ImGui::GetIO();
  bool any_down = false;
  for (int i = 0; i < 5; ++i) {
    io.MouseDown[i] = buttons_[i];
    any_down = any_down || buttons_[i];
  }
  io.MousePos = mouse_inside_ || any_down
                    ? ImVec2(static_cast<float>(mouse_x_), static_cast<float>(mouse_y_))
                    : ImVec2(-FLT_MAX, -FLT_MAX);
  io.MouseWheel += wheel_y_;
  io.MouseWheelH += wheel_x_;
}

#endif

}  // namespace lacuna
