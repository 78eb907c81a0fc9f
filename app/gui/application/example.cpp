#include "app/gui/application/example.h"

#include <array>
#include <filesystem>
#include <system_error>

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExampleName = "demo.trace.json.gz";

}  // namespace

std::string example_trace_path() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  fs::path up = folder;
  // PREFIX/bin beside PREFIX/share, or build/PRESET/app below the sources.
  std::array<fs::path, 2> places = {folder / ".." / "share" / "lacuna" / kExampleName, {}};
  for (int i = 0; i < 3; ++i) up = up.parent_path();
  places[1] = up / "assets" / kExampleName;
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, error)) return fs::weakly_canonical(place, error).string();
  return {};
}

void open_example(App& app, bool with_tour) {
  const std::string path = example_trace_path();
  if (path.empty())
    return app.show_error(std::string("The example trace (") + kExampleName + ") is not installed beside the program.");
  app.ui.tour_waits = with_tour || !app.settings.tour_seen;
  const DocumentPtr& open = app.workspace.document();
  const bool is_open = open != nullptr && open->paths == std::vector<std::string>{path} && !app.loader.is_loading();
  if (!is_open) app.open({path});
}

}  // namespace lacuna
