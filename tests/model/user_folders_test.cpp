#include "model/base/os/user_folders.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "model/base/spill_space.h"
#include "tests/support/skip.h"
#include "tests/support/variable.h"

namespace lacuna {
namespace {

/// Variables that are as before when it goes.
class Variables {
 public:
  ~Variables() {
    for (const auto& [name, value] : before_) set_variable(name.c_str(), value ? value->c_str() : nullptr);
  }
  /// Null: not set.
  void set(const char* name, const char* value) {
    const char* now = std::getenv(name);
    before_.try_emplace(name, now != nullptr ? std::optional<std::string>(now) : std::nullopt);
    set_variable(name, value);
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_CASE("a user's folders are what XDG's variables say, else below the home folder") {
#if defined(_WIN32)
  Variables variables;
  variables.set("USERPROFILE", "C:\\Users\\ada");
  variables.set("LOCALAPPDATA", "C:\\Users\\ada\\AppData\\Local");
  for (const char* ignored : {static_cast<const char*>(nullptr), "", "relative/folder", "/k"}) {
    for (const char* name : {"HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"}) variables.set(name, ignored);
    CHECK(home_folder() == "C:/Users/ada");
    CHECK(user_state_folder() + user_cache_folder() == "C:/Users/ada/AppData/LocalC:/Users/ada/AppData/Local");
  }
  variables.set("HOME", "D:\\ada");
  variables.set("XDG_CACHE_HOME", "D:/k");
  CHECK(home_folder() + user_cache_folder() == "D:/adaD:/k");
#else
  Variables variables;
  variables.set("HOME", "/home/ada");
  for (const char* ignored : {static_cast<const char*>(nullptr), "", "relative/folder"}) {
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"})
      variables.set(name, ignored);
    CHECK(user_config_folder() == "/home/ada/.config");
    CHECK(user_state_folder() == "/home/ada/.local/state");
    CHECK(user_cache_folder() == "/home/ada/.cache");
    CHECK(user_runtime_folder().empty());
    CHECK(temporary_folder() == "/tmp");
  }
  variables.set("XDG_CONFIG_HOME", "/c");
  variables.set("XDG_STATE_HOME", "/s");
  variables.set("XDG_CACHE_HOME", "/k");
  variables.set("XDG_RUNTIME_DIR", "/r");
  variables.set("TMPDIR", "/t");
  CHECK(user_config_folder() + user_state_folder() + user_cache_folder() == "/c/s/k");
  CHECK(user_runtime_folder() + temporary_folder() == "/r/t");
  CHECK(home_folder() == "/home/ada");
  variables.set("XDG_CACHE_HOME", nullptr);
  variables.set("HOME", "ada");
  CHECK(home_folder().empty());
  CHECK(user_cache_folder().empty());
#endif
}

TEST_CASE("a folder into which others can write is not private, nor is a link to one, nor a file") {
#if defined(_WIN32)
  skip("a folder's rights are no POSIX permissions on Windows");
#else
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "lacuna_private_XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const fs::path parent = name;
  const std::string folder = parent / "above" / "lacuna";
  CHECK(make_private_folder(folder));
  CHECK(make_private_folder(folder));
  CHECK((fs::status(folder).permissions() & fs::perms::all) == fs::perms::owner_all);
  Variables variables;
  variables.set("XDG_CACHE_HOME", (parent / "above").c_str());
  std::string where;
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(folder, fs::perms::owner_all | others);
    CHECK_FALSE(make_private_folder(folder));
    const Result<Descriptor> spilled = open_spill_file(where);
    REQUIRE_FALSE(spilled.has_value());
    CHECK(spilled.error().cause == "not a folder private to this user");
  }
  fs::permissions(folder, fs::perms::owner_all);
  fs::create_directory_symlink(folder, parent / "link");
  CHECK_FALSE(make_private_folder((parent / "link").string()));
  std::ofstream(parent / "file") << "x";
  CHECK_FALSE(make_private_folder((parent / "file").string()));
  fs::remove_all(parent);
#endif
}

}  // namespace
}  // namespace lacuna
