#pragma once

#include <string>
#include <vector>

#include "app/gui/models/files/remote_address.h"
#include "app/gui/models/live/launch_form.h"
#include "model/base/result.h"

namespace lacuna {

/// The keys that a user gives to a command.
struct KeySetting {
  std::string command;            ///< Command::id, as written
  std::vector<std::string> keys;  ///< as written; none = the command has no key
  bool operator==(const KeySetting&) const = default;
};

/// The window's settings, kept between runs. A plain value.
struct Settings {
  static constexpr std::size_t kMaxRecent = 12;

  bool light_theme = false;
  bool gpu_first = true;         ///< GPUs above CPU processes
  bool squeeze_frames = true;    ///< outer Python frames of a thread stand in one row
  bool gpu_stays = true;         ///< GPU streams stay in view while the tracks scroll
  bool colour_by_class = false;  ///< GPU work in the colours of classes, not of names
  bool headline = true;          ///< the answer in one line above the timeline
  bool report_right = false;     ///< the report stands at the right, at full height; not in the drawer
  bool tour_seen = false;        ///< the tour of the example trace has begun once
  float ui_scale = 1;            ///< on top of the screen's own scale; 0.5 … 3
  float drawer_part = 0.36f;     ///< of the window's height
  float memory_part = 0.74f;     ///< of the window's height, for the memory page of a file that is about nothing else
  float details_part = 0.32f;    ///< of the window's width
  float report_part = 0.36f;     ///< of the window's width, where the report stands at the right
  float header_px = 260;         ///< at scale 1
  int window_width = 0;          ///< 0 = choose
  int window_height = 0;
  /// Columns that are not shown, as "table/title".
  std::vector<std::string> hidden_columns = {"statistics/Min", "statistics/P50", "gaps/Launched by", "dead/Dead",
                                             "dead/To GPU"};
  std::vector<KeySetting> keys;            ///< kept as written, whether or not they make sense
  std::vector<std::string> recent;         ///< absolute paths, latest first
  std::vector<LaunchForm> launches;        ///< latest first
  std::vector<RemoteAddress> places;       ///< other machines that were reached, latest first
  std::vector<std::string> queries;        ///< SQL that was run, latest first
  std::vector<std::string> saved_queries;  ///< SQL that the user keeps, latest first

  /// Puts `path` first; forgets the oldest beyond kMaxRecent.
  void add_recent(const std::string& path);
  /// Puts `where` first; one of the same host goes. Forgets the oldest beyond kMaxRecent.
  void add_place(const RemoteAddress& where);
  /// Puts `sql` first; forgets the oldest beyond kMaxQueries. Without what is longer than kLongestQuery.
  void add_query(const std::string& sql);
  void save_query(const std::string& sql);
  static constexpr std::size_t kMaxQueries = 40;
  static constexpr std::size_t kLongestQuery = 20'000;
  bool operator==(const Settings&) const = default;
};

/// $XDG_CONFIG_HOME/lacuna/settings.json, or below ~/.config; empty when neither is known.
std::string settings_path();

/// Values that are missing, of the wrong kind or out of bounds keep their defaults: a damaged file
/// costs its settings, nothing else.
Settings parse_settings(const std::string& json);
std::string format_settings(const Settings& settings);

struct SettingsFile {
  Settings settings;
  std::string problem;  ///< why nothing of the file could be used; empty = fine, or no file
};
/// Defaults when there is no file, an empty one, or one that is no JSON.
SettingsFile read_settings(const std::string& path);
inline Settings load_settings(const std::string& path) {
  return read_settings(path).settings;
}
/// Makes the folder, writes beside the file and renames: never half a file. Mode 0600.
Result<void> save_settings(const Settings& settings, const std::string& path);

}  // namespace lacuna
