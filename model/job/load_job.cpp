#include "model/job/load_job.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/import/trace_files.h"
#include "model/job/digest_file.h"
#include "model/job/rank_extract.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

/// What the folder of a job holds.
constexpr std::array<FormatUse, 2> kFolderOfJob{FormatUse::kTrace, FormatUse::kDigest};

/// "rank3.json.gz.facts.json": named after a trace, and none itself.
bool is_beside_trace(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.find(".json") != name.rfind(".json");
}

/// Where the trace of a digest lies: as it was called when the digest was made, else beside the digest.
void find_trace_of(JobRank& rank, const std::string& digest) {
  std::error_code unknown;
  if (rank.file.empty() || fs::exists(rank.file, unknown)) return;
  const fs::path beside = fs::path(digest).parent_path() / fs::path(rank.file).filename();
  if (fs::exists(beside, unknown)) rank.file = beside.generic_string();
}

struct Outcome {
  std::vector<JobRank> ranks;
  std::optional<Error> error;
};

}  // namespace

std::int64_t rank_of_file_name(std::string_view path) {
  const std::string name = to_lower(fs::path(path).filename().string());
  for (const std::string_view word : {"rank", "worker"}) {
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
      std::size_t begin = at + word.size();
      while (begin < name.size() &&
             (name[begin] == '_' || name[begin] == '-' || name[begin] == '.' || name[begin] == '='))
        ++begin;
      std::int64_t rank = -1;
      const auto [end, error] = std::from_chars(name.data() + begin, name.data() + name.size(), rank);
      if (error == std::errc{} && rank >= 0) return rank;
    }
  }
  return -1;
}

Result<std::vector<JobRank>> reduce_trace(const std::string& path, const ImportOptions& options,
                                          ImportProgress* progress) {
  const Result<Trace> trace = import_files(std::vector<std::string>{path}, options, progress);
  if (!trace) return tl::make_unexpected(trace.error());
  Result<std::vector<JobRank>> ranks = extract_ranks(*trace, options.threads == 0 ? 2 : options.threads);
  if (!ranks) return ranks;
  for (JobRank& rank : *ranks) {
    rank.file = path;
    if (rank.rank >= 0 || ranks->size() > 1) continue;
    rank.rank = rank_of_file_name(path);
    rank.rank_is_guessed = rank.rank >= 0;
  }
  return ranks;
}

Result<LoadedRanks> load_ranks(std::span<const std::string> paths, const ImportOptions& options, unsigned workers,
                               LoadRanksProgress* progress) {
  const std::atomic<bool>* cancel = progress == nullptr ? nullptr : &progress->cancel;
  const Result<std::vector<TraceFile>> files =
      find_trace_files(paths, {.uses = kFolderOfJob, .most_bytes = options.max_json_bytes});
  if (!files) return tl::make_unexpected(files.error());
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  if (workers == 0) workers = cores;
  workers = static_cast<unsigned>(std::min<std::size_t>(workers, files->size()));
  ImportOptions each = options;
  if (each.threads == 0) each.threads = std::max(1u, cores / std::max(workers, 1u));

  if (progress != nullptr) progress->files = files->size();
  std::vector<Outcome> outcomes(files->size());
  parallel_for(files->size(), workers, [&](std::size_t i) {
    if (is_cancelled(cancel)) return;
    const std::string& path = (*files)[i].path;
    try {
      const bool is_reduced = is_digest(path);
      ImportProgress* const reading = progress == nullptr ? nullptr : &progress->reading;
      Result<std::vector<JobRank>> ranks = is_reduced ? read_digest(path) : reduce_trace(path, each, reading);
      if (ranks && is_reduced)
        for (JobRank& rank : *ranks) find_trace_of(rank, path);
      if (ranks)
        outcomes[i].ranks = std::move(*ranks);
      else
        outcomes[i].error = std::move(ranks.error());
    } catch (const std::bad_alloc&) {
      outcomes[i].error = Error{ErrorCode::kLimit, "not enough memory", path, {}};
    }
    if (progress != nullptr) ++progress->done;
  });
  if (is_cancelled(cancel)) return fail(ErrorCode::kCancelled, "cancelled");

  LoadedRanks loaded;
  std::vector<std::string> others;  // found in a folder, and no traces
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const TraceFile& file = (*files)[i];
    if (outcomes[i].error) {
      const bool is_no_trace = outcomes[i].error->code == ErrorCode::kNotATrace;
      if (file.was_found && is_no_trace && (rank_of_file_name(file.path) < 0 || is_beside_trace(file.path))) {
        others.push_back(fs::path(file.path).filename().string());
      } else {
        loaded.problems.push_back({JobProblem::Kind::kUnreadable, rank_of_file_name(file.path), file.path,
                                   "cannot be read: " + outcomes[i].error->cause});
      }
    }
    for (JobRank& rank : outcomes[i].ranks) loaded.ranks.push_back(std::move(rank));
  }
  if (!others.empty())
    loaded.problems.push_back(
        {JobProblem::Kind::kNote,
         -1,
         {},
         fmt::format("{} not {}: {}{}", others.size() == 1 ? "1 file is" : fmt::format("{} files are", others.size()),
                     others.size() == 1 ? "a trace" : "traces", others.front(), others.size() > 1 ? ", …" : "")});
  return loaded;
}

bool name_digests(std::span<const std::string> paths) {
  return std::ranges::any_of(paths, [](const std::string& path) {
    std::error_code unknown;
    if (!fs::is_directory(path, unknown)) return is_digest(path);
    const Result<std::vector<TraceFile>> files = find_trace_files(std::span(&path, 1), {.uses = kFolderOfJob});
    return files && !files->empty() && is_digest(files->front().path);
  });
}

}  // namespace lacuna
