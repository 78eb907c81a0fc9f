#include "model/formats/formats.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

std::string title_of(std::string_view text, bool is_plain = true) {
  return std::string(recognise_format({.bytes = make_memory_bytes(std::string(text)), .is_plain = is_plain}).title);
}

TEST_CASE("formats are told apart by their first bytes") {
  const std::string sqlite("SQLite format 3\0", 16);
  CHECK(title_of("{\"traceEvents\": []}") == "Chrome JSON");
  CHECK(title_of("[[]") == "memory timeline of PyTorch's profiler");
  CHECK(title_of(" [\n[-1, 1, 64, 0]]") == "memory timeline of PyTorch's profiler");
  CHECK(title_of("[{\"ph\":\"X\"}]") == "Chrome JSON");
  CHECK(title_of("\x80\x05") == "allocator snapshot of PyTorch");
  CHECK(title_of("\x80\x06") == "Chrome JSON");
  CHECK(title_of(sqlite) == "SQLite database");
  CHECK(title_of(sqlite, false) == "SQLite database");
  CHECK(title_of("\x01\x02NVIDIA Tegra Profiler Report") == "report of Nsight Systems");
  CHECK(title_of("\n{\"resourceSpans\":[") == "OpenTelemetry JSON");
  CHECK(title_of("[{\"resourceSpans\":[") == "Chrome JSON");
  CHECK(title_of("ARROW1") == "digest of a trace");
  CHECK(title_of("\n\x06\x40\x0a\x5a\x02\x08\x01") == "Perfetto protobuf");
  CHECK(title_of("\n\x06\x40\x0a\x5a\x02\x08") == "Perfetto protobuf");  // cut off
  CHECK(title_of("\n\x06\x42\x0a\x5a\x02\x08\x01") == "Chrome JSON");    // its timestamp is no number
  CHECK(title_of("") == "Chrome JSON");
}

TEST_CASE("each format has a title of its own, and reads what it recognises") {
  std::set<std::string_view> titles;
  for (const Format* format : all_formats()) {
    CAPTURE(format->title);
    CHECK(titles.insert(format->title).second);
    CHECK((format->recognises == nullptr || format->read != nullptr));
  }
}

TEST_CASE("what opens elsewhere says where") {
  const TemporaryFolder folder;
  const auto error_of = [](const std::string& path) {
    const auto trace = import_files(std::span(&path, 1));
    return trace ? std::string() : trace.error().message();
  };
  const std::string digest = folder.write("a.digest", std::string("ARROW1\0\0", 8));
  CHECK(error_of(digest).find("lacuna job read those that lacuna digest wrote") != std::string::npos);
  const std::string report = folder.write("a.nsys-rep", "NVIDIA Tegra Profiler Report");
  CHECK(error_of(report).find("nsys export --type sqlite -o '" + folder.path + "/a.sqlite'") != std::string::npos);
}

TEST_CASE("the text of args is the file's own, or none") {
  const TemporaryFolder folder;
  const std::string json = R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "args": {"a": 1}}]})";
  const auto text = open_text(folder.write("a.json", json), 1 << 20);
  REQUIRE(text.has_value());
  std::string read((*text)->size(), '\0');
  CHECK((*text)->read_at(0, read) == json.size());
  CHECK(read == json);
  const auto none = open_text(folder.write("b.json", "[[0, 1, 64, 0]]"), 1 << 20);
  REQUIRE(none.has_value());
  CHECK(*none == nullptr);
}

}  // namespace
}  // namespace lacuna
