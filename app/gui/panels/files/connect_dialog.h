#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/core/shortcut.h"
#include "app/gui/models/files/remote_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Another machine: its files, of which one is opened, and a command to record there. UI thread.
class ConnectDialog {
 public:
  using OpenThere = std::function<void(RemotePlace place, std::vector<std::string> paths)>;
  /// `open_there` is called with the file that was chosen, `attach` with the socket of a recording that was started.
  ConnectDialog(const std::function<void()>& wake, OpenThere open_there, std::function<void(const std::string&)> attach)
      : view_(wake), open_there_(std::move(open_there)), attach_(std::move(attach)) {}

  void open();
  bool is_open() const { return is_open_; }
  void close();
  void draw(UiContext& ui);
  bool handle_key(const KeyPress& press);
  const RemoteView& view() const { return view_; }

 private:
  void host_line(UiContext& ui);
  void folder_line(UiContext& ui);
  void list(UiContext& ui, float height);
  void record_line(UiContext& ui);
  void state_line(UiContext& ui);
  void take(std::size_t row);
  void begin();

  RemoteView view_;
  OpenThere open_there_;
  std::function<void(const std::string&)> attach_;
  std::shared_ptr<LiveRelay> relay_;  // of the recording that is watched
  bool is_open_ = false;
  bool just_opened_ = false;
  bool wants_begin_ = false;
  bool only_traces_ = true;
  std::string host_, folder_, command_;
  std::string listed_;  // folder that the field shows
  std::size_t chosen_ = 0;
};

}  // namespace lacuna
