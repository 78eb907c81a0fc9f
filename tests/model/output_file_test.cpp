// What OutputFile writes, in each format, and reading a .zst back while it grows.
#include "model/export/output_file.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/base/os/files.h"
#include "model/export/framed_bytes.h"
#include "model/export/replace_file.h"
#include "model/input/bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

std::string random_text(std::size_t size) {
  std::mt19937 random(5);
  std::string text;
  while (text.size() < size) text += fmt::format("{{\"ts\":{}}},\n", random());
  text.resize(size);
  return text;
}

std::string all_of(const ByteSource& bytes, std::size_t most) {
  std::string text(most, '\0');
  text.resize(bytes.read_at(0, text));
  return text;
}

}  // namespace

TEST_CASE("plain, gzip and zstd files have the text that was written") {
  const TemporaryFolder folder;
  const std::string text = random_text(1'500'000);
  for (const char* name : {"a.json", "a.json.gz", "a.json.zst"}) {
    CAPTURE(name);
    const std::string path = folder.path + "/" + name;
    auto file = OutputFile::create(path);
    REQUIRE(file);
    CHECK(file->is_compressed() == (std::string(name) != "a.json"));
    // In small pieces, in one that is larger than all buffers, and with flushes in between.
    for (std::size_t at = 0; at < 100'000; at += 100) {
      file->write(std::string_view(text).substr(at, 100));
      if (at % 30'000 == 0) file->flush();
    }
    file->write(std::string_view(text).substr(100'000));
    CHECK(file->size() == text.size());
    REQUIRE(file->finish());
    const auto opened = open_file(path, ~0ull, nullptr);
    REQUIRE(opened);
    CHECK(all_of(*opened->bytes, 2 * text.size()) == text);
    CHECK_FALSE(opened->bytes->ending().is_truncated);
  }
}

TEST_CASE("a zstd file is read from anywhere while it is being written") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.zst";
  const std::string text = random_text(3'000'000);
  auto file = OutputFile::create(path);
  REQUIRE(file);
  FramedBytes bytes(open_for_reading(path));
  REQUIRE(bytes.is_open());
  std::atomic<bool> is_over = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> reads = 0;
  std::thread reader([&] {
    std::mt19937 random(9);
    while (!is_over || reads == 0) {
      const std::uint64_t size = bytes.size();
      if (size == 0) continue;
      const std::uint64_t at = random() % size;
      std::string got(1 + random() % 600'000, '\0');
      got.resize(bytes.read_at(at, got));
      if (got.empty() || text.compare(at, got.size(), got) != 0) ++wrong;
      ++reads;
    }
  });
  std::mt19937 random(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t piece = std::min<std::size_t>(1 + random() % 20'000, text.size() - at);
    file->write(std::string_view(text).substr(at, piece));
    at += piece;
    if (random() % 3 == 0) continue;
    file->flush();
    bytes.grow(*file);
    CHECK(bytes.size() == at);
  }
  file->flush();
  bytes.grow(*file);
  is_over = true;
  reader.join();
  CHECK(wrong == 0);
  CHECK(all_of(bytes, 2 * text.size()) == text);
  char byte = 0;
  CHECK(bytes.read_at(text.size(), {&byte, 1}) == 0);
}

TEST_CASE("what was not flushed, or is damaged on the disk, is not read") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.zst";
  const std::string text = random_text(100'000);
  auto file = OutputFile::create(path);
  REQUIRE(file);
  FramedBytes bytes(open_for_reading(path));
  file->write(text);
  bytes.grow(*file);
  CHECK(bytes.size() == 0);
  CHECK(all_of(bytes, 100).empty());
  file->flush();
  bytes.grow(*file);
  std::filesystem::resize_file(path, file->written().file - 1);
  CHECK(bytes.size() == text.size());
  CHECK(all_of(bytes, 100).empty());
}

TEST_CASE("a file is replaced whole or not at all") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.json.gz", "old");
  const auto files = [&] {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path)) ++count;
    return count;
  };
  const auto replace = [&](const Result<void>& result) {
    return replace_file(path, Existing::kReplace, [&](OutputFile& out) {
      out.write("new");
      return result;
    });
  };
  const Result<void> failed = replace(fail(ErrorCode::kNotReadable, "it cannot be read"));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().cause == "it cannot be read");
  CHECK(failed.error().file == path);
  CHECK(std::filesystem::file_size(path) == 3);  // the old one
  CHECK(files() == 1);
  REQUIRE(replace({}));
  const auto opened = open_file(path, ~0ull, nullptr);
  REQUIRE(opened);
  CHECK(all_of(*opened->bytes, 100) == "new");
  CHECK(files() == 1);
}
