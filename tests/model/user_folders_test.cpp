#include "model/base/user_folders.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

/// Variables that are as before when it goes.
class Variables {
 public:
  ~Variables() {
    for (const auto& [name, value] : before_)
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
  }
  /// Null: not set.
  void set(const char* name, const char* value) {
    const char* now = std::getenv(name);
    before_.try_emplace(name, now != nullptr ? std::optional<std::string>(now) : std::nullopt);
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_CASE("a user's folders are what XDG's variables say, else below the home folder") {
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
}

}  // namespace
}  // namespace lacuna
