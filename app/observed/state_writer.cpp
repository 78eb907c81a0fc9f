#include "app/observed/state_writer.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "app/finding/write_file.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/observed/state_parts.h"

namespace lacuna {
namespace {

std::string describe_state(const App& app, const Shell& shell) {
  StateJson json = window_state(app, shell);
  add_live_state(json, app, shell);
  add_selection(json, app);
  if (app.workspace.has_trace()) {
    add_timeline_state(json, app, shell);
    add_table_state(json, app);
    add_analysis_state(json, app, shell);
  }
  return json.dump(1, ' ', false, StateJson::error_handler_t::replace);
}

class StateWriter : public FrameObserver {
 public:
  explicit StateWriter(std::string path)
      : path_(std::move(path)), only_probes_(std::getenv("LACUNA_TEST_STATE_ON_PROBE") != nullptr) {}

  void before_frame(App& app) override {
    app.observed.seen.clear();
    keep_seen_texts(&app.observed.seen);
  }

  void after_frame(const App& app, const Shell& shell) override {
    ++frames_;
    // Where frames are counted, describing the state must not be what they spend their time on.
    if (only_probes_ && app.observed.probes == probes_) return;
    probes_ = app.observed.probes;
    std::string now = describe_state(app, shell);
    if (only_probes_) now.insert(1, "\"frames\": " + std::to_string(frames_) + ",");
    if (now == last_) return;
    // A test that cannot read its state fails by itself; there is nobody to tell here.
    if (write_file_atomically(path_, now)) last_ = std::move(now);
  }

 private:
  const std::string path_;
  const bool only_probes_;
  std::string last_;
  int probes_ = 0;
  std::uint64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<FrameObserver> make_state_writer(int window) {
  const char* path = std::getenv("LACUNA_TEST_STATE");
  if (path == nullptr || *path == 0) return nullptr;
  return std::make_unique<StateWriter>(window > 0 ? std::string(path) + "." + std::to_string(window) : path);
}

}  // namespace lacuna
