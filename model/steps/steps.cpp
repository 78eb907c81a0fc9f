#include "model/steps/steps.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace lacuna {
namespace {

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

}  // namespace

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
