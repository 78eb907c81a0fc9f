#include "model/export/claimed_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "model/export/output_file.h"
#include "model/export/own_trace.h"
#include "model/export/trace_json_writer.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace lacuna;

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

ErrorCode refusal(const std::string& path, Existing existing) {
  const auto claimed = ClaimedFile::claim(path, existing);
  REQUIRE_FALSE(claimed);
  CHECK(claimed.error().file == path);
  return claimed.error().code;
}

void write_own_trace(const std::string& path) {
  auto claimed = ClaimedFile::claim(path, Existing::kKeep);
  REQUIRE(claimed);
  TraceJsonWriter writer(claimed->file());
  writer.begin({});
  writer.add(StreamedSlice{{1, 1, TrackKind::kThread, 0}, "a", "cpu_op", 0, 5, 0, {}, false});
  writer.end({});
  REQUIRE(claimed->file().finish());
  REQUIRE(claimed->publish());
}

}  // namespace

TEST_CASE("what Lacuna wrote is known by its content, whole or cut, compressed or not") {
  const TemporaryFolder folder;
  for (const char* name : {"/a.json", "/a.json.gz", "/a.json.zst"}) {
    CAPTURE(name);
    const std::string path = folder.path + name;
    write_own_trace(path);
    CHECK(is_own_trace(path));
    if (std::string_view(name) == "/a.json") {
      fs::resize_file(path, 120);
      CHECK(is_own_trace(path));
    }
  }
  CHECK(is_own_trace(folder.write("earlier.json",
                                  "{\n\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ms\",\n"
                                  "\"baseTimeNanoseconds\": 17,\n\"traceEvents\": [\n\n]\n}\n")));
  CHECK_FALSE(is_own_trace(folder.write("a.json.txt", "{\n\"writtenBy\": \"somebody else\"")));
  CHECK_FALSE(is_own_trace(folder.write("kineto.json", "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n")));
  CHECK_FALSE(is_own_trace(folder.write("a.py", "import torch")));
  CHECK_FALSE(is_own_trace(folder.write("empty", "")));
  CHECK_FALSE(is_own_trace(folder.path));
  CHECK_FALSE(is_own_trace(folder.path + "/none"));
}

TEST_CASE("what is there stays unless Lacuna wrote it or it is to be replaced") {
  const TemporaryFolder folder;
  const std::string victim = folder.write("victim.py", "import torch");
  CHECK(refusal(victim, Existing::kReplaceOurs) == ErrorCode::kInvalidArgument);
  CHECK(refusal(victim, Existing::kKeep) == ErrorCode::kInvalidArgument);
  CHECK(content_of(victim) == "import torch");
  const std::string own = folder.path + "/own.json";
  write_own_trace(own);
  CHECK(refusal(own, Existing::kKeep) == ErrorCode::kInvalidArgument);
  CHECK(ClaimedFile::claim(own, Existing::kReplaceOurs));
  CHECK(ClaimedFile::claim(victim, Existing::kReplace));
  CHECK(ClaimedFile::claim(folder.write("empty", ""), Existing::kReplaceOurs));
  CHECK(content_of(victim) == "import torch");  // until there is something to put there
  CHECK(is_own_trace(own));
  CHECK(files_in(folder.path) == 3);
}

TEST_CASE("nothing new is left of a file that was not published") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.json";
  {
    auto claimed = ClaimedFile::claim(path, Existing::kKeep);
    REQUIRE(claimed);
    claimed->file().write("text");
    CHECK(claimed->written_path() != path);
    CHECK(claimed->path() == path);
  }
  CHECK(files_in(folder.path) == 0);
}

TEST_CASE("what a killed process left without having written anything goes with the next claim in its folder") {
  const TemporaryFolder folder;
  const std::string left = folder.write("left.json", ""), hidden = folder.write(".saving-00c0de-left.json", "");
  const std::string full = folder.write("full.json", ""), begun = folder.write(".saving-00c0de-full.json", "[");
  const std::string own = folder.write("own.json", "");  // somebody's empty file
  auto other = ClaimedFile::claim(folder.path + "/other.json", Existing::kKeep);
  REQUIRE(other);
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK_FALSE(std::filesystem::exists(hidden));
  CHECK(std::filesystem::exists(full));
  CHECK(std::filesystem::exists(begun));
  CHECK(std::filesystem::exists(own));
  // One that is being written stays.
  REQUIRE(ClaimedFile::claim(folder.path + "/third.json", Existing::kKeep));
  CHECK(std::filesystem::exists(folder.path + "/other.json"));
  CHECK(std::filesystem::exists(other->written_path()));
}

TEST_CASE("a path is claimed once at a time, before and after it is published") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.json";
  for (const bool is_there : {false, true}) {
    CAPTURE(is_there);
    auto first = ClaimedFile::claim(path, Existing::kReplaceOurs);
    REQUIRE(first);
    CHECK(first->replaces() == is_there);
    CHECK(refusal(path, Existing::kReplace) == ErrorCode::kNotWritable);
    TraceJsonWriter writer(first->file());
    writer.begin({});
    REQUIRE(first->publish());
    CHECK(first->is_published());
    CHECK(first->written_path() == path);
    CHECK(refusal(path, Existing::kReplace) == ErrorCode::kNotWritable);
    writer.end({});
    REQUIRE(first->file().finish());
    CHECK(content_of(path).ends_with("]\n}\n"));
    CHECK(is_own_trace(path));
    CHECK(files_in(folder.path) == 1);
  }
}

TEST_CASE("what a stranger puts at the path meanwhile stays, and what was written gets a name of its own") {
#if defined(_WIN32)
  skip("nobody can replace what is open on Windows");
#else
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.json.gz";
  const auto strange = [&](const char* text) {
    const std::string other = folder.write("other", text);
    fs::rename(other, path);
  };
  {
    auto claimed = ClaimedFile::claim(path, Existing::kReplaceOurs);
    REQUIRE(claimed);
    claimed->file().write("ours");
    strange("theirs");
    const Result<void> published = claimed->publish();
    REQUIRE_FALSE(published);
    CHECK(published.error().code == ErrorCode::kInvalidArgument);
    REQUIRE(claimed->publish_beside());
    CHECK(claimed->path() == folder.path + "/a-2.json.gz");
    REQUIRE(claimed->file().finish());
  }
  CHECK(content_of(path) == "theirs");
  CHECK(fs::file_size(folder.path + "/a-2.json.gz") > 0);
  CHECK(files_in(folder.path) == 2);
#endif
}

TEST_CASE("what cannot be put into its place because that has gone is no other program's file") {
#if defined(_WIN32)
  skip("nobody can remove a folder of open files on Windows");
#else
  const TemporaryFolder folder;
  fs::create_directory(folder.path + "/a");
  auto claimed = ClaimedFile::claim(folder.path + "/a/t.json", Existing::kKeep);
  REQUIRE(claimed);
  claimed->file().write("x");
  REQUIRE(claimed->file().finish());
  fs::remove_all(folder.path + "/a");
  const Result<void> published = claimed->publish();
  REQUIRE_FALSE(published);
  CHECK(published.error().code == ErrorCode::kNotWritable);
#endif
}

TEST_CASE("links are followed, devices are written into, permissions stay") {
#if defined(_WIN32)
  skip("only administrators make links on Windows");
#else
  const TemporaryFolder folder;
  const std::string path = folder.write("private.json", "{}");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  const std::string link = folder.path + "/link.json";
  fs::create_symlink("private.json", link);
  {
    auto claimed = ClaimedFile::claim(link, Existing::kReplace);
    REQUIRE(claimed);
    claimed->file().write("new");
    REQUIRE(claimed->publish());
    REQUIRE(claimed->file().finish());
  }
  CHECK(fs::is_symlink(link));
  CHECK(content_of(path) == "new");
  CHECK((fs::status(path).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
  fs::create_symlink("nowhere", folder.path + "/broken");
  CHECK(refusal(folder.path + "/broken", Existing::kReplace) == ErrorCode::kNotWritable);
  CHECK(refusal(folder.path, Existing::kReplace) == ErrorCode::kNotWritable);
  CHECK(refusal(folder.path + "/none/a", Existing::kReplace) == ErrorCode::kNotWritable);
  auto device = ClaimedFile::claim("/dev/null", Existing::kKeep);
  REQUIRE(device);
  CHECK(device->is_published());
  CHECK(device->file().finish());
#endif
}

TEST_CASE("a suffix goes before the ending") {
  CHECK(with_suffix("/a.b/out.json.gz", "-2") == "/a.b/out-2.json.gz");
  CHECK(with_suffix("out", "-2") == "out-2");
  CHECK(with_suffix("/x/.hidden.json", "-2") == "/x/.hidden-2.json");
}
