#include "model/torch/torch_table.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/torch/torch_arguments.h"
#include "model/torch/torch_covered.h"
#include "model/torch/torch_tree.h"

namespace lacuna {
namespace {

/// Gives each event its row: by (name, GPU or not, annotation or not) and whatever else groups.
class RowIndex {
 public:
  RowIndex(const TorchEvents& events, const TorchGroups& groups) : events_(events), groups_(groups) {
    by_name_.assign(std::size_t{events.names().size()} * 4, kNone);
  }

  std::uint32_t of(std::uint32_t i, std::vector<TorchRow>& rows) {
    const TorchKind kind = events_.kind(i);
    const std::uint32_t key = events_.name(i) * 4 + (is_on_gpu(kind) ? 2 : 0) + (is_annotation(kind) ? 1 : 0);
    if (groups_.shapes.empty() && groups_.stacks.empty()) {
      if (by_name_[key] == kNone) by_name_[key] = make(i, rows);
      return by_name_[key];
    }
    const auto [it, is_new] = by_all_.try_emplace({key, shape(i), stack(i)}, 0);
    if (is_new) it->second = make(i, rows);
    return it->second;
  }

 private:
  static constexpr std::uint32_t kNone = TorchEvents::kNone;
  static bool is_annotation(TorchKind kind) {
    return kind == TorchKind::kAnnotation || kind == TorchKind::kGpuAnnotation;
  }
  std::uint32_t shape(std::uint32_t i) const { return groups_.shapes.empty() ? 0 : groups_.shapes[i]; }
  std::uint32_t stack(std::uint32_t i) const { return groups_.stacks.empty() ? 0 : groups_.stacks[i]; }

  std::uint32_t make(std::uint32_t i, std::vector<TorchRow>& rows) const {
    TorchRow& row = rows.emplace_back();
    row.name = events_.names().text(events_.name(i));
    row.is_on_gpu = is_on_gpu(events_.kind(i));
    row.is_annotation = is_annotation(events_.kind(i));
    row.is_async = events_.is_async(i);
    if (!groups_.shapes.empty()) row.input_shapes = groups_.shape_texts[shape(i)];
    if (!groups_.stacks.empty()) row.stack = groups_.stack_entries[stack(i)];
    return static_cast<std::uint32_t>(rows.size() - 1);
  }

  const TorchEvents& events_;
  const TorchGroups& groups_;
  std::vector<std::uint32_t> by_name_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> by_all_;
};

/// Rows for "[memory]" records outside any event, each where it belongs in time.
class MemoryRows {
 public:
  MemoryRows(std::span<const TorchMemoryRecord> records, bool has_shapes)
      : records_(records), has_shapes_(has_shapes) {}

  /// Adds what comes before `time` of part `part`.
  void add_until(std::uint32_t part, Nanos time, std::vector<TorchRow>& rows) {
    for (; next_ < records_.size(); ++next_) {
      const TorchMemoryRecord& record = records_[next_];
      if (std::tie(record.part, record.time) >= std::tie(part, time)) return;
      std::uint32_t& index = row_[record.out_of_memory];
      if (index == TorchEvents::kNone) {
        index = static_cast<std::uint32_t>(rows.size());
        rows.emplace_back().name = record.out_of_memory ? "[OutOfMemory]" : "[memory]";
        if (has_shapes_) rows.back().input_shapes = "[]";
      }
      TorchRow& row = rows[index];
      ++row.count;
      row.cpu_memory += record.bytes.cpu;
      row.self_cpu_memory += record.bytes.cpu;
      row.device_memory += record.bytes.device;
      row.self_device_memory += record.bytes.device;
    }
  }

 private:
  std::span<const TorchMemoryRecord> records_;
  bool has_shapes_;
  std::size_t next_ = 0;
  std::uint32_t row_[2] = {TorchEvents::kNone, TorchEvents::kNone};
};

}  // namespace

Result<TorchTable> compute_torch_table(const Trace& trace, const TorchTableOptions& options) {
  const TorchEvents events(trace, options.range, options.threads);
  auto memory = read_torch_memory(events, options.range, options.threads);
  if (!memory) return tl::make_unexpected(memory.error());
  const TorchTree tree(events, std::move(memory->events), options.threads);
  const auto groups = read_torch_groups(tree, options.group_by_input_shape, options.group_by_stack_n);
  if (!groups) return tl::make_unexpected(groups.error());

  TorchTable table;
  table.device_name = events.device_name();
  table.has_memory = memory->is_profiled;
  RowIndex index(events, *groups);
  MemoryRows memory_rows(memory->outside, options.group_by_input_shape);
  std::vector<std::uint32_t> row_of_event;
  if (options.covered) row_of_event.assign(events.size(), TorchEvents::kNone);
  for (std::uint32_t p = 0; p < events.parts().size(); ++p) {
    const TorchEvents::Part& part = events.parts()[p];
    for (std::uint32_t i = part.first; i < part.last; ++i) {
      if (tree.is_duplicate(i)) continue;
      if (events.kind(i) == TorchKind::kPython && !options.include_python_functions) continue;
      memory_rows.add_until(p, events.start(i), table.rows);
      const std::uint32_t r = index.of(i, table.rows);
      TorchRow& row = table.rows[r];
      if (row.count++ == 0) row.is_inside = tree.parent(i) != TorchTree::kNone;
      row.cpu_total += tree.cpu_total(i);
      row.self_cpu += tree.self_cpu(i);
      row.device_total += tree.device_total(i);
      row.self_device += tree.self_device(i);
      if (tree.has_memory()) {
        const TorchMemory all = tree.memory(i), self = tree.self_memory(i);
        row.cpu_memory += all.cpu;
        row.device_memory += all.device;
        row.self_cpu_memory += self.cpu;
        row.self_device_memory += self.device;
      }
      if (options.covered) row_of_event[i] = r;
    }
    memory_rows.add_until(p, kMaxNanos, table.rows);
  }
  if (options.covered) add_covered(tree, row_of_event, table);
  return table;
}

}  // namespace lacuna
