#include "app/cli/near_names.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostLettersOff = 2;
constexpr std::size_t kLongestCompared = 200;

/// "Train-Step" → "trainstep"
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name.substr(0, kLongestCompared))
    if (is_ascii_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80) letters += to_lower(c);
  return letters;
}

/// How many letters must be put in, taken out or replaced (Levenshtein's distance).
std::size_t letters_off(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i);
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = before + (a[i - 1] == b[k - 1] ? 0 : 1);
      before = std::exchange(row[k], std::min({row[k] + 1, row[k - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

/// Nothing: not near.
std::optional<std::size_t> distance(std::string_view wanted, std::string_view name) {
  if (wanted.empty() || name.empty()) return std::nullopt;
  const std::size_t off = letters_off(wanted, name);
  if (off <= kMostLettersOff && off < wanted.size()) return off;
  if (name.find(wanted) != name.npos || wanted.find(name) != wanted.npos) return kMostLettersOff + 1;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> near_names(std::string_view wanted, std::span<const std::string> names, std::size_t most) {
  const std::string letters = letters_of(wanted);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names)
    if (const auto far = distance(letters, letters_of(name))) near.emplace_back(*far, name);
  std::ranges::sort(near);
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(most, near.size()); ++i) nearest.push_back(std::move(near[i].second));
  return nearest;
}

}  // namespace lacuna
