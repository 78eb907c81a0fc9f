#pragma once

#include <functional>

#include "app/gui/application/app_state.h"
#include "app/gui/application/commands.h"
#include "app/gui/core/shortcut.h"
#include "app/gui/panels/calls/call_panel.h"
#include "app/gui/panels/compare/compare_panel.h"
#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/export/export_dialog.h"
#include "app/gui/panels/files/connect_dialog.h"
#include "app/gui/panels/files/file_browser.h"
#include "app/gui/panels/gaps/gaps_panel.h"
#include "app/gui/panels/headline/headline_bar.h"
#include "app/gui/panels/job/job_page.h"
#include "app/gui/panels/live/attach_dialog.h"
#include "app/gui/panels/live/console_panel.h"
#include "app/gui/panels/live/jobs_dialog.h"
#include "app/gui/panels/live/launch_dialog.h"
#include "app/gui/panels/live/save_dialog.h"
#include "app/gui/panels/markers/markers_page.h"
#include "app/gui/panels/memory/memory_page.h"
#include "app/gui/panels/path/path_page.h"
#include "app/gui/panels/path/what_if_page.h"
#include "app/gui/panels/query/query_page.h"
#include "app/gui/panels/report/report_page.h"
#include "app/gui/panels/roofline/roofline_page.h"
#include "app/gui/panels/search/omnibox.h"
#include "app/gui/panels/statistics/statistics_panel.h"
#include "app/gui/panels/timeline/timeline_panel.h"
#include "app/gui/panels/tour/tour.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/platform/native_dialog.h"

namespace lacuna {

/// The whole user interface: arranges the panels, draws menus and dialogs, passes keys to commands.
/// Shared by the window and screenshots; knows neither GLFW nor OpenGL. UI thread.
class Shell {
 public:
  explicit Shell(App& app, std::function<void()> wake);

  /// Sets fonts and style of the current ImGui context. `scale`: of the screen; the user's own
  /// scale is applied on top. The font texture must be rebuilt afterwards.
  void set_look(float scale, float density);

  /// Draws one frame, between ImGui::NewFrame and ImGui::Render. `seconds` since the last one.
  void draw(double seconds);

  /// Handles a key press unless ImGui's widgets use it. Returns whether a command ran.
  bool handle_key(const KeyPress& press);
  /// Handles press and release of the movement keys.
  void handle_motion(Motion motion, bool is_down, bool with_shift);

  const TimelinePanel& timeline() const { return timeline_; }
  const DetailsPanel& details() const { return details_; }
  const LaunchDialog& launch_dialog() const { return launch_; }
  const JobsDialog& jobs_dialog() const { return jobs_dialog_; }
  const AttachDialog& attach_dialog() const { return attach_; }
  const ConnectDialog& connect_dialog() const { return connect_; }
  const SaveDialog& save_dialog() const { return save_; }
  const FileBrowser& file_browser() const { return browser_; }
  const Theme& theme() const { return theme_; }
  const Fonts& fonts() const { return fonts_; }
  /// Whether the export dialog is open.
  bool is_exporting() const { return export_.is_open(); }
  /// Index of the menu opened by keyboard; -1: none.
  int keyboard_menu() const { return menu_at_; }
  /// Whether a modal dialog is open.
  bool is_modal() const;

 private:
  /// `shown`: see UiContext.
  UiContext context(Workspace* shown);
  void menu_bar(UiContext& ui);
  void menu(UiContext& ui, Command::Menu which);
  /// Whether a menu opened by keyboard uses the key.
  bool menu_takes(const KeyPress& press);
  void submenu(UiContext& ui, const Submenu& which);
  void menu_item(const Command& command);
  void recent_menu(UiContext& ui);
  void title(UiContext& ui, float left, float right);
  void facts_and_badge(UiContext& ui, float left);
  void body(UiContext& ui, ImVec2 at, ImVec2 size);
  void waiting_body(UiContext& ui, ImVec2 at, ImVec2 size);
  void job_body(UiContext& ui, ImVec2 at, ImVec2 size);
  void timeline_and_drawer(UiContext& ui, ImVec2 at, ImVec2 size);
  void report_beside(UiContext& ui, ImVec2 at, ImVec2 size);
  void timelines(UiContext& ui, ImVec2 at, ImVec2 size);
  /// Draws the header that names the trace below it, one of two.
  void split_band(UiContext& ui, const char* letter, const std::string& name, ImVec2 at, ImVec2 size);
  void drawer(UiContext& ui, ImVec2 at, ImVec2 size);
  void drawer_pages(UiContext& ui);
  void drawer_tabs(UiContext& ui, float right);
  void drawer_buttons(UiContext& ui, ImVec2 at, float height);
  void status_line(UiContext& ui, ImVec2 at, ImVec2 size);
  void dialogs(UiContext& ui, ImVec2 centre);
  void tour(UiContext& ui);
  void open_dialog(UiContext& ui);
  std::string open_title(ask::OpenFor purpose) const;

  App& app_;
  Theme theme_;
  ImVec2 loading_corner_;  ///< lower right corner of the loading message
  Palette palette_;
  Fonts fonts_;
  TimelinePanel timeline_;
  TimelinePanel other_timeline_;  ///< for the trace compared with
  DetailsPanel details_;
  StatisticsPanel statistics_;
  GapsPanel gaps_;
  ReportPage report_;
  HeadlineBar headline_;
  JobPage job_;
  QueryPage query_;
  PathPage path_;
  WhatIfPage what_if_;
  RooflinePage roofline_;
  CallPanel calls_;
  MemoryPage memory_;
  Omnibox omnibox_;
  ComparePanel compare_;
  MarkersPage markers_;
  std::vector<DrawerPage> last_pages_;  ///< for each group the page shown last; the most recent comes last
  int menu_at_ = -1;                    ///< index of the menu opened by keyboard; -1: none
  bool opens_menu_ = false;             ///< open that menu
  int menu_depth_ = 0;                  ///< depth of nested menus opened by keyboard
  bool is_at_submenu_ = false;          ///< the keyboard's item has a submenu
  Tour tour_;
  Tour::Places tour_places_;
  ask::OpenFor opens_for_ = ask::OpenFor::kLooking;  ///< purpose of the open dialog
  ExportDialog export_;
  NativeDialog native_dialog_;
  struct {
    std::string folder, title;
  } asked_;  ///< request of native_dialog_
  FileBrowser browser_;
  LaunchDialog launch_;
  JobsDialog jobs_dialog_;
  AttachDialog attach_;
  ConnectDialog connect_;
  SaveDialog save_;
  ConsolePanel console_;
};

}  // namespace lacuna
