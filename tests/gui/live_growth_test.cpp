// Documents of a recording under way: they share what is settled, and the last is what its file gives.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/gui/core/document_upkeep.h"
#include "app/gui/models/live/live_recording.h"
#include "capture/session/installation.h"
#include "model/causes/growing_causes.h"
#include "model/import/importer.h"
#include "tests/support/skip.h"

namespace lacuna {
namespace {

struct GrowthFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lacuna_gui_growth_" + std::to_string(getpid()));
  GrowthFolder() { setenv("XDG_CACHE_HOME", path.c_str(), 1); }
  ~GrowthFolder() { std::filesystem::remove_all(path); }
};

/// A recording that was watched to its end.
struct Recorded {
  std::unique_ptr<LiveRecording> recording;
  DocumentPtr last;

  Recorded(const LivePlan& plan, const std::function<void(const DocumentPtr&)>& each) {
    auto started = LiveRecording::start(plan, [] {});
    REQUIRE(started);
    recording = std::move(*started);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(100);
    while (last == nullptr || last->is_partial) {
      REQUIRE(std::chrono::steady_clock::now() < end);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      DocumentPtr document = recording->take_document();
      if (document == nullptr) continue;
      each(document);
      if (last) recording->retire(std::move(last));
      last = std::move(document);
    }
  }
  /// The file that it gives, read.
  Trace saved(const GrowthFolder& folder) {
    const std::string paths[] = {(folder.path / "saved.json").string()};
    REQUIRE(recording->capture().save(paths[0], Existing::kReplaceOurs));
    auto read = import_files(paths);
    REQUIRE(read);
    return std::move(*read);
  }
};

/// Every slice with its place, and all statistics, in words: ids are those of a trace.
std::vector<std::string> all_that_is_in(const Trace& trace, const Statistics& statistics) {
  std::map<std::string, std::vector<std::string>> tracks;
  for (const Track& track : trace.tracks()) {
    auto& lines =
        tracks[fmt::format("{} {} {}", trace.text(track.tid), static_cast<int>(track.kind), trace.text(track.name))];
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        lines.push_back(fmt::format("{}.{} {} {} {} {} {} {}", lane.nest, lane.depth, lane.start(i), lane.duration(i),
                                    trace.text(lane.name(i)), trace.category_name(lane.category(i)), lane.parent(i),
                                    lane.flags(i)));
  }
  std::vector<std::string> out;
  for (auto& [track, lines] : tracks) {
    out.push_back(track);
    out.insert(out.end(), lines.begin(), lines.end());
  }
  for (const StatisticsRow& row : statistics.rows)
    out.push_back(fmt::format("{} {} {} {} {} {} {} {} {}", trace.text(row.name), trace.category_name(row.category),
                              row.count, row.total, row.self, row.min, row.max, row.counted,
                              trace.span(row.longest).begin));
  out.push_back(fmt::format("{} {} {}", statistics.cpu_self, statistics.gpu_total, statistics.sampled_self));
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("a recording's documents share settled slices, and the last has what its file has") {
  const GrowthFolder folder;
  const Installation found = find_installation();
  REQUIRE_FALSE(found.collector.empty());
  LivePlan plan;
  plan.arguments = {found.demo, "40"};
  std::uint64_t shared = 0;
  Recorded recorded(plan, [&](const DocumentPtr& document) {
    REQUIRE(document->folds.size() == document->trace.lanes().size());
    std::uint64_t settled = 0;
    for (const Lane& lane : document->trace.lanes()) {
      REQUIRE(lane.settled <= lane.size());
      settled += lane.settled;
    }
    const Statistics anew = compute_statistics(document->trace);
    CHECK(all_that_is_in(document->trace, anew) == all_that_is_in(document->trace, document->statistics));
    if (document->is_partial) shared = std::max(shared, settled);
  });
  CHECK(shared > 100);
  const Trace saved = recorded.saved(folder);
  CHECK(all_that_is_in(saved, compute_statistics(saved)) ==
        all_that_is_in(recorded.last->trace, recorded.last->statistics));
}

namespace {

/// Each gap of a stream and why it is there, by the names and times of what is around it.
std::vector<std::string> gaps_in_words(const Trace& trace, std::span<const StreamActivity> streams,
                                       std::span<const SharedVector<GapDiagnosis>> verdicts) {
  std::vector<std::string> out;
  const auto slice = [&](SliceId id) {
    return id.valid() ? fmt::format("{} {}", trace.name(id), trace.span(id).begin) : "none";
  };
  for (std::size_t s = 0; s < streams.size(); ++s)
    for (std::size_t g = 0; g < verdicts[s].size(); ++g) {
      const Gap& gap = streams[s].gaps[g];
      const GapDiagnosis& why = verdicts[s][g];
      out.push_back(fmt::format("{}/{} {} {} {} {} {}: {} {} {} {}", trace.text(streams[s].device),
                                trace.text(streams[s].stream), gap.start, gap.end, slice(gap.before), slice(gap.after),
                                slice(gap.launch), cause_key(why.cause), why.before_issue, why.in_queue,
                                slice(why.sync_call)));
    }
  return out;
}

std::vector<std::string> gaps_afresh(const Trace& trace) {
  const CauseIndex index(trace);
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  std::vector<SharedVector<GapDiagnosis>> verdicts;
  for (const StreamActivity& stream : streams) verdicts.push_back(index.diagnose(stream.gaps));
  return gaps_in_words(trace, streams, verdicts);
}

}  // namespace

TEST_CASE("documents of a recording of a GPU have the causes of its gaps, in the end those of its file") {
  const char* const targets = std::getenv("LACUNA_TARGETS");
  REQUIRE(targets != nullptr);
  const std::string folder_of_targets = targets;
  if (!std::filesystem::exists(folder_of_targets + "/fake13")) {
    skip("the stand-in for CUPTI was not built");
    return;
  }
  const GrowthFolder folder;
  LivePlan plan;
  plan.arguments = {folder_of_targets + "/cuda_target", "rate", "3000", "1500"};
  plan.variables = {{"LD_LIBRARY_PATH", folder_of_targets + "/fake13:" + folder_of_targets + "/fakecuda"},
                    {"FAKE_DRIVER_VERSION", "13000"}};
  std::size_t known_while_it_ran = 0;
  Recorded recorded(plan, [&](const DocumentPtr& document) {
    REQUIRE(document->idle != nullptr);
    const auto known = gaps_in_words(document->trace, document->streams, document->idle->by_stream);
    const auto afresh = gaps_afresh(document->trace);
    REQUIRE(known.size() <= afresh.size());
    if (document->streams.size() == 1) CHECK(std::ranges::equal(known, std::span(afresh).first(known.size())));
    if (document->is_partial) known_while_it_ran = std::max(known_while_it_ran, known.size());
  });
  const auto in_the_end = gaps_in_words(recorded.last->trace, recorded.last->streams, recorded.last->idle->by_stream);
  CHECK(in_the_end.size() > 1000);
  CHECK(known_while_it_ran > 100);
  const Trace saved = recorded.saved(folder);
  CHECK(in_the_end == gaps_afresh(saved));
}

}  // namespace lacuna
