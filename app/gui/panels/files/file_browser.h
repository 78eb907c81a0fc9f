#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/folder_list.h"
#include "app/gui/core/shortcut.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Our own open dialog, for desktops that offer none. One text field takes a part of a name, which
/// narrows the list, or a path ("~/traces/", Tab completes); Up and Down choose, Enter opens, Ctrl+Enter opens all of
/// the listed folder, Backspace in the empty field goes to the folder above. The newest trace is chosen at first. UI
/// thread.
class FileBrowser {
 public:
  /// `title`: what the file is for.
  void open(const std::string& folder, const std::string& title);
  bool is_open() const { return is_open_; }
  void close() { is_open_ = false; }
  /// A key press while it is open, before ImGui gets it. True: what is typed next is meant for what it did.
  bool handle_key(const KeyPress& press);
  /// Draws it while open; returns the chosen file once.
  std::optional<std::vector<std::string>> draw(UiContext& ui);

  // For the tests' state.
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
  /// Lists the folder that the typed path names, if that is another one, and what of it fits.
  void update_rows();
  void choose_row(std::size_t row);
  void path_line(UiContext& ui);
  void text_field(UiContext& ui);
  void list(UiContext& ui);
  void row(UiContext& ui, std::size_t row);
  /// Opens what was typed or chosen: a folder is gone to, a file is the answer.
  void take();
  /// Takes the listed folder as a whole.
  void take_folder();
  static int on_text(ImGuiInputTextCallbackData* data);

  bool is_open_ = false;
  bool just_opened_ = false;
  std::string title_;
  std::string folder_;        ///< what was typed is relative to it
  std::string shown_folder_;  ///< the one that is listed
  FolderListing listing_;
  FolderView view_;
  std::vector<std::size_t> rows_;  ///< of listing_.entries
  std::size_t chosen_ = 0;         ///< of rows_
  bool was_chosen_ = false;        ///< by arrows or mouse: Enter means it, whatever the field says
  bool wants_to_take_ = false;     ///< a double click
  bool scrolls_ = false;           ///< the chosen row has to be brought into view
  std::string typed_;
  std::optional<std::string> new_text_;  ///< to be put into the field, which ImGui owns while it is active
  int focus_ = 0;                        ///< frames until the field has the cursor; 2 asks ImGui for it
  int page_ = 10;                        ///< rows in view
  std::string problem_;                  ///< why Enter did nothing
  std::optional<std::string> answer_;
};

}  // namespace lacuna
