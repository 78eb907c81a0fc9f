#include "app/gui/panels/live/save_dialog.h"

#include <utility>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kSaveTitle = "Recording";
constexpr std::string_view kExtensionAtFirst = ".json.gz";  // where none is typed

}  // namespace

bool SaveDialog::handle_key(const KeyPress& press) {
  const Shortcut key = press.shortcut;
  if (key.key == kKeyEscape) return cancel(), true;
  if (key.key == kKeyEnter && !press.is_repeat) return wants_to_go_on_ = true;
  if (state_ == State::kPath && replace_.handle_key(press)) return true;
  if (key == Shortcut{'d', kModAlt} && state_ == State::kQuestion) return discard(), true;
  return false;
}

void SaveDialog::cancel() {
  ui_state_.closing = nullptr;
  state_ = State::kClosed;
}

void SaveDialog::discard() {
  state_ = State::kClosed;
  live_.close();
  if (ui_state_.closing) std::exchange(ui_state_.closing, nullptr)();
}

void SaveDialog::open_path() {
  path_.start(live_.suggested_path());
  replace_.reset();
  state_ = State::kPath;
}

/// Enter, or the first button.
std::string SaveDialog::typed_path() const {
  return with_extension(path_.path(), kExtensionAtFirst);
}

void SaveDialog::go_on() {
  if (state_ == State::kQuestion) {
    if (live_.status().events == 0) {
      discard();
    } else if (live_.is_running()) {
      live_.stop();
      state_ = State::kEnding;
    } else {
      open_path();
    }
  } else if (state_ == State::kEnding) {
    live_.stop();
  } else if (state_ == State::kPath && replace_.may_write(typed_path())) {
    live_.save(absolute_path(typed_path()), replace_.existing());
    state_ = State::kSaving;
  }
}

void SaveDialog::question(UiContext& ui) {
  LiveView& live = ui.live;
  ImGui::PushTextWrapPos(0);
  if (live.status().events == 0) {
    text(fmt::format("{} still runs; nothing has been recorded so far.", live.plan().arguments.front()));
  } else {
    text(fmt::format("The recording of {} is not saved: {}.", live.plan().arguments.front(),
                     counted(live.status().events - live.status().forgotten, "event")));
  }
  if (live.is_running())
    muted_text(ui, live.looks_at_process() ? "The program continues, and is dormant again when the recording is closed."
                                           : "The program still runs. It is ended when the recording is closed.");
  ImGui::PopTextWrapPos();
  ImGui::Dummy({1, ui.px(6)});
  if (live.status().events == 0) {
    if (ImGui::Button(live.looks_at_process() ? "Stop looking" : "End it", {ui.px(110), 0})) discard();
    note_place(ui, "closing_discard");
    ImGui::SameLine();
    if (ImGui::Button("Cancel", {ui.px(100), 0})) cancel();
    ImGui::SameLine(0, ui.px(14));
    ImGui::AlignTextToFramePadding();
    muted_text(ui, "Enter ends it   Esc cancels");
    return;
  }
  if (ImGui::Button(live.is_running() ? "End and save\xE2\x80\xA6" : "Save\xE2\x80\xA6", {ui.px(130), 0})) go_on();
  note_place(ui, "closing_save");
  ImGui::SameLine();
  if (ImGui::Button("Discard", {ui.px(100), 0})) discard();
  note_place(ui, "closing_discard");
  tooltip("Alt+D");
  ImGui::SameLine();
  if (ImGui::Button("Cancel", {ui.px(100), 0})) cancel();
  note_place(ui, "closing_cancel");
  ImGui::SameLine(0, ui.px(14));
  ImGui::AlignTextToFramePadding();
  muted_text(ui, "Enter saves   Alt+D discards   Esc cancels");
}

void SaveDialog::ask_path(UiContext& ui) {
  path_.draw(ui, "Save the recording", "save_path");  // Enter: handle_key()
  const std::string path = typed_path();
  muted_text(ui, path != path_.path()     ? fmt::format("Without an extension it becomes {}.", file_name(path))
                 : path.ends_with(".zst") ? "Chrome-trace JSON, compressed, the fastest to write. Lacuna opens it."
                 : path.ends_with(".gz")
                     ? "Chrome-trace JSON, compressed. Lacuna, Perfetto and chrome://tracing open it."
                     : "Chrome-trace JSON. A name that ends in .gz or .zst compresses it.");
  replace_.draw(ui, path, ui.live.is_running() ? "What was recorded so far is saved; the recording goes on." : " ");
  ImGui::BeginDisabled(!replace_.may_write(path));
  if (ImGui::Button(replace_.exists() ? "Replace" : "Save", {ui.px(110), 0})) go_on();
  ImGui::EndDisabled();
  note_place(ui, "save_ok");
  ImGui::SameLine();
  if (ImGui::Button("Cancel", {ui.px(100), 0})) cancel();
}

void SaveDialog::draw(UiContext& ui) {
  if (ui.requests.take<ask::Save>() && state_ == State::kClosed && live_.has_recording()) open_path();
  if (ui_state_.closing && state_ == State::kClosed) state_ = State::kQuestion;
  if (state_ != State::kPath) path_.close();
  if (state_ == State::kClosed) return;
  if (!live_.has_recording() || (state_ == State::kSaving && !live_.is_saving())) {
    state_ = State::kClosed;  // done, or failed and told so
    return;
  }
  if (state_ == State::kEnding && !live_.is_running()) open_path();

  if (!begin_dialog(ui, kSaveTitle, 620, 0, nullptr)) return;
  ImGui::Spacing();
  switch (state_) {
    case State::kQuestion:
      question(ui);
      break;
    case State::kPath:
      ask_path(ui);
      break;
    case State::kEnding:
      text("Waiting for the program to end\xE2\x80\xA6");
      muted_text(ui, "SIGINT, after two seconds SIGTERM, after two more SIGKILL. Enter: the next one at once.");
      break;
    case State::kSaving:
      text("Saving\xE2\x80\xA6");
      break;
    case State::kClosed:
      break;
  }
  if (std::exchange(wants_to_go_on_, false)) go_on();
  if (state_ == State::kClosed) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace lacuna
