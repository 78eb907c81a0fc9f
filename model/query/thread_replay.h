#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/query/trace_tables.h"

namespace lacuna {

/// Numbers threads and processes in order of appearance, like Perfetto: number 0 of both is reserved for the idle
/// process, a process creates its main thread, and the last name given counts.
class ThreadReplay {
 public:
  explicit ThreadReplay(TraceTables& tables);
  /// Starts the events of another source: its pids are separate from other sources'.
  void start_source(std::uint32_t source);

  std::uint32_t process(std::int64_t pid);
  std::uint32_t thread(std::int64_t tid, std::int64_t pid);
  /// Finds the thread of a tid that is text: the last thread that had it.
  std::uint32_t any_thread(std::int64_t tid);
  void name_process(std::uint32_t upid, StringId name);
  void name_thread(std::uint32_t utid, StringId name) { tables_.threads[utid].name = name; }

 private:
  std::uint32_t start_thread(std::int64_t tid);

  TraceTables& tables_;
  std::uint32_t source_ = 0;
  std::unordered_map<std::int64_t, std::uint32_t, SeededHash> processes_;
  std::unordered_map<std::int64_t, std::vector<std::uint32_t>, SeededHash>
      threads_;  // by tid; the one seen last comes last
  std::int64_t last_tid_ = 0;
  std::int64_t last_pid_ = 0;
  std::uint32_t last_utid_ = TraceTables::kNone;
};

}  // namespace lacuna
