#include "model/formats/perfetto/slice_pairs.h"

#include <algorithm>
#include <numeric>

namespace lacuna {
namespace {

using Numbers = std::span<std::uint32_t>;
using SliceKind = IndexedEvent::Kind;

class TrackPairs {
 public:
  TrackPairs(std::span<const IndexedEvent> events, std::vector<std::uint32_t>& partners)
      : events_(events), partners_(partners) {}

  /// Begins and ends of one track, in the order of the file.
  void pair(Numbers numbers) {
    const auto time = [&](std::uint32_t number) { return events_[number].time; };
    if (std::ranges::is_sorted(numbers, {}, time)) return pair_innermost(numbers);
    if (pair_by_place(numbers)) return;
    std::ranges::stable_sort(numbers, {}, time);
    pair_innermost(numbers);
  }

 private:
  bool is_begin(std::uint32_t number) const { return events_[number].kind == SliceKind::kBegin; }
  void tie(std::uint32_t begin, std::uint32_t end) {
    partners_[begin] = end;
    partners_[end] = begin;
  }

  void pair_innermost(Numbers numbers) {
    open_.clear();
    for (const std::uint32_t number : numbers) {
      if (is_begin(number)) {
        open_.push_back(number);
      } else if (!open_.empty()) {
        tie(open_.back(), number);
        open_.pop_back();
      }
    }
  }

  /// Runs of begins, each followed by as many ends.
  bool pair_by_place(Numbers numbers) {
    const auto run_end = [&](std::size_t from, bool is_begin_run) {
      while (from < numbers.size() && is_begin(numbers[from]) == is_begin_run) ++from;
      return from;
    };
    for (const bool is_check : {true, false}) {
      for (std::size_t begin = 0; begin < numbers.size();) {
        const std::size_t middle = run_end(begin, true), end = run_end(middle, false);
        if (end - middle != middle - begin) return false;
        for (std::size_t i = begin; i < middle; ++i) {
          const std::uint32_t first = numbers[i], last = numbers[i + (middle - begin)];
          if (events_[last].time < events_[first].time) return false;
          if (!is_check) tie(first, last);
        }
        begin = end;
      }
    }
    return true;
  }

  std::span<const IndexedEvent> events_;
  std::vector<std::uint32_t>& partners_;
  std::vector<std::uint32_t> open_;
};

}  // namespace

std::vector<std::uint32_t> pair_slices(std::span<const IndexedEvent> events) {
  std::vector<std::uint32_t> partners(events.size(), kNoPartner);
  std::vector<std::uint32_t> slices, states;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == SliceKind::kBegin || events[i].kind == SliceKind::kEnd) slices.push_back(i);
    if (events[i].kind == SliceKind::kState) states.push_back(i);
  }
  const auto track = [&](std::uint32_t number) { return events[number].track; };
  std::ranges::stable_sort(slices, {}, track);
  TrackPairs pairs(events, partners);
  for (std::size_t begin = 0; begin < slices.size();) {
    std::size_t end = begin;
    while (end < slices.size() && track(slices[end]) == track(slices[begin])) ++end;
    pairs.pair(Numbers(slices).subspan(begin, end - begin));
    begin = end;
  }
  std::ranges::stable_sort(states, {},
                           [&](std::uint32_t number) { return std::pair(events[number].track, events[number].time); });
  for (std::size_t i = 1; i < states.size(); ++i) {
    if (track(states[i]) == track(states[i - 1])) partners[states[i - 1]] = states[i];
  }
  return partners;
}

std::vector<std::uint32_t> order_of_time(std::span<const IndexedEvent> events) {
  std::vector<std::uint32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t number) { return events[number].time; });
  return order;
}

}  // namespace lacuna
