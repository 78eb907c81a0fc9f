#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "capture/wire/record.h"

namespace lacuna {

/// The names that one captured process has sent, by id. Ids must ascend without holes;
/// others are refused. Bounded: names beyond the limit become "(name lost)".
class NameList {
 public:
  static constexpr std::size_t kMostNames = std::size_t{1} << 26;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 31;

  /// Adds a name. False when `id` is not the next one.
  bool add(std::uint32_t id, std::string_view text);
  /// Returns a name: empty for kNoName, "(name lost)" for kLostName and unknown ids.
  std::string_view get(std::uint32_t id) const;
  bool has(std::uint32_t id) const { return id >= wire::kFirstName && id - wire::kFirstName < names_.size(); }
  /// Like get(), but demangles C++ symbols (of kernels).
  std::string_view demangled(std::uint32_t id);

 private:
  std::deque<std::string> names_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::uint32_t, std::string> demangled_;
};

}  // namespace lacuna
