#include "app/cut/range_export.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cut/event_copier.h"
#include "app/cut/json_text.h"
#include "model/base/cancel.h"
#include "model/base/os/files.h"
#include "model/base/os/user_folders.h"
#include "model/export/claimed_file.h"
#include "model/export/own_trace.h"
#include "model/export/replace_file.h"
#include "model/export/trace_json_writer.h"
#include "model/formats/json_value.h"
#include "model/gaps/beside_gpu.h"

namespace lacuna {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// A pid, a tid or an id: a number where it is written as one.
void append_id(std::string_view text, std::string& out) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) {
    out.append(text);
  } else {
    append_json_string(text, out);
  }
}

/// Writes the part of one source.
class SourceExport {
 public:
  SourceExport(const Trace& trace, SourceId source, const RangeExportOptions& options, ExportedRange& result)
      : trace_(trace), id_(source), source_(trace.sources()[source.value]), options_(options), result_(result) {
    for (const Track& track : trace.tracks())
      if (trace.process(track.process).source == source && is_chosen(track.id)) tracks_.push_back(&track);
  }

  bool has_events() const {
    return std::ranges::any_of(tracks_, [&](const Track* track) {
      return track->span.begin < options_.range.end && options_.range.begin <= track->span.end;
    });
  }

  Result<void> write(const std::string& path) {
    return replace_file(path, options_.existing, [this, &path](OutputFile& out) { return write_into(out, path); });
  }

 private:
  Result<void> write_into(OutputFile& out, const std::string& path) {
    file_ = &out;
    file_->write("{\n" + written_by_member());
    top_level();
    file_->write("\"traceEvents\": [\n");
    names();
    copies();
    counters();
    flows();
    file_->write("\n]\n}\n");
    if (is_cancelled(options_.cancel)) return fail(ErrorCode::kCancelled, "the export was cancelled", path);
    return {};
  }

  /// An event that is in the file.
  struct Copy {
    std::uint64_t offset = 0;
    const Track* track = nullptr;
    SliceId slice;  ///< invalid: an instant
    std::uint32_t instant = 0;
  };

  bool is_chosen(TrackId id) const {
    return options_.tracks.empty() || std::ranges::find(options_.tracks, id) != options_.tracks.end();
  }

  void emit(std::string_view event) {
    std::string edited;
    if (options_.edit) event = edited = options_.edit({}, event);
    if (events_++ > 0) file_->write(",\n");
    file_->write(event);
    ++result_.events;
  }

  void member(std::string_view key, std::string_view json) {
    std::string edited;
    if (options_.edit) json = edited = options_.edit(key, json);
    if (json.empty()) return;
    std::string line;
    append_json_string(key, line);
    file_->write(line.append(": ").append(json).append(",\n"));
  }

  void top_level() {
    bool has_devices = false;
    for (const auto& [key, json] : source_.metadata) {
      if (key == "traceEvents" || key == "baseTimeNanoseconds" || key == kWrittenByKey || !is_json(json)) continue;
      if (key == "samples" && json.starts_with('[')) continue;  // their frames become slices
      has_devices = has_devices || key == "deviceProperties";
      member(key, json);
    }
    if (source_.has_base_time) member("baseTimeNanoseconds", std::to_string(source_.base_time_ns));
    const auto has = [&](std::string_view key) {
      return std::ranges::any_of(source_.metadata, [&](const auto& m) { return m.first == key; });
    };
    if (!source_.display_time_unit.empty() && !has("displayTimeUnit")) {
      std::string unit;
      append_json_string(source_.display_time_unit, unit);
      member("displayTimeUnit", unit);
    }
    if (!has_devices && !source_.devices.empty()) {
      Json devices = Json::array();
      for (const DeviceProperties& d : source_.devices) {
        Json device;
        device["id"] = d.id;
        if (std::int64_t number = 0; std::from_chars(d.id.data(), d.id.data() + d.id.size(), number).ec == std::errc{})
          device["id"] = number;
        device["name"] = d.name;
        device["totalGlobalMem"] = d.total_memory_bytes;
        device["computeMajor"] = d.compute_major;
        device["computeMinor"] = d.compute_minor;
        device["numSms"] = d.multiprocessors;
        devices.push_back(std::move(device));
      }
      member("deviceProperties", devices.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    if (source_.rank && !has("distributedInfo")) {
      Json info = {{"rank", *source_.rank}};
      if (source_.world_size) info["world_size"] = *source_.world_size;
      member("distributedInfo", info.dump());
    }
  }

  std::string start(std::string_view phase, const Track& track, Nanos time) const {
    std::string event = "{\"ph\":\"";
    event.append(phase).append("\",\"pid\":");
    append_id(trace_.text(trace_.process(track.process).pid), event);
    if (track.kind != TrackKind::kCounter) {
      event.append(",\"tid\":");
      append_id(trace_.text(track.tid), event);
    }
    event.append(",\"ts\":");
    append_microseconds(saturating_sub(time, source_.shift_ns), event);
    return event;
  }

  static void add_text(std::string& event, std::string_view key, std::string_view text) {
    event.append(",\"").append(key).append("\":");
    append_json_string(text, event);
  }

  void metadata(std::string_view what, std::string_view pid, std::string_view tid, std::string_view argument,
                const std::string& json) {
    std::string event = "{\"ph\":\"M\",\"ts\":0,\"pid\":";
    append_id(pid, event);
    event.append(",\"tid\":");
    append_id(tid.empty() ? "0" : tid, event);
    add_text(event, "name", what);
    event.append(",\"args\":{\"").append(argument).append("\":").append(json).append("}}");
    emit(event);
    --result_.events;  // names are no events of the range
  }

  static std::string json_text(std::string_view text) {
    std::string out;
    append_json_string(text, out);
    return out;
  }

  void names() {
    std::vector<ProcessId> named;
    for (const Track* track : tracks_) {
      const Process& process = trace_.process(track->process);
      const std::string_view pid = trace_.text(process.pid);
      // The pid's name and labels are the GPU's.
      if (!is_beside_gpu(trace_, process) && std::ranges::find(named, process.id) == named.end()) {
        named.push_back(process.id);
        std::string_view name = trace_.text(process.name);
        // Of several files, names begin with the file's label.
        if (!source_.label.empty() && name.starts_with(source_.label))
          name.remove_prefix(std::min(name.size(), source_.label.size() + 4));
        metadata("process_name", pid, {}, "name", json_text(name));
        if (process.labels != kEmptyString)
          metadata("process_labels", pid, {}, "labels", json_text(trace_.text(process.labels)));
        if (process.sort_index_is_given)
          metadata("process_sort_index", pid, {}, "sort_index", std::to_string(process.sort_index));
      }
      if (track->name_is_given && traits_of(track->kind).has_tid)
        metadata("thread_name", pid, trace_.text(track->tid), "name", json_text(name_in_file(*track)));
      if (track->sample_period > 0)
        metadata("sample_period_ns", pid, trace_.text(track->tid), "value", std::to_string(track->sample_period));
    }
  }

  /// Without what name_tracks() put behind it.
  std::string_view name_in_file(const Track& track) const {
    std::string_view name = trace_.text(track.name);
    for (const std::string_view suffix : {" annotations", " other events"})
      if (track.kind != TrackKind::kGpuStream && name.ends_with(suffix)) name.remove_suffix(suffix.size());
    return name;
  }

  void copies() {
    std::vector<Copy> copies;
    for (const Track* track : tracks_) {
      for (std::uint32_t k = 0; k < track->lane_count; ++k) {
        const LaneId lane_id{track->first_lane.value + k};
        const Lane& lane = trace_.lane(lane_id);
        const std::uint32_t first = lane.first_visible_from(options_.range.begin);
        const std::uint32_t last =
            options_.range.end == kMaxNanos ? lane.size() : lane.first_starting_from(options_.range.end, first);
        for (std::uint32_t i = first; i < last; ++i) copies.push_back({lane.file_offset(i), track, {lane_id, i}, 0});
      }
      for (std::uint32_t i = 0; i < track->instants.size(); ++i)
        if (options_.range.contains(track->instants[i].time))
          copies.push_back({track->instants[i].file_offset, track, {}, i});
    }
    std::ranges::stable_sort(copies, {}, &Copy::offset);  // frames of one sample: the outer ones first
    std::optional<EventCopier> copier;
    if (source_.bytes != nullptr && !source_.bytes->has_changed()) copier.emplace(*source_.bytes);
    CancelCheck is_over(options_.cancel);
    for (const Copy& copy : copies) {
      if (is_over()) return;
      const std::string_view text = copier ? copier->at(copy.offset) : std::string_view{};
      copy.slice.valid() ? slice(copy, text) : instant(copy, text);
    }
  }

  void instant(const Copy& copy, std::string_view text) {
    if (!text.empty()) return emit(text);
    const Instant& i = copy.track->instants[copy.instant];
    std::string event = start("i", *copy.track, i.time);
    event.append(",\"s\":\"").append(1, i.scope).append("\"");
    add_text(event, "cat", trace_.category_name(i.category));
    add_text(event, "name", trace_.text(i.name));
    emit(event.append("}"));
    ++result_.without_args;
  }

  /// As it is in the file. What is two events there (B/E, b/e) becomes one, or the second one is made.
  void slice(const Copy& copy, std::string_view text) {
    const Lane& lane = trace_.lane(copy.slice);
    const Nanos begin = lane.start(copy.slice.index);
    const Nanos end = lane.end(copy.slice.index);
    Json json = text.empty() ? Json() : parse_ordered_json(text);
    // A sample of a list of stacks is no event; what stands for its frames is.
    const bool is_sample = copy.track->kind == TrackKind::kStacks && !json.contains("ph");
    if (text.empty() || is_sample) {
      std::string event = complete(*copy.track, begin, end);
      add_text(event, "cat", trace_.category_name(lane.category(copy.slice.index)));
      add_text(event, "name", trace_.name(copy.slice));
      emit(event.append("}"));
      result_.without_args += is_sample ? 0 : 1;
      return;
    }
    const std::string phase = json.contains("ph") && json["ph"].is_string() ? json["ph"].get<std::string>() : "X";
    if (phase == "X") return emit(text);
    if (phase == "B") {
      std::string event = complete(*copy.track, begin, end);
      for (const char* key : {"ph", "ts", "dur", "pid", "tid"}) json.erase(key);
      const std::string rest = json.dump(-1, ' ', false, Json::error_handler_t::replace);
      if (rest.size() > 2) event.append(",").append(rest, 1, rest.size() - 2);
      return emit(event.append("}"));
    }
    emit(text);
    if (phase != "b" && phase != "S") return;
    std::string last = fmt::format("{{\"ph\":\"{}\"", phase == "b" ? "e" : "F");
    for (const char* key : {"pid", "tid", "id", "id2", "scope", "cat", "name"})
      if (json.contains(key))
        last.append(",\"").append(key).append("\":").append(
            json[key].dump(-1, ' ', false, Json::error_handler_t::replace));
    last.append(",\"ts\":");
    append_microseconds(saturating_sub(end, source_.shift_ns), last);
    emit(last.append("}"));
    --result_.events;  // one slice
  }

  std::string complete(const Track& track, Nanos begin, Nanos end) const {
    std::string event = start("X", track, begin);
    event.append(",\"dur\":");
    append_microseconds(saturating_sub(end, begin), event);
    return event;
  }

  void counters() {
    for (const Track* track : tracks_) {
      if (track->kind != TrackKind::kCounter) continue;
      std::string_view name = trace_.text(track->name);
      std::string_view series = name;
      constexpr std::string_view kSeparator = " \xC2\xB7 ";  // as TraceBuilder joins the two
      if (const std::size_t at = name.rfind(kSeparator); at != std::string_view::npos) {
        series = name.substr(at + kSeparator.size());
        name = name.substr(0, at);
      }
      const CounterSeries& counter = track->counter;
      auto i = static_cast<std::size_t>(std::ranges::lower_bound(counter.times, options_.range.begin) -
                                        counter.times.begin());
      if (i > 0) --i;  // what it was when the range began
      for (; i < counter.times.size() && counter.times[i] < options_.range.end; ++i) {
        std::string event = start("C", *track, counter.times[i]);
        add_text(event, "name", name);
        event.append(",\"args\":{");
        append_json_string(series, event);
        event += fmt::format(":{}}}}}", Json(counter.values[i]).dump());
        emit(event);
      }
    }
  }

  bool is_in(SliceId slice) const {
    const Track& track = trace_.track_of(slice);
    return trace_.process(track.process).source == id_ && is_chosen(track.id) &&
           trace_.span(slice).begin < options_.range.end && trace_.span(slice).end > options_.range.begin;
  }

  void flows() {
    std::uint64_t id = 0;
    for (const FlowArrow& flow : trace_.links().flows()) {
      if (!flow.from.valid() || !flow.to.valid() || !is_in(flow.from) || !is_in(flow.to)) continue;
      ++id;
      for (const bool is_start : {true, false}) {
        const SliceId slice = is_start ? flow.from : flow.to;
        std::string event =
            start(is_start ? "s" : "f", trace_.track_of(slice), is_start ? flow.from_time : flow.to_time);
        const std::string_view category = trace_.category_name(flow.category);
        add_text(event, "cat", category);
        add_text(event, "name", category);
        event += fmt::format(",\"id\":{}{}}}", id, is_start ? "" : ",\"bp\":\"e\"");
        emit(event);
      }
    }
  }

  const Trace& trace_;
  SourceId id_;
  const TraceSource& source_;
  const RangeExportOptions& options_;
  ExportedRange& result_;
  std::vector<const Track*> tracks_;
  OutputFile* file_ = nullptr;
  std::uint64_t events_ = 0;
};

/// "out.json.gz" with "rank 3": "out-rank_3.json.gz".
std::string with_label(const std::string& path, std::string label) {
  std::ranges::replace_if(
      label, [](char c) { return c == '/' || c == ' '; }, '_');
  const std::size_t slash = path.find_last_of('/');
  const std::size_t dot = path.find('.', slash == std::string::npos ? 0 : slash + 1);
  return path.substr(0, dot) + "-" + label + (dot == std::string::npos ? "" : path.substr(dot));
}

}  // namespace

Result<ExportedRange> export_range(const Trace& trace, const RangeExportOptions& options) {
  if (options.range.empty()) return fail(ErrorCode::kInvalidArgument, "the range is empty");
  ExportedRange result;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    const TraceSource& source = trace.sources()[s];
    SourceExport one(trace, SourceId{static_cast<decltype(SourceId::value)>(s)}, options, result);
    if (!one.has_events()) continue;
    // What lies beside a trace has a label, and the trace has none.
    const std::string path =
        source.label.empty() && result.paths.empty() ? options.path : with_label(options.path, source.label);
    for (const TraceSource& other : trace.sources()) {
      std::error_code error;
      if (fs::equivalent(path, other.path, error) && !error)
        return fail(ErrorCode::kInvalidArgument, "this is the trace itself; choose another name", path);
    }
    if (Result<void> written = one.write(path); !written) return tl::make_unexpected(written.error());
    result.paths.push_back(path);
  }
  if (result.paths.empty()) return fail(ErrorCode::kInvalidArgument, "there is nothing in the range");
  return result;
}

std::string folder_to_write(const std::string& wished) {
  const auto is_ours = [](const std::string& folder) {
    const std::string path = folder.empty() ? "." : folder;
    const auto facts = facts_at(path);
    return facts && facts->is_folder() && facts->is_own && may_write_into(path);
  };
  std::error_code error;
  const fs::path here = fs::current_path(error);
  for (std::string folder : {wished, error ? std::string() : here.string(), home_folder()}) {
    if (folder.empty() || !is_ours(folder)) continue;
    if (!folder.ends_with('/')) folder += '/';
    return folder;
  }
  return wished;
}

std::string suggested_export_path(const std::string& trace_path, const std::string& suffix,
                                  const std::string& extension) {
  const std::size_t slash = trace_path.find_last_of('/');
  std::string stem = slash == std::string::npos ? trace_path : trace_path.substr(slash + 1);
  stem = stem.substr(0, stem.find('.', 1));
  if (stem.empty()) stem = "trace";
  const std::string folder =
      folder_to_write(slash == std::string::npos ? std::string() : trace_path.substr(0, slash + 1));
  for (int n = 1;; ++n) {
    const std::string path = folder + stem + suffix + (n > 1 ? fmt::format("-{}", n) : "") + extension;
    std::error_code error;
    if (!fs::exists(path, error) || n > 999) return path;
  }
}

}  // namespace lacuna
