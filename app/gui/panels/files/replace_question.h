#pragma once

#include <string>

#include "app/gui/core/shortcut.h"
#include "app/gui/panels/ui_context.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// Tells below a path that is typed what lies there, and asks before something is replaced that Lacuna did not
/// write. UI thread.
class ReplaceQuestion {
 public:
  /// Forgets an answer.
  void reset() { *this = {}; }
  /// One line. Looks at the file when `path` is another one than before.
  void draw(UiContext& ui, const std::string& path, const char* when_free);
  /// Alt+R, where there is a question.
  bool handle_key(const KeyPress& press);
  /// Something would be replaced, with leave or without.
  bool exists() const { return there_ != There::kNothing; }
  /// False: something is there that nobody has given up yet.
  bool may_write(const std::string& path);
  /// What the user agreed to.
  Existing existing() const { return is_agreed_ ? Existing::kReplace : Existing::kReplaceOurs; }

 private:
  enum class There { kNothing, kOurs, kStranger };
  void look(const std::string& path);

  std::string path_;
  There there_ = There::kNothing;
  bool is_agreed_ = false;
};

}  // namespace lacuna
