// The longest common subsequence: what it must be, and that it is the longest wherever the window reaches.
#include "model/calls/sequence_alignment.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

using Sequence = std::vector<std::uint32_t>;

Sequence letters(const std::string& text) {
  return {text.begin(), text.end()};
}

std::size_t aligned(const Sequence& from, const Sequence& to, std::size_t window = 1024) {
  const Sequence found = align_sequences(from, to, window);
  REQUIRE(found.size() == to.size());
  std::size_t count = 0;
  std::int64_t before = -1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == kUnaligned) continue;
    REQUIRE(found[i] < from.size());
    CHECK(from[found[i]] == to[i]);
    CHECK(std::int64_t{found[i]} > before);  // in order, none twice
    before = found[i];
    ++count;
  }
  return count;
}

/// By the textbook, all of the table.
std::size_t longest(const Sequence& a, const Sequence& b) {
  std::vector<Sequence> table(a.size() + 1, Sequence(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
  return table[a.size()][b.size()];
}

}  // namespace

TEST_CASE("sequences that are the same, or have nothing in common") {
  CHECK(align_sequences(letters("abc"), letters("abc")) == Sequence{0, 1, 2});
  CHECK(align_sequences(letters("abc"), letters("xy")) == Sequence{kUnaligned, kUnaligned});
  CHECK(align_sequences({}, letters("a")) == Sequence{kUnaligned});
  CHECK(align_sequences(letters("a"), {}).empty());
}

TEST_CASE("one more on either side costs nothing else") {
  CHECK(align_sequences(letters("abcd"), letters("abXcd")) == Sequence{0, 1, kUnaligned, 2, 3});
  CHECK(align_sequences(letters("abYcd"), letters("abcd")) == Sequence{0, 1, 3, 4});
}

TEST_CASE("a greedy walk would take the far one and lose what lies between") {
  // Greedy takes the only x for the first node, and all between is lost.
  CHECK(aligned(letters("abcdx"), letters("xabcd")) == 4);
}

TEST_CASE("it is the longest, of any sequences") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Sequence a(random() % 40), b(random() % 40);
    for (auto& value : a) value = static_cast<std::uint32_t>(random() % 4);
    for (auto& value : b) value = static_cast<std::uint32_t>(random() % 4);
    CHECK(aligned(a, b) == longest(a, b));
  }
}

TEST_CASE("with a small window it stays an alignment") {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    Sequence a(random() % 60), b(random() % 60);
    for (auto& value : a) value = static_cast<std::uint32_t>(random() % 3);
    for (auto& value : b) value = static_cast<std::uint32_t>(random() % 3);
    CHECK(aligned(a, b, 2) <= longest(a, b));
  }
  // Long ones that differ at both ends, as ten thousand nodes of a graph do.
  Sequence a(10'000), b;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint32_t>(i % 100);
  b = a;
  b.front() = b.back() = 1'000;
  b.insert(b.begin() + 5'000, 2'000);
  CHECK(aligned(a, b) == a.size() - 2);
}
