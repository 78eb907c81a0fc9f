#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace lacuna {

/// XXH3 over consecutive bytes: detects damage, but not manipulation (ssh does).
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;
  void add(std::string_view bytes);
  /// Returns the checksum of the bytes added since the start, or the last reset().
  std::uint64_t value() const;
  void reset();

  static std::uint64_t of(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
