#include "app/gui/panels/headline/headline_bar.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/widgets/time_colours.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/trace/tracks_of.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kHeadlinePx = 30;
constexpr float kPicturePx = 220;
constexpr float kPictureHighPx = 12;
constexpr float kGapPx = 12;
constexpr float kGpuHighPx = 18;
constexpr float kGpuPx = 7;       // of one of several GPUs, as long as there is room for all …
constexpr float kLeastGpuPx = 3;  // … and where there is not
constexpr float kMostGpusPx = 200;
constexpr float kLeastSentencePx = 260;
constexpr float kLinksPx = 96;  // "Why" and "Hide"

Rgba part_colour(const UiContext& ui, const Headline::Part& part) {
  if (part.kernel_class) return ui.palette.of_class(*part.kernel_class).fill;
  return part.cause ? ui.theme.gap_colour(*part.cause) : work_colour(ui, part.work.value_or(TimeKind::kOther));
}

/// The parts of a GPU's time, from the left, or from below. The one under the mouse, or null.
const Headline::Part* stacked(const UiContext& ui, const Headline::Subject& of, ImVec2 at, ImVec2 size,
                              bool is_upright) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto whole = static_cast<float>(std::max<Nanos>(1, of.window.duration()));
  const float length = is_upright ? size.y : size.x;
  const ImVec2 mouse = ImGui::GetMousePos();
  const float mouse_at = is_upright ? at.y + size.y - mouse.y : mouse.x - at.x;
  const Headline::Part* hovered = nullptr;
  float from = 0;
  for (const Headline::Part& part : of.parts) {
    const float to = std::min(length, from + length * static_cast<float>(part.time) / whole);
    const float drawn_to = std::min(length, std::max(to, from + 1));
    const ImU32 colour = to_imgui(part_colour(ui, part));
    if (is_upright) {
      draw.AddRectFilled({at.x, at.y + size.y - drawn_to}, {at.x + size.x, at.y + size.y - from}, colour);
    } else {
      draw.AddRectFilled({at.x + from, at.y}, {at.x + drawn_to, at.y + size.y}, colour);
    }
    if (mouse_at >= from && mouse_at < to) hovered = &part;
    from = to;
  }
  return hovered;
}

std::string part_text(const Headline::Subject& subject, const Headline::Part& part) {
  const double share = TimeUse::part(part.time, subject.window.duration());
  return fmt::format("{}{}: {} ({})", part.cause ? "Idle: " : "", part.name, format_duration(part.time),
                     format_percent(share));
}

/// "Step 3", "Steps 3 to 5", "Range of 12.3 ms"; empty without a range.
std::string name_of_range(const Workspace& workspace) {
  if (!workspace.area()) return {};
  if (const auto steps = workspace.selected_steps()) {
    const std::int64_t first = workspace.steps()[steps->first].number;
    const std::int64_t last = workspace.steps()[steps->last].number;
    return first == last ? fmt::format("Step {}", first) : fmt::format("Steps {} to {}", first, last);
  }
  return fmt::format("Range of {}", format_duration(workspace.area()->duration()));
}

/// The first stream of a GPU; invalid where the trace has none.
TrackId stream_of(const Trace& trace, const Headline::Subject& subject) {
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, subject.source))
    if (track.device == subject.device) return track.id;
  return {};
}

}  // namespace

void HeadlineBar::ask(const UiContext& ui) {
  const Workspace& workspace = ui.workspace();
  report_.ask(workspace.document());
  of_range_.ask(workspace.document(), workspace.area(), name_of_range(workspace));
}

HeadlineBar::Shown HeadlineBar::shown(const UiContext& ui) const {
  const Workspace& workspace = ui.workspace();
  const Document& document = *workspace.document();
  // Of a trace that is still read there is no report; the one that is there is of the trace before.
  const Headline* measured = document.is_answerable() ? report_.headline() : nullptr;
  const HeadlineView::Answer* answer = of_range_.answer();
  // What was said last of a recording stays until it is over and measured.
  if (answer != nullptr && (workspace.area() || measured == nullptr)) return {&answer->headline, answer->name};
  return {measured, {}};
}

const Headline::Subject& HeadlineBar::subject(const Headline& headline) const {
  return headline.subjects[chosen_ && *chosen_ < headline.subjects.size() ? *chosen_ : headline.worst];
}

float HeadlineBar::draw(UiContext& ui, ImVec2 at, float width) {
  ui.observed.headline.clear();
  if (!ui.settings.headline || !ui.workspace().has_trace() || !ui.state.has_report) return 0;
  ask(ui);
  const Shown what = shown(ui);
  if (what.headline == nullptr || what.headline->subjects.empty()) return 0;
  if (chosen_in_ != ui.workspace().document()) {
    if (!ui.live.is_running()) chosen_.reset();
    chosen_in_ = ui.workspace().document();
  }
  const Headline::Subject& of = subject(*what.headline);
  const float high = std::round(ui.px(kHeadlinePx));
  const float right = at.x + width;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {right, at.y + high}, to_imgui(ui.theme.panel));
  draw.AddLine({at.x, at.y + high - 0.5f}, {right, at.y + high - 0.5f}, to_imgui(ui.theme.border));
  ImGui::PushID("headline");
  float x = at.x + ui.px(kGapPx);
  const float middle = at.y + std::round((high - ImGui::GetTextLineHeight()) / 2);
  if (!what.name.empty()) {
    ImGui::SetCursorScreenPos({x, middle});
    coloured_text(ui.theme.accent, what.name);
    tooltip(ui.workspace().area()
                ? "The headline is about the selected range. Without one it is about the measured time."
                : "The headline follows the newest of the recording for which causes are known.");
    note_place(ui, "headline_range");
    x = ImGui::GetItemRectMax().x + ui.px(kGapPx);
  }
  const float rest = right - x - ui.px(kLinksPx);
  if (!of.parts.empty()) {
    const float picture_high = ui.px(kPictureHighPx);
    const float picture_px = std::min(ui.px(kPicturePx), rest / 5);
    picture(ui, of, {x, at.y + std::round((high - picture_high) / 2)}, {picture_px, picture_high});
    x += picture_px + ui.px(kGapPx);
  }
  if (what.headline->subjects.size() > 1) {
    const float gpu_high = ui.px(kGpuHighPx);
    x += gpus(ui, *what.headline, {x, at.y + std::round((high - gpu_high) / 2)}, gpu_high,
              std::min(ui.px(kMostGpusPx), rest / 5));
    x += ui.px(kGapPx);
  }
  ImGui::SetCursorScreenPos({x, middle});
  const float room = std::max(ui.px(kLeastSentencePx), right - ui.px(kLinksPx) - x);
  const float sentence_px = ImGui::CalcTextSize(of.sentence.c_str()).x;
  ImGui::BeginGroup();
  if (sentence_px <= room) {
    coloured_text(of.is_good ? ui.theme.good : ui.theme.text, of.sentence);
  } else {
    fitted_text(ui, of.sentence, room);
  }
  if (!of.sure.empty() && sentence_px + ImGui::CalcTextSize(of.sure.c_str()).x + ui.px(kGapPx) <= room) {
    ImGui::SameLine(0, ui.px(kGapPx));
    muted_text(ui, of.sure);
  }
  ImGui::EndGroup();
  if (sentence_px <= room)
    tooltip(
        "What the report says first. How sure: how much of the idle time has a known cause, and how much of the work "
        "has its launch in the file.");
  note_place(ui, "headline");
  ui.observed.headline = (what.name.empty() ? std::string() : std::string(what.name) + ": ") + of.sentence;
  levers(ui, of, right);
  ImGui::PopID();
  return high;
}

void HeadlineBar::picture(UiContext& ui, const Headline::Subject& of, ImVec2 at, ImVec2 size) const {
  const Headline::Part* hovered = stacked(ui, of, at, size, false);
  ImGui::GetWindowDrawList()->AddRect(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.border));
  ImGui::SetCursorScreenPos(at);
  if (ImGui::InvisibleButton("picture", size)) ui.workspace().go_to(ReportPlace{of.window, {}});
  note_place(ui, "headline_picture");
  if (!ImGui::IsItemHovered()) return;
  std::string all = of.name.empty() ? std::string() : of.name;
  for (const Headline::Part& part : of.parts)
    all +=
        fmt::format("{}{}{}", all.empty() ? "" : "\n", &part == hovered ? "\xE2\x96\xB8 " : "   ", part_text(of, part));
  tooltip(all + "\nClick shows this time.");
}

float HeadlineBar::gpus(UiContext& ui, const Headline& headline, ImVec2 at, float height, float room) {
  const std::size_t all = headline.subjects.size();
  const float px =
      std::max(ui.px(kLeastGpuPx), std::min(ui.px(kGpuPx), std::floor(room / static_cast<float>(all)) - 1));
  const auto fitting = static_cast<std::size_t>(std::max(1.0f, std::floor(room / (px + 1))));
  // Where not all have room the worst one stays in view.
  const std::size_t first = all <= fitting ? 0 : std::min(headline.worst / fitting * fitting, all - fitting);
  const std::size_t count = std::min(all, fitting);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (std::size_t g = 0; g < count; ++g) {
    const Headline::Subject& of = headline.subjects[first + g];
    const ImVec2 from(at.x + static_cast<float>(g) * (px + 1), at.y);
    stacked(ui, of, from, {px, height}, true);
    const bool is_shown = &of == &subject(headline);
    if (is_shown)
      draw.AddRect({from.x - 1, from.y - 1}, {from.x + px + 1, from.y + height + 1}, to_imgui(ui.theme.text));
    ImGui::SetCursorScreenPos(from);
    ImGui::PushID(static_cast<int>(g));
    if (ImGui::InvisibleButton("gpu", {px + 1, height})) {
      chosen_ = first + g;
      ui.workspace().show_track(stream_of(ui.workspace().trace(), of));
    }
    if (g < 2) note_place(ui, g == 0 ? "headline_gpu_0" : "headline_gpu_1");
    std::string text = of.sentence;
    if (count < all) text += fmt::format("\n{} of {} GPUs have room here.", count, all);
    tooltip(text + "\nClick shows it.");
    ImGui::PopID();
  }
  return static_cast<float>(count) * (px + 1);
}

void HeadlineBar::levers(UiContext& ui, const Headline::Subject& of, float right) const {
  const float room = ImGui::GetStyle().ItemSpacing.x;
  for (std::size_t l = 0; l < of.levers.size(); ++l) {
    const Headline::Lever& lever = of.levers[l];
    ImGui::SameLine(0, l == 0 ? ui.px(kGapPx) * 1.5f : room);
    if (ImGui::GetCursorScreenPos().x + ImGui::CalcTextSize(lever.text.c_str()).x + ui.px(120) > right) break;
    ImGui::PushID(static_cast<int>(l));
    if (ImGui::SmallButton(lever.text.c_str())) {
      if (lever.place.span.empty()) {
        ui.show_page(DrawerPage::kReport);
      } else {
        ui.workspace().go_to(lever.place);
      }
    }
    if (l == 0) note_place(ui, "headline_lever");
    tooltip(lever.tooltip + " Click shows where.");
    ImGui::PopID();
  }
  ImGui::SameLine(0, ui.px(kGapPx));
  if (link(ui, "Why")) ui.show_page(DrawerPage::kReport);
  note_place(ui, "headline_why");
  tooltip("The report: the verdict with its evidence, steps, kernels, copies and memory.");
  ImGui::SameLine(0, room);
  if (link(ui, "Hide")) ui.settings.headline = false;
  note_place(ui, "headline_hide");
  tooltip("View > Headline brings it back.");
}

}  // namespace lacuna
