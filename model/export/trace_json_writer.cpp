#include "model/export/trace_json_writer.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "model/export/own_trace.h"
#include "model/formats/json_value.h"

namespace lacuna {
namespace {

void append_number(std::uint64_t value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

constexpr std::string_view kSeparator = ",\n";
constexpr std::size_t kMicrosecondsBytes = 32;

/// Writes at `at`, which has kMicrosecondsBytes; returns the end.
char* put_microseconds(Nanos ns, char* at) {
  const bool is_negative = ns < 0;
  const std::uint64_t size = is_negative ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
  const fmt::format_int whole(size / 1000);
  const auto rest = static_cast<unsigned>(size % 1000);
  if (is_negative) *at++ = '-';
  at = std::copy_n(whole.data(), whole.size(), at);
  *at++ = '.';
  *at++ = static_cast<char>('0' + rest / 100);
  *at++ = static_cast<char>('0' + rest / 10 % 10);
  *at++ = static_cast<char>('0' + rest % 10);
  return at;
}

char* put(std::string_view text, char* at) {
  return std::copy_n(text.data(), text.size(), at);
}

void append_id(std::uint32_t id, std::string& out) {
  if (id == ~0u) {
    out.append("-1");
  } else {
    append_number(id, out);
  }
}

}  // namespace

void append_microseconds(Nanos ns, std::string& out) {
  char text[kMicrosecondsBytes];
  out.append(text, static_cast<std::size_t>(put_microseconds(ns, text) - text));
}

void TraceJsonWriter::begin(const Header& header) {
  file_.write("{\n" + written_by_member());
  file_.write(
      fmt::format("\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": {},\n"
                  "\"traceEvents\": [\n",
                  header.base_time_ns));
}

void TraceJsonWriter::key(std::string_view key) {
  line_.append(",\"").append(key).append("\":");
}

std::string_view TraceJsonWriter::head(char phase, const StreamedTrack& track) {
  Head& known = heads_[(track.tid ^ track.pid * 31 ^ static_cast<unsigned>(phase) * 7) % kHeads];
  if (known.phase != phase || known.pid != track.pid || known.tid != track.tid) {
    known.phase = phase;
    known.pid = track.pid;
    known.tid = track.tid;
    known.json.assign(kSeparator).append("{\"ph\":\"");
    known.json.push_back(phase);
    known.json.append("\",\"pid\":");
    append_id(track.pid, known.json);
    known.json.append(",\"tid\":");
    append_id(track.tid, known.json);
    known.json.append(",\"ts\":");
  }
  return std::string_view(known.json).substr(events_ > 0 ? 0 : kSeparator.size());
}

void TraceJsonWriter::start_event(char phase, const StreamedTrack& track, Nanos time) {
  line_.assign(head(phase, track));
  offset_ = file_.size() + (events_ > 0 ? kSeparator.size() : 0);
  ++events_;
  append_microseconds(time, line_);
}

void TraceJsonWriter::finish_event(std::string_view args) {
  if (!args.empty()) line_.append(",\"args\":{").append(args).push_back('}');
  line_.push_back('}');
  file_.write(line_);
}

std::string_view TraceJsonWriter::labels(std::string_view category, std::string_view name) {
  const auto address = reinterpret_cast<std::uintptr_t>(name.data());
  Labels& known = labels_[(address >> 4 ^ address >> 12 ^ name.size()) % kLabels];
  if (known.json.empty() || known.name_data != name.data() || known.name != name || known.category != category) {
    known.name_data = name.data();
    known.name = name;
    known.category = category;
    known.json = ",\"cat\":";
    append_json_string(category, known.json);
    known.json += ",\"name\":";
    append_json_string(name, known.json);
  }
  return known.json;
}

// Nearly all events of a recording: written by hand into memory that is large enough.
void TraceJsonWriter::add(const StreamedSlice& slice) {
  const std::string_view head_text = head(slice.is_open ? 'B' : 'X', slice.track);
  const std::string_view label_text = labels(slice.category, slice.name);
  const std::size_t most = head_text.size() + label_text.size() + slice.args.size() + 2 * kMicrosecondsBytes + 32;
  if (line_.size() < most) line_.resize(2 * most);
  char* at = put(head_text, line_.data());
  at = put_microseconds(slice.start, at);
  if (!slice.is_open) at = put_microseconds(slice.duration, put(",\"dur\":", at));
  at = put(label_text, at);
  if (!slice.args.empty()) {
    at = put(slice.args, put(",\"args\":{", at));
    *at++ = '}';
  }
  *at++ = '}';
  offset_ = file_.size() + (events_ > 0 ? kSeparator.size() : 0);
  ++events_;
  file_.write({line_.data(), static_cast<std::size_t>(at - line_.data())});
}

void TraceJsonWriter::add(const StreamedInstant& instant) {
  counters_ += instant.is_counter ? 1 : 0;
  start_event(instant.is_counter ? 'C' : 'i', instant.track, instant.time);
  if (!instant.is_counter) {
    line_.append(",\"s\":\"t\"");
    key("cat");
    append_json_string(instant.category, line_);
  }
  key("name");
  append_json_string(instant.name, line_);
  finish_event(instant.args);
}

void TraceJsonWriter::add(const StreamedAsync& async) {
  start_event(async.is_begin ? 'b' : 'e', async.track, async.time);
  key("id");
  append_number(async.id, line_);
  key("cat");
  append_json_string(async.category, line_);
  key("name");
  append_json_string(async.name, line_);
  finish_event(async.args);
}

void TraceJsonWriter::add(const StreamedFlow& flow) {
  for (const bool is_start : {true, false}) {
    start_event(is_start ? 's' : 'f', is_start ? flow.from : flow.to, is_start ? flow.from_time : flow.to_time);
    key("id");
    append_number(flow.id, line_);
    line_.append(",\"cat\":\"").append(flow.category).append("\",\"name\":\"").append(flow.category).append("\"");
    if (!is_start) line_.append(",\"bp\":\"e\"");
    finish_event({});
  }
}

void TraceJsonWriter::add(const StreamedName& name) {
  using What = StreamedName::What;
  ++names_;
  start_event('M', {name.pid, name.tid, TrackKind::kThread, 0}, 0);
  key("name");
  struct Form {
    std::string_view event, argument;
    bool is_number;
  };
  static constexpr Form kForms[] = {{"process_name", "name", false},
                                    {"process_labels", "labels", false},
                                    {"thread_name", "name", false},
                                    {"process_sort_index", "sort_index", true},
                                    {"thread_sort_index", "sort_index", true},
                                    {"process_rank", "rank", true},
                                    {"sample_period_ns", "value", true}};
  static_assert(std::size(kForms) == static_cast<std::size_t>(What::kSamplePeriod) + 1);
  const Form& form = kForms[static_cast<std::size_t>(name.what)];
  line_.append("\"").append(form.event).append("\"");
  std::string args = fmt::format("\"{}\":", form.argument);
  if (form.is_number) {
    args.append(name.name);
  } else {
    append_json_string(name.name, args);
  }
  finish_event(args);
}

void TraceJsonWriter::add(const StreamedDevice& device) {
  std::string id = std::to_string(device.id);
  if (std::ranges::find(devices_, id, &DeviceProperties::id) != devices_.end()) return;
  devices_.push_back({std::move(id), std::string(device.name), device.memory_bytes, device.compute_major,
                      device.compute_minor, device.multiprocessors});
}

void TraceJsonWriter::end(const Members& members) {
  file_.write("\n]");
  std::string devices;
  for (const DeviceProperties& device : devices_) {
    devices += fmt::format("{}{{\"id\": {}, \"name\": ", devices.empty() ? "" : ",\n", device.id);
    append_json_string(device.name, devices);
    devices +=
        fmt::format(", \"totalGlobalMem\": {}, \"computeMajor\": {}, \"computeMinor\": {}, \"numSms\": {}}}",
                    device.total_memory_bytes, device.compute_major, device.compute_minor, device.multiprocessors);
  }
  if (!devices.empty()) file_.write(fmt::format(",\n\"deviceProperties\": [\n{}\n]", devices));
  for (const auto& [name, value] : members) {
    std::string line = ",\n";
    append_json_string(name, line);
    file_.write(line.append(": ").append(value));
  }
  file_.write("\n}\n");
}

}  // namespace lacuna
