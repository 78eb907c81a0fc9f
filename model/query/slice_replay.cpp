#include "model/query/slice_replay.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr std::size_t kDeepestSlice = 512;

}  // namespace

SliceReplay::Stack& SliceReplay::stack_of(std::uint32_t track) {
  if (track >= stacks_.size()) stacks_.resize(std::max<std::size_t>(track + 1, 2 * stacks_.size()));
  return stacks_[track];
}

std::optional<std::uint32_t> SliceReplay::top(std::uint32_t track) const {
  if (track >= stacks_.size() || stacks_[track].empty()) return {};
  return stacks_[track].back();
}

std::optional<std::uint32_t> SliceReplay::complete(Nanos ts, Nanos dur, std::uint32_t track, StringId category,
                                                   StringId name, std::optional<Overlap>* overlap) {
  if (dur < 0) {
    ++negative_durations;
    return {};
  }
  return start(ts, dur, track, category, name, overlap);
}

std::optional<std::uint32_t> SliceReplay::start(Nanos ts, Nanos dur, std::uint32_t track, StringId category,
                                                StringId name, std::optional<Overlap>* overlap) {
  Stack& stack = stack_of(track);
  if (!close(stack, ts, dur, overlap)) return {};
  if (stack.size() >= kDeepestSlice) {
    ++too_deep;
    return {};
  }
  TraceTables::Slices& slices = tables_.slices;
  const std::uint32_t row = slices.size();
  slices.ts.push_back(ts);
  slices.dur.push_back(dur);
  slices.offset.push_back(0);
  slices.track.push_back(track);
  slices.parent.push_back(stack.empty() ? TraceTables::kNone : stack.back());
  slices.category.push_back(category.value);
  slices.name.push_back(name.value);
  slices.arg_set.push_back(TraceTables::kNone);
  slices.depth.push_back(static_cast<std::uint16_t>(stack.size()));
  stack.push_back(row);
  return row;
}

/// Takes off what is over when a slice of that time starts. False when the slice would cross an open one.
bool SliceReplay::close(Stack& stack, Nanos ts, Nanos dur, std::optional<Overlap>* overlap) {
  TraceTables::Slices& slices = tables_.slices;
  bool has_unfinished_above = false;
  for (std::size_t i = stack.size(); i-- > 0;) {
    const std::uint32_t row = stack[i];
    const Nanos start = slices.ts[row];
    const Nanos length = slices.dur[row];
    if (length == TraceTables::kUnfinished) {
      has_unfinished_above = true;
      continue;
    }
    const Nanos end = saturating_add(start, length);
    if (has_unfinished_above) {
      if (ts <= end) continue;
      ++misplaced_ends;
      for (std::size_t j = i + 1; j < stack.size(); ++j) slices.dur[stack[j]] = end - slices.ts[stack[j]];
      stack.resize(i);
      has_unfinished_above = false;
      continue;
    }
    if (end < ts || (end == ts && !(length == 0 && dur == 0))) {
      stack.pop_back();
      continue;
    }
    if (dur == TraceTables::kUnfinished) continue;
    if (ts < end && saturating_add(ts, dur) > end) {
      if (overlap != nullptr) {
        *overlap = Overlap{ts, end, row};
      } else {
        ++dropped;
      }
      return false;
    }
  }
  return true;
}

std::optional<std::uint32_t> SliceReplay::end(Nanos ts, std::uint32_t track, StringId category, StringId name) {
  if (track >= stacks_.size()) return {};
  Stack& stack = stacks_[track];
  if (!close(stack, ts, TraceTables::kUnfinished, nullptr) || stack.empty()) return {};
  TraceTables::Slices& slices = tables_.slices;
  for (std::size_t i = stack.size(); i-- > 0;) {
    const std::uint32_t row = stack[i];
    if (slices.dur[row] != TraceTables::kUnfinished) continue;
    if (category.valid() && slices.category[row] != category.value) continue;
    if (name.valid() && slices.name[row] != TraceTables::kNone && slices.name[row] != name.value) continue;
    slices.dur[row] = ts - slices.ts[row];
    if (i + 1 == stack.size()) stack.pop_back();
    return row;
  }
  return {};
}

}  // namespace lacuna
