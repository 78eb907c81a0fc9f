#include "model/base/page_memory.h"

#include <atomic>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "model/base/os/pages.h"
#include "model/build/event_batch.h"
#include "tests/support/skip.h"

using namespace lacuna;

/// How often several threads, which free and take tables of the same sizes, find what another has written. `keep` makes
/// what each holds for a round.
template <class Keep>
int others_marks(int rounds, Keep keep) {
  constexpr int kThreads = 4;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([t, rounds, keep, &wrong] {
        for (int round = 0; round < rounds; ++round) {
          [[maybe_unused]] const auto kept = keep();
          const std::size_t size = 300'000 + static_cast<std::size_t>(round % 7) * 100'000;
          auto* const block = static_cast<unsigned char*>(allocate_block(size));
          const auto mark = static_cast<unsigned char>(t * 50 + round % 50);
          for (std::size_t at = 0; at < size; at += 4096) block[at] = mark;
          for (std::size_t at = 0; at < size; at += 4096) wrong += block[at] != mark;
          free_block(block, size);
        }
      });
  }
  return wrong;
}

TEST_CASE("pages of freed tables lie under new ones of other sizes, within bounds") {
  if (!can_move_pages()) return skip("pages cannot be moved here");
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  CHECK(PageReuse::kept_bytes() == 0);
  free_block(allocate_block(3 * kMebi), 3 * kMebi);
  CHECK(PageReuse::kept_bytes() == 0);
  {
    const PageReuse reuse(8 * kMebi);
    std::vector<unsigned char*> small;
    for (int i = 0; i < 12; ++i) small.push_back(static_cast<unsigned char*>(allocate_block(kMebi)));
    for (unsigned char* const block : small) std::memset(block, 7, kMebi);
    {
      const PageReuse more(10 * kMebi);
      for (unsigned char* const block : small) free_block(block, kMebi);
      CHECK(PageReuse::kept_bytes() == 10 * kMebi);
    }
    CHECK(PageReuse::kept_bytes() == 8 * kMebi);

    // They are where the new block begins; behind them it has fresh ones, and all of it can be written.
    auto* const large = static_cast<unsigned char*>(allocate_block(20 * kMebi));
    CHECK(PageReuse::kept_bytes() == 0);
    CHECK(large[0] == 7);
    CHECK(large[8 * kMebi - 1] == 7);
    CHECK(large[8 * kMebi] == 0);
    std::memset(large, 9, 20 * kMebi);
    free_block(large, 20 * kMebi);
    CHECK(PageReuse::kept_bytes() == 8 * kMebi);

    // Of a piece, only what is needed is taken; a size that is no whole number of pages is filled up to one.
    auto* const odd = static_cast<unsigned char*>(allocate_block(kMebi + 1));
    std::memset(odd, 1, kMebi + 1);
    CHECK(PageReuse::kept_bytes() < 7 * kMebi);
    CHECK(PageReuse::kept_bytes() >= 7 * kMebi - 65536);
    free_block(odd, kMebi + 1);
    CHECK(PageReuse::kept_bytes() == 8 * kMebi);
  }
  CHECK(PageReuse::kept_bytes() == 0);
}

TEST_CASE("of several who want pages kept the one who wants most counts, in whatever order they come and go") {
  if (!can_move_pages()) return skip("pages cannot be moved here");
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  const auto keep_much = [] { free_block(allocate_block(20 * kMebi), 20 * kMebi); };
  auto most = std::make_unique<PageReuse>(8 * kMebi);
  auto least = std::make_unique<PageReuse>(2 * kMebi);
  auto middle = std::make_unique<PageReuse>(4 * kMebi);
  keep_much();
  CHECK(PageReuse::kept_bytes() == 8 * kMebi);
  most.reset();
  CHECK(PageReuse::kept_bytes() <= 4 * kMebi);
  keep_much();
  CHECK(PageReuse::kept_bytes() == 4 * kMebi);
  middle.reset();
  keep_much();
  CHECK(PageReuse::kept_bytes() == 2 * kMebi);
  least.reset();
  CHECK(PageReuse::kept_bytes() == 0);
}

TEST_CASE("kept pages come in no crumbs, and in no more pieces than there is room for") {
  if (!can_move_pages()) return skip("pages cannot be moved here");
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  constexpr std::size_t kMostPieces = 4096;
  {
    const PageReuse reuse(kPiece + 4096);
    std::vector<void*> blocks = {allocate_block(kPiece), allocate_block(kPiece)};
    for (void* const block : blocks) free_block(block, kPiece);
    CHECK(PageReuse::kept_bytes() == kPiece);
  }
  {
    const PageReuse reuse(std::size_t{1} << 30);
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < kMostPieces + 50; ++i) blocks.push_back(allocate_block(kPiece));
    for (void* const block : blocks) free_block(block, kPiece);
    CHECK(PageReuse::kept_bytes() == kMostPieces * kPiece);
  }
  CHECK(PageReuse::kept_bytes() == 0);
}

TEST_CASE("what is freed and not kept goes back to the system, whatever its size") {
#if defined(_WIN32)
  skip("only Linux says how much address space a process takes");
#else
  const auto mapped_pages = [] {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
  };
  const auto use_some = [] {
    for (std::size_t bytes = 70'000; bytes < 40'000'000; bytes += bytes / 9) free_block(allocate_block(bytes), bytes);
  };
  use_some();
  constexpr std::size_t kOfMalloc = 64;  // pages that the test itself may take meanwhile
  const std::size_t before = mapped_pages();
  use_some();
  CHECK(mapped_pages() <= before + kOfMalloc);
  {
    const PageReuse reuse(std::size_t{30} << 20);
    use_some();
    CHECK(PageReuse::kept_bytes() == std::size_t{30} << 20);
  }
  CHECK(mapped_pages() <= before + kOfMalloc);
#endif
}

TEST_CASE("threads whose tables share kept pages never share one page") {
  {
    const PageReuse reuse(std::size_t{4} << 20);
    CHECK(others_marks(100, [] { return 0; }) == 0);
  }
  // The last reuse to go gives back what the others may be about to take.
  CHECK(others_marks(200, [] { return PageReuse(std::size_t{4} << 20); }) == 0);
  CHECK(PageReuse::kept_bytes() == 0);
}

TEST_CASE("copies of a batch's tracks share sealed records") {
  EventBatch batch;
  const std::uint32_t index = batch.track({});
  SliceRecord slice;
  for (slice.start = 5; slice.start > 0; --slice.start) batch.tracks[index].slices.push_back(slice);
  batch.seal();
  const EventBatch::TrackEvents& sealed = batch.tracks[index];
  const EventBatch::TrackEvents copy = sealed;
  REQUIRE(copy.sealed_slices.size() == 5);
  CHECK(copy.sealed_slices.begin() == sealed.sealed_slices.begin());
  CHECK(copy.sealed_slices[0].start == 1);

  // More of it, sealed again, leaves the copy as it is.
  slice.start = 3;
  batch.tracks[index].slices.push_back(slice);
  batch.seal();
  CHECK(sealed.sealed_slices.size() == 6);
  CHECK(sealed.sealed_slices[3].start == 3);
  CHECK(copy.sealed_slices.size() == 5);
}
