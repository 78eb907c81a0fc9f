#pragma once

#include <cstdint>
#include <deque>
#include <functional>

struct GLFWwindow;

namespace lacuna {

/// What came in since the last frame, fed to ImGui a little at a time.
///
/// Dear ImGui before 1.87 looks at keys and buttons once a frame: a key that goes down and up
/// between two frames was never pressed, and a button press happens wherever the mouse is by the
/// time of the frame. On a slow frame that loses letters and drags. So events wait here, and a frame
/// gets at most one key press and one button change, each with what belongs to it. UI thread.
class InputQueue {
 public:
  struct Event {
    enum class Kind : std::uint8_t { kKey, kCharacter, kButton, kMove, kWheel, kEnter, kFocus };
    Kind kind = Kind::kMove;
    int key = 0;        ///< key, button, or 1 for entered/focused
    int scancode = 0;
    int action = 0;
    int modifiers = 0;
    unsigned codepoint = 0;
    double x = 0, y = 0;
  };
  /// True: a command ran.
  using Handler = std::function<bool(const Event&)>;

  /// A key that repeats faster than frames come is taken once a frame: nothing lags behind the hand.
  void push(const Event& event);
  bool empty() const { return events_.empty(); }
  /// Leaves the next frames without input: a command may just be opening a text box, and what was
  /// typed after it is meant for that.
  void pause(int frames) { pause_ = frames; }

  /// Takes one frame's share: tells ImGui and calls `handle` for every event of it. After the
  /// backend's NewFrame, before ImGui::NewFrame. A key that ran a command and is still held types
  /// nothing: Ctrl let go before L would fill the field that Ctrl+L opened.
  void feed(GLFWwindow* window, const Handler& handle);

 private:
  bool ends_batch(const Event& event) const;
  void tell_imgui(GLFWwindow* window, const Event& event);
  void apply_mouse();
  void follow(const Event& event, bool ran_command);

  std::deque<Event> events_;
  int pause_ = 0;
  bool is_skipping_ = false;  // the characters of a repetition that was left out
  int last_key_ = -1;         // pressed last
  int command_key_ = -1;      // ran a command and is still held
  int repeated_key_ = -1;     // whose characters come now
  // Of the batch under way.
  int pressed_key_ = -1;
  bool button_changed_ = false;
  bool wheel_turned_ = false;
  // The mouse as ImGui is to see it.
  double mouse_x_ = 0, mouse_y_ = 0;
  bool mouse_inside_ = false;
  bool buttons_[5] = {};
  float wheel_x_ = 0, wheel_y_ = 0;
};

}  // namespace lacuna
