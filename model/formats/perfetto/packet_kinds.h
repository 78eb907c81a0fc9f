#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace lacuna {

/// A kind of packet that holds events of a sort, or facts, which are not read.
bool is_unread_packet(std::uint32_t field);

/// Where fields of track events begin among those numbers.
inline constexpr std::uint32_t kUnreadEvents = 100'000;
/// What to count for a field of a TrackEvent that is not read; 0 for one that is, or that says nothing.
std::uint32_t unread_event_field(std::uint32_t field);

/// "ftrace_events 120, sys_stats 4": what is not read, by the numbers of the fields, for the report.
std::string describe_unread(const std::map<std::uint32_t, std::uint64_t>& packets);

/// Whether a TracePacket of `size` bytes may begin so: `head`, of which what is beyond the packet is not looked at, has
/// fields that packets have, and no others.
bool begins_packet(std::string_view head, std::uint64_t size);

}  // namespace lacuna
