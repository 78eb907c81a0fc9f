#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/formats/perfetto/packet_fields.h"

namespace lacuna {

/// The fields of a TrackEvent that are needed to place it.
struct EventOutline {
  std::uint64_t type = kNoType;
  std::optional<std::uint64_t> track;
  std::optional<std::int64_t> delta_us, absolute_us, thread_delta_us, thread_absolute_us, instructions_delta,
      instructions;
  std::string_view name, legacy;
  std::uint64_t name_id = 0;
  bool has_legacy = false;
  std::optional<double> counter;
  std::vector<std::uint64_t> counter_tracks, real_counter_tracks;
  std::vector<std::int64_t> counter_values;
  std::vector<double> real_counter_values;
  std::vector<std::uint64_t> flows, last_flows;
  std::vector<std::uint64_t> submitted, awaited;  // render stages, by event_id
  std::vector<std::uint32_t> others;              // other fields present in the event
  std::vector<std::string_view> annotations;      // kept only if the event submits render stages
};

/// The fields of its LegacyEvent.
struct LegacyOutline {
  char phase = '\0';
  std::int64_t pid = -1, tid = -1;
  std::uint64_t id = 0, bind_id = 0, direction = 0, scope = 0;
  bool has_id = false, binds_enclosing = false;
};

/// The outline is valid as long as the message.
EventOutline outline_of(std::string_view message);
LegacyOutline legacy_outline_of(std::string_view message);

}  // namespace lacuna
