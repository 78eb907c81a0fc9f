#include "model/cache/trace_codec.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <utility>

#include "model/base/parallel.h"
#include "model/build/nesting.h"
#include "model/cache/trace_thinner.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

void put_report(StoredFileWriter& out, const ImportReport& report) {
  const auto lines = report.lines();
  out.put(std::uint64_t{lines.size()});
  for (const ImportReport::Line& line : lines) {
    out.put(static_cast<std::uint8_t>(line.finding));
    out.put(line.count);
    out.put(line.first_offset);
    out.put_text(line.example);
  }
}

ImportReport get_report(StoredFileReader& in) {
  ImportReport report;
  for (std::size_t left = in.get_count(); left > 0 && in.ok(); --left) {
    const auto finding = in.get<std::uint8_t>();
    const auto count = in.get<std::uint64_t>();
    const auto offset = in.get<std::uint64_t>();
    const std::string example = in.get_text();
    if (finding >= static_cast<std::uint8_t>(Finding::kCount)) {
      in.refuse();
    } else if (in.ok()) {
      report.add(static_cast<Finding>(finding), offset, example, count);
    }
  }
  return report;
}

template <class Value>
void put_optional(StoredFileWriter& out, const std::optional<Value>& value) {
  out.put(value.has_value());
  out.put(value.value_or(Value{}));
}

template <class Value>
std::optional<Value> get_optional(StoredFileReader& in) {
  const bool has_value = in.get<std::uint8_t>() != 0;
  const auto value = in.get<Value>();
  return has_value ? std::optional(value) : std::nullopt;
}

bool get_bool(StoredFileReader& in) {
  return in.get<std::uint8_t>() != 0;
}

/// A value of an enum that has `count` of them.
template <class Enum>
Enum get_enum(StoredFileReader& in, int count) {
  const auto value = in.get<std::uint8_t>();
  if (value >= count) in.refuse();
  return static_cast<Enum>(value);
}

constexpr int kAlignments = static_cast<int>(Alignment::kGiven) + 1;
constexpr int kTrackKinds = static_cast<int>(TrackKind::kCaptured) + 1;
constexpr int kCategoryClasses = static_cast<int>(CategoryClass::kThreadState) + 1;

void put_source(StoredFileWriter& out, const TraceSource& source) {
  out.put_text(source.path);
  out.put_text(source.label);
  out.put_text(source.format);
  out.put(source.file_bytes);
  out.put(source.json_bytes);
  out.put(source.base_time_ns);
  out.put(source.has_base_time);
  out.put(source.shift_ns);
  out.put(source.alignment);
  put_optional(out, source.rank);
  out.put(source.is_rank_of_file);
  out.put(source.is_around_ranks);
  put_optional(out, source.world_size);
  out.put_text(source.display_time_unit);
  out.put(std::uint64_t{source.devices.size()});
  for (const DeviceProperties& device : source.devices) {
    out.put_text(device.id);
    out.put_text(device.name);
    out.put(device.total_memory_bytes);
    out.put(device.compute_major);
    out.put(device.compute_minor);
    out.put(device.multiprocessors);
  }
  out.put(std::uint64_t{source.metadata.size()});
  for (const auto& [key, value] : source.metadata) {
    out.put_text(key);
    out.put_text(value);
  }
  out.put(source.phase_counts);
  out.put(source.without_category);
  out.put(std::uint64_t{source.skipped.size()});
  for (const auto& [category, count] : source.skipped) {
    out.put_text(category);
    out.put(count);
  }
  put_report(out, source.report);
}

TraceSource get_source(StoredFileReader& in) {
  TraceSource source;
  source.path = in.get_text();
  source.label = in.get_text();
  source.format = in.get_text();
  source.file_bytes = in.get<std::uint64_t>();
  source.json_bytes = in.get<std::uint64_t>();
  source.base_time_ns = in.get<Nanos>();
  source.has_base_time = get_bool(in);
  source.shift_ns = in.get<Nanos>();
  source.alignment = get_enum<Alignment>(in, kAlignments);
  source.rank = get_optional<std::int64_t>(in);
  source.is_rank_of_file = get_bool(in);
  source.is_around_ranks = get_bool(in);
  source.world_size = get_optional<std::int64_t>(in);
  source.display_time_unit = in.get_text();
  source.devices.resize(in.get_count(sizeof(std::uint64_t)));
  for (DeviceProperties& device : source.devices) {
    device.id = in.get_text();
    device.name = in.get_text();
    device.total_memory_bytes = in.get<std::uint64_t>();
    device.compute_major = in.get<std::uint32_t>();
    device.compute_minor = in.get<std::uint32_t>();
    device.multiprocessors = in.get<std::uint32_t>();
  }
  source.metadata.resize(in.get_count(sizeof(std::uint64_t)));
  for (auto& [key, value] : source.metadata) {
    key = in.get_text();
    value = in.get_text();
  }
  source.phase_counts = in.get<decltype(source.phase_counts)>();
  source.without_category = in.get<std::uint64_t>();
  for (std::size_t left = in.get_count(sizeof(std::uint64_t)); left > 0 && in.ok(); --left) {
    std::string category = in.get_text();
    source.skipped[std::move(category)] = in.get<std::uint64_t>();
  }
  source.report = get_report(in);
  return source;
}

}  // namespace

void TraceCodec::write_sources(StoredFileWriter& out, const Trace& trace) {
  out.put(std::uint64_t{trace.sources_.size()});
  std::unordered_map<const ByteSource*, std::uint32_t> files;
  for (const TraceSource& source : trace.sources_) {
    put_source(out, source);
    // The ranks of one file share its bytes.
    const auto next = static_cast<std::uint32_t>(files.size());
    out.put(files.try_emplace(source.bytes.get(), next).first->second);
  }
}

void TraceCodec::read_sources(StoredFileReader& in, Trace& trace, const MakeBytes& make_bytes) {
  std::vector<std::shared_ptr<const ByteSource>> files;
  for (std::size_t left = in.get_count(sizeof(TraceSource::phase_counts)); left > 0 && in.ok(); --left) {
    TraceSource source = get_source(in);
    const auto file = in.get<std::uint32_t>();
    if (!in.ok() || file > files.size()) return in.refuse();
    if (file == files.size()) files.push_back(make_bytes(source));
    source.bytes = files[file];
    trace.sources_.push_back(std::move(source));
  }
}

void TraceCodec::write_tracks(StoredFileWriter& out, const Trace& trace) {
  out.put(std::uint64_t{trace.processes_.size()});
  for (const Process& process : trace.processes_) {
    out.put(process.source);
    out.put(process.pid);
    out.put(process.name);
    out.put(process.labels);
    out.put(process.sort_index);
    out.put(process.sort_index_is_given);
    out.put(process.is_gpu);
    put_optional(out, process.rank);
    out.put_table(std::span<const TrackId>(process.tracks));
  }
  out.put_table(std::span<const ProcessId>(trace.process_order_));
  out.put(std::uint64_t{trace.tracks_.size()});
  for (const Track& track : trace.tracks_) {
    out.put(track.kind);
    out.put(track.process);
    for (const StringId text : {track.name, track.tid, track.device, track.stream}) out.put(text);
    out.put(track.sort_index);
    out.put(track.name_is_given);
    out.put(track.first_lane);
    out.put(track.lane_count);
    out.put(track.nest_count);
    out.put(track.sample_period);
    out.put(track.slice_count);
    out.put(track.span);
    out.put_table(std::span<const Instant>(track.instants));
    out.put_table(std::span<const Nanos>(track.counter.times));
    out.put_table(std::span<const double>(track.counter.values));
    out.put(track.counter.min);
    out.put(track.counter.max);
  }
}

void TraceCodec::read_tracks(StoredFileReader& in, Trace& trace) {
  trace.processes_.resize(in.get_count(sizeof(StoredTable)));
  for (std::uint32_t i = 0; i < trace.processes_.size(); ++i) {
    Process& process = trace.processes_[i];
    process.id = ProcessId{i};
    process.source = in.get<SourceId>();
    process.pid = in.get<StringId>();
    process.name = in.get<StringId>();
    process.labels = in.get<StringId>();
    process.sort_index = in.get<std::int64_t>();
    process.sort_index_is_given = get_bool(in);
    process.is_gpu = get_bool(in);
    process.rank = get_optional<std::int64_t>(in);
    in.get_rows(process.tracks);
  }
  in.get_rows(trace.process_order_);
  trace.tracks_.resize(in.get_count(3 * sizeof(StoredTable)));
  for (std::uint32_t i = 0; i < trace.tracks_.size(); ++i) {
    Track& track = trace.tracks_[i];
    track.id = TrackId{i};
    track.kind = get_enum<TrackKind>(in, kTrackKinds);
    track.process = in.get<ProcessId>();
    for (StringId* text : {&track.name, &track.tid, &track.device, &track.stream}) *text = in.get<StringId>();
    track.sort_index = in.get<std::int64_t>();
    track.name_is_given = get_bool(in);
    track.first_lane = in.get<LaneId>();
    track.lane_count = in.get<std::uint32_t>();
    track.nest_count = in.get<std::uint32_t>();
    track.sample_period = in.get<Nanos>();
    track.slice_count = in.get<std::uint64_t>();
    track.span = in.get<TimeSpan>();
    in.get_rows(track.instants);
    in.get_rows(track.counter.times);
    in.get_rows(track.counter.values);
    track.counter.min = in.get<double>();
    track.counter.max = in.get<double>();
  }
}

void TraceCodec::write_lanes(StoredFileWriter& out, const Trace& trace) {
  out.put(std::uint64_t{trace.lanes_.size()});
  for (const Lane& lane : trace.lanes_) {
    out.put(lane.size_);
    out.put(lane.capacity_);
    out.put(lane.has_ids());
    out.put(lane.nest);
    out.put(lane.depth);
    out.put(lane.track);
    out.put_bytes({lane.block_.data(), lane.block_.size()});
    out.put(std::uint64_t{lane.longest_.levels_.size()});
    for (const auto& level : lane.longest_.levels_) out.put_table(std::span<const std::uint32_t>(level));
  }
}

void TraceCodec::read_lanes(StoredFileReader& in, Trace& trace) {
  trace.lanes_.resize(in.get_count(sizeof(StoredTable)));
  for (Lane& lane : trace.lanes_) {
    const auto size = in.get<std::uint32_t>();
    const auto capacity = in.get<std::uint32_t>();
    const bool has_ids = get_bool(in);
    lane.nest = in.get<std::uint32_t>();
    lane.depth = in.get<std::uint32_t>();
    lane.track = in.get<TrackId>();
    const StoredTable columns = in.get_table(1);
    if (!in.ok() || size > capacity || columns.bytes != std::uint64_t{capacity} * (has_ids ? 52 : 36))
      return in.refuse();
    lane.reserve(capacity, has_ids);
    lane.size_ = size;
    in.plan(columns, {lane.block_.data(), lane.block_.size()});
    lane.longest_.levels_.resize(in.get_count(sizeof(StoredTable)));
    for (auto& level : lane.longest_.levels_) in.get_rows(level);
  }
}

void TraceCodec::write_folds(StoredFileWriter& out, const std::vector<FoldIndex>& folds) {
  out.put(std::uint64_t{folds.size()});
  for (const FoldIndex& index : folds) {
    out.put(std::uint64_t{index.levels_.size()});
    for (const FoldIndex::Level& level : index.levels_) {
      out.put(level.width);
      out.put(level.unit);
      out.put_table(level.entries.get());
    }
  }
}

void TraceCodec::read_folds(StoredFileReader& in, std::vector<FoldIndex>& folds) {
  folds.resize(in.get_count(sizeof(std::uint64_t)));
  for (FoldIndex& index : folds) {
    index.levels_.resize(in.get_count(sizeof(StoredTable)));
    for (FoldIndex::Level& level : index.levels_) {
      level.width = in.get<Nanos>();
      level.unit = in.get<Nanos>();
      in.get_rows(level.entries.own());
    }
  }
}

void TraceCodec::write(StoredFileWriter& out, const Trace& trace, const std::vector<FoldIndex>& folds,
                       const Statistics& statistics, TimeSpan home) {
  std::vector<std::uint32_t> lengths;
  std::vector<char> text;
  for (std::uint32_t i = 1; i < trace.strings_.size(); ++i) {
    const std::string_view string = trace.text(StringId{i});
    lengths.push_back(static_cast<std::uint32_t>(string.size()));
    text.insert(text.end(), string.begin(), string.end());
  }
  out.put_table(std::span<const std::uint32_t>(lengths));
  out.put_table(std::span<const char>(text));
  out.put(std::uint64_t{trace.categories_.size()});
  for (const Category& category : trace.categories_) {
    out.put(category.name);
    out.put(category.meaning);
    out.put(category.events);
  }
  write_sources(out, trace);
  write_tracks(out, trace);
  write_lanes(out, trace);
  const bool is_in_one_part = trace.links_.by_launch_.is_in_one_part() && trace.links_.by_activity_.is_in_one_part() &&
                              trace.links_.flows_.is_in_one_part() && trace.links_.arrows_by_to_.empty();
  std::optional<Links> copied;
  if (!is_in_one_part) copied = trace.links_.in_one_part();
  const Links& whole = copied ? *copied : trace.links_;
  const Links& links = trace.links_;
  out.put_table(whole.by_launch_.only_part());
  out.put_table(whole.by_activity_.only_part());
  out.put_table(whole.flows_.only_part());
  out.put_table(std::span<const std::uint32_t>(whole.flows_by_to_));
  out.put(links.gpu_activities);
  out.put(links.linked);
  out.put(trace.span_);
  out.put(trace.slice_count_);
  put_report(out, trace.report_);
  write_folds(out, folds);
  out.put_table(std::span<const StatisticsRow>(statistics.rows));
  out.put(statistics.cpu_self);
  out.put(statistics.gpu_total);
  out.put(statistics.sampled_self);
  out.put(home);
}

std::optional<KeptTrace> TraceCodec::read(StoredFileReader& in, unsigned threads, const MakeBytes& make_bytes) {
  KeptTrace kept;
  Trace& trace = kept.trace;
  std::vector<std::uint32_t> lengths;
  std::vector<char> text;
  in.get_rows(lengths);
  in.get_rows(text);
  trace.categories_.resize(in.get_count(sizeof(StringId)));
  for (Category& category : trace.categories_) {
    category.name = in.get<StringId>();
    category.meaning = get_enum<CategoryClass>(in, kCategoryClasses);
    category.events = in.get<std::uint64_t>();
  }
  read_sources(in, trace, make_bytes);
  read_tracks(in, trace);
  read_lanes(in, trace);
  Links& links = trace.links_;
  // They are read later, to where they lie by then.
  const auto get_links = [&](auto& table) {
    PageVector<typename std::decay_t<decltype(table)>::value_type> rows;
    in.get_rows(rows);
    table = LinkTable(std::move(rows));
  };
  get_links(links.by_launch_);
  get_links(links.by_activity_);
  get_links(links.flows_);
  in.get_rows(links.flows_by_to_);
  links.gpu_activities = in.get<std::uint64_t>();
  links.linked = in.get<std::uint64_t>();
  trace.span_ = in.get<TimeSpan>();
  trace.slice_count_ = in.get<std::uint64_t>();
  trace.report_ = get_report(in);
  read_folds(in, kept.folds);
  in.get_rows(kept.statistics.rows);
  kept.statistics.cpu_self = in.get<Nanos>();
  kept.statistics.gpu_total = in.get<Nanos>();
  kept.statistics.sampled_self = in.get<Nanos>();
  kept.home = in.get<TimeSpan>();
  if (!in.load(threads)) return std::nullopt;

  make_strings(lengths, text, trace);
  for (Track& track : trace.tracks_) track.counter.extremes.extend(track.counter.values);
  if (trace.strings_.size() != lengths.size() + 1 || kept.folds.size() != trace.lanes_.size() || !is_sound(trace))
    return std::nullopt;
  links.index_lanes();  // by what is_sound() has checked: as much memory as the largest lane
  for (const StatisticsRow& row : kept.statistics.rows) {
    const bool has_longest =
        row.longest.lane.value < trace.lanes_.size() && row.longest.index < trace.lanes_[row.longest.lane.value].size_;
    if (row.name.value >= trace.strings_.size() || row.category.value >= trace.categories_.size() || !has_longest)
      return std::nullopt;
  }
  std::atomic<bool> is_sound_all{true};
  parallel_for(trace.lanes_.size(), threads, [&](std::size_t i) {
    const Lane& lane = trace.lanes_[i];
    if (!is_sound(trace, lane, static_cast<std::uint32_t>(i)) || !is_sound(trace, kept.folds[i], lane))
      is_sound_all = false;
  });
  if (!is_sound_all) return std::nullopt;
  return kept;
}

Trace TraceCodec::assemble(TraceParts parts) {
  Trace trace;
  for (const std::string_view text : parts.texts) trace.strings_.intern(text);
  trace.sources_ = std::move(parts.sources);
  trace.processes_ = std::move(parts.processes);
  trace.process_order_ = std::move(parts.process_order);
  trace.tracks_ = std::move(parts.tracks);
  trace.lanes_ = std::move(parts.lanes);
  trace.categories_ = std::move(parts.categories);
  trace.span_ = parts.span;
  trace.report_ = std::move(parts.report);
  for (Track& track : trace.tracks_) {
    track.slice_count = 0;
    for (const Lane& lane : trace.lanes_of(track)) track.slice_count += lane.size();
    trace.slice_count_ += track.slice_count;
  }
  return trace;
}

void TraceCodec::make_strings(const std::vector<std::uint32_t>& lengths, const std::vector<char>& text, Trace& trace) {
  std::size_t at = 0;
  for (const std::uint32_t length : lengths) {
    if (length > text.size() - at) return;
    trace.strings_.intern({text.data() + at, length});
    at += length;
  }
}

bool TraceCodec::is_sound(const Trace& trace) {
  const auto has = [](const auto& table, auto id) { return id.value < table.size(); };
  const auto is_text = [&](StringId id) { return id.value < trace.strings_.size(); };
  for (const Category& category : trace.categories_)
    if (!is_text(category.name)) return false;
  for (const Process& process : trace.processes_) {
    if (!has(trace.sources_, process.source)) return false;
    if (!is_text(process.pid) || !is_text(process.name) || !is_text(process.labels)) return false;
    for (const TrackId track : process.tracks)
      if (!has(trace.tracks_, track)) return false;
  }
  for (const ProcessId process : trace.process_order_)
    if (!has(trace.processes_, process)) return false;
  std::uint64_t slices_of_all = 0;  // tables are made as large as these counts say
  for (const Track& track : trace.tracks_) {
    if (!has(trace.processes_, track.process)) return false;
    for (const StringId text : {track.name, track.tid, track.device, track.stream})
      if (!is_text(text)) return false;
    if (track.lane_count > 0 &&
        (!has(trace.lanes_, track.first_lane) || track.lane_count > trace.lanes_.size() - track.first_lane.value))
      return false;
    std::uint64_t slices = 0;
    for (const Lane& lane : trace.lanes_of(track)) {
      if (lane.track != track.id) return false;
      slices += lane.size_;
    }
    if (track.slice_count != slices) return false;
    slices_of_all += slices;
    // Categories are looked up with a check: events without one have a number that is none.
    for (const Instant& instant : track.instants)
      if (!is_text(instant.name)) return false;
    if (track.counter.times.size() != track.counter.values.size()) return false;
  }
  if (trace.slice_count_ != slices_of_all) return false;
  const auto is_slice = [&](SliceId slice) {
    return has(trace.lanes_, slice.lane) && slice.index < trace.lanes_[slice.lane.value].size_;
  };
  const Links& links = trace.links_;
  const auto are_slices = [&](const LaunchLink& link) { return is_slice(link.launch) && is_slice(link.activity); };
  const std::size_t arrows = links.flows_.size();
  return std::ranges::all_of(links.by_launch_, are_slices) && std::ranges::all_of(links.by_activity_, are_slices) &&
         std::ranges::all_of(links.flows_, [&](const FlowArrow& a) { return is_slice(a.from) && is_slice(a.to); }) &&
         std::ranges::all_of(links.flows_by_to_, [&](std::uint32_t i) { return i < arrows; });
}

bool TraceCodec::is_sound(const Trace& trace, const Lane& lane, std::uint32_t number) {
  if (lane.track.value >= trace.tracks_.size()) return false;
  const std::uint32_t names = trace.strings_.size();
  const std::uint32_t above = lane.depth == 0 || number == 0 ? 0 : trace.lanes_[number - 1].size_;
  bool is_sound = true;  // no branches inside: a vector unit does the columns
  for (std::uint32_t i = 0; i < lane.size_; ++i) {
    is_sound &= lane.names_[i] < names;
    is_sound &= lane.parents_[i] < above || lane.parents_[i] == Lane::kNoParent;
    is_sound &= lane.durations_[i] >= 0;
    is_sound &= lane.starts_[i] <= kMaxNanos - std::max<Nanos>(lane.durations_[i], 0);  // it ends some time
  }
  for (std::uint32_t i = 1; i < lane.size_; ++i) is_sound &= lane.starts_[i - 1] <= lane.starts_[i];
  if (!is_sound) return false;
  // What sums and walks rely on: times lie in the trace, slices of a row beside each other (but for the rows of what
  // fits nowhere), and children inside their parents, or self times would fall below nothing.
  const auto end = [](const Lane& of, std::uint32_t i) { return of.starts_[i] + of.durations_[i]; };
  // Those of a thinned trace that stand for many are only drawn, and their ends are rounded.
  const auto folded = [&](std::uint32_t i) { return (lane.flags(i) & kSliceFolded) != 0; };
  for (std::uint32_t i = 0; i < lane.size_; ++i)
    is_sound &= folded(i) || (lane.starts_[i] >= trace.span_.begin && end(lane, i) <= trace.span_.end);
  if (lane.nest < kMostNests)
    for (std::uint32_t i = 1; i < lane.size_; ++i)
      is_sound &= end(lane, i - 1) <= lane.starts_[i] || folded(i - 1) || folded(i);
  if (above > 0) {
    const Lane& around = trace.lanes_[number - 1];
    for (std::uint32_t i = 0; i < lane.size_; ++i) {
      const std::uint32_t parent = lane.parents_[i];
      if (parent == Lane::kNoParent) continue;
      is_sound &= around.starts_[parent] <= lane.starts_[i] && end(lane, i) <= end(around, parent);
    }
  }
  // The sizes that LongestIndex gives them.
  const auto& levels = lane.longest_.levels_;
  std::size_t level = 0;
  for (std::uint32_t block = lane.size_ == 0 ? 0 : (lane.size_ - 1) / LongestIndex::kFanout; block > 0;
       block /= LongestIndex::kFanout, ++level) {
    if (level >= levels.size() || levels[level].size() != block + 1) return false;
    for (const std::uint32_t i : levels[level]) is_sound &= i < lane.size_;
  }
  return is_sound && level == levels.size();
}

bool TraceCodec::is_sound(const Trace& trace, const FoldIndex& folds, const Lane& lane) {
  for (const FoldIndex::Level& level : folds.levels_) {
    const std::span<const FoldIndex::Entry> entries = level.entries.get();
    if (level.width <= 0 || level.unit <= 0 || entries.size() < 2) return false;
    if (entries.front().first != 0 || entries.back().first != lane.size_) return false;
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
      const FoldIndex::Entry& entry = entries[i];
      const std::uint32_t next = entries[i + 1].first;
      if (entry.first >= next || entry.name.value >= trace.strings_.size()) return false;
      if (entry.longest != FoldIndex::kLookUp && entry.longest >= next - entry.first) return false;
      if (entry.length != FoldIndex::kLookUp && entry.length > saturating_sub(kMaxNanos, entry.start) / level.unit)
        return false;
    }
  }
  return true;
}

}  // namespace lacuna
