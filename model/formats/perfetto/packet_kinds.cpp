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

/// Fields of a TrackEvent that say something of a kind that is not read.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 18> kUnreadEventFields{{
    {5, "task_execution"},
    {21, "log_message"},
    {24, "cc_scheduler_state"},
    {25, "chrome_user_event"},
    {26, "chrome_keyed_service"},
    {27, "chrome_legacy_ipc"},
    {28, "chrome_histogram_sample"},
    {29, "chrome_latency_info"},
    {32, "chrome_frame_reporter"},
    {35, "chrome_message_pump"},
    {38, "chrome_mojo_event_info"},
    {39, "chrome_application_state_info"},
    {40, "chrome_renderer_scheduler_state"},
    {41, "chrome_window_handle_event_info"},
    {43, "chrome_content_settings_event_info"},
    {49, "chrome_active_processes"},
    {50, "screenshot"},
    {1000, "extensions"},
}};
constexpr std::uint32_t kFirstExtension = 1000;

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

bool is_packet_field(std::uint64_t number, std::uint64_t type) {
  constexpr std::uint64_t kVarintType = 0, kBytesType = 2;
  if (type == kVarintType) return std::ranges::find(kNumberFields, number) != kNumberFields.end();
  return type == kBytesType && std::ranges::any_of(kMessageFields, [&](const auto& range) {
           return number >= range.first && number <= range.second;
         });
}

/// Other formats have texts where packets have a list of processes.
bool is_process_tree(std::string_view bytes) {
  WireMessage tree(bytes);
  for (WireField part; tree.next(part);) {
    if (part.number > 3) return false;
  }
  return !tree.is_broken();
}

}  // namespace

bool is_unread_packet(std::uint32_t field) {
  return std::ranges::any_of(kUnreadPackets, [&](const auto& kind) { return kind.first == field; });
}

std::uint32_t unread_event_field(std::uint32_t field) {
  const std::uint32_t known = std::min(field, kFirstExtension);
  const bool is_unread = std::ranges::any_of(kUnreadEventFields, [&](const auto& kind) { return kind.first == known; });
  return is_unread ? kUnreadEvents + known : 0;
}

std::string describe_unread(const std::map<std::uint32_t, std::uint64_t>& packets) {
  std::string text;
  for (const auto& [number, name] : kUnreadPackets) {
    if (const auto found = packets.find(number); found != packets.end())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, found->second);
  }
  for (const auto& [number, name] : kUnreadEventFields) {
    if (const auto found = packets.find(kUnreadEvents + number); found != packets.end())
      text += fmt::format("{}{} of track events {}", text.empty() ? "" : ", ", name, found->second);
  }
  return text;
}

bool begins_packet(std::string_view head, std::uint64_t size) {
  std::string_view rest = head.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(size, head.size())));
  bool has_field = false;
  while (!rest.empty()) {
    const WireVarint tag = read_varint(rest);
    if (tag.size == 0) return has_field && rest.size() < 10 && rest.size() < size;
    if (!is_packet_field(tag.value >> 3, tag.value & 7)) return false;
    has_field = true;
    rest.remove_prefix(tag.size);
    size -= tag.size;
    const WireVarint number = read_varint(rest);
    if (number.size == 0) return rest.size() < 10 && rest.size() < size;
    rest.remove_prefix(number.size);
    size -= number.size;
    if ((tag.value & 7) == 0) continue;
    if (number.value > size) return false;
    const std::string_view content =
        rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(number.value, rest.size())));
    if (tag.value >> 3 == kProcessTree && (content.size() < number.value || !is_process_tree(content))) return false;
    rest.remove_prefix(content.size());
    size -= number.value;
  }
  return has_field;
}

}  // namespace lacuna
