#pragma once
// The differences between Dear ImGui 1.86 (Debian 12) and 1.92 and newer that matter here, in one
// place. Everything else includes this file instead of <imgui.h>.

#include <imgui.h>

namespace lacuna {

/// Dear ImGui rasterises glyphs on first use, at any size, from 1.92 on; before, an atlas of
/// chosen ranges and sizes is built once.
#if IMGUI_VERSION_NUM >= 19200
#define LACUNA_DYNAMIC_FONTS 1
#else
#define LACUNA_DYNAMIC_FONTS 0
#endif

/// Makes `font` current at `size_px`; before 1.92 the size is the one that the font was built for.
inline void push_font(ImFont* font, [[maybe_unused]] float size_px) {
#if LACUNA_DYNAMIC_FONTS
  ImGui::PushFont(font, size_px);
#else
  ImGui::PushFont(font);
#endif
}

#if IMGUI_VERSION_NUM >= 19090
inline constexpr ImGuiCol kColTabSelected = ImGuiCol_TabSelected;
inline constexpr ImGuiCol kColTabUnfocused = ImGuiCol_TabDimmed;
inline constexpr ImGuiCol kColTabUnfocusedSelected = ImGuiCol_TabDimmedSelected;
#else
inline constexpr ImGuiCol kColTabSelected = ImGuiCol_TabActive;
inline constexpr ImGuiCol kColTabUnfocused = ImGuiCol_TabUnfocused;
inline constexpr ImGuiCol kColTabUnfocusedSelected = ImGuiCol_TabUnfocusedActive;
#endif

/// Whether `key` was pressed, or repeats, in this frame.
inline bool is_key_pressed(ImGuiKey key, bool repeats = true) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(key, repeats);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), repeats);  // it takes the key code of the window library
#endif
}

/// A child region with a border.
inline bool begin_bordered_child(const char* id, ImVec2 size) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, ImGuiChildFlags_Borders);
#else
  return ImGui::BeginChild(id, size, true);
#endif
}

/// A child region without a border, but with the window padding of the style.
inline bool begin_padded_child(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, ImGuiChildFlags_AlwaysUseWindowPadding, flags);
#else
  return ImGui::BeginChild(id, size, false, flags | ImGuiWindowFlags_AlwaysUseWindowPadding);
#endif
}

/// A plain child region.
inline bool begin_child(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, ImGuiChildFlags_None, flags);
#else
  return ImGui::BeginChild(id, size, false, flags);
#endif
}

/// Closes every open popup and menu. Returns whether there was one.
bool close_popups();

/// Puts the cursor into a text box in the next frame; unlike SetKeyboardFocusHere also in menu bars.
void activate_input(ImGuiID id);
/// Enables arrow keys and Enter in menus, until nothing is open any more (end_menu_keys).
void start_menu_keys();
/// Chooses the item under the keyboard focus, as Enter does in other toolkits' menus.
void choose_menu_item();
/// Call once per frame. Returns how many menus are open inside each other; 0 ends what start_menu_keys() began.
int menu_keys_depth();

/// Whether a tooltip was drawn in view in this frame.
bool shows_tooltip();
/// Brings the current window to the front.
void raise_window();

/// An outline with square corners.
inline void draw_outline(ImDrawList& draw, ImVec2 a, ImVec2 b, ImU32 colour, float thickness) {
#if IMGUI_VERSION_NUM >= 19280
  draw.AddRect(a, b, colour, 0.0f, thickness, ImDrawFlags_None);
#else
  draw.AddRect(a, b, colour, 0.0f, ImDrawFlags_None, thickness);
#endif
}

/// Whether `font` can draw a character (below U+10000).
inline bool has_glyph(const ImFont* font, ImWchar character) {
#if LACUNA_DYNAMIC_FONTS
  return const_cast<ImFont*>(font)->IsGlyphInFont(character);
#else
  return font->FindGlyphNoFallback(character) != nullptr;
#endif
}

}  // namespace lacuna
