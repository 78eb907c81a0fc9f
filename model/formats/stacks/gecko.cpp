#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "model/formats/json_cursor.h"
#include "model/formats/json_value.h"
#include "model/formats/stacks/sampled_profile.h"
#include "model/formats/stacks/stack_formats.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr int kDeepestProcess = 3;

/// A table: rows with a schema, or a list for each column. Only numbers are kept; what is none is kNoNumber.
class GeckoTable {
 public:
  void read(JsonCursor& cursor) {
    std::string key;
    std::map<std::string, std::size_t> schema;
    std::uint64_t data_at = 0;
    while (cursor.next_member(key)) {
      if (key == "schema" && cursor.kind() == '{') {
        while (cursor.next_member(key)) schema[key] = static_cast<std::size_t>(cursor.integer().value_or(-1));
      } else if (key == "data" && cursor.kind() == '[') {
        data_at = cursor.offset();
        read_rows(cursor);
      } else if (cursor.kind() == '[') {
        std::vector<double>& column = columns_[key];
        while (cursor.next_entry()) column.push_back(cursor.number().value_or(kNoNumber));
      } else {
        cursor.skip();
      }
    }
    if (data_at == 0) return;
    for (const auto& [name, index] : schema)
      if (index < rows_.size()) columns_[name] = rows_[index];
    rows_.clear();
  }

  std::size_t size(const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? 0 : found->second.size();
  }
  double number(const std::string& column, std::size_t row) const {
    const auto found = columns_.find(column);
    return found == columns_.end() || row >= found->second.size() ? kNoNumber : found->second[row];
  }
  /// A number of a row or text.
  std::optional<std::size_t> index(const std::string& column, std::size_t row) const {
    const double value = number(column, row);
    return value >= 0 && value < 4e9 ? std::optional(static_cast<std::size_t>(value)) : std::nullopt;
  }
  bool empty() const { return columns_.empty(); }

 private:
  static constexpr std::size_t kMostColumns = 16;

  void read_rows(JsonCursor& cursor) {
    std::size_t count = 0;
    while (cursor.next_entry()) {
      std::size_t at = 0;
      if (!cursor.begins('[')) continue;
      while (cursor.next_entry()) {
        const double value = cursor.number().value_or(kNoNumber);
        if (at == kMostColumns) continue;
        if (rows_.size() <= at) rows_.resize(at + 1);
        rows_[at].resize(count, kNoNumber);
        rows_[at++].push_back(value);
      }
      ++count;
    }
    for (std::vector<double>& column : rows_) column.resize(count, kNoNumber);
  }

  std::map<std::string, std::vector<double>> columns_;
  std::vector<std::vector<double>> rows_;  // by number of the column
};

/// The markers of a thread: rows with a schema, or a list for each column. Times in ms.
class GeckoMarkers {
 public:
  struct Marker {
    std::optional<std::size_t> name;  // among the strings
    double start = kNoNumber, end = kNoNumber;
    enum Phase : std::uint8_t { kInstant, kInterval, kBegin, kEnd } phase = kInstant;
    std::uint64_t data_at = 0, data_end = 0;  // where the text of "data" lies, if it is there
  };

  void read(JsonCursor& cursor, const ByteSource& bytes) {
    std::string key;
    std::map<std::string, std::size_t> schema;
    std::uint64_t data_at = 0;
    while (cursor.next_member(key)) {
      if (key == "data") data_at = cursor.offset();
      if (key == "schema" && cursor.kind() == '{') {
        while (cursor.next_member(key)) schema[key] = static_cast<std::size_t>(cursor.integer().value_or(-1));
      } else if (cursor.kind() == '[') {
        std::size_t row = 0;
        while (cursor.next_entry()) read_field(cursor, key, at(row++));
      } else {
        cursor.skip();
      }
    }
    if (schema.empty() || data_at == 0) return;
    // Rows, which may stand before what says what is in them.
    markers_.clear();
    JsonCursor rows(bytes, data_at);
    read_rows(rows, schema);
  }
  const std::vector<Marker>& markers() const { return markers_; }

 private:
  Marker& at(std::size_t row) {
    if (row >= markers_.size()) markers_.resize(row + 1);
    return markers_[row];
  }

  void read_rows(JsonCursor& cursor, const std::map<std::string, std::size_t>& schema) {
    std::vector<std::string> columns;
    constexpr std::size_t kMostColumns = 16;
    for (const auto& [name, index] : schema) {
      if (index >= kMostColumns) continue;
      if (columns.size() <= index) columns.resize(index + 1);
      columns[index] = name;
    }
    while (cursor.next_entry()) {
      if (!cursor.begins('[')) continue;
      Marker& marker = markers_.emplace_back();
      for (std::size_t column = 0; cursor.next_entry(); ++column)
        read_field(cursor, column < columns.size() ? columns[column] : std::string(), marker);
    }
  }

  static void read_field(JsonCursor& cursor, const std::string& key, Marker& marker) {
    if (key == "data" && cursor.kind() == '{') return read_data(cursor, marker);
    if (key != "name" && key != "startTime" && key != "endTime" && key != "time" && key != "phase")
      return cursor.skip();
    const double value = cursor.number().value_or(kNoNumber);
    if (key == "name" && value >= 0 && value < 4e9) marker.name = static_cast<std::size_t>(value);
    if (key == "startTime" || key == "time") marker.start = value;
    if (key == "endTime") marker.end = value;
    if (key == "phase" && value >= 0 && value <= 3) marker.phase = static_cast<Marker::Phase>(static_cast<int>(value));
  }

  /// Older profiles have phases and ends in here.
  static void read_data(JsonCursor& cursor, Marker& marker) {
    marker.data_at = cursor.offset();
    std::string key;
    double start = kNoNumber, end = kNoNumber;
    while (cursor.next_member(key)) {
      if (key == "startTime") {
        start = cursor.number().value_or(kNoNumber);
      } else if (key == "endTime") {
        end = cursor.number().value_or(kNoNumber);
      } else if (key == "interval") {
        const std::string which = cursor.text();
        if (which == "start") marker.phase = Marker::kBegin;
        if (which == "end") marker.phase = Marker::kEnd;
      } else {
        cursor.skip();
      }
    }
    marker.data_end = cursor.offset();
    if (marker.phase != Marker::kInstant || std::isnan(start) || std::isnan(end)) return;
    marker.start = start;
    marker.end = end;
    marker.phase = Marker::kInterval;
  }

  std::vector<Marker> markers_;
};

/// What a thread has, or what all share.
struct GeckoTables {
  GeckoTable frames, functions, stacks;
  std::vector<std::string> strings;
};

class GeckoReader {
 public:
  GeckoReader(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive)
      : input_(input), facts_(facts), sink_(input, facts, receive) {}

  Result<void> read() {
    std::string key;
    // What is shared may stand behind the threads.
    JsonCursor head(input_.bytes);
    is_of_tools_ = head.next_member(key) && key == "label";
    JsonCursor first(input_.bytes);
    enter_profile(first);
    while (first.next_member(key)) {
      if (key == "meta" && first.kind() == '{')
        start_ms_ = read_meta(first);
      else if (key == "shared" && first.kind() == '{')
        read_tables(first, shared_);
      else
        first.skip();
    }
    if (start_ms_ > 0 && start_ms_ < 4e12) sink_.base_time(std::llround(start_ms_ * 1e6));
    JsonCursor cursor(input_.bytes);
    enter_profile(cursor);
    read_process(cursor, 0);
    if (const auto error = input_.bytes.ending().error) return tl::make_unexpected(*error);
    if (cursor.is_broken()) facts_.report.add(Finding::kUnterminated, cursor.offset());
    facts_.report.add(Finding::kTimestampInvalid, ImportReport::kNoOffset, "samples without a time", no_time_);
    for (const auto& [pid, name] : processes_) sink_.name_process(pid, name);
    if (written_markers_ > 0 && profile_.sample_count() == 0) return sink_.finish();
    return write_profile(profile_, input_, facts_, sink_);
  }

 private:
  /// The performance tool of Firefox before 2020 has the profile as a member of what it writes.
  void enter_profile(JsonCursor& cursor) const {
    std::string key;
    while (is_of_tools_ && cursor.next_member(key) && (key != "profile" || cursor.kind() != '{')) cursor.skip();
  }

  /// Returns when it began, in ms since 1970.
  double read_meta(JsonCursor& cursor) {
    double start_ms = 0;
    std::string key;
    while (cursor.next_member(key)) {
      if (key == "startTime")
        start_ms = cursor.number().value_or(0);
      else if (key == "interval")
        interval_ms_ = cursor.number().value_or(0);
      else
        cursor.skip();
    }
    return start_ms;
  }

  /// Members of a thread, or of what is shared, that are tables; `other` gets the rest.
  template <class Other>
  void read_tables(JsonCursor& cursor, GeckoTables& tables, Other other) {
    std::string key;
    while (cursor.next_member(key)) {
      const bool is_object = cursor.kind() == '{';
      if (key == "frameTable" && is_object)
        tables.frames.read(cursor);
      else if (key == "funcTable" && is_object)
        tables.functions.read(cursor);
      else if (key == "stackTable" && is_object)
        tables.stacks.read(cursor);
      else if ((key == "stringTable" || key == "stringArray") && cursor.kind() == '[')
        while (cursor.next_entry()) tables.strings.push_back(cursor.text());
      else
        other(key);
    }
  }
  void read_tables(JsonCursor& cursor, GeckoTables& tables) {
    read_tables(cursor, tables, [&](const std::string&) { cursor.skip(); });
  }

  void read_process(JsonCursor& cursor, int depth) {
    std::string key;
    while (cursor.next_member(key)) {
      const bool is_list = cursor.kind() == '[';
      if (key == "threads" && is_list) {
        while (cursor.next_entry()) {
          const std::uint64_t at = cursor.offset();
          if (cursor.begins('{')) {
            read_thread(cursor);
          } else {
            facts_.report.add(Finding::kEventUnreadable, at, "a thread that is no object");
          }
        }
      } else if (key == "processes" && is_list && depth < kDeepestProcess) {
        const double ours = offset_ms_;
        while (cursor.next_entry()) {
          if (cursor.kind() == '{') find_offset(JsonCursor(input_.bytes, cursor.offset()));
          if (cursor.begins('{')) read_process(cursor, depth + 1);
        }
        offset_ms_ = ours;
      } else {
        cursor.skip();
      }
    }
  }

  /// The times of a child count from its own start.
  void find_offset(JsonCursor child) {
    std::string key;
    while (child.next_member(key)) {
      if (key != "meta" || child.kind() != '{') {
        child.skip();
        continue;
      }
      const double start = read_meta(child);
      offset_ms_ = start > 0 && start_ms_ > 0 ? start - start_ms_ : 0;
      return;
    }
  }

  void read_thread(JsonCursor& cursor) {
    GeckoTables own;
    GeckoTable samples;
    GeckoMarkers markers;
    std::string name, process;
    std::int64_t pid = 0, tid = ++number_;
    read_tables(cursor, own, [&](const std::string& key) {
      if (key == "name")
        name = cursor.text();
      else if (key == "processName")
        process = cursor.text();
      else if (key == "pid")
        pid = cursor.integer().value_or(0);
      else if (key == "tid")
        tid = cursor.integer().value_or(tid);
      else if (key == "samples" && cursor.kind() == '{')
        samples.read(cursor);
      else if (key == "markers" && cursor.kind() == '{')
        markers.read(cursor, input_.bytes);
      else
        cursor.skip();
    });
    if (!process.empty()) processes_[pid] = process;
    const std::vector<SampledProfile::Stack> stacks = make_stacks(own);
    SampledProfile::Thread& thread = profile_.thread(pid, tid);
    thread.name = name;
    if (is_of_tools_) {  // their times count from another start than those of the samples
      facts_.report.add(Finding::kTableNotRead, ImportReport::kNoOffset, "markers", markers.markers().size());
    } else if (!markers.markers().empty()) {
      write_markers(markers, own.strings.empty() ? shared_.strings : own.strings, {pid, tid});
      if (!name.empty()) sink_.name_thread({pid, tid}, name);
    }
    thread.period = interval_ms_ > 0 && interval_ms_ < 1e9 ? std::max<Nanos>(1, std::llround(interval_ms_ * 1e6)) : 0;
    const bool has_deltas = samples.size("time") == 0 && samples.size("timeDeltas") > 0;
    double time = 0;
    for (std::size_t row = 0; row < std::max(samples.size("stack"), samples.size("time")); ++row) {
      time = has_deltas ? time + samples.number("timeDeltas", row) : samples.number("time", row);
      if (!nanos(time)) {
        ++no_time_;
        if (has_deltas) break;
        continue;
      }
      const auto stack = samples.index("stack", row);
      thread.samples.push_back({.time = nanos(time).value_or(0),
                                .stack = stack && *stack < stacks.size() ? stacks[*stack] : SampledProfile::kNoFrames});
    }
  }

  std::optional<Nanos> nanos(double ms) const {
    return std::abs(ms + offset_ms_) < 4e12 ? std::optional<Nanos>(std::llround((ms + offset_ms_) * 1e6))
                                            : std::nullopt;
  }

  /// On the thread itself, beside its stacks.
  void write_markers(const GeckoMarkers& table, const std::vector<std::string>& strings, SinkThread thread) {
    using Marker = GeckoMarkers::Marker;
    std::map<std::size_t, std::vector<const Marker*>> open;  // by name
    constexpr std::size_t kNoName = SIZE_MAX;
    for (const Marker& marker : table.markers()) {
      const std::size_t name = marker.name.value_or(kNoName);
      if (marker.phase == Marker::kBegin) {
        open[name].push_back(&marker);
      } else if (marker.phase == Marker::kEnd) {
        std::vector<const Marker*>& begun = open[name];
        if (begun.empty()) {
          facts_.report.add(Finding::kUnmatchedEnd, marker.data_at);
          continue;
        }
        const double end = std::isnan(marker.end) ? marker.start : marker.end;
        write_marker(*begun.back(), nanos(end), strings, thread);
        begun.pop_back();
      } else {
        write_marker(marker, marker.phase == Marker::kInterval ? nanos(marker.end) : std::nullopt, strings, thread);
      }
    }
    for (const auto& [name, begun] : open)
      for (const Marker* marker : begun) write_marker(*marker, std::nullopt, strings, thread);
  }

  void write_marker(const GeckoMarkers::Marker& marker, std::optional<Nanos> end,
                    const std::vector<std::string>& strings, SinkThread thread) {
    const auto start = nanos(marker.start);
    if (!start) return facts_.report.add(Finding::kTimestampInvalid, marker.data_at, "a marker without a time");
    const bool has_name = marker.name && *marker.name < strings.size();
    const std::string_view name = has_name ? std::string_view(strings[*marker.name]) : "marker";
    if (marker.phase == GeckoMarkers::Marker::kInstant) {
      sink_.instant("marker", name, thread, *start);
    } else if (end) {
      sink_.slice("marker", name, thread, *start, *end);
    } else {
      sink_.open_slice("marker", name, thread, *start);
    }
    ++written_markers_;
    constexpr std::uint64_t kLongestData = 64 * 1024;
    if (marker.data_end > marker.data_at && marker.data_end - marker.data_at <= kLongestData) {
      std::string data(static_cast<std::size_t>(marker.data_end - marker.data_at), '\0');
      data.resize(input_.bytes.read_at(marker.data_at, data));
      std::ranges::replace_if(
          data, [](char c) { return c == '\n' || c == '\r'; }, ' ');
      if (is_json_value(data)) {
        sink_.arguments();
        sink_.json_argument("data", data);
      }
    }
    sink_.end();
  }

  /// The stacks of a thread's table, by their numbers. A stack whose outer one comes after it has none.
  std::vector<SampledProfile::Stack> make_stacks(const GeckoTables& own) {
    const GeckoTable& table = own.stacks.empty() ? shared_.stacks : own.stacks;
    const GeckoTable& frames = own.frames.empty() ? shared_.frames : own.frames;
    const GeckoTable& functions = own.functions.empty() ? shared_.functions : own.functions;
    const std::vector<std::string>& strings = own.strings.empty() ? shared_.strings : own.strings;
    std::vector<std::uint32_t> numbers(std::max(frames.size("func"), frames.size("location")), UINT32_MAX);
    const auto text = [&](std::optional<std::size_t> index) {
      return index && *index < strings.size() ? strings[*index] : std::string();
    };
    const auto frame = [&](std::size_t row) {
      if (numbers[row] != UINT32_MAX) return numbers[row];
      SampledProfile::Frame made;
      const auto function = frames.index("func", row);
      made.name = function ? text(functions.index("name", *function)) : text(frames.index("location", row));
      if (function) made.file = text(functions.index("fileName", *function));
      made.line = static_cast<std::int64_t>(frames.index("line", row).value_or(0));
      // "step (/home/me/train.py:12)", "memcpy (in libc.so.6)"
      const std::size_t open = made.name.rfind(" (");
      if (made.file.empty() && made.name.ends_with(')') && open != std::string::npos && open > 0) {
        made.file = made.name.substr(open + 2, made.name.size() - open - 3);
        made.name.resize(open);
        if (made.file.starts_with("in ")) made.file.erase(0, 3);
      }
      if (made.name.empty()) made.name = "[unknown code]";
      // Frames of one function are one, wherever in it they are: told apart by names, as all who show them do.
      return numbers[row] = by_name(std::move(made));
    };
    std::vector<SampledProfile::Stack> stacks(std::max(table.size("frame"), table.size("prefix")));
    for (std::size_t row = 0; row < stacks.size(); ++row) {
      const auto prefix = table.index("prefix", row);
      const auto number = table.index("frame", row);
      const SampledProfile::Stack parent = prefix && *prefix < row ? stacks[*prefix] : SampledProfile::kNoFrames;
      stacks[row] = number && *number < numbers.size() ? profile_.add_stack(parent, frame(*number)) : parent;
    }
    return stacks;
  }

  std::uint32_t by_name(SampledProfile::Frame frame) {
    std::string key = frame.name;
    (key += '\0') += frame.file;
    const auto [known, is_new] = frames_.try_emplace(std::move(key));
    if (is_new) known->second = profile_.add_frame(std::move(frame));
    return known->second;
  }

  const FormatInput& input_;
  TraceSource& facts_;
  TraceSink sink_;
  SampledProfile profile_;
  GeckoTables shared_;
  std::map<std::string, std::uint32_t> frames_;
  std::map<std::int64_t, std::string> processes_;
  double start_ms_ = 0, interval_ms_ = 0;
  double offset_ms_ = 0;  // of the process that is read, from start_ms_
  std::int64_t number_ = 0;
  bool is_of_tools_ = false;
  std::uint64_t written_markers_ = 0, no_time_ = 0;
};

bool is_gecko(std::string_view head, bool) {
  if (head.starts_with("{\"label\":") && head.find("\"duration\":") != head.npos &&
      head.find("\"markers\":[") != head.npos)
    return true;
  const std::size_t meta = head.find("\"meta\"");
  if (!head.starts_with('{') || meta == head.npos || head.find_first_not_of(" \t\r\n", 1) != meta) return false;
  const auto has = [&](std::string_view key) { return head.find(key) != head.npos; };
  return !has("traceEvents") && (has("\"interval\"") || has("\"preprocessedProfileVersion\"") ||
                                 has("\"processType\"") || has("\"stackwalk\""));
}

}  // namespace

constinit const Format kGeckoFormat{
    .title = "Firefox profile",
    .endings = {".json"},
    .recognises = is_gecko,
    .text = Format::Text::kMade,
    .read = [](const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
      return GeckoReader(input, facts, receive).read();
    }};

}  // namespace lacuna
