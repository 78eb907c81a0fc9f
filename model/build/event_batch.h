#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/page_memory.h"
#include "model/base/seeded_hash.h"
#include "model/build/raw_event.h"
#include "model/trace/import_report.h"
#include "model/trace/lane.h"
#include "model/trace/string_pool.h"
#include "model/trace/track.h"

namespace lacuna {

/// Identifies the track of an event. Strings are ids of the batch's own pool.
struct TrackKey {
  StringId pid = kEmptyString;
  StringId tid = kEmptyString;
  StringId device = kEmptyString;  ///< GPU tracks only, else empty
  StringId stream = kEmptyString;  ///< GPU tracks only, else empty
  TrackKind kind = TrackKind::kThread;
  bool operator==(const TrackKey&) const = default;
};

/// A B or E event: paired per track by TraceBuilder.
struct BeginEndEvent {
  Nanos time = 0;
  std::uint64_t file_offset = 0;
  StringId name = kEmptyString;
  std::uint16_t category = 0;
  bool is_begin = false;
  std::uint64_t correlation = 0;  ///< 0: none, as in SliceRecord
  std::uint64_t external_id = 0;
};

/// A b/n/e (nestable) or S/T/p/F (legacy) event: paired per (category, id) by TraceBuilder.
struct AsyncEvent {
  Nanos time = 0;
  std::uint64_t file_offset = 0;
  StringId pid = kEmptyString;
  StringId tid = kEmptyString;
  StringId id = kEmptyString;  ///< text of id, or of id2.global, or of id2.local and its pid; the scope is included
  StringId name = kEmptyString;
  std::uint16_t category = 0;
  char phase = 'b';  ///< as in the file
};

/// The id that connects the events of a flow: a number, which needs no string of its own (a
/// trace has a flow per launch), or an interned text.
class FlowId {
 public:
  FlowId() = default;
  static FlowId text(StringId id) { return FlowId(kText | id.value); }
  /// Numbers of 2^63 or more must be given as text.
  static FlowId number(std::uint64_t number) { return FlowId(number); }

  bool is_text() const { return (value_ & kText) != 0; }
  StringId as_text() const { return StringId{static_cast<std::uint32_t>(value_)}; }
  std::uint64_t value() const { return value_; }
  bool operator==(const FlowId&) const = default;

 private:
  static constexpr std::uint64_t kText = std::uint64_t{1} << 63;
  explicit FlowId(std::uint64_t value) : value_(value) {}
  std::uint64_t value_ = kText;
};

/// An s/t/f event, to be bound to a slice of its thread; or the bind_id of a slice.
struct FlowEvent {
  Nanos time = 0;
  std::uint64_t file_offset = 0;
  FlowId id;
  std::uint16_t category = 0;
  char phase = 's';
  bool binds_enclosing = false;  ///< bp == "e"
  bool binds_own_slice = false;  ///< from flow_in/flow_out of a slice: binds to the slice at file_offset
};
static_assert(sizeof(FlowEvent) == 32);
/// Order of a thread's flow events in a sealed batch.
struct EarlierFlow {
  bool operator()(const FlowEvent& a, const FlowEvent& b) const {
    return a.time != b.time ? a.time < b.time : a.file_offset < b.file_offset;
  }
};

struct CounterSample {
  Nanos time = 0;
  double value = 0;
  StringId pid = kEmptyString;
  StringId name = kEmptyString;    ///< "NAME" or "NAME[id]"
  StringId series = kEmptyString;  ///< key in args
  std::uint64_t file_offset = 0;   ///< set in captures, where the oldest samples may be forgotten; else 0
};

/// M events: process_name, process_labels, process_sort_index, thread_name, thread_sort_index; and our own process_rank
/// and sample_period_ns.
struct MetadataEvent {
  enum class What : std::uint8_t {
    kProcessName,
    kProcessLabels,
    kProcessSortIndex,
    kThreadName,
    kThreadSortIndex,
    kProcessRank,
    kSamplePeriod
  };
  What what = What::kProcessName;
  std::uint64_t file_offset = 0;
  StringId pid = kEmptyString;
  StringId tid = kEmptyString;
  StringId text = kEmptyString;
  std::int64_t number = 0;
};

/// Sorted records that no longer change. Copies share them.
template <class Record>
class SealedRecords {
 public:
  SealedRecords() = default;
  explicit SealedRecords(PageVector<Record>&& records)
      : records_(std::make_shared<const PageVector<Record>>(std::move(records))) {}

  std::size_t size() const { return records_ == nullptr ? 0 : records_->size(); }
  bool empty() const { return size() == 0; }
  const Record* begin() const { return empty() ? nullptr : records_->data(); }
  const Record* end() const { return begin() + size(); }
  const Record& operator[](std::size_t i) const { return (*records_)[i]; }
  /// Null when nothing was sealed.
  const std::shared_ptr<const PageVector<Record>>& memory() const { return records_; }

 private:
  std::shared_ptr<const PageVector<Record>> records_;
};

/// Events as delivered by a reader: the only input of a trace (see TraceBuilder).
///
/// A batch is self-contained: its StringIds and categories refer to its own tables, so importer
/// threads and the capture thread fill batches without sharing anything. Not thread-safe itself.
class EventBatch {
 public:
  struct TrackEvents {
    TrackKey key;
    std::vector<SliceRecord> slices;  ///< name: id in `strings`; category: index in `categories`
    std::vector<BeginEndEvent> begin_ends;
    std::vector<Instant> instants;
    SealedRecords<SliceRecord> sealed_slices;  ///< see seal()
  };
  /// Flow events of one (pid, tid).
  struct ThreadFlows {
    StringId pid = kEmptyString;
    StringId tid = kEmptyString;
    std::vector<FlowEvent> events;
    SealedRecords<FlowEvent> sealed_events;
  };

  StringPool strings;
  std::vector<TrackEvents> tracks;
  std::vector<AsyncEvent> asyncs;
  std::vector<ThreadFlows> flows;
  std::vector<CounterSample> counters;
  std::vector<MetadataEvent> metadata;
  std::vector<StringId> categories;            ///< index = CategoryId of this batch
  std::vector<std::uint64_t> category_counts;  ///< events per category, same index
  std::vector<std::uint64_t> category_first_offsets;
  std::uint64_t without_category = 0;  ///< events that have no cat
  /// Events left out on request, by category; counted nowhere else.
  std::vector<std::pair<StringId, std::uint64_t>> skipped;
  std::array<std::uint64_t, 256> phase_counts{};  ///< by the first byte of the phase
  ImportReport report;
  /// With ImportOptions::raw_events: the events as in the file, in place of all above.
  RawEventList raw;

  /// Returns the index in `tracks` of this key's track, creating it on first use. Amortised O(1).
  std::uint32_t track(const TrackKey& key);
  /// Returns the index in `flows`, likewise.
  std::uint32_t flow_thread(StringId pid, StringId tid);
  /// Returns the index in `categories`, creating it on first use. At most 65535 distinct ones; later ones use the last.
  std::uint16_t category(StringId name);
  /// Sorts the slices and flow events of each track and moves them to memory of exact size.
  /// TraceBuilder::add() does it otherwise; doing it on a reader thread unburdens the adding thread.
  void seal();
  /// Memory that a thread's sealed batches leave to its next ones: its pages are touched already.
  struct Spares {
    std::vector<std::vector<SliceRecord>> slices;
    std::vector<std::vector<FlowEvent>> flows;
  };
  /// Takes memory from `spares`; seal() returns it there.
  void use(Spares& spares) { spares_ = &spares; }
  /// The number of events so far (sum of phase_counts).
  std::uint64_t event_count() const;

 private:
  struct KeyHash {
    std::size_t operator()(const TrackKey& k) const noexcept;
  };
  Spares* spares_ = nullptr;
  std::unordered_map<TrackKey, std::uint32_t, KeyHash> track_index_;
  std::unordered_map<std::uint64_t, std::uint32_t, SeededHash> flow_index_;  // by pid and tid
  std::unordered_map<std::uint32_t, std::uint16_t> category_index_;
};

}  // namespace lacuna
