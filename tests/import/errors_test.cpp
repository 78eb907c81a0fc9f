// What cannot be shown: a clear error with the right code, and never a crash.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "import_support.h"
#include "tests/support/skip.h"
#include "tests/support/waiting.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

Result<Trace> import(const std::string& path, ImportProgress* progress = nullptr) {
  return import_files(std::span(&path, 1), {}, progress);
}

Error error_of(const std::string& content) {
  const TemporaryFile file("input", content);
  const auto trace = import(file.path());
  REQUIRE_FALSE(trace.has_value());
  CHECK(trace.error().file == file.path());
  return trace.error();
}

bool says(const Error& error, std::string_view part) {
  INFO(error.message());
  return error.cause.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("missing, a directory, not readable, empty") {
  CHECK(import("/nowhere/trace.json").error().code == ErrorCode::kNotFound);
  CHECK(import("/nowhere/trace.json").error().message() == "/nowhere/trace.json: no such file");
  CHECK(import("/dev").error().code == ErrorCode::kNotFound);  // a folder without traces
  CHECK(import_files({}).error().code == ErrorCode::kInvalidArgument);
  CHECK(error_of("").code == ErrorCode::kEmpty);
#if !defined(_WIN32)
  if (::geteuid() != 0) {
    const TemporaryFile file("secret.json", "[]");
    ::chmod(file.path().c_str(), 0);
    CHECK(import(file.path()).error().code == ErrorCode::kNotReadable);
  }
#endif
}

TEST_CASE("files of another kind are named") {
  struct Case {
    std::string content;
    std::string_view says;
  };
  using namespace std::string_literals;
  const std::string tar = "worker0.json" + std::string(245, '\0') + "ustar" + std::string(300, '\0');
  for (const Case& c : {Case{"<html><body>404</body></html>", "HTML"},
                        {"PK\x03\x04 data", "zip"},
                        {"SQLite format 3\0"s, "SQLite"},
                        {"BZh91AY", "bzip2"},
                        {"\x7F"
                         "ELF\x02\x01\x01",
                         "program"},
                        {tar, "tar"},
                        {"\xFF\xFE[\0]\0"s, "UTF-16"},
                        {"version https://git-lfs.github.com/spec/v1\n", "LFS"},
                        {"\n\x0B\x08\x01\x12\x07\0\0\0\0\0"s, "binary"},
                        {"\x01\x02\x03\x04", "binary"},
                        {"name,ts,dur\na,1,2\n", "text that begins with 'name,ts,dur'"},
                        {"  \n\t ", "blanks"},
                        {"\"a string\"", "text"},
                        {"42", "text"}}) {
    CAPTURE(c.says);
    const Error error = error_of(c.content);
    CHECK(error.code == ErrorCode::kNotATrace);
    CHECK(error.offset == 0);
    CHECK(says(error, c.says));
  }
}

TEST_CASE("JSON that is no trace: its keys are named") {
  const Error error = error_of(R"({"nodes": [1, 2], "edges": {"a": []}, "version": 2})");
  CHECK(error.code == ErrorCode::kNotATrace);
  CHECK(says(error, "nodes, edges, version"));
  CHECK(says(error_of("{}"), "traceEvents"));
  CHECK(says(error_of(R"({"traceEvents": null})"), "traceEvents"));
  CHECK(says(error_of(R"({"a": 1)"), "ends before"));
  CHECK(error_of("[1, 2, 3]").code == ErrorCode::kNotATrace);
  CHECK(error_of(R"([{"a": 1}, {"b": 2}])").code == ErrorCode::kNotATrace);
  CHECK(error_of("[garbage").code == ErrorCode::kNotATrace);
  CHECK(error_of(R"({"traceEvents": [)").code == ErrorCode::kNotATrace);
  CHECK(error_of("{\x01\x02 binary").code == ErrorCode::kNotATrace);
}

TEST_CASE("only metadata, and nothing at all, load") {
  const auto meta = import_json(R"([{"ph":"M","name":"process_name","pid":0,"args":{"name":"AIU 0"}}])");
  REQUIRE(meta.has_value());
  CHECK(meta->event_count() == 1);
  const auto empty = import_json("[]");
  REQUIRE(empty.has_value());
  CHECK(empty->event_count() == 0);
}

TEST_CASE("one bad file among several is named") {
  const TemporaryFile good("good.json", in_object(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})"));
  const TemporaryFile bad("bad.json", "no trace");
  const std::vector<std::string> paths{good.path(), bad.path()};
  const auto trace = import_files(paths);
  REQUIRE_FALSE(trace.has_value());
  CHECK(trace.error().file == bad.path());
  const std::vector<std::string> twice{good.path(), good.path()};
  const auto both = import_files(twice);
  REQUIRE(both.has_value());
  CHECK(both->sources().size() == 2);
  CHECK(both->event_count() == 2);
}

TEST_CASE("a source says where it comes from") {
  const std::string json = in_object(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"x":NaN})");
  const TemporaryFile file("a.json", json);
  ImportProgress progress;
  const auto trace = import(file.path(), &progress);
  REQUIRE(trace.has_value());
  const TraceSource& source = trace->sources().front();
  CHECK(source.path == file.path());
  CHECK(source.format == "Chrome JSON");
  CHECK(source.file_bytes == json.size());
  CHECK(source.json_bytes == json.size());
  CHECK(source.report.count(Finding::kNonFiniteNumber) == 1);
  CHECK(progress.bytes_total == json.size());
  CHECK(progress.bytes_done == json.size());
  CHECK(progress.events == 1);
  CHECK(progress.phase == ImportProgress::Phase::kDone);
}

TEST_CASE("cancelling") {
  const TemporaryFile file("a.json", in_object(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})"));
  ImportProgress progress;
  progress.cancel = true;
  const auto trace = import(file.path(), &progress);
  REQUIRE_FALSE(trace.has_value());
  CHECK(trace.error().code == ErrorCode::kCancelled);
}

TEST_CASE("a silent pipe can be cancelled, one that speaks is read") {
#if defined(_WIN32)
  skip("pipes have no place among files on Windows");
#else
  const TemporaryFile file("placeholder", "");
  const std::string path = file.path() + ".fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  ImportProgress progress;
  Result<Trace> trace;
  {
    std::jthread reader([&] { trace = import(path, &progress); });  // nobody has it open for writing
    CHECK(comes_true([&] { return progress.waits_for_writer.load(); }));
    progress.cancel = true;
  }
  REQUIRE_FALSE(trace.has_value());
  CHECK(trace.error().code == ErrorCode::kCancelled);
  progress.cancel = false;
  {
    std::jthread reader([&] { trace = import(path, &progress); });
    std::ofstream writer(path);
    writer << R"([{"ph":"X","name":"a")" << std::flush;
    CHECK(comes_true([&] { return progress.bytes_done > 0; }));
    progress.cancel = true;
    reader.join();
  }
  REQUIRE_FALSE(trace.has_value());
  CHECK(trace.error().code == ErrorCode::kCancelled);
  {
    std::jthread reader([&] { trace = import(path); });
    std::ofstream(path) << R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])";
    reader.join();
  }
  REQUIRE(trace.has_value());
  CHECK(trace->event_count() == 1);
#endif
}

TEST_CASE("a file that shrinks while it is read is a truncated file") {
  std::string events;
  for (int i = 0; i < 1000; ++i) events += R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},)";
  const TemporaryFile file("a.json", in_object(events + "{}"));
  const auto opened = open_file(file.path(), 1 << 20, nullptr);
  REQUIRE(opened.has_value());
  CHECK_FALSE(opened->bytes->has_changed());
  std::filesystem::resize_file(file.path(), 20000);
  CHECK(opened->bytes->has_changed());
  const ReadResult read = read_bytes(*opened->bytes, cut_every(4096));
  CHECK(read.result.has_value());
  CHECK(read.events() > 300);
  CHECK(read.count(Finding::kUnterminated) == 1);
}
