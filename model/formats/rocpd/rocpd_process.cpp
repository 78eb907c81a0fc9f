#include "model/formats/rocpd/rocpd_process.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/base/time.h"
#include "model/formats/rocpd/rocpd_words.h"

namespace lacuna {
namespace {

constexpr std::int64_t kNodeGpus = 1000, kNodePids = 10'000'000, kProcessStreams = 1000;

}  // namespace

Result<void> RocpdProcess::read(std::string_view table, const std::vector<std::string_view>& columns,
                                const std::function<void(const Row&)>& visit) {
  if (!sink_.state()) return sink_.state();
  return database_.read(fmt::format("{}{}", table, suffix_), columns, visit);
}

Result<void> RocpdProcess::read_placed(std::string_view table, std::vector<std::string_view> columns,
                                       const std::function<void(const Row&, const Place&)>& visit) {
  const std::size_t first = columns.size();
  for (const std::string_view column : {"track_id", "nid", "pid", "tid", "agent_id", "queue_id", "stream_id", "start",
                                        "end", "timestamp", "start_id", "end_id", "timestamp_id"})
    columns.push_back(column);
  const auto time = [&](const Row& row, std::size_t column) -> SinkTime {
    if (row.has(column)) return row.whole(column);
    const auto found = row.has(column + 3) ? times_.find(row.integer(column + 3)) : times_.end();
    return found == times_.end() ? SinkTime{} : found->second;
  };
  return read(table, columns, [&](const Row& row) {
    Place place;
    if (row.has(first))
      if (const auto track = tracks_.find(row.integer(first)); track != tracks_.end()) place = track->second;
    Id* const parts[] = {&place.node, &place.process, &place.thread, &place.agent, &place.queue, &place.stream};
    for (std::size_t i = 0; i < std::size(parts); ++i)
      if (row.has(first + 1 + i)) *parts[i] = row.integer(first + 1 + i);
    place.start = time(row, first + 7);
    place.end = time(row, first + 8);
    if (!place.start) place.start = time(row, first + 9);
    visit(row, place);
  });
}

Result<void> RocpdProcess::read_devices() {
  return read("rocpd_info_agent", {"id", "nid", "type", "type_index", "name", "product_name", "model_name"},
              [&](const Row& row) {
                Agent agent;
                agent.is_gpu = row.text(2) == "GPU";
                agent.device = saturating_add(node_number(row.integer(1)) * kNodeGpus, row.integer(3));
                agents_[row.integer(0)] = agent;
                if (!agent.is_gpu || machines_.described.contains(agent.device)) return;
                DeviceProperties device;
                device.id = fmt::to_string(agent.device);
                for (const std::size_t name : {5, 6, 4})
                  if (device.name.empty()) device.name = row.text(name);
                if (device.name.empty()) return;
                machines_.described.insert(agent.device);
                sink_.device(device);
              });
}

Result<void> RocpdProcess::read_events() {
  for (const auto step :
       {&RocpdProcess::read_strings, &RocpdProcess::read_threads, &RocpdProcess::read_tracks, &RocpdProcess::read_times,
        &RocpdProcess::read_symbols, &RocpdProcess::read_event_table, &RocpdProcess::read_arguments,
        &RocpdProcess::read_counters, &RocpdProcess::choose_lanes, &RocpdProcess::read_kernels,
        &RocpdProcess::read_copies, &RocpdProcess::read_graphs, &RocpdProcess::read_regions,
        &RocpdProcess::read_samples, &RocpdProcess::read_allocations, &RocpdProcess::name_lanes})
    if (auto done = (this->*step)(); !done) return done;
  return sink_.state();
}

// --- what events refer to

Result<void> RocpdProcess::read_strings() {
  Result<void> done =
      read("rocpd_string", {"id", "string"}, [&](const Row& row) { strings_[row.integer(0)] = text_id(row, 1); });
  if (!done) return done;
  done = read("rocpd_info_category", {"id", "name"},
              [&](const Row& row) { categories_[row.integer(0)] = texts_.intern(rocpd_category(row.text(1))); });
  if (!done) return done;
  done = read("rocpd_info_stream", {"id", "name"},
              [&](const Row& row) { stream_names_[row.integer(0)] = text_id(row, 1); });
  if (!done) return done;
  return read("rocpd_info_queue", {"id", "name"},
              [&](const Row& row) { queue_names_[row.integer(0)] = text_id(row, 1); });
}

Result<void> RocpdProcess::read_threads() {
  Result<void> done = read("rocpd_info_process", {"id", "nid", "pid", "name", "command"}, [&](const Row& row) {
    const std::int64_t pid = saturating_add(node_number(row.integer(1)) * kNodePids, row.integer(2));
    pids_[row.integer(0)] = pid;
    const std::string_view name = row.text(3).empty() ? row.text(4) : row.text(3);
    if (!name.empty()) sink_.name_process(pid, name);
  });
  if (!done) return done;
  return read("rocpd_info_thread", {"id", "pid", "tid", "name"}, [&](const Row& row) {
    const auto pid = pids_.find(row.integer(1));
    const SinkThread thread{pid == pids_.end() ? row.integer(1) : pid->second, row.integer(2)};
    threads_[row.integer(0)] = thread;
    if (!row.text(3).empty()) sink_.name_thread(thread, row.text(3));
  });
}

Result<void> RocpdProcess::read_tracks() {
  return read("rocpd_track", {"id", "nid", "pid", "tid", "agent_id", "queue_id", "stream_id", "name_id"},
              [&](const Row& row) {
                Place place;
                Id* const parts[] = {&place.node,  &place.process, &place.thread, &place.agent,
                                     &place.queue, &place.stream,  &place.name};
                for (std::size_t i = 0; i < std::size(parts); ++i)
                  if (row.has(i + 1)) *parts[i] = row.integer(i + 1);
                tracks_[row.integer(0)] = place;
              });
}

Result<void> RocpdProcess::read_times() {
  return read("rocpd_timestamp", {"id", "value"}, [&](const Row& row) {
    if (const auto value = row.whole(1)) times_[row.integer(0)] = *value;
  });
}

Result<void> RocpdProcess::read_symbols() {
  return read("rocpd_info_kernel_symbol",
              {"id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count"},
              [&](const Row& row) {
                symbols_[row.integer(0)] = {text_id(row, row.text(1).empty() ? 2 : 1), row.integer(3), row.integer(4),
                                            row.integer(5)};
              });
}

Result<void> RocpdProcess::read_event_table() {
  return read("rocpd_event", {"id", "category_id", "stack_id", "correlation_id", "extdata"}, [&](const Row& row) {
    Event event;
    const Id category = row.integer(1);
    auto known = categories_.find(category);
    if (known == categories_.end())  // schema 3 has them among its strings
      known = categories_.emplace(category, texts_.intern(rocpd_category(string_of(category)))).first;
    event.category = known->second;
    // The stack id is rocprofiler's own number of a call; the other one is what the program set, mostly 0.
    const std::int64_t number = row.integer(2) != 0 ? row.integer(2) : row.integer(3);
    if (number != 0) event.correlation = number ^ (index_ & 0x7fff) << 48;
    const std::string_view extra = row.text(4);
    if (extra.starts_with('{')) event.message = texts_.intern(marker_message(extra));
    if (!extra.empty() && !extra.starts_with('{')) ++machines_.compressed;
    events_[row.integer(0)] = event;
  });
}

Result<void> RocpdProcess::read_arguments() {
  Result<void> done = read("rocpd_arg", {"event_id", "name", "value"}, [&](const Row& row) {
    arguments_.push_back({row.integer(0), text_id(row, 1), text_id(row, 2)});
  });
  std::ranges::stable_sort(arguments_, {}, &Argument::event);
  return done;
}

Result<void> RocpdProcess::read_counters() {
  Result<void> done = read("rocpd_info_pmc", {"id", "name", "agent_id"}, [&](const Row& row) {
    counters_[row.integer(0)] = {text_id(row, 1), row.has(2) ? row.integer(2) : -1};
  });
  if (!done) return done;
  done = read("rocpd_pmc_event", {"event_id", "pmc_id", "value"}, [&](const Row& row) {
    if (row.has(0)) values_.push_back({row.integer(0), row.integer(1), row.real(2)});
  });
  // Its instances (of shader engines …) count together.
  const auto key = [](const CounterValue& value) { return std::pair(value.event, value.counter); };
  std::ranges::stable_sort(values_, {}, key);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (kept > 0 && key(values_[kept - 1]) == key(values_[i])) {
      values_[kept - 1].value += values_[i].value;
    } else {
      values_[kept++] = values_[i];
    }
  }
  values_.resize(kept);
  return done;
}

/// Streams, unless none but the default one was recorded and the work went to several queues.
Result<void> RocpdProcess::choose_lanes() {
  std::set<Id> streams, queues;
  Result<void> done = read_placed("rocpd_kernel_dispatch", {"id"}, [&](const Row&, const Place& place) {
    streams.insert(place.stream);
    queues.insert(place.queue);
  });
  uses_queues_ = std::ranges::all_of(streams, [](Id stream) { return stream <= 0; }) && queues.size() > 1;
  return done;
}

std::string_view RocpdProcess::string_of(Id id) const {
  const auto found = strings_.find(id);
  return found == strings_.end() ? std::string_view{} : texts_.get(found->second);
}

RocpdProcess::Event RocpdProcess::event_of(const Row& row, std::size_t column) const {
  const auto found = row.has(column) ? events_.find(row.integer(column)) : events_.end();
  return found == events_.end() ? Event{} : found->second;
}

std::int64_t RocpdProcess::node_number(Id node) {
  return machines_.nodes.try_emplace(node, static_cast<std::int64_t>(machines_.nodes.size())).first->second;
}

std::int64_t RocpdProcess::device_of(Id agent) const {
  const auto found = agents_.find(agent);
  return found == agents_.end() ? agent : found->second.device;
}

bool RocpdProcess::is_gpu(Id agent) const {
  const auto found = agents_.find(agent);
  return found != agents_.end() && found->second.is_gpu;
}

SinkThread RocpdProcess::thread_of(const Place& place) {
  const auto thread = threads_.find(place.thread);
  if (thread != threads_.end()) return thread->second;
  const auto pid = pids_.find(place.process);
  return {pid == pids_.end() ? place.process : pid->second, place.thread};
}

RocpdProcess::Lane RocpdProcess::lane_of(std::int64_t device, const Place& place) {
  const Id id = std::max<Id>(uses_queues_ ? place.queue : place.stream, 0);
  const std::int64_t first = machines_.first_of_device.try_emplace(device, index_).first->second;
  const Lane lane{device, first == index_ ? id : saturating_add(id, index_ * kProcessStreams)};
  lanes_.emplace(lane, id);
  return lane;
}

Result<void> RocpdProcess::name_lanes() {
  const ById<StringId>& names = uses_queues_ ? queue_names_ : stream_names_;
  for (const auto& [lane, id] : lanes_) {
    sink_.label_process(lane.device, fmt::format("GPU {}", lane.device));
    const auto name = names.find(id);
    if (name != names.end() && !texts_.get(name->second).empty())
      sink_.name_thread({lane.device, lane.stream}, texts_.get(name->second));
  }
  return sink_.state();
}

}  // namespace lacuna
