#include "model/steps/steps.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "model/base/ascii.h"
#include "model/base/stable_sort.h"
#include "model/causes/known_names.h"
#include "model/trace/engine_steps.h"

namespace lacuna {
namespace {

constexpr std::string_view kPrefix = "ProfilerStep#";

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
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

using StepMemo = BasicNameMemo<std::function<bool(std::string_view)>>;

StepMemo step_memo(const Trace& trace, StepsFrom from) {
  switch (from) {
    case StepsFrom::kPattern:
      return {trace.strings(), [pattern = trace.steps_from()](std::string_view name) {
                return !pattern.empty() && matches_pattern(pattern, name);
              }};
    case StepsFrom::kProfiler:
      return {trace.strings(), is_profiler_step};
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
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kThread || trace.process(track.process).source != source) continue;
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
  return whole_number(name.substr(std::min(name.size(), kPrefix.size())));
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

std::vector<Step> find_steps(const Trace& trace) {
  std::map<std::int64_t, TimeSpan> spans;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    for (const StepMark& mark : find_step_marks(trace, SourceId{s})) {
      if (!mark.number) continue;
      const auto [it, is_new] = spans.try_emplace(*mark.number, mark.span);
      if (!is_new) it->second = it->second.unite(mark.span);
    }
  }
  std::vector<Step> steps;
  for (const auto& [number, span] : spans) steps.push_back({number, span});
  return steps;
}

std::optional<StepNumbers> parse_step_numbers(std::string_view text) {
  text = trimmed(text);
  std::string_view from = text, to = text;
  for (const std::string_view separator : {"..", "-", ":"}) {
    const std::size_t at = text.find(separator, 1);
    if (at == std::string_view::npos) continue;
    from = text.substr(0, at);
    to = text.substr(at + separator.size());
    break;
  }
  const auto a = whole_number(trimmed(from));
  const auto b = whole_number(trimmed(to));
  if (!a || !b || *a < 0 || *b < 0) return std::nullopt;
  return StepNumbers{std::min(*a, *b), std::max(*a, *b)};
}

std::optional<StepRange> parse_step_range(const std::vector<Step>& steps, std::string_view text) {
  const std::optional<StepNumbers> wanted = parse_step_numbers(text);
  if (!wanted) return std::nullopt;
  const auto first = std::ranges::lower_bound(steps, wanted->first, {}, &Step::number);
  const auto last = std::ranges::upper_bound(steps, wanted->last, {}, &Step::number);
  if (first >= last) return std::nullopt;
  return StepRange{static_cast<std::size_t>(first - steps.begin()), static_cast<std::size_t>(last - steps.begin()) - 1};
}

TimeSpan span_of(const std::vector<Step>& steps, StepRange range) {
  if (steps.empty()) return TimeSpan::nothing();
  const std::size_t first = std::min({range.first, range.last, steps.size() - 1});
  const std::size_t last = std::min(std::max(range.first, range.last), steps.size() - 1);
  TimeSpan span = TimeSpan::nothing();
  for (std::size_t i = first; i <= last; ++i) span = span.unite(steps[i].span);
  return span;
}

std::optional<StepRange> steps_of(const std::vector<Step>& steps, TimeSpan span) {
  const auto first = std::ranges::find(steps, span.begin, [](const Step& s) { return s.span.begin; });
  const auto last = std::ranges::find(steps, span.end, [](const Step& s) { return s.span.end; });
  if (first == steps.end() || last == steps.end() || last < first) return std::nullopt;
  return StepRange{static_cast<std::size_t>(first - steps.begin()), static_cast<std::size_t>(last - steps.begin())};
}

}  // namespace lacuna
