#include "model/export/own_trace.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "model/base/file_bytes.h"
#include "model/base/os/files.h"
#include "model/input/streams.h"

namespace lacuna {
namespace {

constexpr std::size_t kHeadBytes = 256;
constexpr std::string_view kOwnHead = "{\n\"writtenBy\": \"Lacuna ";
// Of recordings before there was such a member: these lines, and nothing else between them.
constexpr std::string_view kEarlierHead =
    "{\n\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": ";
constexpr std::string_view kEarlierEnd = ",\n\"traceEvents\": [";

// Tables: an Arrow file whose schema, which comes first, says so.
constexpr std::string_view kTableHead{"ARROW1\0\0", 8};
constexpr std::size_t kSchemaBytes = std::size_t{64} << 10;

bool is_own_table(const FileBytes& file) {
  std::string head(kSchemaBytes, '\0');
  head.resize(file.read_at(0, head));
  return head.starts_with(kTableHead) && head.find(kTableKey) != std::string::npos;
}

bool is_earlier_head(std::string_view text) {
  if (!text.starts_with(kEarlierHead)) return false;
  text.remove_prefix(kEarlierHead.size());
  const std::size_t number = std::min(text.find_first_not_of("-0123456789"), text.size());
  return number > 0 && text.substr(number).starts_with(kEarlierEnd);
}

}  // namespace

std::string written_by_member() {
  return fmt::format("\"{}\": \"Lacuna {}\",\n", kWrittenByKey, LACUNA_VERSION);
}

bool is_own_trace(const std::string& path) {
  const FileBytes file(open_for_reading(path));
  if (!file.is_open()) return false;
  std::string start(4, '\0');
  start.resize(file.read_at(0, start));
  if (kTableHead.starts_with(start) && is_own_table(file)) return true;
  std::unique_ptr<Stream> stream = make_source_stream(file, 0);
  const Compression compression = detect_compression(start);
  if (compression == Compression::kGzip) stream = make_gzip_stream(std::move(stream));
  if (compression == Compression::kZstd) stream = make_zstd_stream(std::move(stream));
  std::string head(kHeadBytes, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    const std::size_t got = stream->read({head.data() + size, head.size() - size});
    if (got == 0) break;
    size += got;
  }
  head.resize(size);
  return head.starts_with(kOwnHead) || is_earlier_head(head);
}

}  // namespace lacuna
