#include "model/threads/seen_places.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/causes/gap_evidence.h"
#include "model/import/arguments.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

/// "logging/__init__.py(1465): Logger.info" is in "logging/__init__.py".
bool is_in_file(std::string_view frame, std::string_view file) {
  return frame.starts_with(file) && frame.substr(file.size()).starts_with('(');
}

/// "os.fsync" and "fsync" call fsync; so does "…(12): fsync".
bool calls(std::string_view frame, std::string_view function) {
  if (!frame.ends_with(function)) return false;
  const std::string_view before = frame.substr(0, frame.size() - function.size());
  return before.empty() || before.ends_with('.') || before.ends_with(' ');
}

/// "train.py(7): throttle" → "train.py:9: throttle", where the file says in which line it was.
std::string with_line(const Trace& trace, SliceId slice) {
  const std::string_view name = trace.name(slice);
  const std::size_t end = name.find("): "), begin = name.rfind('(', end);
  if (end == name.npos || begin == name.npos) return std::string(name);
  const Result<std::vector<Argument>> arguments = read_arguments(trace, slice);
  if (arguments)
    for (const Argument& argument : *arguments)
      if (argument.key == "line")
        return fmt::format("{}:{}{}", name.substr(0, begin), argument.value, name.substr(end + 1));
  return std::string(name);
}

bool is_output(std::string_view frame) {
  return is_in_file(frame, "logging/__init__.py") || is_in_file(frame, "logging/handlers.py") ||
         calls(frame, "print") || calls(frame, "builtin_print") || frame.starts_with("sys.stdout.") ||
         frame.starts_with("sys.stderr.");
}
bool is_sync(std::string_view frame) {
  return calls(frame, "fsync") || calls(frame, "fdatasync") || calls(frame, "os.sync") || calls(frame, "msync");
}
bool is_collection(std::string_view frame) {
  return calls(frame, "gc.collect") || calls(frame, "gc_collect_main") || calls(frame, "gc_collect_impl");
}
bool is_name_lookup(std::string_view frame) {
  return calls(frame, "getaddrinfo") || calls(frame, "gethostbyname") || calls(frame, "gethostbyaddr") ||
         calls(frame, "getnameinfo") || calls(frame, "getfqdn");
}
bool is_event_loop(std::string_view frame) {
  return is_in_file(frame, "asyncio/events.py") && calls(frame, "_run");
}

}  // namespace

std::string path_of_place(const Trace& trace, const SeenPlace& place) {
  constexpr std::string_view kArrow = " \xE2\x86\x92 ";
  SliceId own, called;
  find_own_frame(trace, place.slice, own, called);
  if (!own.valid()) own = called = place.slice;  // of a library alone
  std::string path = with_line(trace, own);
  if (called == own) return path;
  const auto is_native = [&](SliceId slice) {
    return trace.category_name(trace.lane(slice).category(slice.index)) == kNativeSampleCategory;
  };
  const std::string_view call = sampled_call(trace.name(called));
  path.append(kArrow).append(is_native(called) ? short_kernel_name(call) : std::string(call));
  // Which native function was the innermost differs from sample to sample.
  SliceId innermost = place.slice;
  while (innermost != called && is_native(innermost)) innermost = trace.parent(innermost);
  if (called == innermost || call != trace.name(called)) return path;
  if (trace.parent(innermost) != called) path.append(kArrow).append("\xE2\x80\xA6");
  return path.append(kArrow).append(sampled_call(trace.name(innermost)));
}

std::string place_in_words(const Trace& trace, const SeenPlace& place, std::string (*percent)(double)) {
  return fmt::format("{} (~{})", path_of_place(trace, place), percent(place.share));
}

void PlaceSums::add(std::span<const SampledPart> parts, std::span<const TimeSpan> spans) {
  add_some(parts, spans, false);
}

void PlaceSums::add_own(std::span<const SampledPart> parts, std::span<const TimeSpan> spans) {
  add_some(parts, spans, true);
}

void PlaceSums::add_some(std::span<const SampledPart> parts, std::span<const TimeSpan> spans, bool own_only) {
  std::size_t s = 0;
  for (const SampledPart& part : parts) {
    while (s < spans.size() && spans[s].end <= part.span.begin) ++s;
    if (own_only && !part.own.valid()) continue;
    Nanos time = 0;
    TimeSpan longest;
    for (std::size_t i = s; i < spans.size() && spans[i].begin < part.span.end; ++i) {
      const TimeSpan inside = spans[i].intersect(part.span);
      time += inside.duration();
      if (inside.duration() > longest.duration()) longest = inside;
    }
    if (time == 0) continue;
    const auto name_of = [&](SliceId slice) { return trace_->lane(slice).name(slice.index); };
    const SliceId own = part.own.valid() ? part.own : part.frame;
    const SliceId called = part.own.valid() ? part.called : part.innermost;
    SeenPlace& row = rows_[{name_of(own), name_of(called)}];
    row.function = name_of(own);
    row.time += time;
    total_ += time;
    if (longest.duration() <= row.longest.duration()) continue;
    row.longest = longest;
    row.slice = part.innermost;
  }
}

std::vector<SeenPlace> PlaceSums::rows() const {
  std::vector<SeenPlace> rows;
  for (const auto& [key, row] : rows_) {
    rows.push_back(row);
    if (total_ > 0) rows.back().share = static_cast<double>(row.time) / static_cast<double>(total_);
  }
  sort_stably(rows, std::ranges::greater{}, &SeenPlace::time);
  return rows;
}

KnownWorkFinder::KnownWorkFinder(const Trace& trace)
    : trace_(trace),
      names_{NameMemo(trace.strings(), is_output), NameMemo(trace.strings(), is_sync),
             NameMemo(trace.strings(), is_collection), NameMemo(trace.strings(), is_name_lookup),
             NameMemo(trace.strings(), is_event_loop)} {}

bool KnownWorkFinder::is(KnownWork work, SliceId innermost) {
  NameMemo& names = names_[static_cast<std::size_t>(work)];
  for (SliceId at = innermost; at.valid(); at = trace_.parent(at))
    if (names(trace_.lane(at).name(at.index))) return true;
  return false;
}

}  // namespace lacuna
