#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/base/time.h"
#include "model/trace/trace.h"

namespace lacuna {

/// How several files are put on one time axis.
enum class FileClocks : std::uint8_t {
  kFiles,  ///< by what the files state: base or absolute times, else their first events (plan_alignment())
  kRaw,    ///< each file's own times, unchanged
  kGiven,  ///< by ImportOptions::shifts; files not named there like kFiles
};
struct FileShift {
  std::string path;    ///< TraceSource::path
  Nanos shift_ns = 0;  ///< added to the file's own times
};

/// Limits and choices of one import. The defaults are what `lacuna TRACE` uses.
struct ImportOptions {
  unsigned threads = 0;  ///< parser threads; 0 = one per core
  /// Largest decompressed size; a gzip bomb fails with ErrorCode::kLimit.
  std::uint64_t max_json_bytes = std::uint64_t{64} << 30;
  /// Most bytes of JSON that a parser thread takes at a time; each chunk gives one EventBatch (tests make
  /// it tiny to test every cut).
  std::size_t chunk_bytes = std::size_t{16} << 20;
  /// Events of these categories are skipped and counted: skipping "python_function" halves many files.
  std::vector<std::string> skip_categories;
  /// Read `ts` and `dur` as nanoseconds instead of the format's microseconds, for files written that way.
  bool times_in_ns = false;
  FileClocks clocks = FileClocks::kFiles;
  std::vector<FileShift> shifts;  ///< for FileClocks::kGiven
  std::string steps_from;         ///< Trace::steps_from()
  /// A file of requests to a server (formats/requests/requests.h), to be shown beside the trace; empty: what
  /// find_request_files() finds.
  std::string requests;
  /// Read everything with the tolerant reader (to compare it with the strict one).
  bool tolerant_only = false;
  /// For callers that open traces through TraceCache: use a cached trace, and cache one that had to be read.
  bool use_cache = false;
  /// Receives the trace read so far, several times during a long import: first after
  /// first_preview_ms, then each time the elapsed time has tripled, so that all previews together
  /// cost a small part of the import. Called on the importing thread; the parser threads continue
  /// meanwhile. Facts stored outside the events may still be missing.
  std::function<void(Trace)> preview;
  unsigned first_preview_ms = 30;
  /// Batches hold EventBatch::raw only: for read_trace(), which must then get no builder.
  bool raw_events = false;
};

/// Shared between the importing thread and the one that shows the progress. All members are atomic.
struct ImportProgress {
  enum class Phase : std::uint8_t { kReading, kBuilding, kDone };
  std::atomic<std::uint64_t> bytes_done{0};  ///< of the files as stored on disk
  std::atomic<std::uint64_t> bytes_total{0};
  std::atomic<std::uint64_t> events{0};
  std::atomic<Phase> phase{Phase::kReading};
  /// One of the files is a pipe that has received no data yet.
  std::atomic<bool> waits_for_writer{false};
  std::atomic<bool> cancel{false};  ///< set it to make the import return kCancelled soon
};

}  // namespace lacuna
