#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/session/clock_map.h"
#include "capture/session/forward_links.h"
#include "capture/session/json_args.h"
#include "capture/session/name_list.h"
#include "capture/session/thread_lanes.h"
#include "capture/wire/segment.h"
#include "model/export/event_sink.h"

namespace lacuna {

/// Returns the process_sort_index of a rank's GPU.
std::int64_t place_of_gpu(std::int64_t rank, std::uint32_t device);

class GpuDecoder;

/// A message of the collector for the user, for instance why GPU recording is off.
struct CaptureMessage {
  wire::MessageKind kind = wire::MessageKind::kInfo;
  std::uint32_t pid = 0;
  std::string text;
};

/// The rank of a process among those of a distributed job; negative = not known.
struct RankFacts {
  std::int32_t rank = -1;
  std::int32_t local_rank = -1;
  std::int32_t world_size = -1;
  std::string facts;  ///< members of "distributedInfo" as JSON: backend, process groups
};

/// Decodes the records of one process into events for a sink: pairs pushes with pops and starts with ends,
/// names threads and domains.
///
/// The records come from an untrusted target: unknown types, truncated records and ids out of order are
/// counted (Counts::corrupt) and skipped. All calls on the capture thread.
class ProcessDecoder {
 public:
  struct Identity {
    std::uint32_t pid = 0;
    std::uint32_t index = 0;  ///< number of the process within the session, from 0
    wire::ClockKind clock = wire::ClockKind::kMonotonic;
    wire::ClockTriple start;  ///< clocks as read by the process
    std::string name;
  };
  struct Counts {
    std::uint64_t records = 0;
    std::uint64_t slices = 0;
    std::uint64_t marks = 0;      ///< instants, and ranges across threads
    std::uint64_t lost_ends = 0;  ///< ranges closed because their end was dropped
    std::uint64_t unmatched_pops = 0;
    std::uint64_t incomplete_gpu = 0;  ///< GPU records without start or end, left out
    std::uint64_t corrupt = 0;         ///< invalid records
    std::uint64_t names_unseen = 0;    ///< names of objects without a lane: CUDA events, NVTX resources
    std::uint64_t lost = 0;            ///< records dropped by the rings, as kLost records count them
  };
  /// A training step that ended; --wait/--active count these.
  struct Step {
    Nanos end = 0;
    std::uint32_t number = 0;
  };

  ProcessDecoder(Identity identity, const ClockMap& clocks, EventSink& sink, std::vector<CaptureMessage>& messages);
  ~ProcessDecoder();
  ProcessDecoder(const ProcessDecoder&) = delete;
  ProcessDecoder& operator=(const ProcessDecoder&) = delete;

  /// Decodes the slots taken from one ring, in order. In each round the control ring comes first.
  void read(std::uint64_t ring, std::span<const wire::Slot> slots, bool api_thread_is_tid);
  /// Sets what counts as a step. `takes_any` false: nothing; else ranges called `range` or, when that is empty,
  /// what the program marks as steps. Call it before the first read().
  void set_steps(bool takes_any, std::string range) {
    takes_steps_ = takes_any;
    step_range_ = std::move(range);
  }
  /// Call it after all rings were read up to now.
  void end_round() { forward_links_.settle(); }
  /// Call it when no more records will come: passes the open ranges on, marked as open.
  void finish();

  const Identity& identity() const { return identity_; }
  const Counts& counts() const { return counts_; }
  const RankFacts& rank() const { return rank_; }
  /// Examples of names of ended ranges that were no steps, where steps are ranges of a name: help to find misspellings.
  const std::vector<std::string>& other_ranges() const { return other_ranges_; }
  /// Returns the steps that ended since the last call.
  std::vector<Step> take_steps();
  /// Passes the ranges still running to the sink, as if they ended at `now`: for a view of a capture under way,
  /// nothing is counted or closed.
  void add_open(EventSink& sink, Nanos now) const;
  /// Calls visit(tid, OpenRange, name) for the ranges still running; they can be drawn growing.
  template <class Visit>
  void for_each_open(Visit&& visit) const {
    for (const auto& thread : threads_)
      thread.second.for_each_open(
          [&](const OpenRange& range) { visit(thread.first, range, names_.get(range.head.name)); });
  }

 private:
  friend class GpuDecoder;

  struct Started {  // nvtxRangeStart
    std::uint32_t name = 0;
    std::uint16_t domain = 0;
    StreamedTrack track;
    Nanos start = 0;
  };
  struct Ring {
    ThreadLanes* thread = nullptr;
  };

  std::size_t read_record(std::uint64_t ring, std::span<const wire::Slot> slots);
  std::size_t read_string(const wire::RecordHead& head, std::span<const wire::Slot> slots);
  void read_range(Ring& ring, const wire::RecordHead& head, std::span<const wire::Slot> slots);
  void start_thread(std::uint64_t ring, const wire::ThreadRecord& record);
  void read_step(ThreadLanes& thread, const wire::RecordHead& head, Nanos time);
  void read_allocation(const ThreadLanes& thread, const wire::AllocatorRecord& record, Nanos time);
  void end_step(ThreadLanes& thread, Nanos time);
  /// Handles the end of a range that may be a step: one with the requested name, or one of torch.profiler's own.
  void end_range_as_step(ThreadLanes& thread, std::string_view name, Nanos start, Nanos end);
  bool is_in_profiler_step(const ThreadLanes& thread) const;
  void add_step_slice(const StreamedTrack& track, std::uint32_t number, Nanos start, Nanos end);
  void start_operator(ThreadLanes& thread, OpenRange range);
  void describe_operator(const OperatorFacts& facts);
  void set_rank(const wire::RankRecord& record);
  /// Passes on the name, rank and order of this process and of its GPUs, which are processes of the trace as well.
  void tell_process();
  void tell_process(std::uint32_t pid, std::optional<std::uint32_t> device);
  void emit(const ThreadLanes& thread, const OpenRange& range, Nanos end, bool is_open, bool end_is_lost);
  void describe(const wire::RecordHead& head, const wire::RangeRecord* attributes);
  /// Names set by the program take precedence over the system's; they wait for the thread's first event.
  void name_thread(std::uint32_t tid, std::uint32_t name);
  void tell_thread(std::uint32_t tid, std::string_view name);
  void say(const wire::NumberRecord& record);

  Nanos time(std::uint64_t clock_time) const;
  Nanos monotonic_time(std::uint64_t ns) const;
  StreamedTrack track(const ThreadLanes& thread) const { return {identity_.pid, thread.tid, TrackKind::kThread, 0}; }
  template <class Record>
  static Record record_of(std::span<const wire::Slot> slots) {
    Record record;
    std::memcpy(static_cast<void*>(&record), slots.data(), sizeof record);
    return record;
  }

  Identity identity_;
  const ClockMap& clocks_;
  EventSink& sink_;
  std::vector<CaptureMessage>& messages_;
  std::uint64_t monotonic_shift_ = 0;  // offset of another time namespace, to be subtracted
  NameList names_;
  std::unordered_map<std::uint32_t, ThreadLanes> threads_;
  std::unordered_map<std::uint32_t, std::uint32_t> tid_of_pthread_;
  std::vector<Ring> rings_;
  std::unordered_map<std::uint64_t, Started> started_;
  std::unordered_map<std::uint16_t, std::uint32_t> domain_names_;
  std::unordered_map<std::uint64_t, std::uint32_t> category_names_;  // domain << 32 | category
  std::unordered_map<std::uint32_t, std::uint32_t> thread_names_;    // set by the program, by tid
  std::unordered_map<std::uint32_t, bool> is_json_;                  // whether input names are valid JSON, by id
  std::uint64_t next_external_id_ = 0;
  ForwardLinks forward_links_;
  RankFacts rank_;
  std::uint32_t given_name_ = wire::kNoName;  // the process name that the program set
  std::vector<Step> steps_;
  bool takes_steps_ = true;
  std::string step_range_;
  std::vector<std::string> other_ranges_;
  std::uint32_t range_steps_ = 0;
  std::vector<OpenRange> lost_ends_;
  JsonArgs args_;
  Counts counts_;
  std::unique_ptr<GpuDecoder> gpu_;
};

}  // namespace lacuna
