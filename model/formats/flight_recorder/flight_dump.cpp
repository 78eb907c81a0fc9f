#include "model/formats/flight_recorder/flight_dump.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/formats/format.h"
#include "model/formats/pickle/pickle_reader.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostShown = 400;  // of sizes and types
constexpr std::size_t kMostFrames = 200;

/// Lists of lists of numbers and texts as Python prints them, cut where they get long.
void append_value(const PickleDocument& document, PickleValue value, int depth, std::string& out) {
  if (out.size() > kMostShown) return;
  if (value.is(PickleKind::kText)) {
    out += document.text(value).substr(0, kMostShown);
  } else if (value.is(PickleKind::kList) && depth > 0) {
    out += '[';
    bool is_first = true;
    document.for_each(value, [&](PickleValue element) {
      if (out.size() > kMostShown) return;
      if (!is_first) out += ", ";
      is_first = false;
      append_value(document, element, depth - 1, out);
    });
    out += ']';
  } else if (const auto number = document.integer(value)) {
    out += fmt::format("{}", *number);
  }
}

std::string value_text(const PickleDocument& document, PickleValue value) {
  std::string text;
  append_value(document, value, 3, text);
  return text;
}

/// Numbers of "[0, 1]" or of a list.
std::vector<std::int64_t> ranks_of(const PickleDocument& document, PickleValue value) {
  std::vector<std::int64_t> ranks;
  document.for_each(value, [&](PickleValue rank) {
    if (const auto number = document.integer(rank)) ranks.push_back(*number);
  });
  std::string_view text = document.text(value);
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_of("0123456789"), text.size());
    text.remove_prefix(begin);
    std::int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end.ptr == text.data()) break;
    if (end.ec == std::errc()) ranks.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/// The last number in a file's name: fr_0.pkl, nccl_trace_rank_12.
std::optional<std::int64_t> rank_in_name(std::string_view path) {
  std::string_view name = path.substr(path.find_last_of('/') + 1);
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos && dot > 0) name = name.substr(0, dot);
  std::size_t end = name.size();
  while (end > 0 && !is_digit(name[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  std::int64_t rank = 0;
  const auto read = std::from_chars(name.data() + begin, name.data() + end, rank);
  return begin < end && read.ec == std::errc() ? std::optional(rank) : std::nullopt;
}

FlightEntry read_entry(const PickleDocument& document, PickleValue value) {
  FlightEntry entry;
  std::array<std::string, 4> shapes;  // input sizes, types, output sizes, types
  std::int64_t p2p = 0;
  document.for_each_item(value, [&](PickleValue key, PickleValue item) {
    const std::string_view name = document.text(key);
    const auto number = document.integer(item);
    if (name == "pg_id") entry.group_id = number.value_or(0);
    if (name == "process_group") {
      std::size_t part = 0;
      document.for_each(item, [&](PickleValue text) {
        if (part == 0) entry.group = value_text(document, text);
        if (part++ == 1) entry.description = value_text(document, text);
      });
    }
    if (name == "collective_seq_id") entry.collective = number.value_or(0);
    if (name == "p2p_seq_id") p2p = number.value_or(0);
    if (name == "profiling_name") entry.name = value_text(document, item);
    if (name == "state") entry.state = value_text(document, item);
    if (name == "is_p2p") entry.is_p2p = number.value_or(0) != 0;
    if (name == "retired") entry.is_retired = number.value_or(0) != 0;
    if (name == "time_created_ns") entry.created_ns = number.value_or(0);
    if (name == "time_discovered_started_ns") entry.started_ns = number;
    if (name == "time_discovered_completed_ns") entry.completed_ns = number;
    if (name == "timeout_ms") entry.timeout_ms = number.value_or(0);
    if (name == "input_sizes") shapes[0] = value_text(document, item);
    if (name == "input_dtypes") shapes[1] = value_text(document, item);
    if (name == "output_sizes") shapes[2] = value_text(document, item);
    if (name == "output_dtypes") shapes[3] = value_text(document, item);
    if (name != "frames") return;
    document.for_each(item, [&](PickleValue frame) {
      if (entry.frames.size() >= kMostFrames) return;
      const auto line = document.integer(document.find(frame, "line"));
      const auto function = document.text(document.find(frame, "name"));
      const auto file = document.text(document.find(frame, "filename"));
      entry.frames.push_back(file.empty() ? std::string(function)
                                          : fmt::format("{}  {}:{}", function, file, line.value_or(0)));
    });
  });
  entry.sequence = entry.is_p2p ? p2p : entry.collective;
  entry.inputs = shapes[0] + " " + shapes[1];
  entry.outputs = shapes[2] + " " + shapes[3];
  return entry;
}

/// Of a coalesced group (batch_isend_irecv) only the entry behind its sends and receives is told when it is done.
void tell_coalesced(std::vector<FlightEntry>& entries) {
  std::map<std::string, FlightEntry*> ends;  // of each group the last one seen from behind
  for (std::size_t e = entries.size(); e-- > 0;) {
    FlightEntry& entry = entries[e];
    if (entry.name.ends_with("coalesced")) {
      ends[entry.group] = &entry;
      continue;
    }
    const auto end = ends.find(entry.group);
    if (end == ends.end() || end->second->collective != entry.collective) continue;
    entry.is_done = entry.is_done || end->second->is_done;
    end->second->is_around = end->second->is_around || entry.is_p2p;
  }
}

/// No pickle begins with the brace or bracket that JSON begins with.
bool begins_as_json(const ByteSource& source) {
  std::array<char, 64> begin{};
  const std::string_view text(begin.data(), source.read_at(0, begin));
  const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

Result<FlightDump> read_flight_dump(const ByteSource& source, const std::string& path) {
  if (begins_as_json(source))
    return fail(ErrorCode::kNotATrace,
                "JSON, as a trace is, and no dump of PyTorch's flight recorder, which is a pickle: lacuna info FILE",
                path);
  MemoryRoom room(pickle_memory_limit(source.size()));
  const Result<PickleDocument> document = read_pickle(source, room, nullptr);
  if (!document) {
    Error error = document.error();
    error.file = path;
    return tl::make_unexpected(std::move(error));
  }
  const PickleValue root = document->root;
  const PickleValue entries = document->find(root, "entries");
  if (!entries.is(PickleKind::kList))
    return fail(ErrorCode::kNotATrace,
                document->find(root, "segments").is(PickleKind::kList)
                    ? "an allocator snapshot, no dump of the flight recorder: lacuna memory FILE"
                    : "a Python pickle, but no dump of PyTorch's flight recorder: it has no entries",
                path);
  FlightDump dump;
  dump.path = path;
  dump.version = value_text(*document, document->find(root, "version"));
  const auto own_rank = document->integer(document->find(root, "rank"));
  const auto rank = own_rank ? own_rank : rank_in_name(path);
  dump.has_rank = rank.has_value();
  dump.rank = rank.value_or(0);
  document->for_each_item(document->find(root, "pg_config"), [&](PickleValue key, PickleValue config) {
    FlightGroup group;
    group.name = value_text(*document, key);
    group.description = value_text(*document, document->find(config, "desc"));
    group.ranks = ranks_of(*document, document->find(config, "ranks"));
    dump.groups.push_back(std::move(group));
  });
  std::map<std::string, std::int64_t> last_completed;  // by the id of a group
  document->for_each_item(document->find(root, "pg_status"), [&](PickleValue key, PickleValue status) {
    if (const auto last = document->integer(document->find(status, "last_completed_collective")))
      last_completed[value_text(*document, key)] = *last;
  });
  document->for_each(entries, [&](PickleValue value) {
    if (!value.is(PickleKind::kDict)) {
      ++dump.not_understood;
      return;
    }
    FlightEntry entry = read_entry(*document, value);
    // Gloo never gets beyond "scheduled"; the status of the group and its retirement tell.
    entry.is_done = entry.state == "completed" || entry.completed_ns.has_value();
    const auto status = last_completed.find(std::to_string(entry.group_id));
    if (!entry.is_done && status != last_completed.end() && !entry.is_p2p)
      entry.is_done = entry.sequence <= status->second;
    else if (!entry.is_done)
      entry.is_done = entry.is_retired;
    dump.entries.push_back(std::move(entry));
  });
  tell_coalesced(dump.entries);
  return dump;
}

constinit const Format kFlightRecorderFormat{.title = "dump of PyTorch's flight recorder",
                                             .use = FormatUse::kHang,
                                             .endings = {".pickle", ".pkl"},
                                             .name_begins = "nccl_trace_rank_"};

}  // namespace lacuna
