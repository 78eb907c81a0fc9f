// Memory runs out in the threads that record: each ends with a word, and nothing else does.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "capture/metrics/metrics_sampler.h"
#include "capture/session/installation.h"
#include "capture/session/live_capture.h"
#include "tests/support/counted_memory.h"
#include "tests/support/skip.h"

using namespace lacuna;

TEST_CASE("a recording whose thread finds no memory ends, and says so") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("lacuna_no_memory_{}", getpid());
  std::filesystem::create_directories(folder);
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  LivePlan plan;
  plan.arguments = {find_installation().demo, "3"};
  for (const std::uint64_t call : {1, 40, 400, 2000}) {
    for (const std::uint64_t count : {std::uint64_t{1}, ~std::uint64_t{0}}) {
      CAPTURE(call);
      CAPTURE(count);
      auto capture = LiveCapture::start(plan, {});
      REQUIRE(capture);
      bool is_over = false;
      {
        const FailingMemory failing(call, count);
        for (int i = 0; i < 3000 && !is_over; ++i) {
          LiveDelivery delivery;
          (void)(*capture)->take(delivery, 20);
          is_over = delivery.is_last;
        }
        CHECK(failing.failed() > 0);
      }
      CHECK(is_over);
      CHECK((*capture)->status().is_over);
      if (count == 1) CHECK((*capture)->console().text().find("there is not enough memory") != std::string::npos);
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("metrics whose threads find no memory end, and say so") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  MetricsOptions options;
  options.gpus = false;
  options.per_second = 100;
  MetricsSampler sampler(options, static_cast<int>(getpid()), nullptr);
  bool is_told = false;
  {
    const FailingMemory failing(1, 1);
    for (int i = 0; i < 1000 && failing.failed() == 0; ++i) usleep(2'000);
  }
  sampler.stop();
  for (const std::string& message : sampler.take().messages)
    is_told = is_told || message == "metrics end here: there is not enough memory";
  CHECK(is_told);
}
