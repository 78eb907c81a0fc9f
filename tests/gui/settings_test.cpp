#include "app/gui/application/settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/finding/write_file.h"
#include "app/gui/core/files.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

TEST_CASE("settings survive being written and read") {
  Settings s;
  s.light_theme = true;
  s.colour_by_class = true;
  s.headline = false;
  s.report_right = true;
  s.ui_scale = 1.25f;
  s.drawer_part = 0.5f;
  s.details_part = 0.25f;
  s.report_part = 0.3f;
  s.header_px = 300;
  s.window_width = 1234;
  s.window_height = 777;
  s.recent = {"/a/b.json", "/with \"quotes\" and \xC3\xA9.gz"};
  CHECK(parse_settings(format_settings(s)) == s);
}

TEST_CASE("damaged settings cost themselves only") {
  CHECK(parse_settings("") == Settings{});
  CHECK(parse_settings("{") == Settings{});
  CHECK(parse_settings("[1,2]") == Settings{});
  CHECK(parse_settings("{\"uiScale\": \"big\", \"recent\": 7, \"drawerPart\": 99, \"theme\": 1}") == Settings{});
  CHECK(parse_settings("{\"uiScale\": 2, \"headerPx\": -5}").ui_scale == 2);
  CHECK(parse_settings("{\"recent\": [1, \"/x\", null]}").recent == std::vector<std::string>{"/x"});
  // Bytes that are not UTF-8 must not make writing fail.
  Settings s;
  s.recent = {"/bad\xFF"};
  CHECK(!format_settings(s).empty());
}

TEST_CASE("recent files: the latest first, each once, not too many") {
  Settings s;
  for (int i = 0; i < 20; ++i) s.add_recent("/" + std::to_string(i));
  CHECK(s.recent.size() == Settings::kMaxRecent);
  CHECK(s.recent.front() == "/19");
  s.add_recent("/15");
  CHECK(s.recent.front() == "/15");
  CHECK(s.recent.size() == Settings::kMaxRecent);
}

TEST_CASE("the file is the user's alone and appears whole") {
  const fs::path folder = fs::temp_directory_path() / ("lacuna_settings_" + std::to_string(::getpid()));
  const std::string path = (folder / "deep" / "settings.json").string();
  Settings s;
  s.recent = {"/x"};
  REQUIRE(save_settings(s, path));
  CHECK(load_settings(path) == s);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder / "deep")) ++files;
  CHECK(files == 1);
  fs::remove_all(folder);

  CHECK(load_settings("/nonexistent/settings.json") == Settings{});
  CHECK(!save_settings(s, "/proc/nowhere/settings.json"));
  CHECK(!save_settings(s, ""));
}

TEST_CASE("keys stay as they were written") {
  const Settings s = parse_settings(R"({"keys": {"focus": "J", "next_gap": ["N", "Ctrl+Right"],
      "fit": [], "reload": null, "nonsense": {"a": 1}, "quit": [7, "X"]}})");
  const auto keys_of = [&](std::string_view command) {
    for (const KeySetting& setting : s.keys)
      if (setting.command == command) return setting.keys;
    return std::vector<std::string>{"missing"};
  };
  CHECK(keys_of("focus") == std::vector<std::string>{"J"});
  CHECK(keys_of("next_gap") == std::vector<std::string>{"N", "Ctrl+Right"});
  CHECK(keys_of("fit").empty());
  CHECK(keys_of("reload").empty());
  CHECK(keys_of("nonsense") == std::vector<std::string>{"{\"a\":1}"});
  CHECK(keys_of("quit") == std::vector<std::string>{"7", "X"});
  CHECK(parse_settings(format_settings(s)) == s);
}

TEST_CASE("a file that is no JSON says so") {
  const fs::path path = fs::temp_directory_path() / ("lacuna_broken_" + std::to_string(::getpid()));
  std::ofstream(path) << "{\n \"theme\": \"light\",\n}";
  const SettingsFile broken = read_settings(path.string());
  CHECK(broken.settings == Settings{});
  CHECK(broken.problem.find("line 3") != std::string::npos);
  std::ofstream(path) << " \n";
  CHECK(read_settings(path.string()).problem.empty());
  std::ofstream(path) << "{\"theme\": \"light\"}";
  CHECK(read_settings(path.string()).problem.empty());
  CHECK(read_settings(path.string()).settings.light_theme);
  fs::remove(path);
  CHECK(read_settings("/nonexistent/settings.json").problem.empty());
}

TEST_CASE("where settings lie") {
  const char* old = std::getenv("XDG_CONFIG_HOME");
  const std::string before = old == nullptr ? "" : old;
  ::setenv("XDG_CONFIG_HOME", "/somewhere", 1);
  CHECK(settings_path() == "/somewhere/lacuna/settings.json");
  // The specification says that relative paths are to be ignored.
  ::setenv("XDG_CONFIG_HOME", "relative", 1);
  CHECK(settings_path().find("relative") == std::string::npos);
  if (old == nullptr) {
    ::unsetenv("XDG_CONFIG_HOME");
  } else {
    ::setenv("XDG_CONFIG_HOME", before.c_str(), 1);
  }
}

TEST_CASE("settings that are a link stay one: what it points to is written") {
  std::string name = (fs::temp_directory_path() / "lacuna_settings_XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const fs::path folder = name;
  std::ofstream(folder / "kept.json") << "old";
  fs::create_symlink("kept.json", folder / "settings.json");
  REQUIRE(write_file_atomically((folder / "settings.json").string(), "new"));
  CHECK(fs::is_symlink(folder / "settings.json"));
  std::string text;
  std::ifstream(folder / "kept.json") >> text;
  CHECK(text == "new");
  REQUIRE(write_file_atomically((folder / "other.json").string(), "new"));  // that is not there yet
  CHECK(fs::is_regular_file(folder / "other.json"));
  fs::remove_all(folder);
}

TEST_CASE("file names") {
  CHECK(file_name("/a/b.json") == "b.json");
  CHECK(file_name("b.json") == "b.json");
  CHECK(absolute_path("/a/./b/../c") == "/a/c");
}

TEST_CASE("queries: the latest first, each once, and those that are kept") {
  Settings settings;
  for (int i = 0; i < 50; ++i) settings.add_query("SELECT " + std::to_string(i));
  settings.add_query("SELECT 45");
  CHECK(settings.queries.size() == Settings::kMaxQueries);
  CHECK(settings.queries[0] == "SELECT 45");
  CHECK(settings.queries[1] == "SELECT 49");
  settings.add_query(std::string(Settings::kLongestQuery + 1, 'x'));
  CHECK(settings.queries[0] == "SELECT 45");
  settings.save_query("SELECT 'line\nline'");
  settings.save_query("");
  CHECK(settings.saved_queries == std::vector<std::string>{"SELECT 'line\nline'"});
  CHECK(parse_settings(format_settings(settings)) == settings);
  CHECK(parse_settings(R"({"queries": [1, "SELECT 1"], "savedQueries": 3})").queries ==
        std::vector<std::string>{"SELECT 1"});
}

}  // namespace
}  // namespace lacuna
