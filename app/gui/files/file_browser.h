#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/shell/ui_context.h"

namespace lacuna {

/// One line of a folder listing.
struct FolderEntry {
  std::string name;
  bool is_folder = false;
  std::uint64_t bytes = 0;
};

/// Folders first, then files, each by name; without hidden ones. Empty when not readable.
std::vector<FolderEntry> list_folder(const std::string& path);
/// Whether a file's name looks like a trace: .json, .gz, .zst, .trace.
bool looks_like_trace(const std::string& name);

/// Our own open dialog, for desktops without zenity and kdialog. UI thread.
class FileBrowser {
 public:
  void open(const std::string& folder);
  bool is_open() const { return is_open_; }
  void close() { is_open_ = false; }
  /// Draws it while open; returns the chosen files once.
  std::optional<std::vector<std::string>> draw(UiContext& ui);

 private:
  void go_to(const std::string& folder);
  std::optional<std::vector<std::string>> take_typed_path();
  void entries(UiContext& ui, std::optional<std::vector<std::string>>& chosen);

  bool is_open_ = false;
  bool just_opened_ = false;
  std::string folder_;
  std::vector<FolderEntry> entries_;
  std::string selected_;
  bool only_traces_ = true;
  std::array<char, 4096> path_text_{};
};

}  // namespace lacuna
