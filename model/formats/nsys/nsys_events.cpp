#include "model/formats/nsys/nsys_events.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"
#include "model/base/time.h"
#include "model/formats/chrome/json_text.h"
#include "model/formats/chrome/top_level.h"
#include "model/formats/nsys/nsys_database.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

using Row = NsysDatabase::Row;

/// Text as a JSON string; bytes that are no UTF-8 become U+FFFD.
void append_json(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const auto c = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    } else {
      out.append(text.substr(i, length));
    }
    i += length;
  }
  out += '"';
}

/// ns as microseconds with three digits, exactly.
void append_micros(std::int64_t ns, std::string& out) {
  const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  fmt::format_to(std::back_inserter(out), "{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

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

class Converter {
 public:
  Converter(NsysDatabase& database, std::uint64_t most_bytes) : database_(database), most_bytes_(most_bytes) {}

  Result<std::string> convert() {
    out_ = "{\"schemaVersion\":1,";
    const std::array<Result<void> (Converter::*)(), 14> steps{
        &Converter::read_strings,  &Converter::write_facts,  &Converter::read_domains, &Converter::write_names,
        &Converter::write_kernels, &Converter::write_copies, &Converter::write_sets,   &Converter::write_graphs,
        &Converter::write_calls,   &Converter::write_syncs,  &Converter::write_nvtx,   &Converter::write_os_calls,
        &Converter::write_states,  &Converter::write_devices};
    for (const auto step : steps) {
      if (auto done = (this->*step)(); !done) return tl::make_unexpected(done.error());
      if (is_full_)
        return fail(ErrorCode::kLimit, fmt::format("the export holds more than {} bytes of events", most_bytes_));
    }
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  // --- writing

  void begin_event() {
    out_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    if (out_.size() > most_bytes_) is_full_ = true;
  }
  /// `{"ph":"X","cat":C,"name":N,"pid":P,"tid":T,"ts":S,"dur":D`; args or "}" follow.
  void open_slice(std::string_view category, std::string_view name, std::int64_t pid, std::int64_t tid,
                  std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
    begin_event();
    fmt::format_to(std::back_inserter(out_), "{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":", category);
    append_json(name, out_);
    fmt::format_to(std::back_inserter(out_), ",\"pid\":{},\"tid\":{},\"ts\":", pid, tid);
    append_time(start);
    out_ += ",\"dur\":";
    std::optional<std::int64_t> duration = 0;
    if (!start || !end) {
      duration.reset();
    } else if (__builtin_sub_overflow(*end, *start, &*duration)) {
      duration = 0;
    }
    append_time(duration);
  }
  /// What is no time is none in the trace either: whoever reads that counts it.
  void append_time(std::optional<std::int64_t> ns) {
    if (ns) {
      append_micros(*ns, out_);
    } else {
      out_ += "null";
    }
  }
  void number_argument(std::string_view key, std::int64_t value) {
    fmt::format_to(std::back_inserter(out_), "{}\"{}\":{}", out_.back() == '{' ? "" : ",", key, value);
  }
  void text_argument(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), "{}\"{}\":", out_.back() == '{' ? "" : ",", key);
    append_json(value, out_);
  }
  void open_arguments() { out_ += ",\"args\":{"; }
  void close_arguments() { out_ += "}}"; }

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

  Result<void> write_facts() {
    Result<void> done = database_.read("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const Row& row) {
      if (row.integer(0) > 0 && !has_base_)
        fmt::format_to(std::back_inserter(out_), "\"baseTimeNanoseconds\":{},", row.integer(0));
      has_base_ = true;
    });
    if (!done) return done;
    out_ += "\"deviceProperties\":[";
    bool is_first_device = true;
    done = database_.read("TARGET_INFO_GPU", {"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor"},
                          [&](const Row& row) {
                            out_ += is_first_device ? "{" : ",{";
                            is_first_device = false;
                            number_argument("id", row.integer(0));
                            text_argument("name", row.text(1));
                            if (row.has(2)) number_argument("totalGlobalMem", row.integer(2));
                            if (row.has(3)) number_argument("numSms", row.integer(3));
                            if (row.has(4)) number_argument("computeMajor", row.integer(4));
                            if (row.has(5)) number_argument("computeMinor", row.integer(5));
                            out_ += '}';
                          });
    if (!done) return done;
    out_ += "],\"traceEvents\":[";
    return {};
  }

  Result<void> read_domains() {
    return database_.read(kNvtx, {"eventType", "domainId", "category", "text", "textId"}, [&](const Row& row) {
      const std::int64_t type = row.integer(0);
      if (type != kDomainName && type != kCategoryName) return;
      const std::string name(row.has(3) && !row.text(3).empty() ? row.text(3) : string_of(row.integer(4)));
      if (type == kDomainName) domains_[row.integer(1)] = name;
      if (type == kCategoryName) categories_[{row.integer(1), row.integer(2)}] = name;
    });
  }

  Result<void> write_names() {
    const auto write = [&](std::string_view what, std::int64_t pid, std::int64_t tid, std::string_view name) {
      begin_event();
      fmt::format_to(std::back_inserter(out_),
                     "{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":0,\"args\":{{\"name\":", what, pid,
                     tid);
      append_json(name, out_);
      close_arguments();
    };
    // Only of processes and threads that have something to show: a report lists all of the machine.
    std::map<std::int64_t, std::string> names;
    Result<void> done = database_.read("PROCESSES", {"globalPid", "pid", "name"}, [&](const Row& row) {
      names[nsys_pid_of(row.integer(0))] = std::string(row.text(2));
    });
    if (!done) return done;
    std::map<std::int64_t, std::map<std::int64_t, bool>> used;
    for (const std::string_view table : {kCalls, kNvtx, kOsCalls}) {
      done = database_.read(table, {"globalTid"}, [&](const Row& row) {
        if (row.has(0)) used[nsys_pid_of(row.integer(0))][tid_of(row.integer(0))] = true;
      });
      if (!done) return done;
    }
    for (const auto& [pid, threads] : used)
      if (const auto found = names.find(pid); found != names.end() && !found->second.empty())
        write("process_name", pid, 0, found->second);
    return database_.read("ThreadNames", {"nameId", "globalTid"}, [&](const Row& row) {
      const std::int64_t pid = nsys_pid_of(row.integer(1)), tid = tid_of(row.integer(1));
      const auto process = used.find(pid);
      if (process != used.end() && process->second.contains(tid))
        write("thread_name", pid, tid, string_of(row.integer(0)));
    });
  }

  Result<void> write_kernels() {
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
      open_slice("kernel", name, row.integer(2), row.integer(3), row.whole(0), row.whole(1));
      open_arguments();
      activity_arguments(row, 2, 3, 4, 5);
      for (const auto& [key, at] : {std::pair<std::string_view, std::size_t>{"grid", 8}, {"block", 11}})
        fmt::format_to(std::back_inserter(out_), ",\"{}\":[{},{},{}]", key, row.integer(at), row.integer(at + 1),
                       row.integer(at + 2));
      number_argument("registers per thread", row.integer(14));
      number_argument("shared memory", saturating_add(row.integer(15), row.integer(16) & 0xffffffffffff));
      number_argument("context", row.integer(19));
      if (row.has(17)) number_argument("graph id", row.integer(17));
      if (row.has(18)) number_argument("graph node id", row.integer(18));
      if (row.has(7) && string_of(row.integer(7)) != name) text_argument("demangled", string_of(row.integer(7)));
      close_arguments();
    });
  }

  void activity_arguments(const Row& row, std::size_t device, std::size_t stream, std::size_t number,
                          std::size_t process) {
    number_argument("device", row.integer(device));
    number_argument("stream", row.integer(stream));
    if (row.has(number))
      number_argument("correlation", correlation(row.integer(number), nsys_pid_of(row.integer(process))));
    if (row.has(process)) gpu_processes_[row.integer(device)] = nsys_pid_of(row.integer(process));
  }

  Result<void> write_copies() {
    std::map<std::int64_t, std::string> labels;
    Result<void> done = database_.read("ENUM_CUDA_MEMCPY_OPER", {"id", "label"},
                                       [&](const Row& row) { labels[row.integer(0)] = std::string(row.text(1)); });
    if (!done) return done;
    return database_.read(kCopies,
                          {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "copyKind",
                           "srcKind", "dstKind", "graphNodeId"},
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
                            open_slice("gpu_memcpy", name, row.integer(2), row.integer(3), row.whole(0), row.whole(1));
                            open_arguments();
                            activity_arguments(row, 2, 3, 4, 5);
                            number_argument("bytes", row.integer(6));
                            number_argument("copy kind", kind);
                            if (row.has(10)) number_argument("graph node id", row.integer(10));
                            close_arguments();
                          });
  }

  Result<void> write_sets() {
    return database_.read(
        kSets, {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "value", "graphNodeId"},
        [&](const Row& row) {
          open_slice("gpu_memset", "Memset (Device)", row.integer(2), row.integer(3), row.whole(0), row.whole(1));
          open_arguments();
          activity_arguments(row, 2, 3, 4, 5);
          number_argument("bytes", row.integer(6));
          number_argument("value", row.integer(7));
          if (row.has(8)) number_argument("graph node id", row.integer(8));
          close_arguments();
        });
  }

  /// Whole graphs, where their nodes were not traced one by one.
  Result<void> write_graphs() {
    return database_.read(kGraphs, {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphId"},
                          [&](const Row& row) {
                            open_slice("kernel", fmt::format("CUDA graph {}", row.integer(6)), row.integer(2),
                                       row.integer(3), row.whole(0), row.whole(1));
                            open_arguments();
                            activity_arguments(row, 2, 3, 4, 5);
                            number_argument("graph id", row.integer(6));
                            close_arguments();
                          });
  }

  Result<void> write_calls() {
    return database_.read(kCalls, {"start", "end", "globalTid", "correlationId", "nameId", "returnValue"},
                          [&](const Row& row) {
                            const std::string_view name = string_of(row.integer(4));
                            const bool is_driver = name.starts_with("cu") && !name.starts_with("cuda");
                            const std::int64_t pid = nsys_pid_of(row.integer(2));
                            open_slice(is_driver ? "cuda_driver" : "cuda_runtime", name, pid, tid_of(row.integer(2)),
                                       row.whole(0), row.whole(1));
                            open_arguments();
                            number_argument("correlation", correlation(row.integer(3), pid));
                            if (row.integer(5) != 0) number_argument("return value", row.integer(5));
                            close_arguments();
                          });
  }

  Result<void> write_syncs() {
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
          open_slice("cuda_sync", name, row.integer(2), stream, row.whole(0), row.whole(1));
          open_arguments();
          number_argument("device", row.integer(2));
          number_argument("stream", stream);
          if (row.has(4)) number_argument("correlation", correlation(row.integer(4), nsys_pid_of(row.integer(5))));
          if (row.has(7)) number_argument("event id", row.integer(7));
          close_arguments();
        });
  }

  Result<void> write_nvtx() {
    const std::vector<std::string_view> columns{
        "start",       "end",        "eventType", "rangeId",     "category",    "color",       "text",
        "globalTid",   "textId",     "domainId",  "uint64Value", "int64Value",  "uint32Value", "int32Value",
        "doubleValue", "floatValue", "jsonText",  "jsonTextId",  "endGlobalTid"};
    return database_.read(kNvtx, columns, [&](const Row& row) {
      const std::int64_t type = row.integer(2);
      const bool is_mark = type == kMark;
      if (type != kPushPop && type != kStartEnd && !is_mark) return;
      const std::string_view text = row.has(6) && !row.text(6).empty() ? row.text(6) : string_of(row.integer(8));
      const std::int64_t pid = nsys_pid_of(row.integer(7)), tid = tid_of(row.integer(7));
      const auto emitted = type == kPushPop ? emitted_operator(text) : std::nullopt;
      const std::string_view name = emitted ? emitted->name : text;
      const std::string_view category = emitted ? "cpu_op" : "user_annotation";
      const auto arguments = [&] { nvtx_arguments(row, emitted ? emitted->facts : std::string_view{}); };
      if (type == kPushPop && row.has(1)) {
        open_slice(category, name, pid, tid, row.whole(0), row.whole(1));
        arguments();
        return;
      }
      const auto open = [&](std::string_view phase, std::int64_t thread, std::optional<std::int64_t> at) {
        begin_event();
        fmt::format_to(std::back_inserter(out_), "{{\"ph\":\"{}\",\"cat\":\"{}\",\"name\":", phase, category);
        append_json(name, out_);
        fmt::format_to(std::back_inserter(out_), ",\"pid\":{},\"tid\":{},\"ts\":", pid, thread);
        append_time(at);
      };
      if (is_mark) {
        open("i", tid, row.whole(0));
        out_ += ",\"s\":\"t\"";
        arguments();
      } else if (type == kPushPop) {
        open("B", tid, row.whole(0));  // still open when the recording ended
        arguments();
      } else {
        const auto identify = [&] { fmt::format_to(std::back_inserter(out_), ",\"id\":\"nvtx {}\"", ranges_); };
        open("b", tid, row.whole(0));
        identify();
        arguments();
        if (row.has(1)) {
          open("e", row.has(18) ? tid_of(row.integer(18)) : tid, row.whole(1));
          identify();
          out_ += '}';
        }
        ++ranges_;
      }
    });
  }

  void nvtx_arguments(const Row& row, std::string_view facts) {
    open_arguments();
    if (row.integer(9) != 0) {
      const auto domain = domains_.find(row.integer(9));
      text_argument("domain", domain == domains_.end() ? fmt::format("{}", row.integer(9)) : domain->second);
    }
    if (row.integer(4) != 0) {
      const auto category = categories_.find({row.integer(9), row.integer(4)});
      text_argument("category", category == categories_.end() ? fmt::format("{}", row.integer(4)) : category->second);
    }
    if (row.has(5)) text_argument("color", fmt::format("#{:08x}", row.integer(5) & 0xffffffff));
    for (std::size_t i = 10; i < 14; ++i)
      if (row.has(i)) number_argument("payload", row.integer(i));
    for (std::size_t i = 14; i < 16; ++i)
      if (row.has(i)) text_argument("payload", fmt::format("{}", row.real(i)));
    if (row.has(16)) {
      text_argument("payload", row.text(16));
    } else if (row.has(17)) {
      text_argument("payload", string_of(row.integer(17)));
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
        text_argument(key == "seq" ? "Sequence number" : key, value);
      if (end == std::string_view::npos) break;
      facts.remove_prefix(end + 2);
    }
    close_arguments();
  }

  Result<void> write_os_calls() {
    return database_.read(kOsCalls, {"start", "end", "globalTid", "nameId", "returnValue"}, [&](const Row& row) {
      open_slice("os_runtime", string_of(row.integer(3)), nsys_pid_of(row.integer(2)), tid_of(row.integer(2)),
                 row.whole(0), row.whole(1));
      out_ += '}';
    });
  }

  /// When threads ran: between their being put on a core and taken off it.
  Result<void> write_states() {
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
        open_slice("thread_state", all[i].is_in ? "running" : "waiting", nsys_pid_of(global),
                   kStatesOfThread + tid_of(global), all[i].time, all[i + 1].time);
        open_arguments();
        if (all[i].is_in) number_argument("cpu", all[i].cpu);
        close_arguments();
      }
    }
    return {};
  }

  /// GPUs are processes of their own, as in Kineto's traces.
  Result<void> write_devices() {
    for (const auto& [device, pid] : gpu_processes_) {
      begin_event();
      fmt::format_to(std::back_inserter(out_),
                     "{{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":{},\"tid\":0,\"ts\":0,\"args\":{{\"labels\":"
                     "\"GPU {}\"}}}}",
                     device, device);
    }
    return {};
  }

  static constexpr std::int64_t kCategoryName = 33, kMark = 34, kPushPop = 59, kStartEnd = 60, kDomainName = 75;

  NsysDatabase& database_;
  const std::uint64_t most_bytes_;
  std::string out_;
  bool is_first_ = true;
  bool is_full_ = false;
  bool has_base_ = false;
  std::unordered_map<std::int64_t, std::string, SeededHash> strings_;
  std::map<std::int64_t, std::string> domains_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> categories_;
  std::unordered_map<std::int64_t, std::size_t, SeededHash> processes_;
  std::map<std::int64_t, std::int64_t> gpu_processes_;
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

Result<void> read_export(const FormatInput& input, TraceSource& facts, const BatchReceiver& sink) {
  auto exported = read_nsys_export(input.path, input.options.max_json_bytes,
                                   input.progress == nullptr ? nullptr : &input.progress->cancel);
  if (!exported) return tl::make_unexpected(exported.error());
  facts.format = "Nsight Systems " + exported->version + (exported->version.empty() ? "" : ", ") + "SQLite";
  facts.report.add(Finding::kEventUnreadable, ImportReport::kNoOffset, exported->damage, exported->damaged_tables);
  const auto text = make_memory_bytes(std::move(exported->json));
  facts.bytes = text;
  return read_trace(*text, input.options, input.progress, facts, sink);
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

constinit const Format kNsysFormat{
    .title = "Nsight Systems, SQLite",
    .endings = {".sqlite"},
    .may_be_compressed = false,
    .recognises = [](std::string_view head,
                     bool is_plain) { return is_plain && head.starts_with(std::string_view("SQLite format 3\0", 16)); },
    .text = Format::Text::kMade,
    .read = read_export};

Result<NsysExport> read_nsys_export(const std::string& path, std::uint64_t most_bytes,
                                    const std::atomic<bool>* cancel) {
  try {
    auto database = NsysDatabase::open(path, cancel);
    if (!database) return tl::make_unexpected(database.error());
    if (std::ranges::none_of(kTables, [&](std::string_view table) { return (*database)->has_table(table); }))
      return fail(ErrorCode::kNotATrace,
                  "an SQLite database, but no export of Nsight Systems: it has none of its tables", path, 0);
    NsysExport result;
    if (auto done = (*database)->read("META_DATA_EXPORT", {"name", "value"},
                                      [&](const Row& row) {
                                        if (row.text(0) == "EXPORT_PRODUCT_VERSION")
                                          result.version = std::string(row.text(1));
                                      });
        !done)
      return tl::make_unexpected(done.error());
    auto json = Converter(**database, most_bytes).convert();
    if (!json) {
      Error error = json.error();
      error.file = path;
      return tl::make_unexpected(std::move(error));
    }
    result.json = std::move(*json);
    result.damaged_tables = (*database)->damaged_tables();
    result.damage = (*database)->damage();
    return result;
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to read the export", path);
  }
}

}  // namespace lacuna
