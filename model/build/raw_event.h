#pragma once

#include <cstdint>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/string_pool.h"

namespace lacuna {

/// One event with what its own fields say, before anything is made of it: for those who need the events in the
/// order of the file (ImportOptions::raw_events). Strings are ids of the batch's own pool.
struct RawEvent {
  /// A value of "id" or "bind_id", or of id2.
  enum class IdKind : std::uint8_t { kNone, kText, kNumber };
  enum class Scope : std::uint8_t { kNone, kGlobal, kProcess, kThread, kOther };
  /// ts or dur is not there, or is no number.
  static constexpr Nanos kNoTime = kMaxNanos;

  Nanos ts = kNoTime;
  Nanos dur = kNoTime;
  std::uint64_t file_offset = 0;
  std::uint64_t args_hash = 0;  ///< of the text of args; 0: there is nothing in them
  std::uint64_t id = 0;         ///< a number, or a StringId
  std::uint64_t bind_id = 0;    ///< likewise
  StringId name{};              ///< invalid: none, or no string
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

/// What RawEvents collects: events in the order of the file, and their strings in the order in which they stand there.
struct RawEventList {
  StringPool strings;
  std::vector<RawEvent> events;
  std::uint64_t without_phase = 0;  ///< objects with members, but no "ph"
  std::uint64_t without_time = 0;   ///< no ts, or none that is a number
};

}  // namespace lacuna
