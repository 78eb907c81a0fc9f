#include "app/cli/memory.h"

#include <optional>
#include <span>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/option_values.h"
#include "app/cli/pipe_notice.h"
#include "model/formats/formats.h"
#include "model/formats/pickle/pickle_reader.h"
#include "model/formats/snapshot/snapshot_events.h"
#include "model/memory/memory_holders.h"

namespace lacuna {
namespace {

Result<void> wait_for_end(const OpenedFile& file, const std::string& path) {
  std::optional<Error> error = file.bytes->ending().error;
  if (!error) return {};
  error->file = path;
  return tl::make_unexpected(std::move(*error));
}

/// A pipe counts as none: what is read of it now would be missing later.
bool is_snapshot_file(const std::string& path, const ImportOptions& import) {
  if (is_pipe(path)) return false;
  const Result<OpenedFile> file = open_file(path, import.max_json_bytes, nullptr);
  return file && looks_like_pickle(*file->bytes);
}

}  // namespace

void MemoryCommand::add_to(CLI::App& memory) {
  memory
      .add_option("--at", at, "When: peak, start, end, or microseconds: a time of the file, or since its first event")
      ->type_name("TIME|peak")
      ->check([](const std::string& text) {
        const bool is_word = text == "peak" || text == "start" || text == "end";
        const auto time = parse_microseconds(text);
        return is_word || (time && *time >= 0) ? std::string{}
                                               : "'" + text + "' is not peak, start, end or a number of microseconds";
      });
  memory.add_option("--by", by, "Who: frame, category, phase, stack, module or segment (default: frame)")
      ->type_name("WHO")
      ->check([](const std::string& text) {
        return text == "module" || holder_key(text)
                   ? std::string{}
                   : "'" + text + "' is not one of frame, category, phase, stack, module, segment";
      });
  memory
      .add_option("--compare", compare, "A second snapshot: what it holds more or less at the same moment of its own")
      ->type_name("FILE");
  memory.add_option("--limit", limit, "Rows of a table; 0 = all (default: 20; with --json all)")
      ->check(is_count)
      ->type_name("N");
  CLI::Option* as_json = memory.add_flag("--json", json, "Write JSON to standard output");
  CLI::Option* as_html = memory.add_flag("--html", html, "Write one HTML page to standard output");
  CLI::Option* as_folded = memory.add_flag(
      "--folded", folded, "One line per stack, \"a;b;c 123\" in bytes, for flamegraph.pl; of two: \"a;b;c 123 456\"");
  as_json->excludes(as_html)->excludes(as_folded);
  as_html->excludes(as_folded);
}

Result<OpenedFile> open_whole_pickle(const std::string& path, std::uint64_t max_bytes, ImportProgress& progress) {
  const PipeNotice notice(std::span(&path, 1), progress);
  Result<OpenedFile> file = open_file(path, max_bytes, &progress);
  if (!file || !looks_like_pickle(*file->bytes)) return file;
  if (auto whole = wait_for_end(*file, path); !whole) return tl::make_unexpected(whole.error());
  return file;
}

Result<void> print_memory(const std::vector<std::string>& paths, const ImportOptions& import,
                          const MemoryCommand& command, Output& out) {
  if (paths.size() == 1) {
    ImportProgress progress;
    const PipeNotice notice(paths, progress);
    Result<OpenedFile> file = open_file(paths.front(), import.max_json_bytes, &progress);
    if (file) {
      const Format& format = recognise_format(*file);
      if (format.use == FormatUse::kMemory) {
        if (auto whole = wait_for_end(*file, paths.front()); !whole) return whole;
        return &format == &kSnapshotFormat ? print_snapshot_memory(*file, paths.front(), command, out)
                                           : print_timeline_memory(*file, paths.front(), command, out);
      }
      if (is_pipe(paths.front())) {
        if (auto whole = wait_for_end(*file, paths.front()); !whole) return whole;
        std::string text(file->bytes->size(), '\0');
        text.resize(file->bytes->read_at(0, text));
        file->bytes.reset();
        return print_trace_memory(import_json(text, paths.front(), import), command, out);
      }
    }
  }
  if (paths.size() == 2 && command.compare.empty() && is_snapshot_file(paths[0], import) &&
      is_snapshot_file(paths[1], import)) {
    MemoryCommand with_other = command;
    with_other.compare = paths[1];
    return print_memory({paths[0]}, import, with_other, out);
  }
  // Beside traces it would be ignored silently.
  for (const std::string& path : paths)
    if (paths.size() > 1 && is_snapshot_file(path, import))
      return fail(ErrorCode::kInvalidArgument,
                  "an allocator snapshot among several files: it is read alone, or with one that it is compared with",
                  path);
  if (!command.compare.empty())
    return fail(ErrorCode::kInvalidArgument, "--compare needs two allocator snapshots; for traces: lacuna diff A B");
  return print_trace_memory(load_traces(paths, import), command, out);
}

constexpr const char* kMemoryHelp =
    R"help(Who holds the memory of a device, when it peaks and why it ran out. FILE is one of
  an allocator snapshot: torch.cuda.memory._record_memory_history(), then _dump_snapshot("a.pickle");
  a trace of profile_memory=True with its [memory] events;
  a file of export_memory_timeline (.json, .json.gz, .raw.json.gz).
Two snapshots are compared, as with --compare.
A snapshot is read without executing anything: opcodes that do more than build plain data are refused.
Active memory of a snapshot: what its last state says is live, less what the history added after the moment.
Holders are what was allocated and not yet freed (free_completed) then, in the bytes asked for; what whole blocks
take beyond that is "(rounding by the allocator)". Frame: the innermost Python frame outside PyTorch; stack:
equal stacks; category: as PyTorch's memory profiler calls them, guessed from the stacks of allocation and free;
segment: what of the driver's memory they lie in; phase: forward, backward, optimizer, construction, data loading.
Of a trace: frame is the operator that allocated, stack the operators around it, module the innermost nn.Module
(with_modules=True, with_stack=True), phase what the operators and ranges around it are called.
JSON of a snapshot: segments (count, totalBytes, allocatedBytes, activeBytes, blocks, byType, blockStates),
  devices[] (device, events, actions, firstUs, lastUs, activeAtStartBytes, activeAtEndBytes, peakActiveBytes,
  peakTimeUs, largest[], at (timeUs, event, activeBytes, heldBytes, reservedBytes, freeBytes,
  largestFreeBytes), fragmentation[], growing[]), holders[] (device, name, bytes, count, share, largestBytes,
  stack), live[] (the largest allocations then), outOfMemory[] (device, timeUs, requestedBytes,
  deviceFreeBytes, reservedBytes, activeBytes, cachedBytes, largestFreeBytes, cause, explanation[], stack,
  holders[]), settings, annotations, keys, notUnderstood. With --compare: difference[] (name, bytes,
  otherBytes, changeBytes).
JSON of a trace: devices[] (device, records, peakActiveBytes, peakTimeUs, peakReservedBytes …), holders[].
JSON of a timeline: categories[] (name, peakBytes, bytes), peakActiveBytes, peakTimeUs, holders[].
)help";

Command memory_command(CommandContext& context) {
  const auto run = [&context](const MemoryCommand& command) {
    return answer([&](Output& out) { return print_memory(context.load.paths, context.load.import, command, out); });
  };
  return make_command("memory", "Who holds the memory, when it peaks, why it ran out", kMemoryHelp,
                      std::make_shared<MemoryCommand>(), run, &context.load);
}

}  // namespace lacuna
