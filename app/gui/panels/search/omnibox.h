#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/core/shortcut.h"
#include "app/gui/models/search/omnibox_state.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

struct Command;

/// The box in the title bar: searches slices, runs commands (after ">"), finds tracks; below it the
/// list of matches. Enter takes the chosen row, Up and Down choose, Esc leaves. UI thread.
class Omnibox {
 public:
  /// Draws the box in the menu bar. `x` in the bar's coordinates.
  void draw_box(UiContext& ui, float x, float width);
  /// Draws the list below the box, on top of everything else.
  void draw_list(UiContext& ui);
  /// Handles a key press while the box has the focus. Returns whether the box used it.
  bool handle_key(UiContext& ui, const KeyPress& press);

 private:
  /// One line of the list.
  struct Row {
    std::string text;
    std::vector<std::uint32_t> positions;  ///< bytes of the text that match the typed text
    std::string note;                      ///< at the right end
    bool is_enabled = true;
    int score = 0;
    const Command* command = nullptr;
    TrackId track;
    std::string phrase;  ///< suggested search text
  };

  void open(UiState& state, OmniboxMode mode);
  void leave(UiState& state);
  void update_rows(UiContext& ui);
  void list_commands(UiContext& ui);
  void list_names(UiContext& ui);
  void list_tracks(UiContext& ui);
  void edited(UiContext& ui);
  void show_search(UiContext& ui);
  void count(UiContext& ui) const;
  static std::vector<std::string> footer(const UiContext& ui);
  std::string message(const UiContext& ui) const;
  void take(UiContext& ui, const Row& row);
  bool draw_row(UiContext& ui, const Row& row, bool is_chosen);
  std::string_view typed() const { return text_; }

  std::string text_;
  std::vector<Row> rows_;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t chosen_ = kNone;
  std::string listed_;  ///< the text that rows_ were built for
  ImVec2 below_;        ///< left end of the box's lower edge
  float width_ = 0;
  /// Frames until the box has the focus: at 2 ImGui is asked for it. One more after Enter, as ImGui then takes the
  /// focus away in the same frame.
  int focus_ = 0;
  static constexpr int kAfterEnter = 3;
  bool keeps_cursor_ = false;  ///< put the cursor at the end of the text instead of selecting all of it
  bool clears_ = false;        ///< clear the text as soon as ImGui no longer owns it
  bool scrolls_ = false;       ///< scroll the chosen row into view
};

}  // namespace lacuna
