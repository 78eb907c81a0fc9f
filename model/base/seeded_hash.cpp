#include "model/base/seeded_hash.h"

#include <chrono>
#include <exception>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lacuna {
namespace {

std::uint64_t drawn_seed() noexcept {
  try {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  } catch (const std::exception&) {  // no source of chance: the clock and where the system put this
    static const char place = 0;
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
           reinterpret_cast<std::uintptr_t>(&place);
  }
}

}  // namespace

std::uint64_t hash_seed() noexcept {
  static const std::uint64_t seed = drawn_seed();
  return seed;
}

std::uint64_t seeded_hash(std::string_view text) noexcept {
  return XXH3_64bits_withSeed(text.data(), text.size(), hash_seed());
}

}  // namespace lacuna
