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

/// The box in the title bar: searches slices, runs commands (after ">"), finds tracks; under it the
/// list of what fits. Enter takes the chosen row, Up and Down choose, Esc leaves. UI thread.
class Omnibox {
 public:
  /// Draws the box in the menu bar. `x` in the bar's coordinates.
  void draw_box(UiContext& ui, float x, float width);
  /// Draws the list under it, above everything else.
  void draw_list(UiContext& ui);
  /// A key press while the box has the cursor. Returns whether it was meant for the box.
  bool handle_key(UiContext& ui, const KeyPress& press);

 private:
  /// One line of the list.
  struct Row {
    std::string text;
    std::vector<std::uint32_t> positions;  ///< bytes of the text that fit what was typed
    std::string note;                      ///< at the right end
    bool is_enabled = true;
    int score = 0;
    const Command* command = nullptr;
    TrackId track;
    std::string phrase;  ///< what to search for instead
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
  std::string listed_;  ///< what rows_ were made for
  ImVec2 below_;        ///< left end of the box's lower edge
  float width_ = 0;
  /// Frames until the box has the cursor: 2 asks ImGui for it. After Enter, on which ImGui lets go of
  /// the box in the same frame, one more.
  int focus_ = 0;
  static constexpr int kAfterEnter = 3;
  bool keeps_cursor_ = false;  ///< put the cursor behind the text instead of selecting all of it
  bool clears_ = false;        ///< the text goes once ImGui has let go of it
  bool scrolls_ = false;       ///< the chosen row has to be brought into view
};

}  // namespace lacuna
