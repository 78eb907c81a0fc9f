// Memory that grows: what is sealed goes to disk, and everybody reads the same as before.
#include "model/base/growing_memory.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "model/base/spill_space.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

bool has_disk() {
  std::string folder;
  const Result<Descriptor> file = open_spill_file(folder);
  if (!file) skip(file.error().message());
  return file.has_value();
}

/// Until no more may go; whether any did.
bool move_sealed(GrowingMemory& memory, std::uint64_t most_bytes) {
  bool has_moved = false;
  while (memory.move_sealed(most_bytes)) has_moved = true;
  return has_moved;
}

std::uint32_t value_at(std::size_t i) {
  return static_cast<std::uint32_t>(i * 2654435761u + 1);
}
std::uint32_t* numbers(const GrowingBlock& block, std::size_t begin) {
  return reinterpret_cast<std::uint32_t*>(block.data() + begin);
}
void write(const GrowingBlock& block, std::size_t begin, std::size_t first, std::size_t last, std::uint32_t more = 0) {
  for (std::size_t i = first; i < last; ++i) numbers(block, begin)[i] = value_at(i) + more;
}
std::size_t differing(const GrowingBlock& block, std::size_t begin, std::size_t first, std::size_t last,
                      std::uint32_t more = 0) {
  std::size_t sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += numbers(block, begin)[i] != value_at(i) + more;
  return sum;
}
SealedBytes sealed(std::size_t begin, std::size_t count) {
  return {begin, begin + count * sizeof(std::uint32_t)};
}

/// Of this process, in bytes; 0 where the system does not say.
std::uint64_t resident(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stoull(line.substr(key.size() + 1)) * 1024;
  return 0;
}

}  // namespace

TEST_CASE("what is sealed goes to disk, is read as before, and takes no memory") {
  const auto memory = GrowingMemory::make();
  if (memory == nullptr || !has_disk()) return;
  const auto block = memory->block(64 * kMiB);
  // Two parts, of which neither begins nor ends where a page does.
  const std::size_t first = 52;
  const std::size_t second = 32 * kMiB + 12;
  constexpr std::size_t kCount = 4'000'001;
  write(*block, first, 0, kCount);
  write(*block, second, 0, kCount);
  const std::uint64_t before = resident("RssShmem:");
  block->seal(std::vector{sealed(first, kCount - 1), sealed(second, kCount - 100)});
  CHECK(memory->usage().sealed_bytes == (2 * kCount - 101) * 4);
  CHECK_FALSE(move_sealed(*memory, 40'000'000));  // no more than that
  CHECK(memory->usage().disk_bytes == 0);
  CHECK(move_sealed(*memory, 20'000'000));
  CHECK(memory->usage().disk_bytes > 12'000'000);
  CHECK(move_sealed(*memory, 0));
  const GrowingMemory::Usage usage = memory->usage();
  CHECK(usage.failure.empty());
  CHECK(usage.disk_bytes > 2 * (kCount - 100) * 4 - 4 * GrowingMemory::kMoveUnit);
  CHECK(usage.sealed_bytes + usage.disk_bytes == (2 * kCount - 101) * 4);
  if (before > 0) CHECK(before - resident("RssShmem:") > 31'000'000);
  CHECK(differing(*block, first, 0, kCount) == 0);
  CHECK(differing(*block, second, 0, kCount) == 0);
  memory->drop_read();
  const std::uint64_t dropped = resident("RssFile:");
  CHECK(differing(*block, first, 0, kCount) == 0);
  if (dropped > 0) {
    CHECK(resident("RssFile:") - dropped > 15'000'000);
    memory->drop_read();
    CHECK(resident("RssFile:") < dropped + 2'000'000);
  }
  // It goes on growing behind that.
  write(*block, first, kCount, 5'000'000);
  block->seal(std::vector{sealed(first, 5'000'000)});
  CHECK(move_sealed(*memory, 0));
  CHECK(differing(*block, first, 0, 5'000'000) == 0);
}

TEST_CASE("copies keep what they wrote while the original goes to disk, made before or after") {
  const auto memory = GrowingMemory::make();
  if (memory == nullptr || !has_disk()) return;
  const auto block = memory->block(64 * kMiB);
  const std::size_t begin = 20;
  std::vector<std::shared_ptr<GrowingBlock>> copies;
  std::vector<std::size_t> sizes;
  constexpr std::size_t kStep = 100'003;
  constexpr std::size_t kOwn = 30'011;  // what a copy appends
  std::size_t count = 0;
  for (int step = 0; step < 40; ++step) {
    write(*block, begin, count, count + kStep);
    count += kStep;
    block->seal(std::vector{sealed(begin, count)});
    // What it knows may be less than is sealed by now, and on disk.
    const std::size_t known = step % 3 == 0 ? count - kStep / 2 : count;
    if (step % 4 == 3) CHECK(move_sealed(*memory, 0));
    if (step % 2 == 0) {
      copies.push_back(block->copy(std::vector{sealed(begin, known)}));
      sizes.push_back(known);
      REQUIRE(copies.back() != nullptr);
      if (step % 8 != 0) write(*copies.back(), begin, known, known + kOwn, 7);
    }
    if (step == 20) copies[3] = nullptr;
  }
  (void)move_sealed(*memory, 0);
  memory->drop_read();
  CHECK(memory->usage().disk_bytes > count * 4 - 3 * GrowingMemory::kMoveUnit);
  CHECK(differing(*block, begin, 0, count) == 0);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i] == nullptr) continue;
    CHECK(differing(*copies[i], begin, 0, sizes[i]) == 0);
    if (i % 4 != 0) CHECK(differing(*copies[i], begin, sizes[i], sizes[i] + kOwn, 7) == 0);
  }
}

TEST_CASE("threads read what goes to disk meanwhile") {
  const auto memory = GrowingMemory::make();
  if (memory == nullptr || !has_disk()) return;
  const auto block = memory->block(64 * kMiB);
  std::atomic<std::size_t> count{0};
  std::atomic<bool> is_over{false};
  std::atomic<std::size_t> wrong{0};
  std::jthread reader([&] {
    while (!is_over)
      for (std::size_t i = 0; i < count; i += 331) wrong += numbers(*block, 0)[i] != value_at(i);
  });
  std::jthread mover([&] {
    while (!is_over) {
      (void)move_sealed(*memory, 0);
      memory->drop_read();
    }
  });
  for (int step = 0; step < 300; ++step) {
    write(*block, 0, count, count + 20'000);
    count += 20'000;
    block->seal(std::vector{sealed(0, count)});
    const auto copy = block->copy(std::vector{sealed(0, count)});
    write(*copy, 0, count, count + 1000, 3);
    wrong += differing(*copy, 0, count, count + 1000, 3);
    wrong += differing(*copy, 0, count - 20'000, count);
  }
  is_over = true;
  reader.join();
  mover.join();
  CHECK(wrong == 0);
  CHECK(differing(*block, 0, 0, count) == 0);
  CHECK(memory->usage().disk_bytes > 0);
}

TEST_CASE("a disk that is full is told, and costs nothing but memory") {
  const auto memory = GrowingMemory::make();
  if (memory == nullptr || !has_disk()) return;
  const auto block = memory->block(64 * kMiB);
  write(*block, 0, 0, 4'000'000);
  block->seal(std::vector{sealed(0, 4'000'000)});
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit little = before;
  little.rlim_cur = 6'000'000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  (void)move_sealed(*memory, 0);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  (void)std::signal(SIGXFSZ, handler);
  CHECK(memory->usage().failure == "File too large");
  CHECK(memory->usage().disk_bytes < 6'000'000);
  CHECK(differing(*block, 0, 0, 4'000'000) == 0);
  CHECK(move_sealed(*memory, 0));  // room is there again
  CHECK(memory->usage().failure.empty());
  CHECK(differing(*block, 0, 0, 4'000'000) == 0);
}

TEST_CASE("a block that goes takes its file along") {
  const auto memory = GrowingMemory::make();
  if (memory == nullptr || !has_disk()) return;
  auto block = memory->block(64 * kMiB);
  write(*block, 0, 0, 4'000'000);
  block->seal(std::vector{sealed(0, 4'000'000)});
  auto copy = block->copy(std::vector{sealed(0, 4'000'000)});
  CHECK(move_sealed(*memory, 0));
  block = nullptr;
  CHECK(differing(*copy, 0, 0, 4'000'000) == 0);
  CHECK(memory->usage().disk_bytes > 0);
  copy = nullptr;
  CHECK(memory->usage().disk_bytes == 0);
  CHECK(memory->usage().sealed_bytes == 0);
}
