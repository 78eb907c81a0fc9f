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
#include "model/formats/collectives/collective_formats.h"
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

class ChakraReader {
 public:
  ChakraReader(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive)
      : input_(input), facts_(facts), sink_(input, facts, receive) {}

  Result<void> read() {
    find_rank();
    ChakraMessages messages(input_);
    (void)messages.next();  // GlobalMetadata
    while (const auto message = messages.next()) {
      if (input_.progress != nullptr && input_.progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
      if (!sink_.state()) return sink_.state();
      add(node_of(*message));
    }
    if (const auto error = input_.bytes.ending().error) return tl::make_unexpected(*error);
    if (messages.is_damaged()) facts_.report.add(Finding::kUnterminated, messages.at());
    if (nodes_ == 0) return fail(ErrorCode::kNotATrace, "a trace of Chakra without a node", input_.path, 0);
    sink_.name_thread({rank_, kCpu}, "CPU");
    return sink_.finish();
  }

 private:
  static constexpr std::int64_t kCpu = 0, kComputeStream = 1, kMemoryStream = 2, kFirstGroup = 3;

  /// "workload.3.et": ranks are told by their files' names.
  void find_rank() {
    std::string_view name = input_.path;
    name.remove_prefix(name.rfind('/') + 1);
    if (!name.ends_with(".et")) return;
    name.remove_suffix(3);
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
    const bool is_communication = node.type == kSend || node.type == kReceive || node.type == kCollective;
    const bool is_memory = node.type == kMemoryLoad || node.type == kMemoryStore;
    if (!is_communication && !is_memory && node.type != kCompute) {
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

/// GlobalMetadata first, whose version is one: "0.0.4".
bool is_chakra(std::string_view head, bool) {
  const WireVarint size = read_varint(head);
  if (size.size == 0 || size.value < 5) return false;
  head.remove_prefix(size.size);
  if (head.size() < 5 || head[0] != '\x0a') return false;
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(head[1]));
  if (length < 3 || length > 40 || head.size() < length + 2 || size.value < length + 2) return false;
  const std::string_view version = head.substr(2, length);
  const bool is_version =
      is_digit(version[0]) && version[1] == '.' && is_digit(version[2]) && std::ranges::all_of(version, [](char c) {
        return is_digit(c) || is_ascii_letter(c) || c == '.' || c == '-' || c == '+';
      });
  return is_version && (size.value == length + 2 || (head.size() > length + 2 && head[length + 2] == '\x12'));
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
