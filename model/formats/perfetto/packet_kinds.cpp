#include "model/formats/perfetto/packet_kinds.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/formats/perfetto/packet_fields.h"
#include "model/formats/wire_message.h"

namespace lacuna {
namespace {

/// Kinds of packets that hold events of a sort, or facts, which are not read.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 33> kUnreadPackets{{
    {1, "ftrace_events"},
    {5, "chrome_events"},
    {7, "sys_stats"},
    {9, "process_stats"},
    {37, "profile_packet"},
    {38, "battery"},
    {39, "android_log"},
    {40, "power_rails"},
    {49, "perfetto_metatrace"},
    {54, "streaming_profile_packet"},
    {56, "heap_graph"},
    {57, "graphics_frame_event"},
    {62, "vulkan_memory_event"},
    {66, "perf_sample"},
    {68, "smaps_packet"},
    {73, "memory_tracker_snapshot"},
    {74, "streaming_allocation"},
    {75, "streaming_free"},
    {76, "frame_timeline_event"},
    {77, "android_energy_estimation_breakdown"},
    {84, "statsd_atom"},
    {91, "entity_state_residency"},
    {95, "etw_events"},
    {99, "v8_js_code"},
    {107, "remote_clock_sync"},
    {110, "pixel_modem_events"},
    {115, "kernel_wakelock_data"},
    {117, "generic_kernel_task_state_event"},
    {118, "generic_kernel_cpu_freq_event"},
    {119, "cpu_per_uid_data"},
    {130, "interrupt_info"},
    {132, "journald_event"},
    {135, "stack_sample"},
}};

/// Ranges of numbers that fields of a TracePacket have, all of them messages, texts or bytes.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 15> kMessageFields{{{1, 2},
                                                                                  {4, 7},
                                                                                  {9, 9},
                                                                                  {11, 12},
                                                                                  {33, 40},
                                                                                  {43, 57},
                                                                                  {59, 78},
                                                                                  {80, 86},
                                                                                  {89, 91},
                                                                                  {95, 97},
                                                                                  {99, 103},
                                                                                  {107, 111},
                                                                                  {113, 135},
                                                                                  {900, 900},
                                                                                  {999, 999}}};
constexpr std::array<std::uint32_t, 11> kNumberFields{3, 8, 10, 13, 41, 42, 58, 79, 87, 88, 98};

bool is_packet_field(const WireField& field) {
  if (field.type == WireField::Type::kVarint)
    return std::ranges::find(kNumberFields, field.number) != kNumberFields.end();
  return field.type == WireField::Type::kBytes && std::ranges::any_of(kMessageFields, [&](const auto& range) {
           return field.number >= range.first && field.number <= range.second;
         });
}

/// The field that `bytes` end in: one of a packet, by its tag.
bool is_long_field(std::string_view bytes) {
  std::uint32_t tag = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 2; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    tag |= static_cast<std::uint32_t>(byte & 0x7fu) << (7 * i);
    if (byte < 0x80) {
      WireField field;
      field.number = tag >> 3;
      field.type = (tag & 7) == 2 ? WireField::Type::kBytes : WireField::Type::kVarint;
      return (tag & 7) == 2 && field.number != kProcessTree && is_packet_field(field);
    }
  }
  return false;
}

}  // namespace

bool is_unread_packet(std::uint32_t field) {
  return std::ranges::any_of(kUnreadPackets, [&](const auto& kind) { return kind.first == field; });
}

std::string describe_unread(const std::map<std::uint32_t, std::uint64_t>& packets) {
  std::string text;
  for (const auto& [number, name] : kUnreadPackets) {
    if (const auto found = packets.find(number); found != packets.end())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, found->second);
  }
  return text;
}

bool is_packet(std::string_view bytes, bool is_whole) {
  WireMessage packet(bytes);
  bool has_known = false;
  for (WireField field; packet.next(field);) {
    if (!is_packet_field(field)) return false;
    has_known = true;
    // Other formats have texts there.
    if (field.number == kProcessTree) {
      WireMessage tree(field.bytes);
      for (WireField part; tree.next(part);) {
        if (part.number > 3) return false;
      }
      if (tree.is_broken()) return false;
    }
  }
  if (!packet.is_broken()) return has_known;
  if (is_whole) return false;
  // Cut off in a field: what its first bytes say.
  return has_known || is_long_field(bytes);
}

}  // namespace lacuna
