#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/base/time.h"
#include "model/trace/trace.h"

namespace lacuna {

/// How several files come to share one time axis.
enum class FileClocks : std::uint8_t {
  kFiles,  ///< as the files say: by base or absolute times, else by their first events (plan_alignment())
  kRaw,    ///< each file's own times, as they are
  kGiven,  ///< by ImportOptions::shifts; files that it does not name as kFiles
};
struct FileShift {
  std::string path;    ///< TraceSource::path
  Nanos shift_ns = 0;  ///< added to the file's own times
};

/// Limits and choices of one import. The defaults are what `lacuna TRACE` uses.
struct ImportOptions {
  unsigned threads = 0;  ///< parser threads; 0 = one per core
  /// Largest decompressed size; a gzip bomb ends here with ErrorCode::kLimit.
  std::uint64_t max_json_bytes = std::uint64_t{64} << 30;
  /// Bytes of JSON a parser thread takes at a time, at most; each gives one EventBatch (tests make
  /// it tiny to cut everywhere).
  std::size_t chunk_bytes = std::size_t{16} << 20;
  /// Events of these categories are left out and counted: "python_function" halves many files.
  std::vector<std::string> skip_categories;
  /// `ts` and `dur` are nanoseconds, not microseconds as the format has it: of files whose writers took it otherwise.
  bool times_in_ns = false;
  FileClocks clocks = FileClocks::kFiles;
  std::vector<FileShift> shifts;  ///< for FileClocks::kGiven
  std::string steps_from;         ///< Trace::steps_from()
  /// A file of requests to a server (formats/requests/requests.h), to be shown beside the trace; empty: what
  /// find_request_files() finds.
  std::string requests;
  /// Read everything with the tolerant reader (to compare it with the strict one).
  bool tolerant_only = false;
  /// For who opens traces through TraceCache: take one that is kept there, and keep what had to be read.
  bool use_cache = false;
  /// Gets the trace as far as it is read, several times while a long import runs: first after
  /// first_preview_ms, then each time that three times as long has passed, so that previews together
  /// cost a small part of the import. Called on the importing thread, which hands on events; the
  /// parser threads work on meanwhile. Facts that stand outside the events may still be missing.
  std::function<void(Trace)> preview;
  unsigned first_preview_ms = 30;
  /// Batches hold EventBatch::raw and nothing else: for read_trace() alone, which must then get no builder.
  bool raw_events = false;
};

/// Shared between the importing thread and the one that shows its progress. All members are atomic.
struct ImportProgress {
  enum class Phase : std::uint8_t { kReading, kBuilding, kDone };
  std::atomic<std::uint64_t> bytes_done{0};  ///< of the files as they lie on disk
  std::atomic<std::uint64_t> bytes_total{0};
  std::atomic<std::uint64_t> events{0};
  std::atomic<Phase> phase{Phase::kReading};
  /// One of the files is a pipe into which nothing was written yet.
  std::atomic<bool> waits_for_writer{false};
  std::atomic<bool> cancel{false};  ///< set it to make import return kCancelled soon
};

}  // namespace lacuna
