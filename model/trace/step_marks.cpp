#include "model/trace/step_marks.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>
#include <utility>

#include "model/base/ascii.h"
#include "model/base/stable_sort.h"
#include "model/trace/engine_steps.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

constexpr std::string_view kPrefix = "ProfilerStep#";

std::optional<std::int64_t> number_of_all(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// '*' stands for any text, also none.
bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

constexpr std::string_view kStepWords[] = {"train",      "step",          "iter",           "iteration", "batch",
                                           "train_step", "training_step", "training_batch", "train_iter"};

/// Remembers the answer for each name.
class StepMemo {
 public:
  StepMemo(const StringPool& strings, std::function<bool(std::string_view)> is_step)
      : strings_(strings), is_step_(std::move(is_step)), answers_(strings.size(), kUnasked) {}
  bool operator()(StringId id) {
    std::uint8_t& answer = answers_[id.value];
    if (answer == kUnasked) answer = is_step_(strings_.get(id)) ? 1 : 0;
    return answer == 1;
  }

 private:
  static constexpr std::uint8_t kUnasked = 2;
  const StringPool& strings_;
  std::function<bool(std::string_view)> is_step_;
  std::vector<std::uint8_t> answers_;
};

StepMemo step_memo(const Trace& trace, StepsFrom from) {
  switch (from) {
    case StepsFrom::kPattern:
      return {trace.strings(), [pattern = trace.steps_from()](std::string_view name) {
                return !pattern.empty() && matches_pattern(pattern, name);
              }};
    case StepsFrom::kProfiler:
      return {trace.strings(), [](std::string_view name) { return name.starts_with("ProfilerStep"); }};
    case StepsFrom::kEngine:
      return {trace.strings(), [](std::string_view name) { return parse_engine_step(name).has_value(); }};
    case StepsFrom::kNumbered:
      break;
  }
  return {trace.strings(), is_numbered_step};
}

bool has_any(const Trace& trace, StepMemo& is_step) {
  for (std::uint32_t id = 0; id < trace.strings().size(); ++id)
    if (is_step(StringId{id})) return true;
  return false;
}

/// Numbers them, outermost ones alone.
void number_in_order(std::vector<StepMark>& marks) {
  std::int64_t next = 0;
  Nanos end = kMinNanos;
  std::erase_if(marks, [&](StepMark& mark) {
    if (mark.span.end <= end) return true;
    end = mark.span.end;
    mark.number = next++;
    return false;
  });
}

std::vector<StepMark> marks_of(const Trace& trace, const Track& track, StepsFrom from, StepMemo& is_step) {
  std::vector<StepMark> marks;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& lane = trace.lane(id);
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (!is_step(lane.name(i))) continue;
      const CategoryClass category = trace.category_class(lane.category(i));
      if (!may_mark_step(category) || (from == StepsFrom::kNumbered && category != CategoryClass::kCpuAnnotation))
        continue;
      StepMark& mark = marks.emplace_back(StepMark{{id, i}, lane.name(i), lane.span(i), {}, from});
      if (from == StepsFrom::kProfiler) mark.number = number_of_step(trace.text(mark.name));
    }
  }
  sort_stably(marks, {}, [](const StepMark& m) { return m.span.begin; });
  if (from != StepsFrom::kProfiler) number_in_order(marks);
  return marks;
}

std::vector<StepMark> marks_from(const Trace& trace, SourceId source, StepsFrom from) {
  std::vector<StepMark> most;
  StepMemo is_step = step_memo(trace, from);
  if (!has_any(trace, is_step)) return most;  // names are few, slices are many
  for (const Track& track : tracks_of(trace, TrackKind::kThread, source)) {
    std::vector<StepMark> marks = marks_of(trace, track, from, is_step);
    if (marks.size() > most.size()) most = std::move(marks);
  }
  constexpr std::size_t kLeastNumbered = 3;
  if (from == StepsFrom::kNumbered && most.size() < kLeastNumbered) most.clear();
  return most;
}

}  // namespace

bool is_numbered_step(std::string_view name) {
  if (name == "[pl][profile]run_training_batch") return true;
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == name.npos || digits + 1 == name.size()) return false;
  std::string_view word = name.substr(0, digits + 1);
  while (!word.empty() && std::string_view(" _#:-").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  if (word.size() == digits + 1 && word.size() > 0) return false;  // "step7" is as often a name of something else
  return std::ranges::find(kStepWords, to_lower(word)) != std::end(kStepWords);
}

bool may_mark_step(CategoryClass category) {
  return category == CategoryClass::kCpuAnnotation || category == CategoryClass::kCpuOperator;
}

std::optional<std::int64_t> number_of_step(std::string_view name) {
  return number_of_all(name.substr(std::min(name.size(), kPrefix.size())));
}

std::vector<StepMark> find_step_marks(const Trace& trace, SourceId source, StepsFrom from) {
  return marks_from(trace, source, from);
}

std::vector<StepMark> find_step_marks(const Trace& trace, SourceId source) {
  if (const auto wanted = wanted_steps(trace)) return marks_from(trace, source, *wanted);
  for (const StepsFrom from : {StepsFrom::kProfiler, StepsFrom::kEngine, StepsFrom::kNumbered})
    if (auto marks = marks_from(trace, source, from); !marks.empty()) return marks;
  return {};
}

bool has_other_steps(const Trace& trace) {
  if (!trace.steps_from().empty()) return true;
  for (const StepsFrom from : {StepsFrom::kEngine, StepsFrom::kNumbered}) {
    StepMemo is_step = step_memo(trace, from);
    if (has_any(trace, is_step)) return true;
  }
  return false;
}

std::string_view steps_from_key(StepsFrom from) {
  constexpr std::string_view kOrigins[] = {"pattern", "ProfilerStep", "engine annotation", "numbered annotation"};
  return kOrigins[static_cast<std::size_t>(from)];
}

std::optional<StepsFrom> wanted_steps(const Trace& trace) {
  if (trace.steps_from().empty()) return std::nullopt;
  for (const StepsFrom from : {StepsFrom::kProfiler, StepsFrom::kEngine, StepsFrom::kNumbered})
    if (trace.steps_from() == steps_from_key(from)) return from;
  return StepsFrom::kPattern;
}

}  // namespace lacuna
