// The events of a rocpd file: what its process and its GPUs did.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "model/formats/rocpd/rocpd_process.h"
#include "model/formats/rocpd/rocpd_tables.h"
#include "model/formats/rocpd/rocpd_words.h"
#include "model/formats/sqlite/sqlite_format.h"
#include "model/trace/import_finding.h"

namespace lacuna {

std::string_view RocpdProcess::name_of_region(const Row& row, std::size_t name, const Event& event) const {
  const std::string_view message = texts_.get(event.message);
  return message.empty() ? string_of(row.integer(name)) : message;
}

void RocpdProcess::add_arguments(const Row& row, std::size_t event) {
  if (!row.has(event)) return;
  constexpr std::ptrdiff_t kMost = 256;  // no call has as many; of a file that lets all rows share one event
  const Id id = row.integer(event);
  const auto first = std::ranges::lower_bound(arguments_, id, {}, &Argument::event);
  for (auto at = first; at != arguments_.end() && at->event == id && at - first < kMost; ++at)
    sink_.argument(texts_.get(at->name), texts_.get(at->value));
  const auto values = std::ranges::lower_bound(values_, id, {}, &CounterValue::event);
  for (auto at = values; at != values_.end() && at->event == id && at - values < kMost; ++at)
    if (const auto counter = counters_.find(at->counter); counter != counters_.end())
      sink_.argument(texts_.get(counter->second.name), at->value);
}

void RocpdProcess::activity_arguments(Lane lane, const Place& place, const Event& event) {
  sink_.argument("device", lane.device);
  sink_.argument("stream", lane.stream);
  if (event.correlation != 0) sink_.argument("correlation", event.correlation);
  if (place.queue >= 0) sink_.argument("queue", place.queue);
}

Result<void> RocpdProcess::read_regions() {
  std::uint64_t ranges = 0;
  return read_placed("rocpd_region", {"start", "end", "name_id", "event_id"}, [&](const Row& row, const Place& place) {
    const Event event = event_of(row, 3);
    const std::string_view name = name_of_region(row, 2, event), function = string_of(row.integer(2));
    const std::string_view category = event.category == kEmptyString ? "region" : texts_.get(event.category);
    const SinkThread thread = thread_of(place);
    // Ranges of the process may end on another thread, and cross those of this one.
    const bool may_cross = function.starts_with("roctxProcessRange") || function.starts_with("roctxRangeSt");
    const std::string id = may_cross ? fmt::format("roctx {}.{}", index_, ranges++) : std::string{};
    if (may_cross) {
      sink_.async(true, category, name, thread, place.start, id);
    } else {
      sink_.slice(category, name, thread, place.start, place.end);
    }
    sink_.arguments();
    if (category == "hip_runtime" && event.correlation != 0) sink_.argument("correlation", event.correlation);
    add_arguments(row, 3);
    sink_.end();
    if (!may_cross) return;
    sink_.async(false, category, name, thread, place.end, id);
    sink_.end();
  });
}

/// Marks, and the values of counters over time.
Result<void> RocpdProcess::read_samples() {
  return read_placed("rocpd_sample", {"timestamp", "event_id", "name_id"}, [&](const Row& row, const Place& place) {
    const Id id = row.has(1) ? row.integer(1) : -1;
    auto value = std::ranges::lower_bound(values_, id, {}, &CounterValue::event);
    const Event event = event_of(row, 1);
    if (id < 0 || value == values_.end() || value->event != id) {
      const std::string_view message = texts_.get(event.message);
      std::string_view name = message.empty() ? string_of(row.has(2) ? row.integer(2) : place.name) : message;
      sink_.instant(event.category == kEmptyString ? "sample" : texts_.get(event.category), name, thread_of(place),
                    place.start);
      sink_.arguments();
      add_arguments(row, 1);
      sink_.end();
      return;
    }
    for (const auto first = value; value != values_.end() && value->event == id && value - first < 256; ++value) {
      const auto counter = counters_.find(value->counter);
      const Id agent = counter == counters_.end() ? -1 : counter->second.agent;
      std::string_view name = counter == counters_.end() ? std::string_view{} : texts_.get(counter->second.name);
      if (name.empty()) name = string_of(place.name);
      sink_.counter(name, is_gpu(agent) ? device_of(agent) : thread_of(place).pid, place.start);
      sink_.arguments();
      sink_.argument("value", value->value);
      sink_.end();
    }
  });
}

Result<void> RocpdProcess::read_kernels() {
  const std::vector<std::string_view> columns{"start",
                                              "end",
                                              "kernel_id",
                                              "event_id",
                                              "dispatch_id",
                                              "grid_size_x",
                                              "grid_size_y",
                                              "grid_size_z",
                                              "workgroup_size_x",
                                              "workgroup_size_y",
                                              "workgroup_size_z",
                                              "group_segment_size",
                                              "private_segment_size",
                                              "graph_exec_id",
                                              "graph_node_id",
                                              "region_name_id"};
  return read_placed("rocpd_kernel_dispatch", columns, [&](const Row& row, const Place& place) {
    const auto found = symbols_.find(row.integer(2));
    const Symbol symbol = found == symbols_.end() ? Symbol{} : found->second;
    const std::string_view name = texts_.get(symbol.name);
    const Lane lane = lane_of(device_of(place.agent), place);
    sink_.slice("kernel", name.empty() ? std::string_view("unknown kernel") : name, {lane.device, lane.stream},
                place.start, place.end);
    sink_.arguments();
    activity_arguments(lane, place, event_of(row, 3));
    std::array<std::int64_t, 3> grid{}, block{};
    for (std::size_t i = 0; i < 3; ++i) {
      block[i] = row.integer(8 + i);
      grid[i] = blocks_of(row.integer(5 + i), block[i]);
    }
    sink_.argument("grid", grid);
    sink_.argument("block", block);
    if (found != symbols_.end()) {
      sink_.argument("registers per thread", symbol.registers);
      sink_.argument("accumulation registers", symbol.accumulators);
      sink_.argument("scalar registers", symbol.scalars);
    }
    sink_.argument("shared memory", row.integer(11));
    sink_.argument("scratch memory", row.integer(12));
    sink_.argument("dispatch", row.integer(4));
    if (row.integer(13) != 0) {
      sink_.argument("graph id", row.integer(13));
      sink_.argument("graph node id", row.integer(14));
      graphs_.try_emplace(row.integer(13), lane);
    }
    if (const std::string_view region = string_of(row.integer(15)); !region.empty()) sink_.argument("region", region);
    add_arguments(row, 3);
    sink_.end();
  });
}

Result<void> RocpdProcess::read_copies() {
  return read_placed(
      "rocpd_memory_copy",
      {"start", "end", "name_id", "event_id", "size", "dst_agent_id", "src_agent_id", "graph_exec_id", "graph_node_id"},
      [&](const Row& row, const Place& place) {
        const Event event = event_of(row, 3);
        const Id to = row.integer(5), from = row.integer(6);
        const bool is_on_gpu = is_gpu(to) || is_gpu(from);
        const Lane lane = is_on_gpu ? lane_of(device_of(is_gpu(to) ? to : from), place) : Lane{};
        sink_.slice(is_on_gpu ? "gpu_memcpy" : "memory_copy", rocm_copy_name(string_of(row.integer(2))),
                    is_on_gpu ? SinkThread{lane.device, lane.stream} : thread_of(place), place.start, place.end);
        sink_.arguments();
        if (is_on_gpu) activity_arguments(lane, place, event);
        sink_.argument("bytes", row.integer(4));
        if (is_gpu(from)) sink_.argument("from GPU", device_of(from));
        if (is_gpu(to)) sink_.argument("to GPU", device_of(to));
        if (row.integer(7) != 0) {
          sink_.argument("graph id", row.integer(7));
          sink_.argument("graph node id", row.integer(8));
        }
        add_arguments(row, 3);
        sink_.end();
      });
}

/// Whole graphs: above their kernels, or in their place where these were not recorded.
Result<void> RocpdProcess::read_graphs() {
  return read_placed("rocpd_graph_launch", {"start", "end", "graph_exec_id", "event_id", "kernel_dispatch_count"},
                     [&](const Row& row, const Place& place) {
                       const auto kernels = graphs_.find(row.integer(2));
                       const bool is_above = kernels != graphs_.end();
                       const Lane lane = is_above ? kernels->second : lane_of(device_of(place.agent), place);
                       sink_.slice(is_above ? "gpu_user_annotation" : "kernel",
                                   fmt::format("HIP graph {}", row.integer(2)), {lane.device, lane.stream}, place.start,
                                   place.end);
                       sink_.arguments();
                       activity_arguments(lane, place, event_of(row, 3));
                       sink_.argument("graph id", row.integer(2));
                       sink_.argument("kernels", row.integer(4));
                       sink_.end();
                     });
}

Result<void> RocpdProcess::read_allocations() {
  std::map<std::int64_t, double> in_use;               // by device
  ById<std::pair<std::int64_t, std::int64_t>> blocks;  // device and size, by address
  std::uint64_t ranges = 0;
  return read_placed(
      "rocpd_memory_allocate", {"start", "end", "type", "level", "address", "size", "event_id"},
      [&](const Row& row, const Place& place) {
        const std::string_view type = row.text(2), level = row.text(3);
        const SinkThread thread = thread_of(place);
        const bool is_scratch = level == "SCRATCH";  // by the GPU's firmware, beside what the thread does
        const std::string name = fmt::format("{} {}", level, type), id = fmt::format("scratch {}.{}", index_, ranges++);
        if (is_scratch) {
          sink_.async(true, "scratch_memory", name, thread, place.start, id);
        } else {
          sink_.slice("memory_allocation", name, thread, place.start, place.end);
        }
        sink_.arguments();
        if (is_gpu(place.agent)) sink_.argument("GPU", device_of(place.agent));
        sink_.argument("bytes", row.integer(5));
        sink_.argument("address", fmt::format("{:#x}", static_cast<std::uint64_t>(row.integer(4))));
        add_arguments(row, 6);
        sink_.end();
        if (is_scratch) {
          sink_.async(false, "scratch_memory", name, thread, place.end, id);
          sink_.end();
          return;
        }
        if (level != "REAL") return;
        std::int64_t device = device_of(place.agent), bytes = row.integer(5);
        if (type == "FREE") {  // it does not say whose, nor how much
          const auto block = blocks.find(row.integer(4));
          if (block == blocks.end()) return;
          std::tie(device, bytes) = block->second;
          bytes = -bytes;
          blocks.erase(block);
        } else if (!is_gpu(place.agent) || type != "ALLOC") {
          return;
        } else {
          blocks[row.integer(4)] = {device, bytes};
        }
        sink_.counter("Allocated memory", device, place.end);
        sink_.arguments();
        sink_.argument("bytes", in_use[device] += static_cast<double>(bytes));
        sink_.end();
      });
}

namespace {

constexpr std::string_view kRocpdStrings = "rocpd_string";

Result<void> read_rocpd(ForeignDatabase& database, const FormatInput& input, TraceSource& facts,
                        const BatchReceiver& receive) {
  TraceSink sink(input, facts, receive);
  database.give_up_with(sink.state());
  RocpdMachines machines;
  std::vector<std::string> suffixes;
  for (const std::string& table : database.tables())
    if (table.starts_with(kRocpdStrings)) suffixes.push_back(table.substr(kRocpdStrings.size()));
  // Their facts stand before all events; each is forgotten before the next is read.
  for (std::size_t i = 0; i < suffixes.size(); ++i)
    if (auto done = RocpdProcess(database, sink, machines, suffixes[i], static_cast<std::int64_t>(i)).read_devices();
        !done)
      return done;
  for (std::size_t i = 0; i < suffixes.size(); ++i) {
    auto done = database.read(fmt::format("rocpd_metadata{}", suffixes[i]), {"tag", "value"},
                              [&](const ForeignDatabase::Row& row) {
                                if (row.text(0) == "schema_version")
                                  facts.format = fmt::format("rocpd {}, SQLite", row.text(1));
                              });
    if (!done) return done;
    RocpdProcess process(database, sink, machines, suffixes[i], static_cast<std::int64_t>(i));
    if (done = process.read_devices(); !done) return done;
    if (done = process.read_events(); !done) return done;
  }
  facts.report.add(Finding::kMetadataNotUnderstood, ImportReport::kNoOffset, "compressed texts of markers",
                   machines.compressed);
  return sink.finish();
}

}  // namespace

constinit const SqliteKind kRocpdTables{.title = "rocpd, SQLite",
                                        .recognises =
                                            [](const ForeignDatabase& database) {
                                              return std::ranges::any_of(database.tables(), [](std::string_view table) {
                                                return table.starts_with("rocpd_region") ||
                                                       table.starts_with("rocpd_kernel_dispatch");
                                              });
                                            },
                                        .time_columns = {"start", "timestamp"},
                                        .read = read_rocpd};

}  // namespace lacuna
