#include "model/formats/file_names.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/formats/formats.h"
#include "model/import/trace_files.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

std::vector<std::string> names_in(const std::string& folder, std::span<const FormatUse> of_folders = kFolderOfTraces) {
  std::vector<std::string> names;
  const auto files = find_trace_files(std::span(&folder, 1), {.uses = of_folders});
  if (!files) return {files.error().cause};
  for (const TraceFile& file : *files) names.push_back(std::filesystem::path(file.path).filename().string());
  return names;
}

TEST_CASE("whatever a format's files are called may be opened") {
  for (const Format* format : all_formats()) {
    for (const std::string_view ending : format->endings) {
      if (ending.empty()) continue;
      const std::string name = "A" + std::string(ending);
      CAPTURE(name);
      CHECK(looks_like_trace(name));
      CHECK(is_named_for(format->use, name));
      CHECK(is_named_for(format->use, name + ".gz") == format->may_be_compressed);
      CHECK(looks_like_trace(name + ".ZST"));
    }
  }
  CHECK(looks_like_trace("a.tar.gz"));
  CHECK_FALSE(is_named_for(FormatUse::kTrace, "a.tar.gz"));
  CHECK_FALSE(is_named_for(FormatUse::kTrace, "a.json.txt"));
  CHECK(looks_like_trace("NCCL_trace_rank_0"));
  CHECK_FALSE(looks_like_trace("rank_0"));
}

TEST_CASE("a folder stands for its traces, and without any for its snapshots") {
  const TemporaryFolder folder;
  const std::string nothing = names_in(folder.path).front();
  CHECK(nothing.starts_with("no traces in this directory (*.json, *.trace, "));
  CHECK(nothing.find("*.pickle") < nothing.find(", also with .gz or .zst"));
  CHECK(nothing.find("*.sqlite") < nothing.find(", also with .gz or .zst"));
  folder.write("b.pickle", "");
  folder.write("a.PKL.gz", "");
  folder.write(".hidden.pickle", "");
  folder.write("rank0.digest", "");
  folder.write("notes.txt", "");
  CHECK(names_in(folder.path) == std::vector<std::string>{"a.PKL.gz", "b.pickle"});
  constexpr std::array<FormatUse, 2> kOfJobs{FormatUse::kTrace, FormatUse::kDigest};
  CHECK(names_in(folder.path, kOfJobs) == std::vector<std::string>{"rank0.digest"});
  folder.write("rank10.json", "");
  folder.write("rank2.json.zst", "");
  folder.write("report.sqlite", "");
  folder.write("report.sqlite.gz", "");
  const std::vector<std::string> traces{"rank2.json.zst", "rank10.json", "report.sqlite", "report.sqlite.gz"};
  CHECK(names_in(folder.path) == traces);
  CHECK(names_in(folder.path, kOfJobs) == traces);
}

}  // namespace
}  // namespace lacuna
