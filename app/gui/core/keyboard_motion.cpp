#include "app/gui/core/keyboard_motion.h"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

// Perfetto's constants (ui/src/frontend, WASD navigation).
constexpr double kFirstPanPx = 50;
constexpr double kFirstZoom = 0.1;
constexpr double kSnapPerFrame = 0.4;  // part of the remaining way that a frame covers
constexpr double kPanPxPerFrame = 8;
constexpr double kZoomPerFrame = 0.008;
constexpr double kMsPerVelocity = 50;  // velocity = 1 + held ms / 50
constexpr double kRunOnMs = 700;       // a key counts as held for this long at least
constexpr double kPanRestPx = 0.1;     // smaller steps end the movement
constexpr double kZoomRest = 1e-6;
constexpr double kFrameMs = 1000.0 / 60;
constexpr double kFastFactor = 3;
constexpr double kMaxZoomStep = 0.75;  // a frame may not turn the view inside out

int pan_direction(Motion m) {
  return m == Motion::kPanLeft ? -1 : m == Motion::kPanRight ? 1 : 0;
}
int zoom_direction(Motion m) {
  return m == Motion::kZoomOut ? -1 : m == Motion::kZoomIn ? 1 : 0;
}

}  // namespace

void KeyboardMotion::Axis::press(int towards, double first_step) {
  if (towards == 0 || direction == towards) return;
  direction = towards;
  running = true;
  age_ms = 0;
  done = 0;
  target = towards * first_step;
}

double KeyboardMotion::Axis::advance(double frames, double per_frame, double rest, double speed) {
  if (!running) return 0;
  const double step = (target - done) * (1 - std::pow(1 - kSnapPerFrame, frames));
  if (direction != 0) {
    const double velocity = (1 + age_ms / kMsPerVelocity) * speed;
    // At least as fast as the snapping, so that the first jump runs into the steady movement.
    target += direction * std::max(per_frame * velocity * frames, std::fabs(step));
  }
  age_ms += frames * kFrameMs;
  done += step;
  if (direction == 0 && (std::fabs(step) <= rest * frames || age_ms > 2 * kRunOnMs)) running = false;
  return step;
}

void KeyboardMotion::press(Motion motion) {
  pan_.press(pan_direction(motion), kFirstPanPx);
  zoom_.press(zoom_direction(motion), kFirstZoom);
}

void KeyboardMotion::release(Motion motion) {
  // The run-out has its own time, however long the key was held.
  if (const int d = pan_direction(motion); d != 0 && d == pan_.direction) {
    pan_.direction = 0;
    pan_.age_ms = 0;
  }
  if (const int d = zoom_direction(motion); d != 0 && d == zoom_.direction) {
    zoom_.direction = 0;
    zoom_.age_ms = 0;
  }
}

void KeyboardMotion::release_all() {
  pan_.direction = 0;
  zoom_.direction = 0;
}

void KeyboardMotion::stop() {
  pan_ = Axis{};
  zoom_ = Axis{};
}

KeyboardMotion::Step KeyboardMotion::advance(double seconds) {
  Step sum;
  // At most a quarter of a second at once (the program was stopped), in frames of Perfetto's length.
  double frames = std::min(seconds, 0.25) * 1000 / kFrameMs;
  const double speed = fast_ ? kFastFactor : 1;
  double kept = 1;  // part of the visible time that is left
  while (frames > 1e-9) {
    const double part = std::min(frames, 1.0);
    sum.pan_px += pan_.advance(part, kPanPxPerFrame, kPanRestPx, speed);
    const double zoom = zoom_.advance(part, kZoomPerFrame, kZoomRest, speed);
    kept *= 1 - std::min(zoom, kMaxZoomStep);
    frames -= part;
  }
  sum.zoom_ratio = 1 - kept;
  return sum;
}

}  // namespace lacuna
