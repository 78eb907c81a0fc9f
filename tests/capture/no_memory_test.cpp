// Memory runs out in the threads that record: each ends with a word, and nothing else does.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/tables/report_format.h"
#include "capture/kineto/dormant_window.h"
#include "capture/metrics/metrics_sampler.h"
#include "capture/remote/live_relay.h"
#include "capture/remote/seen_trace.h"
#include "capture/sampling/program_sampler.h"
#include "capture/session/installation.h"
#include "capture/session/launcher.h"
#include "capture/session/live_capture.h"
#include "capture/session/trace_recorder.h"
#include "capture/share/attached_recording.h"
#include "capture/share/share_places.h"
#include "tests/support/counted_memory.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/waiting.h"

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
    CHECK(comes_true([&] { return failing.failed() > 0; }));
  }
  sampler.stop();
  for (const std::string& message : sampler.take().messages)
    is_told = is_told || message == "metrics end here: there is not enough memory";
  CHECK(is_told);
}

namespace {

constexpr std::string_view kWithoutMemory = "there is not enough memory";

}  // namespace

TEST_CASE("a window that finds no memory for another process's recording says so; the recording goes on") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const TemporaryFolder folder;
  setenv("XDG_RUNTIME_DIR", folder.path.c_str(), 1);
  const std::string demo = find_installation().demo;
  for (const std::uint64_t call : {1, 25, 300}) {
    for (const std::uint64_t count : {std::uint64_t{1}, ~std::uint64_t{0}}) {
      CAPTURE(call);
      CAPTURE(count);
      const std::string name = fmt::format("here_{}_{}", call, count == 1);
      SessionOptions options;
      options.collector = find_installation().collector;
      const auto recorder = std::move(*TraceRecorder::start(
          std::move(*ClaimedFile::claim(folder.path + "/" + name + ".json", Existing::kKeep)), options));
      const std::string socket = folder.path + "/" + name;
      REQUIRE(recorder->share(socket, {demo, "40"}, folder.path + "/copies"));
      Result<std::unique_ptr<AttachedRecording>> attached = fail(ErrorCode::kUnsupported, "");
      {
        std::atomic<bool> is_done{false};
        std::jthread viewer([&] {
          attached = AttachedRecording::attach(socket);
          is_done = true;
        });
        while (!is_done) recorder->poll(5);
      }
      REQUIRE_MESSAGE(attached, attached.error().message());
      LaunchOptions launch;
      launch.arguments = {demo, "40"};
      launch.inherited = own_environment();
      launch.set = recorder->session().environment(launch.inherited);
      auto target = Launcher::start(launch);
      REQUIRE(target);
      bool is_over = false;
      const auto step = [&] {
        recorder->poll(5);
        LiveDelivery delivery;
        while ((*attached)->take(delivery, 0)) is_over = is_over || delivery.is_last;
        return !target->poll_exit() || recorder->session().status().running > 0;
      };
      {
        const FailingMemory failing(call, count);
        while (!is_over && step()) continue;
        CHECK(failing.failed() > 0);
      }
      CHECK(comes_true([&] { return (*attached)->status().is_over; }));
      if (count == 1)
        CHECK((*attached)->console().text().find(
                  fmt::format("This window reads no further: {}. The recording itself goes on.", kWithoutMemory)) !=
              std::string::npos);
      while (step()) continue;
      recorder->set_exit(*target->poll_exit());
      CHECK(recorder->finish());
      CHECK(recorder->events() > 300);
    }
  }
  unsetenv("XDG_RUNTIME_DIR");
}

TEST_CASE("a sampler that finds no memory ends, and says so; its target is not started, or runs on") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const std::uint64_t call : {1, 20, 200}) {
    CAPTURE(call);
    ProgramSampler sampler{SamplingOptions{}};
    {
      const FailingMemory failing(call, 1);
      sampler.look_at(static_cast<std::uint32_t>(getpid()));
      CHECK(comes_true([&] { return failing.failed() > 0; }));
    }
    sampler.stop();
    bool is_told = false;
    for (const std::string& message : sampler.take().messages)
      is_told = is_told || message == fmt::format("sampling has stopped: {}", kWithoutMemory);
    CHECK(is_told);
  }
  LaunchOptions launch;
  launch.arguments = {find_installation().demo, "3"};
  launch.inherited = own_environment();
  for (std::uint64_t call = 1; call < 1500; call += 1 + call / 8) {  // which request it is differs from run to run
    CAPTURE(call);
    ProgramSampler sampler{SamplingOptions{}};
    std::optional<Result<Launcher>> target;
    {
      const FailingMemory failing(call);
      target.emplace(sampler.launch(launch));
      if (*target) CHECK(comes_true([&] { return failing.failed() > 0 || (*target)->poll_exit(); }));
    }
    if (*target) {
      CHECK(comes_true([&] { return (*target)->poll_exit().has_value(); }));
      CHECK((*target)->poll_exit()->code == 0);
    } else {
      CHECK(target->error().message().find(kWithoutMemory) != std::string::npos);
    }
    sampler.stop();
  }
}

TEST_CASE("a window of a dormant program that finds no memory has failed, in words") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const TemporaryFolder folder;
  RunningJob job;
  job.pid = static_cast<int>(getpid());
  KinetoRequest request;
  request.duration = 1'000'000'000;
  for (const std::uint64_t call : {1, 2, 5, 20}) {
    for (const std::uint64_t count : {std::uint64_t{1}, ~std::uint64_t{0}}) {
      CAPTURE(call);
      CAPTURE(count);
      auto claim =
          ClaimedFile::claim(fmt::format("{}/window_{}_{}.json", folder.path, call, count == 1), Existing::kKeep);
      REQUIRE(claim);
      const FailingMemory failing(call, count);
      DormantWindow window(job, request, std::move(*claim), std::chrono::milliseconds(1000));
      CHECK(comes_true([&] { return window.progress().state == JobProgress::State::kFailed; }));
      CHECK(failing.failed() > 0);
      if (count == 1) CHECK(window.progress().words == kWithoutMemory);
    }
  }
}

TEST_CASE("a relay that finds no memory ends, and who watches is told") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const char* lacuna = std::getenv("LACUNA_BIN");
  if (lacuna == nullptr) return skip("LACUNA_BIN says where the program is");
  const TemporaryFolder folder, here;
  setenv("XDG_RUNTIME_DIR", here.path.c_str(), 1);
  setenv("XDG_CACHE_HOME", (here.path + "/cache").c_str(), 1);
  LiveRelayPlan plan;
  plan.place.transport = {"env",
                          "HOME=" + folder.path,
                          "XDG_RUNTIME_DIR=" + folder.path,
                          "XDG_DATA_HOME=" + folder.path + "/data",
                          "XDG_CACHE_HOME=" + folder.path + "/cache",
                          fmt::format("PATH={}:/usr/bin:/bin", std::filesystem::path(lacuna).parent_path().string())};
  for (const std::uint64_t call : {1, 20, 400}) {
    for (const std::uint64_t count : {std::uint64_t{1}, ~std::uint64_t{0}}) {
      CAPTURE(call);
      CAPTURE(count);
      plan.words = {"--output", fmt::format("{}/there_{}_{}.json", folder.path, call, count == 1), "--",
                    find_installation().demo, "200"};
      const FailingMemory failing(call, count);
      const auto relay = LiveRelay::start(plan);
      if (!relay) {
        CAPTURE(relay.error().message());
        CHECK(failing.failed() > 0);
        if (count == 1) CHECK(relay.error().message().find(kWithoutMemory) != std::string::npos);
        continue;
      }
      // Whoever watches hears that nothing more comes.
      auto watching = ShareSocket::connect((*relay)->socket());
      REQUIRE(watching);
      REQUIRE(watching->send(encode_attach()) == ShareSocket::Sent::kYes);
      bool is_gone = false, is_told = false;
      std::string message;
      CHECK(comes_true([&] {
        ShareSocket::Got got = watching->receive(message);
        for (; got == ShareSocket::Got::kMessage; got = watching->receive(message))
          is_told =
              is_told || (kind_of(message) == ShareKind::kText &&
                          decode_text(message).find(fmt::format("Nothing more is fetched: {}", kWithoutMemory)) == 0);
        return is_gone = got == ShareSocket::Got::kGone;
      }));
      CHECK(failing.failed() > 0);
      if (count == 1) CHECK(is_told);
    }
  }
  unsetenv("XDG_RUNTIME_DIR");
}

TEST_CASE("a trace of this machine for which there is no memory is not shown to others, in words") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const TemporaryFolder folder, cache_of_other;
  setenv("XDG_CACHE_HOME", cache_of_other.path.c_str(), 1);
  SeenFile seen;
  seen.file.path = source_folder() + "/assets/demo.trace.json.gz";
  seen.name = "demo";
  const auto start = [&] { return SeenTrace({seen}, kReportFormat); };
  const auto whole = [&] {
    SeenTrace other = start();  // gone with its threads before memory fails
    REQUIRE(comes_true([&] { return other.is_read(); }));
    const auto piece = other.see({}, {});
    REQUIRE(piece);
    return piece->head.span;
  }();
  setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  for (const std::uint64_t call : {1, 2, 30, 300}) {
    CAPTURE(call);
    const FailingMemory failing(call, 1);
    SeenTrace trace = start();
    CHECK(comes_true([&] { return trace.is_read(); }));
    CHECK(failing.failed() > 0);
    const auto piece = trace.see({}, {});
    // std::getline, which asks the system how much memory is free, makes up for a failure.
    if (piece && call == 300) {
      CHECK(piece->head.span == whole);
      continue;
    }
    REQUIRE(!piece);
    CHECK(piece.error().code == ErrorCode::kLimit);
    CHECK(piece.error().message().find("memory") != std::string::npos);
  }
}
