#include "model/causes/charged_time.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <utility>

#include "model/causes/known_names.h"

namespace lacuna {
namespace {

struct HashOfCharged {
  std::size_t operator()(const ChargedTo& to) const {
    const std::size_t names = std::size_t{to.name.value} << 32 | to.inner.value;
    return (names + static_cast<std::size_t>(to.level)) * 0x9E3779B97F4A7C15ull;
  }
};

/// Where the walk over all levels at once is.
class LevelsAt {
 public:
  LevelsAt(const Trace& trace, const CpuTimeline& timeline) : trace_(trace) {
    for (std::size_t l = 0; l < kCpuLevelCount; ++l) levels_[l] = timeline.level(static_cast<CpuLevel>(l));
  }

  StringId name(CpuLevel level) const {
    const SliceId slice = now(level);
    return slice.valid() ? trace_.lane(slice).name(slice.index) : kEmptyString;
  }
  bool is_known(CpuLevel level) const { return now(level).valid(); }

  /// On to where one of them changes; `end` where none does any more.
  Nanos step(Nanos end) {
    for (std::size_t l = 0; l < kCpuLevelCount; ++l)
      if (at_[l] + 1 < levels_[l].size()) end = std::min(end, levels_[l][at_[l] + 1].begin);
    for (std::size_t l = 0; l < kCpuLevelCount; ++l)
      while (at_[l] + 1 < levels_[l].size() && levels_[l][at_[l] + 1].begin <= end) ++at_[l];
    return end;
  }

 private:
  SliceId now(CpuLevel level) const {
    const auto l = static_cast<std::size_t>(level);
    return levels_[l].empty() ? SliceId{} : levels_[l][at_[l]].slice;
  }

  const Trace& trace_;
  std::array<std::span<const Stretch>, kCpuLevelCount> levels_;
  std::array<std::size_t, kCpuLevelCount> at_{};
};

ChargedTo charged_at(const LevelsAt& levels) {
  constexpr CpuLevel kInItsPlace[] = {CpuLevel::kPython, CpuLevel::kRuntime, CpuLevel::kAnnotation};
  if (levels.is_known(CpuLevel::kCalledOperator))
    return {CpuLevel::kCalledOperator, levels.name(CpuLevel::kCalledOperator), levels.name(CpuLevel::kOperator)};
  for (const CpuLevel level : kInItsPlace)
    if (levels.is_known(level)) return {level, levels.name(level), kEmptyString};
  return {};
}

}  // namespace

ChargedTime::ChargedTime(const Trace& trace, const CpuTimeline& timeline, bool loads_data)
    : window_(timeline.window()) {
  std::unordered_map<ChargedTo, std::uint32_t, HashOfCharged> known;
  std::unordered_map<StringId, bool> loaders;
  const auto is_loader = [&](StringId name) {
    const auto [found, is_new] = loaders.try_emplace(name, false);
    if (is_new) found->second = is_data_loading(trace.text(name));
    return found->second;
  };
  LevelsAt levels(trace, timeline);
  for (Nanos t = window_.begin; t < window_.end; t = levels.step(window_.end)) {
    ChargedTo to = charged_at(levels);
    if (loads_data && levels.is_known(CpuLevel::kAnnotation))
      if (const StringId name = levels.name(CpuLevel::kAnnotation); is_loader(name))
        to = {CpuLevel::kAnnotation, name, kEmptyString};
    if (!begins_.empty() && all_[of_.back()] == to) continue;
    const auto [found, is_new] = known.try_emplace(to, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(to);
    begins_.push_back(t);
    of_.push_back(found->second);
  }
}

std::span<const ChargedTime::Charge> ChargedTime::charges(TimeSpan span) {
  found_.clear();
  span = span.intersect(window_);
  if (span.empty()) return {};
  const auto after = std::ranges::upper_bound(begins_, span.begin);
  const auto first = static_cast<std::size_t>(after - begins_.begin()) - 1;
  const auto last = static_cast<std::size_t>(std::lower_bound(after, begins_.end(), span.end) - begins_.begin());
  constexpr std::size_t kFew = 32;  // stretches that are looked at one by one, whatever has been asked before
  if (last - first > kFew && looked_at_ > begins_.size()) {
    if (earlier_.empty()) sum_up();
    add(first, span);
    add_firsts(first + 1, last - 1, 1, 0, earlier_.size() / 2);
    add(last - 1, span);
  } else {
    looked_at_ += last - first;
    for (std::size_t i = first; i < last; ++i) add(i, span);
  }
  return found_;
}

void ChargedTime::add(std::size_t i, TimeSpan span) {
  found_.push_back({all_[of_[i]], TimeSpan{begins_[i], end(i)}.intersect(span).duration()});
}

void ChargedTime::add_firsts(std::size_t first, std::size_t last, std::size_t node, std::size_t begin, std::size_t n) {
  if (begin >= last || begin + n <= first || earlier_[node] > first) return;
  if (n == 1) {
    found_.push_back({all_[of_[begin]], time_from(begin, last)});
    return;
  }
  add_firsts(first, last, 2 * node, begin, n / 2);
  add_firsts(first, last, 2 * node + 1, begin + n / 2, n / 2);
}

void ChargedTime::sum_up() {
  const std::size_t n = begins_.size();
  std::vector<Nanos> sums(all_.size(), 0);
  std::vector<std::uint32_t> one_past_last(all_.size(), 0);
  first_same_.assign(all_.size() + 1, 0);
  const std::size_t leaves = std::bit_ceil(n);
  earlier_.assign(2 * leaves, kNoIndex);
  before_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t to = of_[i];
    before_[i] = sums[to];
    sums[to] = saturating_add(sums[to], end(i) - begins_[i]);
    earlier_[leaves + i] = std::exchange(one_past_last[to], static_cast<std::uint32_t>(i + 1));
    ++first_same_[to + 1];
  }
  for (std::size_t node = leaves; --node > 0;) earlier_[node] = std::min(earlier_[2 * node], earlier_[2 * node + 1]);
  for (std::size_t to = 0; to < all_.size(); ++to) first_same_[to + 1] += first_same_[to];
  same_.resize(n);
  std::vector<std::uint32_t> next(first_same_.begin(), first_same_.end() - 1);
  for (std::size_t i = 0; i < n; ++i) same_[next[of_[i]]++] = static_cast<std::uint32_t>(i);
}

Nanos ChargedTime::time_from(std::size_t i, std::size_t last) const {
  const auto begin = same_.begin() + first_same_[of_[i]];
  const auto behind = same_.begin() + first_same_[of_[i] + 1];
  const std::size_t last_same = *(std::lower_bound(begin, behind, last) - 1);
  return before_[last_same] - before_[i] + (end(last_same) - begins_[last_same]);
}

}  // namespace lacuna
