#pragma once
// Small widgets shared by the panels. Names from traces are drawn as plain text only: never as
// a format string, never as an ImGui id ("%s", "##" in a kernel name must stay harmless).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/core/track_names.h"
#include "app/gui/panels/ui_context.h"
#include "model/base/time.h"

namespace lacuna {

/// Draws text, wrapped at ImGui::PushTextWrapPos, but only at blanks.
void text(std::string_view s);
/// Replaces blanks of `s` by line breaks, so that no line is wider than `width`, unless a word is: ImGui would
/// also break "1,234" and "1.07 s". In the current font.
std::string broken_at_blanks(std::string_view s, float width);
void muted_text(const UiContext& ui, std::string_view s);
/// Draws `waiting` while the other machine's answer is pending; if it does not answer, why not.
void asked_text(const UiContext& ui, std::string_view waiting);
void coloured_text(Rgba colour, std::string_view s);
/// Draws text in the monospace font.
void mono_text(const UiContext& ui, std::string_view s);
/// Draws text cut to the width of the cell or to `max_px`; if it was cut, a tooltip has the whole text.
void fitted_text(const UiContext& ui, std::string_view s, float max_px = 0, bool muted = false);
/// Draws the name of a slice; if it does not fit, its characteristic part (short_name).
void fitted_name(const UiContext& ui, std::string_view name, float max_px = 0);
/// Draws monospace text, right-aligned in a table cell, leaving room for the header's sort arrow.
void number_cell(const UiContext& ui, std::string_view s, bool muted = false);
/// Draws the header of a column of right-aligned numbers, aligned the same way.
void number_header(const UiContext& ui, const char* label);
/// Returns the width of a column of numbers that fits `sample` and its header.
float number_column_px(const UiContext& ui, const char* header, std::string_view sample);
/// Draws a square in the colour of the slices of this name.
void colour_swatch(const UiContext& ui, Rgba colour);

/// Places the next link(), labelled `label`, beside the item just drawn if there is room, else on a new line.
void beside_if_room(const UiContext& ui, const char* label);
/// Draws a button that looks like a link. `id` must be unique where it is drawn.
bool link(const UiContext& ui, const char* label);
/// Draws one of several exclusive choices; call it once for each choice of the row.
bool segment(const UiContext& ui, const char* label, bool is_chosen);
/// Whether the mouse button was released this frame after pressing the item just drawn. Drags extend to this frame: at
/// low frame rates, the mouse moves and the button is released within the same one.
bool item_let_go();
/// Draws a tooltip for the item just drawn while the mouse is on it: below the item, so that its neighbours in a row
/// stay visible.
void tooltip(std::string_view s);
/// Returns "What it does (N)": with the command's key in the user's settings, if it has one.
std::string with_key(const UiContext& ui, std::string_view what, std::string_view command_id);
/// Begins a wrapped tooltip with arbitrary content: begin, then draw, then end.
bool begin_tooltip(const UiContext& ui, float max_px);
void end_tooltip();
/// While held, tooltips are suppressed: the mouse is on a sheet or list that covers the items below.
void hold_tooltips(bool held);

/// Begins a modal dialog in the middle of the window, and opens it if needed: its size is in design pixels, limited to
/// the window; height 0 fits the contents. `stays` null: it has no close button; otherwise that button
/// clears `stays`. If it returns true: draw, then call ImGui::EndPopup().
bool begin_dialog(const UiContext& ui, const char* title, float width_px, float height_px, bool* stays);

/// For the tests' state dump: from now on, visible text that is drawn is also added to `texts`; null: no
/// longer. UI thread.
void keep_seen_texts(std::vector<std::string>* texts);
/// Records the text of the item just drawn, for tests.
void note_seen(std::string_view s);
/// Records the position of the item just drawn, for tests that click it.
void note_place(const UiContext& ui, const char* name);

/// Returns the time since the trace's start, as the ruler shows it.
std::string time_text(const UiContext& ui, Nanos t);
/// Returns "12.3 %"; a dash where there is no whole.
std::string share_text(Nanos part, Nanos whole);
/// Returns "1.2 ms later", "3 ns earlier".
std::string distance_text(Nanos from, Nanos to);
/// Draws a line of a tooltip.
void tooltip_fact(const UiContext& ui, std::string_view label, std::string_view value);

}  // namespace lacuna
