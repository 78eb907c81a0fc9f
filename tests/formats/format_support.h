#pragma once
// Helpers of the readers' tests: files to read, and the contents of a trace as text.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "model/causes/cause_index.h"
#include "model/gaps/gaps.h"
#include "model/import/arguments.h"
#include "model/import/importer.h"
#include "model/trace/import_finding.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {

inline void write_sqlite(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &connection) == SQLITE_OK);
  char* error = nullptr;
  sqlite3_exec(connection, ("PRAGMA page_size = 512; BEGIN;" + sql + "COMMIT;").c_str(), nullptr, nullptr, &error);
  REQUIRE_MESSAGE(error == nullptr, std::string(error == nullptr ? "" : error));
  sqlite3_close(connection);
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Result<Trace> import_path(const std::string& path) {
  return import_files(std::span(&path, 1));
}

/// Returns a line per slice, "process/track: category name start+duration {key=value …}", in the order of their starts;
/// then the instants, "@time", and the counters with their values.
inline std::string describe_trace(const Trace& trace) {
  std::vector<std::pair<Nanos, std::string>> lines;
  for (const Track& track : trace.tracks()) {
    const std::string where =
        fmt::format("{}/{}: ", trace.text(trace.process(track.process).name), trace.text(track.name));
    for (std::uint32_t l = 0; l < track.lane_count; ++l) {
      const LaneId id{track.first_lane.value + l};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        std::string arguments;
        const auto read = read_arguments(trace, {id, i});
        REQUIRE(read.has_value());
        for (const Argument& argument : *read)
          arguments += fmt::format("{}{}={}", arguments.empty() ? "" : " ", argument.key, argument.value);
        lines.emplace_back(lane.start(i),
                           fmt::format("{}{} {} {}+{} {{{}}}\n", where, trace.category_name(lane.category(i)),
                                       trace.name({id, i}), lane.start(i), lane.duration(i), arguments));
      }
    }
    for (const Instant& instant : track.instants)
      lines.emplace_back(instant.time, fmt::format("{}{} @{}\n", where, trace.text(instant.name), instant.time));
    if (track.kind != TrackKind::kCounter) continue;
    std::string values;
    for (std::size_t i = 0; i < track.counter.times.size(); ++i)
      values += fmt::format(" {}={}", track.counter.times[i], track.counter.values[i]);
    lines.emplace_back(INT64_MAX, where + "counter" + values + "\n");
  }
  std::ranges::stable_sort(lines);
  std::string text;
  for (const auto& [start, line] : lines) text += line;
  return text;
}

/// Returns the causes of a stream's gaps, "1400+600 launch-bound, …".
inline std::string describe_gaps(const Trace& trace, const StreamActivity& stream) {
  std::string text;
  const CauseIndex causes(trace);
  const auto found = causes.diagnose(stream.gaps);
  for (std::size_t i = 0; i < found.size(); ++i)
    text += fmt::format("{}{}+{} {}", text.empty() ? "" : ", ", stream.gaps[i].start, stream.gaps[i].duration(),
                        cause_name(found[i].cause));
  return text;
}

/// Checks that reading a damaged file ends with an error or with a partial trace on which all queries work.
inline void check_ends_well(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  const auto trace = import_path(path);
  if (!trace) {
    REQUIRE(!trace.error().cause.empty());
    return;
  }
  const CauseIndex causes(*trace);
  for (const StreamActivity& stream : analyze_streams(*trace))
    REQUIRE(causes.diagnose(stream.gaps).size() == stream.gaps.size());
}

/// Checks the file truncated at every `step`th byte, and with every `step`th byte changed.
inline void check_damage(const std::string& path, const std::string& whole, std::size_t step) {
  for (std::size_t at = 0; at < whole.size(); at += step) {
    CAPTURE(at);
    check_ends_well(path, std::string_view(whole).substr(0, at));
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (at % 3 == 0 ? 0xff : at % 3 == 1 ? 0x5a : 0x01));
    check_ends_well(path, changed);
  }
}

}  // namespace lacuna::test
