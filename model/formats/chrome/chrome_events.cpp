#include "model/formats/chrome/chrome_events.h"

#include <algorithm>
#include <cstring>

#include "model/formats/category_filter.h"
#include "model/formats/chrome/decimal.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

/// The first up to 8 bytes of `text` as a number. Reads 8 bytes whatever the size: tokens lie in
/// padded buffers.
std::uint64_t load_head(const char* text, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, text, sizeof value);
  return size >= 8 ? value : value & ((std::uint64_t{1} << (8 * size)) - 1);
}

/// As comparing all of it, without a call for what is short.
bool is_same(const char* text, std::string_view token) {
  std::size_t at = 0;
  for (; at + 8 < token.size(); at += 8)
    if (load_head(text + at, 8) != load_head(token.data() + at, 8)) return false;
  return load_head(text + at, token.size() - at) == load_head(token.data() + at, token.size() - at);
}

std::size_t slot_of(std::uint64_t key, unsigned bits) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> (64 - bits));
}

constexpr std::string_view kStreamPrefix = "stream ";
constexpr std::size_t kLongestText = std::size_t{64} << 10;  // of a name, id …: nobody reads more

/// unitrace gives each arrow a category of its own, "Flow_H2D_12_RANK", with the number that is its id as well: without
/// it, so that a file has a few categories. Empty: it is none of these.
std::string without_flow_number(std::string_view category) {
  if (!category.starts_with("Flow_") && !category.starts_with("CL_Flow_")) return {};
  const auto begin = category.find('_', category.find("Flow_") + 5), rank = category.rfind('_');
  if (rank == std::string_view::npos || begin >= rank) return {};
  const std::string_view number = category.substr(begin + 1, rank - begin - 1);
  const bool is_number = !number.empty() && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? std::string(category.substr(0, begin)).append(category.substr(rank)) : std::string{};
}

bool has_escape(std::string_view content) {
  return std::memchr(content.data(), '\\', content.size()) != nullptr;
}

/// The value of a number that has no other spelling: digits alone, no leading zero, below 10^18. Padded, as above.
std::optional<std::uint64_t> canonical_number(std::string_view text) {
  if (text.empty() || text.size() > 18 || (text.front() == '0' && text.size() > 1)) return {};
  std::uint64_t value = 0;
  if (text.size() <= 16) return read_long_digits(text.data(), text.size(), value) ? std::optional(value) : std::nullopt;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

}  // namespace

struct ChromeEvents::Event {
  const EventWalker& tokens;
  const EventFields& fields;
  std::uint64_t offset;
  char phase = '\0';
  std::uint16_t category = kNoCategory;
  CategoryClass meaning = CategoryClass::kOther;

  std::string_view content(TokenIndex token) const {
    return token == 0 ? std::string_view{} : token_content(tokens.token(token));
  }
  /// 0: not there.
  std::uint64_t number(TokenIndex token) const {
    return token == 0 ? 0 : static_cast<std::uint64_t>(parse_padded_integer(content(token)).value_or(0));
  }
  std::uint64_t correlation() const {
    return number(fields.correlation != 0 ? fields.correlation : fields.connection_id);
  }
  /// A value that is there, and no null, list or object.
  bool has(TokenIndex token) const {
    return token != 0 && std::string_view("n[{").find(tokens.first_char(token)) == std::string_view::npos;
  }
};

void ChromeEvents::add(const EventWalker& tokens, const EventFields& fields, std::uint64_t file_offset) {
  Event e{tokens, fields, file_offset};
  const std::string_view ph = e.content(fields.ph);
  if (fields.ph == 0) {
    // Some writers end the list with an empty object, for want of a last comma.
    if (tokens.first_char(fields.open + 1) == '}') return batch_.report.add(Finding::kEmptyEvent, file_offset);
    return add_non_event(file_offset);
  }
  static constexpr CategoryEntry kNone;
  const CategoryEntry& known = fields.cat == 0 ? kNone : category(e);
  if (known.is_skipped) {
    ++batch_.skipped[known.index].second;
    return batch_.report.add(Finding::kSkippedOnRequest, file_offset, e.content(fields.cat));
  }
  if (fields.duplicates != 0)
    batch_.report.add(Finding::kDuplicateKey, file_offset, e.content(fields.name), fields.duplicates);
  e.phase = ph.empty() ? '\0' : ph.front();
  ++batch_.phase_counts[static_cast<unsigned char>(e.phase)];
  if (fields.cat == 0) {
    ++batch_.without_category;
  } else {
    e.category = known.index;
    e.meaning = known.meaning;
    ++batch_.category_counts[known.index];
    std::uint64_t& first = batch_.category_first_offsets[known.index];
    first = std::min(first, file_offset);
  }
  switch (ph.size() == 1 ? e.phase : '\0') {
    case 'X':
      if (fields.cat == 0 && fields.connection_id != 0) classify_ascend(e);
      return add_slice(e);
    case 'B':
    case 'E':
      return add_begin_end(e);
    case 'i':
    case 'I':
    case 'R':
      return add_instant(e);
    case 'C':
      return add_counter(e);
    case 'b':
    case 'n':
    case 'e':
    case 'S':
    case 'T':
    case 'p':
    case 'F':
      return add_async(e);
    case 's':
    case 't':
    case 'f':
      return add_flow(e);
    case 'M':
      return add_metadata(e);
    case 'N':
    case 'O':
    case 'D':
    case 'P':
    case 'v':
    case 'V':
    case 'c':
    case '(':
    case ')':
      return batch_.report.add(Finding::kPhaseNotShown, file_offset, ph);
    default:
      return batch_.report.add(Finding::kUnknownPhase, file_offset, ph);
  }
}

void ChromeEvents::add_non_event(std::uint64_t file_offset) {
  batch_.report.add(Finding::kNotAnEvent, file_offset);
}

void ChromeEvents::classify_ascend(Event& e) {
  // Tasks of a stream that wait for another one, as "EVENT_WAIT" and "Notify_Wait", are no work.
  const std::string_view task = e.content(e.fields.name);
  const bool waits = task.ends_with("_WAIT") || task.ends_with("_Wait");
  const std::string_view category = e.fields.task_id == 0 ? "runtime" : waits ? "synchronization" : "kernel";
  e.category = batch_.category(batch_.strings.intern(category));
  e.meaning = classify_category(category);
}

void ChromeEvents::add_slice(const Event& e) {
  SliceRecord slice;
  if (!read_time(e, slice.start)) return;
  if (e.fields.dur == 0) {
    batch_.report.add(Finding::kDurationMissing, e.offset);
    slice.flags |= kSliceRepairedTime;
  } else {
    const DecimalTime duration = parse_time(e.content(e.fields.dur));
    if (duration.status == DecimalTime::Status::kRounded) batch_.report.add(Finding::kSubNanosecondRounded, e.offset);
    if (!duration.valid() || duration.value < 0) {
      batch_.report.add(duration.valid() ? Finding::kNegativeDuration : Finding::kDurationInvalid, e.offset,
                        e.content(e.fields.dur));
      slice.flags |= kSliceRepairedTime;
    } else {
      slice.duration = duration.value;
    }
  }
  slice.file_offset = e.offset;
  slice.correlation = e.correlation();
  // Intel's unitrace counts calls from 0 on, in a field of the call and an arg of its work.
  if ((e.fields.id | e.fields.argument_id) != 0 && (e.fields.correlation | e.fields.connection_id) == 0)
    slice.correlation = e.number(e.fields.id != 0 ? e.fields.id : e.fields.argument_id) + 1;
  slice.external_id = e.number(e.fields.external_id);
  slice.name = name(e);
  slice.category = e.category;
  batch_.tracks[track(e)].slices.push_back(slice);
  if (e.fields.bind_id != 0) add_flow_of_slice(e, slice.start);
}

void ChromeEvents::add_begin_end(const Event& e) {
  BeginEndEvent event;
  if (!read_time(e, event.time)) return;
  event.file_offset = e.offset;
  event.correlation = e.correlation();
  event.external_id = e.number(e.fields.external_id);
  event.is_begin = e.phase == 'B';
  event.name = event.is_begin ? name(e) : text(e, e.fields.name);
  event.category = e.category;
  batch_.tracks[track(e)].begin_ends.push_back(event);
  if (e.fields.bind_id != 0) add_flow_of_slice(e, event.time);
}

void ChromeEvents::add_instant(const Event& e) {
  Instant instant;
  if (!read_time(e, instant.time)) return;
  instant.file_offset = e.offset;
  instant.name = name(e);
  if (e.category != kNoCategory) instant.category = CategoryId{e.category};
  const std::string_view scope = e.content(e.fields.s);
  if (scope == "g" || scope == "p") instant.scope = scope.front();
  batch_.tracks[track(e)].instants.push_back(instant);
}

void ChromeEvents::add_counter(const Event& e) {
  CounterSample sample;
  if (!read_time(e, sample.time)) return;
  sample.pid = text(e, e.fields.pid);
  sample.name = name(e);
  if (e.fields.id != 0 || e.fields.id2 != 0) {
    std::string with_id(batch_.strings.get(sample.name));
    with_id.append("[").append(batch_.strings.get(event_id(e))).append("]");
    sample.name = batch_.strings.intern(with_id);
  }
  bool any = false;
  e.tokens.for_each_member(e.fields.args, [&](TokenIndex key, TokenIndex value) {
    any = true;
    const auto number = parse_double(e.content(value));
    if (number) {
      sample.value = *number;
      sample.series = text(e, key);
      batch_.counters.push_back(sample);
    } else {
      batch_.report.add(Finding::kCounterNotNumeric, e.offset, e.content(key));
    }
  });
  if (!any) batch_.report.add(Finding::kCounterNotNumeric, e.offset, e.content(e.fields.name));
}

void ChromeEvents::add_async(const Event& e) {
  AsyncEvent event;
  if (!read_time(e, event.time)) return;
  event.file_offset = e.offset;
  event.pid = text(e, e.fields.pid);
  event.tid = text(e, e.fields.tid);
  event.id = event_id(e);
  event.name = name(e);
  event.category = e.category;
  event.phase = e.phase;
  batch_.asyncs.push_back(event);
}

void ChromeEvents::add_flow(const Event& e) {
  FlowEvent event;
  if (!read_time(e, event.time)) return;
  event.file_offset = e.offset;
  event.id = flow_id(e);
  event.category = e.category;
  event.phase = e.phase;
  event.binds_enclosing = e.content(e.fields.bp) == "e";
  batch_.flows[flow_thread(e)].events.push_back(event);
}

/// A slice may carry its end of a flow itself: bind_id with flow_in, flow_out or both. Such ids hold
/// across categories, and are not those of s/t/f events.
void ChromeEvents::add_flow_of_slice(const Event& e, Nanos time) {
  const bool goes_in = e.fields.flow_in != 0 && e.tokens.first_char(e.fields.flow_in) == 't';
  const bool goes_out = e.fields.flow_out != 0 && e.tokens.first_char(e.fields.flow_out) == 't';
  if (!goes_in && !goes_out) return;
  if (e.phase == 'E') return batch_.report.add(Finding::kFlowWithoutSlice, e.offset);
  FlowEvent event;
  event.time = time;
  event.file_offset = e.offset;
  event.id =
      FlowId::text(batch_.strings.intern("bind_id:" + std::string(batch_.strings.get(text(e, e.fields.bind_id)))));
  event.category = kNoCategory;
  event.phase = goes_in && goes_out ? 't' : goes_out ? 's' : 'f';
  event.binds_enclosing = true;
  event.binds_own_slice = true;
  batch_.flows[flow_thread(e)].events.push_back(event);
}

void ChromeEvents::add_metadata(const Event& e) {
  using What = MetadataEvent::What;
  struct Known {
    std::string_view name;
    What what;
    std::string_view argument;
    bool is_number;
  };
  static constexpr std::array<Known, 7> kKnown{{
      {"process_name", What::kProcessName, "name", false},
      {"process_labels", What::kProcessLabels, "labels", false},
      {"process_sort_index", What::kProcessSortIndex, "sort_index", true},
      {"thread_name", What::kThreadName, "name", false},
      {"thread_sort_index", What::kThreadSortIndex, "sort_index", true},
      {"process_rank", What::kProcessRank, "rank", true},
      {"sample_period_ns", What::kSamplePeriod, "value", true},
  }};
  const std::string_view name = e.content(e.fields.name);
  if (name == "process_description" || name == "thread_description" || name == "counter_description")
    return;  // of TraceSink, for SQL
  const auto known = std::ranges::find(kKnown, name, &Known::name);
  TokenIndex value = 0;
  if (known != kKnown.end()) {
    e.tokens.for_each_member(e.fields.args, [&](TokenIndex key, TokenIndex token) {
      if (e.content(key) == known->argument) value = token;
    });
  }
  MetadataEvent event;
  const auto number = value != 0 && known->is_number ? parse_integer(e.content(value)) : std::optional<std::int64_t>{0};
  if (!e.has(value) || !number) {
    batch_.report.add(Finding::kMetadataNotUnderstood, e.offset, name);
    return;
  }
  event.what = known->what;
  event.file_offset = e.offset;
  event.pid = text(e, e.fields.pid);
  event.tid = text(e, e.fields.tid);
  event.number = *number;
  if (!known->is_number) event.text = text(e, value);
  batch_.metadata.push_back(event);
}

DecimalTime ChromeEvents::parse_time(std::string_view text) const {
  return times_in_ns_ ? parse_nanos(text) : parse_padded_micros(text);
}

bool ChromeEvents::read_time(const Event& e, Nanos& time) {
  if (e.fields.ts == 0) {
    batch_.report.add(Finding::kTimestampMissing, e.offset, e.content(e.fields.name));
    return false;
  }
  const DecimalTime read = parse_time(e.content(e.fields.ts));
  if (!read.valid()) {
    batch_.report.add(Finding::kTimestampInvalid, e.offset, e.content(e.fields.ts));
    return false;
  }
  if (read.status == DecimalTime::Status::kRounded) batch_.report.add(Finding::kSubNanosecondRounded, e.offset);
  time = read.value;
  return true;
}

StringId ChromeEvents::text(const Event& e, TokenIndex token) {
  return token == 0 ? kEmptyString : intern_content(e.content(token), e.offset, batch_, scratch_);
}

StringId ChromeEvents::name(const Event& e) {
  if (e.fields.name == 0) {
    batch_.report.add(Finding::kNameMissing, e.offset);
    return kEmptyString;
  }
  // A trace has few names. To compare one costs half of looking for escapes, hashing and comparing.
  const std::string_view content = e.content(e.fields.name);
  if (content.size() < 8 || content.size() > kLongestText) return intern_content(content, e.offset, batch_, scratch_);
  const std::uint64_t ends = load_head(content.data(), 8) + 31 * load_head(content.data() + content.size() - 8, 8);
  NameEntry& entry = names_[slot_of(ends + content.size(), 9)];
  if (entry.text != content) {
    const StringId id = intern_content(content, e.offset, batch_, scratch_);
    if (has_escape(content)) return id;  // one that JSON does not know is counted each time
    entry = {batch_.strings.get(id), id};
  }
  return entry.id;
}

StringId intern_content(std::string_view content, std::uint64_t offset, EventBatch& batch, std::string& scratch) {
  if (content.size() > kLongestText) {
    batch.report.add(Finding::kNameCut, offset, content);
    content = content.substr(0, utf8_cut(content, kLongestText));
    // Not in the middle of an escape, of which the longest is a pair of surrogates.
    const auto escape = content.find('\\', content.size() - 12);
    if (escape != std::string_view::npos) content = content.substr(0, escape);
    while (content.ends_with('\\')) content.remove_suffix(1);
  }
  if (!has_escape(content)) return batch.strings.intern(content);
  scratch.clear();
  const std::uint32_t bad = append_unescaped(content, scratch);
  batch.report.add(Finding::kBadEscape, offset, content, bad);
  return batch.strings.intern(scratch);
}

/// The text that tells async events and flows apart: id, else id2's local or global one, else
/// bind_id; with the scope in front where one is given. Ids hold across processes, except id2's
/// local one, which gets the pid in front.
StringId ChromeEvents::event_id(const Event& e) {
  TokenIndex token = e.fields.id;
  std::string space;
  if (token == 0) {
    e.tokens.for_each_member(e.fields.id2, [&](TokenIndex key, TokenIndex value) {
      const std::string_view kind = e.content(key);
      if (kind != "local" && kind != "global") return;
      token = value;
      space = kind == "local" ? "local:" + std::string(e.content(e.fields.pid)) : "";
    });
  }
  if (token == 0) token = e.fields.bind_id;
  const StringId id = text(e, token);
  if (e.fields.scope == 0 && space.empty()) return id;
  std::string full = std::move(space);
  if (e.fields.scope != 0) full.append(full.empty() ? "" : ":").append(batch_.strings.get(text(e, e.fields.scope)));
  return batch_.strings.intern(full.append(":").append(batch_.strings.get(id)));
}

/// Plain numbers, which most are, stay numbers.
FlowId ChromeEvents::flow_id(const Event& e) {
  if (e.fields.id != 0 && e.fields.scope == 0) {
    if (const auto number = canonical_number(e.content(e.fields.id))) return FlowId::number(*number);
  }
  return FlowId::text(event_id(e));
}

const ChromeEvents::CategoryEntry& ChromeEvents::category(const Event& e) {
  const std::string_view token = e.content(e.fields.cat);
  if (token.size() > std::tuple_size_v<decltype(CategoryEntry::text)>) return long_category_ = make_category(e);
  CategoryEntry& entry = categories_[slot_of(load_head(token.data(), token.size()) ^ token.size(), 6)];
  if (entry.index == kNoCategory || entry.size != token.size() || !is_same(entry.text.data(), token)) {
    entry = make_category(e);
    entry.size = static_cast<std::uint8_t>(token.size());
    std::memcpy(entry.text.data(), token.data(), token.size());
  }
  return entry;
}

ChromeEvents::CategoryEntry ChromeEvents::make_category(const Event& e) {
  CategoryEntry entry;
  const StringId name = text(e, e.fields.cat);
  if (is_skipped_category(batch_.strings.get(name), skipped_)) {
    entry.is_skipped = true;
    const auto known = std::ranges::find(batch_.skipped, name, &std::pair<StringId, std::uint64_t>::first);
    entry.index = static_cast<std::uint16_t>(known - batch_.skipped.begin());
    if (known == batch_.skipped.end()) batch_.skipped.emplace_back(name, 0);
    return entry;
  }
  const std::string flow = without_flow_number(batch_.strings.get(name));
  entry.index = batch_.category(flow.empty() ? name : batch_.strings.intern(flow));
  entry.meaning = classify_category(batch_.strings.get(name));
  return entry;
}

bool ChromeEvents::shorten(std::string_view token, ShortText& out) {
  if (token.size() > 16) return false;
  out.low = load_head(token.data(), token.size());
  out.high = token.size() > 8 ? load_head(token.data() + 8, token.size() - 8) : 0;
  return true;
}

/// Index in batch_.tracks of the track that the event lies on.
std::uint32_t ChromeEvents::track(const Event& e) {
  TrackKind kind = TrackKind::kThread;
  TokenIndex device = 0;
  TokenIndex stream = 0;
  const bool is_activity = is_gpu_activity(e.meaning);
  if (is_activity || e.meaning == CategoryClass::kGpuAnnotation) {
    kind = is_activity ? TrackKind::kGpuStream : TrackKind::kGpuAnnotation;
    device = e.has(e.fields.device) ? e.fields.device : e.fields.pid;
    stream = e.has(e.fields.stream) ? e.fields.stream : e.fields.tid;
  } else if (is_beside_thread(e.meaning)) {
    kind = e.meaning == CategoryClass::kSample ? TrackKind::kStacks : TrackKind::kThreadStates;
  }
  TrackEntry wanted;
  const TokenIndex tokens[] = {e.fields.pid, e.fields.tid, device, stream};
  std::uint64_t key = static_cast<std::uint64_t>(kind);
  bool is_short = true;
  for (std::size_t i = 0; i < 4; ++i) {
    if (tokens[i] == 0) continue;
    is_short &= shorten(e.tokens.token(tokens[i]), wanted.texts[i]);
    key = (key ^ wanted.texts[i].low ^ wanted.texts[i].high) * 0xD6E8FEB86659FD93ull;
  }
  if (e.fields.pid == 0 || e.fields.tid == 0) {
    const bool is_instant = e.phase == 'i' || e.phase == 'I' || e.phase == 'R';
    const bool needs_tid = !is_instant || e.content(e.fields.s).empty();
    if (e.fields.pid == 0 || needs_tid) batch_.report.add(Finding::kPidOrTidMissing, e.offset);
  }
  if (!is_short) return make_track(e, kind, device, stream);
  TrackEntry& entry = tracks_[slot_of(key, 6)];
  if (!entry.is_used || entry.kind != kind || entry.texts != wanted.texts) {
    wanted.track = make_track(e, kind, device, stream);
    wanted.kind = kind;
    wanted.is_used = true;
    entry = wanted;
  }
  return entry.track;
}

/// Index in batch_.flows of the thread that a flow event names.
std::uint32_t ChromeEvents::flow_thread(const Event& e) {
  ThreadEntry wanted;
  bool is_short = true;
  if (e.fields.pid != 0) is_short &= shorten(e.tokens.token(e.fields.pid), wanted.pid);
  if (e.fields.tid != 0) is_short &= shorten(e.tokens.token(e.fields.tid), wanted.tid);
  const auto make = [&] { return batch_.flow_thread(text(e, e.fields.pid), text(e, e.fields.tid)); };
  if (!is_short) return make();
  ThreadEntry& entry = flow_threads_[slot_of(wanted.pid.low * 31 + wanted.tid.low + wanted.tid.high, 5)];
  if (!entry.is_used || entry.pid != wanted.pid || entry.tid != wanted.tid) {
    wanted.thread = make();
    wanted.is_used = true;
    entry = wanted;
  }
  return entry.thread;
}

std::uint32_t ChromeEvents::make_track(const Event& e, TrackKind kind, TokenIndex device, TokenIndex stream) {
  TrackKey key;
  key.kind = kind;
  key.pid = text(e, e.fields.pid);
  key.tid = text(e, e.fields.tid);
  key.device = text(e, device);
  key.stream = text(e, stream);
  const std::string_view stream_text = batch_.strings.get(key.stream);
  if (stream_text.starts_with(kStreamPrefix))
    key.stream = batch_.strings.intern(stream_text.substr(kStreamPrefix.size()));
  return batch_.track(key);
}

}  // namespace lacuna
