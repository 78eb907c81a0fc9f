#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/base/seeded_hash.h"
#include "model/formats/chrome/decimal.h"
#include "model/formats/rocpd/rocpd_tables.h"
#include "model/formats/rocpd/rocpd_words.h"
#include "model/formats/sqlite/sqlite_format.h"
#include "model/formats/trace_sink.h"
#include "model/trace/string_pool.h"

namespace lacuna {
namespace {

constexpr std::string_view kMarker = "UserMarker";

class RpdReader {
 public:
  RpdReader(ForeignDatabase& database, TraceSink& sink) : database_(database), sink_(sink) {}

  Result<void> read() {
    for (const auto step :
         {&RpdReader::read_strings, &RpdReader::read_links, &RpdReader::read_launches, &RpdReader::read_operators,
          &RpdReader::read_work, &RpdReader::read_calls, &RpdReader::read_monitors, &RpdReader::label_devices}) {
      if (auto done = (this->*step)(); !done) return done;
      if (!sink_.state()) return sink_.state();
    }
    return sink_.finish();
  }

 private:
  using Row = ForeignDatabase::Row;
  using Id = std::int64_t;
  template <class Value>
  using ById = std::unordered_map<Id, Value, SeededHash>;

  struct Launch {
    std::array<std::int64_t, 3> grid{}, block{};
    std::int64_t shared_memory = 0;
  };
  struct Operator {
    StringId name, sizes;
    std::int64_t sequence = 0;
  };

  std::string_view string_of(const ById<StringId>& strings, Id id) const {
    const auto found = strings.find(id);
    return found == strings.end() ? std::string_view{} : texts_.get(found->second);
  }

  Result<void> read_strings() {
    Result<void> done = database_.read("rocpd_string", {"id", "string"},
                                       [&](const Row& row) { strings_[row.integer(0)] = texts_.intern(row.text(1)); });
    if (!done) return done;
    return database_.read("rocpd_ustring", {"id", "string"}, [&](const Row& row) {  // of args, from schema 3 on
      argument_strings_[row.integer(0)] = texts_.intern(row.text(1));
    });
  }

  Result<void> read_links() {
    return database_.read("rocpd_api_ops", {"api_id", "op_id"},
                          [&](const Row& row) { call_of_work_.try_emplace(row.integer(1), row.integer(0)); });
  }

  Result<void> read_launches() {
    Result<void> done = database_.read(
        "rocpd_kernelapi",
        {"api_ptr_id", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize"},
        [&](const Row& row) {
          launches_[row.integer(0)] = {{row.integer(1), row.integer(2), row.integer(3)},
                                       {row.integer(4), row.integer(5), row.integer(6)},
                                       row.integer(7)};
        });
    if (!done) return done;
    return database_.read("rocpd_copyapi", {"api_ptr_id", "size"}, [&](const Row& row) {
      if (const auto bytes = row.whole(1)) bytes_[row.integer(0)] = *bytes;
    });
  }

  Result<void> read_operators() {
    return database_.read("ext_autogradapi", {"api_ptr_id", "autogradName_id", "seq", "sizes"}, [&](const Row& row) {
      Operator& op = operators_[row.integer(0)];
      op.name = texts_.intern(string_of(strings_, row.integer(1)));
      op.sequence = row.integer(2);
      op.sizes = texts_.intern(row.text(3));
    });
  }

  Result<void> read_work() {
    return database_.read("rocpd_op", {"start", "end", "id", "gpuId", "queueId", "description_id", "opType_id"},
                          [&](const Row& row) {
                            const std::string_view type = string_of(strings_, row.integer(6));
                            std::string_view name = string_of(strings_, row.integer(5));
                            if (name.empty()) name = type;
                            const bool is_copy = type.starts_with("Copy"), is_set = type.starts_with("Fill");
                            const std::int64_t device = row.integer(3), stream = row.integer(4);
                            sink_.slice(is_copy  ? "gpu_memcpy"
                                        : is_set ? "gpu_memset"
                                                 : "kernel",
                                        is_copy  ? rocm_copy_name(name)
                                        : is_set ? std::string("Memset (Device)")
                                                 : std::string(name),
                                        {device, stream}, row.whole(0), row.whole(1));
                            sink_.arguments();
                            sink_.argument("device", device);
                            sink_.argument("stream", stream);
                            devices_.insert(device);
                            if (const auto call = call_of_work_.find(row.integer(2)); call != call_of_work_.end())
                              add_call(call->second, is_copy || is_set);
                            sink_.argument("type", type);
                            sink_.end();
                          });
  }

  /// What the call that started some work says of it.
  void add_call(Id call, bool moves_bytes) {
    sink_.argument("correlation", call);
    if (const auto launch = launches_.find(call); launch != launches_.end() && !moves_bytes) {
      sink_.argument("grid", launch->second.grid);
      sink_.argument("block", launch->second.block);
      sink_.argument("shared memory", launch->second.shared_memory);
    }
    if (const auto bytes = bytes_.find(call); bytes != bytes_.end() && moves_bytes)
      sink_.argument("bytes", bytes->second);
  }

  Result<void> read_calls() {
    return database_.read("rocpd_api", {"start", "end", "id", "pid", "tid", "apiName_id", "args_id", "domain_id"},
                          [&](const Row& row) {
                            const SinkThread thread{row.integer(3), row.integer(4)};
                            const std::string_view function = string_of(strings_, row.integer(5));
                            const std::string_view arguments =
                                string_of(argument_strings_.empty() ? strings_ : argument_strings_, row.integer(6));
                            if (const auto op = operators_.find(row.integer(2)); op != operators_.end()) {
                              add_operator(op->second, thread, row);
                            } else if (function == kMarker || string_of(strings_, row.integer(7)) == kMarker) {
                              add_marker(arguments.empty() ? function : arguments, thread, row);
                            } else {
                              add_api_call(function, arguments, thread, row);
                            }
                          });
  }

  void add_operator(const Operator& op, SinkThread thread, const Row& row) {
    sink_.slice("cpu_op", texts_.get(op.name), thread, row.whole(0), row.whole(1));
    sink_.arguments();
    sink_.argument("Sequence number", op.sequence);
    if (const std::string_view sizes = texts_.get(op.sizes); !sizes.empty()) sink_.argument("sizes", sizes);
    sink_.end();
  }

  void add_marker(std::string_view name, SinkThread thread, const Row& row) {
    if (row.whole(0) == row.whole(1)) {
      sink_.instant("user_annotation", name, thread, row.whole(0));
    } else {
      sink_.slice("user_annotation", name, thread, row.whole(0), row.whole(1));
    }
    sink_.end();
  }

  /// Of HIP or CUDA; or what the tracer does on threads of its own, which nothing waits for.
  void add_api_call(std::string_view function, std::string_view arguments, SinkThread thread, const Row& row) {
    const bool is_call = function.starts_with("hip") || function.starts_with("cu");
    sink_.slice(is_call ? "hip_runtime" : "rpd_tracer", function, thread, row.whole(0), row.whole(1));
    sink_.arguments();
    if (is_call) sink_.argument("correlation", row.integer(2));
    if (!arguments.empty()) sink_.argument("arguments", arguments);
    sink_.end();
  }

  /// Clocks, power and the like, each value until the next.
  Result<void> read_monitors() {
    return database_.read(
        "rocpd_monitor", {"start", "end", "deviceId", "deviceType", "monitorType", "value"}, [&](const Row& row) {
          const bool is_gpu = equal_ignoring_case(row.text(3), "gpu");
          const std::string name(row.text(4)), text(row.text(5));
          sink_.counter(is_gpu ? name : fmt::format("{} {}", row.text(3), name), row.integer(2), row.whole(0));
          sink_.arguments();
          if (const auto value = parse_double(text)) {
            sink_.argument("value", *value);
          } else {
            sink_.argument("value", text);
          }
          sink_.end();
        });
  }

  Result<void> label_devices() {
    for (const std::int64_t device : devices_) sink_.label_process(device, fmt::format("GPU {}", device));
    return {};
  }

  ForeignDatabase& database_;
  TraceSink& sink_;
  StringPool texts_;
  ById<StringId> strings_, argument_strings_;
  ById<Id> call_of_work_;
  ById<Launch> launches_;  // by call
  ById<std::int64_t> bytes_;
  ById<Operator> operators_;
  std::set<std::int64_t> devices_;
};

Result<void> read_rpd(ForeignDatabase& database, const FormatInput& input, TraceSource& facts,
                      const BatchReceiver& receive) {
  auto done = database.read("rocpd_metadata", {"tag", "value"}, [&](const ForeignDatabase::Row& row) {
    if (row.text(0) == "schema_version") facts.format = fmt::format("RPD {}, SQLite", row.text(1));
  });
  if (!done) return done;
  TraceSink sink(input, facts, receive);
  database.give_up_with(sink.state());
  return RpdReader(database, sink).read();
}

}  // namespace

constinit const SqliteKind kRpdTables{.title = "RPD, SQLite",
                                      .recognises =
                                          [](const ForeignDatabase& database) {
                                            return database.has_table("rocpd_op") || database.has_table("rocpd_api");
                                          },
                                      .time_columns = {"start"},
                                      .read = read_rpd};

}  // namespace lacuna
