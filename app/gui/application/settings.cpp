#include "app/gui/application/settings.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include "app/cut/json_text.h"
#include "app/finding/write_file.h"
#include "model/base/os/user_folders.h"

namespace lacuna {
namespace {

using SettingsJson = nlohmann::json;

constexpr std::size_t kMostColumns = 500;
constexpr std::size_t kMostKeySettings = 2000;

template <class T>
void read_number(const SettingsJson& json, const char* key, T low, T high, T& out) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return;
  const double value = found->get<double>();
  if (value >= static_cast<double>(low) && value <= static_cast<double>(high)) {
    out = static_cast<T>(value);
  }
}

/// {"command": "key"} or {"command": ["key", ...]}; anything else becomes a key that does not exist, so
/// that somebody says so.
std::vector<KeySetting> read_keys(const SettingsJson& json) {
  std::vector<KeySetting> settings;
  const auto as_text = [](const SettingsJson& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, SettingsJson::error_handler_t::replace);
  };
  for (const auto& [command, value] : json.items()) {
    if (settings.size() == kMostKeySettings) break;
    KeySetting& setting = settings.emplace_back();
    setting.command = command;
    if (value.is_array()) {
      for (const SettingsJson& key : value) setting.keys.push_back(as_text(key));
    } else if (!value.is_null()) {
      setting.keys.push_back(as_text(value));
    }
  }
  return settings;
}

SettingsJson keys_json(const std::vector<KeySetting>& settings) {
  SettingsJson json = SettingsJson::object();
  for (const KeySetting& setting : settings) json[setting.command] = setting.keys;
  return json;
}

}  // namespace

namespace {

void put_first(std::vector<std::string>& texts, const std::string& text) {
  if (text.size() > Settings::kLongestQuery) return;
  std::erase(texts, text);
  texts.insert(texts.begin(), text);
  if (texts.size() > Settings::kMaxQueries) texts.resize(Settings::kMaxQueries);
}

void read_texts(const SettingsJson& json, const char* key, std::size_t most, std::vector<std::string>& out) {
  const auto texts = json.find(key);
  if (texts == json.end() || !texts->is_array()) return;
  for (const SettingsJson& text : *texts)
    if (text.is_string() && out.size() < most) out.push_back(text.get<std::string>());
}

}  // namespace

void Settings::add_place(const RemoteAddress& where) {
  std::erase_if(places, [&](const RemoteAddress& known) {
    return where.host.empty() ? known == where : known.host == where.host;
  });
  places.insert(places.begin(), where);
  if (places.size() > kMaxRecent) places.resize(kMaxRecent);
}

void Settings::add_query(const std::string& sql) {
  put_first(queries, sql);
}

void Settings::save_query(const std::string& sql) {
  if (!sql.empty()) put_first(saved_queries, sql);
}

void Settings::add_recent(const std::string& path) {
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > kMaxRecent) recent.resize(kMaxRecent);
}

std::string settings_path() {
  const std::string config = user_config_folder();
  return config.empty() ? config : config + "/lacuna/settings.json";
}

Settings parse_settings(const std::string& text) {
  Settings s;
  const SettingsJson json = parse_json(text);
  if (!json.is_object()) return s;
  if (const auto theme = json.find("theme"); theme != json.end() && theme->is_string()) {
    s.light_theme = theme->get<std::string>() == "light";
  }
  if (const auto first = json.find("gpuFirst"); first != json.end() && first->is_boolean()) {
    s.gpu_first = first->get<bool>();
  }
  if (const auto stays = json.find("gpuStays"); stays != json.end() && stays->is_boolean()) {
    s.gpu_stays = stays->get<bool>();
  }
  if (const auto squeeze = json.find("squeezeFrames"); squeeze != json.end() && squeeze->is_boolean()) {
    s.squeeze_frames = squeeze->get<bool>();
  }
  if (const auto by_class = json.find("colourByClass"); by_class != json.end() && by_class->is_boolean()) {
    s.colour_by_class = by_class->get<bool>();
  }
  if (const auto headline = json.find("headline"); headline != json.end() && headline->is_boolean()) {
    s.headline = headline->get<bool>();
  }
  if (const auto right = json.find("reportRight"); right != json.end() && right->is_boolean()) {
    s.report_right = right->get<bool>();
  }
  if (const auto seen = json.find("tourSeen"); seen != json.end() && seen->is_boolean()) {
    s.tour_seen = seen->get<bool>();
  }
  read_number(json, "uiScale", 0.5f, 3.0f, s.ui_scale);
  read_number(json, "drawerPart", 0.1f, 0.8f, s.drawer_part);
  read_number(json, "memoryPart", 0.1f, 0.9f, s.memory_part);
  read_number(json, "detailsPart", 0.1f, 0.7f, s.details_part);
  read_number(json, "reportPart", 0.1f, 0.7f, s.report_part);
  read_number(json, "headerPx", 100.0f, 600.0f, s.header_px);
  read_number(json, "windowWidth", 320, 16384, s.window_width);
  read_number(json, "windowHeight", 240, 16384, s.window_height);
  if (const auto hidden = json.find("hiddenColumns"); hidden != json.end() && hidden->is_array()) {
    s.hidden_columns.clear();
    for (const SettingsJson& column : *hidden) {
      if (column.is_string() && s.hidden_columns.size() < kMostColumns)
        s.hidden_columns.push_back(column.get<std::string>());
    }
  }
  if (const auto keys = json.find("keys"); keys != json.end() && keys->is_object()) {
    s.keys = read_keys(*keys);
  }
  read_texts(json, "recent", Settings::kMaxRecent, s.recent);
  read_texts(json, "queries", Settings::kMaxQueries, s.queries);
  read_texts(json, "savedQueries", Settings::kMaxQueries, s.saved_queries);
  if (const auto launches = json.find("launches"); launches != json.end() && launches->is_array()) {
    for (const SettingsJson& launch : *launches)
      if (launch.is_object() && s.launches.size() < kMostLaunches) s.launches.push_back(parse_launch(launch.dump()));
  }
  if (const auto places = json.find("places"); places != json.end() && places->is_array()) {
    for (const SettingsJson& one : *places) {
      if (!one.is_object() || s.places.size() >= Settings::kMaxRecent) continue;
      const auto member = [&](const char* key) {
        const auto found = one.find(key);
        return found != one.end() && found->is_string() ? found->get<std::string>() : std::string();
      };
      if (RemoteAddress where{member("host"), member("transport")}; !where.is_empty())
        s.places.push_back(std::move(where));
    }
  }
  return s;
}

std::string format_settings(const Settings& s) {
  SettingsJson places = SettingsJson::array();
  for (const RemoteAddress& where : s.places) places.push_back({{"host", where.host}, {"transport", where.transport}});
  SettingsJson launches = SettingsJson::array();
  for (const LaunchForm& launch : s.launches) launches.push_back(parse_json(format_launch(launch)));
  const SettingsJson json = {
      {"launches", std::move(launches)},
      {"places", std::move(places)},
      {"theme", s.light_theme ? "light" : "dark"},
      {"gpuFirst", s.gpu_first},
      {"gpuStays", s.gpu_stays},
      {"squeezeFrames", s.squeeze_frames},
      {"colourByClass", s.colour_by_class},
      {"headline", s.headline},
      {"reportRight", s.report_right},
      {"tourSeen", s.tour_seen},
      {"uiScale", s.ui_scale},
      {"drawerPart", s.drawer_part},
      {"memoryPart", s.memory_part},
      {"detailsPart", s.details_part},
      {"reportPart", s.report_part},
      {"headerPx", s.header_px},
      {"windowWidth", s.window_width},
      {"windowHeight", s.window_height},
      {"hiddenColumns", s.hidden_columns},
      {"keys", keys_json(s.keys)},
      {"recent", s.recent},
      {"queries", s.queries},
      {"savedQueries", s.saved_queries},
  };
  // Paths may be any bytes: replace what is not UTF-8 instead of throwing.
  return json.dump(2, ' ', false, SettingsJson::error_handler_t::replace) + "\n";
}

SettingsFile read_settings(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) return {};
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return {};
  std::string cause = json_fault(text);
  if (cause.empty()) return {parse_settings(text), {}};
  // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
  if (const auto at = cause.find("at line"); at != std::string::npos) cause = cause.substr(at);
  return {{},
          "The settings file is not JSON (" + cause.substr(0, cause.find(':')) +
              "): it is ignored, and no settings are saved until it is repaired."};
}

Result<void> save_settings(const Settings& settings, const std::string& path) {
  if (path.empty()) return fail(ErrorCode::kNotWritable, "no home directory for the settings");
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return fail(ErrorCode::kNotWritable, error.message(), path);
  return write_file_atomically(path, format_settings(settings));
}

}  // namespace lacuna
