#include "app/gui/panels/live/launch_dialog.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "capture/session/installation.h"
#include "capture/session/live_capture.h"
#include "model/base/shell_words.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kLaunchTitle = "Launch and record";
constexpr float kFieldAtPx = 96;

void label(const UiContext& ui, const char* what) {
  ImGui::AlignTextToFramePadding();
  muted_text(ui, what);
  ImGui::SameLine(ui.px(kFieldAtPx));
}

void dialog_heading(const UiContext& ui, std::string_view what) {
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  text(what);
  ImGui::PopFont();
}

void mono_wrapped(const UiContext& ui, Rgba colour, std::string_view what) {
  push_font(ui.fonts.mono, ui.fonts.mono_px);
  ImGui::PushTextWrapPos(0);
  coloured_text(colour, what);
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

}  // namespace

void LaunchDialog::open(const std::vector<LaunchForm>& recent, const std::optional<LaunchFailure>& failure) {
  recent_ = recent;
  failure_ = failure ? failure->reason : std::string();
  if (failure) {
    // What was typed, unless another launch failed (the same again, one of the command line).
    const Result<LivePlan> shown = plan_of(form_);
    if (!shown || form_of(*shown) != failure->form) form_ = failure->form;
    failed_ = form_;
  }
  if (form_.command.empty() && !recent_.empty()) form_ = recent_.front();
  if (form_.command.empty()) form_.command = join_words({find_installation().demo});
  typed_ = form_;
  at_ = -1;
  planned_.reset();
  is_open_ = just_opened_ = true;
  wants_start_ = false;
  if (!std::exchange(asked_doctor_, true)) doctor_job_.start([] { return examine(); });
}

bool LaunchDialog::handle_key(const KeyPress& press) {
  const Shortcut key = press.shortcut;
  if (key.key == kKeyEnter && !press.is_repeat) return wants_start_ = true;
  if (key.modifiers != kModAlt || press.is_repeat) return false;
  switch (key.key) {
    case '1':
      form_.nvtx = !form_.nvtx;
      return true;
    case '2':
      form_.cuda = !form_.cuda;
      return true;
    case '3':
      form_.torch = !form_.torch;
      return true;
    case '4':
      form_.shapes = !form_.shapes;
      return true;
    case '5':
      form_.keep = static_cast<LaunchForm::Keep>((static_cast<int>(form_.keep) + 1) % 3);
      return true;
    case '6':
      form_.stacks = !form_.stacks;
      return true;
    case '7':
      form_.states = !form_.states;
      return true;
    case '8':
      form_.allocations = !form_.allocations;
      return true;
    case '9':
      form_.metrics = !form_.metrics;
      return true;
    case '0':
      form_.counters = !form_.counters;
      return true;
    default:
      return false;
  }
}

void LaunchDialog::step_history(int direction) {
  if (at_ == -1) typed_ = form_;
  at_ = std::clamp(at_ + direction, -1, static_cast<int>(recent_.size()) - 1);
  form_ = at_ == -1 ? typed_ : recent_[static_cast<std::size_t>(at_)];
}

int LaunchDialog::on_history(ImGuiInputTextCallbackData* data) {
  LaunchDialog& self = *static_cast<LaunchDialog*>(data->UserData);
  self.step_history(data->EventKey == ImGuiKey_UpArrow ? 1 : -1);
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, self.form_.command.c_str());
  return 0;
}

void LaunchDialog::update_plan() {
  if (planned_ == form_) return;
  planned_ = form_;
  if (failed_ != form_) failure_.clear();
  plan_ = plan_of(form_);
  environment_.clear();
  if (plan_) environment_ = planned_environment(*plan_);
}

void LaunchDialog::fields(UiContext& ui) {
  label(ui, "Command");
  if (std::exchange(just_opened_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  std::string command = form_.command;
  if (text_input("##command", "python train.py --lr 0.1", command, ImGuiInputTextFlags_CallbackHistory, on_history,
                 this))
    form_.command = command;
  note_place(ui, "launch_command");
  tooltip("Words as in a shell: quotes and backslashes count, nothing is expanded. Up and Down: recent launches.");
  label(ui, "Folder");
  ImGui::SetNextItemWidth(-1);
  static const std::string here = absolute_path(".");
  text_input("##folder", here.c_str(), form_.directory);
  note_place(ui, "launch_folder");
  label(ui, "Environment");
  ImGui::SetNextItemWidth(-1);
  text_input("##environment", "NAME=value OTHER=\"with spaces\"", form_.environment);
  note_place(ui, "launch_environment");
}

void LaunchDialog::switches(UiContext& ui) {
  label(ui, "Record");
  ImGui::Checkbox("NVTX", &form_.nvtx);
  tooltip("Ranges and marks that the program sets (Alt+1)");
  ImGui::SameLine(0, ui.px(14));
  ImGui::Checkbox("CUDA", &form_.cuda);
  tooltip("Kernels, copies and API calls through CUPTI (Alt+2)");
  ImGui::SameLine(0, ui.px(14));
  ImGui::Checkbox("PyTorch operators", &form_.torch);
  tooltip("A hook in PYTHONPATH; does nothing in programs without torch (Alt+3)");
  ImGui::SameLine(0, ui.px(14));
  ImGui::Checkbox("input shapes", &form_.shapes);
  tooltip("Of PyTorch operators (Alt+4)");
  ImGui::SameLine(0, ui.px(14));
  if (!form_.torch) ImGui::BeginDisabled();
  ImGui::Checkbox("memory", &form_.allocations);
  note_place(ui, "launch_allocations");
  tooltip("What PyTorch's allocators give and take back: lanes of memory while it runs, and who holds it (Alt+8)");
  if (!form_.torch) ImGui::EndDisabled();
  label(ui, "Any program");
  ImGui::Checkbox("stacks, sampled", &form_.stacks);
  tooltip("Which functions its threads are in, 100 times a second: Python's, and those of native code (Alt+6)");
  ImGui::SameLine(0, ui.px(14));
  ImGui::Checkbox("thread states", &form_.states);
  tooltip("When its threads ran, waited, were preempted (Alt+7). What this machine allows is shown on the right.");
  label(ui, "Hardware");
  ImGui::Checkbox("GPU and host metrics", &form_.metrics);
  tooltip("Clocks, power, memory, throttling of the GPUs 20 times a second, load of the host 4 times (Alt+9)");
  ImGui::SameLine(0, ui.px(14));
  if (!form_.metrics) ImGui::BeginDisabled();
  ImGui::Checkbox("SM and DRAM of GPUs", &form_.counters);
  note_place(ui, "launch_counters");
  tooltip(
      "SM activity and occupancy, DRAM traffic by the GPUs' performance monitors, which other profilers then cannot "
      "have "
      "and which may hold their clocks (Alt+0). Whether this machine allows it is shown on the right.");
  if (!form_.metrics) ImGui::EndDisabled();
}

void LaunchDialog::keep(UiContext& ui) {
  using Keep = LaunchForm::Keep;
  label(ui, "Keep");
  if (segment(ui, "Everything", form_.keep == Keep::kEverything)) form_.keep = Keep::kEverything;
  ImGui::SameLine(0, ui.px(2));
  if (segment(ui, "The last seconds", form_.keep == Keep::kSeconds)) form_.keep = Keep::kSeconds;
  ImGui::SameLine(0, ui.px(2));
  if (segment(ui, "The last GB", form_.keep == Keep::kGigabytes)) form_.keep = Keep::kGigabytes;
  tooltip("The oldest events go first, and are counted. GB of memory (Alt+5 goes through the three)");
  if (form_.keep == Keep::kEverything) return;
  ImGui::SameLine(0, ui.px(10));
  ImGui::SetNextItemWidth(ui.px(70));
  ImGui::InputDouble("##limit", &form_.limit, 0, 0, "%g");
  note_place(ui, "launch_limit");
  ImGui::SameLine(0, ui.px(6));
  muted_text(ui, form_.keep == Keep::kSeconds ? "s" : "GB");
}

void LaunchDialog::steps(UiContext& ui) {
  label(ui, "Steps");
  struct Field {
    const char* id;
    const char* name;
    int* value;
  };
  const Field fields[] = {{"##wait", "wait", &form_.wait},
                          {"##warmup", "warmup", &form_.warmup},
                          {"##active", "active", &form_.active},
                          {"##repeat", "repeat", &form_.repeat}};
  for (const Field& field : fields) {
    ImGui::AlignTextToFramePadding();
    muted_text(ui, field.name);
    ImGui::SameLine(0, ui.px(4));
    ImGui::SetNextItemWidth(ui.px(44));
    ImGui::InputInt(field.id, field.value, 0, 0);
    note_place(ui, field.id + 2);
    tooltip("As in torch.profiler.schedule; steps are calls of an optimizer's step(). Active 0: everything is kept.");
    ImGui::SameLine(0, ui.px(10));
  }
  ImGui::NewLine();
}

void LaunchDialog::recent_launches(UiContext& ui) {
  ImGui::Dummy({1, ui.px(4)});
  dialog_heading(ui, "Recent launches");
  begin_bordered_child("recent", {0, -1});
  if (recent_.empty()) muted_text(ui, "None yet.");
  for (std::size_t i = 0; i < recent_.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable("##launch", at_ == static_cast<int>(i),
                          ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups)) {
      form_ = recent_[i];
      at_ = static_cast<int>(i);
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) wants_start_ = true;
    }
    ImGui::SameLine(ui.px(8));
    fitted_text(ui, recent_[i].command, ImGui::GetContentRegionAvail().x);
    ImGui::PopID();
  }
  ImGui::EndChild();
}

void LaunchDialog::what_will_run(UiContext& ui, ImVec2 size) {
  dialog_heading(ui, "What will run");
  begin_bordered_child("exactly", {size.x, size.y - ImGui::GetTextLineHeightWithSpacing()});
  if (!failure_.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.error, "Not started: " + failure_);
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
  }
  if (!plan_) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.warning, plan_.error().cause);
    ImGui::PopTextWrapPos();
  } else {
    for (std::size_t i = 0; i < plan_->arguments.size(); ++i)
      mono_wrapped(ui, ui.theme.text, fmt::format("[{}] {}", i, plan_->arguments[i]));
    mono_wrapped(ui, ui.theme.muted, "in  " + (plan_->directory.empty() ? absolute_path(".") : plan_->directory));
    for (const auto& [name, value] : environment_) mono_wrapped(ui, ui.theme.muted, name + "=" + value);
    muted_text(ui, "and the rest of this window's environment");
  }
  ImGui::EndChild();
}

void LaunchDialog::machine(UiContext& ui, ImVec2 size) {
  if (auto answer = doctor_job_.take()) checkups_ = std::move(answer);
  dialog_heading(ui, "This machine");
  begin_bordered_child("machine", {size.x, size.y - ImGui::GetTextLineHeightWithSpacing()});
  if (!checkups_) {
    muted_text(ui, "Looking\xE2\x80\xA6");
  } else {
    for (const Checkup& c : *checkups_) {
      const bool is_good = c.state == Checkup::State::kGood;
      const bool is_missing = c.state == Checkup::State::kMissing;
      coloured_text(is_good      ? ui.theme.good
                    : is_missing ? ui.theme.error
                                 : ui.theme.warning,
                    is_good      ? "good"
                    : is_missing ? "missing"
                                 : "note");
      ImGui::SameLine(ui.px(70));
      ImGui::PushTextWrapPos(0);
      text(c.subject + ": " + c.found);
      if (!c.advice.empty()) {
        ImGui::SetCursorPosX(ui.px(70));
        muted_text(ui, c.advice);
      }
      ImGui::PopTextWrapPos();
    }
  }
  ImGui::EndChild();
}

void LaunchDialog::start(UiContext& ui) {
  update_plan();
  if (!plan_) {
    just_opened_ = true;  // Enter took the cursor out of the field: it belongs there
    return;
  }
  is_open_ = false;
  launch_(*plan_);
  if (ui.requests.find<ask::Launch>() != nullptr) ui.state.redraw_in_s = 0.01;  // it comes back
}

void LaunchDialog::draw(UiContext& ui) {
  if (!is_open_) return;
  bool stays = true;
  if (!begin_dialog(ui, kLaunchTitle, 1120, 560, &stays)) return;
  const float footer = ImGui::GetFrameHeightWithSpacing() + ui.px(8);
  const ImVec2 room(ImGui::GetContentRegionAvail().x, ImGui::GetContentRegionAvail().y - footer);
  const float gap = ui.px(16);
  const float left = std::round((room.x - gap) * 0.54f);
  begin_child("form", {left, room.y});
  fields(ui);
  switches(ui);
  keep(ui);
  steps(ui);
  recent_launches(ui);
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  begin_child("facts", room.x - left > gap ? ImVec2(room.x - left - gap, room.y) : ImVec2(1, room.y));
  update_plan();
  const float half = std::round((room.y - ui.px(8)) * 0.5f);
  what_will_run(ui, {0, half - ui.px(8)});
  ImGui::Dummy({1, ui.px(2)});
  machine(ui, {0, ImGui::GetContentRegionAvail().y});
  ImGui::EndChild();

  ImGui::Dummy({1, ui.px(2)});
  if (!plan_) ImGui::BeginDisabled();
  if (ImGui::Button("Start", {ui.px(110), 0})) wants_start_ = true;
  if (!plan_) ImGui::EndDisabled();
  note_place(ui, "launch_start");
  ImGui::SameLine();
  if (ImGui::Button("Cancel", {ui.px(100), 0})) stays = false;
  ImGui::SameLine(0, ui.px(16));
  ImGui::AlignTextToFramePadding();
  muted_text(ui,
             "Enter starts   Tab next field   Up/Down recent   Alt+0\xE2\x80\xA6"
             "9 switches   Esc closes");
  if (std::exchange(wants_start_, false)) start(ui);
  if (!stays) is_open_ = false;
  if (!is_open_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace lacuna
