#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "model/formats/json_cursor.h"
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
    JsonCursor first(input_.bytes);
    while (first.next_member(key)) {
      if (key == "meta" && first.kind() == '{')
        read_meta(first);
      else if (key == "shared" && first.kind() == '{')
        read_tables(first, shared_);
      else
        first.skip();
    }
    if (start_ms_ > 0 && start_ms_ < 4e12) sink_.base_time(std::llround(start_ms_ * 1e6));
    JsonCursor cursor(input_.bytes);
    read_process(cursor, 0);
    if (const auto error = input_.bytes.ending().error) return tl::make_unexpected(*error);
    if (cursor.is_broken()) facts_.report.add(Finding::kUnterminated, cursor.offset());
    facts_.report.add(Finding::kTableNotRead, ImportReport::kNoOffset, "markers", markers_);
    facts_.report.add(Finding::kTimestampInvalid, ImportReport::kNoOffset, "samples without a time", no_time_);
    for (const auto& [pid, name] : processes_) sink_.name_process(pid, name);
    return write_profile(profile_, input_, facts_, sink_);
  }

 private:
  void read_meta(JsonCursor& cursor) {
    std::string key;
    while (cursor.next_member(key)) {
      if (key == "startTime")
        start_ms_ = cursor.number().value_or(0);
      else if (key == "interval")
        interval_ms_ = cursor.number().value_or(0);
      else
        cursor.skip();
    }
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
        while (cursor.next_entry())
          if (cursor.begins('{')) read_thread(cursor);
      } else if (key == "processes" && is_list && depth < kDeepestProcess) {
        while (cursor.next_entry())
          if (cursor.begins('{')) read_process(cursor, depth + 1);
      } else {
        cursor.skip();
      }
    }
  }

  void read_thread(JsonCursor& cursor) {
    GeckoTables own;
    GeckoTable samples;
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
        count_markers(cursor);
      else
        cursor.skip();
    });
    if (!process.empty()) processes_[pid] = process;
    const std::vector<SampledProfile::Stack> stacks = make_stacks(own);
    SampledProfile::Thread& thread = profile_.thread(pid, tid);
    thread.name = name;
    thread.period = interval_ms_ > 0 && interval_ms_ < 1e9 ? std::max<Nanos>(1, std::llround(interval_ms_ * 1e6)) : 0;
    const bool has_deltas = samples.size("time") == 0 && samples.size("timeDeltas") > 0;
    double time = 0;
    for (std::size_t row = 0; row < std::max(samples.size("stack"), samples.size("time")); ++row) {
      time = has_deltas ? time + samples.number("timeDeltas", row) : samples.number("time", row);
      if (!(std::abs(time) < 4e12)) {
        ++no_time_;
        if (has_deltas) break;
        continue;
      }
      const auto stack = samples.index("stack", row);
      thread.samples.push_back({.time = std::llround(time * 1e6),
                                .stack = stack && *stack < stacks.size() ? stacks[*stack] : SampledProfile::kNoFrames});
    }
  }

  void count_markers(JsonCursor& cursor) {
    GeckoTable markers;
    markers.read(cursor);
    markers_ += std::max(markers.size("startTime"), markers.size("name"));
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
  std::int64_t number_ = 0;
  std::uint64_t markers_ = 0, no_time_ = 0;
};

bool is_gecko(std::string_view head, bool) {
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
