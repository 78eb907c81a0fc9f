#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/holders/checkpointing.h"
#include "model/holders/holder_areas.h"
#include "model/holders/memory_history.h"
#include "model/holders/memory_marks.h"
#include "model/memory/fragmentation.h"
#include "model/memory/memory_holders.h"
#include "model/memory/out_of_memory.h"

namespace lacuna {

/// The view of the memory page.
enum class MemoryShows : std::uint8_t {
  kHolders,        ///< bytes by holder over time
  kAllocations,    ///< one band per allocation
  kSegments,       ///< one band per segment of the allocator
  kAllocator,      ///< segments and blocks at one moment
  kFragmentation,  ///< reserved, allocated and largest free range over time
  kFlames,         ///< flame graph by stack at one moment, or the difference of two
  kFindings,       ///< out of memory, leaks
  kCompare,        ///< difference to the trace compared with
  kCheckpointing,  ///< by module, what activation checkpointing would free
};

/// Columns of the table of live allocations.
enum class LiveColumn : std::uint8_t { kBytes, kHolder, kBegin, kEnd, kUnused };

/// A segment and its blocks at a moment.
struct SegmentPicture {
  std::uint32_t span = 0;  ///< index of DeviceMemory::segments
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  struct Block {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t piece = 0;  ///< index in the table
    bool waits = false;       ///< free requested, but still in use by another stream
  };
  std::vector<Block> blocks;  ///< by address
};

/// The memory of the open document, computed in the background: devices, bytes by holder, live allocations at a moment.
/// UI thread.
class MemoryView {
 public:
  using HistoryPtr = std::shared_ptr<const MemoryHistory>;
  struct Histories {
    DocumentPtr document;  // they point into it
    std::vector<HistoryPtr> devices;
    std::shared_ptr<const MemoryMarks> marks;  ///< null: no operator of the trace is known to allocate
    std::string error;
    std::uint64_t devices_left_out = 0;  ///< of a trace on another machine
    void mark();                         ///< fills in `marks`
    /// Returns the devices of snapshots on which memory ran out.
    std::vector<std::size_t> ran_out() const;
  };
  /// The contents of one device at one moment.
  struct AtMoment {
    std::uint32_t moment = 0;
    std::vector<std::uint32_t> live;  ///< allocations, largest first
    std::uint64_t bytes = 0;
    std::vector<SegmentPicture> segments;        ///< of a snapshot, only for the allocator view, largest first
    AllocatorState state;                        ///< only for the allocator view
    ByteTree tree;                               ///< only for the flame graph
    std::optional<Checkpointing> checkpointing;  ///< only for that view
  };
  /// Findings of one device of a snapshot.
  struct Findings {
    std::vector<AllocatorState> over_time;
    std::vector<OutOfMemory> out_of_memory;
    std::vector<Leak> leaks;
    std::size_t steps = 0;
    bool has_steps = false;
  };

  explicit MemoryView(BackgroundJobs& jobs);
  ~MemoryView();

  /// Reads the memory of the document; of a trace on another machine the window asks that (AskedMemory).
  void ask(const DocumentPtr& document);
  bool update();
  /// Blocks until all requested answers are there (screenshots, tests).
  void settle();
  void reset();
  bool is_computing() const;

  /// Null until they are there.
  const Histories* histories() const { return histories_.get(); }
  /// The shown device; null if there is none.
  const MemoryHistory* device() const;
  const SnapshotHistory* snapshot() const { return dynamic_cast<const SnapshotHistory*>(device()); }
  std::size_t chosen_device() const { return device_; }
  void choose_device(std::size_t device);

  /// Whether the timeline shows allocations: the user's choice, or if unset, while the page is shown.
  std::optional<bool> draws_marks;
  /// Returns the marks of a document; null if there are none or they are not computed yet.
  std::shared_ptr<const MemoryMarks> marks(const DocumentPtr& document) const;
  /// Selects an allocation clicked on the timeline, and the moment of its allocation.
  void choose(const MemoryMarks::Mark& mark);

  MemoryShows shows = MemoryShows::kHolders;
  HolderGroup by() const { return by_; }
  void group_by(HolderGroup by);
  /// Null while they are being computed for another grouping or device.
  const HolderAreas* areas() const;

  /// Sets the moment of the table: the chosen one, else the peak of `range`.
  void look_at(TimeSpan range);
  std::uint32_t moment() const { return moment_; }
  /// Returns where moment() is drawn: at the beginning of the range if the peak was reached before it.
  Nanos time_of_moment() const;
  /// Whether moment() is in the range of look_at(), before it (lasting into it), or after it (the first one recorded).
  enum class Lies { kInside, kBefore, kAfter };
  Lies moment_lies() const;
  bool has_chosen_moment() const { return chosen_.has_value(); }
  void choose_moment(std::optional<std::uint32_t> moment);
  void step_moment(int direction);
  /// The moment that the flame graph is compared with.
  std::optional<std::uint32_t> base;
  /// The contents at moment(), or at the previous one while that is computed; null: none yet.
  const AtMoment* at_moment() const { return at_moment_.get(); }
  const Findings* findings() const { return findings_.get(); }

  LiveColumn column = LiveColumn::kBytes;
  bool descending = true;
  /// Returns the allocations live at at_moment(), sorted by `column`, of the chosen area only if there is one.
  const std::vector<std::uint32_t>& rows();
  std::optional<std::uint32_t> only_area;
  std::optional<std::uint32_t> chosen_piece;

  /// Returns the bytes of each holder here and in `there` at their moments, largest change first. By area if one of
  /// the two has no allocations.
  struct Change {
    std::string name;
    std::uint64_t here = 0, there = 0;
    std::int64_t change() const { return static_cast<std::int64_t>(there - here); }
  };
  static std::vector<Change> compare(const MemoryView& here, const MemoryView& there);

 private:
  struct Replay;
  void take_remote();
  void ask_areas();
  void ask_moment();
  void ask_findings();

  DocumentPtr document_;
  std::shared_ptr<const Histories> histories_;
  std::size_t device_ = 0;
  HolderGroup by_ = HolderGroup::kCategory;
  std::shared_ptr<const HolderAreas> areas_;
  std::optional<std::uint32_t> chosen_;
  std::uint32_t moment_ = 0;
  TimeSpan range_ = TimeSpan::everything();
  struct MomentWish {
    std::uint32_t moment = 0;
    std::optional<std::uint32_t> base;
    bool with_tree = false, with_segments = false, with_checkpointing = false;
    bool operator==(const MomentWish&) const = default;
  };
  std::optional<MomentWish> asked_moment_;
  std::shared_ptr<const AtMoment> at_moment_;
  std::shared_ptr<const Findings> findings_;
  bool asked_findings_ = false;
  std::shared_ptr<Replay> replay_;
  std::vector<std::uint32_t> rows_;
  std::shared_ptr<const AtMoment> rows_of_;
  struct RowOrder {
    LiveColumn column;
    bool descending;
    std::optional<std::uint32_t> area;
    const HolderAreas* areas;
    bool operator==(const RowOrder&) const = default;
  };
  std::optional<RowOrder> rows_order_;
  LatestJob<Histories> histories_job_;
  LatestJob<HolderAreas> areas_job_;
  LatestJob<AtMoment> moment_job_;
  LatestJob<Findings> findings_job_;
};

}  // namespace lacuna
