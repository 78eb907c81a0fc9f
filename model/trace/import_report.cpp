#include "model/trace/import_report.h"

#include <algorithm>
#include <array>

#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

using enum Severity;

constexpr std::array<FindingInfo, static_cast<std::size_t>(Finding::kCount)> kTable{{
    {"sub_nanosecond_rounded", kInfo, "times with digits below 1 ns, rounded half to even"},
    {"timestamp_missing", kDataLoss, "events without a ts, not shown"},
    {"timestamp_invalid", kDataLoss, "events whose ts is not a number in range, not shown"},
    {"duration_missing", kRepaired, "complete events without a dur, shown with duration 0"},
    {"negative_duration", kRepaired, "events with a negative dur, shown with duration 0"},
    {"duration_invalid", kRepaired, "events whose dur is not a number in range, shown with duration 0"},
    {"name_missing", kInfo, "events without a name"},
    {"pid_or_tid_missing", kInfo, "events without a pid or tid, shown on a track of their own"},
    {"unmatched_begin", kRepaired, "begin events without an end, drawn to the end of the trace"},
    {"unmatched_end", kDataLoss, "end events without a begin, not shown"},
    {"end_name_mismatch", kRepaired, "end events that name another slice than the open one, which they closed"},
    {"crossing_slices", kInfo, "slices that cross another on the same track, drawn on rows of their own"},
    {"concurrent_kernels", kInfo, "GPU activities that overlap another on the same stream, drawn on rows of their own"},
    {"unmatched_async_begin", kRepaired, "async begin events without an end, drawn to the end of the trace"},
    {"unmatched_async_end", kDataLoss, "async end events without a begin, not shown"},
    {"gpu_activity_unlinked", kInfo, "GPU activities whose launch is not in the file"},
    {"several_launches", kInfo,
     "GPU activities whose correlation names several launches; the first in the file, of the process that launches for "
     "that GPU, was taken"},
    {"launch_without_activity", kInfo, "kernel launches and copies without GPU activity in the file"},
    {"flow_start_without_finish", kInfo, "flow starts without a finish"},
    {"flow_finish_without_start", kInfo, "flow steps and finishes without a start"},
    {"flow_without_slice", kInfo, "flow ends that touch no slice, not drawn"},
    {"unknown_phase", kDataLoss, "events with an unknown phase, not shown"},
    {"phase_not_shown", kDataLoss,
     "events of phases that have no picture here (objects, samples, memory dumps, clock sync)"},
    {"not_an_event", kDataLoss, "entries of traceEvents that are not events, not shown"},
    {"empty_event", kInfo, "empty objects in traceEvents"},
    {"metadata_not_understood", kInfo, "metadata events with an unknown name or without the argument they need"},
    {"counter_not_numeric", kDataLoss, "counter values that are not numbers, not shown"},
    {"skipped_on_request", kInfo, "events of categories that were to be skipped"},
    {"name_cut", kRepaired, "names and other texts of more than 64 KiB, cut"},
    {"files_aligned", kInfo, "files on one time axis"},
    {"capture_trace_read", kInfo, "captures of CUDA graphs read beside the trace, to tell what its graphs replay"},
    {"requests_read", kInfo, "requests to the server read beside the trace"},
    {"requests_outside", kInfo, "requests that lie outside of the trace, not shown"},
    {"requests_without_clock", kInfo, "requests not shown: the trace does not tell when it was recorded"},
    {"not_a_trace_file", kInfo, "files of the folder or pattern that are no traces, left out"},
    {"file_changed", kDataLoss, "files that changed while they were read: what is shown may be wrong"},
    {"trailing_comma", kInfo, "trailing commas"},
    {"byte_order_mark", kInfo, "UTF-8 byte order marks"},
    {"control_character", kRepaired, "raw control characters inside strings, kept"},
    {"bad_escape", kRepaired, "invalid escapes inside strings, kept as they stand"},
    {"raw_quote", kRepaired, "unescaped quotes inside strings, kept"},
    {"invalid_utf8", kRepaired, "bytes that are not UTF-8, replaced by U+FFFD"},
    {"non_finite_number", kRepaired, "NaN or Infinity in place of a number"},
    {"duplicate_key", kRepaired, "repeated keys in one event; the last value counts"},
    {"syntax_repaired", kRepaired, "events with broken JSON syntax that could be repaired"},
    {"junk_skipped", kDataLoss, "bytes between events that are not JSON, skipped"},
    {"event_unreadable", kDataLoss, "events that could not be read, not shown"},
    {"unterminated", kDataLoss, "the file ends in the middle: what comes before is shown"},
    {"truncated_compression", kDataLoss, "the compressed data end early or are damaged: what comes before is shown"},
    {"trailing_garbage", kInfo, "bytes after the end of the compressed data or of the JSON, ignored"},
    {"events_after_end", kDataLoss, "bytes of more events after the end of the JSON, not shown"},
    {"samples_not_read", kDataLoss,
     "sampled stacks (samples) without a stack or time, or lists of them without stackFrames, not shown"},
    {"table_not_read", kInfo, "rows with times in tables that Lacuna does not read, not shown"},
    {"stack_cut", kDataLoss, "sampled stacks of more than 1000 frames: the inner ones are not shown"},
    {"packet_not_read", kInfo, "packets of kinds that Lacuna does not read, not shown"},
    {"packets_lost", kDataLoss, "places where the recorder lost packets: what was in them is not shown"},
    {"packet_without_state", kDataLoss, "packets whose names were in packets that are lost, not shown"},
    {"clock_unknown", kRepaired,
     "events on a clock that is not tied to the trace's, shown at the times that they have"},
    {"kernel_ends_clamped", kInfo,
     "GPU activities that end just where the next on their stream starts: PyTorch cuts them off there, so they may "
     "have overlapped"},
    {"before_range", kInfo, "events before the range that the recorder was asked for, not shown"},
    {"capture_dropped", kDataLoss, "records that a full ring (or CUPTI) dropped while recording"},
    {"capture_incomplete", kDataLoss, "GPU records without a start or end, not shown"},
    {"capture_corrupt", kDataLoss, "records of the program's processes that make no sense, not shown"},
    {"capture_lost_ends", kRepaired, "ranges whose end was dropped, closed where the next record came"},
}};

}  // namespace

const FindingInfo& info(Finding finding) {
  return kTable[static_cast<std::size_t>(finding)];
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case kInfo:
      return "info";
    case kRepaired:
      return "repaired";
    case kDataLoss:
      return "data_loss";
  }
  return "";
}

void ImportReport::add(Finding finding, std::uint64_t offset, std::string_view example, std::uint64_t count) {
  if (count == 0) return;
  if (lines_.empty()) lines_.resize(static_cast<std::size_t>(Finding::kCount));
  Line& line = lines_[static_cast<std::size_t>(finding)];
  line.finding = finding;
  if (line.count == 0 || offset < line.first_offset) {
    line.first_offset = offset;
    line.example.assign(example.substr(0, 200));
  }
  line.count += count;
}

const ImportReport::Line& ImportReport::line(Finding finding) const {
  static const Line kNone;
  return lines_.empty() ? kNone : lines_[static_cast<std::size_t>(finding)];
}

void ImportReport::merge(const ImportReport& other) {
  for (const Line& line : other.lines_)
    if (line.count != 0) add(line.finding, line.first_offset, line.example, line.count);
}

std::vector<ImportReport::Line> ImportReport::lines() const {
  std::vector<Line> result;
  for (const Line& line : lines_)
    if (line.count != 0) result.push_back(line);
  std::stable_sort(result.begin(), result.end(),
                   [](const Line& a, const Line& b) { return info(a.finding).severity > info(b.finding).severity; });
  return result;
}

std::uint64_t ImportReport::total(Severity severity) const {
  std::uint64_t sum = 0;
  for (const Line& line : lines_)
    if (line.count != 0 && info(line.finding).severity == severity) sum += line.count;
  return sum;
}

bool ImportReport::empty() const {
  return std::all_of(lines_.begin(), lines_.end(), [](const Line& l) { return l.count == 0; });
}

}  // namespace lacuna
