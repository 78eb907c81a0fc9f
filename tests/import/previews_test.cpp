#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "tests/import/import_support.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

std::string many_events(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += std::string(i == 0 ? "" : ",\n") + R"({"ph":"X","cat":"cpu_op","pid":1,"tid":)" + std::to_string(i % 3) +
            R"(,"name":"op )" + std::to_string(i % 50) + R"(","ts":)" + std::to_string(i * 10) + R"(,"dur":9})";
  return in_object(text);
}

ImportOptions cut_with_previews(std::function<void(Trace)> preview) {
  ImportOptions options = cut_every(1000);
  options.preview = std::move(preview);
  options.first_preview_ms = 0;
  return options;
}

}  // namespace

TEST_CASE("previews show more and more of a file, and change nothing") {
  const std::string json = many_events(20'000);
  const TemporaryFile file("trace.json", json);
  std::vector<std::uint64_t> slices;
  const ImportOptions options = cut_with_previews([&](Trace trace) { slices.push_back(trace.slice_count()); });
  const Result<Trace> trace = import_files(std::vector{file.path()}, options);
  REQUIRE(trace);
  CHECK(trace->slice_count() == 20'000);
  REQUIRE(!slices.empty());
  CHECK(slices.front() > 0);
  CHECK(slices.front() < 20'000);
  CHECK(std::ranges::is_sorted(slices));
  const Result<Trace> plain = import_json(json);
  REQUIRE(plain);
  CHECK(plain->span() == trace->span());
}

TEST_CASE("previews of several files show those that are read, lined up") {
  const auto with_base = [](int events, std::string_view base) {
    const std::string text = many_events(events);
    return text.substr(0, text.rfind('}')) + ",\"baseTimeNanoseconds\":" + std::string(base) + "}";
  };
  const TemporaryFile a("a.json", with_base(10, "5000000000"));
  const TemporaryFile b("b.json", with_base(20'000, "5000001000"));
  const TemporaryFile c("c.json", many_events(10));  // says no base time: now all start together
  std::vector<std::size_t> files;
  std::vector<Nanos> shifts;  // of the second
  const ImportOptions options = cut_with_previews([&](Trace trace) {
    files.push_back(trace.sources().size());
    if (trace.sources().size() > 1) shifts.push_back(trace.sources()[1].shift_ns);
  });
  const Result<Trace> trace = import_files(std::vector{a.path(), b.path(), c.path()}, options);
  REQUIRE(trace);
  REQUIRE(!files.empty());
  CHECK(files.front() == 1);
  CHECK(std::ranges::is_sorted(files));
  REQUIRE(!shifts.empty());
  CHECK(shifts.front() == 1'000);
  CHECK(trace->sources()[1].shift_ns == 0);
  CHECK(trace->sources()[1].alignment == Alignment::kStart);
  const Result<Trace> alone = import_files(std::vector{b.path()});  // the longest
  REQUIRE(alone);
  CHECK(trace->span() == alone->span());
}

TEST_CASE("cancelling from a preview ends the import") {
  const TemporaryFile file("trace.json", many_events(20'000));
  ImportProgress progress;
  const ImportOptions options = cut_with_previews([&](Trace) { progress.cancel = true; });
  const Result<Trace> trace = import_files(std::vector{file.path()}, options, &progress);
  REQUIRE(!trace);
  CHECK(trace.error().code == ErrorCode::kCancelled);
}

TEST_CASE("cancelling while the rows are being made ends the import") {
  const TemporaryFile file("trace.json", many_events(300'000));
  ImportProgress progress;
  bool was_building = false;
  std::jthread watch([&] {
    while (progress.phase.load() == ImportProgress::Phase::kReading) std::this_thread::yield();
    was_building = progress.phase.load() == ImportProgress::Phase::kBuilding;
    progress.cancel = true;
  });
  const Result<Trace> trace = import_files(std::vector{file.path()}, {}, &progress);
  progress.phase = ImportProgress::Phase::kDone;
  watch.join();
  if (was_building) {
    REQUIRE(!trace);
    CHECK(trace.error().code == ErrorCode::kCancelled);
  }
}
