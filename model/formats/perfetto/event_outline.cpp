#include "model/formats/perfetto/event_outline.h"

#include <bit>

#include "model/formats/wire_message.h"

namespace lacuna {

EventOutline outline_of(std::string_view message) {
  EventOutline outline;
  WireMessage event(message);
  for (WireField field; event.next(field);) {
    const auto numbers_into = [&](std::vector<std::uint64_t>& out, WireField::Type type) {
      for_each_number(field, type, [&](std::uint64_t number) { out.push_back(number); });
    };
    switch (field.number) {
      case kEventTimeDelta:
        outline.delta_us = field.integer();
        break;
      case kEventTimeAbsolute:
        outline.absolute_us = field.integer();
        break;
      case kThreadTimeDelta:
        outline.thread_delta_us = field.integer();
        break;
      case kThreadTimeAbsolute:
        outline.thread_absolute_us = field.integer();
        break;
      case kInstructionsDelta:
        outline.instructions_delta = field.integer();
        break;
      case kInstructionsAbsolute:
        outline.instructions = field.integer();
        break;
      case kEventType:
        outline.type = field.value;
        break;
      case kEventTrack:
        outline.track = field.value;
        break;
      case kEventName:
        outline.name = field.bytes;
        break;
      case kEventNameId:
        outline.name_id = field.value;
        break;
      case kLegacyEvent:
        outline.legacy = field.bytes;
        outline.has_legacy = true;
        break;
      case kCounterValue:
        outline.counter = static_cast<double>(field.integer());
        break;
      case kDoubleCounterValue:
        outline.counter = field.real();
        break;
      case kExtraCounterTracks:
        numbers_into(outline.counter_tracks, WireField::Type::kVarint);
        break;
      case kExtraDoubleCounterTracks:
        numbers_into(outline.real_counter_tracks, WireField::Type::kVarint);
        break;
      case kExtraCounterValues:
        for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t value) {
          outline.counter_values.push_back(static_cast<std::int64_t>(value));
        });
        break;
      case kExtraDoubleCounterValues:
        for_each_number(field, WireField::Type::kFixed64, [&](std::uint64_t value) {
          outline.real_counter_values.push_back(std::bit_cast<double>(value));
        });
        break;
      case kFlowIds:
        numbers_into(outline.flows, WireField::Type::kFixed64);
        break;
      case kOldFlowIds:
        numbers_into(outline.flows, WireField::Type::kVarint);
        break;
      case kTerminatingFlowIds:
        numbers_into(outline.last_flows, WireField::Type::kFixed64);
        break;
      case kOldTerminatingFlowIds:
        numbers_into(outline.last_flows, WireField::Type::kVarint);
        break;
      case kDebugAnnotations:
        outline.annotations.push_back(field.bytes);
        break;
      case kGpuCorrelation: {
        WireMessage correlation(field.bytes);
        for (WireField part; correlation.next(part);) {
          for_each_number(part, WireField::Type::kVarint, [&](std::uint64_t id) {
            if (part.number == 1) outline.submitted.push_back(id);
            if (part.number == 2) outline.awaited.push_back(id);
          });
        }
        break;
      }
      case kGpuApi:
        break;
      default:
        outline.others.push_back(field.number);
    }
  }
  return outline;
}

LegacyOutline legacy_outline_of(std::string_view message) {
  LegacyOutline legacy;
  WireMessage event(message);
  for (WireField field; event.next(field);) {
    switch (field.number) {
      case 2:
        legacy.phase = static_cast<char>(field.value);
        break;
      case 6:
      case 10:
      case 11:
        legacy.id = field.value;
        legacy.has_id = true;
        break;
      case 8:
        legacy.bind_id = field.value;
        break;
      case 12:
        legacy.binds_enclosing = field.flag();
        break;
      case 13:
        legacy.direction = field.value;
        break;
      case 14:
        legacy.scope = field.value;
        break;
      case 18:
        legacy.pid = static_cast<std::int32_t>(field.value);
        break;
      case 19:
        legacy.tid = static_cast<std::int32_t>(field.value);
        break;
      default:
        break;
    }
  }
  return legacy;
}

}  // namespace lacuna
