#include "app/gui/models/navigation/copy_slice.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cut/json_text.h"
#include "app/gui/core/track_names.h"
#include "model/import/arguments.h"

namespace lacuna {

std::string slice_as_text(const Trace& trace, SliceId slice) {
  const TimeSpan span = trace.span(slice);
  std::string text = fmt::format("Name: {}\n", trace.name(slice));
  if (const auto category = trace.category_name(trace.lane(slice).category(slice.index)); !category.empty()) {
    text += fmt::format("Category: {}\n", category);
  }
  text += fmt::format("Track: {}\nStart: {} ns\nDuration: {} ns\n", track_text(trace, trace.track_of(slice)),
                      span.begin, span.duration());
  return text;
}

std::string gap_as_text(const Document& document, GapRef ref) {
  const Gap& gap = get(document, ref);
  std::string text = fmt::format("Idle: {}\nStart: {} ns\nDuration: {} ns\n",
                                 stream_text(document.trace, document.streams[ref.stream]), gap.start, gap.duration());
  if (gap.before.valid()) text += fmt::format("After: {}\n", document.trace.name(gap.before));
  if (gap.after.valid()) text += fmt::format("Before: {}\n", document.trace.name(gap.after));
  return text;
}

std::string instant_as_text(const Trace& trace, InstantRef ref) {
  const Track& track = trace.track(ref.track);
  const Instant& instant = track.instants[ref.index];
  std::string text = fmt::format("Name: {}\n", trace.text(instant.name));
  if (const auto category = trace.category_name(instant.category); !category.empty())
    text += fmt::format("Category: {}\n", category);
  return text + fmt::format("Track: {}\nAt: {} ns\n", track_text(trace, track), instant.time);
}

Result<std::string> arguments_as_text(const Trace& trace, SliceId slice) {
  const Result<std::vector<Argument>> arguments = read_arguments(trace, slice);
  if (!arguments) return tl::make_unexpected(arguments.error());
  std::string text;
  for (const Argument& argument : *arguments) text += argument.key + ": " + argument.value + "\n";
  return text;
}

Result<std::string> slice_as_json(const Trace& trace, SliceId slice) {
  return read_event_json(trace.source_of(trace.track_of(slice)), trace.lane(slice).file_offset(slice.index));
}

Result<std::string> arguments_as_json(const Trace& trace, SliceId slice) {
  const Result<std::string> event = slice_as_json(trace, slice);
  if (!event) return event;
  using Json = nlohmann::ordered_json;
  const Json json = parse_ordered_json(*event);
  if (!json.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "this event is not valid JSON in the file");
  }
  const auto arguments = json.find("args");
  if (arguments == json.end()) return std::string("{}");
  return arguments->dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lacuna
