#include "app/gui/platform/input_queue.h"

#ifndef GLFW_INCLUDE_NONE
#define GLFW_INCLUDE_NONE
#endif
#include <algorithm>
#include <utility>

#include <GLFW/glfw3.h>

namespace lacuna {
namespace {

bool is_modifier(const InputQueue::Event& event) {
  return event.kind == InputQueue::Event::Kind::kKey && event.key >= GLFW_KEY_LEFT_SHIFT &&
         event.key <= GLFW_KEY_RIGHT_SUPER;
}

}  // namespace

InputQueue::Key InputQueue::key_of(const Event& event) {
  return {event.key, event.key == GLFW_KEY_UNKNOWN ? event.scancode : 0};
}

void InputQueue::push(const Event& event) {
  if (event.kind == Event::Kind::kKey) {
    is_skipping_ =
        event.action == GLFW_REPEAT && std::any_of(events_.begin(), events_.end(), [&](const Event& waiting) {
          return waiting.kind == Event::Kind::kKey && waiting.action == GLFW_REPEAT && key_of(waiting) == key_of(event);
        });
  }
  const bool is_typed = event.kind == Event::Kind::kKey || event.kind == Event::Kind::kCharacter;
  if (!is_skipping_ || !is_typed) events_.push_back(event);
}

bool InputQueue::ends_batch(const Event& event) const {
  switch (event.kind) {
    case Event::Kind::kKey:
      // What was done with a modifier must be seen together with it, and ImGui drops characters while Ctrl is down.
      if (is_modifier(event)) return pressed_key_ || button_changed_ || wheel_turned_ || typed_;
      if (event.action == GLFW_RELEASE) return key_of(event) == pressed_key_;
      // A key that goes up and down in one frame has not moved for who asks once a frame; a command that reads
      // a field needs the characters that were typed before it.
      return pressed_key_ || button_changed_ || typed_ ||
             std::ranges::find(released_keys_, key_of(event)) != released_keys_.end();
    case Event::Kind::kCharacter:
      return false;
    case Event::Kind::kFocus:
      return false;
    case Event::Kind::kButton:
    case Event::Kind::kMove:
    case Event::Kind::kWheel:
    case Event::Kind::kEnter:
      // A wheel with Ctrl, as a pinch on a trackpad is, and one without mean different things.
      if (event.kind == Event::Kind::kWheel && wheel_turned_ && event.modifiers != wheel_modifiers_) return true;
      // A button changes where the mouse was then, so nothing may move it in the same frame.
      return button_changed_ || (event.kind == Event::Kind::kButton && pressed_key_);
  }
  return false;
}

void InputQueue::feed(const Listener& tell, const Handler& handle) {
  pressed_key_.reset();
  released_keys_.clear();
  button_changed_ = false;
  wheel_turned_ = false;
  typed_ = false;
  if (const auto release = std::exchange(to_let_go_, std::nullopt)) tell(*release);
  if (pause_ > 0) {
    --pause_;
    return;
  }
  for (bool is_first = true; !events_.empty() && pause_ == 0; is_first = false) {
    // The first event is taken whatever it is, or a frame might take nothing for ever.
    if (!is_first && ends_batch(events_.front())) return;
    const Event event = events_.front();
    events_.pop_front();
    // Modifiers alone do not use up a frame's key press.
    if (event.kind == Event::Kind::kKey && event.action != GLFW_RELEASE && !is_modifier(event)) {
      pressed_key_ = key_of(event);
    }
    if (event.kind == Event::Kind::kKey && event.action == GLFW_RELEASE) released_keys_.push_back(key_of(event));
    button_changed_ = button_changed_ || event.kind == Event::Kind::kButton;
    typed_ = typed_ || event.kind == Event::Kind::kCharacter;
    wheel_turned_ = wheel_turned_ || event.kind == Event::Kind::kWheel;
    if (event.kind == Event::Kind::kWheel) wheel_modifiers_ = event.modifiers;
    const bool is_echo = event.kind == Event::Kind::kCharacter &&
                         (press_ran_command_ || (command_key_ && repeated_key_ == command_key_));
    if (!is_echo) tell(event);
    follow(event, handle(event));
  }
}

void InputQueue::follow(const Event& event, bool ran_command) {
  if (event.kind == Event::Kind::kKey && !is_modifier(event)) {
    const Key key = key_of(event);
    repeated_key_ = event.action == GLFW_REPEAT ? std::optional(key) : std::nullopt;
    const bool is_other = event.action == GLFW_PRESS && command_key_ != key;
    const bool is_let_go = event.action == GLFW_RELEASE && command_key_ == key;
    if (is_other || is_let_go) command_key_.reset();
    if (event.action == GLFW_PRESS) last_press_ = event;
    // The character that this press types, which comes next, is not for the field that the command opened.
    press_ran_command_ = ran_command;
  }
  const bool is_typed = event.kind == Event::Kind::kKey || event.kind == Event::Kind::kCharacter;
  if (!ran_command || !is_typed || repeated_key_ || !last_press_) return;
  command_key_ = key_of(*last_press_);
  to_let_go_ = last_press_;
  to_let_go_->action = GLFW_RELEASE;
}

}  // namespace lacuna
