#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/cut/range_export.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/panels/files/path_input.h"
#include "app/gui/panels/files/replace_question.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Asks where the selected range, or a picture of the view, shall be written, and writes it: the range on
/// a thread of its own. UI thread.
class ExportDialog {
 public:
  /// `wake` is called on other threads when something was written or chosen.
  explicit ExportDialog(const std::function<void()>& wake) : path_(wake), job_(wake) {}
  ~ExportDialog() { cancel_ = true; }
  /// Once a frame; opens for ask::Export.
  void draw(UiContext& ui);
  bool is_open() const { return kind_.has_value(); }
  bool handle_key(const KeyPress& press) { return kind_ == ExportKind::kRange && replace_.handle_key(press); }
  bool is_writing() const { return job_.is_busy(); }
  void close() { kind_.reset(); }

 private:
  using Answer = Result<ExportedRange>;

  void open(UiContext& ui, ExportKind kind);
  void save(UiContext& ui);
  /// Absolute, with the extension that it gets where none is typed. Only while a kind is chosen.
  std::string typed_path() const;
  void finish(UiContext& ui);

  std::optional<ExportKind> kind_;
  PathInput path_;
  ReplaceQuestion replace_;
  std::atomic<bool> cancel_{false};
  LatestJob<Answer> job_;
};

}  // namespace lacuna
