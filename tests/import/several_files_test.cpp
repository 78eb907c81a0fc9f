// Several files on one time axis: folders, patterns, alignment, labels.
#include <filesystem>
#include <fstream>

#include "import_support.h"
#include "model/import/alignment.h"
#include "model/import/trace_files.h"
#include "model/trace/import_finding.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

/// A folder with files in it that disappears with the object.
class Folder {
 public:
  Folder() : anchor_("anchor", "") {
    path_ = anchor_.path() + ".d";
    std::filesystem::create_directory(path_);
  }
  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(path_ + "/" + name) << content;
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryFile anchor_;
  std::string path_;
};

/// One slice at `ts`, with `head` before the events.
std::string trace_of(std::string_view head, std::string_view ts, std::string_view name = "a") {
  return "{" + std::string(head) + R"("traceEvents":[{"ph":"X","cat":"cpu_op","name":")" + std::string(name) +
         R"(","pid":1,"tid":1,"ts":)" + std::string(ts) + R"(,"dur":1}]})";
}

Trace load(std::vector<std::string> paths) {
  auto trace = import_files(paths);
  REQUIRE_MESSAGE(trace.has_value(), trace.error().message());
  return std::move(*trace);
}

Nanos start_of(const Trace& trace, std::string_view name) {
  for (const Lane& lane : trace.lanes())
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      if (trace.text(lane.name(i)) == name) return lane.start(i);
  FAIL("no slice " << name);
  return 0;
}

}  // namespace

TEST_CASE("files lie by their own times, or where they are put, when that is asked for") {
  const Folder folder;
  const std::string a = folder.put("a.json", trace_of(R"("baseTimeNanoseconds":1000000,)", "5", "first"));
  const std::string b = folder.put("b.json", trace_of(R"("baseTimeNanoseconds":3000000,)", "7", "second"));
  const std::vector<std::string> paths = {a, b};
  CHECK(start_of(load(paths), "second") == 7'000 + 2'000'000);
  ImportOptions options;
  options.clocks = FileClocks::kRaw;
  const Result<Trace> raw = import_files(paths, options);
  REQUIRE(raw);
  CHECK(start_of(*raw, "first") == 5'000);
  CHECK(start_of(*raw, "second") == 7'000);
  CHECK(raw->sources()[1].shift_ns == 0);
  CHECK(raw->sources()[0].alignment == Alignment::kRaw);
  options.clocks = FileClocks::kGiven;
  options.shifts = {{b, -6'000}};
  const Result<Trace> given = import_files(paths, options);
  REQUIRE(given);
  CHECK(start_of(*given, "first") == 5'000);
  CHECK(start_of(*given, "second") == 1'000);
  CHECK(given->sources()[1].alignment == Alignment::kGiven);
}

TEST_CASE("a folder stands for its traces in natural order, a pattern for what matches") {
  const Folder folder;
  for (const char* name : {"rank10.json", "rank2.json", "b.json.gz", "C.JSON", ".hidden.json", "notes.txt"})
    folder.put(name, "x");
  std::filesystem::create_directory(folder.path() + "/sub.json");
  const auto names = [&](const std::string& path) {
    std::vector<std::string> result;
    const auto files = find_trace_files(std::span(&path, 1));
    REQUIRE(files.has_value());
    for (const TraceFile& file : *files) {
      CHECK(file.was_found);
      result.push_back(std::filesystem::path(file.path).filename().string());
    }
    return result;
  };
  CHECK(names(folder.path()) == std::vector<std::string>{"C.JSON", "b.json.gz", "rank2.json", "rank10.json"});
  CHECK(names(folder.path() + "/rank*.json") == std::vector<std::string>{"rank2.json", "rank10.json"});
  CHECK(names(folder.path() + "/[n]*") == std::vector<std::string>{"notes.txt"});
  const std::string nothing = folder.path() + "/none*";
  CHECK(find_trace_files(std::span(&nothing, 1)).error().code == ErrorCode::kNotFound);
  CHECK(may_be_traces(folder.path()));
  CHECK(may_be_traces(folder.path() + "/rank*"));
  CHECK_FALSE(may_be_traces(nothing));
  // A file whose name looks like a pattern is that file.
  const std::string odd = folder.put("a[1].json", "x");
  CHECK_FALSE(find_trace_files(std::span(&odd, 1))->front().was_found);
}

TEST_CASE("what is no trace is left out of a folder and counted, but is an error by name") {
  const Folder folder;
  folder.put("rank0.json", trace_of("", "5"));
  folder.put("rank1.json", trace_of("", "5"));
  const std::string facts = folder.put("facts.json", R"({"events": 3, "ph": {"X": 2}})");
  folder.put("empty.json", "");
  const Trace trace = load({folder.path()});
  CHECK(trace.sources().size() == 2);
  CHECK(trace.report().count(Finding::kNotATraceFile) == 2);
  CHECK_FALSE(import_files(std::vector{folder.path() + "/rank0.json", facts}).has_value());
  const Folder others;
  others.put("a.json", "{}");
  others.put("b.json", "{}");
  CHECK(import_files(std::vector{others.path()}).error().code == ErrorCode::kNotATrace);
}

TEST_CASE("by baseTimeNanoseconds") {
  const Folder folder;
  const auto a =
      folder.put("a.json", trace_of(R"("baseTimeNanoseconds":1000000,"distributedInfo":{"rank":0},)", "5", "first"));
  const auto b =
      folder.put("b.json", trace_of(R"("baseTimeNanoseconds":1500000,"distributedInfo":{"rank":1},)", "7", "second"));
  const Trace trace = load({a, b});
  CHECK(trace.sources()[0].alignment == Alignment::kBaseTime);
  CHECK(trace.sources()[1].shift_ns == 500'000);
  CHECK(start_of(trace, "first") == 5'000);
  CHECK(start_of(trace, "second") == 507'000);
  CHECK(trace.report().line(Finding::kFilesAligned).example == "by their baseTimeNanoseconds");
  // Which file comes first decides whose times stay.
  CHECK(start_of(load({b, a}), "first") == -495'000);
}

TEST_CASE("times since 1970 need no base, even beside one") {
  const Folder folder;
  const auto a = folder.put("a.json", trace_of("", "1694128201426556", "first"));
  const auto b =
      folder.put("b.json", trace_of(R"("baseTimeNanoseconds":1694128201000000000,)", "1694128201426558.5", "second"));
  const auto c = folder.put("c.json", trace_of(R"("baseTimeNanoseconds":1694128201000000000,)", "426559", "third"));
  const Trace two = load({a, b});
  CHECK(two.sources()[0].alignment == Alignment::kAbsoluteTime);
  CHECK(start_of(two, "second") - start_of(two, "first") == 2'500);
  const Trace three = load({a, b, c});
  CHECK(three.sources()[0].alignment == Alignment::kBaseTime);
  CHECK(start_of(three, "third") - start_of(three, "first") == 3'000);
}

TEST_CASE("by the start where one file knows no absolute time") {
  const Folder folder;
  const auto a = folder.put("a.json", trace_of("", "100", "first"));
  const auto b = folder.put("b.json", trace_of(R"("baseTimeNanoseconds":1500000,)", "7", "second"));
  const auto c =
      folder.put("c.json", R"({"traceEvents":[{"ph":"M","name":"process_name","pid":9,"args":{"name":"x"}}]})");
  const Trace trace = load({c, a, b});
  CHECK(trace.sources()[0].alignment == Alignment::kStart);
  CHECK(start_of(trace, "first") == 100'000);
  CHECK(start_of(trace, "second") == 100'000);
}

TEST_CASE("processes carry the label of their file, and pids of different files do not meet") {
  const Folder folder;
  const auto a = folder.put("a.json", trace_of(R"("distributedInfo":{"rank":3},)", "1"));
  const auto b = folder.put("b.json", trace_of(R"("distributedInfo":{"rank":4},)", "2"));
  const auto c = folder.put("c.json", trace_of("", "3"));
  const auto names = [](const Trace& trace) {
    std::vector<std::string> result;
    for (const Process& process : trace.processes()) result.emplace_back(trace.text(process.name));
    return result;
  };
  CHECK(names(load({a, b})) == std::vector<std::string>{"rank 3 · process 1", "rank 4 · process 1"});
  CHECK(names(load({a, c})) == std::vector<std::string>{"a.json · process 1", "c.json · process 1"});
  CHECK(names(load({a, a})) == std::vector<std::string>{"a.json · process 1", "a.json · process 1"});
  CHECK(names(load({a})) == std::vector<std::string>{"process 1"});
}
