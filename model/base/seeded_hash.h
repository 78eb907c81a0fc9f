#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lacuna {

/// A random number, constant for the life of the process.
std::uint64_t hash_seed() noexcept;

/// XXH3 with that seed. The author of a file cannot provoke collisions. Two processes hash differently, so use it
/// for tables in memory only.
std::uint64_t seeded_hash(std::string_view text) noexcept;

/// Hash for tables keyed by contents of files. std::hash maps integers to themselves and hashes texts with a fixed
/// seed: chosen keys would all collide in one bucket.
struct SeededHash {
  std::size_t operator()(std::string_view text) const noexcept { return seeded_hash(text); }
  std::size_t operator()(std::uint64_t key) const noexcept { return mix(key, hash_seed()); }
  std::size_t operator()(std::int64_t key) const noexcept { return mix(static_cast<std::uint64_t>(key), hash_seed()); }

  /// Hashes keys of several parts: mix(mix(first, hash_seed()), second) …
  static std::uint64_t mix(std::uint64_t key, std::uint64_t seed) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(key ^ seed) * (0x9E3779B97F4A7C15ull ^ (seed << 32 | 1));
    const std::uint64_t once = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    return (once ^ once >> 29) * 0xBF58476D1CE4E5B9ull;
  }
};

}  // namespace lacuna
