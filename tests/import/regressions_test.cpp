// What fuzzing once found, replayed without libFuzzer: tests/fuzz/regressions. A broken promise ends
// the program (targets.h); sanitizers see the rest.
#include <filesystem>

#include "import_support.h"
#include "tests/fuzz/targets.h"
#include "tests/support/paths.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

template <class Run>
int replay(const std::string& folder, Run run) {
  int count = 0;
  const auto path = std::filesystem::path(source_folder()) / "tests" / "fuzz" / "regressions" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    MESSAGE(entry.path().filename().string());
    run(read_file(entry.path().string()));
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("JSON that fuzzing found") {
  CHECK(replay("json", [](const std::string& text) {
          fuzz::run_strict(text);
          fuzz::run_tolerant(text);
        }) > 0);
}

TEST_CASE("compressed data that fuzzing found") {
  CHECK(replay("compression", fuzz::run_compression) > 0);
}
