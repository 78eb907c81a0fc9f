#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace lacuna {

/// XXH3 over bytes that come one after the other: finds damage, proves nothing against malice (that is ssh's).
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;
  void add(std::string_view bytes);
  /// The checksum of what was added since the start, or the last reset().
  std::uint64_t value() const;
  void reset();

  static std::uint64_t of(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
