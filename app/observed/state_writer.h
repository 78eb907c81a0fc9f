#pragma once

#include <memory>

#include "app/gui/shell/frame_observer.h"

namespace lacuna {

/// For the end-to-end tests: with LACUNA_TEST_STATE=FILE in the environment, returns an observer that writes the
/// window's state to FILE as JSON after each frame that changed it (by rename: always complete). Without the variable
/// returns null. With LACUNA_TEST_STATE_ON_PROBE the state is written only when F9 is pressed, with the number of
/// frames so far: for measurements.
/// `window`: index of the program's window; those after the first write to FILE.1 and so on. Any thread.
std::unique_ptr<FrameObserver> make_state_writer(int window);

}  // namespace lacuna
