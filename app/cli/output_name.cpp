#include "app/cli/output_name.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "model/base/os/files.h"
#include "model/base/os/machine.h"

namespace lacuna {
namespace {

constexpr unsigned kMostNumbers = 100'000;
/// Where launchers say the rank: torchrun and accelerate; Open MPI; PMIx; MPICH and Intel MPI; MVAPICH; srun.
constexpr const char* kRankVariables[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                          "PMI_RANK", "MV2_COMM_WORLD_RANK",  "SLURM_PROCID"};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether %n is in it; "%%n" is none.
bool has_number(const std::string& pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i)
    if (pattern[i] == '%' && pattern[++i] == 'n') return true;
  return false;
}

std::string new_name_pattern(const std::vector<std::string>& command, const OutputNameFacts& facts) {
  std::string program = std::filesystem::path(command.front()).filename().string();
  for (std::size_t at = 0; (at = program.find('%', at)) != std::string::npos; at += 2) program.insert(at, 1, '%');
  return fmt::format("{}-{:%Y%m%d-%H%M%S}-{}.trace.json.gz", program, fmt::localtime(std::time(nullptr)),
                     facts.rank.empty() ? "p%p" : "rank%r");
}

}  // namespace

OutputNameFacts own_output_facts() {
  OutputNameFacts facts;
  facts.process = std::to_string(process_id());
  facts.host = host_name();
  for (const char* name : kRankVariables) {
    const char* value = std::getenv(name);
    if (value == nullptr || !is_number(value)) continue;
    facts.rank = value;
    break;
  }
  return facts;
}

Result<std::string> expand_output_name(const std::string& pattern, const OutputNameFacts& facts, unsigned number) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      name.push_back(pattern[i]);
      continue;
    }
    switch (++i < pattern.size() ? pattern[i] : '\0') {
      case 'p':
        name += facts.process;
        break;
      case 'h':
        name += facts.host;
        break;
      case 'r':
        name += facts.rank.empty() ? "0" : facts.rank;
        break;
      case 'n':
        name += std::to_string(number);
        break;
      case '%':
        name.push_back('%');
        break;
      default:
        return fail(ErrorCode::kInvalidArgument,
                    "the name takes %p (process id), %r (rank), %h (host), %n (a free number) and %%", pattern);
    }
  }
  return name;
}

Result<ClaimedFile> claim_output(const std::string& pattern, const std::vector<std::string>& command, bool force) {
  const OutputNameFacts facts = own_output_facts();
  if (!pattern.empty() && !has_number(pattern)) {
    const Result<std::string> name = expand_output_name(pattern, facts, 1);
    if (!name) return tl::make_unexpected(name.error());
    Result<ClaimedFile> claimed = ClaimedFile::claim(*name, force ? Existing::kReplace : Existing::kReplaceOurs);
    if (!claimed && claimed.error().code == ErrorCode::kInvalidArgument)
      claimed.error().cause += " (--force replaces it)";
    return claimed;
  }
  const std::string numbered = pattern.empty() ? new_name_pattern(command, facts) : pattern;
  for (unsigned number = 1;; ++number) {
    Result<std::string> name = expand_output_name(numbered, facts, number);
    if (!name) return tl::make_unexpected(name.error());
    if (pattern.empty() && number > 1) *name = with_suffix(*name, fmt::format("-{}", number));
    Result<ClaimedFile> claimed = ClaimedFile::claim(*name, Existing::kKeep);
    if (claimed || number == kMostNumbers || !facts_of_link(*name)) return claimed;
  }
}

}  // namespace lacuna
