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
#include "model/report/trace_memory.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What an allocation is attributed to.
enum class HolderGroup : std::uint8_t {
  kCategory,  ///< MemoryCategory
  kOperator,  ///< the innermost operator that allocated
  kModule,    ///< the innermost nn.Module; of a snapshot the innermost own function called forward
  kFrame,     ///< the innermost Python frame outside PyTorch's files
  kPhase,     ///< what the program did: forward, backward, optimizer …
};
inline constexpr std::size_t kHolderGroups = 5;

/// What is held from before the recording on, where nothing tells what it is.
inline constexpr std::string_view kHeldBefore = "allocated before the recording: likely parameters";

struct HolderAreas;

/// Something that is held from one moment to another: an allocation, or a segment of the allocator. Moments are
/// numbers of changes (MemoryTable::times): it is held at m when begin <= m < end.
struct MemoryPiece {
  static constexpr std::uint32_t kNever = kNoIndex;

  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  Nanos unused = -1;        ///< how long it is known not to have been used before it was freed; -1: not known
  std::uint32_t begin = 0;  ///< 0: it was there before the recording
  std::uint32_t end = kNever;
  std::uint32_t index = 0;  ///< in the table that it was made from
  std::uint32_t label = 0;  ///< in MemoryTable::labels: who allocated it

  bool is_held(std::uint32_t moment) const { return begin <= moment && moment < end; }
};

/// Memory of one device over time, as bytes and pieces. Immutable once made.
struct MemoryTable {
  std::vector<Nanos> times;            ///< of the changes, ascending
  std::vector<std::int64_t> active;    ///< bytes at each moment, 0 … times.size()
  std::vector<MemoryPiece> pieces;     ///< by begin
  std::vector<std::uint32_t> by_size;  ///< indexes of pieces, largest first
  std::vector<std::string> labels;

  std::uint32_t moments() const { return static_cast<std::uint32_t>(active.size()); }
  /// The moment after the last change at or before `t`.
  std::uint32_t moment_at(Nanos t) const;
  /// The time at which a moment begins; the first begins with the first change.
  Nanos time_of(std::uint32_t moment) const;
  /// The first moment with most bytes in [first, last]; O(log).
  std::uint32_t peak(std::uint32_t first, std::uint32_t last) const;
  std::uint32_t peak() const { return active.empty() ? 0 : peak(0, moments() - 1); }
  /// Must be called when all is filled in: it sorts by_size and makes what peak() needs.
  void finish();

 private:
  std::vector<std::vector<std::uint32_t>> peaks_;  // of blocks of 64, of blocks of those …
};

/// Who holds the memory of one device, whatever tells of it. Immutable; any thread.
class MemoryHistory {
 public:
  virtual ~MemoryHistory() = default;

  std::string name;  ///< "GPU 0"; of several files with the file's
  SourceId source;
  MemoryTable table;

  /// Gives each piece of the table a number below names.size(), whose name says who holds it.
  virtual std::vector<std::uint32_t> groups(HolderGroup by, std::vector<std::string>& names) const = 0;
  /// Whether it can tell groups apart by that.
  virtual bool has_group(HolderGroup by) const = 0;
  /// "name  file:line" or slices, innermost first.
  virtual std::vector<std::string> stack(const MemoryPiece& piece) const = 0;
  /// The slice in which it was allocated; invalid where no slice tells.
  virtual SliceId allocated_by(const MemoryPiece&) const { return {}; }
  virtual SliceId freed_by(const MemoryPiece&) const { return {}; }
  /// Whether the file lists allocations; otherwise there are only the areas of fill_areas().
  virtual bool has_pieces() const { return true; }
  /// Fills in what each category holds over time; only a history without pieces does so.
  virtual void fill_areas(HolderAreas&) const {}
};

/// The history of an allocator snapshot, with what only that knows: segments and the allocator's state.
class SnapshotHistory final : public MemoryHistory {
 public:
  /// `shift_ns` is added to the file's times.
  SnapshotHistory(std::shared_ptr<const MemorySnapshot> snapshot, const DeviceHistory& device, Nanos shift_ns);

  std::vector<std::uint32_t> groups(HolderGroup by, std::vector<std::string>& names) const override;
  bool has_group(HolderGroup by) const override;
  std::vector<std::string> stack(const MemoryPiece& piece) const override;

  const MemorySnapshot& snapshot() const { return *snapshot_; }
  const DeviceMemory& memory() const { return memory_; }
  /// Segments as pieces, reserved bytes as `active`.
  const MemoryTable& segments() const { return segments_; }

 private:
  void make_segments();

  std::shared_ptr<const MemorySnapshot> snapshot_;
  DeviceHistory device_;
  DeviceMemory memory_;
  MemoryTable segments_;
};

/// The history in a file of export_memory_timeline, which says what each category holds but no allocations.
class TimelineHistory final : public MemoryHistory {
 public:
  /// `shift_ns` is added to the file's times.
  TimelineHistory(std::shared_ptr<const CategoryTimeline> timeline, Nanos shift_ns);

  std::vector<std::uint32_t> groups(HolderGroup, std::vector<std::string>&) const override { return {}; }
  bool has_group(HolderGroup by) const override { return by == HolderGroup::kCategory; }
  std::vector<std::string> stack(const MemoryPiece&) const override { return {}; }
  bool has_pieces() const override { return false; }
  void fill_areas(HolderAreas& areas) const override;

 private:
  std::shared_ptr<const CategoryTimeline> timeline_;
};

/// The history in the [memory] records of a trace, which must live as long.
class TraceHistory final : public MemoryHistory {
 public:
  TraceHistory(const Trace& trace, TraceMemory memory);

  std::vector<std::uint32_t> groups(HolderGroup by, std::vector<std::string>& names) const override;
  bool has_group(HolderGroup by) const override;
  std::vector<std::string> stack(const MemoryPiece& piece) const override;
  SliceId allocated_by(const MemoryPiece& piece) const override { return memory_.allocations[piece.index].by; }
  SliceId freed_by(const MemoryPiece& piece) const override { return memory_.allocations[piece.index].freed_by; }
  const TraceMemory& memory() const { return memory_; }

 private:
  const Trace& trace_;
  TraceMemory memory_;
};

/// The devices of all files of a trace: of its snapshots, its memory timelines and its [memory] records. What the trace
/// keeps of a file (TraceSource::told) is not read again. Errors: those of reading. `trace` must live as long as what
/// is returned.
Result<std::vector<std::shared_ptr<const MemoryHistory>>> read_memory_histories(const Trace& trace);

}  // namespace lacuna
