#pragma once

#include <cstdint>
#include <string>

#include "app/gui/shell/shell.h"

namespace lacuna {

/// For the end-to-end tests: with LACUNA_TEST_STATE=FILE in the environment, what the window shows
/// is written to FILE as JSON after each frame that changed it (by rename: always whole). Without
/// the variable nothing happens. With LACUNA_TEST_STATE_ON_PROBE it is written only when F9 was pressed,
/// with the number of frames so far: for measuring them.
class TestHooks {
 public:
  /// `window`: which of the program's; those after the first write beside the file, as FILE.1.
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

/// The state as JSON text.
std::string describe_state(const App& app, const Shell& shell);

}  // namespace lacuna
