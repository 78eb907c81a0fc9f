#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/formats/trace_sink.h"

namespace lacuna {

/// A track of a Perfetto trace, and its place among the processes and threads of the result.
struct PerfettoTrack {
  enum class Kind : std::uint8_t { kOther, kProcess, kThread };
  struct Counter {
    std::string unit;
    std::int64_t multiplier = 1;
    bool is_incremental = false;
  };
  /// A GPU queue, parsed from the names of rocprofv3's tracks.
  struct Queue {
    std::int64_t device = 0, stream = 0;
  };

  std::uint64_t uuid = 0;
  std::uint64_t parent = 0;
  Kind kind = Kind::kOther;
  std::string name;        ///< its own name, else that of its first event
  std::string first_name;  ///< name of its first event
  std::string description;
  SinkThread place;  ///< threads: at once; others: set by place_all(); processes: the pid even before that
  std::optional<Counter> counter;
  bool is_state = false;
  bool is_described = false;
  bool has_events = false;  ///< other than counter values
  std::optional<Queue> queue;
  std::optional<std::int64_t>
      rank;  ///< rank among its siblings, if `is_sorted` or the whole trace says that ranks count
  bool sorts_children = false, is_sorted = false;
};

/// The tracks of a Perfetto trace: processes, threads, and all others, whose parents are those or each other.
/// One thread.
class TrackTable {
 public:
  using Index = std::uint32_t;

  TrackTable();

  /// The pid and tid of the thread that a TrackDescriptor describes.
  struct Described {
    Index track = 0;
    std::optional<SinkThread> thread;
  };
  Described describe(std::string_view message);
  /// Adds the recorder's names of processes and threads; names of tracks take precedence.
  void add_process_tree(std::string_view message);
  /// Sets a thread's name from a ThreadDescriptor outside of a track.
  void name_thread(std::int64_t pid, std::int64_t tid, std::string_view name);

  Index of_uuid(std::uint64_t uuid);  ///< 0: the track of events without one
  Index of_thread(std::int64_t pid, std::int64_t tid);
  Index of_process(std::int64_t pid);

  PerfettoTrack& at(Index index) { return tracks_[index]; }
  const PerfettoTrack& at(Index index) const { return tracks_[index]; }

  /// Places all tracks below processes, threads and each other; call it when all are described. Those with equal parent
  /// and name share a place: they are one thing that runs several times at once.
  void place_all();
  /// Returns the name of a track's counter: `given`, else the track's own. A thread's counter names the thread.
  std::string counter_name(Index index, std::string_view given) const;
  /// Call after place_all().
  void write_names(TraceSink& sink) const;

 private:
  struct Process {
    std::int64_t pid = 0;  // pid in the sink
    std::uint64_t uuid = 0;
    std::string name;
    std::vector<std::string> labels;
    std::string host_app;  // package of the app that it runs in, from Chrome
  };
  struct Thread {
    SinkThread place;
    std::uint64_t uuid = 0;
    std::string name;
  };

  Process& process(std::int64_t pid, std::uint64_t uuid);
  Thread& thread(const Process& process, std::int64_t pid, std::int64_t tid, std::uint64_t uuid);
  void place(PerfettoTrack& track);

  std::vector<PerfettoTrack> tracks_;
  std::unordered_map<std::uint64_t, Index, SeededHash> by_uuid_;
  std::map<std::pair<std::int64_t, std::int64_t>, Index> legacy_;  // by pid and tid of the sink; tid -1: a process
  // The latest of each number; ended ones whose number was reused stay in the lists.
  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  std::int64_t reused_ = 0;
  bool sorts_processes_ = false, sorts_threads_ = false, has_tracks_of_none_ = false;
  std::map<std::int64_t, std::size_t> process_of_pid_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> thread_of_tid_;  // pid of the sink, tid of the file
  std::map<std::int64_t, std::string> tree_processes_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> tree_threads_;
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> other_places_;  // (pid, path) -> tid
  // After place_all(), by pid and tid of the sink: those with events, and the threads' names.
  std::map<std::pair<std::int64_t, std::int64_t>, bool> used_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> thread_names_;
};

}  // namespace lacuna
