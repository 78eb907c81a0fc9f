#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/result.h"
#include "model/base/seeded_hash.h"
#include "model/formats/sqlite/foreign_database.h"
#include "model/formats/trace_sink.h"
#include "model/trace/string_pool.h"

namespace lacuna {

/// State shared by the table sets of one rocpd file.
struct RocpdMachines {
  std::map<std::int64_t, std::int64_t> nodes;            ///< number of each node, in file order
  std::map<std::int64_t, std::int64_t> first_of_device;  ///< which table set used a GPU first
  std::set<std::int64_t> described;                      ///< GPUs whose properties were passed to the sink
  std::uint64_t compressed = 0;                          ///< number of event texts not read: LZ4
};

/// One table set of a rocpd file: that of a process. Call read_devices() of all sets before read_events() of the first.
/// Errors: those of ForeignDatabase::read() and TraceSink::state().
class RocpdProcess {
 public:
  /// All must outlive this. `suffix`: the end of the tables' names; `index`: number of the set, from 0.
  RocpdProcess(ForeignDatabase& database, TraceSink& sink, RocpdMachines& machines, std::string_view suffix,
               std::int64_t index)
      : database_(database), sink_(sink), machines_(machines), suffix_(suffix), index_(index) {}

  Result<void> read_devices();
  Result<void> read_events();

 private:
  using Row = ForeignDatabase::Row;
  using Id = std::int64_t;
  template <class Value>
  using ById = std::unordered_map<Id, Value, SeededHash>;

  struct Agent {
    bool is_gpu = false;
    std::int64_t device = 0;
  };
  struct Event {
    StringId category;
    StringId message;
    std::int64_t correlation = 0;
  };
  /// The time of an event, and its place as ids of the file (-1: not given).
  struct Place {
    Id node = -1, process = -1, thread = -1, agent = -1, queue = -1, stream = -1, name = -1;
    SinkTime start, end;
  };
  struct Argument {
    Id event;
    StringId name, value;
  };
  struct CounterValue {
    Id event;
    Id counter;
    double value;
  };
  struct Counter {
    StringId name;
    Id agent = -1;
  };
  struct Symbol {
    StringId name;
    std::int64_t registers = 0, accumulators = 0, scalars = 0;
  };
  struct Lane {
    std::int64_t device = 0, stream = 0;
    auto operator<=>(const Lane&) const = default;
  };

  Result<void> read(std::string_view table, const std::vector<std::string_view>& columns,
                    const std::function<void(const Row&)>& visit);
  /// Also gives the place of each row: that of its track (schema 4), or its own (schema 3). Times are the row's, or
  /// come from a table (schema 4.0).
  Result<void> read_placed(std::string_view table, std::vector<std::string_view> columns,
                           const std::function<void(const Row&, const Place&)>& visit);

  // What events refer to:
  Result<void> read_strings();
  Result<void> read_threads();
  Result<void> read_tracks();
  Result<void> read_times();
  Result<void> read_symbols();
  Result<void> read_event_table();
  Result<void> read_arguments();
  Result<void> read_counters();
  Result<void> choose_lanes();
  // Events:
  Result<void> read_regions();
  Result<void> read_samples();
  Result<void> read_kernels();
  Result<void> read_copies();
  Result<void> read_graphs();
  Result<void> read_allocations();
  Result<void> name_lanes();

  StringId text_id(const Row& row, std::size_t column) { return texts_.intern(row.text(column)); }
  std::string_view string_of(Id id) const;
  Event event_of(const Row& row, std::size_t column) const;
  std::string_view name_of_region(const Row& row, std::size_t name, const Event& event) const;
  std::int64_t node_number(Id node);
  std::int64_t device_of(Id agent) const;
  bool is_gpu(Id agent) const;
  SinkThread thread_of(const Place& place);
  Lane lane_of(std::int64_t device, const Place& place);
  void activity_arguments(Lane lane, const Place& place, const Event& event);
  void add_arguments(const Row& row, std::size_t event);

  ForeignDatabase& database_;
  TraceSink& sink_;
  RocpdMachines& machines_;
  const std::string suffix_;
  const std::int64_t index_;
  StringPool texts_;
  ById<StringId> strings_, categories_, stream_names_, queue_names_;
  ById<Agent> agents_;
  ById<std::int64_t> pids_;
  ById<SinkThread> threads_;
  ById<Place> tracks_;
  ById<std::int64_t> times_;
  ById<Event> events_;
  ById<Counter> counters_;
  ById<Symbol> symbols_;
  std::vector<Argument> arguments_;   // by event
  std::vector<CounterValue> values_;  // by event
  bool uses_queues_ = false;
  std::map<Id, Lane> graphs_;  // where the kernels of each graph run
  std::map<Lane, Id> lanes_;   // the id of a lane's stream or queue
};

}  // namespace lacuna
