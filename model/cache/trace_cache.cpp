#include "model/cache/trace_cache.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "model/base/os/files.h"
#include "model/base/os/folder_paths.h"
#include "model/base/os/machine.h"
#include "model/base/os/user_folders.h"
#include "model/cache/least_used.h"
#include "model/cache/reopened_bytes.h"
#include "model/import/capture_traces.h"
#include "model/import/request_files.h"
#include "model/import/trace_files.h"
#include "model/input/archive.h"
#include "model/input/memory_room.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".trace";
constexpr std::string_view kUnfinished = ".writing";
/// An unfinished file of this age belongs to nobody who still writes it.
constexpr auto kAbandoned = std::chrono::hours(1);

/// What changes with every build of the program.
std::string program_stamp() {
  const auto program = facts_at(own_program());
  return program ? fmt::format("{}.{}", program->bytes, program->modified_ns) : std::string();
}

}  // namespace

std::string TraceCache::default_folder() {
  const std::string folder = user_cache_folder();
  return folder.empty() ? folder : folder + "/lacuna/traces";
}

TraceCache::Files TraceCache::look_at(std::span<const std::string> paths, const ImportOptions& options) {
  Files files;
  const auto found = find_trace_files(paths, {.most_bytes = options.max_json_bytes});
  const std::string stamp = program_stamp();
  if (!found || stamp.empty() || options.tolerant_only) return files;
  std::string key = stamp;
  const auto add = [&key](std::string_view text) { key.append(fmt::format("\n{}:", text.size())).append(text); };
  for (const std::string& category : options.skip_categories) add(category);
  add("");
  if (options.times_in_ns) add("times in ns");
  if (options.clocks != FileClocks::kFiles) {
    add(fmt::format("clocks {}", static_cast<int>(options.clocks)));
    for (const FileShift& shift : options.shifts) add(fmt::format("{} {}", shift.shift_ns, shift.path));
  }
  for (const TraceFile& file : *found) {
    std::error_code failed;
    add(file.path);
    add(fs::canonical(file_on_disk(file.path), failed).string());
    files.paths.push_back(file.path);
  }
  for (const CaptureTrace& capture : find_capture_traces(*found)) {
    add(capture.path);
    add(capture.mode);
    add(std::to_string(capture.batch_size));
    files.paths.push_back(capture.path);
  }
  std::vector<std::string> requests{options.requests};
  if (options.requests.empty()) {
    std::vector<std::string> traces;
    for (const TraceFile& file : *found)
      if (file.archive == nullptr) traces.push_back(file.path);
    requests = find_request_files(traces);
  }
  for (const std::string& path : requests) {
    add("requests");
    add(path);
    files.paths.push_back(path);
  }
  for (const std::string& path : files.paths) {
    const auto proof = prove_file(path);
    if (!proof) break;
    files.proofs.push_back(*proof);
  }
  const auto bytes = std::as_bytes(std::span(key));
  files.name = fmt::format("{:016x}", stored_checksum(bytes));
  files.key = std::move(key);
  return files;
}

std::optional<KeptTrace> TraceCache::find(const Files& files, const ImportOptions& options) const {
  if (folder_.empty() || files.key.empty() || files.proofs.size() != files.paths.size()) return std::nullopt;
  const std::string path = fmt::format("{}/{}{}", folder_, files.name, kEnding);
  const Descriptor file = open_for_reading(path, LinkRule::kRefuse);
  const auto facts = facts_of(file.get());
  if (!facts || !facts->is_regular() || !facts->is_private()) return std::nullopt;

  StoredFileReader in(file.get());
  if (in.get_text() != files.key || in.get_count(sizeof(FileProof)) != files.proofs.size()) return std::nullopt;
  for (const FileProof& proof : files.proofs)
    if (in.get<FileProof>() != proof) return std::nullopt;
  make_room_for_tables(facts->bytes);
  const unsigned threads = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  auto kept = TraceCodec::read(in, threads, [&](const TraceSource& source) -> std::shared_ptr<const ByteSource> {
    const auto at = std::ranges::find(files.paths, source.path);
    if (at == files.paths.end()) {
      in.refuse();
      return nullptr;
    }
    return reopen_bytes(source.path, source.json_bytes, options.max_json_bytes,
                        files.proofs[static_cast<std::size_t>(at - files.paths.begin())]);
  });
  if (kept) note_use(file.get());  // a hint for make_room()
  if (kept) kept->trace.set_steps_from(options.steps_from);
  return kept;
}

Result<bool> TraceCache::keep(const Files& files, const Trace& trace, const std::vector<FoldIndex>& folds,
                              const Statistics& statistics, TimeSpan home, const std::atomic<bool>* cancel) const {
  if (folder_.empty() || files.key.empty() || files.proofs.size() != files.paths.size()) return false;
  std::uint64_t json_bytes = 0;
  for (const TraceSource& source : trace.sources()) {
    if (source.bytes == nullptr) return false;  // no JSON
    json_bytes += source.is_rank_of_file ? 0 : source.json_bytes;
  }
  std::uint64_t lane_bytes = 0;
  for (const Lane& lane : trace.lanes()) lane_bytes += lane.memory_bytes();
  if (json_bytes < limits_.least_json_bytes || lane_bytes > limits_.most_bytes) return false;
  if (trace.report().count(Finding::kFileChanged) > 0) return false;
  for (std::size_t i = 0; i < files.paths.size(); ++i)
    if (prove_file(files.paths[i]) != files.proofs[i]) return false;
  if (!make_private_folder(folder_)) return fail(ErrorCode::kNotWritable, "not a folder private to this user", folder_);

  const std::string path = fmt::format("{}/{}{}", folder_, files.name, kEnding);
  const std::string unfinished = fmt::format("{}.{}{}", path, process_id(), kUnfinished);
  {
    const Descriptor file = create_file(unfinished, Readers::kOwner);
    if (!file.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), unfinished);
    StoredFileWriter out(file.get(), cancel);
    out.put_text(files.key);
    out.put(std::uint64_t{files.proofs.size()});
    for (const FileProof& proof : files.proofs) out.put(proof);
    TraceCodec::write(out, trace, folds, statistics, home);
    if (!out.finish()) {
      const int error = errno;
      (void)remove_file(unfinished);
      if (cancel != nullptr && *cancel) return false;
      return fail(ErrorCode::kNotWritable, std::strerror(error), unfinished);
    }
  }
  if (!rename_file(unfinished, path)) {
    const int error = errno;
    (void)remove_file(unfinished);
    return fail(ErrorCode::kNotWritable, std::strerror(error), path);
  }
  make_room();
  return true;
}

void TraceCache::make_room() const {
  std::vector<CachedEntry> all;
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (const fs::path path : folder_paths(folder_, failed)) {
    const fs::file_time_type used = fs::last_write_time(path, failed);
    const CachedEntry kept{path.string(), used.time_since_epoch().count(), fs::file_size(path, failed)};
    if (failed) continue;  // another process took it away
    if (path.extension() == kUnfinished && fs::file_time_type::clock::now() - used > kAbandoned) {
      fs::remove(kept.path, failed);
    } else if (path.extension() == kEnding) {
      bytes += kept.bytes;
      all.push_back(kept);
    }
  }
  remove_least_used(std::move(all), bytes, limits_.most_bytes);
}

TraceCache::Usage TraceCache::usage() const {
  Usage usage;
  std::error_code failed;
  for (const fs::path path : folder_paths(folder_, failed)) {
    const std::uint64_t bytes = fs::file_size(path, failed);
    if (failed || path.extension() != kEnding) continue;
    ++usage.files;
    usage.bytes += bytes;
  }
  return usage;
}

}  // namespace lacuna
