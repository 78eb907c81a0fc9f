#include "model/formats/formats.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "model/formats/chrome/top_level.h"
#include "model/formats/collectives/collective_formats.h"
#include "model/formats/digest/digest_format.h"
#include "model/formats/flight_recorder/flight_dump.h"
#include "model/formats/memory_timeline/timeline_events.h"
#include "model/formats/nsys/nsys_events.h"
#include "model/formats/perfetto/perfetto_events.h"
#include "model/formats/requests/requests_format.h"
#include "model/formats/snapshot/snapshot_events.h"
#include "model/formats/sqlite/sqlite_format.h"
#include "model/formats/stacks/stack_formats.h"
#include "model/formats/xplane/xplane_events.h"

namespace lacuna {
namespace {

// Chrome JSON last: it takes whatever is left, and says what that is.
// XProf's and pprof's files before Perfetto's: all are protobuf, and only the latter takes what it does not know.
constexpr std::array<const Format*, 17> kFormats{
    &kNsysReportFormat,     &kSqliteFormat,     &kXplaneFormat,   &kPprofFormat,          &kChakraFormat,
    &kNcclInspectorFormat,  &kPerfettoFormat,   &kSnapshotFormat, &kMemoryTimelineFormat, &kDigestFormat,
    &kFlightRecorderFormat, &kSpeedscopeFormat, &kGeckoFormat,    &kRequestsFormat,       &kPerfScriptFormat,
    &kCollapsedFormat,      &kChromeFormat};

}  // namespace

std::span<const Format* const> all_formats() {
  return kFormats;
}

const Format& recognise_format(const OpenedFile& file) {
  std::array<char, Format::kHeadBytes> buffer;
  const std::string_view head(buffer.data(), file.bytes->read_at(0, buffer));
  const auto found = std::ranges::find_if(kFormats, [&](const Format* format) {
    return format->recognises != nullptr && format->recognises(head, file.is_plain);
  });
  return found == kFormats.end() ? kChromeFormat : **found;
}

Result<std::shared_ptr<const ByteSource>> open_text(const std::string& path, std::uint64_t max_json_bytes) {
  try {
    Result<OpenedFile> file = open_file(path, max_json_bytes, nullptr);
    if (!file) return tl::make_unexpected(file.error());
    const Format& format = recognise_format(*file);
    if (format.text == Format::Text::kFile) return std::move(file->bytes);
    TraceSource facts;
    if (format.text == Format::Text::kMade) {
      ImportOptions options;
      options.max_json_bytes = max_json_bytes;
      if (auto read = format.read({path, *file->bytes, options, nullptr}, facts, [](EventBatch) {}); !read)
        return tl::make_unexpected(read.error());
    }
    return std::move(facts.bytes);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to read its args", path);
  }
}

}  // namespace lacuna
