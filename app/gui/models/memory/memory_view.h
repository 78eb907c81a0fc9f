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

/// What the memory page shows.
enum class MemoryShows : std::uint8_t {
  kHolders,        ///< who holds how much over time
  kAllocations,    ///< each allocation a band
  kSegments,       ///< each segment of the allocator a band
  kAllocator,      ///< segments and blocks at the moment
  kFragmentation,  ///< reserved, allocated, largest free range over time
  kFlames,         ///< by stack at the moment, or the difference of two
  kFindings,       ///< out of memory, leaks
  kCompare,        ///< with the trace compared with
  kCheckpointing,  ///< what activation checkpointing would free, by module
};

/// Columns of the table of what was live.
enum class LiveColumn : std::uint8_t { kBytes, kHolder, kBegin, kEnd, kUnused };

/// A segment and its blocks at a moment.
struct SegmentPicture {
  std::uint32_t span = 0;  ///< index of DeviceMemory::segments
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  struct Block {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t piece = 0;  ///< of the table
    bool waits = false;       ///< asked to be freed; another stream still uses it
  };
  std::vector<Block> blocks;  ///< by address
};

/// Memory of the open document, worked out in the background: its devices, who held what, what was live at a moment.
/// UI thread.
class MemoryView {
 public:
  using HistoryPtr = std::shared_ptr<const MemoryHistory>;
  struct Histories {
    DocumentPtr document;  // what they point into
    std::vector<HistoryPtr> devices;
    std::shared_ptr<const MemoryMarks> marks;  ///< null: no operator of the trace is known to allocate
    std::string error;
  };
  /// What one device holds at one moment.
  struct AtMoment {
    std::uint32_t moment = 0;
    std::vector<std::uint32_t> live;  ///< pieces, largest first
    std::uint64_t bytes = 0;
    std::vector<SegmentPicture> segments;        ///< of a snapshot while the allocator is shown, largest first
    AllocatorState state;                        ///< … likewise
    ByteTree tree;                               ///< while the flame graph is shown
    std::optional<Checkpointing> checkpointing;  ///< while that is shown
  };
  /// What was found in one device of a snapshot.
  struct Findings {
    std::vector<AllocatorState> over_time;
    std::vector<OutOfMemory> out_of_memory;
    std::vector<Leak> leaks;
    std::size_t steps = 0;
    bool has_steps = false;
  };

  explicit MemoryView(BackgroundJobs& jobs);
  ~MemoryView();

  void ask(const DocumentPtr& document);
  bool update();
  /// Waits for all that was asked for (screenshots, tests).
  void settle();
  void reset();
  bool is_computing() const;

  /// Null until they are there.
  const Histories* histories() const { return histories_.get(); }
  /// The device shown; null: there is none.
  const MemoryHistory* device() const;
  const SnapshotHistory* snapshot() const { return dynamic_cast<const SnapshotHistory*>(device()); }
  std::size_t chosen_device() const { return device_; }
  void choose_device(std::size_t device);

  /// Whether allocations stand on the timeline: as the user wished, else while the page is shown.
  std::optional<bool> draws_marks;
  /// The marks of a document; null: there are none, or they are not known.
  std::shared_ptr<const MemoryMarks> marks(const DocumentPtr& document) const;
  /// Looks at an allocation that was pointed at on the timeline, at the moment when it was made.
  void choose(const MemoryMarks::Mark& mark);

  MemoryShows shows = MemoryShows::kHolders;
  HolderGroup by() const { return by_; }
  void group_by(HolderGroup by);
  /// Null while they are computed for another grouping or device.
  const HolderAreas* areas() const;

  /// The moment that the table is about: the one chosen, else the peak of `range`.
  void look_at(TimeSpan range);
  std::uint32_t moment() const { return moment_; }
  /// When moment() is shown to be: a peak that was reached before the range is held at the range's begin.
  Nanos time_of_moment() const;
  /// moment() lies in the range of look_at(), lasts into it, or comes after it: nothing is recorded before.
  enum class Lies { kInside, kBefore, kAfter };
  Lies moment_lies() const;
  bool has_chosen_moment() const { return chosen_.has_value(); }
  void choose_moment(std::optional<std::uint32_t> moment);
  void step_moment(int direction);
  /// The moment that the flame graph is compared with.
  std::optional<std::uint32_t> base;
  /// What is known of moment(); the one before while that is computed; null: nothing yet.
  const AtMoment* at_moment() const { return at_moment_.get(); }
  const Findings* findings() const { return findings_.get(); }

  LiveColumn column = LiveColumn::kBytes;
  bool descending = true;
  /// Pieces live at at_moment(), sorted as asked, of the chosen area only if there is one.
  const std::vector<std::uint32_t>& rows();
  std::optional<std::uint32_t> only_area;
  std::optional<std::uint32_t> chosen_piece;

  /// Bytes of each holder here and in `other`, at the moments both look at; most change first. Where one of them tells
  /// no allocations, of each area.
  struct Change {
    std::string name;
    std::uint64_t here = 0, there = 0;
    std::int64_t change() const { return static_cast<std::int64_t>(there - here); }
  };
  static std::vector<Change> compare(const MemoryView& here, const MemoryView& there);

 private:
  struct Replay;
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
