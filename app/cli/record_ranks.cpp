#include "app/cli/record_ranks.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "model/export/claimed_file.h"
#include "model/export/rank_files.h"

namespace lacuna {
namespace {

/// "job.json.gz" and "-rank0": "job-rank0.json.gz".
std::string with_part(const std::string& path, const std::string& part) {
  const std::filesystem::path whole(path);
  const std::string name = whole.filename().string();
  const std::size_t dot = std::min(name.find('.', 1), name.size());
  return (whole.parent_path() / (name.substr(0, dot) + part + name.substr(dot))).string();
}

std::string rank_path(const std::string& path, std::optional<std::int64_t> rank) {
  return with_part(path, rank ? fmt::format("-rank{}", *rank) : std::string("-no-rank"));
}

}  // namespace

Result<RankFilesMade> split_recording(const std::string& path, bool force) {
  RankFilesMade made;
  const Result<std::vector<std::int64_t>> ranks = ranks_of_recording(path);
  if (!ranks) return tl::make_unexpected(ranks.error());
  if (ranks->empty()) return made;
  // Nothing is at their paths before all are whole; what was claimed and not published leaves nothing.
  std::map<std::optional<std::int64_t>, ClaimedFile> files;
  const auto open = [&](std::optional<std::int64_t> rank) -> Result<OutputFile*> {
    Result<ClaimedFile> claimed =
        ClaimedFile::claim(rank_path(path, rank), force ? Existing::kReplace : Existing::kReplaceOurs);
    if (!claimed) {
      if (claimed.error().code == ErrorCode::kInvalidArgument) claimed.error().cause += " (--force replaces it)";
      return tl::make_unexpected(claimed.error());
    }
    return &files.emplace(rank, std::move(*claimed)).first->second.file();
  };
  if (const Result<void> written = write_rank_files(path, open); !written) return tl::make_unexpected(written.error());
  for (auto& file : files)
    if (const Result<void> finished = file.second.file().finish(); !finished)
      return tl::make_unexpected(finished.error());
  for (auto& [rank, file] : files) {
    if (const Result<void> published = file.publish_beside(); !published) return tl::make_unexpected(published.error());
    (rank ? made.ranks.emplace_back() : made.rest) = file.path();
  }
  std::error_code error;
  std::filesystem::remove(path, error);
  return made;
}

}  // namespace lacuna
