#include "model/import/importer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/base/page_memory.h"
#include "model/base/spill_space.h"
#include "model/build/trace_builder.h"
#include "model/formats/formats.h"
#include "model/import/alignment.h"
#include "model/import/capture_traces.h"
#include "model/import/request_files.h"
#include "model/import/request_lanes.h"
#include "model/import/trace_files.h"
#include "model/import/trace_manifest.h"
#include "model/input/bytes.h"
#include "model/input/memory_room.h"
#include "model/trace/import_finding.h"

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

/// Reads files into a builder, one after the other. How several line up is planned anew after each: shifts are those
/// from the first file, so mostly only the last one moves.
class FileAdder {
 public:
  /// `captures`: those beside the files. `is_alone`: nothing is to be lined up with it.
  FileAdder(TraceBuilder& builder, const ImportOptions& options, ImportProgress* progress, bool is_alone,
            std::vector<CaptureTrace> captures = {})
      : builder_(builder),
        options_(options),
        progress_(progress),
        previews_(options, progress),
        is_alone_(is_alone),
        captures_(std::move(captures)) {}

  Result<void> add(const std::string& path, OpenedFile file) {
    const Format& format = recognise_format(file);
    TraceSource facts;
    File read_file;
    bool is_added = false;
    const auto id = [&] {
      if (std::exchange(is_added, true)) return read_file.id;
      TraceSource described;
      described.path = path;
      described.format = facts.format;
      if (described.format.empty()) described.format = format.title;
      described.file_bytes = file.file_bytes;
      described.bytes = facts.bytes;
      if (format.text == Format::Text::kFile) {
        described.format += file.containers;
        described.bytes = file.bytes;
      }
      return read_file.id = builder_.add_source(std::move(described));
    };
    // A file on disk; what a stream makes is watched where it is made.
    const auto size = file.bytes->known_size();
    if (size && options_.skip_categories.empty()) {
      if (auto room = make_room_for_json(*size); !room) return named(room.error(), path);
    }
    Result<void> room;
    const auto take = [&](EventBatch batch) {
      if (room && is_check_due()) room = check_memory("a part of the file");
      if (!room) return file.bytes->abandon();
      if (!is_alone_ || !captures_.empty()) read_file.clock.span = unite_times(read_file.clock.span, batch);
      if (!captures_.empty()) read_file.graphs.look_at(batch);
      builder_.add(id(), std::move(batch));
      // Where a later file lies is known at its end: most say their base time there.
      if (files_.empty()) previews_.offer(builder_);
    };
    const auto read = format.read({path, *file.bytes, options_, progress_}, facts, take);
    if (!room) return named(room.error(), path);
    if (!read) {
      file.bytes->abandon();
      return named(read.error(), path);
    }
    TraceSource& source = builder_.source(id());
    take_over(std::move(facts), source);
    source.is_around_ranks = format.use == FormatUse::kRequests;
    if (file.bytes->has_changed()) source.report.add(Finding::kFileChanged, ImportReport::kNoOffset, path);
    if (source.file_bytes == 0) source.file_bytes = source.json_bytes;  // a pipe
    read_file.clock.has_base_time = source.has_base_time;
    read_file.clock.base_time_ns = source.base_time_ns;
    files_.push_back(read_file);
    if (files_.size() > 1 && options_.preview) {  // else once, at the end: each time costs a look at all files
      line_up();
      previews_.offer(builder_);
    }
    return {};
  }

  Result<void> take_manifest(const std::string& path, const ByteSource& bytes) {
    if (manifest_) return fail(ErrorCode::kInvalidArgument, "a second manifest of Perfetto", path);
    auto manifest = read_manifest(bytes);
    if (!manifest) return named(manifest.error(), path);
    manifest_ = std::move(*manifest);
    return {};
  }

  /// Shows requests to the server where they were, once all files are in and finish() was called. Where no file knows
  /// when it was, or none of them was then, that is said in the report, and nothing is shown; so is why a file that
  /// `was_found` cannot be read.
  Result<void> add_requests(const std::string& path, bool was_found) {
    std::optional<Nanos> to_unix;  // of the trace's times
    TimeSpan recorded = TimeSpan::nothing();
    for (const File& file : files_) {
      const Nanos shift = builder_.source(file.id).shift_ns;
      const TimeSpan span = file.clock.span;
      if (span == TimeSpan::nothing()) continue;
      recorded = recorded.unite({saturating_add(span.begin, shift), saturating_add(span.end, shift)});
      if (const auto unix = to_absolute(file.clock); unix && !to_unix) to_unix = saturating_sub(*unix, shift);
    }
    const TimeSpan since_1970{saturating_add(recorded.begin, to_unix.value_or(0)),
                              saturating_add(recorded.end, to_unix.value_or(0))};
    auto lanes = read_request_lanes(path, options_, to_unix ? since_1970 : TimeSpan::nothing());
    ImportReport& report = builder_.source(files_.front().id).report;
    if (!lanes && !was_found) return tl::make_unexpected(lanes.error());
    if (!lanes) {
      report.add(Finding::kNotATraceFile, ImportReport::kNoOffset, path + ": " + lanes.error().cause);
      return {};
    }
    if (to_unix)
      report.add(Finding::kRequestsOutside, ImportReport::kNoOffset, path, lanes->outside);
    else
      report.add(Finding::kRequestsWithoutClock, ImportReport::kNoOffset, path, lanes->outside);
    if (lanes->shown == 0) return {};
    report.add(Finding::kRequestsRead, ImportReport::kNoOffset, path, lanes->shown);
    const SourceId id = builder_.add_source(std::move(lanes->source));
    for (EventBatch& batch : lanes->batches) builder_.add(id, std::move(batch));
    builder_.shift(id, saturating_sub(0, *to_unix));
    return {};
  }
  /// Counted in the report of the first file that is one.
  void leave_out(const std::string& path) { left_out_.add(Finding::kNotATraceFile, ImportReport::kNoOffset, path); }

  std::size_t count() const { return files_.size(); }

  /// Says in the report what was left out and how the files were lined up.
  void finish() {
    if (files_.empty()) return;
    if (files_.size() > 1) line_up();
    for (const File& file : files_) add_captures(file);
    TraceSource& first = builder_.source(files_.front().id);
    first.report.merge(left_out_);
    if (manifest_)
      first.metadata.insert(first.metadata.end(), manifest_->attributes.begin(), manifest_->attributes.end());
    if (first.alignment != Alignment::kSingle)
      first.report.add(Finding::kFilesAligned, ImportReport::kNoOffset, describe(first.alignment), files_.size());
  }

 private:
  struct File {
    SourceId id;
    FileClock clock;
    ReplayedGraphs graphs;
  };

  /// What the graphs of a file replay becomes a source of its own, which lies where that file replays it.
  void add_captures(const File& file) {
    const Nanos shift = builder_.source(file.id).shift_ns;
    for (const CaptureTrace& capture : file.graphs.choose(captures_)) {
      if (!added_captures_.insert(capture.path).second) continue;
      const auto added = add_capture(capture, *file.graphs.first_launch(), file.clock.span, shift);
      ImportReport& report = builder_.source(file.id).report;  // sources have moved
      if (added)
        report.add(Finding::kCaptureTraceRead, ImportReport::kNoOffset, capture.path);
      else
        report.add(Finding::kNotATraceFile, ImportReport::kNoOffset, capture.path + ": " + added.error().cause);
    }
  }

  Result<void> add_capture(const CaptureTrace& capture, Nanos launch, TimeSpan replay, Nanos shift) {
    auto file = open_file(capture.path, options_.max_json_bytes, nullptr);
    if (!file) return tl::make_unexpected(file.error());
    const Format& format = recognise_format(*file);
    TraceSource facts;
    std::vector<EventBatch> batches;
    ImportOptions options = options_;
    options.preview = nullptr;
    const auto read = format.read({capture.path, *file->bytes, options, nullptr}, facts,
                                  [&](EventBatch batch) { batches.push_back(std::move(batch)); });
    if (!read) return read;
    const TimeSpan span = keep_captured(batches);
    if (span.empty()) return fail(ErrorCode::kNotATrace, "nothing is captured in it", capture.path);
    TraceSource source;
    source.path = capture.path;
    source.label = "captured in " + std::filesystem::path(capture.path).filename().string();
    source.format = std::string(format.title) + file->containers;
    source.file_bytes = file->file_bytes;
    source.json_bytes = facts.json_bytes;
    source.bytes = format.text == Format::Text::kFile ? file->bytes : facts.bytes;
    source.is_around_ranks = true;  // no rank of a job, and nothing to report on
    source.metadata.emplace_back(kCaptureBatchSize, std::to_string(capture.batch_size));
    source.metadata.emplace_back(kCaptureMode, capture.mode);
    const SourceId id = builder_.add_source(std::move(source));
    for (EventBatch& batch : batches) builder_.add(id, std::move(batch));
    // From the first launch on; earlier where it would last longer than the trace.
    const Nanos fits = std::max(replay.begin, saturating_sub(replay.end, span.duration()));
    builder_.shift(id, saturating_add(saturating_sub(std::min(launch, fits), span.begin), shift));
    return {};
  }

  void line_up() {
    std::vector<FileClock> clocks;
    for (const File& file : files_) clocks.push_back(file.clock);
    AlignmentPlan plan = plan_alignment(clocks);
    if (options_.clocks == FileClocks::kRaw) {
      plan.how = Alignment::kRaw;
      plan.shifts_ns.assign(files_.size(), 0);
    } else if (options_.clocks == FileClocks::kGiven) {
      plan.how = Alignment::kGiven;
      for (std::size_t i = 0; i < files_.size(); ++i) {
        const auto given = std::ranges::find(options_.shifts, builder_.source(files_[i].id).path, &FileShift::path);
        if (given != options_.shifts.end()) plan.shifts_ns[i] = given->shift_ns;
      }
    }
    if (options_.clocks == FileClocks::kFiles && manifest_) follow_manifest(plan);
    const std::vector<std::string> labels = label_sources();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      TraceSource& source = builder_.source(files_[i].id);
      source.alignment = plan.how;
      source.label = labels[i];
      builder_.shift(files_[i].id, plan.shifts_ns[i]);
    }
  }

  /// Files whose clock the manifest ties to another's. A chain of them is as long as there are files, at most.
  void follow_manifest(AlignmentPlan& plan) const {
    std::vector<const TraceManifest::File*> said;
    for (const File& file : files_) said.push_back(manifest_->find(builder_.source(file.id).path));
    for (std::size_t round = 0; round < files_.size(); ++round) {
      bool is_stable = true;
      for (std::size_t i = 0; i < files_.size(); ++i) {
        if (said[i] == nullptr || said[i]->reference.empty()) continue;
        const auto reference = std::ranges::find_if(said, [&](const TraceManifest::File* other) {
          return other != nullptr && other->path == said[i]->reference;
        });
        if (reference == said.end()) continue;
        const Nanos of_reference = plan.shifts_ns[static_cast<std::size_t>(reference - said.begin())];
        const Nanos shift = saturating_add(of_reference, said[i]->offset_ns);
        is_stable &= std::exchange(plan.shifts_ns[i], shift) == shift;
        plan.how = Alignment::kGiven;
      }
      if (is_stable) return;
    }
  }

  /// Asking the system takes a moment; in the time between, no load takes more than the reserve.
  bool is_check_due() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_check_) return false;
    next_check_ = now + std::chrono::milliseconds(20);
    return true;
  }

  static tl::unexpected<Error> named(Error error, const std::string& path) {
    error.file = path;
    return tl::make_unexpected(std::move(error));
  }

  static void take_over(TraceSource facts, TraceSource& source) {
    source.json_bytes = facts.json_bytes;
    source.base_time_ns = facts.base_time_ns;
    source.has_base_time = facts.has_base_time;
    source.rank = facts.rank;
    source.world_size = facts.world_size;
    source.process_groups = std::move(facts.process_groups);
    source.display_time_unit = std::move(facts.display_time_unit);
    source.devices = std::move(facts.devices);
    source.metadata = std::move(facts.metadata);
    source.side_data = std::move(facts.side_data);
    source.report.merge(facts.report);
  }

  /// "rank 3" where that tells the files apart, else the names of the files.
  std::vector<std::string> label_sources() const {
    std::vector<std::string> labels;
    std::set<std::int64_t> ranks;
    for (const File& file : files_) {
      if (const auto rank = builder_.source(file.id).rank) ranks.insert(*rank);
    }
    const bool are_ranks = ranks.size() == files_.size();
    for (const File& file : files_) {
      const TraceSource& source = builder_.source(file.id);
      const TraceManifest::File* said = manifest_ ? manifest_->find(source.path) : nullptr;
      if (said != nullptr && !said->machine.empty()) {
        labels.push_back(said->machine);
        continue;
      }
      labels.push_back(are_ranks ? "rank " + std::to_string(*source.rank)
                                 : std::filesystem::path(source.path).filename().string());
    }
    return labels;
  }

  TraceBuilder& builder_;
  const ImportOptions& options_;
  ImportProgress* const progress_;
  Previews previews_;
  const bool is_alone_;
  std::chrono::steady_clock::time_point next_check_ = std::chrono::steady_clock::now();
  std::vector<File> files_;  // in order
  std::optional<TraceManifest> manifest_;
  const std::vector<CaptureTrace> captures_;
  std::set<std::string> added_captures_;
  ImportReport left_out_;
};

Result<Trace> finish(TraceBuilder& builder, const ImportOptions& options, ImportProgress* progress) {
  if (progress != nullptr) progress->phase = ImportProgress::Phase::kBuilding;
  Trace trace = builder.finish(thread_count(options), progress == nullptr ? nullptr : &progress->cancel);
  if (progress != nullptr) {
    if (progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    progress->phase = ImportProgress::Phase::kDone;
  }
  return trace;
}

/// The files of requests to be shown: what was asked for, else what lies beside the traces.
std::vector<std::string> files_of_requests(const std::vector<TraceFile>& files, const ImportOptions& options) {
  if (!options.requests.empty()) return {options.requests};
  std::vector<std::string> paths;
  for (const TraceFile& file : files)
    if (file.archive == nullptr) paths.push_back(file.path);
  return find_request_files(paths);
}

/// Runs `import`; no exception leaves this folder.
template <class Import>
Result<Trace> guard_import(const std::string& file, Import import) {
  try {
    return import();
  } catch (const std::bad_alloc&) {
    const SpillUsage usage = spill_usage();
    if (usage.is_full)
      return fail(ErrorCode::kLimit,
                  fmt::format("the trace does not fit in memory, and there is no room for the rest on disk, in {}: "
                              "{} were used",
                              usage.folder, describe_bytes(usage.peak_bytes)),
                  file);
    return fail(ErrorCode::kLimit, "not enough memory to load the trace", file);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kLimit, std::string("the trace cannot be loaded: ") + e.what(), file);
  }
}

}  // namespace

Result<Trace> import_files(std::span<const std::string> paths, const ImportOptions& options, ImportProgress* progress) {
  if (paths.empty()) return fail(ErrorCode::kInvalidArgument, "no file given");
  return guard_import(paths.front(), [&]() -> Result<Trace> {
    if (auto request = check_memory_request(); !request) return tl::make_unexpected(request.error());
    const auto files = find_trace_files(paths, {.most_bytes = options.max_json_bytes, .progress = progress});
    if (!files) return tl::make_unexpected(files.error());
    if (progress != nullptr) {
      for (const TraceFile& file : *files) {
        std::error_code no_size;
        const auto size = std::filesystem::file_size(file.path, no_size);
        progress->bytes_total += no_size ? file.stored_bytes : size;
      }
    }
    const PageReuse reuse(kReusedByImports);  // what nesting lets go of is what links need next
    TraceBuilder builder;
    std::vector<std::string> beside = files_of_requests(*files, options);
    FileAdder adder(builder, options, progress, files->size() == 1 && beside.empty(), find_capture_traces(*files));
    std::vector<const TraceFile*> of_requests;
    std::uint64_t bytes_before = 0;
    for (const TraceFile& file : *files) {
      auto opened = open_file(file.path, options.max_json_bytes, progress);
      if (opened) bytes_before += opened->file_bytes;
      if (opened && file.was_found && is_manifest(*opened->bytes)) {
        if (auto taken = adder.take_manifest(file.path, *opened->bytes); !taken)
          return tl::make_unexpected(taken.error());
        if (progress != nullptr) progress->bytes_done = bytes_before;
        continue;
      }
      if (opened && recognise_format(*opened).use == FormatUse::kRequests) {
        if (files->size() > 1) {
          of_requests.push_back(&file);
          std::erase_if(beside, [&](const std::string& path) {
            return std::filesystem::path(path).lexically_normal() ==
                   std::filesystem::path(file.path).lexically_normal();
          });
          continue;
        }
        if (options.requests.empty()) beside.clear();
      }
      const auto added =
          opened ? adder.add(file.path, std::move(*opened)) : Result<void>(tl::make_unexpected(opened.error()));
      if (!added) {
        const ErrorCode code = added.error().code;
        const bool is_no_trace = code == ErrorCode::kNotATrace || code == ErrorCode::kEmpty;
        if (!file.was_found || !is_no_trace || files->size() == 1) return tl::make_unexpected(added.error());
        adder.leave_out(file.path);
      }
      if (progress != nullptr) progress->bytes_done = bytes_before;
    }
    // Requests alone are a trace of their own.
    const bool are_alone = adder.count() == 0;
    for (const TraceFile* file : of_requests) {
      if (!are_alone) continue;
      auto opened = open_file(file->path, options.max_json_bytes, progress);
      const auto added = opened ? adder.add(file->path, std::move(*opened)) : tl::make_unexpected(opened.error());
      if (!added) return tl::make_unexpected(added.error());
    }
    if (files->size() > 1 && adder.count() == 0)
      return fail(ErrorCode::kNotATrace, "none of the files is a trace", paths.front());
    adder.finish();
    for (const TraceFile* file : of_requests) {
      if (are_alone) continue;
      if (const auto added = adder.add_requests(file->path, file->was_found); !added)
        return tl::make_unexpected(added.error());
    }
    for (const std::string& path : beside)
      if (const auto added = adder.add_requests(path, options.requests.empty()); !added)
        return tl::make_unexpected(added.error());
    Result<Trace> trace = finish(builder, options, progress);
    if (trace) trace->set_steps_from(options.steps_from);
    return trace;
  });
}

Result<Trace> import_json(std::string_view json, std::string label, const ImportOptions& options) {
  return guard_import(label, [&]() -> Result<Trace> {
    TraceBuilder builder;
    FileAdder adder(builder, options, nullptr, true);
    OpenedFile file{.bytes = make_memory_bytes(std::string(json)), .file_bytes = json.size()};
    if (auto added = adder.add(label, std::move(file)); !added) return tl::make_unexpected(added.error());
    return finish(builder, options, nullptr);
  });
}

}  // namespace lacuna
