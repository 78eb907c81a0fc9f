#pragma once

namespace lacuna {

/// The four movements of the W, A, S and D keys.
enum class Motion { kNone, kZoomIn, kZoomOut, kPanLeft, kPanRight };

/// Turns held keys into smooth movement with the feel of Perfetto's UI: a first jump at once, then
/// faster and faster while the key is held, and a soft run-out when it is let go. Panning and
/// zooming are independent, so both can run at a time. Frame rate does not change the distance
/// (Perfetto counts 60 Hz frames; here a frame is a part of one). No clock inside: advance() says
/// how much time went by. UI thread.
class KeyboardMotion {
 public:
  /// A key went down. Repeats while it is held change nothing.
  void press(Motion motion);
  void release(Motion motion);
  /// The window lost the focus: no release will come.
  void release_all();
  /// Forgets what is left to run out (the view jumped elsewhere).
  void stop();
  /// With Shift held everything is three times as fast.
  void set_fast(bool fast) { fast_ = fast; }

  struct Step {
    double pan_px = 0;      ///< to the right when positive
    double zoom_ratio = 0;  ///< part by which the visible time shrinks; negative = grows
  };
  /// Movement of the last `seconds`.
  Step advance(double seconds);
  bool is_active() const { return pan_.running || zoom_.running; }

 private:
  /// One animated quantity: `done` follows `target`, and a held key pushes the target on.
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
