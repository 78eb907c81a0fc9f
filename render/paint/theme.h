#pragma once

#include <array>

#include "render/draw_list.h"
#include "render/palette.h"

namespace lacuna {

/// All colours but those of slices, chosen by hand for a dark and a light look. Text colours have
/// a contrast of at least 4.5:1 on every surface with text, up to `hovered`; `faint` of 3:1 (decoration
/// only).
struct Theme {
  bool dark = true;

  // Surfaces, from back to front.
  Rgba background;  ///< behind the tracks
  Rgba panel;       ///< drawer, header column
  Rgba raised;      ///< buttons, inputs, menu bar
  Rgba hovered;
  Rgba pressed;
  Rgba border;

  Rgba text;
  Rgba muted;
  Rgba faint;
  Rgba accent;       ///< links, focus, selection of ranges
  Rgba accent_text;  ///< on accent
  Rgba good;
  Rgba warning;
  Rgba error;

  // Timeline.
  Rgba track_odd;  ///< overlay on the background of every second track
  Rgba gpu_track;  ///< overlay on the background of GPU tracks
  Rgba gpu_edge;   ///< mark of GPU tracks and their process
  Rgba process_band;
  Rgba grid;  ///< major ticks down the tracks
  Rgba ruler;
  Rgba gap;       ///< hatching and label of idle intervals
  Rgba gap_fill;  ///< behind the hatching
  /// Colours by GapCause. Distinguishable by colour-blind people: at least 13 (CIE76) between any
  /// two, for normal sight and with any of the three dichromacies; the hatching differs, too.
  std::array<Rgba, kGapCauseCount> gap_causes;
  Rgba selection;  ///< outline of the selected slice
  Rgba area;       ///< fill of the selected range
  Rgba outside;    ///< shade over the time outside the selected range
  Rgba crosshair;
  Rgba arrow;
  Rgba path;  ///< the critical path
  Rgba counter;
  Rgba counter_fill;
  Rgba instant;
  Rgba memory;  ///< allocations on the timeline

  Rgba gap_colour(GapCause cause) const { return gap_causes[static_cast<std::size_t>(cause)]; }
};

Theme make_theme(bool dark);

/// Returns the colour with another alpha (0..1).
Rgba with_alpha(Rgba colour, float alpha);
/// Mixes `part` of `b` into `a`, channel by channel.
Rgba mix(Rgba a, Rgba b, float part);

/// A slice's colour while others are highlighted: its label is then `muted`.
inline Rgba dimmed_fill(const Theme& theme, Rgba fill) {
  return mix(fill, theme.background, 0.8f);
}
/// A slice's colour while the mouse rests on a slice of another name: its label is Palette::label_on of it.
inline Rgba receded_fill(const Theme& theme, Rgba fill) {
  return mix(fill, theme.background, 0.38f);
}

/// Packs Rgba in ImGui's format.
constexpr std::uint32_t to_imgui(Rgba c) {
  return (c >> 24) | ((c >> 8) & 0xff00u) | ((c << 8) & 0xff0000u) | (c << 24);
}

/// Sets colours, paddings and roundings of the current ImGui context. `scale` as in Fonts.
void apply_theme(const Theme& theme, float scale);

}  // namespace lacuna
