#include "model/import/request_lanes.h"

#include <filesystem>
#include <map>
#include <utility>

#include "model/formats/formats.h"
#include "model/formats/requests/requests_format.h"

namespace lacuna {
namespace {

/// Takes the requests out that do not overlap `recorded`; each has an id of its own, which its stages share.
void keep_recorded(RequestLanes& lanes, TimeSpan recorded) {
  std::map<std::string, TimeSpan, std::less<>> spans;
  for (const EventBatch& batch : lanes.batches)
    for (const AsyncEvent& event : batch.asyncs) {
      auto& span = spans.try_emplace(std::string(batch.strings.get(event.id)), TimeSpan::nothing()).first->second;
      span = span.unite({event.time, event.time});
    }
  const auto is_outside = [&](TimeSpan span) {
    return !TimeSpan{span.begin, saturating_add(span.end, 1)}.overlaps(recorded);
  };
  for (const auto& [id, span] : spans) ++(is_outside(span) ? lanes.outside : lanes.shown);
  for (EventBatch& batch : lanes.batches)
    std::erase_if(batch.asyncs, [&](const AsyncEvent& event) {
      if (!is_outside(spans.find(batch.strings.get(event.id))->second)) return false;
      --batch.phase_counts[static_cast<unsigned char>(event.phase)];
      --batch.category_counts[event.category];
      return true;
    });
}

}  // namespace

Result<RequestLanes> read_request_lanes(const std::string& path, const ImportOptions& options, TimeSpan recorded) {
  auto file = open_file(path, options.max_json_bytes, nullptr);
  if (!file) return tl::make_unexpected(file.error());
  const Format& format = recognise_format(*file);
  if (&format != &kRequestsFormat)
    return fail(ErrorCode::kNotATrace, "it is not OpenTelemetry JSON (resourceSpans), which --requests needs", path);
  RequestLanes lanes;
  ImportOptions own = options;
  own.preview = nullptr;
  const auto read = format.read({path, *file->bytes, own, nullptr}, lanes.source,
                                [&](EventBatch batch) { lanes.batches.push_back(std::move(batch)); });
  if (!read) {
    Error error = read.error();
    error.file = path;
    return tl::make_unexpected(std::move(error));
  }
  keep_recorded(lanes, recorded);
  lanes.source.path = path;
  lanes.source.label = std::filesystem::path(path).filename().string();
  lanes.source.format = std::string(format.title) + file->containers;
  lanes.source.file_bytes = file->file_bytes;
  lanes.source.is_around_ranks = true;  // no rank of a job, and nothing to report on
  return lanes;
}

bool has_requests(const TraceSource& source) {
  return source.format.starts_with(kRequestsFormat.title);
}

}  // namespace lacuna
