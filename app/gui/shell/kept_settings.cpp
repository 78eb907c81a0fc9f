#include "app/gui/shell/kept_settings.h"

#include <utility>

#include "app/finding/finding_view.h"
#include "app/remote_plan.h"
#include "capture/session/live_capture.h"

namespace lacuna {

std::unique_ptr<App> KeptSettings::make_app(std::function<void()> wake) {
  path_ = settings_path();
  SettingsFile file = read_settings(path_);
  saved_ = std::move(file.settings);
  auto app = std::make_unique<App>(saved_, std::move(wake));
  if (!file.problem.empty()) app->ui.settings_warnings.insert(app->ui.settings_warnings.begin(), file.problem);
  app->computes_ahead = true;
  app->side_car.use(SideCarFolder(side_car_folder()));
  app->loader.remember_steps([folder = SideCarFolder(side_car_folder())](const std::string& identity) {
    return finding_steps(folder.load(identity));
  });
  app->old_recordings = find_old_recordings(recordings_folder());
  return app;
}

bool KeptSettings::are_worth_keeping(const App& app, bool is_dragging) const {
  const Settings& now = app.settings;
  const bool is_resized = now.drawer_part != saved_.drawer_part || now.memory_part != saved_.memory_part ||
                          now.details_part != saved_.details_part || now.report_part != saved_.report_part ||
                          now.header_px != saved_.header_px;
  return now.recent != saved_.recent || now.launches != saved_.launches || (is_resized && !is_dragging);
}

void KeptSettings::keep(App& app) {
  if (app.settings == saved_) return;
  // Keys are written by hand, perhaps just now, and a file that cannot be read is being written.
  SettingsFile file = read_settings(path_);
  if (!file.problem.empty()) return;
  app.settings.keys = std::move(file.settings.keys);
  (void)save_settings(app.settings, path_);
  saved_ = app.settings;
}

Result<void> begin(App& app, const WindowOptions& options) {
  app.import = options.import;
  app.open(options.paths);
  if (options.remote)
    app.open_there(options.remote->place, options.remote->paths, std::move(options.remote->line),
                   options.remote->stays_there);
  if (options.live) app.launch(*options.live);
  if (options.attach) return app.live.attach(*options.attach);
  return {};
}

}  // namespace lacuna
