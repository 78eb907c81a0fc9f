#include "model/formats/trace_sink.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "model/formats/category_filter.h"
#include "model/formats/chrome/chrome_events.h"
#include "model/formats/chrome/decimal.h"
#include "model/formats/chrome/json_text.h"
#include "model/formats/json_value.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kBatchEvents = 1 << 15;
constexpr std::size_t kKeptAtOnce = 256 * 1024;
constexpr std::uint64_t kNumberIds = 1'000'000'000'000'000'000;  // flow ids from here on are texts to Chrome JSON

/// ns as microseconds with three digits, exactly; what is no time is none in JSON either.
std::string micros_text(SinkTime ns) {
  if (!ns) return "null";
  const std::uint64_t size = *ns < 0 ? 0 - static_cast<std::uint64_t>(*ns) : static_cast<std::uint64_t>(*ns);
  return fmt::format("{}{}.{:03}", *ns < 0 ? "-" : "", size / 1000, size % 1000);
}

bool is_in_range(SinkTime ns) {
  return ns && *ns <= kLargestTime && *ns >= -kLargestTime;
}

}  // namespace

TraceSink::TraceSink(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive)
    : input_(input), facts_(facts), receive_(receive) {
  text_ = "{\"schemaVersion\":1,";
  facts_.metadata.emplace_back("schemaVersion", "1");
  facts_.bytes = kept_;
}

void TraceSink::base_time(std::int64_t ns) {
  facts_.base_time_ns = ns;
  facts_.has_base_time = true;
  fmt::format_to(std::back_inserter(text_), "\"baseTimeNanoseconds\":{},", ns);
}

void TraceSink::device(const DeviceProperties& device) {
  facts_.devices.push_back(device);
  devices_ += devices_.empty() ? "{\"id\":" : ",{\"id\":";
  if (is_json_number(device.id)) {
    devices_ += device.id;
  } else {
    append_json_string(device.id, devices_);
  }
  devices_ += ",\"name\":";
  append_json_string(device.name, devices_);
  fmt::format_to(std::back_inserter(devices_),
                 ",\"totalGlobalMem\":{},\"numSms\":{},\"computeMajor\":{},\"computeMinor\":{}}}",
                 device.total_memory_bytes, device.multiprocessors, device.compute_major, device.compute_minor);
}

void TraceSink::fact(std::string_view key, std::string_view text) {
  members_ += members_.empty() ? '{' : ',';
  append_json_string(key, members_);
  members_ += ':';
  append_json_string(text, members_);
}

void TraceSink::begin_events() {
  if (!members_.empty()) {
    members_ += '}';
    text_.append("\"metadata\":").append(members_).append(",");
    facts_.metadata.emplace_back("metadata", members_);
  }
  if (devices_.empty()) facts_.metadata.emplace_back("deviceProperties", "[]");
  text_.append("\"deviceProperties\":[").append(devices_).append("],\"traceEvents\":[");
  has_begun_ = true;
}

void TraceSink::begin(char phase, std::string_view category, std::string_view name, SinkThread thread, SinkTime time) {
  if (!has_begun_) begin_events();
  text_ += has_events_ ? ",\n" : "\n";
  has_events_ = true;
  event_ = {};
  event_.phase = phase;
  event_.offset = kept_->size() + text_.size();
  event_.thread = thread;
  event_.time = time;
  fmt::format_to(std::back_inserter(text_), "{{\"ph\":\"{}\",", phase);
  if (!category.empty()) {
    text_ += "\"cat\":";
    event_.category = &this->category(category);
    append_json_string(category, text_);
    text_ += ',';
  }
  text_ += "\"name\":";
  event_.name = append_text(name);
  fmt::format_to(std::back_inserter(text_), ",\"pid\":{},\"tid\":{},\"ts\":{}", thread.pid, thread.tid,
                 phase == 'M' ? "0" : micros_text(time));
}

void TraceSink::slice(std::string_view category, std::string_view name, SinkThread thread, SinkTime start,
                      SinkTime end) {
  begin('X', category, name, thread, start);
  std::int64_t duration = 0;
  if (start && end) event_.duration = __builtin_sub_overflow(*end, *start, &duration) ? 0 : duration;
  text_.append(",\"dur\":").append(micros_text(event_.duration));
}

void TraceSink::open_slice(std::string_view category, std::string_view name, SinkThread thread, SinkTime start) {
  begin('B', category, name, thread, start);
}

void TraceSink::instant(std::string_view category, std::string_view name, SinkThread thread, SinkTime time) {
  begin('i', category, name, thread, time);
  text_ += ",\"s\":\"t\"";
}

void TraceSink::async(bool is_begin, std::string_view category, std::string_view name, SinkThread thread, SinkTime time,
                      std::string_view id) {
  begin(is_begin ? 'b' : 'e', category, name, thread, time);
  text_ += ",\"id\":";
  event_.id = append_text(id);
}

void TraceSink::counter(std::string_view name, std::int64_t pid, SinkTime time) {
  begin('C', {}, name, {pid, 0}, time);
}

void TraceSink::flow(bool is_start, std::string_view category, SinkThread thread, SinkTime time, std::uint64_t id) {
  begin(is_start ? 's' : 'f', category, category, thread, time);
  event_.flow_id = id;
  fmt::format_to(std::back_inserter(text_), ",\"id\":{},\"bp\":\"e\"", id);
}

void TraceSink::arguments() {
  text_ += ",\"args\":{";
  event_.has_arguments = true;
}

void TraceSink::begin_argument(std::string_view key) {
  if (!std::exchange(event_.is_first_argument, false)) text_ += ',';
  append_json_string(key, text_);
  text_ += ':';
}

void TraceSink::argument(std::string_view key, std::int64_t value) {
  begin_argument(key);
  const fmt::format_int text(value);
  text_.append(text.data(), text.size());
  if (key == "device") event_.device = value;
  if (key == "stream") event_.stream = value;
  if (key == "correlation") event_.correlation = value;
  if (key == "External id") event_.external_id = value;
  if (event_.phase == 'C') event_.values.emplace_back(key, static_cast<double>(value));
}

void TraceSink::argument(std::string_view key, double value) {
  if (!std::isfinite(value)) return argument(key, std::string_view(fmt::format("{}", value)));
  begin_argument(key);
  fmt::format_to(std::back_inserter(text_), "{}", value);
  if (event_.phase == 'C') event_.values.emplace_back(key, value);
}

void TraceSink::argument(std::string_view key, std::string_view value) {
  begin_argument(key);
  append_json_string(value, text_);
  if (event_.phase == 'C') event_.values.emplace_back(key, std::nullopt);
}

void TraceSink::argument(std::string_view key, std::span<const std::int64_t> values) {
  begin_argument(key);
  fmt::format_to(std::back_inserter(text_), "[{}]", fmt::join(values, ","));
}

void TraceSink::json_argument(std::string_view key, std::string_view json) {
  begin_argument(key);
  text_ += json;
}

void TraceSink::end() {
  text_ += event_.has_arguments ? "}}" : "}";
  add_record();
  if (text_.size() >= kKeptAtOnce) keep_text();
  if (++events_ >= kBatchEvents) hand_on();
}

void TraceSink::name_of(std::string_view what, std::string_view key, SinkThread thread, std::string_view text) {
  begin('M', {}, what, thread, 0);
  arguments();
  begin_argument(key);
  MetadataEvent event;
  event.what = what == "process_name"     ? MetadataEvent::What::kProcessName
               : what == "process_labels" ? MetadataEvent::What::kProcessLabels
                                          : MetadataEvent::What::kThreadName;
  event.file_offset = event_.offset;
  event.pid = number_text(thread.pid);
  event.tid = number_text(thread.tid);
  event.text = intern(append_text(text));
  batch_.metadata.push_back(event);
  end();
}

void TraceSink::number_of(std::string_view what, SinkThread thread, std::int64_t number) {
  using What = MetadataEvent::What;
  begin('M', {}, what, thread, 0);
  arguments();
  argument(what == "sample_period_ns" ? "value" : "sort_index", number);
  MetadataEvent event;
  event.what = what == "process_sort_index"  ? What::kProcessSortIndex
               : what == "thread_sort_index" ? What::kThreadSortIndex
                                             : What::kSamplePeriod;
  event.file_offset = event_.offset;
  event.pid = number_text(thread.pid);
  event.tid = number_text(thread.tid);
  event.number = number;
  batch_.metadata.push_back(event);
  end();
}

void TraceSink::describe(std::string_view what, SinkThread thread, Words words) {
  if (std::ranges::all_of(words, [](const auto& word) { return word.second.empty(); })) return;
  begin('M', {}, what, thread, 0);
  arguments();
  for (const auto& [key, text] : words) {
    if (!text.empty()) argument(key, text);
  }
  end();
}

void TraceSink::describe_process(std::int64_t pid, Words words) {
  describe("process_description", {pid, 0}, words);
}

void TraceSink::describe_thread(SinkThread thread, Words words) {
  describe("thread_description", thread, words);
}

void TraceSink::describe_counter(std::int64_t pid, std::string_view name, std::string_view series, Words words) {
  std::vector<std::pair<std::string_view, std::string_view>> all{{"counter", name}, {"series", series}};
  all.insert(all.end(), words.begin(), words.end());
  describe("counter_description", {pid, 0}, all);
}

TraceSink::TextPlace TraceSink::append_text(std::string_view text) {
  const std::size_t begin = text_.size() + 1;
  append_json_string(text, text_);
  return {begin, text_.size() - begin - 1};
}

/// A text of the JSON as reading it gives it.
StringId TraceSink::intern(TextPlace place) {
  return intern_content(std::string_view(text_).substr(place.begin, place.size), event_.offset, batch_, scratch_);
}

const TraceSink::Category& TraceSink::category(std::string_view text) {
  const auto known = std::ranges::find(categories_, text, &Category::text);
  if (known != categories_.end()) return *known;
  Category& made = categories_.emplace_back();
  made.text = text;
  const StringId id = batch_.strings.intern(text);
  made.is_skipped = is_skipped_category(text, input_.options.skip_categories);
  if (made.is_skipped) {
    made.index = static_cast<std::uint16_t>(batch_.skipped.size());
    batch_.skipped.emplace_back(id, 0);
  } else {
    made.index = batch_.category(id);
    made.meaning = classify_category(text);
  }
  return made;
}

StringId TraceSink::number_text(std::int64_t number) {
  const auto [known, is_new] = numbers_.try_emplace(number);
  const fmt::format_int text(number);
  if (is_new) known->second = batch_.strings.intern(std::string_view(text.data(), text.size()));
  return known->second;
}

EventBatch::TrackEvents& TraceSink::track() {
  Place place;
  place.pid = event_.thread.pid;
  place.tid = event_.thread.tid;
  const CategoryClass meaning = event_.category == nullptr ? CategoryClass::kOther : event_.category->meaning;
  const bool is_activity = is_gpu_activity(meaning);
  if (is_activity || meaning == CategoryClass::kGpuAnnotation) {
    place.kind = is_activity ? TrackKind::kGpuStream : TrackKind::kGpuAnnotation;
    place.device = event_.device.value_or(place.pid);
    place.stream = event_.stream.value_or(place.tid);
  } else if (is_beside_thread(meaning)) {
    place.kind = meaning == CategoryClass::kSample ? TrackKind::kStacks : TrackKind::kThreadStates;
  }
  if (place_ != place) {
    TrackKey key;
    key.kind = place.kind;
    key.pid = number_text(place.pid);
    key.tid = number_text(place.tid);
    if (traits_of(place.kind).is_on_gpu) {
      key.device = number_text(place.device);
      key.stream = number_text(place.stream);
    }
    track_ = batch_.track(key);
    place_ = place;
  }
  return batch_.tracks[track_];
}

bool TraceSink::is_shown(SinkTime ns, Finding if_not) {
  if (!is_in_range(ns)) batch_.report.add(if_not, event_.offset, micros_text(ns));
  return is_in_range(ns);
}

void TraceSink::add_record() {
  const Category* category = event_.category;
  if (category != nullptr && category->is_skipped) {
    ++batch_.skipped[category->index].second;
    return batch_.report.add(Finding::kSkippedOnRequest, event_.offset, category->text);
  }
  ++batch_.phase_counts[static_cast<unsigned char>(event_.phase)];
  std::uint16_t index = ChromeEvents::kNoCategory;
  if (category == nullptr) {
    ++batch_.without_category;
  } else {
    index = category->index;
    ++batch_.category_counts[index];
    batch_.category_first_offsets[index] = std::min(batch_.category_first_offsets[index], event_.offset);
  }
  if (event_.phase == 'M' || !is_shown(event_.time, Finding::kTimestampInvalid)) return;
  const Nanos time = *event_.time;
  switch (event_.phase) {
    case 'X':
      return add_slice();
    case 'B':
      return track().begin_ends.push_back({time, event_.offset, intern(event_.name), index, true});
    case 'i':
      return track().instants.push_back(
          {time, event_.offset, intern(event_.name), category == nullptr ? CategoryId{} : CategoryId{index}});
    case 'C':
      return add_counter();
    case 's':
    case 'f': {
      FlowEvent flow;
      flow.time = time;
      flow.file_offset = event_.offset;
      flow.id = event_.flow_id < kNumberIds ? FlowId::number(event_.flow_id)
                                            : FlowId::text(batch_.strings.intern(fmt::to_string(event_.flow_id)));
      flow.category = index;
      flow.phase = event_.phase;
      flow.binds_enclosing = true;
      const StringId pid = number_text(event_.thread.pid), tid = number_text(event_.thread.tid);
      return batch_.flows[batch_.flow_thread(pid, tid)].events.push_back(flow);
    }
    default:
      return batch_.asyncs.push_back({time, event_.offset, number_text(event_.thread.pid),
                                      number_text(event_.thread.tid), intern(event_.id), intern(event_.name), index,
                                      event_.phase});
  }
}

void TraceSink::add_slice() {
  SliceRecord slice;
  slice.start = *event_.time;
  if (!is_shown(event_.duration, Finding::kDurationInvalid)) {
    slice.flags |= kSliceRepairedTime;
  } else if (*event_.duration < 0) {
    batch_.report.add(Finding::kNegativeDuration, event_.offset, micros_text(event_.duration));
    slice.flags |= kSliceRepairedTime;
  } else {
    slice.duration = *event_.duration;
  }
  slice.file_offset = event_.offset;
  slice.correlation = static_cast<std::uint64_t>(event_.correlation.value_or(0));
  slice.external_id = static_cast<std::uint64_t>(event_.external_id.value_or(0));
  slice.name = intern(event_.name);
  slice.category = event_.category == nullptr ? ChromeEvents::kNoCategory : event_.category->index;
  track().slices.push_back(slice);
}

void TraceSink::add_counter() {
  const StringId name = intern(event_.name);
  for (const auto& [series, value] : event_.values) {
    if (value) {
      batch_.counters.push_back(
          {*event_.time, *value, number_text(event_.thread.pid), name, batch_.strings.intern(series)});
    } else {
      batch_.report.add(Finding::kCounterNotNumeric, event_.offset, series);
    }
  }
  if (event_.values.empty()) batch_.report.add(Finding::kCounterNotNumeric, event_.offset, batch_.strings.get(name));
}

void TraceSink::keep_text() {
  if (state_) state_ = kept_->append(text_, input_.options.max_json_bytes);
  text_.clear();
}

void TraceSink::hand_on() {
  keep_text();  // args of what is handed on can be read
  events_ = 0;
  EventBatch done = std::exchange(batch_, {});
  categories_.clear();
  numbers_.clear();
  place_.reset();
  if (input_.progress != nullptr) {
    input_.progress->events += done.event_count();
    if (state_ && input_.progress->cancel) state_ = fail(ErrorCode::kCancelled, "cancelled");
  }
  if (!state_) return;
  done.seal();
  receive_(std::move(done));
}

Result<void> TraceSink::finish() {
  if (!has_begun_) begin_events();
  text_ += "\n]}\n";
  hand_on();
  facts_.json_bytes = kept_->size();
  return state_;
}

}  // namespace lacuna
