#include "app/gui/application/page_groups.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/observed/state_parts.h"

namespace lacuna {

StateJson window_state(const App& app, const Shell& shell) {
  constexpr const char* kGapsViews[] = {"list", "causes", "operators", "dead"};
  StateJson json = {{"loading", app.loader.is_loading()},
                    {"previewing", app.is_previewing()},
                    {"animating", app.is_moving()},
                    {"clocks", static_cast<int>(app.clocks())},
                    {"error", app.ui.error},
                    {"notice", app.ui.notice},
                    {"exportOpen", shell.is_exporting()},
                    {"probes", app.observed.probes},
                    {"places", app.observed.places},
                    {"hovered", app.observed.hovered},
                    {"tooltip", shows_tooltip()},
                    {"menu", shell.keyboard_menu()},
                    {"page", page_key(app.ui.page)},
                    {"torchTable", app.ui.torch_table},
                    {"gapsView", kGapsViews[static_cast<int>(app.ui.gaps_view)]},
                    {"copied", app.observed.copied.substr(0, kMostCopied)},
                    {"hiddenColumns", app.settings.hidden_columns},
                    {"detailsTitle", app.observed.details_title},
                    {"kernelSentence", app.observed.kernel_sentence},
                    {"notes", app.observed.notes},
                    {"seen", app.observed.seen},
                    {"idleOpen", app.ui.idle_open},
                    {"idleFiguresNs", app.observed.idle_figures},
                    {"drawerOpen", app.ui.drawer_open},
                    {"drawerMaximised", app.ui.drawer_maximised},
                    {"parts",
                     {{"drawer", app.settings.drawer_part},
                      {"details", app.settings.details_part},
                      {"report", app.settings.report_part},
                      {"headerPx", app.settings.header_px}}},
                    {"shortcutsOpen", app.ui.shortcuts_open},
                    {"sheetScrolled", app.observed.sheet_scrolled},
                    {"fileBrowserOpen", app.observed.file_browser_open},
                    {"desktopDialogOpen", app.observed.desktop_dialog_open},
                    {"filterFocused", app.observed.filter_focused},
                    {"lightTheme", app.settings.light_theme},
                    {"uiScale", app.settings.ui_scale},
                    {"recent", app.settings.recent}};
  constexpr const char* kModes[] = {"search", "commands", "tracks"};
  json["omnibox"] = {{"mode", kModes[static_cast<int>(app.ui.omnibox.mode)]},
                     {"focused", app.ui.omnibox.is_focused},
                     {"text", app.ui.omnibox.text},
                     {"rows", app.ui.omnibox.rows},
                     {"chosen", app.ui.omnibox.chosen},
                     {"list", app.ui.omnibox.shows_list},
                     {"message", app.ui.omnibox.message}};
  const FileBrowser& browser = shell.file_browser();
  json["browser"] = {{"title", browser.title()},   {"folder", browser.folder()},  {"typed", browser.typed()},
                     {"chosen", browser.chosen()}, {"rows", browser.row_count()}, {"problem", browser.problem()}};
  json["title"] = app.title();
  json["aboutOpen"] = app.ui.about_open;
  json["glossaryOpen"] = app.ui.glossary_open;
  json["gpuFirst"] = app.settings.gpu_first;
  json["gpuStays"] = app.settings.gpu_stays;
  json["squeezeFrames"] = app.settings.squeeze_frames;
  json["colourByClass"] = app.settings.colour_by_class;
  json["headline"] = app.settings.headline;
  json["headlineText"] = app.observed.headline;
  json["reportRight"] = app.settings.report_right;
  json["reportOpen"] = app.ui.report_open;
  json["legendClasses"] = app.observed.legend_classes;
  json["tour"] = app.ui.tour_step;
  json["fullscreen"] = app.observed.is_fullscreen;
  json["settingsWarnings"] = app.ui.settings_warnings;
  return json;
}

}  // namespace lacuna
