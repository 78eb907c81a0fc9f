#include "model/diff/fused_names.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "model/base/seeded_hash.h"

namespace lacuna {
namespace {

constexpr std::string_view kTriton = "triton_", kFused = "fused_";
constexpr std::size_t kMostWords = 6;  // of an operator's name: "scaled_dot_product_flash_attention" has five

/// "add" of "aten::add_", "softmax" of "aten::_softmax".
std::string_view bare_operator(std::string_view name) {
  if (const std::size_t colons = name.rfind("::"); colons != name.npos) name.remove_prefix(colons + 2);
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

/// "add_mean_mul" of "triton_red_fused_add_mean_mul_0"; empty where the name tells nothing.
std::string_view fused_part(std::string_view name) {
  if (!name.starts_with(kTriton)) return {};
  const std::size_t fused = name.find(kFused);
  if (fused == name.npos) return {};
  name.remove_prefix(fused + kFused.size());
  const std::size_t number = name.rfind('_');
  return number == name.npos ? name : name.substr(0, number);
}

/// Calls visit(part) for all runs of up to kMostWords words of "add_mean_mul".
template <class Visit>
void for_each_run(std::string_view words, Visit&& visit) {
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = begin;
    for (std::size_t n = 0; n < kMostWords && end < words.size(); ++n) {
      end = std::min(words.find('_', end + (n == 0 ? 0 : 1)), words.size());
      if (end > begin) visit(words.substr(begin, end - begin));
    }
    begin = std::min(words.find('_', begin), words.size() - 1) + 1;
  }
}

}  // namespace

std::array<std::vector<std::uint32_t>, 2> group_fused_names(const std::array<std::vector<std::string_view>, 2>& names) {
  const std::size_t first[] = {0, names[0].size()};
  std::vector<std::uint32_t> leader(names[0].size() + names[1].size());
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](std::uint32_t at) {
    while (leader[at] != at) at = leader[at] = leader[leader[at]];
    return at;
  };
  for (std::size_t s = 0; s < 2; ++s) {
    std::unordered_map<std::string_view, std::uint32_t, SeededHash> operators;
    for (std::size_t i = 0; i < names[s].size(); ++i) {
      const std::string_view bare = bare_operator(names[s][i]);
      if (bare.empty() || names[s][i].starts_with(kTriton)) continue;
      const auto [found, is_new] = operators.try_emplace(bare, static_cast<std::uint32_t>(first[s] + i));
      if (!is_new) leader[find(static_cast<std::uint32_t>(first[s] + i))] = find(found->second);
    }
    for (std::size_t i = 0; i < names[1 - s].size(); ++i)
      for_each_run(fused_part(names[1 - s][i]), [&](std::string_view part) {
        if (const auto found = operators.find(part); found != operators.end())
          leader[find(found->second)] = find(static_cast<std::uint32_t>(first[1 - s] + i));
      });
  }
  std::array<std::vector<bool>, 2> is_in{std::vector<bool>(leader.size()), std::vector<bool>(leader.size())};
  std::array<std::vector<std::uint32_t>, 2> groups;
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < names[s].size(); ++i) {
      groups[s].push_back(find(static_cast<std::uint32_t>(first[s] + i)));
      is_in[s][groups[s].back()] = true;
    }
  for (std::vector<std::uint32_t>& of_side : groups)
    for (std::uint32_t& group : of_side)
      if (!is_in[0][group] || !is_in[1][group]) group = kNotFused;
  return groups;
}

}  // namespace lacuna
