// Files that change under the reader: while they are read, and between loading and asking for args.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "import_support.h"
#include "model/formats/chrome/top_level.h"
#include "model/import/arguments.h"
#include "model/import/bulk_arguments.h"
#include "model/trace/import_finding.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

std::string events(int count, char fill = 'a') {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += std::string(i > 0 ? "," : "") + R"({"ph":"X","name":")" + std::string(20, fill) +
            R"(","pid":1,"tid":1,"ts":)" + std::to_string(i) + R"(,"dur":1,"args":{"k":"v"}})";
  return text;
}

/// Reads `path` in small pieces and calls `change` after the first batch.
template <class Change>
ReadResult read_while(const std::string& path, Change change) {
  auto file = open_file(path, 1 << 30, nullptr);
  REQUIRE(file.has_value());
  ReadResult read;
  ImportOptions options;
  options.threads = 1;
  options.chunk_bytes = 4096;
  bool is_first = true;
  read.result = read_trace(*file->bytes, options, nullptr, read.facts, [&](EventBatch batch) {
    read.batches.push_back(std::move(batch));
    if (std::exchange(is_first, false)) change();
  });
  read.report = read.facts.report;
  for (const EventBatch& batch : read.batches) read.report.merge(batch.report);
  return read;
}

void overwrite(const std::string& path, const std::string& content) {
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << content;
}

}  // namespace

TEST_CASE("truncated while it is read: what was there is there, the rest is reported") {
  const std::string json = in_object(events(2000));
  for (const std::size_t left : {std::size_t{0}, std::size_t{5000}, json.size() / 2, json.size() - 1}) {
    CAPTURE(left);
    const TemporaryFile file("a.json", json);
    const ReadResult read = read_while(file.path(), [&] { std::filesystem::resize_file(file.path(), left); });
    REQUIRE(read.result.has_value());
    CHECK(read.events() > 10);
    CHECK(read.count(Finding::kUnterminated) == 1);
  }
}

TEST_CASE("rewritten in place while it is read: no crash, and it ends") {
  const std::string json = in_object(events(2000));
  for (const std::string& now :
       {in_object(events(2000, 'b')), std::string(json.size(), '\0'), std::string(json.size(), '"'),
        std::string(json.size(), '['), std::string(json.size(), '{')}) {
    const TemporaryFile file("a.json", json);
    const ReadResult read = read_while(file.path(), [&] { overwrite(file.path(), now); });
    CHECK(read.events() > 10);
  }
}

TEST_CASE("the importer says that a file changed, whoever changes it when") {
  const TemporaryFile file("a.json", in_object(events(20'000)));
  const auto size = std::filesystem::file_size(file.path());
  std::atomic<bool> stop{false};
  int reported = 0;
  {
    std::jthread changer([&] {
      for (int i = 0; !stop; ++i) {
        std::error_code failed;
        std::filesystem::resize_file(file.path(), i % 3 == 0 ? size / 3 : size,
                                     failed);  // the gap is filled with zeros
        if (i % 5 == 0) overwrite(file.path(), in_object(events(20'000, static_cast<char>('a' + i % 7))));
      }
    });
    // On a busy machine the other thread may not run at all while a file is read; then there is nothing to report.
    for (int i = 0; i < 1000 && reported < 8; ++i) {
      const std::string path = file.path();
      const auto trace = import_files(std::span(&path, 1), cut_every(10'000));
      if (!trace || !trace->report().empty()) ++reported;  // an error is an answer, too
    }
    stop = true;
  }
  CHECK(reported == 8);
}

TEST_CASE("changed after it was loaded: args are refused, not guessed") {
  const std::string json = in_object(events(100));
  for (const bool is_rewritten : {false, true}) {
    const TemporaryFile file("a.json", json);
    const std::string path = file.path();
    const auto trace = import_files(std::span(&path, 1));
    REQUIRE(trace.has_value());
    CHECK(trace->report().count(Finding::kFileChanged) == 0);
    const SliceId slice{LaneId{0}, 0};
    REQUIRE(read_arguments(*trace, slice)->front().value == "v");
    if (is_rewritten) {
      // Same size, other content; a second ago, in case the clock of the file system is coarse.
      overwrite(path, in_object(events(100, 'z')));
      std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - std::chrono::hours(1));
    } else {
      std::filesystem::resize_file(path, 50);
    }
    CHECK(read_arguments(*trace, slice).error().code == ErrorCode::kNotReadable);
    CHECK(read_arguments(*trace, slice).error().cause == "the file changed since it was opened");
    const TraceSource& source = trace->sources().front();
    const std::uint64_t offset = trace->lane(slice).file_offset(0);
    CHECK(read_event_json(source, offset).error().code == ErrorCode::kNotReadable);
    const std::string_view keys[] = {"k"};
    CHECK_FALSE(
        read_arguments_in_bulk(source, std::span(&offset, 1), keys, [](auto, auto) { FAIL("visited"); }).has_value());
  }
}

TEST_CASE("deleted after it was loaded: the open file still answers") {
  const std::string json = in_object(events(100));
  const TemporaryFile file("a.json", json);
  const std::string path = file.path();
  const auto trace = import_files(std::span(&path, 1));
  REQUIRE(trace.has_value());
  std::filesystem::remove(path);
  CHECK(read_arguments(*trace, SliceId{LaneId{0}, 5})->front().value == "v");
}
