#include "app/web/window/web_input.h"

#include <cfloat>
#include <utility>

#ifndef GLFW_INCLUDE_NONE
#define GLFW_INCLUDE_NONE
#endif
#include <GLFW/glfw3.h>
#include <imgui.h>

namespace lacuna {
namespace {

/// ImGui's keys; of others our own commands alone know.
constexpr std::pair<int, ImGuiKey> kImGuiKeys[] = {{GLFW_KEY_TAB, ImGuiKey_Tab},
                                                   {GLFW_KEY_LEFT, ImGuiKey_LeftArrow},
                                                   {GLFW_KEY_RIGHT, ImGuiKey_RightArrow},
                                                   {GLFW_KEY_UP, ImGuiKey_UpArrow},
                                                   {GLFW_KEY_DOWN, ImGuiKey_DownArrow},
                                                   {GLFW_KEY_PAGE_UP, ImGuiKey_PageUp},
                                                   {GLFW_KEY_PAGE_DOWN, ImGuiKey_PageDown},
                                                   {GLFW_KEY_HOME, ImGuiKey_Home},
                                                   {GLFW_KEY_END, ImGuiKey_End},
                                                   {GLFW_KEY_INSERT, ImGuiKey_Insert},
                                                   {GLFW_KEY_DELETE, ImGuiKey_Delete},
                                                   {GLFW_KEY_BACKSPACE, ImGuiKey_Backspace},
                                                   {GLFW_KEY_SPACE, ImGuiKey_Space},
                                                   {GLFW_KEY_ENTER, ImGuiKey_Enter},
                                                   {GLFW_KEY_ESCAPE, ImGuiKey_Escape},
#if IMGUI_VERSION_NUM >= 18700
                                                   {GLFW_KEY_KP_ENTER, ImGuiKey_KeypadEnter},
#else
                                                   {GLFW_KEY_KP_ENTER, ImGuiKey_KeyPadEnter},
#endif
                                                   {GLFW_KEY_A, ImGuiKey_A},
                                                   {GLFW_KEY_C, ImGuiKey_C},
                                                   {GLFW_KEY_V, ImGuiKey_V},
                                                   {GLFW_KEY_X, ImGuiKey_X},
                                                   {GLFW_KEY_Y, ImGuiKey_Y},
                                                   {GLFW_KEY_Z, ImGuiKey_Z}};

void tell_modifiers(int modifiers) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18900
  io.AddKeyEvent(ImGuiMod_Ctrl, (modifiers & GLFW_MOD_CONTROL) != 0);
  io.AddKeyEvent(ImGuiMod_Shift, (modifiers & GLFW_MOD_SHIFT) != 0);
  io.AddKeyEvent(ImGuiMod_Alt, (modifiers & GLFW_MOD_ALT) != 0);
  io.AddKeyEvent(ImGuiMod_Super, (modifiers & GLFW_MOD_SUPER) != 0);
#else
  io.KeyCtrl = (modifiers & GLFW_MOD_CONTROL) != 0;
  io.KeyShift = (modifiers & GLFW_MOD_SHIFT) != 0;
  io.KeyAlt = (modifiers & GLFW_MOD_ALT) != 0;
  io.KeySuper = (modifiers & GLFW_MOD_SUPER) != 0;
#endif
}

}  // namespace

InputQueue::Event input_event(const PageEvent& event) {
  using From = PageEvent::Kind;
  using To = InputQueue::Event::Kind;
  InputQueue::Event input{.key = event.key,
                          .character = event.character,
                          .action = event.action,
                          .modifiers = event.modifiers,
                          .codepoint = event.codepoint,
                          .x = event.x,
                          .y = event.y};
  switch (event.kind) {
    case From::kKey:
      input.kind = To::kKey;
      break;
    case From::kCharacter:
      input.kind = To::kCharacter;
      break;
    case From::kButton:
      input.kind = To::kButton;
      break;
    case From::kWheel:
      input.kind = To::kWheel;
      break;
    case From::kEnter:
      input.kind = To::kEnter;
      break;
    case From::kFocus:
      input.kind = To::kFocus;
      break;
    default:
      input.kind = To::kMove;
      break;
  }
  return input;
}

void WebInput::set_up() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  for (const auto& [key, known] : kImGuiKeys) io.KeyMap[known] = key;
#endif
}

void WebInput::feed(InputQueue& queue, const InputQueue::Handler& handle) {
  queue.feed([this](const InputQueue::Event& event) { tell(event); }, handle);
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  bool any_down = false;
  for (int i = 0; i < 5; ++i) {
    io.MouseDown[i] = buttons_[i];
    any_down = any_down || buttons_[i];
  }
  io.MousePos = mouse_inside_ || any_down ? ImVec2(mouse_x_, mouse_y_) : ImVec2(-FLT_MAX, -FLT_MAX);
#endif
}

void WebInput::tell(const InputQueue::Event& e) {
  using Kind = InputQueue::Event::Kind;
  ImGuiIO& io = ImGui::GetIO();
  switch (e.kind) {
    case Kind::kKey:
      tell_modifiers(e.modifiers);
#if IMGUI_VERSION_NUM >= 18700
      for (const auto& [key, known] : kImGuiKeys)
        if (key == e.key) io.AddKeyEvent(known, e.action != GLFW_RELEASE);
#else
      if (e.key >= 0 && e.key < IM_ARRAYSIZE(io.KeysDown)) io.KeysDown[e.key] = e.action != GLFW_RELEASE;
#endif
      break;
    case Kind::kCharacter:
      io.AddInputCharacter(e.codepoint);
      break;
    case Kind::kButton:
      tell_modifiers(e.modifiers);
      if (e.key < 0 || e.key >= 5) break;
      buttons_[e.key] = e.action == GLFW_PRESS;
#if IMGUI_VERSION_NUM >= 18700
      io.AddMouseButtonEvent(e.key, buttons_[e.key]);
#endif
      break;
    case Kind::kMove:
      mouse_x_ = static_cast<float>(e.x);
      mouse_y_ = static_cast<float>(e.y);
      mouse_inside_ = true;
#if IMGUI_VERSION_NUM >= 18700
      io.AddMousePosEvent(mouse_x_, mouse_y_);
#endif
      break;
    case Kind::kWheel:
      tell_modifiers(e.modifiers);  // a pinch is a wheel with Ctrl that nobody holds
#if IMGUI_VERSION_NUM >= 18700
      io.AddMouseWheelEvent(static_cast<float>(e.x), static_cast<float>(e.y));
#else
      io.MouseWheelH += static_cast<float>(e.x);
      io.MouseWheel += static_cast<float>(e.y);
#endif
      break;
    case Kind::kEnter:
      mouse_inside_ = e.key != 0;
#if IMGUI_VERSION_NUM >= 18700
      if (!mouse_inside_) io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
#endif
      break;
    case Kind::kFocus:
#if IMGUI_VERSION_NUM >= 18700
      io.AddFocusEvent(e.key != 0);
#else
      io.AddFocusEvent(e.key != 0);
      if (e.key == 0) {  // the keys that are let go elsewhere are not told of
        for (bool& is_down : io.KeysDown) is_down = false;
        tell_modifiers(0);
      }
#endif
      break;
  }
}

}  // namespace lacuna
