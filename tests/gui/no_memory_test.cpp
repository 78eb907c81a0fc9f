// Memory runs out in the threads of the window: each ends with a message, and the window goes on.

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/gui/core/job_failures.h"
#include "app/gui/models/files/loader.h"
#include "app/gui/models/live/live_recording.h"
#include "capture/session/installation.h"
#include "capture/session/live_capture.h"
#include "tests/support/counted_memory.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/waiting.h"

namespace lacuna {
namespace {

std::string all_job_failures() {
  std::string all;
  while (const std::optional<std::string> failure = take_job_failure()) all.append(*failure).append("\n");
  return all;
}

TEST_CASE("a trace for which there is no memory is not opened, in words") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const std::string demo = source_folder() + "/assets/demo.trace.json.gz";
  for (const std::uint64_t call : {1, 30, 300}) {
    CAPTURE(call);
    Loader loader([] {});
    const FailingMemory failing(call);
    ImportOptions options;
    options.use_cache = false;
    options.threads = 2;
    loader.start({demo}, options);
    const Result<DocumentPtr> opened = loader.wait();
    CHECK(failing.failed() > 0);
    REQUIRE(!opened);
    CHECK(opened.error().code == ErrorCode::kLimit);
    CHECK(opened.error().message().find("memory") != std::string::npos);
  }
}

TEST_CASE("a recording that finds no memory to be shown is still recorded, and said so") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("lacuna_no_memory_gui_{}", getpid());
  std::filesystem::create_directories(folder);
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  LivePlan plan;
  plan.arguments = {find_installation().demo, "3"};
  for (const std::uint64_t call : {1, 40, 400}) {
    CAPTURE(call);
    (void)all_job_failures();
    auto recording = LiveRecording::start(plan, [] {});
    REQUIRE(recording);
    {
      const FailingMemory failing(call);
      CHECK(comes_true([&] { return (*recording)->is_complete(); }));
      CHECK(failing.failed() > 0);
    }
    CHECK((*recording)->is_complete());
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lacuna
