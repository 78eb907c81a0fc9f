#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/ids.h"
#include "model/base/page_memory.h"
#include "model/base/result.h"
#include "model/trace/string_pool.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The rows that Perfetto's trace processor (2026-08) makes of a Chrome trace, with its ids: public queries depend on
/// them. Its rules: events ordered by (ts, E first, longer X first, place in the file); threads, processes and tracks
/// numbered in order of appearance; crossing slices on a separate track; flows bound to the slice pushed last on
/// their thread. Times follow Perfetto as well (RawEvents).
///
/// Built once per trace, then immutable: any thread may read. About 60 bytes per slice; args stay in the file.
struct TraceTables {
  static constexpr std::uint32_t kNone = kNoIndex;
  /// dur of an unfinished slice.
  static constexpr Nanos kUnfinished = -1;

  /// Args of one event, read from its source on demand; some args are generated and belong to no event.
  struct ArgumentSet {
    std::uint64_t offset = 0;      ///< of the event; or an index in `made_arguments`
    std::uint64_t end_offset = 0;  ///< of the event that ended the slice, if it has args as well; 0: none
    std::uint32_t source = 0;
    bool is_made = false;
  };
  struct MadeArgument {
    std::string key;  ///< key and flat_key
    std::string text;
    std::int64_t number = 0;
    bool is_text = false;
  };

  struct Slices {
    PageVector<Nanos> ts;
    PageVector<Nanos> dur;
    PageVector<std::uint64_t> offset;  ///< of its event, in the file of its track's source
    PageVector<std::uint32_t> track;
    PageVector<std::uint32_t> parent;    ///< kNone: outermost
    PageVector<std::uint32_t> category;  ///< StringId, kNone: none
    PageVector<std::uint32_t> name;      ///< StringId, kNone: none
    PageVector<std::uint32_t> arg_set;   ///< kNone: none
    PageVector<std::uint16_t> depth;
    std::uint32_t size() const { return static_cast<std::uint32_t>(ts.size()); }
    Nanos end(std::uint32_t row) const { return ts[row] + (dur[row] < 0 ? 0 : dur[row]); }
  };
  struct Thread {
    std::int64_t tid = 0;
    StringId name{};
    std::uint32_t upid = kNone;
    bool is_main = false;
    bool is_idle = false;
    std::uint32_t source = 0;
    std::uint32_t arg_set = kNone;
  };
  struct Process {
    std::int64_t pid = 0;
    StringId name{};
    bool has_cmdline = false;
    std::uint32_t source = 0;
    std::uint32_t arg_set = kNone;
  };
  enum class TrackType : std::uint8_t {
    kThread,
    kThreadOverlap,
    kAsyncProcess,
    kAsyncGlobal,
    kProcessInstant,
    kGlobalInstant,
    kProcessCounter
  };
  struct TrackRow {
    TrackType type = TrackType::kThread;
    StringId name{};
    std::uint32_t utid = kNone;
    std::uint32_t upid = kNone;
    std::uint32_t dimension_set = kNone;
    std::uint32_t source_set = kNone;
    std::uint32_t source = 0;
    std::uint32_t group = kNone;
  };
  struct Flow {
    std::uint32_t slice_out = 0;
    std::uint32_t slice_in = 0;
    std::uint64_t trace_id = 0;
    std::uint32_t arg_set = kNone;
  };
  struct CounterRow {
    Nanos ts = 0;
    double value = 0;
    std::uint32_t track = 0;
    std::uint32_t arg_set = kNone;
  };
  struct ThreadState {
    Nanos ts = 0;
    Nanos dur = 0;
    StringId state{};
    std::uint32_t utid = 0;
    std::optional<std::int64_t> cpu;
    std::optional<std::int64_t> io_wait;
    std::optional<std::string> blocked_function;
    bool is_running = false;
  };
  struct Stat {
    std::string_view name;
    std::string_view severity;
    std::string_view source;
    std::int64_t value = 0;
  };
  struct LogRow {
    Nanos ts = 0;
    std::size_t stat = 0;
    std::uint32_t arg_set = kNone;
  };
  struct Metadata {
    std::string name;
    std::optional<std::int64_t> number;
    std::string text;
  };

  StringPool strings;
  Slices slices;
  std::vector<Thread> threads;
  std::vector<Process> processes;
  std::vector<TrackRow> tracks;
  PageVector<Flow> flows;
  std::vector<CounterRow> counters;
  std::vector<ThreadState> thread_states;
  std::vector<Stat> stats;
  std::vector<LogRow> logs;
  std::vector<Metadata> metadata;
  PageVector<ArgumentSet> arg_sets;
  std::vector<std::vector<MadeArgument>> made_arguments;
  /// For slices with separate begin and end events: the offset of the end event, for its tts.
  std::unordered_map<std::uint32_t, std::uint64_t> end_offsets;
  /// Whether slices have tts or tdur.
  bool has_thread_times = false;
  Nanos start = 0;
  Nanos end = 0;

  std::string_view text(std::uint32_t id) const { return strings.get(StringId{id}); }
  std::uint32_t source_of(std::uint32_t slice) const { return tracks[slices.track[slice]].source; }
};

/// The bytes that make_trace_tables() takes at most, some; 100 an event of them until it returns.
std::uint64_t memory_for_tables(const Trace& trace);

/// Reads the events of all sources again (from what the trace kept of them, else from the trace
/// itself) and replays them. O(events) in practice. Where memory is short, tables are spilled to disk.
/// Errors: those of read_raw_events(), kLimit.
Result<TraceTables> make_trace_tables(const Trace& trace, unsigned threads, const std::atomic<bool>* cancel);

}  // namespace lacuna
