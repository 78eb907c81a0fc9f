#pragma once
// Small parts that the panels share. Names from traces go to the screen as plain text only: never as
// a format string, never as an ImGui id ("%s", "##" in a kernel name must stay harmless).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/core/track_names.h"
#include "app/gui/panels/ui_context.h"
#include "model/base/time.h"

namespace lacuna {

/// Where text is wrapped (ImGui::PushTextWrapPos), at its blanks alone.
void text(std::string_view s);
/// `s` with line breaks in the place of blanks, so that it is no wider than `width`, unless a word is: ImGui would
/// break "1,234" and "1.07 s" as well. In the present font.
std::string broken_at_blanks(std::string_view s, float width);
void muted_text(const UiContext& ui, std::string_view s);
/// `waiting` of what another machine is asked; where it does not answer, why.
void asked_text(const UiContext& ui, std::string_view waiting);
void coloured_text(Rgba colour, std::string_view s);
/// Writes text in the monospace face.
void mono_text(const UiContext& ui, std::string_view s);
/// Writes text cut to the width of the cell or to `max_px`; a tooltip has the whole when it was cut.
void fitted_text(const UiContext& ui, std::string_view s, float max_px = 0, bool muted = false);
/// The name of a slice: its telling part when the whole does not fit (short_name).
void fitted_name(const UiContext& ui, std::string_view name, float max_px = 0);
/// Monospace, right-aligned in a table cell, with a gutter for the header's sort arrow.
void number_cell(const UiContext& ui, std::string_view s, bool muted = false);
/// Draws the header of a column of right-aligned numbers, aligned the same way.
void number_header(const UiContext& ui, const char* label);
/// Width of a column of numbers that fits `sample` and its header.
float number_column_px(const UiContext& ui, const char* header, std::string_view sample);
/// A square of the colour in which slices of this name are drawn.
void colour_swatch(const UiContext& ui, Rgba colour);

/// The next link(), called `label`, stands beside the item just drawn where it has room there, else on a new line.
void beside_if_room(const UiContext& ui, const char* label);
/// A button that looks like a link. `id` must be unique where it stands.
bool link(const UiContext& ui, const char* label);
/// Draws one of several exclusive choices; call it once for each choice of the row.
bool segment(const UiContext& ui, const char* label, bool is_chosen);
/// Whether the button that held the item just drawn was let go in this frame. A drag goes up to there: where frames are
/// rare, the same one sees the mouse move and the button let go.
bool item_let_go();
/// Explains the item just drawn when the mouse is on it: below it, so that its neighbours in a row stay
/// in sight.
void tooltip(std::string_view s);
/// "What it does (N)": with the key that the user has for a command, if there is one.
std::string with_key(const UiContext& ui, std::string_view what, std::string_view command_id);
/// A wrapped tooltip with arbitrary content: begin, then draw, then end.
bool begin_tooltip(const UiContext& ui, float max_px);
void end_tooltip();
/// While held, tooltips are drawn where nobody sees them: what lies below a sheet or a list is not what is asked about.
void hold_tooltips(bool held);

/// Begins a modal dialog in the middle of the window, opening it if it is not: of a size in design pixels, or what
/// the window has room for; a height of 0 is that of what it holds. Null: it cannot be closed by its corner, else that
/// clears `stays`. True: draw, then ImGui::EndPopup().
bool begin_dialog(const UiContext& ui, const char* title, float width_px, float height_px, bool* stays);

/// For the tests' dump of the state: from now on, text that is drawn where it can be seen is added to `texts`; null: no
/// longer. UI thread.
void keep_seen_texts(std::vector<std::string>* texts);
/// Notes the text of the item just drawn, for tests.
void note_seen(std::string_view s);
/// Notes where the item just drawn is, for tests that want to click it.
void note_place(const UiContext& ui, const char* name);

/// Time since the trace's start, as the ruler counts.
std::string time_text(const UiContext& ui, Nanos t);
/// "1 row", "1,234 rows".
std::string counted(std::uint64_t n, std::string_view singular);

}  // namespace lacuna
