#include "model/holders/memory_history.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"
#include "model/holders/holder_areas.h"
#include "model/holders/trace_holders.h"
#include "model/memory/kept_memory.h"
#include "model/memory/memory_holders.h"

namespace lacuna {
namespace {

constexpr unsigned kPeakShift = 6;
constexpr std::string_view kNoStack = "(stack not recorded)";
constexpr Nanos kMostMicros = INT64_MAX / 1000;

/// Texts to numbers in the order in which they come.
class Names {
 public:
  explicit Names(std::vector<std::string>& names) : names_(names) {}
  std::uint32_t operator()(const std::string& name) {
    const auto [found, is_new] = ids_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::uint32_t, SeededHash> ids_;
};

std::uint32_t moment_of(Moment moment) {
  return static_cast<std::uint32_t>(std::min<Moment>(moment, MemoryPiece::kNever));
}

ReportPlace place_of_slice(const Trace& trace, SliceId slice) {
  return slice.valid() ? ReportPlace{trace.span(slice), slice} : ReportPlace{};
}

bool is_module_stack_frame(std::string_view name) {
  return name == "forward";
}

}  // namespace

std::uint32_t MemoryTable::moment_at(Nanos t) const {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(times, t) - times.begin());
}

Nanos MemoryTable::time_of(std::uint32_t moment) const {
  if (times.empty()) return 0;
  return times[moment == 0 ? 0 : std::min<std::size_t>(moment, times.size()) - 1];
}

void MemoryTable::finish() {
  std::ranges::stable_sort(pieces, {}, &MemoryPiece::begin);
  by_size.resize(pieces.size());
  std::iota(by_size.begin(), by_size.end(), 0u);
  std::ranges::stable_sort(by_size, std::ranges::greater(), [&](std::uint32_t p) { return pieces[p].bytes; });
  peaks_.clear();
  std::size_t count = active.size();
  while (count > 1) {
    const std::vector<std::uint32_t>* below = peaks_.empty() ? nullptr : &peaks_.back();
    std::vector<std::uint32_t> level((count + (1u << kPeakShift) - 1) >> kPeakShift);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t at = below == nullptr ? static_cast<std::uint32_t>(i) : (*below)[i];
      std::uint32_t& best = level[i >> kPeakShift];
      if ((i & ((1u << kPeakShift) - 1)) == 0 || active[at] > active[best]) best = at;
    }
    count = level.size();
    peaks_.push_back(std::move(level));
  }
}

std::uint32_t MemoryTable::peak(std::uint32_t first, std::uint32_t last) const {
  if (active.empty()) return 0;
  last = std::min(last, moments() - 1);
  std::uint32_t best = std::min(first, last);
  const auto take = [&](std::uint32_t at) {
    if (active[at] > active[best] || (active[at] == active[best] && at < best)) best = at;
  };
  // Upwards while whole blocks fit, [begin, end) in units of the level.
  std::size_t begin = best;
  std::size_t end = std::size_t{last} + 1;
  for (std::size_t level = 0;; ++level) {
    const auto at = [&](std::size_t i) { take(level == 0 ? static_cast<std::uint32_t>(i) : peaks_[level - 1][i]); };
    const std::size_t inner_begin = ((begin + (1u << kPeakShift) - 1) >> kPeakShift);
    const std::size_t inner_end = end >> kPeakShift;
    if (level >= peaks_.size() || inner_begin >= inner_end) {
      for (std::size_t i = begin; i < end; ++i) at(i);
      return best;
    }
    for (std::size_t i = begin; i < inner_begin << kPeakShift; ++i) at(i);
    for (std::size_t i = inner_end << kPeakShift; i < end; ++i) at(i);
    begin = inner_begin;
    end = inner_end;
  }
}

SnapshotHistory::SnapshotHistory(std::shared_ptr<const MemorySnapshot> snapshot, const DeviceHistory& device,
                                 Nanos shift_ns)
    : snapshot_(std::move(snapshot)), device_(device), memory_(replay_device(*snapshot_, device_)) {
  memory_.history = &device_;
  name = fmt::format("GPU {}", device_.device);
  table.times.resize(device_.event_count);
  Nanos latest = kMinNanos;
  for (std::size_t i = 0; i < device_.event_count; ++i) {
    const Nanos raw = snapshot_->has_times
                          ? std::clamp<Nanos>(snapshot_->event(device_, i).time_us, 0, kMostMicros) * 1000
                          : static_cast<Nanos>(i + 1) * 1000;
    latest = std::max(latest, saturating_add(raw, shift_ns));  // threads write events, so times need not ascend
    table.times[i] = latest;
  }
  table.active = active_over_time(*snapshot_, memory_);
  StackNames names(*snapshot_);
  Names label(table.labels);
  std::vector<std::uint32_t> of_stack(snapshot_->stacks.stack_count(), MemoryPiece::kNever);
  table.pieces.reserve(memory_.allocations.size());
  for (std::uint32_t a = 0; a < memory_.allocations.size(); ++a) {
    const Allocation& allocation = memory_.allocations[a];
    std::uint32_t& known = of_stack[allocation.stack < of_stack.size() ? allocation.stack : 0];
    if (known == MemoryPiece::kNever) known = label(names.frame(allocation.stack));
    MemoryPiece piece{.bytes = allocation.size, .address = allocation.address};
    piece.begin = moment_of(allocation.begin);
    piece.end = allocation.end;
    piece.index = a;
    piece.label = known;
    if (allocation.end != Allocation::kNever && allocation.requested != Allocation::kNever && snapshot_->has_times)
      piece.unused = table.time_of(allocation.end) - table.time_of(allocation.requested);
    table.pieces.push_back(piece);
  }
  table.finish();
  make_segments();
}

void SnapshotHistory::make_segments() {
  segments_.times = table.times;
  Names label(segments_.labels);
  std::vector<std::uint64_t> change(table.times.size() + 2);  // sums of hostile sizes wrap
  for (std::uint32_t s = 0; s < memory_.segments.size(); ++s) {
    const SegmentSpan& span = memory_.segments[s];
    MemoryPiece piece{.bytes = span.size, .address = span.address};
    piece.begin = span.begin;
    piece.end = span.end;
    piece.index = s;
    piece.label = label(fmt::format("{}{}, stream {}", span.is_private ? "private pool, " : "",
                                    span.is_expandable ? "expandable"
                                    : span.is_small    ? "small"
                                                       : "large",
                                    snapshot_->streams.empty() ? 0 : snapshot_->streams[span.stream]));
    segments_.pieces.push_back(piece);
    change[std::min<std::size_t>(span.begin, change.size() - 1)] += span.size;
    change[std::min<std::size_t>(span.end, change.size() - 1)] -= span.size;
  }
  std::uint64_t now = 0;
  for (std::size_t m = 0; m <= table.times.size(); ++m)
    segments_.active.push_back(static_cast<std::int64_t>(now += change[m]));
  segments_.finish();
}

std::vector<std::uint32_t> SnapshotHistory::groups(HolderGroup by, std::vector<std::string>& names) const {
  std::vector<std::uint32_t> of_piece(table.pieces.size());
  if (by == HolderGroup::kFrame) {
    names = table.labels;
    for (std::size_t p = 0; p < of_piece.size(); ++p) of_piece[p] = table.pieces[p].label;
    return of_piece;
  }
  Names name(names);
  StackNames stacks(*snapshot_);
  if (by == HolderGroup::kPhase) {
    for (std::size_t p = 0; p < of_piece.size(); ++p)
      of_piece[p] =
          name(std::string(memory_phase_name(stacks.phase(memory_.allocations[table.pieces[p].index].stack))));
    return of_piece;
  }
  if (by == HolderGroup::kCategory) {
    for (std::size_t p = 0; p < of_piece.size(); ++p) {
      const MemoryCategory category =
          categorize(*snapshot_, memory_, memory_.allocations[table.pieces[p].index], stacks);
      of_piece[p] = name(std::string(category == MemoryCategory::kUnknown && table.pieces[p].begin == 0
                                         ? kHeldBefore
                                         : memory_category_name(category)));
    }
    return of_piece;
  }
  std::vector<std::uint32_t> of_stack(snapshot_->stacks.stack_count(), MemoryPiece::kNever);
  std::vector<std::uint32_t> frames;
  const auto telling = [&](std::uint32_t stack) -> std::string {
    snapshot_->stacks.read_stack(stack, frames);
    if (frames.empty()) return std::string(kNoStack);
    for (const std::uint32_t id : frames) {
      const StackFrame& frame = snapshot_->stacks.frame(id);
      const std::string_view text = snapshot_->text(frame.name);
      if (by == HolderGroup::kModule) {
        const std::string_view file = snapshot_->text(frame.file);
        if (is_module_stack_frame(text) && file.find("/torch/") == std::string_view::npos)
          return snapshot_->describe(frame);
      } else if (const std::size_t at = text.find("at::_ops::"); at != std::string_view::npos) {
        const std::string_view op = text.substr(at + 10);
        return "aten::" + std::string(op.substr(0, op.find("::")));
      }
    }
    return by == HolderGroup::kModule ? "(in no module)" : "(operator not recorded)";
  };
  for (std::size_t p = 0; p < of_piece.size(); ++p) {
    const std::uint32_t stack = memory_.allocations[table.pieces[p].index].stack;
    std::uint32_t& known = of_stack[stack < of_stack.size() ? stack : 0];
    if (known == MemoryPiece::kNever) known = name(telling(stack));
    of_piece[p] = known;
  }
  return of_piece;
}

bool SnapshotHistory::has_group(HolderGroup by) const {
  if (by == HolderGroup::kCategory || by == HolderGroup::kFrame) return true;
  for (std::uint32_t f = 0; f < snapshot_->stacks.frame_count(); ++f) {
    const std::string_view name = snapshot_->text(snapshot_->stacks.frame(f).name);
    if (by == HolderGroup::kModule ? is_module_stack_frame(name) : name.find("at::_ops::") != std::string_view::npos)
      return true;
  }
  return false;
}

std::vector<std::string> SnapshotHistory::stack(const MemoryPiece& piece) const {
  std::vector<std::uint32_t> frames;
  snapshot_->stacks.read_stack(memory_.allocations[piece.index].stack, frames);
  std::vector<std::string> lines;
  for (const std::uint32_t frame : frames) lines.push_back(snapshot_->describe(snapshot_->stacks.frame(frame)));
  return lines;
}

TraceHistory::TraceHistory(const Trace& trace, TraceMemory memory) : trace_(trace), memory_(std::move(memory)) {
  name = memory_.is_gpu ? fmt::format("GPU {}", memory_.device) : std::string("CPU");
  table.times = memory_.times;
  table.active.push_back(memory_.at_start);
  table.active.insert(table.active.end(), memory_.active.begin(), memory_.active.end());
  Names label(table.labels);
  for (std::uint32_t a = 0; a < memory_.allocations.size(); ++a) {
    const TraceAllocation& allocation = memory_.allocations[a];
    MemoryPiece piece{.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(allocation.bytes, 0)),
                      .address = allocation.address};
    piece.begin = allocation.begin_record;
    piece.end = allocation.end_record;
    piece.index = a;
    piece.unused = unused_time(trace_, allocation);
    piece.label = label(allocation.by.valid() ? std::string(trace_.name(allocation.by)) : std::string("(no operator)"));
    table.pieces.push_back(piece);
  }
  table.finish();
}

std::vector<std::uint32_t> TraceHistory::groups(HolderGroup by, std::vector<std::string>& names) const {
  std::vector<std::uint32_t> of_piece(table.pieces.size());
  if (by == HolderGroup::kOperator) {
    names = table.labels;
    for (std::size_t p = 0; p < of_piece.size(); ++p) of_piece[p] = table.pieces[p].label;
    return of_piece;
  }
  Names name(names);
  for (std::size_t p = 0; p < of_piece.size(); ++p) {
    const TraceAllocation& allocation = memory_.allocations[table.pieces[p].index];
    if (by == HolderGroup::kCategory) {
      of_piece[p] = name(std::string(memory_category_name(category_of(trace_, allocation))));
      continue;
    }
    if (by == HolderGroup::kPhase) {
      of_piece[p] = name(std::string(memory_phase_name(phase_around(trace_, allocation.by))));
      continue;
    }
    const SliceId around =
        by == HolderGroup::kModule ? module_around(trace_, allocation.by) : own_frame_around(trace_, allocation.by);
    of_piece[p] = name(around.valid()               ? std::string(trace_.name(around))
                       : by == HolderGroup::kModule ? std::string("(in no module)")
                                                    : std::string("(no Python frame of the program's own)"));
  }
  return of_piece;
}

ReportPlace TraceHistory::allocated_by(const MemoryPiece& piece) const {
  return place_of_slice(trace_, memory_.allocations[piece.index].by);
}

ReportPlace TraceHistory::freed_by(const MemoryPiece& piece) const {
  return place_of_slice(trace_, memory_.allocations[piece.index].freed_by);
}

bool TraceHistory::has_group(HolderGroup by) const {
  if (by == HolderGroup::kPhase)
    return std::ranges::any_of(memory_.allocations, [&](const TraceAllocation& allocation) {
      return phase_around(trace_, allocation.by) != MemoryPhase::kUnknown;
    });
  if (by == HolderGroup::kCategory || by == HolderGroup::kOperator) return true;
  return std::ranges::any_of(memory_.allocations, [&](const TraceAllocation& allocation) {
    return (by == HolderGroup::kModule ? module_around(trace_, allocation.by) : own_frame_around(trace_, allocation.by))
        .valid();
  });
}

std::vector<std::string> TraceHistory::stack(const MemoryPiece& piece) const {
  std::vector<std::string> lines;
  for (SliceId slice = memory_.allocations[piece.index].by; slice.valid(); slice = trace_.parent(slice))
    lines.emplace_back(trace_.name(slice));
  return lines;
}

TimelineHistory::TimelineHistory(std::shared_ptr<const CategoryTimeline> timeline, Nanos shift_ns)
    : timeline_(std::move(timeline)) {
  name = "by category";
  table.active.push_back(0);
  Nanos latest = kMinNanos;
  for (std::size_t i = 0; i < timeline_->times_us.size(); ++i) {
    latest = std::max(latest, saturating_add(timeline_->time_ns(i), shift_ns));
    table.times.push_back(latest);
    table.active.push_back(timeline_->total(i));
  }
  table.finish();
}

bool TimelineHistory::fill_areas(HolderAreas& areas) const {
  for (std::size_t c = 0; c < kMemoryCategories; ++c) {
    HolderArea& area = areas.areas.emplace_back();
    area.name = memory_category_name(CategoryTimeline::kOrder[c]);
    for (std::uint32_t i = 0; i < timeline_->bytes.size(); ++i) {
      const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(timeline_->bytes[i][c], 0));
      area.most = std::max(area.most, bytes);
      if (!area.bytes.empty() && area.bytes.back() == bytes) continue;
      area.moments.push_back(i + 1);
      area.bytes.push_back(bytes);
    }
  }
  return true;
}

Result<std::vector<std::shared_ptr<const MemoryHistory>>> read_memory_histories(const Trace& trace) {
  std::vector<std::shared_ptr<const MemoryHistory>> all;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    const TraceSource& source = trace.sources()[s];
    const auto add = [&](std::shared_ptr<MemoryHistory> history) {
      history->source = SourceId{s};
      if (!source.label.empty()) history->name = source.label + " \xC2\xB7 " + history->name;
      all.push_back(std::move(history));
    };
    if (const auto kept = std::dynamic_pointer_cast<const KeptTimeline>(source.side_data)) {
      const std::shared_ptr<const CategoryTimeline> timeline(kept, &kept->timeline);
      add(std::make_shared<TimelineHistory>(timeline, source.shift_ns));
      continue;
    }
    if (const auto kept = std::dynamic_pointer_cast<const KeptSnapshot>(source.side_data)) {
      const std::shared_ptr<const MemorySnapshot> snapshot(kept, &kept->snapshot);
      for (const DeviceHistory& device : snapshot->devices)
        add(std::make_shared<SnapshotHistory>(snapshot, device, source.shift_ns));
      continue;
    }
    if (source.bytes == nullptr) continue;
    Result<std::vector<TraceMemory>> memories = read_trace_memory(trace, SourceId{s});
    if (!memories) return tl::make_unexpected(memories.error());
    for (TraceMemory& memory : *memories) add(std::make_shared<TraceHistory>(trace, std::move(memory)));
  }
  return all;
}

}  // namespace lacuna
