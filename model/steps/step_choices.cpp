#include "model/steps/step_choices.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/base/stable_sort.h"
#include "model/causes/known_names.h"
#include "model/trace/engine_steps.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// "iteration 5" and "iteration[5]" as "iteration *" and "iteration[*]"; other names as they are.
std::string pattern_of_name(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && !is_digit(name[end - 1]) && !is_ascii_letter(name[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  if (begin == end || begin == 0) return std::string(name);
  return fmt::format("{}*{}", name.substr(0, begin), name.substr(end));
}

struct Repeated {
  std::string pattern;
  bool is_numbered = false;  // those of StepsFrom::kNumbered
  std::size_t count = 0;     // on one thread, the outermost alone
  Nanos covered = 0;
};

/// Annotations by their patterns, in the order in which these occur first.
class RepeatedNames {
 public:
  explicit RepeatedNames(const Trace& trace) : trace_(trace), group_of_(trace.strings().size(), kUnasked) {
    for (const Track& track : tracks_of(trace, TrackKind::kThread)) look(track);
  }
  std::vector<Repeated> take() {
    std::erase_if(groups_, [](const Repeated& group) { return group.count < kLeastRepeated; });
    sort_stably(groups_, std::greater<>{}, &Repeated::covered);
    return std::move(groups_);
  }

 private:
  static constexpr std::uint32_t kUnasked = ~0u, kNone = ~0u - 1;

  std::uint32_t group_of(StringId name) {
    std::uint32_t& group = group_of_[name.value];
    if (group != kUnasked) return group;
    const std::string_view text = trace_.text(name);
    if (text.empty() || is_profiler_step(text) || parse_engine_step(text)) return group = kNone;
    const auto [at, is_new] = by_pattern_.try_emplace(pattern_of_name(text), groups_.size());
    if (is_new) groups_.push_back({at->first, is_numbered_step(text), 0, 0});
    return group = static_cast<std::uint32_t>(at->second);
  }

  /// Steps inside of others are none.
  bool is_inside_same(SliceId slice, std::uint32_t group) {
    for (SliceId outer = trace_.parent(slice); outer.valid(); outer = trace_.parent(outer)) {
      const Lane& lane = trace_.lane(outer);
      if (is_annotation(lane, outer.index) && group_of(lane.name(outer.index)) == group) return true;
    }
    return false;
  }
  bool is_annotation(const Lane& lane, std::uint32_t i) const {
    return trace_.category_class(lane.category(i)) == CategoryClass::kCpuAnnotation;
  }

  void look(const Track& track) {
    std::unordered_map<std::uint32_t, std::pair<std::size_t, Nanos>> found;  // group: how many, how long
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        if (!is_annotation(lane, i)) continue;
        const std::uint32_t group = group_of(lane.name(i));
        if (group == kNone || is_inside_same({id, i}, group)) continue;
        auto& [count, covered] = found[group];
        ++count;
        covered = saturating_add(covered, lane.duration(i));
      }
    }
    for (const auto& [group, all] : found)
      if (all.first > groups_[group].count) std::tie(groups_[group].count, groups_[group].covered) = all;
  }

  const Trace& trace_;
  std::vector<std::uint32_t> group_of_;  // by StringId
  std::vector<Repeated> groups_;
  std::unordered_map<std::string, std::size_t> by_pattern_;
};

std::string name_of_kind(StepsFrom from) {
  switch (from) {
    case StepsFrom::kProfiler:
      return "ProfilerStep#N";
    case StepsFrom::kEngine:
      return "engine annotations";
    case StepsFrom::kNumbered:
      return "numbered annotations";
    case StepsFrom::kPattern:
      break;
  }
  return {};
}

std::size_t most_marks(const Trace& trace, StepsFrom from) {
  std::size_t most = 0;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s)
    most = std::max(most, find_step_marks(trace, SourceId{s}, from).size());
  return most;
}

}  // namespace

std::vector<StepChoice> find_step_choices(const Trace& trace) {
  std::vector<StepChoice> choices;
  const auto wanted = wanted_steps(trace);
  bool is_first_found = true;
  for (const StepsFrom from : {StepsFrom::kProfiler, StepsFrom::kEngine, StepsFrom::kNumbered}) {
    const std::size_t count = most_marks(trace, from);
    if (count == 0) continue;
    StepChoice& choice = choices.emplace_back(StepChoice{from, {}, name_of_kind(from), count, false});
    if (!is_first_found) choice.steps_from = steps_from_key(from);
    choice.is_used = wanted ? wanted == from : is_first_found;
    is_first_found = false;
  }
  const auto is_listed = [&](const Repeated& group) {  // as numbered annotations, all of one name
    const auto numbered = std::ranges::find(choices, StepsFrom::kNumbered, &StepChoice::from);
    return numbered != choices.end() && numbered->count == group.count && group.is_numbered;
  };
  if (wanted == StepsFrom::kPattern)
    choices.push_back({StepsFrom::kPattern, trace.steps_from(), fmt::format("'{}'", trace.steps_from()),
                       most_marks(trace, StepsFrom::kPattern), true});
  std::size_t offered = 0;
  for (Repeated& group : RepeatedNames(trace).take()) {
    if (offered == kMostRepeated) break;
    if (group.pattern == trace.steps_from() || is_listed(group)) continue;
    std::string name = fmt::format("'{}'", group.pattern);
    choices.push_back({StepsFrom::kPattern, std::move(group.pattern), std::move(name), group.count, false});
    ++offered;
  }
  const auto used = std::ranges::find(choices, true, &StepChoice::is_used);
  if (used != choices.end()) std::rotate(choices.begin(), used, used + 1);
  return choices;
}

std::string step_choices_line(const std::vector<StepChoice>& choices) {
  std::string line;
  for (const StepChoice& choice : choices) {
    const std::string_view before = &choice != choices.data() ? "; also " : choice.is_used ? "" : "none; could be ";
    const bool goes_on = choices.size() > 1 && &choice > &choices[1];
    line += fmt::format("{}{} ({})", goes_on ? ", " : before, choice.name, choice.count);
  }
  return line;
}

std::string without_asked_steps(const Trace& trace) {
  std::string text = fmt::format("nothing is called '{}'", trace.steps_from());
  std::string_view before = "; steps could be ";
  for (const StepChoice& choice : find_step_choices(trace)) {
    if (choice.is_used) continue;
    text += fmt::format("{}{} ({})", before, choice.name, choice.count);
    before = ", ";
  }
  return text;
}

}  // namespace lacuna
