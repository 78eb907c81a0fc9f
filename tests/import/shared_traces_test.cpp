// Every real trace: counts against its .facts.json, and the same result however it is read.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "import_support.h"
#include "tests/support/rounds.h"
#include "tests/support/skip.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

std::vector<std::string> files() {
  auto found = shared_trace_files();
  if (found.empty()) skip("the shared traces are not there");
  return found;
}

using Histogram = std::map<std::string, std::uint64_t>;

}  // namespace

TEST_CASE("phases and categories are counted as in the facts files") {
  int compared = 0;
  for (const std::string& path : files()) {
    if (!std::filesystem::exists(path + ".facts.json")) continue;
    CAPTURE(path);
    ++compared;
    const auto facts = nlohmann::json::parse(read_file(path + ".facts.json"));
    const ReadResult read = read_path(path);
    REQUIRE(read.result.has_value());
    CHECK(read.events() == facts["events"]);
    CHECK(read.facts.json_bytes == facts["raw_bytes"]);
    CHECK(read.facts.file_bytes == 0);  // known to the importer, not to this reader
    Histogram phases;
    Histogram categories;
    std::uint64_t instants = 0;
    for (const EventBatch& b : read.batches) {
      for (std::size_t p = 0; p < b.phase_counts.size(); ++p)
        if (b.phase_counts[p] != 0) phases[std::string(1, static_cast<char>(p))] += b.phase_counts[p];
      for (std::size_t c = 0; c < b.categories.size(); ++c)
        categories[std::string(b.strings.get(b.categories[c]))] += b.category_counts[c];
      if (b.without_category != 0) categories["null"] += b.without_category;
      for (const auto& t : b.tracks) instants += t.instants.size();
    }
    CHECK(phases == facts["ph"].get<Histogram>());
    CHECK(categories == facts["cat"].get<Histogram>());
    CHECK(instants == phases["i"]);
    std::uint64_t devices = 0;
    const auto models = facts.value("devices", nlohmann::json::object());
    for (const auto& [name, count] : models.items()) devices += count.get<std::uint64_t>();
    CHECK(read.facts.devices.size() == devices);
    const auto distributed = facts.value("distributedInfo", nlohmann::json());
    if (distributed.is_object() && distributed.contains("rank"))
      CHECK(read.facts.rank == distributed["rank"].get<std::int64_t>());
    CHECK(read.report.total(Severity::kDataLoss) == 0);
    CHECK(read.report.total(Severity::kRepaired) == 0);
  }
  MESSAGE(compared, " traces compared with their facts");
}

TEST_CASE("the tolerant reader agrees with the strict one, and no cut matters") {
  for (const std::string& path : files()) {
    CAPTURE(path);
    const std::string json = read_decompressed(path);
    REQUIRE_FALSE(json.empty());
    if (has_sanitizers() && json.size() > 16u << 20) continue;  // the plain build reads the largest
    const ReadResult strict = read_text(json);
    const auto expected = lines(strict);
    const auto report = report_lines(strict);
    const std::size_t piece = json.size() / 37 + 1;
    std::vector<ImportOptions> ways{tolerant(), cut_every(std::min<std::size_t>(piece, 100'003)),
                                    cut_every(std::max<std::size_t>(piece, 100'003))};
    ways.resize(rounds(ways.size(), std::size_t{2}));
    if (json.size() < 100'000) ways.push_back(cut_every(61));
    for (const ImportOptions& options : ways) {
      const ReadResult read = read_text(json, options);
      REQUIRE(read.result.has_value() == strict.result.has_value());
      REQUIRE((lines(read) == expected));
      REQUIRE(report_lines(read) == report);
      REQUIRE((read.facts.metadata == strict.facts.metadata));
    }
  }
}
