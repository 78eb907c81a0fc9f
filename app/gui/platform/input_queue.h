#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace lacuna {

/// What came in since the last frame, handed on a little at a time.
///
/// Dear ImGui before 1.87 looks at keys and buttons once a frame: a key that goes down and up
/// between two frames was never pressed, and a button press happens wherever the mouse is by the
/// time of the frame. On a slow frame that loses letters and drags. So events wait here, and a frame
/// gets at most one key press and one button change, each with what belongs to it.
///
/// Every frame without a pause takes at least one event, whatever the events are: keys that GLFW does
/// not know, releases of keys that were never pressed. No ImGui, no window. UI thread.
class InputQueue {
 public:
  struct Event {
    enum class Kind : std::uint8_t { kKey, kCharacter, kButton, kMove, kWheel, kEnter, kFocus };
    Kind kind = Kind::kMove;
    int key = 0;  ///< key (GLFW_KEY_UNKNOWN: only the scancode tells which), button, or 1 for entered/focused
    int scancode = 0;
    int character = 0;  ///< of a key that went down: what the user's layout has there, unshifted; 0 = unknown
    int action = 0;
    int modifiers = 0;
    unsigned codepoint = 0;
    double x = 0, y = 0;
  };
  /// Tells ImGui of an event.
  using Listener = std::function<void(const Event&)>;
  /// Acts on an event. Returns whether a command ran.
  using Handler = std::function<bool(const Event&)>;

  /// A key that repeats faster than frames come is taken once a frame: nothing lags behind the hand.
  void push(const Event& event);
  bool empty() const { return events_.empty(); }
  /// Leaves the next frames without input: a command may just be opening a text box, and what was
  /// typed after it is meant for that.
  void pause(int frames) { pause_ = frames; }

  /// Takes one frame's share: calls `tell`, then `handle`, for every event of it. A key that ran a
  /// command and is still held types nothing: Ctrl let go before L would
  /// fill the field that Ctrl+L opened.
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
  bool is_skipping_ = false;         // the characters of a repetition that was left out
  std::optional<Key> last_key_;      // pressed last
  std::optional<Key> command_key_;   // ran a command and is still held
  std::optional<Key> repeated_key_;  // whose characters come now
  // These belong to the batch under way.
  std::optional<Key> pressed_key_;
  bool press_ran_command_ = false;
  std::vector<Key> released_keys_;  // in this frame
  bool button_changed_ = false;
  bool wheel_turned_ = false;
  int wheel_modifiers_ = 0;
};

}  // namespace lacuna
