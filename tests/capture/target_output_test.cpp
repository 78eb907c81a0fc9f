// The file behind a console: what a target writes comes out once, and neither side waits for the other.
#include "capture/session/target_output.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lacuna;

namespace {

TargetOutput make() {
  auto made = TargetOutput::create(std::filesystem::temp_directory_path().string());
  REQUIRE(made);
  return std::move(*made);
}

std::string read_all(TargetOutput& output) {
  std::string text;
  char block[1000];
  while (const std::size_t got = output.read(block)) text.append(block, got);
  return text;
}

void write_text(const TargetOutput& output, const std::string& text) {
  REQUIRE(write(output.descriptor(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

}  // namespace

TEST_CASE("what is written comes out in order, also behind what was read") {
  TargetOutput output = make();
  CHECK(read_all(output).empty());
  write_text(output, "one\n");
  CHECK(read_all(output) == "one\n");
  write_text(output, "two\n");
  write_text(output, "three\n");
  CHECK(read_all(output) == "two\nthree\n");
  CHECK(read_all(output).empty());
  CHECK(output.take_passed_over() == 0);
}

TEST_CASE("what was read is given back to the disk") {
  TargetOutput output = make();
  for (int i = 0; i < 64; ++i) {
    write_text(output, std::string(std::size_t{1} << 20, 'x'));
    CHECK(read_all(output).size() == std::size_t{1} << 20);
  }
  struct stat now {};
  REQUIRE(fstat(output.descriptor(), &now) == 0);
  CHECK(now.st_size == 64 << 20);
  CHECK(now.st_blocks * 512 <= 4 << 20);
}

TEST_CASE("of what nobody could read in time the newest is kept, and the rest counted") {
  TargetOutput output = make();
  const std::string megabyte(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 32; ++i) write_text(output, megabyte);
  write_text(output, "newest");
  const std::string text = read_all(output);
  CHECK(text.ends_with("newest"));
  CHECK(text.size() + output.take_passed_over() == (std::size_t{32} << 20) + 6);
  CHECK(output.take_passed_over() == 0);
}

TEST_CASE("a folder that is not there is named") {
  const auto made = TargetOutput::create("/nonexistent");
  REQUIRE(!made);
  CHECK(made.error().message().find("/nonexistent") != std::string::npos);
}
