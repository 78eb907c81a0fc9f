#pragma once
// The body of each fuzz target. Separate from the targets, so that an ordinary test can
// replay inputs that once found a bug (tests/import/regressions_test.cpp) without clang.

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

/// Requires a property that must hold for any input. Aborts otherwise, which reports it to libFuzzer.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Runs the queries of the window and the command line on the trace.
inline void use(const Trace& trace) {
  const Statistics statistics = compute_statistics(trace);
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  const CauseIndex causes(trace);
  for (const StreamActivity& stream : streams) causes.diagnose(stream.gaps);
  // Args of a few slices: reading an event back must terminate, not succeed (it may have been repaired).
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

/// Whether the text is JSON of which nothing was repaired or skipped. Repairs may depend on what
/// was read before, and so on where the text was cut; results for intact text may not. The strict reader checks the
/// first and the last character of a number only, and so takes 1\"2 for one whose value cannot be read.
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

/// Runs the importer in its usual ways: on the whole text, cut into small pieces, and with the tolerant
/// reader; for intact text all results must be equal.
inline void run_strict(std::string_view text) {
  const Result<Trace> whole = import_with(text, std::size_t{16} << 20, false);
  const Result<Trace> cut = import_with(text, 64, false);
  if (!whole) return;
  use(*whole);
  if (!is_intact(*whole, text)) return;
  require_same(*whole, cut, "where intact text is cut does not matter");
  require_same(*whole, import_with(text, std::size_t{16} << 20, true), "both readers agree on intact text");
}

/// Runs the tolerant reader alone.
inline void run_tolerant(std::string_view text) {
  const Result<Trace> whole = import_with(text, std::size_t{16} << 20, true);
  const Result<Trace> cut = import_with(text, 64, true);
  if (!whole) return;
  use(*whole);
  if (is_intact(*whole, text)) require_same(*whole, cut, "where intact text is cut does not matter");
}

/// Runs the gzip and zstd decompressors: they must terminate on any bytes, within the limit.
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
