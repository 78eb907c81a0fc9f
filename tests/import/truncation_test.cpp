// A file that ends anywhere: every event that is complete is there, the damage is reported.
#include <algorithm>

#include <fmt/format.h>

#include "import_support.h"
#include "tests/support/rounds.h"
#include "tests/support/skip.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

const std::string kHead = R"({"schemaVersion": 1, "displayTimeUnit": "ns", "traceEvents": [)";

const std::vector<std::string> kEventTexts{
    R"({"ph":"X","cat":"cpu_op","name":"aten::\"mm\" },{","pid":1,"tid":2,"ts":1712195495406752.797,"dur":5.5,"args":{"External id":3,"dims":[[1,2],[{"a":"b"}]]}})",
    "\n  {\n    \"ph\": \"f\", \"id\": 7, \"pid\": 0, \"tid\": 7, \"ts\": 2, \"bp\": \"e\", \"cat\": \"ac2g\", "
    "\"name\": \"ac2g\"\n  }",
    R"({"ph":"C","name":"\u00e9é","pid":1,"ts":3,"args":{"v":0.5}})",
    R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}})",
    R"({})",
    R"({"ph":"i","name":"last","pid":"Spans","tid":"x","ts":4,"s":"g"})"};

constexpr std::string_view kTail = R"(], "traceName": "a \"b\"", "n": {"a": [1, 2]}})";

}  // namespace

TEST_CASE("cut at every byte") {
  std::string json = kHead;
  std::vector<std::size_t> ends;
  for (const std::string& event : kEventTexts) {
    if (!ends.empty()) json += ",";
    json += event;
    ends.push_back(json.size());
  }
  const std::size_t list_end = json.size();
  json += kTail;
  const ReadResult whole = read_text(json);
  REQUIRE(whole.result.has_value());
  REQUIRE(whole.events() == 5);
  const auto all_records = lines(whole);

  for (std::size_t size = 0; size <= json.size(); ++size) {
    CAPTURE(size);
    std::uint64_t complete = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) complete += ends[i] <= size && kEventTexts[i] != "{}";
    for (const ImportOptions& options : {ImportOptions(), tolerant(), cut_every(1), cut_every(50)}) {
      const ReadResult read = read_text(std::string_view(json).substr(0, size), options);
      REQUIRE(read.events() == complete);
      REQUIRE(read.result.has_value() == (complete > 0));
      if (size == json.size()) {
        REQUIRE(read.count(Finding::kUnterminated) == 0);
      } else if (complete > 0) {
        REQUIRE(read.count(Finding::kUnterminated) == 1);
        REQUIRE(read.report.total(Severity::kRepaired) == 0);
        // Where the incomplete event begins, else where the file ends.
        const std::uint64_t offset = read.offset(Finding::kUnterminated);
        REQUIRE(offset <= size);
        if (size < list_end) REQUIRE((offset == size || json[offset] == '{'));
      }
      for (const std::string& line : lines(read))
        if (line[0] == '@') REQUIRE(std::ranges::find(all_records, line) != all_records.end());
    }
  }
}

TEST_CASE("a bare list cut at every byte") {
  std::string json = "[";
  std::vector<std::size_t> ends;
  for (const std::string& event : kEventTexts) {
    if (!ends.empty()) json += ", ";
    json += event;
    ends.push_back(json.size());
  }
  for (std::size_t size = 0; size <= json.size(); ++size) {
    CAPTURE(size);
    std::uint64_t complete = 0;
    bool is_between = false;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      complete += ends[i] <= size && kEventTexts[i] != "{}";
      is_between |= ends[i] == size || ends[i] + 1 == size || ends[i] + 2 == size;
      is_between |= size == ends[i] + 3 && kEventTexts[i + 1][0] == '\n';
      is_between |=
          size >= ends[i] + 3 && size <= ends[i] + 5 && i + 1 < kEventTexts.size() && kEventTexts[i + 1][0] == '\n';
    }
    const ReadResult read = read_text(std::string_view(json).substr(0, size), cut_every(20));
    REQUIRE(read.events() == complete);
    if (complete == 0) continue;
    REQUIRE(read.result.has_value());
    // The format allows a list to stay open: nothing is missing between events.
    REQUIRE(read.count(Finding::kUnterminated) == (is_between ? 0 : 1));
  }
}

TEST_CASE("a real trace cut at every byte keeps every complete event") {
  const std::string folder = shared_traces();
  if (folder.empty()) {
    skip("the shared traces are not there");
    return;
  }
  const std::string json = read_file(folder + "/quirks/kineto__after_fix_trace.json");
  REQUIRE(json.size() > 15'000);
  // Where the entries of traceEvents end, by counting brackets outside strings.
  std::vector<std::size_t> ends;
  std::size_t list_end = 0;
  std::size_t depth = 0;
  for (std::size_t i = json.find('[', json.find("\"traceEvents\"")) + 1; list_end == 0; ++i) {
    REQUIRE(i < json.size());
    const char c = json[i];
    if (c == '"') {
      for (++i; json[i] != '"'; ++i) i += json[i] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (depth == 0 && c == ']') {
      list_end = i + 1;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      ends.push_back(i + 1);
    }
  }
  REQUIRE(ends.size() == read_text(json).events());
  for (std::size_t size = 0; size < json.size(); size += one_of(3)) {
    CAPTURE(size);
    const auto complete = static_cast<std::uint64_t>(std::ranges::upper_bound(ends, size) - ends.begin());
    ImportOptions whole;
    whole.threads = 1;
    std::vector<ImportOptions> ways{whole};
    if (size % 16 == 0) ways = {whole, tolerant(), cut_every(1000)};
    for (const ImportOptions& options : ways) {
      const ReadResult read = read_text(std::string_view(json).substr(0, size), options);
      REQUIRE(read.events() == complete);
      REQUIRE(read.result.has_value() == (complete > 0));
      if (complete == 0) continue;
      // Reported, and where: in the event that is cut off, or where the file ends.
      REQUIRE(read.report.total(Severity::kRepaired) == 0);
      const bool only_blanks_missing = json.find_first_not_of(" \n\r\t", size) == std::string::npos;
      REQUIRE(read.count(Finding::kUnterminated) == (only_blanks_missing ? 0 : 1));
      if (only_blanks_missing) continue;
      REQUIRE(read.offset(Finding::kUnterminated) <= size);
      REQUIRE(read.offset(Finding::kUnterminated) >= ends[complete - 1]);
    }
  }
}
