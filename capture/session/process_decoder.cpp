#include "capture/session/process_decoder.h"

#include <cstring>
#include <limits>

#include "capture/session/gpu_decoder.h"

namespace lacuna {

using wire::RecordType;

namespace {

/// Started ranges and threads that a hostile target may make us remember.
constexpr std::size_t kMostStarted = std::size_t{1} << 22;
constexpr std::size_t kMostThreads = std::size_t{1} << 20;
constexpr std::uint64_t kNamespaceShiftNs = 1'000'000;

constexpr std::string_view kRangeCategory = "user_annotation";
constexpr std::string_view kOperatorCategory = "cpu_op";
constexpr std::string_view kProfilerStep = "ProfilerStep#";

std::string_view category_of(const OpenRange& range) {
  return range.facts.external_id != 0 && range.facts.scope != wire::OperatorScope::kUser ? kOperatorCategory
                                                                                         : kRangeCategory;
}

}  // namespace

ProcessDecoder::ProcessDecoder(Identity identity, const ClockMap& clocks, EventSink& sink,
                               std::vector<CaptureMessage>& messages)
    : identity_(std::move(identity)),
      clocks_(clocks),
      sink_(sink),
      messages_(messages),
      forward_links_(identity_.index, sink),
      gpu_(std::make_unique<GpuDecoder>(*this)) {
  if (identity_.clock == wire::ClockKind::kTsc) {
    const std::uint64_t ours = clocks_.monotonic_of_tsc(identity_.start.tsc);
    const std::uint64_t shift = identity_.start.monotonic_ns - ours;
    if (shift + kNamespaceShiftNs > 2 * kNamespaceShiftNs) monotonic_shift_ = shift;
  }
  tell_process();
  sink_.add(StreamedName{StreamedName::What::kProcessLabels, identity_.pid, 0, "CPU"});
}

ProcessDecoder::~ProcessDecoder() = default;

Nanos ProcessDecoder::time(std::uint64_t clock_time) const {
  return identity_.clock == wire::ClockKind::kTsc ? clocks_.trace_time(clocks_.monotonic_of_tsc(clock_time))
                                                  : clocks_.trace_time(clock_time);
}

Nanos ProcessDecoder::monotonic_time(std::uint64_t ns) const {
  return clocks_.trace_time(ns - monotonic_shift_);
}

std::vector<ProcessDecoder::Step> ProcessDecoder::take_steps() {
  return std::exchange(steps_, {});
}

void ProcessDecoder::read(std::uint64_t ring, std::span<const wire::Slot> slots, bool api_thread_is_tid) {
  gpu_->api_thread_is_tid = api_thread_is_tid;
  if (rings_.size() <= ring) rings_.resize(ring + 1);
  while (!slots.empty()) {
    const std::size_t used = read_record(ring, slots);
    ++counts_.records;
    slots = slots.subspan(std::min(used, slots.size()));
  }
}

std::size_t ProcessDecoder::read_record(std::uint64_t ring, std::span<const wire::Slot> slots) {
  const auto head = record_of<wire::RecordHead>(slots);
  const std::size_t count = wire::slots_of(head.type);
  if (count == 0 || count > slots.size()) {  // not a record, or one that was cut
    ++counts_.corrupt;
    return count == 0 ? 1 : slots.size();
  }
  const bool is_control = ring == wire::kControlRing;
  switch (head.type) {
    case RecordType::kPadding:
      return 1;
    case RecordType::kThread:
      start_thread(ring, record_of<wire::ThreadRecord>(slots));
      return count;
    case RecordType::kLost:
      counts_.lost += head.name;
      return count;
    case RecordType::kPush:
    case RecordType::kPushAttributes:
    case RecordType::kPushCoded:
    case RecordType::kOperator:
    case RecordType::kTorchThread:
    case RecordType::kPop:
    case RecordType::kStart:
    case RecordType::kEnd:
    case RecordType::kMark:
    case RecordType::kMarkAttributes:
    case RecordType::kStep:
    case RecordType::kAllocator:
      read_range(rings_[ring], head, slots.first(count));
      return count;
    case RecordType::kKernel:
    case RecordType::kCopy:
    case RecordType::kSet:
    case RecordType::kApi:
    case RecordType::kSync:
    case RecordType::kOverhead:
    case RecordType::kMemory:
    case RecordType::kGraph:
      gpu_->read(head.type, slots.first(count));
      return count;
    default:
      break;
  }
  if (!is_control) {
    ++counts_.corrupt;
    return count;
  }
  switch (head.type) {
    case RecordType::kString:
      return read_string(head, slots);
    case RecordType::kDomain:
      domain_names_[head.domain] = head.name;
      break;
    case RecordType::kCategory:
      category_names_[std::uint64_t{head.domain} << 32 |
                      static_cast<std::uint32_t>(record_of<wire::NumberRecord>(slots).number)] = head.name;
      break;
    case RecordType::kThreadName:
      name_thread(static_cast<std::uint32_t>(record_of<wire::NumberRecord>(slots).number), head.name);
      break;
    case RecordType::kProcessName:
      given_name_ = head.name;
      tell_process();
      break;
    case RecordType::kRank:
      set_rank(record_of<wire::RankRecord>(slots));
      break;
    case RecordType::kMessage:
      say(record_of<wire::NumberRecord>(slots));
      break;
    case RecordType::kDevice:
      gpu_->add_device(record_of<wire::DeviceRecord>(slots));
      break;
    case RecordType::kObjectName:
      gpu_->name_object(record_of<wire::ObjectRecord>(slots));
      break;
    case RecordType::kResource:
      ++counts_.names_unseen;
      break;
    default:
      break;
  }
  return count;
}

std::size_t ProcessDecoder::read_string(const wire::RecordHead& head, std::span<const wire::Slot> slots) {
  const std::uint64_t length = head.time;
  if (length > wire::kMostNameBytes || 1 + wire::text_slots(length) > slots.size()) {
    ++counts_.corrupt;
    return 1;
  }
  const auto* text = reinterpret_cast<const char*>(slots.data() + 1);
  if (!names_.add(head.name, {text, static_cast<std::size_t>(length)})) ++counts_.corrupt;
  return 1 + wire::text_slots(length);
}

void ProcessDecoder::start_thread(std::uint64_t ring, const wire::ThreadRecord& record) {
  if (threads_.size() >= kMostThreads && !threads_.contains(record.tid)) {
    ++counts_.corrupt;
    rings_[ring].thread = nullptr;
    return;
  }
  const auto [entry, is_new] = threads_.try_emplace(record.tid);
  ThreadLanes& thread = entry->second;
  if (is_new) {
    thread.tid = record.tid;
    thread.first_time = time(record.head.time);
    const auto* comm = record.comm;
    const std::string_view name(comm,
                                static_cast<std::size_t>(std::find(comm, comm + sizeof record.comm, '\0') - comm));
    if (const auto given = thread_names_.find(record.tid); given != thread_names_.end()) {
      tell_thread(record.tid, names_.get(given->second));
    } else {
      tell_thread(record.tid, record.tid == identity_.pid ? fmt::format("{} (main)", name) : std::string(name));
    }
    sink_.add(StreamedName{StreamedName::What::kThreadSortIndex, identity_.pid, record.tid,
                           fmt::format_int(record.tid).c_str()});
  } else if (ring != wire::kControlRing) {  // in the control ring threads take turns; elsewhere it is a new life
    thread.close_all([&](const OpenRange& range) { emit(thread, range, range.start, true, false); });
  }
  thread.pthread_low = record.pthread_low;
  tid_of_pthread_[record.pthread_low] = record.tid;
  rings_[ring].thread = &thread;
}

void ProcessDecoder::read_range(Ring& ring, const wire::RecordHead& head, std::span<const wire::Slot> slots) {
  if (ring.thread == nullptr) {
    ++counts_.corrupt;
    return;
  }
  ThreadLanes& thread = *ring.thread;
  const Nanos now = time(head.time);
  lost_ends_.clear();
  switch (head.type) {
    case RecordType::kPush:
      if (head.domain == wire::kTorchDomain) {
        start_operator(thread, {now, head, {}, {}, false, true});
      } else {
        thread.push({now, head, {}, {}, false, true}, lost_ends_);
      }
      break;
    case RecordType::kOperator: {
      const auto record = record_of<wire::OperatorRecord>(slots);
      OperatorFacts facts;
      facts.sequence = record.sequence;
      facts.forward_thread = record.forward_thread();
      facts.inputs = record.inputs;
      facts.scope = record.scope();
      start_operator(thread, {now, head, facts, {}, false, true});
      break;
    }
    case RecordType::kTorchThread:
      thread.torch_thread = head.name;
      break;
    case RecordType::kPushCoded: {
      const auto coded = record_of<wire::CodedRangeRecord>(slots);
      wire::RangeRecord attributes;
      attributes.payload = coded.payload;
      attributes.color = coded.color;
      attributes.category = coded.category_and_type & 0xffffff;
      attributes.payload_type = static_cast<wire::PayloadType>(coded.category_and_type >> 24);
      thread.push({now, head, {}, attributes, true, true}, lost_ends_);
      break;
    }
    case RecordType::kPushAttributes: {
      const auto attributes = record_of<wire::RangeRecord>(slots);
      if (attributes.payload_type == wire::PayloadType::kOperator) {  // emit_nvtx: the payload is the sequence number
        OperatorFacts facts;
        facts.sequence = attributes.payload;
        start_operator(thread, {now, head, facts, {}, false, true});
      } else {
        thread.push({now, head, {}, attributes, true, true}, lost_ends_);
      }
      break;
    }
    case RecordType::kPop:
      if (const auto range = thread.pop(head, lost_ends_)) {
        emit(thread, *range, now, false, false);
        end_range_as_step(thread, names_.get(range->head.name), range->start, now);
      } else {
        ++counts_.unmatched_pops;
      }
      if (thread.ended_step && !thread.is_open(wire::kTorchDomain)) end_step(thread, now);
      break;
    case RecordType::kMark:
    case RecordType::kMarkAttributes: {
      const auto attributes = slots.size() > 1 ? record_of<wire::RangeRecord>(slots) : wire::RangeRecord{};
      describe(head, slots.size() > 1 ? &attributes : nullptr);
      ++counts_.marks;
      sink_.add(StreamedInstant{track(thread), names_.get(head.name), kRangeCategory, now, args_.text()});
      break;
    }
    case RecordType::kAllocator:
      read_allocation(thread, record_of<wire::AllocatorRecord>(slots), now);
      break;
    case RecordType::kStart: {
      const auto range = record_of<wire::RangeRecord>(slots);
      const std::uint64_t id = std::uint64_t{identity_.index} << 40 | (range.id & ((std::uint64_t{1} << 40) - 1));
      if (started_.size() >= kMostStarted) {
        ++counts_.corrupt;
        break;
      }
      started_[id] = {head.name, head.domain, track(thread), now};
      describe(head, &range);
      ++counts_.marks;
      sink_.add(StreamedAsync{track(thread), names_.get(head.name), "nvtx_range", now, id, true, args_.text()});
      break;
    }
    case RecordType::kEnd: {
      const auto range = record_of<wire::RangeRecord>(slots);
      const std::uint64_t id = std::uint64_t{identity_.index} << 40 | (range.id & ((std::uint64_t{1} << 40) - 1));
      const auto started = started_.find(id);
      if (started == started_.end()) {
        ++counts_.unmatched_pops;
        break;
      }
      sink_.add(
          StreamedAsync{started->second.track, names_.get(started->second.name), "nvtx_range", now, id, false, {}});
      end_range_as_step(thread, names_.get(started->second.name), started->second.start, now);
      started_.erase(started);
      break;
    }
    default:
      read_step(thread, head, now);
      break;
  }
  for (const OpenRange& range : lost_ends_) {
    ++counts_.lost_ends;
    emit(thread, range, now, false, true);
  }
}

// As torch.profiler writes its "[memory]" events, so that whatever reads those reads these; and a counter of what the
// device has, which is drawn while it runs.
void ProcessDecoder::read_allocation(const ThreadLanes& thread, const wire::AllocatorRecord& a, Nanos now) {
  args_.clear();
  args_.number("Total Reserved", a.reserved);
  args_.number("Total Allocated", a.allocated);
  args_.integer("Bytes", a.bytes);
  args_.number("Addr", a.address);
  args_.integer("Device Id", a.device);
  args_.integer("Device Type", a.device_type);
  StreamedInstant instant{track(thread), "[memory]", "cpu_instant_event", now, args_.text()};
  if (a.is_out_of_memory != 0) instant.name = "[OutOfMemory]";
  sink_.add(instant);
  ++counts_.marks;
  if (a.is_out_of_memory != 0) return;
  args_.clear();
  args_.number("allocated bytes", a.allocated);
  if (a.reserved != 0) args_.number("reserved bytes", a.reserved);
  const std::string name = a.device_type == 0 ? std::string("CPU memory") : fmt::format("GPU {} memory", a.device);
  StreamedInstant counter{{identity_.pid, identity_.pid, TrackKind::kThread, 0}, name, {}, now, args_.text()};
  counter.is_counter = true;
  sink_.add(counter);
}

// A step ends inside the operator "Optimizer.step#…"; the slice of the step ends with that operator, so
// that the two nest.
void ProcessDecoder::read_step(ThreadLanes& thread, const wire::RecordHead& head, Nanos now) {
  if (!takes_steps_ || !step_range_.empty() || is_in_profiler_step(thread)) return;
  thread.ended_step = head.name;
  if (!thread.is_open(wire::kTorchDomain)) end_step(thread, now);
}

void ProcessDecoder::end_step(ThreadLanes& thread, Nanos now) {
  const std::uint32_t number = *std::exchange(thread.ended_step, std::nullopt);
  const Nanos start = thread.step_start.value_or(thread.first_time);
  thread.step_start = now;
  add_step_slice(track(thread), number, start, now);
  steps_.push_back({now, number});
}

void ProcessDecoder::add_step_slice(const StreamedTrack& track, std::uint32_t number, Nanos start, Nanos end) {
  const std::string name = fmt::format("{}{}", kProfilerStep, number);
  StreamedSlice slice;
  slice.track = track;
  slice.name = name;
  slice.category = kRangeCategory;
  slice.start = start;
  slice.duration = std::max<Nanos>(0, saturating_sub(end, start));
  ++counts_.slices;
  sink_.add(slice);
}

void ProcessDecoder::end_range_as_step(ThreadLanes& thread, std::string_view name, Nanos start, Nanos end) {
  if (!takes_steps_) return;
  if (step_range_.empty()) {
    // torch.profiler makes these itself: no slice of ours beside them.
    if (!name.starts_with(kProfilerStep)) return;
    thread.step_start = end;
    steps_.push_back({end, 0});
  } else if (name == step_range_) {
    add_step_slice(track(thread), range_steps_, start, end);
    steps_.push_back({end, range_steps_++});
  } else if (constexpr std::size_t kMostOthers = 256;
             other_ranges_.size() < kMostOthers && std::ranges::find(other_ranges_, name) == other_ranges_.end()) {
    other_ranges_.emplace_back(name);
  }
}

bool ProcessDecoder::is_in_profiler_step(const ThreadLanes& thread) const {
  bool is_inside = false;
  thread.for_each_open(
      [&](const OpenRange& range) { is_inside = is_inside || names_.get(range.head.name).starts_with(kProfilerStep); });
  return is_inside;
}

void ProcessDecoder::describe(const wire::RecordHead& head, const wire::RangeRecord* attributes) {
  args_.clear();
  if (head.domain >= wire::kFirstDomain) {
    const auto domain = domain_names_.find(head.domain);
    args_.string("domain", domain == domain_names_.end() ? "?" : names_.get(domain->second));
  }
  if (attributes == nullptr) return;
  const wire::RangeRecord& a = *attributes;
  if (a.category != 0) {
    const auto name = category_names_.find(std::uint64_t{head.domain} << 32 | a.category);
    if (name != category_names_.end()) {
      args_.string("category", names_.get(name->second));
    } else {
      args_.number("category", a.category);
    }
  }
  if (a.color != 0) args_.string("color", fmt::format("#{:08x}", a.color));
  switch (a.payload_type) {
    case wire::PayloadType::kUint64:
    case wire::PayloadType::kUint32:
      args_.number("payload", a.payload);
      break;
    case wire::PayloadType::kInt64:
    case wire::PayloadType::kInt32:
      args_.integer("payload", static_cast<std::int64_t>(a.payload));
      break;
    case wire::PayloadType::kDouble: {
      double value = 0;
      std::memcpy(&value, &a.payload, sizeof value);
      args_.real("payload", value);
      break;
    }
    case wire::PayloadType::kFloat: {
      float value = 0;
      std::memcpy(&value, &a.payload, sizeof value);
      args_.real("payload", static_cast<double>(value));
      break;
    }
    default:
      break;
  }
}

void ProcessDecoder::emit(const ThreadLanes& thread, const OpenRange& range, Nanos end, bool is_open,
                          bool end_is_lost) {
  describe(range.head, range.has_attributes ? &range.attributes : nullptr);
  if (range.facts.external_id != 0) describe_operator(range.facts);
  if (end_is_lost) args_.raw("end lost", "true");
  StreamedSlice slice;
  slice.track = track(thread);
  slice.name = names_.get(range.head.name);
  slice.category = category_of(range);
  slice.start = range.start;
  slice.duration = std::max<Nanos>(0, saturating_sub(end, range.start));
  slice.args = args_.text();
  slice.is_open = is_open;
  ++counts_.slices;
  sink_.add(slice);
}

void ProcessDecoder::add_open(EventSink& sink, Nanos now) const {
  for (const auto& entry : threads_) {  // clang 14 captures no structured binding
    const ThreadLanes& thread = entry.second;
    thread.for_each_open([&](const OpenRange& range) {
      StreamedSlice slice;
      slice.track = track(thread);
      slice.name = names_.get(range.head.name);
      slice.category = category_of(range);
      slice.start = range.start;
      slice.duration = std::max<Nanos>(0, saturating_sub(now, range.start));
      sink.add(slice);
    });
  }
}

void ProcessDecoder::say(const wire::NumberRecord& record) {
  constexpr std::size_t kMostMessages = 1000;
  if (messages_.size() >= kMostMessages) return;
  messages_.push_back(
      {static_cast<wire::MessageKind>(record.number), identity_.pid, std::string(names_.get(record.head.name))});
}

void ProcessDecoder::finish() {
  for (const auto& thread : threads_)
    thread.second.for_each_open([&](const OpenRange& range) { emit(thread.second, range, range.start, true, false); });
  threads_.clear();
  for (Ring& ring : rings_) ring.thread = nullptr;
  gpu_->finish();
}

}  // namespace lacuna
