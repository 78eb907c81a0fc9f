#include "model/base/number_map.h"

#include <random>
#include <unordered_map>

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("a map of numbers answers as the standard's does, while keys come and go") {
  std::mt19937_64 random(11);
  NumberMap map;
  std::unordered_map<std::uint64_t, std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    const std::uint64_t key = random() % 5'000 * 0x1'0000'0001;
    const std::uint32_t value = static_cast<std::uint32_t>(random() >> 33);
    switch (random() % 4) {
      case 0:
        map.erase(key);
        expected.erase(key);
        break;
      case 1: {
        const auto [held, is_new] = map.try_put(key, value);
        const auto [at, is_new_there] = expected.try_emplace(key, value);
        REQUIRE(is_new == is_new_there);
        REQUIRE(held == at->second);
        break;
      }
      default:
        map.put(key, value);
        expected[key] = value;
    }
    const std::uint64_t asked = random() % 5'000 * 0x1'0000'0001;
    const auto known = expected.find(asked);
    REQUIRE(map.find(asked) == (known == expected.end() ? NumberMap::kNone : known->second));
  }
  REQUIRE(map.size() == expected.size());
  std::size_t seen = 0;
  map.for_each([&](std::uint64_t key, std::uint32_t value) {
    REQUIRE(expected.at(key) == value);
    ++seen;
  });
  CHECK(seen == expected.size());
}
