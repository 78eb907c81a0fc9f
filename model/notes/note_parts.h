#pragma once
// Building blocks of the notes; for the sources of this folder.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/causes/known_names.h"
#include "model/notes/slice_notes.h"

namespace lacuna {

/// One slice with the data read for it, and the notes so far.
struct NoteFacts {
  const Trace& trace;
  SliceId slice;
  std::span<const Argument> arguments;
  const ReportFormat& format;
  std::vector<SliceNote>& notes;

  std::string_view name() const { return trace.name(slice); }
  CategoryClass category() const { return trace.category_class(slice); }
  TimeSpan span() const { return trace.span(slice); }
  /// Returns the value of an arg; empty if there is none.
  std::string_view argument(std::string_view key) const {
    const auto found = std::ranges::find(arguments, key, &Argument::key);
    return found == arguments.end() ? std::string_view() : found->value;
  }
  void add(std::string_view key, std::string text, SliceId place = {}) const {
    notes.push_back({key, std::move(text), place});
  }
};

/// Calls visit(slice) for `slice`, then for all slices inside it on its thread; returning false stops.
template <class Visit>
void for_each_inside(const Trace& trace, SliceId slice, Visit&& visit) {
  if (!visit(slice)) return;
  const Lane& own = trace.lane(slice);
  const TimeSpan span = trace.span(slice);
  const Track& track = trace.track(own.track);
  for (std::uint32_t l = slice.lane.value + 1; l < track.first_lane.value + track.lane_count; ++l) {
    const Lane& lane = trace.lane(LaneId{l});
    if (lane.nest != own.nest) break;
    std::uint32_t i = lane.first_starting_from(span.begin);
    if (i >= lane.size() || lane.start(i) >= span.end) break;
    for (; i < lane.size() && lane.start(i) < span.end; ++i)
      if (lane.end(i) <= span.end && !visit(SliceId{LaneId{l}, i})) return;
  }
}

/// Calls visit(activity, call) for all GPU work launched inside `slice`, on its thread.
template <class Visit>
void for_each_launched(const Trace& trace, SliceId slice, Visit&& visit) {
  for_each_inside(trace, slice, [&](SliceId inside) {
    if (trace.category_class(inside) == CategoryClass::kRuntime)
      for (const LaunchLink& link : trace.links().activities_of(inside)) visit(link.activity, inside);
    return true;
  });
}

// Each function adds the notes of one topic.
void note_known_name(const NoteFacts& facts);
void note_compiled_code(const NoteFacts& facts);
void note_dead_window(const NoteFacts& facts);
void note_wait(const NoteFacts& facts);
void note_attention(const NoteFacts& facts);
void note_bias(const NoteFacts& facts);
void note_roof(const NoteFacts& facts);
void note_copies(const NoteFacts& facts);
void note_occupancy(const NoteFacts& facts);

}  // namespace lacuna
