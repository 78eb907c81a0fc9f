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

/// A trace and what is computed of it whenever it is opened.
struct KeptTrace {
  Trace trace;
  std::vector<FoldIndex> folds;  ///< of each lane
  Statistics statistics;         ///< of the whole trace
  TimeSpan home;                 ///< what the window shows at first
};

/// What a trace is made of that is made of another one: ids as in a Trace, texts by their numbers less one.
struct TraceParts {
  std::vector<std::string_view> texts;  ///< different ones, none of them empty
  std::vector<TraceSource> sources;
  std::vector<Process> processes;
  std::vector<ProcessId> process_order;
  std::vector<Track> tracks;  ///< slice_count is filled in
  std::vector<Lane> lanes;
  std::vector<Category> categories;
  TimeSpan span;
  ImportReport report;
};

/// Turns a loaded trace into a stored file and back. What comes back answers every question as the trace did
/// that went in. Blocking; any thread.
class TraceCodec {
 public:
  /// Makes the bytes of a file of the trace again, for args: its path, and the size that its JSON had.
  using MakeBytes = std::function<std::shared_ptr<const ByteSource>(const TraceSource& source)>;

  static void write(StoredFileWriter& out, const Trace& trace, const std::vector<FoldIndex>& folds,
                    const Statistics& statistics, TimeSpan home);
  /// Nothing when the file is damaged. Every id and index in what it returns is one that exists, whatever the
  /// file says. Throws std::bad_alloc.
  static std::optional<KeptTrace> read(StoredFileReader& in, unsigned threads, const MakeBytes& make_bytes);

  /// Trusts what it gets.
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
  // What would be indexed with.
  static bool is_sound(const Trace& trace);
  static bool is_sound(const Trace& trace, const Lane& lane, std::uint32_t number);
  static bool is_sound(const Trace& trace, const FoldIndex& folds, const Lane& lane);
};

}  // namespace lacuna
