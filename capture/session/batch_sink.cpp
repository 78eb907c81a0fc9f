#include "capture/session/batch_sink.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace lacuna {

StringId BatchSink::id_text(std::uint32_t id) {
  if (id == ~0u) return batch_.strings.intern("-1");
  const fmt::format_int text(id);
  return batch_.strings.intern({text.data(), text.size()});
}

BatchSink::KnownText& BatchSink::known(std::string_view text) {
  const auto address = reinterpret_cast<std::uintptr_t>(text.data());
  KnownText& entry = known_[(address >> 4 ^ address >> 12 ^ text.size()) % kKnownTexts];
  if (entry.data != text.data() || entry.text != text) {
    entry.id = batch_.strings.intern(text);
    entry.data = text.data();
    entry.text = batch_.strings.get(entry.id);
    entry.category = kNoCategory;
  }
  return entry;
}

StringId BatchSink::text(std::string_view text) {
  return known(text).id;
}

std::uint32_t BatchSink::track(const StreamedTrack& track) {
  if (has_last_track_ && track == last_track_) return last_track_index_;
  const auto [entry, is_new] = tracks_.try_emplace(track);
  if (is_new) {
    TrackKey key;
    key.pid = id_text(track.pid);
    key.tid = id_text(track.tid);
    key.kind = track.kind;
    if (traits_of(track.kind).is_on_gpu) {
      key.device = id_text(track.device);
      key.stream = key.tid;
    }
    entry->second = batch_.track(key);
  }
  last_track_ = track;
  has_last_track_ = true;
  return last_track_index_ = entry->second;
}

std::uint16_t BatchSink::category(std::string_view name) {
  KnownText& entry = known(name);
  if (entry.category == kNoCategory) entry.category = batch_.category(entry.id);
  return entry.category;
}

void BatchSink::count(char phase, std::uint16_t category) {
  ++batch_.phase_counts[static_cast<unsigned char>(phase)];
  if (batch_.category_counts[category]++ == 0) batch_.category_first_offsets[category] = offset_;
}

void BatchSink::add(const StreamedSlice& slice) {
  EventBatch::TrackEvents& events = batch_.tracks[track(slice.track)];
  const std::uint16_t category_id = category(slice.category);
  if (slice.is_open) {
    events.begin_ends.push_back({slice.start, offset_, text(slice.name), category_id, true});
    return count('B', category_id);
  }
  SliceRecord record;
  record.start = slice.start;
  record.duration = slice.duration;
  record.file_offset = offset_;
  record.correlation = slice.correlation;
  record.name = text(slice.name);
  record.category = category_id;
  events.slices.push_back(record);
  count('X', category_id);
}

void BatchSink::add_counter(const StreamedInstant& counter) {
  CounterSample sample;
  sample.file_offset = offset_;
  sample.time = counter.time;
  sample.pid = id_text(counter.track.pid);
  sample.name = batch_.strings.intern(counter.name);
  // "series":number, one after the other, as the decoders write them.
  std::string_view rest = counter.args;
  while (rest.starts_with('"')) {
    const std::size_t end = rest.find("\":", 1);
    if (end == std::string_view::npos) break;
    sample.series = batch_.strings.intern(rest.substr(1, end - 1));
    rest.remove_prefix(end + 2);
    const auto number = std::from_chars(rest.data(), rest.data() + rest.size(), sample.value);
    if (number.ec != std::errc()) break;
    batch_.counters.push_back(sample);
    rest.remove_prefix(static_cast<std::size_t>(number.ptr - rest.data()));
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
  ++batch_.phase_counts['C'];
  ++batch_.without_category;
}

void BatchSink::add(const StreamedInstant& instant) {
  if (instant.is_counter) return add_counter(instant);
  const std::uint16_t category_id = category(instant.category);
  Instant record;
  record.time = instant.time;
  record.file_offset = offset_;
  record.name = batch_.strings.intern(instant.name);
  record.category = CategoryId{category_id};
  batch_.tracks[track(instant.track)].instants.push_back(record);
  count('i', category_id);
}

void BatchSink::add(const StreamedAsync& async) {
  AsyncEvent event;
  event.time = async.time;
  event.file_offset = offset_;
  event.pid = id_text(async.track.pid);
  event.tid = id_text(async.track.tid);
  const fmt::format_int id(async.id);
  event.id = batch_.strings.intern({id.data(), id.size()});
  event.name = batch_.strings.intern(async.name);
  event.category = category(async.category);
  event.phase = async.is_begin ? 'b' : 'e';
  batch_.asyncs.push_back(event);
  count(event.phase, event.category);
}

void BatchSink::add(const StreamedFlow& flow) {
  for (const bool is_start : {true, false}) {
    const StreamedTrack& track = is_start ? flow.from : flow.to;
    FlowEvent event;
    event.time = is_start ? flow.from_time : flow.to_time;
    event.file_offset = offset_;
    event.id = FlowId::number(flow.id);
    event.category = category(flow.category);
    event.phase = is_start ? 's' : 'f';
    event.binds_enclosing = !is_start;
    batch_.flows[batch_.flow_thread(id_text(track.pid), id_text(track.tid))].events.push_back(event);
    count(event.phase, event.category);
  }
}

void BatchSink::add(const StreamedName& name) {
  using What = MetadataEvent::What;
  MetadataEvent event;
  static constexpr What kWhats[] = {What::kProcessName,      What::kProcessLabels,   What::kThreadName,
                                    What::kProcessSortIndex, What::kThreadSortIndex, What::kProcessRank,
                                    What::kSamplePeriod};
  event.what = kWhats[static_cast<std::size_t>(name.what)];
  event.file_offset = offset_;
  event.pid = id_text(name.pid);
  event.tid = id_text(name.tid);
  if (name.what >= StreamedName::What::kProcessSortIndex) {
    std::from_chars(name.name.data(), name.name.data() + name.name.size(), event.number);
  } else {
    event.text = batch_.strings.intern(name.name);
  }
  batch_.metadata.push_back(event);
  ++batch_.phase_counts['M'];
  ++batch_.without_category;
}

EventBatch copied(const EventBatch& batch) {
  EventBatch copy;
  copy.strings = batch.strings.clone();
  copy.tracks = batch.tracks;
  copy.asyncs = batch.asyncs;
  copy.flows = batch.flows;
  copy.counters = batch.counters;
  copy.metadata = batch.metadata;
  copy.categories = batch.categories;
  copy.category_counts = batch.category_counts;
  copy.category_first_offsets = batch.category_first_offsets;
  copy.without_category = batch.without_category;
  copy.skipped = batch.skipped;
  copy.phase_counts = batch.phase_counts;
  copy.report = batch.report;
  return copy;
}

EventBatch BatchSink::take() {
  tracks_.clear();
  known_.fill({});
  has_last_track_ = false;
  batch_.seal();
  EventBatch taken = std::exchange(batch_, EventBatch{});
  batch_.use(spares_);
  return taken;
}

}  // namespace lacuna
