#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/ids.h"
#include "model/base/result.h"
#include "model/memory/allocation_history.h"
#include "model/memory/category_timeline.h"
#include "model/memory/snapshot.h"
#include "model/report/report.h"
#include "model/report/trace_memory.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The property by which allocations are grouped.
enum class HolderGroup : std::uint8_t {
  kCategory,  ///< MemoryCategory
  kOperator,  ///< the innermost operator that allocated
  kModule,    ///< the innermost nn.Module; for a snapshot the program's innermost function called forward
  kFrame,     ///< the innermost Python frame outside of PyTorch's files
  kPhase,     ///< the phase of the program: forward, backward, optimizer …
};
inline constexpr std::size_t kHolderGroups = 5;

/// Group name for memory that was allocated before the recording and is otherwise unknown.
inline constexpr std::string_view kHeldBefore = "allocated before the recording: likely parameters";

struct HolderAreas;

/// Memory that is held from one moment to another: an allocation, or a segment of the allocator. Moments are
/// numbers of changes (MemoryTable::times): a piece is held at m if begin <= m < end.
struct MemoryPiece {
  static constexpr std::uint32_t kNever = kNoIndex;

  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  Nanos unused = -1;        ///< how long it was certainly unused before it was freed; -1: unknown
  std::uint32_t begin = 0;  ///< 0: allocated before the recording
  std::uint32_t end = kNever;
  std::uint32_t index = 0;  ///< in the table from which it was made
  std::uint32_t label = 0;  ///< in MemoryTable::labels: its allocator

  bool is_held(std::uint32_t moment) const { return begin <= moment && moment < end; }
};

/// The memory of one device over time, as bytes and pieces. Immutable once made.
struct MemoryTable {
  std::vector<Nanos> times;            ///< of the changes, ascending
  std::vector<std::int64_t> active;    ///< bytes at each moment, 0 … times.size()
  std::vector<MemoryPiece> pieces;     ///< by begin
  std::vector<std::uint32_t> by_size;  ///< indexes of pieces, largest first
  std::vector<std::string> labels;

  std::uint32_t moments() const { return static_cast<std::uint32_t>(active.size()); }
  /// Returns the moment after the last change at or before `t`.
  std::uint32_t moment_at(Nanos t) const;
  /// Returns the time at which a moment begins; the first moment begins with the first change.
  Nanos time_of(std::uint32_t moment) const;
  /// Returns the first moment with the most bytes in [first, last]. O(log).
  std::uint32_t peak(std::uint32_t first, std::uint32_t last) const;
  std::uint32_t peak() const { return active.empty() ? 0 : peak(0, moments() - 1); }
  /// Call it when all is filled in: sorts by_size and builds the index for peak().
  void finish();

 private:
  std::vector<std::vector<std::uint32_t>> peaks_;  // blocks of 64, blocks of 64 of those …
};

/// The holders of the memory of one device, from any source. Immutable; any thread.
class MemoryHistory {
 public:
  virtual ~MemoryHistory() = default;

  std::string name;  ///< "GPU 0"; of several files with the file's
  SourceId source;
  MemoryTable table;

  /// Returns for each piece of the table an index into `names`, the name of its holder.
  virtual std::vector<std::uint32_t> groups(HolderGroup by, std::vector<std::string>& names) const = 0;
  /// Whether it can group by that.
  virtual bool has_group(HolderGroup by) const = 0;
  /// Returns "name  file:line" or slices, innermost first.
  virtual std::vector<std::string> stack(const MemoryPiece& piece) const = 0;
  /// Returns the slice in which it was allocated; an invalid one if unknown.
  virtual ReportPlace allocated_by(const MemoryPiece&) const { return {}; }
  virtual ReportPlace freed_by(const MemoryPiece&) const { return {}; }
  /// Whether the file lists allocations; if not, there are only the areas of fill_areas().
  virtual bool has_pieces() const { return true; }
  /// Fills in the areas of `areas.by` where they are not the sums of the pieces. Returns false where they are.
  virtual bool fill_areas(HolderAreas&) const { return false; }
  /// What the table lacks, because the trace is seen from elsewhere: smaller allocations, and moments between others.
  struct LeftOut {
    std::uint64_t pieces = 0, moments = 0;
  };
  virtual LeftOut left_out() const { return {}; }
  /// Whether the table has all allocations with their stacks.
  virtual bool is_whole() const { return true; }
};

/// The history of an allocator snapshot, plus its segments and the allocator's state.
class SnapshotHistory final : public MemoryHistory {
 public:
  /// `shift_ns` is added to the file's times.
  SnapshotHistory(std::shared_ptr<const MemorySnapshot> snapshot, const DeviceHistory& device, Nanos shift_ns);

  std::vector<std::uint32_t> groups(HolderGroup by, std::vector<std::string>& names) const override;
  bool has_group(HolderGroup by) const override;
  std::vector<std::string> stack(const MemoryPiece& piece) const override;

  const MemorySnapshot& snapshot() const { return *snapshot_; }
  const DeviceMemory& memory() const { return memory_; }
  /// Returns the segments as pieces, and the reserved bytes as `active`.
  const MemoryTable& segments() const { return segments_; }

 private:
  void make_segments();

  std::shared_ptr<const MemorySnapshot> snapshot_;
  DeviceHistory device_;
  DeviceMemory memory_;
  MemoryTable segments_;
};

/// The history in a file of export_memory_timeline, which contains bytes per category but no allocations.
class TimelineHistory final : public MemoryHistory {
 public:
  /// `shift_ns` is added to the file's times.
  TimelineHistory(std::shared_ptr<const CategoryTimeline> timeline, Nanos shift_ns);

  std::vector<std::uint32_t> groups(HolderGroup, std::vector<std::string>&) const override { return {}; }
  bool has_group(HolderGroup by) const override { return by == HolderGroup::kCategory; }
  std::vector<std::string> stack(const MemoryPiece&) const override { return {}; }
  bool has_pieces() const override { return false; }
  bool fill_areas(HolderAreas& areas) const override;

 private:
  std::shared_ptr<const CategoryTimeline> timeline_;
};

/// The history in the [memory] records of a trace, which must outlive it.
class TraceHistory final : public MemoryHistory {
 public:
  TraceHistory(const Trace& trace, TraceMemory memory);

  std::vector<std::uint32_t> groups(HolderGroup by, std::vector<std::string>& names) const override;
  bool has_group(HolderGroup by) const override;
  std::vector<std::string> stack(const MemoryPiece& piece) const override;
  ReportPlace allocated_by(const MemoryPiece& piece) const override;
  ReportPlace freed_by(const MemoryPiece& piece) const override;
  const TraceMemory& memory() const { return memory_; }

 private:
  const Trace& trace_;
  TraceMemory memory_;
};

/// Returns the devices of all files of a trace: from snapshots, memory timelines and [memory] records. Data that the
/// trace holds of a file (TraceSource::side_data) is not read again. Errors: those of reading. `trace` must outlive the
/// result.
Result<std::vector<std::shared_ptr<const MemoryHistory>>> read_memory_histories(const Trace& trace);

}  // namespace lacuna
