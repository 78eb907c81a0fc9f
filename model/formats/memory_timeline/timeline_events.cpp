#include "model/formats/memory_timeline/timeline_events.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/formats/memory_timeline/timeline_file.h"
#include "model/memory/kept_memory.h"
#include "model/memory/memory_holders.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

EventBatch timeline_batch(const CategoryTimeline& timeline) {
  EventBatch batch;
  const StringId process = batch.strings.intern(std::string_view("0"));
  MetadataEvent name;
  name.what = MetadataEvent::What::kProcessName;
  name.pid = process;
  name.text = batch.strings.intern(std::string_view("GPU memory by category"));
  batch.metadata.push_back(name);
  const auto add = [&](const std::string& series, auto&& bytes_of) {
    CounterSample sample{.pid = process,
                         .name = batch.strings.intern(std::string_view("Memory")),
                         .series = batch.strings.intern(series)};
    std::int64_t last = 0;
    for (std::size_t i = 0; i < timeline.times_us.size(); ++i) {
      const std::int64_t bytes = bytes_of(i);
      if (i > 0 && i + 1 < timeline.times_us.size() && bytes == last) continue;
      last = bytes;
      sample.time = timeline.time_ns(i);
      sample.value = static_cast<double>(bytes);
      batch.counters.push_back(sample);
      ++batch.phase_counts['C'];
    }
  };
  add("all bytes", [&](std::size_t i) { return timeline.total(i); });
  for (std::size_t c = 0; c < kMemoryCategories; ++c)
    add(fmt::format("{} bytes", memory_category_name(CategoryTimeline::kOrder[c])),
        [&](std::size_t i) { return timeline.bytes[i][c]; });
  return batch;
}

Result<void> read_timeline_events(const FormatInput& input, TraceSource& facts, const BatchReceiver& sink) {
  if (const auto error = input.bytes.ending().error) return tl::make_unexpected(*error);
  Result<CategoryTimeline> read = read_category_timeline(input.bytes, {});
  if (!read) return tl::make_unexpected(read.error());
  if (read->times_us.empty())
    return fail(ErrorCode::kNotATrace,
                fmt::format("a memory timeline of PyTorch's profiler without a row that could be read ({} of them)",
                            std::max(read->rows, read->not_understood)));
  if (read->not_understood > 0)
    facts.report.add(Finding::kEventUnreadable, ImportReport::kNoOffset, "rows of a memory timeline",
                     read->not_understood);
  const auto kept = std::make_shared<const KeptTimeline>(std::move(*read));
  sink(timeline_batch(kept->timeline));
  facts.json_bytes = input.bytes.size();
  facts.side_data = kept;
  return {};
}

/// [[ and a number or ]: no list of events begins so.
bool begins_like_timeline(std::string_view head, bool) {
  int brackets = 0;
  for (const char c : head) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c != '[') return brackets >= 2 && (c == '-' || c == ']' || is_digit(c));
    ++brackets;
  }
  return false;
}

}  // namespace

constinit const Format kMemoryTimelineFormat{.title = "memory timeline of PyTorch's profiler",
                                             .use = FormatUse::kMemory,
                                             .endings = {".json"},
                                             .recognises = begins_like_timeline,
                                             .read = read_timeline_events};

}  // namespace lacuna
