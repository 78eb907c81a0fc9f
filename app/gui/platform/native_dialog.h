#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "app/gui/platform/dialog_wish.h"

namespace lacuna {

/// A dialog of the desktop: its portal's, else zenity's or kdialog's. While it is open the window goes on
/// drawing; a thread of its own waits for the answer. UI thread; `on_done` is called on that thread.
class NativeDialog {
 public:
  explicit NativeDialog(std::function<void()> on_done) : on_done_(std::move(on_done)) {}
  /// Closes an open dialog.
  ~NativeDialog() { close(); }
  NativeDialog(const NativeDialog&) = delete;
  NativeDialog& operator=(const NativeDialog&) = delete;

  /// Whether there may be a dialog: a cheap guess without asking the desktop. Never with LACUNA_FILE_DIALOG=builtin.
  static bool may_exist();
  /// Opens the dialog. Returns false if there is none, or no means to wait for it. Not while it is open.
  bool start(DialogWish wish);
  bool is_open() const { return thread_.joinable(); }
  /// Returns the result, once.
  std::optional<DialogAnswer> poll();
  /// Closes the dialog without an answer.
  void close();

 private:
  std::function<void()> on_done_;
  std::jthread thread_;
  int stop_fd_ = -1;  ///< an eventfd, readable once the thread shall end; -1: no thread
  std::mutex mutex_;
  std::optional<DialogAnswer> answer_;  // guarded by mutex_
};

}  // namespace lacuna
