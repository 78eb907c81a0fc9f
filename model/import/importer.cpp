#include "model/import/importer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>
#include <thread>

#include "model/import/bytes.h"
#include "model/import/top_level.h"
#include "model/trace_builder.h"

namespace lacuna {
namespace {

unsigned thread_count(const ImportOptions& options) {
  return options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
}

/// Hands out previews when they are due.
class Previews {
 public:
  Previews(const ImportOptions& options, const ImportProgress* progress)
      : options_(options), progress_(progress), due_(begin_ + std::chrono::milliseconds(options.first_preview_ms)) {}

  void offer(const TraceBuilder& builder) {
    if (!options_.preview || Clock::now() < due_) return;
    Trace trace = builder.snapshot(1, progress_ == nullptr ? nullptr : &progress_->cancel);
    if (progress_ != nullptr && progress_->cancel) return;
    options_.preview(std::move(trace));
    due_ = begin_ + kGrowth * (Clock::now() - begin_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kGrowth = 3;
  const ImportOptions& options_;
  const ImportProgress* const progress_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point due_;
};

Result<void> add_file(TraceBuilder& builder, const std::string& path, OpenedFile file,
                      const ImportOptions& options, ImportProgress* progress, Previews& previews) {
  TraceSource described;
  described.path = path;
  described.format = file.format;
  described.file_bytes = file.file_bytes;
  described.bytes = file.bytes;
  const SourceId id = builder.add_source(std::move(described));
  TraceSource facts;
  auto read = read_trace(*file.bytes, options, progress, facts,
                         [&](EventBatch batch) {
                           builder.add(id, std::move(batch));
                           previews.offer(builder);
                         });
  if (!read) {
    file.bytes->abandon();
    Error error = read.error();
    error.file = path;
    return tl::make_unexpected(std::move(error));
  }
  TraceSource& source = builder.source(id);
  source.json_bytes = facts.json_bytes;
  source.base_time_ns = facts.base_time_ns;
  source.has_base_time = facts.has_base_time;
  source.rank = facts.rank;
  source.world_size = facts.world_size;
  source.display_time_unit = std::move(facts.display_time_unit);
  source.devices = std::move(facts.devices);
  source.metadata = std::move(facts.metadata);
  source.report.merge(facts.report);
  if (source.file_bytes == 0) source.file_bytes = source.json_bytes;  // a pipe
  return {};
}

Result<Trace> finish(TraceBuilder& builder, const ImportOptions& options, ImportProgress* progress) {
  if (progress != nullptr) progress->phase = ImportProgress::Phase::kBuilding;
  Trace trace = builder.finish(thread_count(options), progress == nullptr ? nullptr : &progress->cancel);
  if (progress != nullptr) {
    if (progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    progress->phase = ImportProgress::Phase::kDone;
  }
  return trace;
}

/// Runs `import`; no exception leaves this folder.
template <class Import>
Result<Trace> guarded(const std::string& file, Import import) {
  try {
    return import();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to load the trace", file);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kLimit, std::string("the trace cannot be loaded: ") + e.what(), file);
  }
}

}  // namespace

Result<Trace> import_files(std::span<const std::string> paths, const ImportOptions& options,
                           ImportProgress* progress) {
  if (paths.empty()) return fail(ErrorCode::kInvalidArgument, "no file given");
  if (progress != nullptr) {
    for (const std::string& path : paths) {
      std::error_code no_size;
      const auto size = std::filesystem::file_size(path, no_size);
      if (!no_size) progress->bytes_total += size;
    }
  }
  return guarded(paths.front(), [&]() -> Result<Trace> {
    TraceBuilder builder;
    Previews previews(options, progress);
    std::uint64_t bytes_before = 0;
    for (const std::string& path : paths) {
      auto file = open_file(path, options.max_json_bytes, progress);
      if (!file) return tl::make_unexpected(file.error());
      bytes_before += file->file_bytes;
      if (auto added = add_file(builder, path, std::move(*file), options, progress, previews); !added)
        return tl::make_unexpected(added.error());
      if (progress != nullptr) progress->bytes_done = bytes_before;
    }
    return finish(builder, options, progress);
  });
}

Result<Trace> import_json(std::string_view json, std::string label, const ImportOptions& options) {
  return guarded(label, [&]() -> Result<Trace> {
    TraceBuilder builder;
    Previews previews(options, nullptr);
    OpenedFile file{make_memory_bytes(std::string(json)), "Chrome JSON", json.size()};
    if (auto added = add_file(builder, label, std::move(file), options, nullptr, previews); !added)
      return tl::make_unexpected(added.error());
    return finish(builder, options, nullptr);
  });
}

}  // namespace lacuna
