#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "capture/wire/record.h"

namespace lacuna {

/// The names that one captured process announced, by id. Ids come in ascending order without holes;
/// anything else is refused. Bounded: a target that sends endless names gets "(name lost)".
class NameList {
 public:
  static constexpr std::size_t kMostNames = std::size_t{1} << 26;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 31;

  /// False when `id` is not the next one.
  bool add(std::uint32_t id, std::string_view text);
  /// Empty for kNoName, "(name lost)" for kLostName and unknown ids.
  std::string_view get(std::uint32_t id) const;
  bool has(std::uint32_t id) const { return id >= wire::kFirstName && id - wire::kFirstName < names_.size(); }
  /// The same, with a C++ symbol (a kernel's) in readable form.
  std::string_view demangled(std::uint32_t id);

 private:
  std::deque<std::string> names_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::uint32_t, std::string> demangled_;
};

}  // namespace lacuna
