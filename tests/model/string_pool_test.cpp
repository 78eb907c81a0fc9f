#include "model/trace/string_pool.h"

#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <doctest/doctest.h>

#include "model/base/seeded_hash.h"

using namespace lacuna;

TEST_CASE("equal text has one id, the empty string is 0") {
  StringPool pool;
  CHECK(pool.intern("") == kEmptyString);
  const StringId a = pool.intern("aten::mm");
  CHECK(a != kEmptyString);
  CHECK(pool.intern("aten::mm") == a);
  CHECK(pool.intern("aten::mm_") != a);
  CHECK(pool.get(a) == "aten::mm");
  CHECK(pool.find("aten::mm") == a);
  CHECK_FALSE(pool.find("nowhere").valid());
  CHECK(pool.size() == 3);
  CHECK(pool.get(StringId{}).empty());
}

TEST_CASE("views survive growth and moves, for strings of every length") {
  StringPool pool;
  std::mt19937 random(7);
  std::unordered_map<std::string, StringId> seen;
  const StringId first = pool.intern("first");
  const std::string_view view = pool.get(first);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 40 == 0 ? 70000 + random() % 10 : random() % 30, 'x');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    const StringId id = pool.intern(text);
    const auto [it, is_new] = seen.try_emplace(text, id);
    REQUIRE(it->second == id);
    if (i == 10000) {
      StringPool moved = std::move(pool);
      pool = std::move(moved);
    }
  }
  for (const auto& [text, id] : seen) REQUIRE(pool.get(id) == text);
  CHECK(view.data() == pool.get(first).data());
  CHECK(view == "first");
}

namespace {

/// Names that an unkeyed hash puts beside each other in a table of up to 65,536 slots.
std::vector<std::string> chosen_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; names.size() < count; ++i) {
    std::string name(7, '\0');
    for (std::size_t c = 0; c < name.size(); ++c) name[c] = static_cast<char>('0' + (i >> c * 6 & 63));
    if ((hash_text(name) & 0xFFFF) < 32) names.push_back(name);
  }
  return names;
}

}  // namespace

TEST_CASE("names that someone chose do not fall together") {
  StringPool pool;
  for (const std::string& name : chosen_names(3000)) pool.intern(name);
  CHECK(pool.size() == 3001);
  CHECK(pool.longest_search() < 100);
}

TEST_CASE("numbers and texts that someone chose fall into many buckets") {
  std::unordered_map<std::uint64_t, int, SeededHash> numbers;
  std::unordered_map<std::uint64_t, int> plain;
  plain.reserve(10000);
  numbers.reserve(10000);
  REQUIRE(plain.bucket_count() == numbers.bucket_count());
  for (std::uint64_t i = 0; i < 5000; ++i) numbers[i * numbers.bucket_count()] = plain[i * plain.bucket_count()] = 1;
  CHECK(plain.bucket_size(0) == 5000);  // what chosen numbers do
  std::size_t largest = 0;
  for (std::size_t b = 0; b < numbers.bucket_count(); ++b) largest = std::max(largest, numbers.bucket_size(b));
  CHECK(largest < 20);
  CHECK(seeded_hash("a") == SeededHash{}(std::string("a")));
  CHECK(hash_text("aten::mm") == 18320482506955304103u);  // digests carry it to other processes
}
