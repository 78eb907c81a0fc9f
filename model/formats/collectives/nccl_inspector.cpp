#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/formats/collectives/collective_formats.h"
#include "model/formats/json_cursor.h"
#include "model/formats/trace_sink.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// One line.
struct InspectedCollective {
  std::string communicator, host, name, timing;
  std::int64_t rank = -1, ranks = 0, pid = 0;
  std::int64_t number = -1, bytes = -1;
  std::int64_t written_us = 0, took_us = -1;
  std::int64_t began_us = kNever, ended_us = -kNever;  // what its kernels did; else the call
  std::int64_t called_us = -1;
  double bus_gbs = -1;
  std::int64_t peer = -1;  // of a point-to-point operation
  bool is_collective = false, is_between_two = false;
};

class InspectorReader {
 public:
  InspectorReader(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive)
      : input_(input), facts_(facts), sink_(input, facts, receive) {}

  Result<void> read() {
    sink_.base_time(0);
    JsonCursor cursor(input_.bytes);
    while (cursor.kind() == '{' && sink_.state()) {
      if (input_.progress != nullptr && input_.progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
      const std::uint64_t at = cursor.offset();
      InspectedCollective line;
      read_line(cursor, line);
      if (cursor.is_broken()) {
        facts_.report.add(Finding::kUnterminated, at);
        break;
      }
      add(line, at);
    }
    if (!sink_.state()) return sink_.state();
    if (const auto error = input_.bytes.ending().error) return tl::make_unexpected(*error);
    if (!cursor.is_broken() && cursor.offset() < input_.bytes.size())
      facts_.report.add(Finding::kTrailingGarbage, cursor.offset(), {}, input_.bytes.size() - cursor.offset());
    if (streams_.empty())
      return fail(ErrorCode::kNotATrace, "lines of NCCL's inspector without an operation", input_.path, 0);
    // Ranks are those of communicators; the largest one has all that there are, as far as this file tells.
    if (rank_ >= 0) facts_.rank = rank_;
    if (world_ > 0) facts_.world_size = world_;
    if (!host_.empty()) facts_.metadata.emplace_back("hostname", fmt::format("\"{}\"", host_));
    return sink_.finish();
  }

 private:
  static void read_line(JsonCursor& cursor, InspectedCollective& line) {
    std::string key;
    while (cursor.next_member(key)) {
      if (cursor.kind() != '{') {
        cursor.skip();
      } else if (key == "header") {
        while (cursor.next_member(key)) {
          if (key == "id")
            line.communicator = cursor.number_text();
          else if (key == "rank")
            line.rank = cursor.integer().value_or(-1);
          else if (key == "n_ranks")
            line.ranks = cursor.integer().value_or(0);
          else
            cursor.skip();
        }
      } else if (key == "metadata") {
        while (cursor.next_member(key)) {
          if (key == "dump_timestamp_us")
            line.written_us = cursor.integer().value_or(0);
          else if (key == "hostname")
            line.host = cursor.text();
          else if (key == "pid")
            line.pid = cursor.integer().value_or(0);
          else
            cursor.skip();
        }
      } else if (key == "coll_perf") {
        line.is_collective = true;
        read_operation(cursor, "coll", line);
      } else if (key == "p2p_perf") {
        line.is_between_two = true;
        read_operation(cursor, "p2p", line);
      } else {
        cursor.skip();
      }
    }
  }

  /// The keys of both kinds begin with what they are.
  static void read_operation(JsonCursor& cursor, std::string_view kind, InspectedCollective& line) {
    std::string key;
    while (cursor.next_member(key)) {
      const bool is_own = key.starts_with(kind);
      const std::string_view what = std::string_view(key).substr(is_own ? kind.size() : 0);
      if (is_own && what.empty())
        line.name = cursor.text();
      else if (what == "_sn")
        line.number = cursor.integer().value_or(-1);
      else if (what == "_peer")
        line.peer = cursor.integer().value_or(-1);
      else if (what == "_msg_size_bytes")
        line.bytes = cursor.integer().value_or(-1);
      else if (what == "_exec_time_us")
        line.took_us = cursor.integer().value_or(-1);
      else if (what == "_timing_source")
        line.timing = cursor.text();
      else if (what == "_busbw_gbs")
        line.bus_gbs = cursor.number().value_or(-1);
      else if (key == "event_trace_ts" && cursor.kind() == '{')
        read_times(cursor, line);
      else
        cursor.skip();
    }
  }

  static void read_times(JsonCursor& cursor, InspectedCollective& line) {
    std::string key;
    while (cursor.next_member(key)) {
      if (key == "coll_start_ts" || key == "p2p_start_ts") {
        line.called_us = cursor.integer().value_or(-1);
      } else if (key == "kernel_events" && cursor.kind() == '[') {
        while (cursor.next_entry()) {
          if (!cursor.begins('{')) continue;
          while (cursor.next_member(key)) {
            const auto time = cursor.integer();
            if (time && *time > 0 && key == "kernel_start_ts") line.began_us = std::min(line.began_us, *time);
            if (time && *time > 0 && key == "kernel_stop_ts") line.ended_us = std::max(line.ended_us, *time);
          }
        }
      } else {
        cursor.skip();
      }
    }
  }

  void add(const InspectedCollective& line, std::uint64_t at) {
    if (!line.is_collective && !line.is_between_two)
      return facts_.report.add(Finding::kTableNotRead, at, "lines without coll_perf or p2p_perf");
    std::int64_t begin = line.began_us, end = line.ended_us;
    if (end < begin) {  // not verbose
      end = line.called_us > 0 ? line.called_us + std::max<std::int64_t>(line.took_us, 0) : line.written_us;
      begin = line.called_us > 0 ? line.called_us : end - std::max<std::int64_t>(line.took_us, 0);
    }
    constexpr std::int64_t kMostUs = std::int64_t{1} << 52;
    if (begin <= 0 || end < begin || end > kMostUs)
      return facts_.report.add(Finding::kTimestampInvalid, at, fmt::format("{} us", end));
    if (line.ranks > world_) {
      world_ = line.ranks;
      rank_ = line.rank;
      host_ = line.host;
    }
    // What goes to others and what comes from them runs at once, beside collectives.
    const std::string name = to_lower(line.name);
    const std::string lane =
        line.is_between_two ? fmt::format("{} \xC2\xB7 {}", line.communicator, name) : line.communicator;
    const auto [stream, is_new] = streams_.try_emplace(lane, static_cast<std::int64_t>(streams_.size()));
    if (is_new) {
      sink_.name_process(line.pid, fmt::format("rank {} of NCCL", line.rank));
      sink_.name_thread({line.pid, stream->second}, fmt::format("communicator {}", lane));
    }
    sink_.slice("kernel", "nccl:" + line.name, {line.pid, stream->second}, begin * 1000, end * 1000);
    sink_.arguments();
    sink_.argument("device", std::int64_t{0});
    sink_.argument("stream", stream->second);
    sink_.argument("Collective name", name);
    sink_.argument("dtype", "Byte");
    std::int64_t whole = 0;
    if (__builtin_mul_overflow(line.bytes, std::max<std::int64_t>(line.ranks, 1), &whole)) whole = line.bytes;
    if (line.bytes >= 0) {  // the inspector tells what one rank has of it
      sink_.argument("In msg nelems", name == "reducescatter" ? whole : line.bytes);
      sink_.argument("Out msg nelems", name == "allgather" ? whole : line.bytes);
    }
    sink_.argument("Group size", line.ranks);
    sink_.argument("Process Group Name", line.communicator);
    // The numbers of sends are not those of the receives that they go to.
    if (line.number >= 0) sink_.argument(line.is_between_two ? "p2p_sn" : "Seq", line.number);
    if (line.is_between_two && line.peer >= 0) sink_.argument(name == "recv" ? "Src Rank" : "Dst Rank", line.peer);
    sink_.argument("rank in communicator", line.rank);
    if (line.took_us >= 0) sink_.argument(line.is_between_two ? "p2p_exec_time_us" : "coll_exec_time_us", line.took_us);
    if (line.bus_gbs >= 0) sink_.argument(line.is_between_two ? "p2p_busbw_gbs" : "coll_busbw_gbs", line.bus_gbs);
    if (!line.timing.empty())
      sink_.argument(line.is_between_two ? "p2p_timing_source" : "coll_timing_source", line.timing);
    sink_.end();
  }

  const FormatInput& input_;
  TraceSource& facts_;
  TraceSink sink_;
  std::map<std::string, std::int64_t> streams_;
  std::int64_t rank_ = -1, world_ = 0;
  std::string host_;
};

bool is_inspector(std::string_view head, bool) {
  const auto has = [&](std::string_view key) { return head.find(key) != head.npos; };
  return head.starts_with('{') && has("\"header\"") && has("\"n_ranks\"") && has("\"id\"") && !has("traceEvents");
}

}  // namespace

constinit const Format kNcclInspectorFormat{
    .title = "NCCL inspector",
    .endings = {".jsonl"},
    .recognises = is_inspector,
    .text = Format::Text::kMade,
    .read = [](const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
      return InspectorReader(input, facts, receive).read();
    }};

}  // namespace lacuna
