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

/// The dialog for another machine: fetches and opens one of its files; watches a running program live or takes a trace
/// of it; records a command there. UI thread.
class ConnectDialog {
 public:
  using OpenThere = std::function<void(RemotePlace place, std::vector<std::string> paths, bool stays_there)>;
  /// `open_there` is called with the chosen file, `attach` with the socket of a recording that was started.
  ConnectDialog(const std::function<void()>& wake, OpenThere open_there, std::function<void(const std::string&)> attach)
      : view_(wake), open_there_(std::move(open_there)), attach_(std::move(attach)) {}

  /// `places`: recently used machines, latest first.
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
  /// Returns the typed address without surrounding blanks, which pasted text often has.
  RemoteAddress where() const;
  void record_line(UiContext& ui);
  void state_line(UiContext& ui);
  void take(std::size_t row);
  void begin();

  RemoteView view_;
  OpenThere open_there_;
  std::function<void(const std::string&)> attach_;
  std::shared_ptr<LiveRelay> relay_;  // of the watched recording
  bool is_open_ = false;
  bool just_opened_ = false;
  bool wants_begin_ = false;
  bool only_traces_ = true;
  bool stays_there_ = false;  ///< view the file over the connection instead of fetching it
  bool shows_jobs_ = false;   ///< show jobs instead of files
  double seconds_ = 2;
  std::set<std::size_t> chosen_jobs_;  // rows
  RemoteAddress jobs_of_;              // the machine of these rows
  std::vector<RemoteAddress> places_;
  std::string host_, transport_, folder_, command_;
  std::string listed_;       // folder shown in the text field
  RemoteAddress listed_of_;  // the machine of that folder
  std::size_t chosen_ = 0;
};

}  // namespace lacuna
