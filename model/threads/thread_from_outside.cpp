#include "model/threads/thread_from_outside.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>

#include "model/base/stable_sort.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr std::string_view kImport = "import";

/// "train.py(12): step", as the sampler writes functions; what they call in C has a bare name.
bool names_python_function(std::string_view name) {
  const std::size_t at = name.find("): ");
  return at != name.npos && name.rfind('(', at) != name.npos;
}

/// Python's import machinery: what it does is the import of whoever asked for it.
bool imports_modules(std::string_view name) {
  return name.starts_with("<frozen importlib");
}

void add_states_of_thread(const Trace& trace, const Track& track, ThreadFromOutside& out) {
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& lane = trace.lane(id);
    for (std::uint32_t i = 0; i < lane.size(); ++i) out.states.push_back({lane.name(i), lane.span(i), {id, i}});
  }
  if (track.lane_count > 1)
    sort_stably(out.states, std::less{}, [](const ThreadFromOutside::State& state) { return state.span.begin; });
}

void add_parts_of_stacks(const Trace& trace, const Track& track, ThreadFromOutside& out) {
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& lane = trace.lane(id);
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const SliceId slice{id, i};
      // All of an import is one thing that its function called, whatever the imported modules do meanwhile.
      SliceId innermost = slice;
      for (SliceId above = slice; above.valid(); above = trace.parent(above))
        if (imports_modules(trace.name(above))) innermost = above;
      SliceId frame = innermost;
      while (frame.valid() && (!names_python_function(trace.name(frame)) || imports_modules(trace.name(frame))))
        frame = trace.parent(frame);
      if (!frame.valid()) frame = innermost;
      SliceId own, called;
      find_own_frame(trace, innermost, own, called);
      Nanos from = lane.start(i);
      trace.for_each_child(slice, [&](SliceId child) {
        const TimeSpan span = trace.span(child);
        if (span.begin > from) out.parts.push_back({{from, span.begin}, innermost, frame, own, called});
        from = std::max(from, span.end);
      });
      if (lane.end(i) > from) out.parts.push_back({{from, lane.end(i)}, innermost, frame, own, called});
    }
  }
  sort_stably(out.parts, std::less{}, [](const SampledPart& part) { return part.span.begin; });
}

void add_track(const Trace& trace, const Track& track, ThreadFromOutside& out) {
  if (track.kind == TrackKind::kThreadStates) {
    out.state_track = track.id;
    add_states_of_thread(trace, track, out);
  } else {
    out.stack_track = track.id;
    add_parts_of_stacks(trace, track, out);
  }
}

}  // namespace

std::map<std::uint64_t, ThreadFromOutside> see_process_from_outside(const Trace& trace, ProcessId process) {
  std::map<std::uint64_t, ThreadFromOutside> threads;
  for (const TrackId id : trace.process(process).tracks) {
    const Track& track = trace.track(id);
    if (traits_of(track.kind).is_observed && track.slice_count > 0)
      add_track(trace, track, threads[thread_of_sampled(trace.text(track.tid))]);
  }
  return threads;
}

ThreadFromOutside see_thread_from_outside(const Trace& trace, TrackId thread) {
  ThreadFromOutside out;
  const Track& about = trace.track(thread);
  const std::string_view tid = trace.text(about.tid);
  std::uint64_t number = 0;
  if (std::from_chars(tid.data(), tid.data() + tid.size(), number).ec != std::errc{}) return out;
  for (const TrackId id : trace.process(about.process).tracks) {
    const Track& track = trace.track(id);
    if (traits_of(track.kind).is_observed && track.slice_count > 0 &&
        thread_of_sampled(trace.text(track.tid)) == number)
      add_track(trace, track, out);
  }
  return out;
}

std::string_view sampled_call(std::string_view frame) {
  return imports_modules(frame) ? kImport : frame;
}

void find_own_frame(const Trace& trace, SliceId slice, SliceId& own, SliceId& called) {
  own = called = slice;
  bool has_python = false;
  for (SliceId at = slice; at.valid(); called = at, at = trace.parent(at)) {
    const std::string_view name = trace.name(at);
    has_python |= names_python_function(name);
    if (!names_python_function(name) || imports_modules(name) ||
        trace.category_name(trace.lane(at).category(at.index)) == kPythonLibraryCategory)
      continue;
    own = at;
    return;
  }
  called = slice;
  if (has_python) own = {};
}

}  // namespace lacuna
