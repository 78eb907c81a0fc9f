// A program that is recorded live: what is handed over, what is kept and what is saved agree.
#include "capture/session/live_capture.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "capture/session/installation.h"
#include "model/import/arguments.h"
#include "model/import/importer.h"
#include "model/statistics/statistics.h"
#include "model/trace/import_finding.h"
#include "tests/capture/live_consumer.h"

using namespace lacuna;

namespace {

namespace fs = std::filesystem;

/// A folder of the test's own, also for recordings.
struct CacheFolder {
  fs::path path = fs::temp_directory_path() / fmt::format("lacuna_live_test_{}", getpid());
  CacheFolder() {
    fs::create_directories(path);
    setenv("XDG_CACHE_HOME", path.c_str(), 1);
  }
  ~CacheFolder() { fs::remove_all(path); }
  std::string file(const char* name) const { return (path / name).string(); }
};

void take_all(LiveConsumer& consumer, LiveCapture& capture) {
  for (int i = 0; i < 3000 && !consumer.is_over; ++i) consumer.take(capture);
  REQUIRE(consumer.is_over);
  CHECK(consumer.running_events == 0);
}

/// What is shown of a trace, in an order that does not depend on which track was met first.
std::vector<std::string> facts_of(const Trace& trace) {
  std::vector<std::string> lines = {fmt::format("{} events {} slices {}..{}", trace.event_count(), trace.slice_count(),
                                                trace.span().begin, trace.span().end)};
  const Statistics statistics = compute_statistics(trace);
  for (const StatisticsRow& row : statistics.rows)
    lines.push_back(fmt::format("{} {} {}", trace.text(row.name), row.count, row.total));
  for (const Category& category : trace.categories())
    if (category.events > 0) lines.push_back(fmt::format("{} {}", trace.text(category.name), category.events));
  for (const Track& track : trace.tracks())
    if (track.slice_count > 0) lines.push_back(fmt::format("{} {}", trace.text(track.name), track.slice_count));
  std::ranges::sort(lines);
  return lines;
}

LivePlan demo(std::vector<std::string> arguments) {
  LivePlan plan;
  plan.arguments = {find_installation().demo};
  for (std::string& argument : arguments) plan.arguments.push_back(std::move(argument));
  return plan;
}

}  // namespace

TEST_CASE("what is handed over is what is saved") {
  const CacheFolder folder;
  auto capture = LiveCapture::start(demo({"6"}), {});
  REQUIRE(capture);
  LiveConsumer consumer(**capture);
  take_all(consumer, **capture);
  CHECK(consumer.most_running > 1);
  const LiveCapture::Status status = (*capture)->status();
  CHECK(status.is_over);
  REQUIRE(status.exit);
  CHECK(status.exit->code == 0);
  CHECK(status.capture.dropped == 0);
  CHECK((*capture)->console().text().find("demo: 6 steps of each phase") != std::string::npos);
  CHECK((*capture)->console().text().find("The target exited with code 0.") != std::string::npos);

  const Trace live = consumer.builder.finish();
  CHECK(live.event_count() == status.events);
  CHECK(live.slice_count() > 18 * 4);
  for (const char* name : {"a.json", "b.trace.json.gz"}) {
    REQUIRE((*capture)->save(folder.file(name), Existing::kReplaceOurs));
    const std::string paths[] = {folder.file(name)};
    const auto saved = import_files(paths);
    REQUIRE(saved);
    CHECK(facts_of(*saved) == facts_of(live));
    CHECK(saved->report().total(Severity::kDataLoss) == 0);
    CHECK(saved->report().total(Severity::kRepaired) == live.report().total(Severity::kRepaired));
  }
  // Args are read from what was written on the way.
  bool has_payload = false;
  for (std::uint32_t l = 0; l < live.lanes().size() && !has_payload; ++l) {
    const auto arguments = read_arguments(live, SliceId{LaneId{l}, 0});
    REQUIRE(arguments);
    for (const Argument& argument : *arguments) has_payload = has_payload || argument.key == "payload";
  }
  CHECK(has_payload);
  // A save that fails leaves what was there.
  std::ofstream(folder.file("keep.json")) << "old";
  CHECK_FALSE((*capture)->save("/dev/full/x.json", Existing::kReplaceOurs));
  capture->reset();
  std::error_code error;
  CHECK(fs::is_empty(folder.path / "lacuna", error));  // nothing stays behind
}

TEST_CASE("a limit: the oldest goes, is counted, and is gone from both") {
  const CacheFolder folder;
  LivePlan plan = demo({"40"});
  plan.keep.memory_bytes = 200 * KeepLimit::kBytesPerEvent;
  auto capture = LiveCapture::start(plan, {});
  REQUIRE(capture);
  LiveConsumer consumer(**capture);
  take_all(consumer, **capture);
  const LiveCapture::Status status = (*capture)->status();
  CHECK(status.forgotten > 100);
  const Trace live = consumer.builder.finish();
  // Names are never forgotten: they are in the count of forgotten parts, but stay in the trace.
  CHECK(live.event_count() >= status.events - status.forgotten);
  CHECK(live.event_count() + consumer.forgotten == status.events);
  CHECK(live.slice_count() <= 260);
  CHECK(live.slice_count() > 60);
  REQUIRE((*capture)->save(folder.file("c.json"), Existing::kReplaceOurs));
  const std::string paths[] = {folder.file("c.json")};
  const auto saved = import_files(paths);
  REQUIRE(saved);
  CHECK(facts_of(*saved) == facts_of(live));
  CHECK(live.sources()[0].skipped.at("limit") == consumer.forgotten);
}

TEST_CASE("stopping: SIGINT, SIGTERM, SIGKILL, two seconds each") {
  const CacheFolder folder;
  LivePlan plan;
  plan.arguments = {"/bin/sh", "-c", "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"};
  auto capture = LiveCapture::start(plan, {});
  REQUIRE(capture);
  LiveConsumer consumer(**capture);
  while ((*capture)->console().text().find("\nready") == std::string::npos) consumer.take(**capture);
  const auto began = std::chrono::steady_clock::now();
  (*capture)->stop();
  take_all(consumer, **capture);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  CHECK(seconds >= 4);
  CHECK((*capture)->status().exit->by_signal);
  CHECK((*capture)->status().exit->code == 9);
  const std::string text = (*capture)->console().text();
  CHECK(text.find("SIGINT") < text.find("SIGTERM"));
  CHECK(text.find("SIGTERM") < text.find("SIGKILL"));
}

TEST_CASE("a target that is killed: what it wrote is there") {
  const CacheFolder folder;
  auto capture = LiveCapture::start(demo({"1000"}), {});
  REQUIRE(capture);
  LiveConsumer consumer(**capture);
  while ((*capture)->status().events < 200) consumer.take(**capture);
  kill((*capture)->status().pid, SIGKILL);
  take_all(consumer, **capture);
  CHECK((*capture)->status().exit->by_signal);
  const Trace live = consumer.builder.finish();
  CHECK(live.event_count() == (*capture)->status().events);
  REQUIRE((*capture)->save(folder.file("d.json"), Existing::kReplaceOurs));
  const std::string paths[] = {folder.file("d.json")};
  CHECK(facts_of(*import_files(paths)) == facts_of(live));
}

TEST_CASE("what cannot be launched is an error, and leaves nothing") {
  const CacheFolder folder;
  LivePlan plan;
  CHECK_FALSE(LiveCapture::start(plan, {}));
  plan.arguments = {"/nowhere/at/all"};
  const auto capture = LiveCapture::start(plan, {});
  REQUIRE_FALSE(capture);
  CHECK(capture.error().message().find("/nowhere/at/all") != std::string::npos);
  std::error_code error;
  CHECK(fs::is_empty(folder.path / "lacuna", error));
}
