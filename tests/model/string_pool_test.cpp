#include "model/trace/string_pool.h"

#include <random>
#include <string>
#include <unordered_map>

#include <doctest/doctest.h>

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
