#include "app/gui/core/keyboard_motion.h"

#include <cmath>
#include <initializer_list>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

struct Moved {
  double pan_px = 0;
  double kept = 1;  // part of the visible time that is left
  int frames = 0;
};

/// Runs until the movement ends, at most `seconds`.
Moved run(KeyboardMotion& keys, double seconds, double rate = 60) {
  Moved moved;
  for (double t = 0; t < seconds && keys.is_active(); t += 1 / rate) {
    const KeyboardMotion::Step step = keys.advance(1 / rate);
    moved.pan_px += step.pan_px;
    moved.kept *= 1 - step.zoom_ratio;
    ++moved.frames;
  }
  return moved;
}

TEST_CASE("a tap pans by Perfetto's first step, and then rests") {
  KeyboardMotion keys;
  keys.press(Motion::kPanRight);
  keys.release(Motion::kPanRight);
  const Moved moved = run(keys, 2);
  CHECK(moved.pan_px == doctest::Approx(50).epsilon(0.01));
  CHECK(!keys.is_active());
  CHECK(moved.frames < 30);
  CHECK(moved.kept == 1);
}

TEST_CASE("left is the mirror image of right") {
  KeyboardMotion left, right;
  left.press(Motion::kPanLeft);
  right.press(Motion::kPanRight);
  CHECK(run(left, 0.5).pan_px == doctest::Approx(-run(right, 0.5).pan_px));
}

TEST_CASE("a held key accelerates") {
  KeyboardMotion keys;
  keys.press(Motion::kPanRight);
  const double first = run(keys, 0.25).pan_px;
  const double second = run(keys, 0.25).pan_px;
  const double third = run(keys, 0.25).pan_px;
  CHECK(first > 50);
  CHECK(second > first);
  CHECK(third > second);
  CHECK(keys.is_active());
}

TEST_CASE("after the release it runs out softly") {
  KeyboardMotion keys;
  keys.press(Motion::kPanRight);
  run(keys, 0.5);
  keys.release(Motion::kPanRight);
  double last = keys.advance(1.0 / 60).pan_px;
  const double first = last;
  CHECK(first > 0);
  while (keys.is_active()) {
    const double step = keys.advance(1.0 / 60).pan_px;
    CHECK(step <= last + 1e-9);
    last = step;
  }
  CHECK(last < 0.5);
}

TEST_CASE("W zooms in, S out; both keep going while held") {
  KeyboardMotion in, out;
  in.press(Motion::kZoomIn);
  out.press(Motion::kZoomOut);
  const double closer = run(in, 0.5).kept;
  const double wider = run(out, 0.5).kept;
  CHECK(closer < 0.7);
  CHECK(closer > 0.05);
  CHECK(wider > 1.3);
  CHECK(in.is_active());
}

TEST_CASE("zooming and panning at a time") {
  KeyboardMotion keys;
  keys.press(Motion::kZoomIn);
  keys.press(Motion::kPanLeft);
  const KeyboardMotion::Step step = keys.advance(0.1);
  CHECK(step.pan_px < 0);
  CHECK(step.zoom_ratio > 0);
}

TEST_CASE("the frame rate changes the way a little, not the feel") {
  for (const double rate : {30.0, 75.0, 144.0, 240.0}) {
    KeyboardMotion at_60, other;
    at_60.press(Motion::kPanRight);
    other.press(Motion::kPanRight);
    CHECK(run(other, 1, rate).pan_px == doctest::Approx(run(at_60, 1).pan_px).epsilon(0.1));
  }
}

TEST_CASE("Shift is faster, releasing another key changes nothing") {
  KeyboardMotion slow, fast;
  fast.set_fast(true);
  slow.press(Motion::kPanRight);
  fast.press(Motion::kPanRight);
  slow.release(Motion::kPanLeft);
  slow.release(Motion::kZoomIn);
  CHECK(run(fast, 0.5).pan_px > 1.5 * run(slow, 0.5).pan_px);
}

TEST_CASE("losing the focus lets go of the keys") {
  KeyboardMotion keys;
  keys.press(Motion::kZoomIn);
  run(keys, 0.2);
  keys.release_all();
  run(keys, 3);
  CHECK(!keys.is_active());
  keys.press(Motion::kZoomIn);
  CHECK(keys.is_active());
  keys.stop();
  CHECK(!keys.is_active());
}

}  // namespace
}  // namespace lacuna
