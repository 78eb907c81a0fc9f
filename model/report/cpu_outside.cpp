#include "model/report/cpu_outside.h"

#include <algorithm>
#include <charconv>
#include <string>

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
  std::vector<TimeSpan> preempted;
  for (const Lane& lane : trace.lanes_of(track))
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const std::string_view state = trace.text(lane.name(i));
      if (state == kRunningState) continue;
      if (state == kPreemptedState) {
        preempted.push_back(lane.span(i));
        continue;
      }
      out.waiting.push_back(lane.span(i));
      out.waits.push_back({lane.name(i), lane.span(i)});
    }
  out.preempted = IntervalSet(std::move(preempted));
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
      Nanos from = lane.start(i);
      trace.for_each_child(slice, [&](SliceId child) {
        const TimeSpan span = trace.span(child);
        if (span.begin > from) out.parts.push_back({{from, span.begin}, innermost, frame});
        from = std::max(from, span.end);
      });
      if (lane.end(i) > from) out.parts.push_back({{from, lane.end(i)}, innermost, frame});
    }
  }
}

}  // namespace

ThreadFromOutside see_thread_from_outside(const Trace& trace, TrackId thread) {
  ThreadFromOutside out;
  const Track& about = trace.track(thread);
  const std::string_view tid = trace.text(about.tid);
  std::uint64_t number = 0;
  if (std::from_chars(tid.data(), tid.data() + tid.size(), number).ec != std::errc{}) return out;
  for (const TrackId id : trace.process(about.process).tracks) {
    const Track& track = trace.track(id);
    if (!is_beside_thread(track.kind) || track.slice_count == 0 || thread_of_sampled(trace.text(track.tid)) != number)
      continue;
    if (track.kind == TrackKind::kThreadStates) {
      out.has_states = true;
      add_states_of_thread(trace, track, out);
    } else {
      out.has_stacks = true;
      add_parts_of_stacks(trace, track, out);
    }
  }
  return out;
}

std::string_view sampled_call(std::string_view frame) {
  return imports_modules(frame) ? kImport : frame;
}

std::string called_path(const Trace& trace, SliceId slice, std::size_t most) {
  std::string path;
  for (std::size_t i = 0; slice.valid() && i < most; slice = trace.parent(slice)) {
    const std::string_view name = sampled_call(trace.name(slice));
    if (name == kImport && path.starts_with(kImport)) continue;  // its many frames are one
    ++i;
    if (i > 1 && name.ends_with(": <module>")) break;  // where the program begins is no news
    path = path.empty() ? std::string(name) : std::string(name) + " \xE2\x86\x92 " + path;
  }
  return path;
}

}  // namespace lacuna
