#include "model/formats/nsys/nsys_events.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"
#include "model/base/time.h"
#include "model/formats/format.h"
#include "model/formats/sqlite/foreign_database.h"
#include "model/formats/sqlite/sqlite_format.h"
#include "model/formats/trace_sink.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

using Row = ForeignDatabase::Row;

/// Bits of globalTid and globalPid: host and VM above 48, pid from 24 on, tid below.
constexpr std::int64_t kThreadBits = 0xffffff;
std::int64_t nsys_pid_of(std::int64_t global) {
  return (global >> 24) & kThreadBits;
}
std::int64_t tid_of(std::int64_t global) {
  return global & kThreadBits;
}

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kSyncs = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr std::string_view kNvtx = "NVTX_EVENTS";
constexpr std::string_view kNvtxV2 = "NVTX_EVENTS_V2";  // with the same columns
constexpr std::string_view kOsCalls = "OSRT_API";
constexpr std::string_view kScheduling = "SCHED_EVENTS";
constexpr std::array<std::string_view, 9> kTables{kKernels, kCopies, kSets,    kCalls,     kGraphs,
                                                  kSyncs,   kNvtx,   kOsCalls, kScheduling};

/// An operator as torch.autograd.profiler.emit_nvtx names it: "aten::add, seq = 3, sizes = [[2]], op_id = 7".
struct EmittedOperator {
  std::string_view name;
  std::string_view facts;
};
std::optional<EmittedOperator> emitted_operator(std::string_view text) {
  for (const std::string_view mark : {", seq = ", ", op_id = ", ", sizes = "}) {
    const auto at = text.find(mark);
    if (at != std::string_view::npos && at > 0) {
      const auto first = std::min({at, text.find(", seq = "), text.find(", op_id = ")});
      return EmittedOperator{text.substr(0, first), text.substr(first + 2)};
    }
  }
  return {};
}

class ExportReader {
 public:
  ExportReader(ForeignDatabase& database, TraceSink& sink) : database_(database), sink_(sink) {}

  Result<void> read() {
    const std::array<Result<void> (ExportReader::*)(), 14> steps{
        &ExportReader::read_strings, &ExportReader::read_facts,   &ExportReader::read_domains,
        &ExportReader::read_names,   &ExportReader::read_kernels, &ExportReader::read_copies,
        &ExportReader::read_sets,    &ExportReader::read_graphs,  &ExportReader::read_calls,
        &ExportReader::read_syncs,   &ExportReader::read_nvtx,    &ExportReader::read_os_calls,
        &ExportReader::read_states,  &ExportReader::read_devices};
    for (const auto step : steps) {
      if (auto done = (this->*step)(); !done) return done;
      if (!sink_.state()) return sink_.state();
    }
    return sink_.finish();
  }

 private:
  /// Correlations repeat between processes: each but the first gets numbers of its own.
  std::int64_t correlation(std::int64_t number, std::int64_t pid) {
    const auto index = static_cast<std::int64_t>(processes_.try_emplace(pid, processes_.size()).first->second);
    return (number & 0xffffffff) | (index & 0x7fffffff) << 32;
  }

  std::string_view string_of(std::int64_t id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? std::string_view("?") : std::string_view(found->second);
  }

  // --- tables

  Result<void> read_strings() {
    return database_.read("StringIds", {"id", "value"},
                          [&](const Row& row) { strings_[row.integer(0)] = std::string(row.text(1)); });
  }

  Result<void> read_facts() {
    bool has_base = false;
    Result<void> done = database_.read("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const Row& row) {
      if (row.integer(0) > 0 && !std::exchange(has_base, true)) sink_.base_time(row.integer(0));
    });
    if (!done) return done;
    return database_.read("TARGET_INFO_GPU", {"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor"},
                          [&](const Row& row) {
                            DeviceProperties device;
                            device.id = fmt::to_string(row.integer(0));
                            device.name = row.text(1);
                            device.total_memory_bytes = static_cast<std::uint64_t>(row.integer(2));
                            device.multiprocessors = static_cast<std::uint32_t>(row.integer(3));
                            device.compute_major = static_cast<std::uint32_t>(row.integer(4));
                            device.compute_minor = static_cast<std::uint32_t>(row.integer(5));
                            sink_.device(device);
                          });
  }

  Result<void> read_domains() {
    return database_.read(nvtx_, {"eventType", "domainId", "category", "text", "textId"}, [&](const Row& row) {
      const std::int64_t type = row.integer(0);
      if (type != kDomainName && type != kCategoryName) return;
      const std::string name(row.has(3) && !row.text(3).empty() ? row.text(3) : string_of(row.integer(4)));
      if (type == kDomainName) domains_[row.integer(1)] = name;
      if (type == kCategoryName) categories_[{row.integer(1), row.integer(2)}] = name;
    });
  }

  Result<void> read_names() {
    // Only of processes and threads that have something to show: a report lists all of the machine.
    std::map<std::int64_t, std::string> names;
    Result<void> done = database_.read("PROCESSES", {"globalPid", "pid", "name"}, [&](const Row& row) {
      names[nsys_pid_of(row.integer(0))] = std::string(row.text(2));
    });
    if (!done) return done;
    std::map<std::int64_t, std::map<std::int64_t, bool>> used;
    for (const std::string_view table : {kCalls, nvtx_, kOsCalls}) {
      done = database_.read(table, {"globalTid"}, [&](const Row& row) {
        if (row.has(0)) used[nsys_pid_of(row.integer(0))][tid_of(row.integer(0))] = true;
      });
      if (!done) return done;
    }
    for (const auto& [pid, threads] : used)
      if (const auto found = names.find(pid); found != names.end() && !found->second.empty())
        sink_.name_process(pid, found->second);
    return database_.read("ThreadNames", {"nameId", "globalTid"}, [&](const Row& row) {
      const std::int64_t pid = nsys_pid_of(row.integer(1)), tid = tid_of(row.integer(1));
      const auto process = used.find(pid);
      if (process != used.end() && process->second.contains(tid))
        sink_.name_thread({pid, tid}, string_of(row.integer(0)));
    });
  }

  Result<void> read_kernels() {
    const std::vector<std::string_view> columns{"start",
                                                "end",
                                                "deviceId",
                                                "streamId",
                                                "correlationId",
                                                "globalPid",
                                                "shortName",
                                                "demangledName",
                                                "gridX",
                                                "gridY",
                                                "gridZ",
                                                "blockX",
                                                "blockY",
                                                "blockZ",
                                                "registersPerThread",
                                                "staticSharedMemory",
                                                "dynamicSharedMemory",
                                                "graphId",
                                                "graphNodeId",
                                                "contextId"};
    return database_.read(kKernels, columns, [&](const Row& row) {
      const std::string_view name = string_of(row.has(6) ? row.integer(6) : row.integer(7));
      sink_.slice("kernel", name, {row.integer(2), row.integer(3)}, row.whole(0), row.whole(1));
      sink_.arguments();
      activity_arguments(row, 2, 3, 4, 5);
      for (const auto& [key, at] : {std::pair<std::string_view, std::size_t>{"grid", 8}, {"block", 11}})
        sink_.argument(key, std::array{row.integer(at), row.integer(at + 1), row.integer(at + 2)});
      sink_.argument("registers per thread", row.integer(14));
      sink_.argument("shared memory", saturating_add(row.integer(15), row.integer(16) & 0xffffffffffff));
      sink_.argument("context", row.integer(19));
      if (row.has(17)) sink_.argument("graph id", row.integer(17));
      if (row.has(18)) sink_.argument("graph node id", row.integer(18));
      if (row.has(7) && string_of(row.integer(7)) != name) sink_.argument("demangled", string_of(row.integer(7)));
      sink_.end();
    });
  }

  void activity_arguments(const Row& row, std::size_t device, std::size_t stream, std::size_t number,
                          std::size_t process) {
    sink_.argument("device", row.integer(device));
    sink_.argument("stream", row.integer(stream));
    if (row.has(number))
      sink_.argument("correlation", correlation(row.integer(number), nsys_pid_of(row.integer(process))));
    if (row.has(process)) gpus_.insert(row.integer(device));
  }

  Result<void> read_copies() {
    std::map<std::int64_t, std::string> labels;
    Result<void> done = database_.read("ENUM_CUDA_MEMCPY_OPER", {"id", "label"},
                                       [&](const Row& row) { labels[row.integer(0)] = std::string(row.text(1)); });
    if (!done) return done;
    return database_.read(
        kCopies,
        {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "copyKind", "srcKind",
         "dstKind", "graphNodeId"},
        [&](const Row& row) {
          const std::int64_t kind = row.integer(7);
          std::string name = "Memcpy ";
          switch (kind) {
            case 1:
              name += "HtoD";
              break;
            case 2:
              name += "DtoH";
              break;
            case 8:
              name += "DtoD";
              break;
            case 9:
              name += "HtoH";
              break;
            case 10:
              name += "PtoP";
              break;
            default: {
              const auto label = labels.find(kind);
              name += label == labels.end() ? fmt::format("kind {}", kind) : label->second;
              break;
            }
          }
          sink_.slice("gpu_memcpy", name, {row.integer(2), row.integer(3)}, row.whole(0), row.whole(1));
          sink_.arguments();
          activity_arguments(row, 2, 3, 4, 5);
          sink_.argument("bytes", row.integer(6));
          sink_.argument("copy kind", kind);
          if (row.has(10)) sink_.argument("graph node id", row.integer(10));
          sink_.end();
        });
  }

  Result<void> read_sets() {
    return database_.read(
        kSets, {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "value", "graphNodeId"},
        [&](const Row& row) {
          sink_.slice("gpu_memset", "Memset (Device)", {row.integer(2), row.integer(3)}, row.whole(0), row.whole(1));
          sink_.arguments();
          activity_arguments(row, 2, 3, 4, 5);
          sink_.argument("bytes", row.integer(6));
          sink_.argument("value", row.integer(7));
          if (row.has(8)) sink_.argument("graph node id", row.integer(8));
          sink_.end();
        });
  }

  /// Whole graphs, where their nodes were not traced one by one.
  Result<void> read_graphs() {
    return database_.read(kGraphs, {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphId"},
                          [&](const Row& row) {
                            sink_.slice("kernel", fmt::format("CUDA graph {}", row.integer(6)),
                                        {row.integer(2), row.integer(3)}, row.whole(0), row.whole(1));
                            sink_.arguments();
                            activity_arguments(row, 2, 3, 4, 5);
                            sink_.argument("graph id", row.integer(6));
                            sink_.end();
                          });
  }

  Result<void> read_calls() {
    return database_.read(kCalls, {"start", "end", "globalTid", "correlationId", "nameId", "returnValue"},
                          [&](const Row& row) {
                            const std::string_view name = string_of(row.integer(4));
                            const bool is_driver = name.starts_with("cu") && !name.starts_with("cuda");
                            const std::int64_t pid = nsys_pid_of(row.integer(2));
                            sink_.slice(is_driver ? "cuda_driver" : "cuda_runtime", name, {pid, tid_of(row.integer(2))},
                                        row.whole(0), row.whole(1));
                            sink_.arguments();
                            sink_.argument("correlation", correlation(row.integer(3), pid));
                            if (row.integer(5) != 0) sink_.argument("return value", row.integer(5));
                            sink_.end();
                          });
  }

  Result<void> read_syncs() {
    return database_.read(
        kSyncs, {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "syncType", "eventId"},
        [&](const Row& row) {
          constexpr std::array<std::string_view, 5> kNames{"Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
                                                           "Context Sync"};
          const std::int64_t type = row.integer(6);
          const std::string_view name = type >= 0 && type < static_cast<std::int64_t>(kNames.size())
                                            ? kNames[static_cast<std::size_t>(type)]
                                            : kNames[0];
          // The stream of all streams has the largest number there is.
          const std::int64_t stream = row.integer(3) < 0 || row.integer(3) > 0x7fffffff ? -1 : row.integer(3);
          sink_.slice("cuda_sync", name, {row.integer(2), stream}, row.whole(0), row.whole(1));
          sink_.arguments();
          sink_.argument("device", row.integer(2));
          sink_.argument("stream", stream);
          if (row.has(4)) sink_.argument("correlation", correlation(row.integer(4), nsys_pid_of(row.integer(5))));
          if (row.has(7)) sink_.argument("event id", row.integer(7));
          sink_.end();
        });
  }

  Result<void> read_nvtx() {
    const std::vector<std::string_view> columns{
        "start",       "end",        "eventType", "rangeId",     "category",    "color",       "text",
        "globalTid",   "textId",     "domainId",  "uint64Value", "int64Value",  "uint32Value", "int32Value",
        "doubleValue", "floatValue", "jsonText",  "jsonTextId",  "endGlobalTid"};
    return database_.read(nvtx_, columns, [&](const Row& row) {
      const std::int64_t type = row.integer(2);
      const bool is_mark = type == kMark;
      if (type != kPushPop && type != kStartEnd && !is_mark) return;
      const std::string_view text = row.has(6) && !row.text(6).empty() ? row.text(6) : string_of(row.integer(8));
      const SinkThread thread{nsys_pid_of(row.integer(7)), tid_of(row.integer(7))};
      const auto emitted = type == kPushPop ? emitted_operator(text) : std::nullopt;
      const std::string_view name = emitted ? emitted->name : text;
      const std::string_view category = emitted ? "cpu_op" : "user_annotation";
      const auto arguments = [&] { nvtx_arguments(row, emitted ? emitted->facts : std::string_view{}); };
      if (type == kPushPop && row.has(1)) {
        sink_.slice(category, name, thread, row.whole(0), row.whole(1));
        arguments();
        return;
      }
      if (is_mark) {
        sink_.instant(category, name, thread, row.whole(0));
        arguments();
      } else if (type == kPushPop) {
        sink_.open_slice(category, name, thread, row.whole(0));  // still open when the recording ended
        arguments();
      } else {
        const std::string id = fmt::format("nvtx {}", ranges_++);
        sink_.async(true, category, name, thread, row.whole(0), id);
        arguments();
        if (!row.has(1)) return;
        const SinkThread last{thread.pid, row.has(18) ? tid_of(row.integer(18)) : thread.tid};
        sink_.async(false, category, name, last, row.whole(1), id);
        sink_.end();
      }
    });
  }

  void nvtx_arguments(const Row& row, std::string_view facts) {
    sink_.arguments();
    if (row.integer(9) != 0) {
      const auto domain = domains_.find(row.integer(9));
      sink_.argument("domain", domain == domains_.end() ? fmt::format("{}", row.integer(9)) : domain->second);
    }
    if (row.integer(4) != 0) {
      const auto category = categories_.find({row.integer(9), row.integer(4)});
      sink_.argument("category", category == categories_.end() ? fmt::format("{}", row.integer(4)) : category->second);
    }
    if (row.has(5)) sink_.argument("color", fmt::format("#{:08x}", row.integer(5) & 0xffffffff));
    for (std::size_t i = 10; i < 14; ++i)
      if (row.has(i)) sink_.argument("payload", row.integer(i));
    for (std::size_t i = 14; i < 16; ++i)
      if (row.has(i)) sink_.argument("payload", fmt::format("{}", row.real(i)));
    if (row.has(16)) {
      sink_.argument("payload", row.text(16));
    } else if (row.has(17)) {
      sink_.argument("payload", string_of(row.integer(17)));
    }
    // "seq = 3, op_id = 7"
    while (!facts.empty()) {
      const auto equals = facts.find(" = ");
      if (equals == std::string_view::npos) break;
      auto end = facts.find(", ", equals);
      // Sizes are lists with commas of their own.
      while (end != std::string_view::npos && facts.find(" = ", end) == std::string_view::npos)
        end = facts.find(", ", end + 1);
      while (end != std::string_view::npos) {
        const auto next = facts.find(", ", end + 2);
        const auto next_equals = facts.find(" = ", end + 2);
        if (next == std::string_view::npos || next_equals < next) break;
        end = next;
      }
      const std::string_view key = facts.substr(0, equals);
      const std::string_view value = facts.substr(equals + 3, end == std::string_view::npos ? end : end - equals - 3);
      if (key == "op_id" || key == "seq" || key == "sizes")
        sink_.argument(key == "seq" ? "Sequence number" : key, value);
      if (end == std::string_view::npos) break;
      facts.remove_prefix(end + 2);
    }
    sink_.end();
  }

  Result<void> read_os_calls() {
    return database_.read(kOsCalls, {"start", "end", "globalTid", "nameId", "returnValue"}, [&](const Row& row) {
      sink_.slice("os_runtime", string_of(row.integer(3)), {nsys_pid_of(row.integer(2)), tid_of(row.integer(2))},
                  row.whole(0), row.whole(1));
      sink_.end();
    });
  }

  /// When threads ran: between their being put on a core and taken off it.
  Result<void> read_states() {
    struct Switch {
      std::int64_t time;
      std::int64_t cpu;
      bool is_in;
    };
    std::map<std::int64_t, std::vector<Switch>> switches;
    Result<void> done = database_.read(kScheduling, {"start", "cpu", "isSchedIn", "globalTid"}, [&](const Row& row) {
      if (row.has(3) && row.has(2))
        switches[row.integer(3)].push_back({row.integer(0), row.integer(1), row.integer(2) != 0});
    });
    if (!done) return done;
    for (auto& [global, all] : switches) {
      std::ranges::stable_sort(all, {}, &Switch::time);
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (all[i + 1].time <= all[i].time || all[i].is_in == all[i + 1].is_in) continue;
        constexpr std::int64_t kStatesOfThread = 1'000'000'000;  // sampled_tracks.h
        sink_.slice("thread_state", all[i].is_in ? "running" : "waiting",
                    {nsys_pid_of(global), kStatesOfThread + tid_of(global)}, all[i].time, all[i + 1].time);
        sink_.arguments();
        if (all[i].is_in) sink_.argument("cpu", all[i].cpu);
        sink_.end();
      }
    }
    return {};
  }

  /// GPUs are processes of their own, as in Kineto's traces.
  Result<void> read_devices() {
    for (const std::int64_t device : gpus_) sink_.label_process(device, fmt::format("GPU {}", device));
    return {};
  }

  static constexpr std::int64_t kCategoryName = 33, kMark = 34, kPushPop = 59, kStartEnd = 60, kDomainName = 75;

  ForeignDatabase& database_;
  TraceSink& sink_;
  const std::string_view nvtx_ = database_.has_table(kNvtx) ? kNvtx : kNvtxV2;
  std::unordered_map<std::int64_t, std::string, SeededHash> strings_;
  std::map<std::int64_t, std::string> domains_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> categories_;
  std::unordered_map<std::int64_t, std::size_t, SeededHash> processes_;
  std::set<std::int64_t> gpus_;
  std::uint64_t ranges_ = 0;
};

Result<void> refuse_report(const FormatInput& input, TraceSource&, const BatchReceiver&) {
  std::string out = std::filesystem::path(input.path).replace_extension(".sqlite").string();
  return fail(ErrorCode::kNotATrace,
              fmt::format("a report of Nsight Systems, which only its own program can read: nsys export --type sqlite "
                          "-o '{}' '{}', then open that",
                          out, input.path),
              input.path);
}

Result<void> read_export(ForeignDatabase& tables, const FormatInput& input, TraceSource& facts,
                         const BatchReceiver& receive) {
  if (tables.has_table("StringTable") && !tables.has_table("StringIds"))
    return fail(ErrorCode::kNotATrace,
                "an export of nvprof, the profiler before Nsight Systems, which is not read: record with nsys profile "
                "and export with nsys export --type sqlite",
                input.path, 0);
  auto done = tables.read("META_DATA_EXPORT", {"name", "value"}, [&](const Row& row) {
    if (row.text(0) == "EXPORT_PRODUCT_VERSION" && !row.text(1).empty())
      facts.format = fmt::format("Nsight Systems {}, SQLite", row.text(1));
  });
  if (!done) return done;
  TraceSink sink(input, facts, receive);
  tables.give_up_with(sink.state());
  return ExportReader(tables, sink).read();
}

}  // namespace

constinit const Format kNsysReportFormat{
    .title = "report of Nsight Systems",
    .endings = {},
    .recognises =
        [](std::string_view head, bool is_plain) {
          return is_plain && head.substr(0, 64).find("NVIDIA Tegra Profiler Report") != std::string_view::npos;
        },
    .read = refuse_report};

constinit const SqliteKind kNsysTables{
    .title = "Nsight Systems, SQLite",
    .recognises =
        [](const ForeignDatabase& database) {
          return std::ranges::any_of(kTables, [&](std::string_view table) { return database.has_table(table); });
        },
    .time_columns = {"start"},
    .read = read_export};

}  // namespace lacuna
