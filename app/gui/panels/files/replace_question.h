#pragma once

#include <string>

#include "app/gui/core/shortcut.h"
#include "app/gui/panels/ui_context.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// Says below a typed path which file exists there, and asks before replacing a file that Lacuna did not
/// write. UI thread.
class ReplaceQuestion {
 public:
  /// Drops the answer.
  void reset() { *this = {}; }
  /// Draws one line. Looks at the file when `path` has changed.
  void draw(UiContext& ui, const std::string& path, const char* when_free);
  /// Handles Alt+R while the question is shown.
  bool handle_key(const KeyPress& press);
  /// Whether a file would be replaced, with or without the user's consent.
  bool exists() const { return there_ != There::kNothing; }
  /// Whether `path` may be written: false while a file there needs the user's consent.
  bool may_write(const std::string& path);
  /// Returns what the user agreed to.
  Existing existing() const { return is_agreed_ ? Existing::kReplace : Existing::kReplaceOurs; }

 private:
  enum class There { kNothing, kOurs, kStranger };
  void look(const std::string& path);

  std::string path_;
  There there_ = There::kNothing;
  bool is_agreed_ = false;
};

}  // namespace lacuna
