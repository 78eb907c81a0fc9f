#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/folder_list.h"
#include "app/gui/core/shortcut.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The built-in open dialog, for desktops that have none. One text field takes either a part of a name, which
/// filters the list, or a path ("~/traces/", Tab completes); Up and Down choose, Enter opens, Ctrl+Enter opens the
/// whole listed folder, Backspace in the empty field goes to the parent folder. Initially the newest trace is chosen.
/// UI thread.
class FileBrowser {
 public:
  /// `title`: what the file is for.
  void open(const std::string& folder, const std::string& title);
  bool is_open() const { return is_open_; }
  void close() { is_open_ = false; }
  /// Handles a key press while open, before ImGui gets it. Returns true if the text typed next belongs to its effect.
  bool handle_key(const KeyPress& press);
  /// Draws the dialog while open; returns the chosen file once.
  std::optional<std::vector<std::string>> draw(UiContext& ui);

  // For the tests' state dump.
  const std::string& title() const { return title_; }
  const std::string& folder() const { return shown_folder_; }
  const std::string& typed() const { return typed_; }
  const std::string& problem() const { return problem_; }
  std::string chosen() const;
  std::size_t row_count() const { return rows_.size(); }

 private:
  void go_to(const std::string& folder);
  void go_up();
  void set_typed(std::string text);
  /// Lists the folder of the typed path if it changed, and filters its entries.
  void update_rows();
  void choose_row(std::size_t row);
  void path_line(UiContext& ui);
  void text_field(UiContext& ui);
  void list(UiContext& ui);
  void row(UiContext& ui, std::size_t row);
  /// Opens the typed or chosen entry: enters a folder, returns a file.
  void take();
  /// Returns the listed folder as a whole.
  void take_folder();
  static int on_text(ImGuiInputTextCallbackData* data);

  bool is_open_ = false;
  bool just_opened_ = false;
  std::string title_;
  std::string folder_;        ///< base folder of typed relative paths
  std::string shown_folder_;  ///< the listed folder
  FolderListing listing_;
  FolderView view_;
  std::vector<std::size_t> rows_;  ///< indices into listing_.entries
  std::size_t chosen_ = 0;         ///< index into rows_
  bool was_chosen_ = false;        ///< by arrow keys or mouse: Enter takes it, whatever the field contains
  bool wants_to_take_ = false;     ///< after a double click
  bool scrolls_ = false;           ///< scroll the chosen row into view
  std::string typed_;
  std::optional<std::string> new_text_;  ///< text to set in the field, which ImGui owns while it is active
  int focus_ = 0;                        ///< frames until the field has the focus; at 2 ImGui is asked for it
  int page_ = 10;                        ///< number of rows in view
  std::string problem_;                  ///< why Enter had no effect
  std::optional<std::string> answer_;
};

}  // namespace lacuna
