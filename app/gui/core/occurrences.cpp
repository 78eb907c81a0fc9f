#include "app/gui/core/occurrences.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/base/cancel.h"

namespace lacuna {
namespace {

/// Sorts by start; slices that start together in the order of their ids.
auto order_key(const Trace& trace, SliceId s) {
  return std::tuple(trace.span(s).begin, s);
}

}  // namespace

void Occurrences::clear() {
  all_.clear();
  slices_.clear();
  histogram_ = {};
  durations_.reset();
  current_.reset();
  name_ = StringId{};
  category_ = CategoryId{};
}

template <class Matches>
void Occurrences::collect(const Trace& trace, TimeSpan range, const std::atomic<bool>* cancel, Matches matches) {
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lane(LaneId{l});
    // The same slices that compute_statistics counts.
    const std::uint32_t first = lane.first_visible_from(range.begin);
    const std::uint32_t last = range.end == kMaxNanos ? lane.size() : lane.first_starting_from(range.end, first);
    for (std::uint32_t i = first; i < last; ++i) {
      if (matches(lane, i)) all_.push_back({LaneId{l}, i});
    }
    if (is_cancelled(cancel)) return;
  }
  finish(trace);
}

void Occurrences::finish(const Trace& trace) {
  std::sort(all_.begin(), all_.end(), [&](SliceId a, SliceId b) { return order_key(trace, a) < order_key(trace, b); });
  slices_ = all_;
  std::vector<Nanos> durations;
  durations.reserve(all_.size());
  for (const SliceId s : all_) durations.push_back(trace.span(s).duration());
  histogram_ = histogram_of(std::move(durations));
}

void Occurrences::restrict(const Trace& trace, std::optional<TimeSpan> durations) {
  durations_ = durations;
  current_.reset();
  slices_ = all_;
  if (!durations_) return;
  std::erase_if(slices_, [&](SliceId s) { return !durations_->contains(trace.span(s).duration()); });
}

void Occurrences::expect(StringId name, CategoryId category) {
  clear();
  name_ = name;
  category_ = category;
}

void Occurrences::assign(const Trace& trace, std::vector<SliceId> slices) {
  clear();
  all_ = std::move(slices);
  finish(trace);
}

void Occurrences::find(const Trace& trace, StringId name, CategoryId category, TimeSpan range,
                       const std::atomic<bool>* cancel) {
  expect(name, category);
  collect(trace, range, cancel,
          [&](const Lane& lane, std::uint32_t i) { return lane.name(i) == name && lane.category(i) == category; });
}

void Occurrences::find(const Trace& trace, const std::vector<StringId>& names, bool on_gpu, bool is_annotation,
                       TimeSpan range, const std::atomic<bool>* cancel) {
  clear();
  std::vector<bool> wanted(trace.strings().size(), false);
  for (const StringId name : names) wanted[name.value] = true;
  collect(trace, range, cancel, [&](const Lane& lane, std::uint32_t i) {
    if (!wanted[lane.name(i).value]) return false;
    switch (trace.category_class(lane.category(i))) {
      case CategoryClass::kKernel:
      case CategoryClass::kMemcpy:
      case CategoryClass::kMemset:
      case CategoryClass::kSynchronisation:
        return on_gpu && !is_annotation;
      case CategoryClass::kGpuAnnotation:
        return on_gpu && is_annotation;
      case CategoryClass::kCpuAnnotation:
        return !on_gpu && is_annotation;
      default:
        return !on_gpu && !is_annotation;
    }
  });
}

SliceId Occurrences::step(const Trace& trace, int direction, Nanos from) {
  if (slices_.empty()) return {};
  const std::size_t n = slices_.size();
  if (current_) {
    current_ = direction > 0 ? (*current_ + 1) % n : (*current_ + n - 1) % n;
  } else {
    const auto at = std::lower_bound(slices_.begin(), slices_.end(), from,
                                     [&](SliceId s, Nanos t) { return trace.span(s).begin < t; });
    const auto index = static_cast<std::size_t>(at - slices_.begin());
    current_ = direction > 0 ? index % n : (index + n - 1) % n;
  }
  return slices_[*current_];
}

void Occurrences::point_at(const Trace& trace, SliceId slice) {
  current_.reset();
  if (!slice.valid()) return;
  const auto at = std::lower_bound(slices_.begin(), slices_.end(), order_key(trace, slice),
                                   [&](SliceId s, const auto& k) { return order_key(trace, s) < k; });
  if (at != slices_.end() && *at == slice) {
    current_ = static_cast<std::size_t>(at - slices_.begin());
  }
}

}  // namespace lacuna
