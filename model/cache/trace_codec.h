#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/byte_source.h"
#include "model/cache/stored_file.h"
#include "model/index/fold_index.h"
#include "model/statistics/statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A trace with the data computed from it on every opening.
struct KeptTrace {
  Trace trace;
  std::vector<FoldIndex> folds;  ///< one for each lane
  Statistics statistics;         ///< of the whole trace
  TimeSpan home;                 ///< the time span shown at first
};

/// The parts of a trace derived from another one: ids as in a Trace; text ids are indices + 1.
struct TraceParts {
  std::vector<std::string_view> texts;  ///< distinct, none empty
  std::vector<TraceSource> sources;
  std::vector<Process> processes;
  std::vector<ProcessId> process_order;
  std::vector<Track> tracks;  ///< with slice_count set
  std::vector<Lane> lanes;
  std::vector<Category> categories;
  TimeSpan span;
  ImportReport report;
};

/// Converts a loaded trace to a stored file and back. The result answers every query as the original
/// did. Blocking; any thread.
class TraceCodec {
 public:
  /// Provides the bytes of a source's file for args, from its path and the size of its JSON.
  using MakeBytes = std::function<std::shared_ptr<const ByteSource>(const TraceSource& source)>;

  static void write(StoredFileWriter& out, const Trace& trace, const std::vector<FoldIndex>& folds,
                    const Statistics& statistics, TimeSpan home);
  /// Nothing when the file is damaged. Every id and index in the result is valid, whatever the
  /// file holds. Throws std::bad_alloc.
  static std::optional<KeptTrace> read(StoredFileReader& in, unsigned threads, const MakeBytes& make_bytes);

  /// Does not check its input.
  static Trace assemble(TraceParts parts);

 private:
  static void write_sources(StoredFileWriter& out, const Trace& trace);
  static void read_sources(StoredFileReader& in, Trace& trace, const MakeBytes& make_bytes);
  static void write_tracks(StoredFileWriter& out, const Trace& trace);
  static void read_tracks(StoredFileReader& in, Trace& trace);
  static void write_lanes(StoredFileWriter& out, const Trace& trace);
  static void read_lanes(StoredFileReader& in, Trace& trace);
  static void write_folds(StoredFileWriter& out, const std::vector<FoldIndex>& folds);
  static void read_folds(StoredFileReader& in, std::vector<FoldIndex>& folds);
  static void make_strings(const std::vector<std::uint32_t>& lengths, const std::vector<char>& text, Trace& trace);
  // Check all values that are used as indices.
  static bool is_sound(const Trace& trace);
  static bool is_sound(const Trace& trace, const Lane& lane, std::uint32_t number);
  static bool is_sound(const Trace& trace, const FoldIndex& folds, const Lane& lane);
};

}  // namespace lacuna
