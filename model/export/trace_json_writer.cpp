#include "model/export/trace_json_writer.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "model/export/json_escape.h"

namespace lacuna {
namespace {

void append_number(std::uint64_t value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
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
  const bool is_negative = ns < 0;
  const std::uint64_t size = is_negative ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
  const fmt::format_int whole(size / 1000);
  const auto rest = static_cast<unsigned>(size % 1000);
  char text[32];
  char* at = text;
  if (is_negative) *at++ = '-';
  at = std::copy_n(whole.data(), whole.size(), at);
  *at++ = '.';
  *at++ = static_cast<char>('0' + rest / 100);
  *at++ = static_cast<char>('0' + rest / 10 % 10);
  *at++ = static_cast<char>('0' + rest % 10);
  out.append(text, static_cast<std::size_t>(at - text));
}

void TraceJsonWriter::begin(const Header& header) {
  file_.write(fmt::format("{{\n\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": {},\n"
                          "\"traceEvents\": [\n",
                          header.base_time_ns));
}

void TraceJsonWriter::key(std::string_view key) { line_.append(",\"").append(key).append("\":"); }

void TraceJsonWriter::start_event(char phase, const StreamedTrack& track, Nanos time) {
  line_.clear();
  if (events_ > 0) line_.append(",\n");
  offset_ = file_.size() + line_.size();
  ++events_;
  line_.append("{\"ph\":\"").push_back(phase);
  line_.append("\",\"pid\":");
  append_id(track.pid, line_);
  line_.append(",\"tid\":");
  append_id(track.tid, line_);
  line_.append(",\"ts\":");
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

void TraceJsonWriter::add(const StreamedSlice& slice) {
  start_event(slice.is_open ? 'B' : 'X', slice.track, slice.start);
  if (!slice.is_open) {
    key("dur");
    append_microseconds(slice.duration, line_);
  }
  line_.append(labels(slice.category, slice.name));
  finish_event(slice.args);
}

void TraceJsonWriter::add(const StreamedInstant& instant) {
  start_event('i', instant.track, instant.time);
  line_.append(",\"s\":\"t\"");
  key("cat");
  append_json_string(instant.category, line_);
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
    line_.append(",\"cat\":\"ac2g\",\"name\":\"ac2g\"");
    if (!is_start) line_.append(",\"bp\":\"e\"");
    finish_event({});
  }
}

void TraceJsonWriter::add(const StreamedName& name) {
  using What = StreamedName::What;
  start_event('M', {name.pid, name.tid, TrackKind::kThread, 0}, 0);
  key("name");
  const bool is_labels = name.what == What::kProcessLabels;
  line_.append(is_labels ? "\"process_labels\"" : name.what == What::kProcess ? "\"process_name\"" : "\"thread_name\"");
  std::string args = is_labels ? "\"labels\":" : "\"name\":";
  append_json_string(name.name, args);
  finish_event(args);
}

void TraceJsonWriter::add(const StreamedDevice& device) {
  if (std::ranges::find(device_ids_, device.id) != device_ids_.end()) return;
  device_ids_.push_back(device.id);
  if (!devices_.empty()) devices_.append(",\n");
  fmt::format_to(std::back_inserter(devices_), "{{\"id\": {}, \"name\": ", device.id);
  append_json_string(device.name, devices_);
  fmt::format_to(std::back_inserter(devices_),
                 ", \"totalGlobalMem\": {}, \"computeMajor\": {}, \"computeMinor\": {}, \"numSms\": {}}}",
                 device.memory_bytes, device.compute_major, device.compute_minor, device.multiprocessors);
}

void TraceJsonWriter::add_raw(std::string_view json) {
  line_.clear();
  if (events_ > 0) line_.append(",\n");
  offset_ = file_.size() + line_.size();
  ++events_;
  line_.append(json);
  file_.write(line_);
}

void TraceJsonWriter::end(const Members& members) {
  file_.write("\n]");
  if (!devices_.empty()) file_.write(fmt::format(",\n\"deviceProperties\": [\n{}\n]", devices_));
  for (const auto& [name, value] : members) {
    std::string line = ",\n";
    append_json_string(name, line);
    file_.write(line.append(": ").append(value));
  }
  file_.write("\n}\n");
}

}  // namespace lacuna
