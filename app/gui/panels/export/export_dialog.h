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

/// Asks where the selected range, a picture of the view, or a finding shall be written, and writes it: range and
/// finding on a thread of its own. UI thread.
class ExportDialog {
 public:
  /// `wake` is called on other threads when something was written or chosen.
  explicit ExportDialog(const std::function<void()>& wake) : path_(wake), job_(wake) {}
  ~ExportDialog() { cancel_ = true; }
  /// Once a frame; opens for ask::Export.
  void draw(UiContext& ui);
  bool is_open() const { return kind_.has_value(); }
  bool handle_key(const KeyPress& press) {
    return kind_ && kind_ != ExportKind::kPicture && replace_.handle_key(press);
  }
  bool is_writing() const { return job_.is_busy(); }
  void close() { kind_.reset(); }

 private:
  struct Written {
    std::string words;  ///< what was written
    std::string path;   ///< of the first file
  };
  using Answer = Result<Written>;

  void open(UiContext& ui, ExportKind kind);
  void save(UiContext& ui);
  /// Absolute, with the extension that it gets where none is typed. Only while a kind is chosen.
  std::string typed_path() const;
  void finish(UiContext& ui);
  void share(UiContext& ui, const std::string& path);
  void write_notes(const UiContext& ui, const std::string& path);
  /// Notes replace notes only.
  bool is_in_the_way(const std::string& path);

  std::optional<ExportKind> kind_;
  bool scrubs_ = false;  ///< the finding
  std::string looked_at_;
  bool is_in_the_way_ = false;  ///< what lies at looked_at_
  PathInput path_;
  ReplaceQuestion replace_;
  std::atomic<bool> cancel_{false};
  LatestJob<Answer> job_;
};

}  // namespace lacuna
