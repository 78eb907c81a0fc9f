#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/gui/core/latest_job.h"
#include "app/gui/panels/files/path_input.h"
#include "app/gui/panels/files/replace_question.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Asks where to write the selected range, a picture of the view or a finding, and writes it: range and
/// finding on a thread of its own. UI thread.
class ExportDialog {
 public:
  /// `wake` is called on other threads when the writing is done or a path was chosen.
  explicit ExportDialog(const std::function<void()>& wake) : path_(wake), job_(wake) {}
  ~ExportDialog() { cancel_ = true; }
  /// Call once a frame; opens for ask::Export.
  void draw(UiContext& ui);
  bool is_open() const { return kind_.has_value(); }
  bool handle_key(const KeyPress& press) {
    return kind_ && kind_ != ExportKind::kPicture && replace_.handle_key(press);
  }
  void close() { kind_.reset(); }

 private:
  struct Written {
    std::string words;  ///< what was written, as text for the user
    std::string path;   ///< the first file
  };
  using Answer = Result<Written>;

  void open(UiContext& ui, ExportKind kind);
  void save(UiContext& ui);
  /// Returns the absolute path, with the default extension if none was typed. Only while a kind is chosen.
  std::string typed_path() const;
  void finish(UiContext& ui);
  void share(UiContext& ui, const std::string& path);
  void write_notes(const UiContext& ui, const std::string& path);
  /// Whether another file is at `path`. Notes may replace notes only.
  bool is_in_the_way(const std::string& path);

  std::optional<ExportKind> kind_;
  bool scrubs_ = false;  ///< for findings: remove private data
  std::string looked_at_;
  bool is_in_the_way_ = false;  ///< whether a file is in the way at looked_at_
  PathInput path_;
  ReplaceQuestion replace_;
  std::atomic<bool> cancel_{false};
  LatestJob<Answer> job_;
};

}  // namespace lacuna
