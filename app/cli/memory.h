#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "model/base/result.h"
#include "model/import/importer.h"
#include "model/input/bytes.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna memory`
struct MemoryCommand {
  std::string at = "peak";   ///< or "start", "end", microseconds
  std::string by = "frame";  ///< category, stack, segment
  bool json = false;
  bool html = false;
  bool folded = false;               ///< "a;b;c 123" of the bytes held
  std::optional<std::size_t> limit;  ///< rows of each table; 0 = all
  std::string compare;               ///< a second snapshot
  std::size_t width = 120;

  void add_to(CLI::App& memory);
  std::size_t text_rows() const { return limit.value_or(20); }
};

/// Opens a file; of a compressed or piped pickle it waits for the last byte. For other files it does not wait: a pipe
/// may never end. `progress` must live as long as the file.
Result<OpenedFile> open_whole_pickle(const std::string& path, std::uint64_t max_bytes, ImportProgress& progress);

/// Says who holds the memory: of an allocator snapshot, of a file of export_memory_timeline, or of a trace with
/// [memory] events. Errors: those of reading the file; kInvalidArgument for a time that the file does not have.
Result<void> print_memory(const std::vector<std::string>& paths, const ImportOptions& import,
                          const MemoryCommand& command, Output& out);

/// One function for each kind of file (memory_snapshot.cpp, memory_timeline.cpp, memory_trace.cpp).
Result<void> print_snapshot_memory(const OpenedFile& file, const std::string& path, const MemoryCommand& command,
                                   Output& out);
Result<void> print_timeline_memory(const OpenedFile& file, const std::string& path, const MemoryCommand& command,
                                   Output& out);
Result<void> print_trace_memory(const Result<Trace>& trace, const MemoryCommand& command, Output& out);

}  // namespace lacuna
