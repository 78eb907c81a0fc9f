#pragma once

#include <cstdint>
#include <string>

#include "app/gui/shell/shell.h"

namespace lacuna {

/// For the end-to-end tests: with LACUNA_TEST_STATE=FILE in the environment, the window's state
/// is written to FILE as JSON after each frame that changed it (by rename: always complete). Without
/// the variable nothing happens. With LACUNA_TEST_STATE_ON_PROBE it is written only when F9 is pressed,
/// with the number of frames so far: for measurements.
class TestHooks {
 public:
  /// `window`: index of the program's window; those after the first write to FILE.1 and so on.
  explicit TestHooks(int window = 0);
  bool is_active() const { return !path_.empty(); }
  void before_frame(App& app) const;
  void after_frame(const App& app, const Shell& shell);

 private:
  std::string path_;
  std::string last_;
  bool only_probes_ = false;
  int probes_ = 0;
  std::uint64_t frames_ = 0;
};

/// Returns the state as JSON text.
std::string describe_state(const App& app, const Shell& shell);

}  // namespace lacuna
