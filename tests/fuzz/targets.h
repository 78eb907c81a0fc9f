#pragma once
// What each fuzz target does with its input. Apart from the targets, so that an ordinary test can
// replay the inputs that once found something (tests/import/regressions_test.cpp) without clang.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/causes/cause_index.h"
#include "model/gaps/gaps.h"
#include "model/import/arguments.h"
#include "model/import/importer.h"
#include "model/input/bytes.h"
#include "model/statistics/statistics.h"
#include "model/trace/import_finding.h"

namespace lacuna::fuzz {

/// A promise that must hold whatever the input. Ends the program, which is how libFuzzer learns.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Asks the trace what the window and the command line would ask.
inline void use(const Trace& trace) {
  const Statistics statistics = compute_statistics(trace);
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  const CauseIndex causes(trace);
  for (const StreamActivity& stream : streams) causes.diagnose(stream.gaps);
  // Args of a few slices: reading an event back must end, not succeed (it may have been mended).
  constexpr std::uint32_t kMostPerLane = 4;
  for (std::uint32_t l = 0; l < trace.lanes().size() && l < 16; ++l) {
    const Lane& lane = trace.lane(LaneId{l});
    for (std::uint32_t i = 0; i < std::min(lane.size(), kMostPerLane); ++i) {
      const SliceId slice{LaneId{l}, i};
      require(lane.duration(i) >= 0, "durations are never negative");
      require(lane.end(i) >= lane.start(i), "ends do not overflow");
      (void)read_arguments(trace, slice);
      (void)read_event_json(trace.source_of(trace.track_of(slice)), lane.file_offset(i));
    }
  }
}

inline Result<Trace> import_with(std::string_view text, std::size_t chunk_bytes, bool tolerant_only) {
  ImportOptions options;
  options.threads = 1;
  options.chunk_bytes = chunk_bytes;
  options.tolerant_only = tolerant_only;
  return import_json(text, "fuzz", options);
}

/// Whether the text is JSON of which nothing had to be mended or skipped. How damage is mended may depend on what
/// was read before it, and so on where the text was cut; of intact text nothing may. The strict reader looks at the
/// first and the last character of a number, and so takes 1\"2 for one whose value cannot be read.
inline bool is_intact(const Trace& trace, std::string_view text) {
  for (auto finding = Finding::kTrailingComma; finding < Finding::kCount;
       finding = static_cast<Finding>(static_cast<int>(finding) + 1))
    if (trace.report().count(finding) != 0) return false;
  return trace.report().count(Finding::kNotAnEvent) == 0 && nlohmann::json::accept(text);
}

inline void require_same(const Trace& a, const Result<Trace>& b, const char* promise) {
  require(b.has_value(), promise);
  require(a.event_count() == b->event_count() && a.slice_count() == b->slice_count(), promise);
  require(a.span() == b->span() && a.tracks().size() == b->tracks().size(), promise);
}

/// The importer as everybody uses it: whole, cut into small pieces, and as the tolerant reader sees
/// it; of intact text with the same result.
inline void run_strict(std::string_view text) {
  const Result<Trace> whole = import_with(text, std::size_t{16} << 20, false);
  const Result<Trace> cut = import_with(text, 64, false);
  if (!whole) return;
  use(*whole);
  if (!is_intact(*whole, text)) return;
  require_same(*whole, cut, "where intact text is cut does not matter");
  require_same(*whole, import_with(text, std::size_t{16} << 20, true), "both readers agree on intact text");
}

/// The tolerant reader alone.
inline void run_tolerant(std::string_view text) {
  const Result<Trace> whole = import_with(text, std::size_t{16} << 20, true);
  const Result<Trace> cut = import_with(text, 64, true);
  if (!whole) return;
  use(*whole);
  if (is_intact(*whole, text)) require_same(*whole, cut, "where intact text is cut does not matter");
}

/// The gzip and zstd front: whatever the bytes, it ends, within the limit.
inline void run_compression(std::string_view data) {
  constexpr std::uint64_t kLimit = 1 << 20;
  auto file = open_memory(std::string(data), kLimit);
  if (!file) return;
  file->bytes->ending();
  require(file->bytes->size() <= kLimit, "the limit holds");
  std::array<char, 4096> buffer;
  std::string text;
  for (std::uint64_t at = 0; at < file->bytes->size(); at += buffer.size())
    text.append(buffer.data(), file->bytes->read_at(at, buffer));
  require(text.size() == file->bytes->size(), "what is there can be read");
}

}  // namespace lacuna::fuzz
