#include "model/base/spill_space.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#if !defined(_WIN32)
#include <sys/resource.h>
#endif

#include "model/base/page_memory.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

/// From here on this process has its tables on disk: what other test cases of it do not notice.
bool can_spill() {
  if (const auto started = start_spilling(); !started) skip(started.error().message());
  return is_spilling();
}

}  // namespace

TEST_CASE("blocks on disk are apart, keep what is written, and are taken again") {
  if (!can_spill()) return;
  struct Block {
    unsigned char* at;
    std::size_t bytes;
    unsigned char value;
  };
  std::mt19937 random(7);
  std::vector<Block> blocks;
  const auto holds = [](const Block& block) {
    for (std::size_t i = 0; i < block.bytes; ++i)
      if (block.at[i] != block.value) return false;
    return true;
  };
  const std::uint64_t before = spill_usage().bytes;
  for (int step = 0; step < 4000; ++step) {
    if (blocks.size() < 60 || random() % 2 == 0) {
      const std::size_t bytes = random() % 4 == 0 ? 1 + random() % 600'000 : 1 + random() % 5000;
      auto* at = static_cast<unsigned char*>(spill(bytes));
      REQUIRE(at != nullptr);
      CHECK(is_spilled(at));
      CHECK(is_spilled(at + bytes - 1));
      CHECK(reinterpret_cast<std::uintptr_t>(at) % 64 == 0);
      blocks.push_back({at, bytes, static_cast<unsigned char>(step)});
      std::memset(at, blocks.back().value, bytes);
    } else {
      const std::size_t i = random() % blocks.size();
      CHECK(holds(blocks[i]));
      free_spilled(blocks[i].at);
      blocks[i] = blocks.back();
      blocks.pop_back();
    }
  }
  for (const Block& block : blocks) {
    CHECK(holds(block));
    free_spilled(block.at);
  }
  // All but the chunk for small blocks that is being filled.
  CHECK(spill_usage().bytes <= before + (1 << 20));
  CHECK(spill_usage().peak_bytes > before + (8 << 20));
}

TEST_CASE("tables made before and after lie where they were made, and go back there") {
  PageVector<int> before(1'000'000, 3);
  if (!can_spill()) return;
  const std::uint64_t bytes = spill_usage().bytes;
  {
    PageVector<int> after(1'000'000, 4);
    CHECK(is_spilled(after.data()));
    const PageVector<int> small(200, 5);
    CHECK(is_spilled(small.data()));
    const PageVector<int> tiny(20, 6);
    CHECK_FALSE(is_spilled(tiny.data()));
    CHECK(spill_usage().bytes >= bytes + 4'000'000);
    std::swap(before, after);
    CHECK(after[999'999] == 3);
    CHECK(before[999'999] == 4);
  }
  before = {};
  CHECK(spill_usage().bytes <= bytes + (1 << 20));
}

TEST_CASE("several threads make and free blocks") {
  if (!can_spill()) return;
  std::vector<std::jthread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      for (int i = 0; i < 300; ++i) {
        PageVector<int> table(static_cast<std::size_t>(200 + i * 97), t);
        for (const int value : table) wrong += value != t;
      }
    });
  threads.clear();
  CHECK(wrong == 0);
}

TEST_CASE("a full disk is an error where a table is made") {
#if defined(_WIN32)
  skip("Windows limits no file's size");
#else
  if (!can_spill()) return;
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const rlimit small{64 << 20, old.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  CHECK_THROWS_AS(PageVector<char>(128 << 20), std::bad_alloc);
  CHECK(spill_usage().is_full);
  const PageVector<char> fits(1 << 20, 'x');  // others go on
  CHECK(fits.back() == 'x');
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
  CHECK(PageVector<char>(128 << 20).size() == 128 << 20);
#endif
}
