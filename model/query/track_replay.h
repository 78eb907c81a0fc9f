#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/query/trace_tables.h"

namespace lacuna {

/// Identifies the events of one asynchronous slice.
struct AsyncCookie {
  std::uint32_t category = 0;
  bool is_text = false;
  std::uint64_t id = 0;
  auto operator<=>(const AsyncCookie&) const = default;
};

/// Numbers tracks on first use, and finds a free one for overlapping slices.
class TrackReplay {
 public:
  explicit TrackReplay(TraceTables& tables) : tables_(tables) {}
  void start_source(std::uint32_t source);

  std::uint32_t thread(std::uint32_t utid);
  /// Returns the track for a complete slice that crosses others of its thread. `ts` must ascend.
  std::uint32_t overflow(std::uint32_t utid, Nanos ts, Nanos dur);
  /// `phase`: b, e or n. The track keeps the name of the first event with its id.
  std::uint32_t async(StringId name, std::uint32_t upid, const AsyncCookie& cookie, bool is_local, char phase);
  std::uint32_t process_instants(std::uint32_t upid);
  std::uint32_t global_instants();
  std::uint32_t counter(std::uint32_t upid, StringId name);

 private:
  struct OverflowTrack {
    std::uint32_t track = 0;
    std::vector<Nanos> open_ends;
  };
  struct AsyncTrack {
    std::uint32_t track = TraceTables::kNone;
    AsyncCookie cookie;
    std::uint32_t nested = 0;
  };
  std::uint32_t add(TraceTables::TrackType type, std::uint32_t utid, std::uint32_t upid, StringId name = {});

  TraceTables& tables_;
  std::uint32_t source_ = 0;
  std::vector<std::uint32_t> threads_;  // by utid
  std::unordered_map<std::uint32_t, std::vector<OverflowTrack>> overflow_;
  std::map<std::pair<std::uint32_t, AsyncCookie>, StringId> root_names_;  // by upid (kNone: any) and cookie
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<AsyncTrack>> asyncs_;  // by upid and root name
  std::map<std::uint32_t, std::uint32_t> process_instants_;
  std::uint32_t global_instants_ = TraceTables::kNone;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counters_;
};

}  // namespace lacuna
