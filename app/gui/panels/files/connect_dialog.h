#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/gui/core/shortcut.h"
#include "app/gui/models/files/remote_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Another machine: its files, of which one is fetched and opened; what runs there, which is watched live or of which a
/// trace is taken; and a command to record there. UI thread.
class ConnectDialog {
 public:
  using OpenThere = std::function<void(RemotePlace place, std::vector<std::string> paths, bool stays_there)>;
  /// `open_there` is called with the file that was chosen, `attach` with the socket of a recording that was started.
  ConnectDialog(const std::function<void()>& wake, OpenThere open_there, std::function<void(const std::string&)> attach)
      : view_(wake), open_there_(std::move(open_there)), attach_(std::move(attach)) {}

  /// `places`: those that were reached before, latest first.
  void open(const std::vector<RemoteAddress>& places);
  bool is_open() const { return is_open_; }
  void close();
  void draw(UiContext& ui);
  bool handle_key(const KeyPress& press);
  const RemoteView& view() const { return view_; }

 private:
  void host_line(UiContext& ui);
  void transport_line(UiContext& ui);
  void folder_line(UiContext& ui);
  void list(UiContext& ui, float height);
  void job_list(UiContext& ui, float height);
  void request_line(UiContext& ui);
  void look();
  void attach();
  const FarJob* chosen_job() const;
  /// What is typed, without blanks around it, which come with what is pasted.
  RemoteAddress where() const;
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
  bool stays_there_ = false;  ///< what is opened is looked at, not fetched
  bool shows_jobs_ = false;   ///< in place of files
  double seconds_ = 2;
  std::set<std::size_t> chosen_jobs_;  // rows
  RemoteAddress jobs_of_;              // whose rows these are
  std::vector<RemoteAddress> places_;
  std::string host_, transport_, folder_, command_;
  std::string listed_;       // folder that the field shows
  RemoteAddress listed_of_;  // whose
  std::size_t chosen_ = 0;
};

}  // namespace lacuna
