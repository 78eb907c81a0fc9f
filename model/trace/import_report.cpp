#include "model/trace/import_report.h"

#include <algorithm>
#include <array>

#include "model/base/plural.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

using enum Severity;

constexpr std::array<FindingInfo, static_cast<std::size_t>(Finding::kCount)> kTable{{
    {"sub_nanosecond_rounded", kInfo, "time", "with digits below 1 ns, rounded half to even"},
    {"timestamp_missing", kDataLoss, "event", "without a ts, not shown"},
    {"timestamp_invalid", kDataLoss, "event", "whose ts is not a number in range, not shown"},
    {"duration_missing", kRepaired, "complete event", "without a dur, shown with duration 0"},
    {"negative_duration", kRepaired, "event", "with a negative dur, shown with duration 0"},
    {"duration_invalid", kRepaired, "event", "whose dur is not a number in range, shown with duration 0"},
    {"name_missing", kInfo, "event", "without a name"},
    {"pid_or_tid_missing", kInfo, "event", "without a pid or tid, shown on a separate track"},
    {"unmatched_begin", kRepaired, "begin event", "without an end, drawn to the end of the trace"},
    {"unmatched_end", kDataLoss, "end event", "without a begin, not shown"},
    {"end_name_mismatch", kRepaired, "end event", "with another name than the open slice, which was closed"},
    {"crossing_slices", kInfo, "slice", "crossing another on the same track, drawn on separate rows"},
    {"concurrent_kernels", kInfo, "GPU activity", "overlapping another on the same stream, drawn on separate rows"},
    {"unmatched_async_begin", kRepaired, "async begin event", "without an end, drawn to the end of the trace"},
    {"unmatched_async_end", kDataLoss, "async end event", "without a begin, not shown"},
    {"gpu_activity_unlinked", kInfo, "GPU activity", "whose launch is not in the file"},
    {"several_launches", kInfo, "GPU activity",
     "whose correlation names several launches; the first in the file, of the process that launches for that GPU, was "
     "taken"},
    {"launch_without_activity", kInfo, "launch", "of a kernel or copy without GPU activity in the file"},
    {"flow_start_without_finish", kInfo, "flow start", "without a finish"},
    {"flow_finish_without_start", kInfo, "flow end", "(step or finish) without a start"},
    {"flow_without_slice", kInfo, "flow end", "touching no slice, not drawn"},
    {"unknown_phase", kDataLoss, "event", "with an unknown phase, not shown"},
    {"phase_not_shown", kDataLoss, "event",
     "of a phase that has no picture here (objects, samples, memory dumps, clock sync)"},
    {"not_an_event", kDataLoss, "entry", "in traceEvents in place of an event, not shown"},
    {"empty_event", kInfo, "empty object", "in traceEvents"},
    {"metadata_not_understood", kInfo, "metadata event", "with an unknown name or without the argument needed"},
    {"counter_not_numeric", kDataLoss, "counter value", "other than a number, not shown"},
    {"skipped_on_request", kInfo, "event", "of a category that was to be skipped"},
    {"name_cut", kRepaired, "text", "of more than 64 KiB (names and others), cut"},
    {"files_aligned", kInfo, "file", "on one time axis"},
    {"capture_trace_read", kInfo, "capture", "of CUDA graphs read beside the trace, to tell what its graphs replay"},
    {"requests_read", kInfo, "request", "to the server read beside the trace"},
    {"requests_outside", kInfo, "request", "outside of the trace, not shown"},
    {"requests_without_clock", kInfo, "request", "not shown: the trace does not tell when it was recorded"},
    {"not_a_trace_file", kInfo, "file", "of the folder or pattern left out: not a trace"},
    {"file_changed", kDataLoss, "file", "that changed while Lacuna read: what is shown may be wrong"},
    {"trailing_comma", kInfo, "trailing comma", ""},
    {"byte_order_mark", kInfo, "UTF-8 byte order mark", ""},
    {"control_character", kRepaired, "raw control character", "inside strings, kept"},
    {"bad_escape", kRepaired, "invalid escape", "inside strings, kept as written"},
    {"raw_quote", kRepaired, "unescaped quote", "inside strings, kept"},
    {"invalid_utf8", kRepaired, "invalid UTF-8 byte", "replaced by U+FFFD"},
    {"non_finite_number", kRepaired, "number", "written as NaN or Infinity"},
    {"duplicate_key", kRepaired, "repeated key", "in an event; the last value counts"},
    {"syntax_repaired", kRepaired, "event", "with broken JSON syntax that could be repaired"},
    {"junk_skipped", kDataLoss, "byte", "of junk between events, skipped"},
    {"event_unreadable", kDataLoss, "event", "that could not be read, not shown"},
    {"unterminated", kDataLoss, "", "the file ends in the middle: what comes before is shown"},
    {"truncated_compression", kDataLoss, "",
     "the compressed data end early or are damaged: what comes before is shown"},
    {"trailing_garbage", kInfo, "byte", "after the end of the compressed data or of the JSON, ignored"},
    {"events_after_end", kDataLoss, "byte", "of more events after the end of the JSON, not shown"},
    {"samples_not_read", kDataLoss, "sampled stack",
     "without a stack or time, or list of samples without stackFrames, not shown"},
    {"table_not_read", kInfo, "row", "with times in tables that Lacuna does not read, not shown"},
    {"stack_cut", kDataLoss, "sampled stack", "of more than 1000 frames: the inner ones are not shown"},
    {"packet_not_read", kInfo, "packet", "of a kind that Lacuna does not read, not shown"},
    {"packets_lost", kDataLoss, "place", "where the recorder lost packets: what was in them is not shown"},
    {"packet_without_state", kDataLoss, "packet", "whose names were in packets that are lost, not shown"},
    {"clock_unknown", kRepaired, "event", "on a clock that is not tied to the trace's, shown at the time in the file"},
    {"kernel_ends_clamped", kInfo, "GPU activity",
     "cut off by PyTorch just where the next on the stream starts: the two may have overlapped"},
    {"before_range", kInfo, "event", "before the range that the recorder was asked for, not shown"},
    {"capture_dropped", kDataLoss, "record", "dropped by a full ring (or CUPTI) while recording"},
    {"capture_incomplete", kDataLoss, "GPU record", "without a start or end, not shown"},
    {"capture_corrupt", kDataLoss, "record", "of the program's processes without a possible meaning, not shown"},
    {"capture_lost_ends", kRepaired, "range", "whose end was dropped, closed where the next record came"},
}};

}  // namespace

const FindingInfo& info(Finding finding) {
  return kTable[static_cast<std::size_t>(finding)];
}

std::string FindingInfo::words_after(std::uint64_t count) const {
  std::string words = noun_after(count, noun);
  if (!noun.empty() && !rest.empty()) words += ' ';
  return words.append(rest);
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
