#include "app/gui/panels/headline/headline_bar.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kHeadlinePx = 30;
constexpr float kPicturePx = 220;
constexpr float kPictureHighPx = 12;
constexpr float kGapPx = 12;

/// Work in one hue, the paler the less of it is computing; idle time in the colours of its causes.
Rgba part_colour(const Theme& theme, const Headline::Part& part) {
  if (part.cause) return theme.gap_colour(*part.cause);
  switch (part.work.value_or(TimeKind::kOther)) {
    case TimeKind::kKernel:
      return theme.good;
    case TimeKind::kCommunication:
      return mix(theme.good, theme.accent, 0.7f);
    default:
      return mix(theme.good, theme.muted, 0.6f);
  }
}

std::string part_text(const Headline& headline, const Headline::Part& part) {
  const double share = TimeUse::part(part.time, headline.window.duration());
  return fmt::format("{}{}: {} ({})", part.cause ? "Idle: " : "", part.name, format_duration(part.time),
                     format_percent(share));
}

}  // namespace

const ReportView::File* HeadlineBar::file(const UiContext& ui) const {
  if (!ui.settings.headline || view_.files() == nullptr || view_.files()->empty() || !ui.workspace().has_trace())
    return nullptr;
  // Of a trace that is still read there is no report; the one that is there is of the trace before.
  if (ui.workspace().document()->is_partial) return nullptr;
  return &(*view_.files())[std::min(view_.chosen, view_.files()->size() - 1)];
}

float HeadlineBar::height(const UiContext& ui) const {
  const ReportView::File* shown = file(ui);
  return shown == nullptr || shown->headline.sentence.empty() ? 0 : std::round(ui.px(kHeadlinePx));
}

void HeadlineBar::draw(UiContext& ui, ImVec2 at, float width) {
  if (ui.settings.headline) view_.ask(ui.workspace().document());
  const float high = height(ui);
  if (high == 0) return;
  const Headline& headline = file(ui)->headline;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + high}, to_imgui(ui.theme.panel));
  draw.AddLine({at.x, at.y + high - 0.5f}, {at.x + width, at.y + high - 0.5f}, to_imgui(ui.theme.border));
  ImGui::PushID("headline");
  float x = at.x + ui.px(kGapPx);
  const float middle = at.y + std::round((high - ImGui::GetTextLineHeight()) / 2);
  if (!headline.parts.empty()) {
    const float picture_high = ui.px(kPictureHighPx);
    picture(ui, headline, {x, at.y + std::round((high - picture_high) / 2)}, {ui.px(kPicturePx), picture_high});
    x += ui.px(kPicturePx + kGapPx);
  }
  ImGui::SetCursorScreenPos({x, middle});
  const std::string sentence = headline.other_gpus > 0
                                   ? fmt::format("{} ({} other GPU{} idle less)", headline.sentence,
                                                 headline.other_gpus, headline.other_gpus == 1 ? "" : "s")
                                   : headline.sentence;
  ImGui::BeginGroup();
  coloured_text(headline.is_good ? ui.theme.good : ui.theme.text, sentence);
  if (!headline.sure.empty()) {
    ImGui::SameLine(0, ui.px(kGapPx));
    muted_text(ui, headline.sure);
  }
  ImGui::EndGroup();
  tooltip(
      "What the report says first. How sure: how much of the idle time has a known cause, and how much of the work "
      "has its launch in the file.");
  note_place(ui, "headline");
  levers(ui, headline, at.x + width);
  ImGui::PopID();
}

void HeadlineBar::picture(UiContext& ui, const Headline& headline, ImVec2 at, ImVec2 size) const {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto whole = static_cast<float>(std::max<Nanos>(1, headline.window.duration()));
  float x = at.x;
  const Headline::Part* hovered = nullptr;
  const ImVec2 mouse = ImGui::GetMousePos();
  for (const Headline::Part& part : headline.parts) {
    const float end = std::min(at.x + size.x, x + size.x * static_cast<float>(part.time) / whole);
    draw.AddRectFilled({x, at.y}, {std::max(end, x + 1), at.y + size.y}, to_imgui(part_colour(ui.theme, part)));
    if (mouse.x >= x && mouse.x < end) hovered = &part;
    x = end;
  }
  draw.AddRect(at, {at.x + size.x, at.y + size.y}, to_imgui(ui.theme.border));
  ImGui::SetCursorScreenPos(at);
  if (ImGui::InvisibleButton("picture", size)) ui.workspace().go_to(ReportPlace{headline.window, {}});
  note_place(ui, "headline_picture");
  if (!ImGui::IsItemHovered()) return;
  std::string all;
  for (const Headline::Part& part : headline.parts)
    all += fmt::format("{}{}{}", all.empty() ? "" : "\n", &part == hovered ? "\xE2\x96\xB8 " : "   ",
                       part_text(headline, part));
  tooltip(all + "\nClick shows the measured time.");
}

void HeadlineBar::levers(UiContext& ui, const Headline& headline, float right) const {
  const float room = ImGui::GetStyle().ItemSpacing.x;
  for (std::size_t l = 0; l < headline.levers.size(); ++l) {
    const Headline::Lever& lever = headline.levers[l];
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
    tooltip(lever.tooltip + ". By a replay without it. Click shows where.");
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
