// Who called what waits for the GPU, and for what it waited.

#include <fmt/format.h>

#include "model/calls/launched_work.h"
#include "model/causes/gap_evidence.h"
#include "model/notes/note_parts.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// The activity of the file's GPUs that ended last before the call returned, if that was while it waited.
SliceId awaited_by(const Trace& trace, SliceId call) {
  const TimeSpan span = trace.span(call);
  const SourceId source = trace.process(trace.track_of(call).process).source;
  SliceId last;
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, source)) {
    for (std::uint32_t l = 0; l < track.lane_count; ++l) {
      const LaneId id{track.first_lane.value + l};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = lane.first_starting_from(span.end); i-- > 0;) {
        if (!is_gpu_activity(trace.category_class(lane.category(i))) || lane.end(i) > span.end) continue;
        if (lane.end(i) > span.begin && (!last.valid() || lane.end(i) > trace.span(last).end)) last = {id, i};
        break;
      }
    }
  }
  return last;
}

/// Nothing of the program begins on its thread after the call.
bool is_last_of_thread(const Trace& trace, SliceId call) {
  const Nanos end = trace.span(call).end;
  for (const Lane& lane : trace.lanes_of(trace.track_of(call)))
    for (std::uint32_t i = lane.first_starting_from(end); i < lane.size(); ++i) {
      const CategoryClass category = trace.category_class(lane.category(i));
      if (category == CategoryClass::kCpuOperator || category == CategoryClass::kCpuAnnotation) return false;
    }
  return true;
}

}  // namespace

void note_wait(const NoteFacts& facts) {
  const Trace& trace = facts.trace;
  if (facts.category() != CategoryClass::kRuntime || !is_synchronising_call(facts.name()) || is_copy_call(facts.name()))
    return;
  SliceId op, frame, annotation;
  for (const SliceId above : stack_above(trace, facts.slice)) {
    const CategoryClass category = trace.category_class(above);
    const bool is_annotation = category == CategoryClass::kCpuAnnotation || is_annotation_name(trace.name(above));
    if (category == CategoryClass::kCpuOperator && !is_annotation && !op.valid()) op = above;
    if (category == CategoryClass::kPythonFunction && !trace.name(above).starts_with("<built-in") && !frame.valid())
      frame = above;
    if (is_annotation && !annotation.valid()) annotation = above;
  }
  std::string who;
  if (op.valid()) who += fmt::format("{} called it", trace.name(op));
  if (frame.valid())
    who += who.empty() ? fmt::format("{} called it", trace.name(frame)) : fmt::format(", in {}", trace.name(frame));
  if (who.empty() && is_last_of_thread(trace, facts.slice)) {
    who =
        "Nothing of the program is recorded around it or after it on its thread: most likely the profiler called it "
        "as it was stopped, to wait for the last records";
  } else if (who.empty()) {
    who = annotation.valid() ? fmt::format(
                                   "The program called it in {}; operators or Python frames around it are not "
                                   "recorded (with_stack=True records them)",
                                   trace.name(annotation))
                             : std::string("The file does not tell who called it (with_stack=True records that)");
  }
  const SliceId awaited = awaited_by(trace, facts.slice);
  std::string what = "Nothing recorded on the GPU ended while it waited";
  if (awaited.valid())
    what = fmt::format("It waited until {} had ended, {} before it returned", short_kernel_name(trace.name(awaited)),
                       facts.format.duration(facts.span().end - trace.span(awaited).end));
  facts.add("wait", who + ". " + what + ".", awaited.valid() ? awaited : op.valid() ? op : frame);
}

}  // namespace lacuna
