#include "model/export/rank_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/base/file_bytes.h"
#include "model/base/os/files.h"
#include "model/input/streams.h"

namespace lacuna {
namespace {

/// Lines of a file, without their ends; compressed ones decompressed.
class RecordingLines {
 public:
  static Result<RecordingLines> open(const std::string& path) {
    RecordingLines lines;
    lines.bytes_ = std::make_shared<FileBytes>(open_for_reading(path));
    if (!lines.bytes_->is_open()) return fail(ErrorCode::kNotReadable, std::strerror(errno), path);
    std::array<char, 16> head{};
    const std::size_t got = make_source_stream(*lines.bytes_, 0)->read(head);
    lines.stream_ = make_source_stream(*lines.bytes_, 0);
    const Compression how = detect_compression({head.data(), got});
    if (how == Compression::kGzip) lines.stream_ = make_gzip_stream(std::move(lines.stream_));
    if (how == Compression::kZstd) lines.stream_ = make_zstd_stream(std::move(lines.stream_));
    return lines;
  }

  /// False at the end. The line is valid until the next call.
  bool next(std::string_view& line) {
    for (;;) {
      const std::size_t end = text_.find('\n', at_);
      if (end != std::string::npos) {
        line = std::string_view(text_).substr(at_, end - at_);
        at_ = end + 1;
        return true;
      }
      text_.erase(0, at_);
      at_ = 0;
      const std::size_t before = text_.size();
      text_.resize(before + kPiece);
      const std::size_t got = stream_->read({text_.data() + before, kPiece});
      text_.resize(before + got);
      if (got > 0) continue;
      if (text_.empty()) return false;
      line = text_;
      at_ = text_.size();
      return true;
    }
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::shared_ptr<FileBytes> bytes_;
  std::unique_ptr<Stream> stream_;
  std::string text_;
  std::size_t at_ = 0;
};

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const char* from = text.data() + at + key.size();
  const auto read = std::from_chars(from, text.data() + text.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

/// The pid that an event of ours begins with.
std::optional<std::int64_t> pid_of(std::string_view line) {
  return line.starts_with("{\"ph\":\"") ? number_behind(line.substr(0, 40), "\"pid\":") : std::nullopt;
}

bool is_event(std::string_view line) {
  return line.starts_with("{\"ph\"");
}

std::string_view without_comma(std::string_view line) {
  if (line.ends_with(',')) line.remove_suffix(1);
  return line;
}

using RankOfPid = std::map<std::int64_t, std::int64_t>;

Result<RankOfPid> read_ranks(const std::string& path) {
  Result<RecordingLines> lines = RecordingLines::open(path);
  if (!lines) return tl::make_unexpected(lines.error());
  RankOfPid ranks;
  std::string_view line;
  while (lines->next(line)) {
    if (!line.starts_with("{\"ph\":\"M\"") || line.find("\"name\":\"process_rank\"") == std::string_view::npos)
      continue;
    const auto pid = pid_of(line);
    const auto rank = number_behind(line, "\"rank\":");
    if (pid && rank) ranks[*pid] = *rank;
  }
  return ranks;
}

std::vector<std::int64_t> numbers_in(std::string_view list) {
  std::vector<std::int64_t> numbers;
  const char* at = list.data();
  const char* end = at + list.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec == std::errc{}) numbers.push_back(number);
    at = std::find(read.ptr, end, ' ');
    if (at < end) ++at;
  }
  return numbers;
}

/// "distributedInfo" of one rank, from that of all (Session::distributed_info).
std::string info_of_rank(std::string_view line, std::int64_t rank) {
  constexpr std::string_view kRanks = "\"ranks\":[", kLocal = "],\"local_ranks\":[";
  const std::size_t begin = line.rfind(kRanks);
  const std::size_t middle = begin == std::string_view::npos ? begin : line.find(kLocal, begin);
  const std::size_t end = middle == std::string_view::npos ? middle : line.find(']', middle + kLocal.size());
  if (end == std::string_view::npos) return std::string(line);
  const auto ranks = numbers_in(line.substr(begin + kRanks.size(), middle - begin - kRanks.size()));
  const auto local = numbers_in(line.substr(middle + kLocal.size(), end - middle - kLocal.size()));
  const auto place = static_cast<std::size_t>(std::ranges::find(ranks, rank) - ranks.begin());
  std::string text = fmt::format("{}\"rank\":{}", line.substr(0, begin), rank);
  if (place < local.size() && local[place] >= 0) text += fmt::format(",\"local_rank\":{}", local[place]);
  return text.append(line.substr(end + 1));
}

struct RankPart {
  OutputFile* file = nullptr;
  std::string waiting;  // metadata of no rank: written once an event comes
  bool has_events = false;
};

}  // namespace

Result<std::vector<std::int64_t>> ranks_of_recording(const std::string& path) {
  const Result<RankOfPid> ranks = read_ranks(path);
  if (!ranks) return tl::make_unexpected(ranks.error());
  std::set<std::int64_t> found;
  for (const auto& entry : *ranks) found.insert(entry.second);
  return std::vector<std::int64_t>(found.begin(), found.end());
}

Result<void> write_rank_files(const std::string& path, const OpenRankFile& open) {
  const Result<RankOfPid> ranks = read_ranks(path);
  if (!ranks) return tl::make_unexpected(ranks.error());
  Result<RecordingLines> lines = RecordingLines::open(path);
  if (!lines) return tl::make_unexpected(lines.error());
  std::map<std::optional<std::int64_t>, RankPart> parts;
  std::string head, tail;
  bool is_head = true;
  std::string_view line;
  while (lines->next(line)) {
    if (!is_event(line)) {
      (is_head ? head : tail).append(line).push_back('\n');
      continue;
    }
    is_head = false;
    const std::string_view event = without_comma(line);
    const auto pid = pid_of(event);
    const auto found = pid ? ranks->find(*pid) : ranks->end();
    const std::optional<std::int64_t> rank = found == ranks->end() ? std::nullopt : std::optional(found->second);
    RankPart& part = parts[rank];
    if (part.file == nullptr && !rank && event.starts_with("{\"ph\":\"M\"")) {
      part.waiting.append(part.waiting.empty() ? "" : ",\n").append(event);
      continue;
    }
    if (part.file == nullptr) {
      Result<OutputFile*> file = open(rank);
      if (!file) return tl::make_unexpected(file.error());
      part.file = *file;
      part.file->write(head);
      part.file->write(part.waiting);
      part.has_events = !part.waiting.empty();
    }
    if (part.has_events) part.file->write(",\n");
    part.has_events = true;
    part.file->write(event);
  }
  for (auto& [rank, part] : parts) {
    if (part.file == nullptr) continue;
    part.file->write("\n");
    for (std::size_t at = 0; at < tail.size();) {
      const std::size_t end = tail.find('\n', at);
      const std::string_view member = std::string_view(tail).substr(at, end - at);
      at = end + 1;
      const bool is_info = member.starts_with("\"distributedInfo\"");
      part.file->write(is_info && rank ? info_of_rank(member, *rank) : std::string(member));
      part.file->write("\n");
    }
  }
  return {};
}

}  // namespace lacuna
