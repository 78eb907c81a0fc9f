#include "render/paint/theme.h"

#include <cmath>

#include "render/paint/imgui_compat.h"

namespace lacuna {
namespace {

struct CauseColours {
  GapCause cause;
  Rgba dark;
  Rgba light;
};
/// In the order of GapCause. How different they must be: Theme::gap_causes.
constexpr std::array<CauseColours, kGapCauseCount> kCauseColours = {{
    {GapCause::kLaunchBound, 0xF77355FF, 0xA82000FF},
    {GapCause::kSynchronisation, 0xE2EA60FF, 0x4D351FFF},
    {GapCause::kDataLoading, 0x527DFFFF, 0x2D63DCFF},
    {GapCause::kBlockingCopy, 0xF8481EFF, 0x500589FF},
    {GapCause::kFirstUse, 0x9DF791FF, 0x24010BFF},
    {GapCause::kAllocation, 0xF1B018FF, 0x491236FF},
    {GapCause::kFullQueue, 0xB295F4FF, 0x362465FF},
    {GapCause::kNotScheduled, 0x1BC173FF, 0x7736ADFF},
    {GapCause::kHostCallback, 0xC1F807FF, 0xC83D3DFF},
    {GapCause::kDependency, 0xF7B2FFFF, 0x4C00CDFF},
    {GapCause::kCommunication, 0x58EBA7FF, 0x268040FF},
    {GapCause::kLateRank, 0xD1D0E8FF, 0x645F93FF},
    {GapCause::kInsideGraph, 0xED12F8FF, 0x7041FDFF},
    {GapCause::kProfilerOverhead, 0xBC66BCFF, 0xD3069EFF},
    {GapCause::kKernelSpacing, 0xA0B5B7FF, 0x3B4863FF},
    {GapCause::kNotRecorded, 0x6991A0FF, 0x722941FF},
    {GapCause::kOutsideSteps, 0xDDFEFDFF, 0x0F0437FF},
    {GapCause::kUnknown, 0x968272FF, 0x7B6C6CFF},
}};

constexpr bool are_in_order() {
  for (std::size_t c = 0; c < kGapCauseCount; ++c)
    if (kCauseColours[c].cause != static_cast<GapCause>(c)) return false;
  return true;
}
static_assert(are_in_order(), "a cause has no colours, or those of another");

Theme dark_theme() {
  Theme t;
  t.dark = true;
  t.background = 0x15171CFF;
  t.panel = 0x1B1E25FF;
  t.raised = 0x262A33FF;
  t.hovered = 0x323845FF;
  t.pressed = 0x3D4556FF;
  t.border = 0x2E333EFF;
  t.text = 0xE4E7EDFF;
  t.muted = 0xA0A8B7FF;
  t.faint = 0x6F7889FF;
  t.accent = 0x6AA9FFFF;
  t.accent_text = 0x0B1524FF;
  t.good = 0x66CC99FF;
  t.warning = 0xF3BC4FFF;
  t.error = 0xFF7B72FF;
  t.track_odd = 0xFFFFFF05;
  t.gpu_track = 0x5FD0B00C;
  t.gpu_edge = 0x4FC3A1FF;
  t.process_band = 0x21252EFF;
  t.grid = 0xFFFFFF0D;
  t.ruler = 0x1B1E25FF;
  t.gap = 0xFF8A70FF;
  t.gap_fill = 0xFF6A4D1C;
  for (std::size_t c = 0; c < kGapCauseCount; ++c) t.gap_causes[c] = kCauseColours[c].dark;
  t.selection = 0xFFFFFFFF;
  t.area = 0x6AA9FF26;
  t.outside = 0x0B0C0F59;
  t.crosshair = 0xFFFFFF38;
  t.arrow = 0xFFD479FF;
  t.path = 0xFF5CA8FF;
  t.counter = 0x7FB2E5FF;
  t.counter_fill = 0x7FB2E540;
  t.instant = 0xF3BC4FFF;
  t.memory = 0x8AA4F0FF;
  return t;
}

Theme light_theme() {
  Theme t;
  t.dark = false;
  t.background = 0xFFFFFFFF;
  t.panel = 0xF6F7F9FF;
  t.raised = 0xE9ECF1FF;
  t.hovered = 0xDDE2EAFF;
  t.pressed = 0xCDD4E0FF;
  t.border = 0xD3D8E0FF;
  t.text = 0x1A1E26FF;
  t.muted = 0x545D6EFF;
  t.faint = 0x868FA0FF;
  t.accent = 0x1E5ECDFF;
  t.accent_text = 0xFFFFFFFF;
  t.good = 0x187247FF;
  t.warning = 0x8C5900FF;
  t.error = 0xC0271BFF;
  t.track_odd = 0x1A1E2606;
  t.gpu_track = 0x1B9E7710;
  t.gpu_edge = 0x1B8A6BFF;
  t.process_band = 0xE9ECF1FF;
  t.grid = 0x1A1E2614;
  t.ruler = 0xF6F7F9FF;
  t.gap = 0xB23C0BFF;
  t.gap_fill = 0xF9731618;
  for (std::size_t c = 0; c < kGapCauseCount; ++c) t.gap_causes[c] = kCauseColours[c].light;
  t.selection = 0x0B1220FF;
  t.area = 0x1F62D61F;
  t.outside = 0x545D6E26;
  t.crosshair = 0x1A1E2647;
  t.arrow = 0xB45309FF;
  t.path = 0xC2006BFF;
  t.counter = 0x2F6FB3FF;
  t.counter_fill = 0x2F6FB333;
  t.instant = 0xB45309FF;
  t.memory = 0x3B57B8FF;
  return t;
}

ImVec4 vec(Rgba c) {
  return ImGui::ColorConvertU32ToFloat4(to_imgui(c));
}

void apply_sizes(ImGuiStyle& style, float scale) {
  style.WindowPadding = {10, 8};
  style.FramePadding = {8, 4};
  style.CellPadding = {7, 3};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.IndentSpacing = 16;
  style.ScrollbarSize = 11;
  style.GrabMinSize = 12;
  style.WindowRounding = 6;
  style.ChildRounding = 0;
  style.FrameRounding = 4;
  style.PopupRounding = 6;
  style.ScrollbarRounding = 6;
  style.GrabRounding = 4;
  style.TabRounding = 4;
  style.WindowBorderSize = 1;
  style.ChildBorderSize = 1;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.TabBorderSize = 0;
  style.WindowTitleAlign = {0.0f, 0.5f};
  style.ScaleAllSizes(scale);
}

}  // namespace

Theme make_theme(bool dark) {
  return dark ? dark_theme() : light_theme();
}

Rgba with_alpha(Rgba colour, float alpha) {
  const float clamped = alpha < 0 ? 0.0f : alpha > 1 ? 1.0f : alpha;
  return (colour & 0xFFFFFF00u) | static_cast<Rgba>(std::lround(clamped * 255.0f));
}

Rgba mix(Rgba a, Rgba b, float part) {
  Rgba out = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const float from = static_cast<float>((a >> shift) & 0xffu);
    const float to = static_cast<float>((b >> shift) & 0xffu);
    out |= static_cast<Rgba>(std::lround(from + (to - from) * part)) << shift;
  }
  return out;
}

void apply_theme(const Theme& t, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  if (t.dark) {
    ImGui::StyleColorsDark(&style);
  } else {
    ImGui::StyleColorsLight(&style);
  }
  apply_sizes(style, scale);

  const auto set = [&style](ImGuiCol which, Rgba colour) { style.Colors[which] = vec(colour); };
  set(ImGuiCol_Text, t.text);
  set(ImGuiCol_TextDisabled, t.muted);
  set(ImGuiCol_WindowBg, t.panel);
  set(ImGuiCol_ChildBg, 0x00000000);
  set(ImGuiCol_PopupBg, mix(t.panel, t.raised, 0.5f));
  set(ImGuiCol_Border, t.border);
  set(ImGuiCol_BorderShadow, 0x00000000);
  set(ImGuiCol_FrameBg, t.raised);
  set(ImGuiCol_FrameBgHovered, t.hovered);
  set(ImGuiCol_FrameBgActive, t.hovered);
  set(ImGuiCol_TitleBg, t.raised);
  set(ImGuiCol_TitleBgActive, t.raised);
  set(ImGuiCol_TitleBgCollapsed, t.raised);
  set(ImGuiCol_MenuBarBg, t.panel);
  set(ImGuiCol_ScrollbarBg, 0x00000000);
  set(ImGuiCol_ScrollbarGrab, mix(t.hovered, t.faint, 0.25f));
  set(ImGuiCol_ScrollbarGrabHovered, mix(t.hovered, t.faint, 0.6f));
  set(ImGuiCol_ScrollbarGrabActive, t.faint);
  set(ImGuiCol_CheckMark, t.accent);
  set(ImGuiCol_SliderGrab, t.accent);
  set(ImGuiCol_SliderGrabActive, t.accent);
  set(ImGuiCol_Button, t.raised);
  set(ImGuiCol_ButtonHovered, t.hovered);
  set(ImGuiCol_ButtonActive, t.pressed);
  set(ImGuiCol_Header, with_alpha(t.accent, t.dark ? 0.22f : 0.16f));
  set(ImGuiCol_HeaderHovered, with_alpha(t.accent, t.dark ? 0.14f : 0.10f));
  set(ImGuiCol_HeaderActive, with_alpha(t.accent, 0.30f));
  set(ImGuiCol_Separator, t.border);
  set(ImGuiCol_SeparatorHovered, t.accent);
  set(ImGuiCol_SeparatorActive, t.accent);
  set(ImGuiCol_Tab, 0x00000000);
  set(ImGuiCol_TabHovered, t.hovered);
  set(kColTabSelected, t.raised);
  set(kColTabUnfocused, 0x00000000);
  set(kColTabUnfocusedSelected, t.raised);
  set(ImGuiCol_TableHeaderBg, t.panel);
  set(ImGuiCol_TableBorderStrong, t.border);
  set(ImGuiCol_TableBorderLight, with_alpha(t.border, 0.6f));
  set(ImGuiCol_TableRowBg, 0x00000000);
  set(ImGuiCol_TableRowBgAlt, t.track_odd);
  set(ImGuiCol_TextSelectedBg, with_alpha(t.accent, 0.35f));
  set(ImGuiCol_ModalWindowDimBg, with_alpha(t.dark ? 0x000000FFu : 0x1A1E26FFu, 0.45f));
  set(ImGuiCol_PlotHistogram, t.accent);
  set(ImGuiCol_NavHighlight, t.accent);
}

}  // namespace lacuna
