#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace lacuna {

/// Whether a kind of packet holds events or facts that are not read.
bool is_unread_packet(std::uint32_t field);

/// First number for unread fields of track events, behind the numbers of packet kinds.
inline constexpr std::uint32_t kUnreadEvents = 100'000;
/// Returns the number to count for an unread field of a TrackEvent; 0 if the field is read, or carries no information.
std::uint32_t unread_event_field(std::uint32_t field);

/// Returns "ftrace_events 120, sys_stats 4": the unread kinds by field number, for the report.
std::string describe_unread(const std::map<std::uint32_t, std::uint64_t>& packets);

/// Whether a TracePacket of `size` bytes may begin with `head`: all its fields must be known ones. Bytes of `head`
/// behind the packet are ignored.
bool begins_packet(std::string_view head, std::uint64_t size);

}  // namespace lacuna
