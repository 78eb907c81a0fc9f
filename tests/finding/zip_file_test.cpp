#include "model/export/zip_file.h"

#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "model/input/bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

std::string member_text(const std::string& path) {
  const auto opened = open_file(path, 1u << 30, nullptr);
  if (!opened) return opened.error().cause;
  std::string text, block(100'000, '\0');
  while (const std::size_t got = opened->bytes->read_at(text.size(), block)) text.append(block, 0, got);
  return text;
}

}  // namespace

TEST_CASE("what is put into a zip archive comes out of it, by the reader that is there") {
  const TemporaryFolder folder;
  const std::string large(3'000'000, 'x'), stored = folder.write("stored.bin", std::string(2'500'000, 'y') + "end");
  const std::string path = folder.path + "/a.zip";
  const std::vector<ZipEntry> entries{
      {"a.txt", "text"}, {"in/large.txt", large}, {"empty.txt"}, {"stored.bin", {}, stored}};
  REQUIRE(write_zip(path, Existing::kKeep, entries));
  CHECK(member_text(path + "/a.txt") == "text");
  const bool is_same = member_text(path + "/in/large.txt") == large;
  CHECK(is_same);
  const bool is_stored = member_text(path + "/stored.bin") == std::string(2'500'000, 'y') + "end";
  CHECK(is_stored);
  const auto bytes_of_it = [&path] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string bytes = bytes_of_it();
  CHECK(bytes.find(folder.path) == std::string::npos);
  REQUIRE(write_zip(path, Existing::kReplace, entries));
  const bool is_equal = bytes_of_it() == bytes;
  CHECK(is_equal);
}

TEST_CASE("an archive is written whole or not at all") {
  const TemporaryFolder folder;
  const std::string path = folder.write("theirs.zip", "theirs");
  CHECK(write_zip(path, Existing::kKeep, {{"a", "b"}}).error().code == ErrorCode::kInvalidArgument);
  CHECK(write_zip(path, Existing::kReplace, {{"a", {}, folder.path + "/none"}}).error().code ==
        ErrorCode::kNotReadable);
  std::ifstream file(path, std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == "theirs");
  CHECK(!write_zip(folder.path + "/no/such.zip", Existing::kReplace, {{"a", "b"}}));
}
