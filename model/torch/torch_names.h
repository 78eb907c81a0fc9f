#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/trace/string_pool.h"

namespace lacuna {

/// The names shown in torch's table for the names in a trace: C++ names demangled,
/// "ProfilerStep#12" as "ProfilerStep*". Names that torch omits from the table have none.
///
/// Each distinct name is processed once, on first use; after that O(1).
class TorchNames {
 public:
  explicit TorchNames(const StringPool& strings) : strings_(strings), known_(strings.size(), kUnknown) {}

  /// The names without a row (profiler_util.py, _filter_name).
  static std::span<const std::string_view> left_out();

  /// Returns an id, equal for names that share a row.
  std::uint32_t of(StringId name) {
    std::uint32_t& known = known_[name.value];
    if (known == kUnknown) known = resolve(strings_.get(name));
    return known;
  }
  std::uint32_t intern(std::string_view text);
  std::string_view text(std::uint32_t id) const { return texts_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }

 private:
  static constexpr std::uint32_t kUnknown = 0xfffffffeu;
  std::uint32_t resolve(std::string_view text);

  const StringPool& strings_;
  std::vector<std::uint32_t> known_;  // by StringId
  std::unordered_map<std::string, std::uint32_t, SeededHash> ids_;
  std::vector<std::string_view> texts_;  // keys of ids_, which never move
};

}  // namespace lacuna
