// Documents of a recording under way: they share what is sealed, and the last is what its file gives, read or
// reopened.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/cli/causes.h"
#include "app/cli/gaps.h"
#include "app/cli/info.h"
#include "app/cli/output.h"
#include "app/cli/stats.h"
#include "app/gui/core/document_upkeep.h"
#include "app/gui/models/live/live_recording.h"
#include "app/gui/models/query/query_view.h"
#include "capture/session/installation.h"
#include "model/cache/trace_cache.h"
#include "model/causes/growing_causes.h"
#include "model/gaps/growing_gaps.h"
#include "model/import/importer.h"
#include "model/statistics/statistics.h"
#include "tests/support/skip.h"
#include "tests/support/waiting.h"

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
    REQUIRE(comes_true([&] {
      DocumentPtr document = recording->take_document();
      if (document == nullptr) return false;
      each(document);
      if (last) recording->retire(std::move(last));
      last = std::move(document);
      return !last->is_partial;
    }));
  }
  /// The file that it gives, read.
  Trace saved(const GrowthFolder& folder) {
    const std::string paths[] = {(folder.path / "saved.json").string()};
    REQUIRE(recording->capture().save(paths[0], Existing::kReplaceOurs));
    auto read = import_files(paths);
    REQUIRE(read);
    return std::move(*read);
  }
  /// … as it comes out of the cache of files that were opened before.
  static Trace reopened(const GrowthFolder& folder, const Trace& saved) {
    const std::string paths[] = {(folder.path / "saved.json").string()};
    const TraceCache cache((folder.path / "cache").string(), {.most_bytes = 1 << 30, .least_json_bytes = 1});
    const auto files = TraceCache::look_at(paths, {});
    const auto kept =
        cache.keep(files, saved, FoldIndex::build(saved.lanes()), compute_statistics(saved), saved.span());
    REQUIRE(kept);
    REQUIRE(*kept);
    auto found = cache.find(files, {});
    REQUIRE(found);
    return std::move(found->trace);
  }
};

/// What the command line tells of a trace, all of it, and every link; but for where it was read from.
std::string answers_of(const Trace& trace) {
  std::string text;
  Output out(text);
  print_stats(trace, {.format = StatsFormat::kJson}, out);
  CHECK(print_gaps(trace, {.json = true}, out));
  for (const CausesOptions& what : {CausesOptions{.by_cause = true}, CausesOptions{.by_operator = true},
                                    CausesOptions{.dead_windows = true}, CausesOptions{.launches = true}})
    CHECK(print_causes(trace, {.json = true}, what, out));
  CHECK(out.finish());
  std::string info;
  Output info_out(info);
  print_info_json(trace, info_out);
  CHECK(info_out.finish());
  nlohmann::json facts = nlohmann::json::parse(info);
  for (const char* of_the_file : {"path", "format", "fileBytes", "jsonBytes", "metadata"}) {
    facts.erase(of_the_file);
    for (auto& source : facts["files"]) source.erase(of_the_file);
  }
  text += facts.dump(1);
  const auto tie = [&](SliceId from, SliceId to) {
    text +=
        fmt::format("{} {} -> {} {}\n", trace.name(from), trace.span(from).begin, trace.name(to), trace.span(to).begin);
  };
  for (const LaunchLink& link : trace.links().launches()) tie(link.launch, link.activity);
  for (const FlowArrow& arrow : trace.links().flows()) tie(arrow.from, arrow.to);
  return text;
}

/// The first line in which two texts differ; empty where they are the same.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream in_a(a), in_b(b);
  for (std::string line_a, line_b;;) {
    const bool has_a = static_cast<bool>(std::getline(in_a, line_a));
    const bool has_b = static_cast<bool>(std::getline(in_b, line_b));
    if (!has_a && !has_b) return {};
    if (has_a != has_b || line_a != line_b)
      return fmt::format("{} | {}", has_a ? line_a : "(end)", has_b ? line_b : "(end)");
  }
}

/// Of the recording's last document, of its file, and of that file when it is opened again.
void check_same_answers(Recorded& recorded, const GrowthFolder& folder, const Trace& saved) {
  const std::string live = answers_of(recorded.last->trace);
  CHECK(live.size() > 2'000);
  CHECK(first_difference(live, answers_of(saved)) == "");
  CHECK(first_difference(live, answers_of(Recorded::reopened(folder, saved))) == "");
}

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
    out.push_back(fmt::format("{} {} {} {} {} {} {} {} {} {} {}", trace.text(row.name),
                              trace.category_name(row.category), row.count, row.total, row.self, row.min, row.p50,
                              row.p99, row.max, row.counted, trace.span(row.longest).begin));
  out.push_back(fmt::format("{} {} {}", statistics.cpu_self, statistics.gpu_total, statistics.sampled_self));
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("a recording's documents share sealed slices, and the last has what its file has") {
  const GrowthFolder folder;
  const Installation found = find_installation();
  REQUIRE_FALSE(found.collector.empty());
  LivePlan plan;
  plan.arguments = {found.demo, "40"};
  std::uint64_t shared = 0;
  Recorded recorded(plan, [&](const DocumentPtr& document) {
    REQUIRE(document->folds.size() == document->trace.lanes().size());
    std::uint64_t sealed = 0;
    for (const Lane& lane : document->trace.lanes()) {
      REQUIRE(lane.sealed <= lane.size());
      sealed += lane.sealed;
    }
    const Statistics anew = compute_statistics(document->trace, {.percentiles = true});
    CHECK(all_that_is_in(document->trace, anew) == all_that_is_in(document->trace, document->statistics));
    if (document->is_partial) shared = std::max(shared, sealed);
  });
  CHECK(shared > 100);
  const Trace saved = recorded.saved(folder);
  CHECK(all_that_is_in(saved, compute_statistics(saved, {.percentiles = true})) ==
        all_that_is_in(recorded.last->trace, recorded.last->statistics));
  check_same_answers(recorded, folder, saved);
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
  std::size_t busy_differs = 0;
  Recorded recorded(plan, [&](const DocumentPtr& document) {
    REQUIRE(document->idle != nullptr);
    const auto known = gaps_in_words(document->trace, document->streams, document->idle->by_stream);
    const auto afresh = gaps_afresh(document->trace);
    REQUIRE(known.size() <= afresh.size());
    if (document->streams.size() == 1) CHECK(std::ranges::equal(known, std::span(afresh).first(known.size())));
    const std::vector<DeviceActivity> devices = analyze_devices(document->trace);
    REQUIRE(document->idle->device_busy.size() == devices.size());
    const TimeSpan span = document->trace.span();
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const StreamBusyIndex anew(to_stream_activity(devices[d]));
      for (Nanos k = 0; k < 50; ++k) {
        const TimeSpan part{span.begin + span.duration() / 50 * k, span.begin + span.duration() / 50 * (k + 1)};
        busy_differs += anew.busy_in(part) != document->idle->device_busy[d].busy_in(part);
      }
    }
    if (document->is_partial) known_while_it_ran = std::max(known_while_it_ran, known.size());
  });
  const auto in_the_end = gaps_in_words(recorded.last->trace, recorded.last->streams, recorded.last->idle->by_stream);
  CHECK(in_the_end.size() > 300);  // 1,500 but on a slow machine
  CHECK(known_while_it_ran > 100);
  CHECK(busy_differs == 0);
  const Trace saved = recorded.saved(folder);
  CHECK(in_the_end == gaps_afresh(saved));
  check_same_answers(recorded, folder, saved);
}

TEST_CASE("a recording is queried while it goes on: about what came so far, by its times") {
  const GrowthFolder folder;
  LivePlan plan;
  plan.arguments = {find_installation().demo, "40"};
  BackgroundJobs jobs;
  QueryView query{jobs};
  query.text = "SELECT id, ts, dur, name FROM slice WHERE name = 'forward' ORDER BY ts";
  std::uint64_t asked_with = 0;
  const Recorded recorded(plan, [&](const DocumentPtr& document) {
    query.keep_to(document);  // an answer stays
    if (!document->is_partial || document->trace.slice_count() < 200 || query.answer() != nullptr) return;
    asked_with = document->trace.slice_count();
    query.run(document);
    query.settle();
    REQUIRE(query.answer() != nullptr);
    CHECK(query.answer()->error == "");
    CHECK(query.answer()->count > 0);
    CHECK(query.answer()->places.empty());
    const auto place = query.place_of(0);
    REQUIRE(place);
    bool is_there = false;
    for (const Lane& lane : document->trace.lanes())
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        is_there = is_there || (lane.span(i) == place->span && document->trace.text(lane.name(i)) == "forward");
    CHECK(is_there);
  });
  REQUIRE(asked_with > 0);
  const std::uint64_t then = query.answer()->count;
  query.run(recorded.last);
  query.settle();
  REQUIRE(query.answer() != nullptr);
  CHECK(query.answer()->count > then);
  CHECK_FALSE(query.answer()->places.empty());  // nothing moves any more
}

}  // namespace lacuna
