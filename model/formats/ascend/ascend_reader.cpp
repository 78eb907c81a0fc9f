#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"
#include "model/formats/ascend/ascend_tables.h"
#include "model/formats/chrome/decimal.h"
#include "model/formats/sqlite/sqlite_format.h"
#include "model/formats/trace_sink.h"
#include "model/trace/string_pool.h"

namespace lacuna {
namespace {

constexpr std::int64_t kNoConnection = 0xffffffff;
constexpr std::int64_t kFirstGroup = 10'000;  // lanes of collectives, behind all streams

class AscendReader {
 public:
  AscendReader(ForeignDatabase& database, TraceSink& sink, TraceSource& facts)
      : database_(database), sink_(sink), facts_(facts) {}

  Result<void> read() {
    sink_.base_time(0);
    for (const auto step : {&AscendReader::read_devices, &AscendReader::read_strings, &AscendReader::read_connections,
                            &AscendReader::read_task_facts, &AscendReader::read_tasks, &AscendReader::read_calls,
                            &AscendReader::read_operators, &AscendReader::read_marks, &AscendReader::read_collectives,
                            &AscendReader::label_devices}) {
      if (auto done = (this->*step)(); !done) return done;
      if (!sink_.state()) return sink_.state();
    }
    return sink_.finish();
  }

 private:
  using Row = ForeignDatabase::Row;
  template <class Value>
  using ById = std::unordered_map<std::int64_t, Value, SeededHash>;

  /// What is known of a task beside where and when it ran.
  struct TaskFacts {
    StringId name, type, operation, input_shapes, input_types, output_shapes;
    std::optional<std::int64_t> blocks, bytes;
  };

  std::string_view string_of(const Row& row, std::size_t column) const {
    const auto found = row.has(column) ? strings_.find(row.integer(column)) : strings_.end();
    return found == strings_.end() ? std::string_view{} : texts_.get(found->second);
  }
  StringId id_of(const Row& row, std::size_t column) const {
    const auto found = row.has(column) ? strings_.find(row.integer(column)) : strings_.end();
    return found == strings_.end() ? kEmptyString : found->second;
  }
  /// Some versions write times as text.
  static SinkTime time_of(const Row& row, std::size_t column) {
    if (const auto number = row.whole(column)) return number;
    return row.has(column) ? parse_integer(row.text(column)) : std::nullopt;
  }
  static SinkThread thread_of(std::int64_t global) { return {global >> 32, global & 0xffffffff}; }

  Result<void> read_devices() {
    std::int64_t ranks = 0;
    Result<void> done = database_.read("RANK_DEVICE_MAP", {"rankId"}, [&](const Row& row) {
      facts_.rank = ++ranks == 1 && row.integer(0) >= 0 ? row.whole(0) : std::nullopt;
    });
    if (!done) return done;
    return database_.read("NPU_INFO", {"id", "name"}, [&](const Row& row) {
      DeviceProperties device;
      device.id = fmt::to_string(row.integer(0));
      device.name = row.text(1);
      sink_.device(device);
    });
  }

  Result<void> read_strings() {
    return database_.read("STRING_IDS", {"id", "value"},
                          [&](const Row& row) { strings_[row.integer(0)] = texts_.intern(row.text(1)); });
  }

  Result<void> read_connections() {
    return database_.read("CONNECTION_IDS", {"id", "connectionId"},
                          [&](const Row& row) { operator_of_[row.integer(1)] = row.integer(0); });
  }

  Result<void> read_task_facts() {
    Result<void> done = database_.read(
        "COMPUTE_TASK_INFO",
        {"globalTaskId", "name", "taskType", "opType", "inputShapes", "inputDataTypes", "outputShapes", "blockDim"},
        [&](const Row& row) {
          tasks_[row.integer(0)] = {id_of(row, 1), id_of(row, 2), id_of(row, 3), id_of(row, 4),
                                    id_of(row, 5), id_of(row, 6), row.whole(7),  {}};
        });
    if (!done) return done;
    done = database_.read("COMMUNICATION_TASK_INFO", {"globalTaskId", "name", "taskType", "size"}, [&](const Row& row) {
      TaskFacts& task = tasks_[row.integer(0)];
      task.name = id_of(row, 1);
      task.type = id_of(row, 2);
      task.bytes = row.whole(3);
    });
    if (!done) return done;
    return database_.read("MEMCPY_INFO", {"globalTaskId", "size"}, [&](const Row& row) {
      tasks_[row.integer(0)].bytes = row.whole(1);
      copies_.insert(row.integer(0));
    });
  }

  Result<void> read_tasks() {
    return database_.read(
        "TASK", {"startNs", "endNs", "deviceId", "streamId", "connectionId", "globalTaskId", "taskType", "modelId"},
        [&](const Row& row) {
          const std::int64_t device = row.integer(2), stream = row.integer(3), connection = row.integer(4);
          const auto known = tasks_.find(row.integer(5));
          const TaskFacts facts = known == tasks_.end() ? TaskFacts{} : known->second;
          const std::string_view type = string_of(row, 6), named = texts_.get(facts.name);
          const std::string_view name = named.empty() ? type : named;
          // As with torch_npu's JSON: what waits for another stream is no work.
          const bool waits = type.ends_with("_WAIT") || name.ends_with("_WAIT") || name.ends_with("_Wait");
          const bool is_copy = copies_.contains(row.integer(5)) || type.starts_with("MEMCPY");
          sink_.slice(waits     ? "synchronization"
                      : is_copy ? "gpu_memcpy"
                                : "kernel",
                      name.empty() ? std::string_view("task") : name, {device, stream}, time_of(row, 0),
                      time_of(row, 1));
          devices_.insert(device);
          sink_.arguments();
          sink_.argument("device", device);
          sink_.argument("stream", stream);
          if (connection != kNoConnection && row.has(4)) {
            sink_.argument("correlation", connection);
            if (const auto op = operator_of_.find(connection); op != operator_of_.end())
              sink_.argument("External id", op->second);
          }
          add_text("Task Type", type);
          add_text("Op Type", texts_.get(facts.operation));
          add_text("Input Shapes", texts_.get(facts.input_shapes));
          add_text("Input Data Types", texts_.get(facts.input_types));
          add_text("Output Shapes", texts_.get(facts.output_shapes));
          if (facts.blocks) sink_.argument("Block Dim", *facts.blocks);
          if (facts.bytes) sink_.argument("bytes", *facts.bytes);
          if (row.has(7) && row.integer(7) != kNoConnection) sink_.argument("model", row.integer(7));
          sink_.end();
        });
  }

  void add_text(std::string_view key, std::string_view text) {
    if (!text.empty()) sink_.argument(key, text);
  }

  Result<void> read_calls() {
    return database_.read(
        "CANN_API", {"startNs", "endNs", "globalTid", "connectionId", "name", "type"}, [&](const Row& row) {
          constexpr std::array<std::pair<std::int64_t, std::string_view>, 5> kLayers{{{20000, "AscendCL@"},
                                                                                      {15000, "Model@"},
                                                                                      {10000, "Node@"},
                                                                                      {5500, "Communication@"},
                                                                                      {5000, "Runtime@"}}};
          const auto layer =
              std::ranges::find(kLayers, row.integer(5), &std::pair<std::int64_t, std::string_view>::first);
          const std::string_view name = string_of(row, 4);
          const bool is_whole = layer == kLayers.end() || name.find('@') != std::string_view::npos;
          sink_.slice("runtime", is_whole ? std::string(name) : std::string(layer->second).append(name),
                      thread_of(row.integer(2)), time_of(row, 0), time_of(row, 1));
          sink_.arguments();
          if (row.has(3) && row.integer(3) != kNoConnection) sink_.argument("correlation", row.integer(3));
          sink_.end();
        });
  }

  Result<void> read_operators() {
    return database_.read("PYTORCH_API",
                          {"startNs", "endNs", "globalTid", "connectionId", "name", "type", "sequenceNumber",
                           "inputShapes", "inputDtypes", "fwdThreadId"},
                          [&](const Row& row) {
                            constexpr std::int64_t kOperator = 50001, kQueue = 50002, kPython = 50003;
                            const std::int64_t type = row.integer(5);
                            sink_.slice(type == kOperator || !row.has(5) ? "cpu_op"
                                        : type == kQueue                 ? "task_queue"
                                        : type == kPython                ? "python_function"
                                                                         : "user_annotation",
                                        string_of(row, 4), thread_of(row.integer(2)), time_of(row, 0), time_of(row, 1));
                            sink_.arguments();
                            if (row.has(3) && type != kQueue) sink_.argument("External id", row.integer(3));
                            if (row.has(6) && row.integer(6) != kNoConnection)
                              sink_.argument("Sequence number", row.integer(6));
                            add_text("Input Dims", string_of(row, 7));
                            add_text("Input type", string_of(row, 8));
                            if (row.has(9) && row.integer(9) != 0) sink_.argument("Fwd thread id", row.integer(9));
                            sink_.end();
                          });
  }

  Result<void> read_marks() {
    std::uint64_t ranges = 0;
    return database_.read(
        "MSTX_EVENTS", {"startNs", "endNs", "globalTid", "message", "domainId", "endGlobalTid"}, [&](const Row& row) {
          const SinkTime start = time_of(row, 0), end = time_of(row, 1);
          const SinkThread thread = thread_of(row.integer(2));
          const std::string_view name = string_of(row, 3);
          // They may cross others, and end elsewhere.
          const std::string id = fmt::format("mstx {}", ranges++);
          const bool is_range = start != end;
          if (is_range) {
            sink_.async(true, "user_annotation", name, thread, start, id);
          } else {
            sink_.instant("user_annotation", name, thread, start);
          }
          sink_.arguments();
          add_text("domain", string_of(row, 4));
          sink_.end();
          if (!is_range) return;
          sink_.async(false, "user_annotation", name, row.has(5) ? thread_of(row.integer(5)) : thread, end, id);
          sink_.end();
        });
  }

  Result<void> read_collectives() {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> groups;
    return database_.read(
        "COMMUNICATION_OP", {"startNs", "endNs", "opName", "groupName", "deviceId", "connectionId", "opType", "count"},
        [&](const Row& row) {
          const std::int64_t device = row.has(4) ? row.integer(4) : devices_.empty() ? 0 : *devices_.begin();
          const auto [group, is_new] = groups.try_emplace({device, row.has(3) ? row.integer(3) : -1},
                                                          kFirstGroup + static_cast<std::int64_t>(groups.size()));
          const std::string_view name = string_of(row, 3);
          if (is_new)
            sink_.name_thread(
                {device, group->second},
                fmt::format("Group {} Communication",
                            name.empty() ? fmt::to_string(group->second - kFirstGroup) : std::string(name)));
          sink_.slice("gpu_user_annotation", string_of(row, 2), {device, group->second}, time_of(row, 0),
                      time_of(row, 1));
          sink_.arguments();
          sink_.argument("device", device);
          sink_.argument("stream", group->second);
          add_text("Group", name);
          add_text("Op Type", string_of(row, 6));
          if (const auto count = row.whole(7)) sink_.argument("count", *count);
          sink_.end();
        });
  }

  Result<void> label_devices() {
    for (const std::int64_t device : devices_) {
      sink_.name_process(device, fmt::format("NPU {}", device));
      sink_.label_process(device, fmt::format("NPU {}", device));
    }
    return {};
  }

  ForeignDatabase& database_;
  TraceSink& sink_;
  TraceSource& facts_;
  StringPool texts_;
  ById<StringId> strings_;
  ById<std::int64_t> operator_of_;  // by connection
  ById<TaskFacts> tasks_;           // by global task id
  std::set<std::int64_t> copies_;
  std::set<std::int64_t> devices_;
};

Result<void> read_ascend(ForeignDatabase& database, const FormatInput& input, TraceSource& facts,
                         const BatchReceiver& receive) {
  TraceSink sink(input, facts, receive);
  database.give_up_with(sink.state());
  return AscendReader(database, sink, facts).read();
}

}  // namespace

constinit const SqliteKind kAscendTables{
    .title = "Ascend profiler, SQLite",
    .recognises =
        [](const ForeignDatabase& database) {
          return database.has_table("STRING_IDS") &&
                 (database.has_table("TASK") || database.has_table("PYTORCH_API") || database.has_table("CANN_API"));
        },
    .time_columns = {"startNs", "timestampNs"},
    .read = read_ascend};

}  // namespace lacuna
