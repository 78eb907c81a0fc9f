#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/base/seeded_hash.h"
#include "model/formats/chrome/json_text.h"
#include "model/formats/collectives/collective_formats.h"
#include "model/formats/json_cursor.h"
#include "model/formats/trace_sink.h"
#include "model/formats/wire_message.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kLargestNode = 64 << 20;
enum NodeType : std::uint64_t {
  kMemoryLoad = 2,
  kMemoryStore = 3,
  kCompute = 4,
  kSend = 5,
  kReceive = 6,
  kCollective = 7
};
constexpr std::array<std::string_view, 10> kCollectiveNames{
    "all_reduce", "reduce",         "all_gather",           "gather", "scatter", "broadcast",
    "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"};

/// A node, and what its attributes say that we know.
struct ChakraNode {
  std::uint64_t id = 0, type = 0, start_us = 0, took_us = 0;
  std::string_view name;
  std::vector<std::uint64_t> dependencies;
  std::optional<std::int64_t> kind, bytes, source, destination;
  std::string_view group;
  bool is_on_cpu = false;
};

/// The messages of a file, one at a time, each behind its size.
class ChakraMessages {
 public:
  explicit ChakraMessages(const FormatInput& input) : input_(input) {}

  /// Valid until the next call.
  std::optional<std::string_view> next() {
    std::array<char, 10> head;
    const WireVarint size = read_varint({head.data(), input_.bytes.read_at(at_, head)});
    if (size.size == 0 || size.value > kLargestNode) {
      is_damaged_ = size.size != 0 || at_ < input_.bytes.size();
      return {};
    }
    constexpr std::size_t kAtOnce = 1 << 20;  // a size that only claims to be large takes no memory
    buffer_.clear();
    while (buffer_.size() < size.value) {
      const std::size_t have = buffer_.size();
      buffer_.resize(have + std::min<std::size_t>(static_cast<std::size_t>(size.value) - have, kAtOnce));
      const std::size_t got = input_.bytes.read_at(at_ + size.size + have, std::span(buffer_).subspan(have));
      if (have + got == buffer_.size()) continue;
      is_damaged_ = true;
      return {};
    }
    at_ += size.size + size.value;
    return buffer_;
  }
  std::uint64_t at() const { return at_; }
  bool is_damaged() const { return is_damaged_; }

 private:
  const FormatInput& input_;
  std::uint64_t at_ = 0;
  std::string buffer_;
  bool is_damaged_ = false;
};

/// The numbers of what some other JSON has as names: "COMM_COLL_NODE".
std::uint64_t node_type_of(std::string_view text) {
  constexpr std::array<std::string_view, 8> kTypes{"INVALID_NODE",   "METADATA_NODE", "MEM_LOAD_NODE",
                                                   "MEM_STORE_NODE", "COMP_NODE",     "COMM_SEND_NODE",
                                                   "COMM_RECV_NODE", "COMM_COLL_NODE"};
  const auto known = std::ranges::find(kTypes, text);
  if (known != kTypes.end()) return static_cast<std::uint64_t>(known - kTypes.begin());
  std::uint64_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// A node as JSON; its texts stand in `texts`.
class ChakraJson {
 public:
  explicit ChakraJson(const FormatInput& input) : cursor_(input.bytes) {}

  /// Calls `add(node)` for the nodes of a "workload_graph", or for objects one behind the other, until it says no.
  template <class Add>
  void for_each_node(Add add) {
    std::string key;
    while (cursor_.kind() == '{' && cursor_.begins('{')) {
      ChakraNode node;
      bool has_id = false;
      while (cursor_.next_member(key)) {
        if (key == "workload_graph" && cursor_.begins('[')) {
          while (cursor_.next_entry()) {
            ChakraNode listed;
            if (!cursor_.begins('{')) continue;
            while (cursor_.next_member(key)) read_member(key, listed);
            if (!cursor_.is_broken() && !add(listed)) return;
          }
        } else {
          has_id = read_member(key, node) || has_id;
        }
      }
      if (has_id && !cursor_.is_broken() && !add(node)) return;
    }
  }
  std::uint64_t at() const { return cursor_.offset(); }
  bool is_broken() const { return cursor_.is_broken(); }

 private:
  /// Whether it is the number of a node.
  bool read_member(std::string_view key, ChakraNode& node) {
    if (key == "Id" || key == "id") {
      node.id = static_cast<std::uint64_t>(cursor_.integer().value_or(0));
      return true;
    }
    if (key == "Name" || key == "name") {
      node.name = name_ = cursor_.text();
    } else if (key == "NodeType" || key == "type") {
      node.type = node_type_of(cursor_.number_text());
    } else if (key == "ctrlDeps" || key == "ctrl_deps" || key == "dataDeps" || key == "data_deps") {
      if (!cursor_.begins('[')) return false;
      while (cursor_.next_entry())
        node.dependencies.push_back(static_cast<std::uint64_t>(cursor_.integer().value_or(0)));
    } else if (key == "startTimeMicros" || key == "start_time_micros") {
      node.start_us = micros();
    } else if (key == "runtime" || key == "durationMicros" || key == "duration_micros") {
      node.took_us = micros();
    } else if (key == "attr" && cursor_.kind() == '[') {
      while (cursor_.next_entry()) read_attribute(node);
    } else {
      read_value(key, node);
    }
    return false;
  }

  void read_attribute(ChakraNode& node) {
    std::string key, name;
    if (!cursor_.begins('{')) return;
    while (cursor_.next_member(key)) {
      if (key == "name") {
        name = cursor_.text();
      } else {
        read_value(name, node);
      }
    }
  }

  void read_value(std::string_view key, ChakraNode& node) {
    if (key == "is_cpu_op") {
      const char kind = cursor_.kind();
      node.is_on_cpu = kind == 't' || (kind != 'f' && cursor_.integer().value_or(0) != 0);
      if (kind == 't' || kind == 'f') cursor_.skip();
    } else if (key == "comm_type") {
      node.kind = cursor_.integer();
    } else if (key == "comm_size") {
      node.bytes = cursor_.integer();
    } else if (key == "comm_src") {
      node.source = cursor_.integer();
    } else if (key == "comm_dst") {
      node.destination = cursor_.integer();
    } else if (key == "pg_name") {
      node.group = group_ = cursor_.text();
    } else {
      cursor_.skip();
    }
  }

  std::uint64_t micros() {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(cursor_.integer().value_or(0), 0));
  }

  JsonCursor cursor_;
  std::string name_, group_;
};

class ChakraReader {
 public:
  ChakraReader(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive)
      : input_(input), facts_(facts), sink_(input, facts, receive) {}

  Result<void> read() {
    find_rank();
    std::array<char, 1> first{};
    input_.bytes.read_at(0, first);
    if (first[0] == '{') {
      ChakraJson json(input_);
      json.for_each_node([&](const ChakraNode& node) {
        add(node);
        return goes_on().has_value();
      });
      if (json.is_broken()) facts_.report.add(Finding::kUnterminated, json.at());
    } else {
      ChakraMessages messages(input_);
      (void)messages.next();  // GlobalMetadata
      for (auto message = messages.next(); message && goes_on(); message = messages.next()) add(node_of(*message));
      if (messages.is_damaged()) facts_.report.add(Finding::kUnterminated, messages.at());
    }
    if (auto state = goes_on(); !state) return state;
    if (const auto error = input_.bytes.ending().error) return tl::make_unexpected(*error);
    if (nodes_ == 0) return fail(ErrorCode::kNotATrace, "a trace of Chakra without a node", input_.path, 0);
    sink_.name_thread({rank_, kCpu}, "CPU");
    return sink_.finish();
  }

 private:
  static constexpr std::int64_t kCpu = 0, kComputeStream = 1, kMemoryStream = 2, kFirstGroup = 3;

  Result<void> goes_on() const {
    if (input_.progress != nullptr && input_.progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    return sink_.state();
  }

  /// "workload.3.et": ranks are told by their files' names.
  void find_rank() {
    std::string_view name = input_.path;
    name.remove_prefix(name.rfind('/') + 1);
    if (!name.ends_with(".et") && !name.ends_with(".json")) return;
    name.remove_suffix(name.size() - name.rfind('.'));
    name.remove_prefix(std::min(name.rfind('.') + 1, name.size()));
    std::int64_t rank = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), rank);
    if (read.ec != std::errc{} || read.ptr != name.data() + name.size() || rank < 0) return;
    facts_.rank = rank_ = rank;
  }

  static ChakraNode node_of(std::string_view bytes) {
    ChakraNode node;
    WireMessage message(bytes);
    for (WireField field; message.next(field);) {
      switch (field.number) {
        case 1:
          node.id = field.value;
          break;
        case 2:
          node.name = field.bytes;
          break;
        case 3:
          node.type = field.value;
          break;
        case 4:
        case 5:
          for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t id) { node.dependencies.push_back(id); });
          break;
        case 6:
          node.start_us = field.value;
          break;
        case 7:
          node.took_us = field.value;
          break;
        case 10:
          read_attribute(field.bytes, node);
          break;
        default:
          break;
      }
    }
    return node;
  }

  /// Of an attribute's values only one is set: whole numbers of all kinds, or text.
  static void read_attribute(std::string_view bytes, ChakraNode& node) {
    std::string_view name, text;
    std::int64_t number = 0;
    WireMessage message(bytes);
    for (WireField field; message.next(field);) {
      constexpr std::uint32_t kSigned32 = 15, kSigned64 = 17, kText = 29;
      if (field.number == 1)
        name = field.bytes;
      else if (field.number == kText)
        text = field.bytes;
      else if (field.number == kSigned32 || field.number == kSigned64)
        number = static_cast<std::int64_t>(field.value >> 1) ^ -static_cast<std::int64_t>(field.value & 1);
      else if (field.number > 2)
        number = field.integer();
    }
    if (name == "comm_type") node.kind = number;
    if (name == "comm_size") node.bytes = number;
    if (name == "comm_src") node.source = number;
    if (name == "comm_dst") node.destination = number;
    if (name == "pg_name") node.group = text;
    if (name == "is_cpu_op") node.is_on_cpu = number != 0;
  }

  void add(const ChakraNode& node) {
    ++nodes_;
    const bool is_exchange = node.type == kSend || node.type == kReceive || node.type == kCollective;
    const bool is_communication = is_exchange && !node.is_on_cpu;  // on the CPU it is the call: "c10d::broadcast_"
    const bool is_memory = node.type == kMemoryLoad || node.type == kMemoryStore;
    if (!is_exchange && !is_memory && node.type != kCompute) {
      ends_[node.id] = ready_time(node);  // says what others are, and takes no time
      return;
    }
    std::int64_t stream = node.is_on_cpu ? kCpu : is_memory ? kMemoryStream : kComputeStream;
    if (is_communication) {
      const auto [known, is_new] =
          groups_.try_emplace(std::string(node.group), kFirstGroup + static_cast<std::int64_t>(groups_.size()));
      stream = known->second;
      if (is_new && !node.group.empty())
        sink_.name_thread({rank_, stream}, fmt::format("communication of group {}", node.group));
    }
    constexpr std::uint64_t kMostUs = std::uint64_t{1} << 50;
    if (node.start_us > kMostUs || node.took_us > kMostUs)
      return facts_.report.add(Finding::kTimestampInvalid, ImportReport::kNoOffset, fmt::format("node {}", node.id));
    Nanos& lane_end = lane_ends_[stream];
    has_starts_ |= node.start_us > 0;
    const Nanos start = has_starts_ ? static_cast<Nanos>(node.start_us) * 1000 : std::max(lane_end, ready_time(node));
    const Nanos end = saturating_add(start, static_cast<Nanos>(node.took_us) * 1000);
    lane_end = std::max(lane_end, end);
    ends_[node.id] = end;
    write(node, stream, start, end, is_communication, is_memory);
  }

  Nanos ready_time(const ChakraNode& node) const {
    Nanos ready = 0;
    for (const std::uint64_t id : node.dependencies)
      if (const auto found = ends_.find(id); found != ends_.end()) ready = std::max(ready, found->second);
    return ready;
  }

  void write(const ChakraNode& node, std::int64_t stream, Nanos start, Nanos end, bool is_communication,
             bool is_memory) {
    std::string kind(node.type == kSend ? "send" : node.type == kReceive ? "recv" : "collective");
    if (node.type == kCollective && node.kind && *node.kind >= 0 &&
        static_cast<std::size_t>(*node.kind) < kCollectiveNames.size())
      kind = kCollectiveNames[static_cast<std::size_t>(*node.kind)];
    const bool is_work = is_communication || !node.is_on_cpu;
    sink_.slice(!is_work    ? "cpu_op"
                : is_memory ? "gpu_memcpy"
                            : "kernel",
                is_communication ? "nccl:" + kind : std::string(node.name), {rank_, stream}, start, end);
    sink_.arguments();
    if (is_work) {
      sink_.argument("device", rank_);
      sink_.argument("stream", stream);
    }
    sink_.argument("node", static_cast<std::int64_t>(node.id));
    if (is_communication) {
      sink_.argument("node name", node.name);
      sink_.argument("Collective name", kind);
      sink_.argument("dtype", "Byte");
      if (node.bytes) sink_.argument("In msg nelems", *node.bytes);
      if (!node.group.empty()) sink_.argument("Process Group Name", node.group);
      if (node.type == kSend && node.destination) sink_.argument("Dst Rank", *node.destination);
      if (node.type == kReceive && node.source) sink_.argument("Src Rank", *node.source);
    }
    sink_.end();
  }

  const FormatInput& input_;
  TraceSource& facts_;
  TraceSink sink_;
  std::int64_t rank_ = 0;
  std::unordered_map<std::uint64_t, Nanos, SeededHash> ends_;
  std::unordered_map<std::string, std::int64_t, SeededHash> groups_;
  std::unordered_map<std::int64_t, Nanos, SeededHash> lane_ends_;
  bool has_starts_ = false;
  std::uint64_t nodes_ = 0;
};

/// "0.0.4", and behind it nothing of the message or an attribute.
bool begins_with_version(std::string_view head, std::uint64_t size) {
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(head[1]));
  if (length < 3 || length > 40 || head.size() < length + 2 || size < length + 2) return false;
  const std::string_view version = head.substr(2, length);
  const bool is_version =
      is_digit(version[0]) && version[1] == '.' && is_digit(version[2]) && std::ranges::all_of(version, [](char c) {
        return is_digit(c) || is_ascii_letter(c) || c == '.' || c == '-' || c == '+';
      });
  return is_version && (size == length + 2 || (head.size() > length + 2 && head[length + 2] == '\x12'));
}

/// The converter of PyTorch's traces writes no version, only attributes; the first is "schema", a text.
bool begins_with_schema(std::string_view head, std::uint64_t size) {
  constexpr std::string_view kSchema = "\x0a\x06schema\xea\x01";
  const auto length = static_cast<std::uint64_t>(static_cast<unsigned char>(head[1]));
  return length < 128 && size >= length + 2 && head.substr(2).starts_with(kSchema);
}

/// {"workload_graph": [ {"Id": …, or {"version": "0.0.4"}{"id": …
bool is_chakra_json(std::string_view head) {
  const auto take = [&](std::string_view expected) {
    head.remove_prefix(std::min(head.size(), head.find_first_not_of(" \t\r\n")));
    if (!head.starts_with(expected)) return false;
    head.remove_prefix(expected.size());
    return true;
  };
  if (!take("{")) return false;
  if (take("\"workload_graph\"")) return take(":") && take("[");
  if (!take("\"version\"") || !take(":") || !take("\"")) return false;
  head.remove_prefix(std::min(head.size(), head.find('"')));
  return take("\"") && take("}") && take("{") && take("\"id\"");
}

/// GlobalMetadata first.
bool is_chakra(std::string_view head, bool) {
  if (is_chakra_json(head)) return true;
  const WireVarint size = read_varint(head);
  if (size.size == 0 || size.value < 5) return false;
  head.remove_prefix(size.size);
  if (head.size() < 5) return false;
  return head[0] == '\x0a' ? begins_with_version(head, size.value)
                           : head[0] == '\x12' && begins_with_schema(head, size.value);
}

}  // namespace

constinit const Format kChakraFormat{
    .title = "Chakra execution trace",
    .endings = {".et"},
    .recognises = is_chakra,
    .text = Format::Text::kMade,
    .read = [](const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
      return ChakraReader(input, facts, receive).read();
    }};

}  // namespace lacuna
