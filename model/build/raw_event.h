#pragma once

#include <cstdint>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/string_pool.h"

namespace lacuna {

/// One event with its own fields, before any processing: for callers that need the events in file
/// order (ImportOptions::raw_events). Strings are ids of the batch's own pool.
struct RawEvent {
  /// Kind of the value of "id", "bind_id" or id2.
  enum class IdKind : std::uint8_t { kNone, kText, kNumber };
  enum class Scope : std::uint8_t { kNone, kGlobal, kProcess, kThread, kOther };
  /// The value of a ts or dur that is missing or no number.
  static constexpr Nanos kNoTime = kMaxNanos;

  Nanos ts = kNoTime;
  Nanos dur = kNoTime;
  std::uint64_t file_offset = 0;
  std::uint64_t args_hash = 0;  ///< of the text of args; 0: args are empty or missing
  std::uint64_t id = 0;         ///< a number, or a StringId, see IdKind
  std::uint64_t bind_id = 0;    ///< likewise
  StringId name{};              ///< invalid: missing, or no string
  StringId category{};          ///< likewise
  std::uint32_t pid = 0;        ///< a number, or a StringId
  std::uint32_t tid = 0;        ///< likewise
  char phase = '\0';
  IdKind id_kind = IdKind::kNone;
  IdKind bind_id_kind = IdKind::kNone;
  IdKind pid_kind = IdKind::kNone;
  IdKind tid_kind = IdKind::kNone;
  Scope scope = Scope::kNone;
  bool is_local_id = false;  ///< id2.local
  bool binds_enclosing = false;
  bool flows_in = false;
  bool flows_out = false;
  bool has_thread_time = false;  ///< tts or tdur
};

/// Collected by RawEvents: events in file order, and their strings in the order of their appearance.
struct RawEventList {
  StringPool strings;
  std::vector<RawEvent> events;
  std::uint64_t without_phase = 0;  ///< objects with members, but no "ph"
  std::uint64_t without_time = 0;   ///< events whose ts is missing or no number
};

}  // namespace lacuna
