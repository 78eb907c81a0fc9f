#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace lacuna {

/// Queues input events and hands them to ImGui a few per frame.
///
/// Dear ImGui before 1.87 samples keys and buttons once a frame: it misses a key that goes down and up
/// between two frames, and handles a button press at the mouse position at the time
/// of the frame. Slow frames thus lose letters and drags. So events are queued, and each frame
/// gets at most one key press and one button change, each with the events that belong to it.
///
/// Every frame without a pause takes at least one event, of any kind: also keys that GLFW does
/// not know, and releases of keys that were never pressed. No ImGui, no window. UI thread.
class InputQueue {
 public:
  struct Event {
    enum class Kind : std::uint8_t { kKey, kCharacter, kButton, kMove, kWheel, kEnter, kFocus };
    Kind kind = Kind::kMove;
    int key = 0;  ///< key (GLFW_KEY_UNKNOWN: only the scancode identifies it), button, or 1 for entered/focused
    int scancode = 0;
    int character = 0;  ///< for a key press: the unshifted character of the user's layout; 0 = unknown
    int action = 0;
    int modifiers = 0;
    unsigned codepoint = 0;
    double x = 0, y = 0;
  };
  /// Passes an event on to ImGui.
  using Listener = std::function<void(const Event&)>;
  /// Acts on an event. Returns whether a command ran.
  using Handler = std::function<bool(const Event&)>;

  /// Adds an event. Repeats of a key faster than the frame rate are reduced to one per frame, so that none queue up.
  void push(const Event& event);
  bool empty() const { return events_.empty(); }
  /// Withholds input for some frames: a command may be opening a text box that the following
  /// characters are meant for.
  void pause(int frames) { pause_ = frames; }

  /// Takes one frame's share: calls `tell`, then `handle`, for each of its events. A key that ran a
  /// command and is still held types no characters: otherwise releasing Ctrl before L would
  /// type into the field that Ctrl+L opened. In the next frame `tell` hears that it is up, though it be held or the
  /// queue pause: ImGui repeats what is down for 0.25 s, and a repeated Enter would end the field that Enter opened.
  void feed(const Listener& tell, const Handler& handle);

 private:
  /// A key; the scancode is 0 where GLFW knows the key.
  struct Key {
    int key = 0;
    int scancode = 0;
    bool operator==(const Key&) const = default;
  };
  static Key key_of(const Event& event);
  bool ends_batch(const Event& event) const;
  void follow(const Event& event, bool ran_command);

  std::deque<Event> events_;
  int pause_ = 0;
  bool is_skipping_ = false;         // skipping the characters of a dropped repeat
  std::optional<Event> last_press_;  // of a key
  std::optional<Event> to_let_go_;   // a release that `tell` hears next
  std::optional<Key> command_key_;   // ran a command and is still held
  std::optional<Key> repeated_key_;  // the key of the characters that follow
  // State of the current batch:
  std::optional<Key> pressed_key_;
  bool press_ran_command_ = false;
  std::vector<Key> released_keys_;  // in this frame
  bool button_changed_ = false;
  bool wheel_turned_ = false;
  bool typed_ = false;  // a character
  int wheel_modifiers_ = 0;
};

}  // namespace lacuna
