#include "app/gui/platform/native_dialog.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "app/gui/platform/dialog_program.h"
#include "app/gui/platform/portal_dialog.h"
#include "model/base/guarded.h"
#include "model/base/start_thread.h"

namespace lacuna {

bool NativeDialog::may_exist() {
  const char* wish = std::getenv("LACUNA_FILE_DIALOG");
  if (wish != nullptr && std::string_view(wish) == "builtin") return false;
  return may_have_portal() || has_dialog_program();
}

bool NativeDialog::start(DialogWish wish) {
  if (is_open() || !may_exist()) return false;
  stop_fd_ = ::eventfd(0, EFD_CLOEXEC);
  if (stop_fd_ < 0) return false;
  thread_ = start_thread([this, wish = std::move(wish), stop_fd = stop_fd_] {
    DialogAnswer answer;
    const auto nothing = [](std::string_view) {};
    const auto ask = [&] {
      if (may_have_portal()) answer = ask_portal(wish, stop_fd);
      if (answer.end == DialogAnswer::End::kUnavailable) answer = ask_dialog_program(wish, stop_fd);
    };
    if (!run_guarded(ask, nothing)) answer.end = DialogAnswer::End::kUnavailable;  // the window asks by itself
    {
      const std::lock_guard lock(mutex_);
      answer_ = std::move(answer);
    }
    if (on_done_) (void)run_guarded(on_done_, nothing);
  });
  if (!thread_.joinable()) ::close(std::exchange(stop_fd_, -1));
  return is_open();
}

std::optional<DialogAnswer> NativeDialog::poll() {
  std::optional<DialogAnswer> answer;
  {
    const std::lock_guard lock(mutex_);
    answer = std::exchange(answer_, std::nullopt);
  }
  if (answer) close();
  return answer;
}

void NativeDialog::close() {
  if (!is_open()) return;
  ::eventfd_write(stop_fd_, 1);
  thread_.join();
  ::close(std::exchange(stop_fd_, -1));
  answer_.reset();
}

}  // namespace lacuna
