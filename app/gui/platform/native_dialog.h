#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "app/gui/platform/dialog_wish.h"

namespace lacuna {

/// A dialog of the desktop: its portal's, else zenity's or kdialog's. It is open beside the window, which goes on
/// drawing; a thread of its own waits for the answer. UI thread; `on_done` is called on that other one.
class NativeDialog {
 public:
  explicit NativeDialog(std::function<void()> on_done) : on_done_(std::move(on_done)) {}
  /// Closes a dialog that is still open.
  ~NativeDialog() { close(); }
  NativeDialog(const NativeDialog&) = delete;
  NativeDialog& operator=(const NativeDialog&) = delete;

  /// Whether there may be one: cheap, and nothing is asked for it. Never with LACUNA_FILE_DIALOG=builtin.
  static bool may_exist();
  /// Opens it; false: there is none, or no means to wait for it. Not while it is open.
  bool start(DialogWish wish);
  bool is_open() const { return thread_.joinable(); }
  /// How it ended, once.
  std::optional<DialogAnswer> poll();
  /// Closes it without an answer.
  void close();

 private:
  std::function<void()> on_done_;
  std::jthread thread_;
  int stop_fd_ = -1;  ///< an eventfd: can be read once the thread shall end; -1: no thread
  std::mutex mutex_;
  std::optional<DialogAnswer> answer_;  // guarded by mutex_
};

}  // namespace lacuna
