#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace lacuna {

/// The desktop's own open dialog, by way of zenity or kdialog (whichever is installed). The program
/// is started directly, without a shell, so no file name can be misread as a command. It runs beside
/// the window, which goes on drawing. UI thread; `on_done` is called on another one.
class NativeDialog {
 public:
  explicit NativeDialog(std::function<void()> on_done) : on_done_(std::move(on_done)) {}
  /// Ends a dialog that is still open.
  ~NativeDialog();
  NativeDialog(const NativeDialog&) = delete;
  NativeDialog& operator=(const NativeDialog&) = delete;

  /// Whether one is installed, and LACUNA_FILE_DIALOG=builtin does not ask for our own.
  static bool is_available();
  /// Opens it in `folder`. False when it could not be started.
  bool start(const std::string& folder, const std::string& title);
  bool is_open() const { return thread_.joinable(); }
  /// The chosen paths, once; empty when the user cancelled.
  std::optional<std::vector<std::string>> poll();

 private:
  void read_answer(int fd);

  std::function<void()> on_done_;
  std::jthread thread_;
  pid_t child_ = -1;
  std::mutex mutex_;
  std::optional<std::vector<std::string>> answer_;  // guarded by mutex_
};

}  // namespace lacuna
