#include "capture/session/installation.h"

#include <cstdlib>
#include <filesystem>
#include <initializer_list>

namespace lacuna {
namespace {

namespace fs = std::filesystem;

std::string first_that_exists(std::initializer_list<fs::path> paths) {
  std::error_code error;
  for (const fs::path& path : paths)
    if (fs::exists(path, error)) return fs::weakly_canonical(path, error).string();
  return {};
}

}  // namespace

Installation find_installation() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path build = folder.parent_path() / "capture";  // build/PRESET/{app,capture}
  const fs::path tests = folder.parent_path().parent_path() / "capture";
  const fs::path installed = fs::path(LACUNA_LIBRARY_FOLDER).is_absolute()
                                 ? fs::path(LACUNA_LIBRARY_FOLDER)
                                 : folder.parent_path() / LACUNA_LIBRARY_FOLDER;
  const fs::path copied = folder.parent_path() / "lib/lacuna";  // by install-on
  Installation found;
  constexpr const char* kCollector = "liblacuna_collector.so";
  constexpr const char* kDemo = "lacuna-demo";
  found.collector =
      first_that_exists({build / kCollector, installed / kCollector, tests / kCollector, copied / kCollector});
  found.demo = first_that_exists({build / kDemo, installed / kDemo, tests / kDemo, copied / kDemo});
  found.python_hook = first_that_exists({build / "python", installed / "python", tests / "python", copied / "python"});
  if (const char* path = std::getenv("LACUNA_COLLECTOR_LIBRARY"); path != nullptr && *path != '\0')
    found.collector = path;
  return found;
}

}  // namespace lacuna
