#include "app/cli/record_ranks.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <system_error>

#include <fmt/format.h>

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

std::string path_of(const std::string& path, std::optional<std::int64_t> rank) {
  return with_part(path, rank ? fmt::format("-rank{}", *rank) : std::string("-no-rank"));
}

struct RankFile {
  std::string path;
  std::string written;  // beside it, until all are whole
  OutputFile file;
};

}  // namespace

Result<RankFilesMade> split_recording(const std::string& path, bool force) {
  RankFilesMade made;
  const Result<std::vector<std::int64_t>> ranks = ranks_of_recording(path);
  if (!ranks) return tl::make_unexpected(ranks.error());
  if (ranks->empty()) return made;
  std::list<RankFile> files;
  const auto give_up = [&](const Error& error) {
    std::error_code ignored;
    for (const RankFile& file : files) std::filesystem::remove(file.written, ignored);
    return tl::make_unexpected(error);
  };
  const auto open = [&](std::optional<std::int64_t> rank) -> Result<OutputFile*> {
    const std::string target = path_of(path, rank);
    std::error_code ignored;
    if (!force && std::filesystem::exists(target, ignored))
      return fail(ErrorCode::kInvalidArgument, "it is there already (--force replaces it)", target);
    const std::filesystem::path place(target);
    std::string beside = (place.parent_path() / ("." + place.filename().string())).string();
    Result<OutputFile> file = OutputFile::create(beside);
    if (!file) return tl::make_unexpected(file.error());
    return &files.emplace_back(RankFile{target, std::move(beside), std::move(*file)}).file;
  };
  if (const Result<void> written = write_rank_files(path, open); !written) return give_up(written.error());
  for (RankFile& file : files)
    if (const Result<void> finished = file.file.finish(); !finished) return give_up(finished.error());
  std::error_code error;
  for (RankFile& file : files) {
    std::filesystem::rename(file.written, file.path, error);
    if (error) return give_up({ErrorCode::kNotWritable, error.message(), file.path, {}});
  }
  std::filesystem::remove(path, error);
  for (const std::int64_t rank : *ranks) made.ranks.push_back(path_of(path, rank));
  for (const RankFile& file : files)
    if (file.path == path_of(path, {})) made.rest = file.path;
  return made;
}

}  // namespace lacuna
