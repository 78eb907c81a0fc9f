#include "model/import/capture_traces.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "model/base/file_bytes.h"
#include "model/base/os/files.h"
#include "model/formats/json_cursor.h"
#include "model/trace/engine_steps.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "capture_traces";
constexpr std::string_view kDetails = "execution_details.json";

/// What execution_details.json lists, if it is there.
std::vector<CaptureTrace> read_details(const fs::path& folder) {
  std::vector<CaptureTrace> captures;
  const FileBytes bytes(open_for_reading((folder / kDetails).generic_string()));
  if (!bytes.is_open()) return captures;
  JsonCursor cursor(bytes);
  if (!cursor.begins('[')) return captures;
  while (cursor.next_entry()) {
    if (!cursor.begins('{')) continue;
    CaptureTrace capture;
    std::string key;
    while (cursor.next_member(key)) {
      if (key == "file") {
        capture.path = cursor.text();
      } else if (key == "batch_size") {
        capture.batch_size = cursor.integer().value_or(0);
      } else if (key == "mode") {
        capture.mode = cursor.text();
      } else {
        cursor.skip();
      }
    }
    // It names files beside itself, and nothing elsewhere.
    if (capture.path.empty() || fs::path(capture.path).filename() != capture.path) continue;
    capture.path = (folder / capture.path).generic_string();
    std::error_code failed;
    if (fs::is_regular_file(capture.path, failed)) captures.push_back(std::move(capture));
  }
  return captures;
}

std::vector<CaptureTrace> captures_beside(const fs::path& folder) {
  if (auto listed = read_details(folder / kFolder); !listed.empty()) return listed;
  std::vector<CaptureTrace> captures = read_details(folder);
  std::error_code failed;
  if (!captures.empty() || !fs::is_directory(folder / kFolder, failed)) return captures;
  const std::string path = (folder / kFolder).generic_string();
  if (const auto found = find_trace_files(std::span(&path, 1), {.opens_archives = false}))
    for (const TraceFile& file : *found) captures.push_back({file.path, 0, {}});
  return captures;
}

enum class CaptureBound : std::uint8_t { kNone, kBegin, kEnd };

CaptureBound capture_bound(std::string_view name) {
  if (name.find("StreamBeginCapture") != name.npos) return CaptureBound::kBegin;
  return name.find("StreamEndCapture") != name.npos ? CaptureBound::kEnd : CaptureBound::kNone;
}

TimeSpan span_of(const SliceRecord& slice) {
  return {slice.start, saturating_add(slice.start, slice.duration)};
}

template <class Visit>
void for_slices(const EventBatch::TrackEvents& track, Visit&& visit) {
  std::ranges::for_each(track.slices, visit);
  std::for_each(track.sealed_slices.begin(), track.sealed_slices.end(), visit);
}

/// When a thread captured.
class CaptureTimes {
 public:
  void add(CaptureBound bound, const SliceRecord& call) {
    if (bound != CaptureBound::kNone) bounds_.push_back({span_of(call), bound});
  }
  void add(const CaptureTimes& more) { bounds_.insert(bounds_.end(), more.bounds_.begin(), more.bounds_.end()); }
  bool empty() const { return bounds_.empty(); }
  void sort() {
    std::ranges::sort(bounds_, {}, [](const Bound& bound) { return bound.call.begin; });
  }
  /// Whether it lies in one of them, the calls at both ends included. After sort().
  bool contain(const SliceRecord& slice) const {
    const TimeSpan span = span_of(slice);
    auto next = std::ranges::upper_bound(bounds_, span.begin, {}, [](const Bound& bound) { return bound.call.begin; });
    if (next == bounds_.begin()) return false;
    const Bound& before = *(next - 1);
    if (before.bound == CaptureBound::kEnd) return before.call == span;
    return next != bounds_.end() && next->bound == CaptureBound::kEnd && span.end <= next->call.end;
  }

 private:
  struct Bound {
    TimeSpan call;
    CaptureBound bound = CaptureBound::kNone;
  };
  std::vector<Bound> bounds_;
};

}  // namespace

std::vector<CaptureTrace> find_capture_traces(std::span<const TraceFile> files) {
  std::vector<CaptureTrace> captures;
  std::set<fs::path> folders;
  for (const TraceFile& file : files) {
    if (file.archive != nullptr || is_url(file.path)) continue;
    const fs::path folder = fs::path(file.path).parent_path();
    if (!folders.insert(folder).second) continue;
    for (CaptureTrace& capture : captures_beside(folder)) captures.push_back(std::move(capture));
  }
  std::erase_if(captures, [&](const CaptureTrace& capture) {
    return std::ranges::any_of(files, [&](const TraceFile& file) {
      return fs::path(file.path).lexically_normal() == fs::path(capture.path).lexically_normal();
    });
  });
  return captures;
}

void ReplayedGraphs::look_at(const EventBatch& batch) {
  std::vector<bool> is_launch(batch.strings.size());
  bool has_launch = false;
  for (std::uint32_t n = 0; n < batch.strings.size(); ++n) {
    const std::string_view text = batch.strings.get(StringId{n});
    if (text.find("GraphLaunch") != text.npos) has_launch = is_launch[n] = true;
    const auto step = parse_engine_step(text);
    if (step && step->batch_size > 0 && std::ranges::find(batch_sizes_, step->batch_size) == batch_sizes_.end())
      batch_sizes_.push_back(step->batch_size);
  }
  if (!has_launch) return;
  const auto look = [&](const SliceRecord& slice) {
    if (is_launch[slice.name.value]) first_launch_ = std::min(first_launch_.value_or(slice.start), slice.start);
  };
  for (const EventBatch::TrackEvents& track : batch.tracks) {
    if (track.key.kind != TrackKind::kThread) continue;
    std::ranges::for_each(track.slices, look);
    std::for_each(track.sealed_slices.begin(), track.sealed_slices.end(), look);
  }
}

std::vector<CaptureTrace> ReplayedGraphs::choose(std::vector<CaptureTrace> captures) const {
  if (!first_launch_) return {};
  if (batch_sizes_.empty()) return captures;
  std::set<std::int64_t> wanted{0};
  for (const std::int64_t size : batch_sizes_) {
    std::int64_t padded = 0;
    for (const CaptureTrace& capture : captures)
      if (capture.batch_size >= size && (padded == 0 || capture.batch_size < padded)) padded = capture.batch_size;
    wanted.insert(padded);
  }
  std::erase_if(captures, [&](const CaptureTrace& capture) { return !wanted.contains(capture.batch_size); });
  return captures;
}

TimeSpan keep_captured(std::vector<EventBatch>& batches) {
  using Thread = std::pair<std::string, std::string>;
  const auto thread_of = [](const EventBatch& batch, StringId pid, StringId tid) {
    return Thread(batch.strings.get(pid), batch.strings.get(tid));
  };
  std::map<Thread, CaptureTimes> threads;
  for (const EventBatch& batch : batches) {
    std::vector<CaptureBound> bounds(batch.strings.size());
    for (std::uint32_t n = 0; n < bounds.size(); ++n) bounds[n] = capture_bound(batch.strings.get(StringId{n}));
    for (const EventBatch::TrackEvents& track : batch.tracks) {
      CaptureTimes times;
      for_slices(track, [&](const SliceRecord& slice) { times.add(bounds[slice.name.value], slice); });
      if (!times.empty()) threads[thread_of(batch, track.key.pid, track.key.tid)].add(times);
    }
  }
  for (auto& [thread, times] : threads) times.sort();
  TimeSpan span = TimeSpan::nothing();
  for (EventBatch& batch : batches) {
    std::erase_if(batch.tracks, [&](const EventBatch::TrackEvents& track) {
      return track.key.kind != TrackKind::kThread || !threads.contains(thread_of(batch, track.key.pid, track.key.tid));
    });
    std::erase_if(batch.metadata, [&](const MetadataEvent& event) {
      using What = MetadataEvent::What;
      if (event.what == What::kThreadName) return !threads.contains(thread_of(batch, event.pid, event.tid));
      return event.what != What::kProcessName || std::ranges::none_of(threads, [&](const auto& thread) {
               return thread.first.first == batch.strings.get(event.pid);
             });
    });
    batch.asyncs.clear();
    batch.flows.clear();
    batch.counters.clear();
    batch.skipped.clear();
    batch.without_category = 0;
    batch.report = {};
    batch.phase_counts.fill(0);
    std::ranges::fill(batch.category_counts, 0u);
    for (EventBatch::TrackEvents& track : batch.tracks) {
      const CaptureTimes& times = threads.at(thread_of(batch, track.key.pid, track.key.tid));
      std::vector<SliceRecord> kept;
      for_slices(track, [&](const SliceRecord& slice) {
        if (!times.contain(slice)) return;
        kept.push_back(slice);
        span = span.unite(span_of(slice));
        ++batch.phase_counts['X'];
        if (slice.category < batch.category_counts.size()) ++batch.category_counts[slice.category];
      });
      track.slices = std::move(kept);
      track.sealed_slices = {};
      track.key.kind = TrackKind::kCaptured;
      track.instants.clear();
      track.begin_ends.clear();
    }
    std::erase_if(batch.tracks, [](const EventBatch::TrackEvents& track) { return track.slices.empty(); });
  }
  return span;
}

std::optional<std::int64_t> capture_batch_size(const TraceSource& source) {
  for (const auto& [key, value] : source.metadata) {
    if (key != kCaptureBatchSize) continue;
    std::int64_t size = 0;
    std::from_chars(value.data(), value.data() + value.size(), size);
    return size;
  }
  return std::nullopt;
}

}  // namespace lacuna
