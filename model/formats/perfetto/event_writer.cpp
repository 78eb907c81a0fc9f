#include "model/formats/perfetto/event_writer.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "model/formats/perfetto/call_stacks.h"
#include "model/formats/perfetto/flow_arrows.h"
#include "model/formats/perfetto/packet_fields.h"
#include "model/formats/wire_message.h"
#include "model/trace/category.h"

namespace lacuna {
namespace {

using EventKind = IndexedEvent::Kind;

}  // namespace

void EventWriter::write(const IndexedEvent& event, const IndexedEvent* end) {
  category_.clear();
  arguments_.clear();
  const PerfettoTrack& track = index_.tracks.at(event.track);
  const SinkThread thread = place_of(track);
  const Content content = read(event, 0);
  if (event.kind == EventKind::kState && content.name.empty()) return;  // none, from then on
  if (end != nullptr && event.kind == EventKind::kBegin) {
    // What the end says counts as well; its name and categories do not.
    const std::string category = category_;
    (void)read(*end, 1);
    category_ = category;
  }
  // Calls that submit work are told as such, whatever they are called.
  if (content.submits && classify_category(category_) != CategoryClass::kRuntime)
    category_ += category_.empty() ? "runtime" : ",runtime";
  if (track.queue) {
    arguments_.set("device", track.queue->device);
    arguments_.set("stream", track.queue->stream);
    if (const auto bytes = arguments_.integer("copy_bytes")) arguments_.add("bytes", *bytes);
  }
  // PyTorch gives these no category.
  if (category_.empty() && arguments_.find("cuda_sync_kind") != nullptr) category_ = "cuda_sync";
  if (const auto correlation = arguments_.integer("corr_id")) arguments_.add("correlation", *correlation);
  switch (event.kind) {
    case EventKind::kBegin:
    case EventKind::kState:
      if (end != nullptr) {
        sink_.slice(category_, content.name, thread, event.time, end->time);
      } else {
        sink_.open_slice(category_, content.name, thread, event.time);
      }
      break;
    case EventKind::kComplete: {
      std::int64_t until = 0;
      const bool is_time = !__builtin_mul_overflow(content.duration_us, std::int64_t{1000}, &until) &&
                           !__builtin_add_overflow(until, event.time, &until);
      sink_.slice(category_, content.name, thread, event.time, is_time ? SinkTime(until) : std::nullopt);
      break;
    }
    case EventKind::kAsyncBegin:
    case EventKind::kAsyncEnd:
      join_async(event);
      sink_.async(event.kind == EventKind::kAsyncBegin, category_, content.name, thread, event.time, id_);
      break;
    default:
      sink_.instant(category_, content.name, thread, event.time);
  }
  sink_.arguments();
  arguments_.write(sink_);
  sink_.end();
}

EventWriter::Content EventWriter::read(const IndexedEvent& event, unsigned slot) {
  Content content;
  category_.clear();
  const InternedData& interned = index_.interned;
  const auto append_category = [&](std::string_view category) {
    if (category.empty()) return;
    if (!category_.empty()) category_ += ',';
    category_ += category;
  };
  std::string_view legacy;
  WireMessage message(bytes_of_field(reader_.again(event.place, slot), kTrackEvent));
  for (WireField field; message.next(field);) {
    switch (field.number) {
      case kCategoryIds:
        for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t id) {
          append_category(interned.find(event.interned, kInternedCategory, id));
        });
        break;
      case kCategories:
        append_category(field.bytes);
        break;
      case kEventNameId:
        content.name = interned.find(event.interned, kInternedEventName, field.value);
        break;
      case kEventName:
        content.name = field.bytes;
        break;
      case kDebugAnnotations:
        read_annotation(field.bytes, interned, event.interned, arguments_);
        break;
      case kLegacyEvent:
        legacy = field.bytes;
        break;
      case kSourceLocation:
        read_source(field.bytes);
        break;
      case kSourceLocationId:
        read_source(interned.find(event.interned, kInternedSourceLocation, field.value));
        break;
      case kCorrelationId:
        arguments_.set("correlation_id", static_cast<std::int64_t>(field.value));
        break;
      case kCorrelationText:
        arguments_.set("correlation_id", std::string(field.bytes));
        break;
      case kCorrelationTextId:
        arguments_.set("correlation_id",
                       std::string(interned.find(event.interned, kInternedCorrelationText, field.value)));
        break;
      case kCallStack:
        add_stack(inline_stack(field.bytes), slot);
        break;
      case kCallStackId:
        add_stack(interned_stack(interned, event.interned, field.value), slot);
        break;
      case kCallStackWeight:
        arguments_.set(slot == 0 ? "callstack_weight" : "end_callstack_weight", field.real());
        break;
      case kGpuApi: {
        constexpr std::array<std::string_view, 6> kApis{"GPU_API_UNDEFINED", "GPU_API_OPEN_GL", "GPU_API_VULKAN",
                                                        "GPU_API_OPEN_CL",   "GPU_API_CUDA",    "GPU_API_HIP"};
        arguments_.set("gpu_api", std::string(field.value < kApis.size() ? kApis[field.value] : kApis[0]));
        break;
      }
      case kGpuCorrelation:
        content.submits = read_correlation(field, event) || content.submits;
        break;
      default:
        break;
    }
  }
  if (!legacy.empty()) read_legacy(legacy, event, content);
  return content;
}

/// The end of an asynchronous slice tells parts of what its begin told.
void EventWriter::join_async(const IndexedEvent& event) {
  if (event.kind == EventKind::kAsyncBegin && !arguments_.has_json()) return;
  if (event.kind == EventKind::kAsyncBegin) {
    open_asyncs_.insert_or_assign({id_, category_}, arguments_);
  } else if (auto begun = open_asyncs_.extract({id_, category_})) {
    arguments_.join(begun.mapped());
  }
}

/// The number that ties a call to the work that it submitted is its own annotation, or what the index gave to that
/// work. Returns whether it submitted some.
bool EventWriter::read_correlation(const WireField& field, const IndexedEvent& event) {
  bool submits = false;
  WireMessage correlation(field.bytes);
  for (WireField part; correlation.next(part);) {
    for_each_number(part, WireField::Type::kVarint, [&](std::uint64_t id) {
      if (part.number == 2) waiting_.push_back({id, {place_of(index_.tracks.at(event.track)), event.time}});
      const auto known = index_.submissions.find(id);
      if (part.number != 1 || known == index_.submissions.end()) return;
      arguments_.add("correlation", known->second);
      submits = true;
    });
  }
  return submits;
}

/// Of the begin and of the end of a slice.
void EventWriter::add_stack(std::string json, unsigned slot) {
  if (json.empty()) return;
  arguments_.set(slot == 0 ? "callstack" : "end_callstack", {std::move(json), EventArguments::Value::Kind::kJson});
}

void EventWriter::read_source(std::string_view message) {
  WireMessage source(message);
  for (WireField field; source.next(field);) {
    if (field.number == 2) arguments_.set("source.file_name", std::string(field.bytes));
    if (field.number == 3) arguments_.set("source.function_name", std::string(field.bytes));
    if (field.number == 4) arguments_.set("source.line_number", field.integer());
  }
}

void EventWriter::read_legacy(std::string_view message, const IndexedEvent& event, Content& content) {
  std::uint64_t id = 0;
  std::string_view scope, kind;
  std::int64_t pid = 0;
  WireMessage fields(message);
  for (WireField field; fields.next(field);) {
    switch (field.number) {
      case 1:
        content.name = index_.interned.find(event.interned, kInternedEventName, field.value);
        break;
      case 3:
        content.duration_us = field.integer();
        break;
      case 4:
        arguments_.set("legacy_event.thread_duration_us", field.integer());
        break;
      case 6:
      case 10:
      case 11:
        id = field.value;
        kind = field.number == 10 ? "local" : "global";
        pid = field.number == 10 ? index_.tracks.at(event.track).place.pid : 0;
        break;
      case 7:
        scope = field.bytes;
        break;
      default:
        break;
    }
  }
  if (kind.empty()) return;
  id_ = fmt::format("{} {} {:#x} {}", kind, pid, id, scope);
  arguments_.set("legacy_trace_source_id", static_cast<std::int64_t>(id));
}

}  // namespace lacuna
