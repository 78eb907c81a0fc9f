#pragma once

namespace lacuna {

/// The four camera movements of the W, A, S and D keys.
enum class Motion { kNone, kZoomIn, kZoomOut, kPanLeft, kPanRight };

/// Turns held keys into smooth movement with the feel of Perfetto's UI: a jump at once, then
/// acceleration while the key is held, and a soft deceleration after its release. Panning and
/// zooming are independent and can run at the same time. The frame rate does not change the distance
/// (Perfetto counts 60 Hz frames; here a frame may be a fraction of one). Has no clock of its own: the caller
/// of advance() says how much time passed. UI thread.
class KeyboardMotion {
 public:
  /// Handles a key press. Key repeats have no effect.
  void press(Motion motion);
  void release(Motion motion);
  /// Releases all keys: the window lost the focus, so no key release will arrive.
  void release_all();
  /// Cancels the remaining movement (the view jumped elsewhere).
  void stop();
  /// With Shift held all movement is three times as fast.
  void set_fast(bool fast) { fast_ = fast; }

  struct Step {
    double pan_px = 0;      ///< positive: to the right
    double zoom_ratio = 0;  ///< fraction by which the visible time shrinks; negative: it grows
  };
  /// Returns the movement of the last `seconds`.
  Step advance(double seconds);
  bool is_active() const { return pan_.running || zoom_.running; }

 private:
  /// One animated quantity: `done` approaches `target`, and a held key advances the target.
  struct Axis {
    int direction = 0;  ///< of the held key, 0 = none
    bool running = false;
    double age_ms = 0;
    double done = 0;
    double target = 0;

    void press(int towards, double first_step);
    double advance(double frames, double per_frame, double rest, double speed);
  };
  Axis pan_;
  Axis zoom_;
  bool fast_ = false;
};

}  // namespace lacuna
