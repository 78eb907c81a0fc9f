#include "tests/golden/check_reference.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "model/gaps/gaps.h"
#include "model/statistics/statistics.h"
#include "model/trace/import_finding.h"
#include "tests/golden/golden_support.h"

namespace lacuna {
namespace {

using Ref = nlohmann::json;

/// JSON in place of doctest's own printing of big structures: a failure shows both values.
void check_equal(const Ref& ours, const Ref& theirs) {
  CHECK(ours.dump() == theirs.dump());
}

std::string label(const Trace& trace, StringId device, StringId stream) {
  return std::string(trace.text(device)) + ":" + std::string(trace.text(stream));
}

/// Rows by name of the slices that `chosen` picks by category, as the reference lists them.
Ref by_name(const Trace& trace, const std::function<bool(CategoryClass)>& chosen, std::size_t limit) {
  std::map<std::string, StatisticsRow> rows;
  for (const StatisticsRow& row : compute_statistics(trace).rows) {
    if (!chosen(trace.category_class(row.category))) continue;
    const auto [it, is_new] = rows.try_emplace(std::string(trace.text(row.name)), row);
    if (is_new) continue;
    it->second.count += row.count;
    it->second.total += row.total;
    it->second.min = std::min(it->second.min, row.min);
    it->second.max = std::max(it->second.max, row.max);
  }
  std::vector<std::pair<std::string, StatisticsRow>> sorted(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& r) { return r.second.total; });
  Ref table = Ref::array();
  for (const auto& [name, row] : sorted) {
    if (table.size() == limit) break;
    table.push_back(
        {{"name", name}, {"count", row.count}, {"total_ns", row.total}, {"min_ns", row.min}, {"max_ns", row.max}});
  }
  return table;
}

/// The same rows with only the keys that the reference has.
Ref like(const Ref& rows, const Ref& example) {
  Ref result = Ref::array();
  for (const Ref& row : rows) {
    Ref kept = Ref::object();
    for (const auto& [key, value] : row.items())
      if (example.empty() || example.front().contains(key)) kept[key] = value;
    result.push_back(kept);
  }
  return result;
}

constexpr std::size_t kAll = ~std::size_t{0};

std::uint64_t count_slices(const Trace& trace, const std::function<bool(CategoryClass)>& chosen) {
  std::uint64_t count = 0;
  for (const StatisticsRow& row : compute_statistics(trace).rows)
    if (chosen(trace.category_class(row.category))) count += row.count;
  return count;
}

void check_counts(const Trace& trace, const Ref& ref) {
  CHECK(count_slices(trace, is_gpu_activity) == ref["gpu_activities"].get<std::uint64_t>());
  CHECK(count_slices(trace, is_kernel) == ref["kernels"].get<std::uint64_t>());
  CHECK(count_slices(trace, is_operator) == ref["cpu_ops"].get<std::uint64_t>());
  CHECK(count_slices(trace, [](CategoryClass c) { return c == CategoryClass::kRuntime; }) ==
        ref["runtime_calls"].get<std::uint64_t>());
}

void check_kernels(const Trace& trace, const Ref& ref) {
  const Ref rows = by_name(trace, is_kernel, kAll);
  std::int64_t total = 0;
  for (const Ref& row : rows) total += row["total_ns"].get<std::int64_t>();
  CHECK(rows.size() == ref["distinct_names"].get<std::size_t>());
  CHECK(total == ref["total_ns"].get<std::int64_t>());
  check_equal(by_name(trace, is_kernel, 10), ref["top10"]);
}

/// Streams by "DEVICE:STREAM"; the reference sorts them as text, we as numbers.
void check_streams(const Trace& trace, const Ref& ref, bool kernels_only) {
  std::map<std::string, Ref> ours;
  for (const StreamActivity& s : analyze_streams(trace, {.kernels_only = kernels_only})) {
    ours[label(trace, s.device, s.stream)] = {{"device", trace.text(s.device)},
                                              {"stream", trace.text(s.stream)},
                                              {"events", s.events},
                                              {"first_start_ns", s.first_start},
                                              {"last_end_ns", s.last_end},
                                              {"window_ns", s.window()},
                                              {"busy_ns", s.busy},
                                              {"idle_ns", s.idle()},
                                              {"sum_dur_ns", s.sum_duration},
                                              {"merged_intervals", s.gaps.size() + 1}};
  }
  std::map<std::string, Ref> theirs;
  for (const Ref& row : ref) theirs[row["device"].get<std::string>() + ":" + row["stream"].get<std::string>()] = row;
  check_equal(ours, theirs);
}

void check_devices(const Trace& trace, const Ref& ref) {
  std::map<std::string, Ref> ours;
  std::map<std::string, Ref> theirs;
  for (const DeviceActivity& d : analyze_devices(trace))
    ours[std::string(trace.text(d.device))] = {
        {"device", trace.text(d.device)}, {"events", d.events}, {"window_ns", d.window()}, {"busy_ns", d.busy}};
  for (const Ref& row : ref) theirs[row["device"].get<std::string>()] = row;
  check_equal(ours, theirs);
}

std::vector<Gap> longest_first(const SharedVector<Gap>& unsorted) {
  std::vector<Gap> gaps(unsorted.begin(), unsorted.end());
  std::ranges::stable_sort(gaps, std::ranges::greater{}, &Gap::duration);
  return gaps;
}

void check_busiest_stream(const Trace& trace, const Ref& ref) {
  const std::string wanted = ref["device"].get<std::string>() + ":" + ref["stream"].get<std::string>();
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  const auto stream = std::ranges::find_if(
      streams, [&](const StreamActivity& s) { return label(trace, s.device, s.stream) == wanted; });
  REQUIRE(stream != streams.end());
  CHECK(stream->busy == ref["busy_ns"].get<Nanos>());
  CHECK(stream->gaps.size() == ref["gap_count"].get<std::size_t>());
  const std::vector<Gap> gaps = longest_first(stream->gaps);
  const Ref& expected = ref["largest_gaps"];
  REQUIRE(gaps.size() >= expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(gaps[i].duration() == expected[i]["gap_ns"].get<Nanos>());
    CHECK(gaps[i].start == expected[i]["start_ns"].get<Nanos>());
    CHECK(gaps[i].end == expected[i]["end_ns"].get<Nanos>());
  }
}

/// Of our own references: names around the longest gaps of every stream, and their launches.
void check_largest_gaps(const Trace& trace, const Ref& ref) {
  std::map<std::string, Ref> ours;
  std::map<std::string, Ref> theirs;
  for (const Ref& row : ref) {
    Ref& list = theirs[row["device"].get<std::string>() + ":" + row["stream"].get<std::string>()];
    list.push_back(row);
  }
  for (const StreamActivity& s : analyze_streams(trace)) {
    const std::string stream = label(trace, s.device, s.stream);
    for (const Gap& gap : longest_first(s.gaps)) {
      if (ours[stream].size() == theirs[stream].size()) break;
      const bool has_launch = gap.launch.valid();
      ours[stream].push_back({{"device", trace.text(s.device)},
                              {"stream", trace.text(s.stream)},
                              {"start_ns", gap.start},
                              {"end_ns", gap.end},
                              {"before", trace.name(gap.before)},
                              {"after", trace.name(gap.after)},
                              {"launch", has_launch ? Ref(trace.name(gap.launch)) : Ref()},
                              {"launch_start_ns", has_launch ? Ref(trace.span(gap.launch).begin) : Ref()}});
    }
  }
  check_equal(ours, theirs);
}

void check_linkage(const Trace& trace, const Ref& ref) {
  const Links& links = trace.links();
  CHECK(links.gpu_activities == ref["gpu_activities"].get<std::uint64_t>());
  CHECK(links.linked == ref["linked"].get<std::uint64_t>());
  CHECK(links.unlinked() == ref["unlinked"].get<std::uint64_t>());
  CHECK(trace.report().count(Finding::kGpuActivityUnlinked) == links.unlinked());

  // The pairs themselves, as places in the event list of the file.
  const std::vector<std::uint64_t> offsets = event_offsets(json_of(trace));
  CHECK(offsets.size() == trace.event_count());
  const auto index_of = [&](SliceId slice) {
    const std::uint64_t offset = trace.lane(slice).file_offset(slice.index);
    const auto found = std::ranges::lower_bound(offsets, offset);
    CHECK((found != offsets.end() && *found == offset));
    return found - offsets.begin();
  };
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> pairs;
  std::uint64_t kernels_linked = 0;
  std::map<std::string, std::uint64_t> launch_names;
  std::map<SliceId, std::uint64_t> activities_per_launch;
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i) {
      const SliceId activity{LaneId{l}, i};
      const SliceId launch = links.launch_of(activity);
      if (!launch.valid()) continue;
      pairs.emplace_back(index_of(activity), index_of(launch));
      kernels_linked += is_kernel(trace.category_class(activity));
      ++launch_names[std::string(trace.name(launch))];
      ++activities_per_launch[launch];
    }
  }
  std::ranges::sort(pairs);
  std::string text;
  for (const auto& [activity, launch] : pairs) text += std::to_string(activity) + ":" + std::to_string(launch) + "\n";
  CHECK(sha256(text) == ref["pairs_sha256"].get<std::string>());
  CHECK(kernels_linked == ref["kernels_linked"].get<std::uint64_t>());
  for (std::size_t i = 0; i < ref["pairs_first10"].size() && i < pairs.size(); ++i) {
    CHECK(pairs[i].first == ref["pairs_first10"][i]["gpu_event_index"].get<std::ptrdiff_t>());
    CHECK(pairs[i].second == ref["pairs_first10"][i]["launch_event_index"].get<std::ptrdiff_t>());
  }
  if (ref.contains("launch_names")) check_equal(launch_names, ref["launch_names"]);
  if (ref.contains("gpu_with_multiple_launches"))
    CHECK(trace.report().count(Finding::kSeveralLaunches) == ref["gpu_with_multiple_launches"].get<std::uint64_t>());
  if (ref.contains("launches_with_several_gpu_activities"))
    CHECK(std::ranges::count_if(activities_per_launch, [](const auto& l) { return l.second > 1; }) ==
          ref["launches_with_several_gpu_activities"].get<std::ptrdiff_t>());
}

void check_statistics(const Trace& trace, const Ref& ref) {
  std::map<std::pair<std::string, std::string>, Ref> ours;
  for (const StatisticsRow& row : compute_statistics(trace).rows)
    ours[{std::string(trace.text(row.name)), std::string(trace.category_name(row.category))}] = {
        {"name", trace.text(row.name)},
        {"category", trace.category_name(row.category)},
        {"count", row.count},
        {"total_ns", row.total},
        {"self_ns", row.self},
        {"min_ns", row.min},
        {"max_ns", row.max}};
  CHECK(ours.size() == ref.size());
  for (const Ref& row : ref)
    check_equal(ours[{row["name"].get<std::string>(), row["category"].get<std::string>()}], row);
}

void check_phases(const Trace& trace, const Ref& ref) {
  std::map<std::string, std::uint64_t> ours;
  const auto& counts = trace.sources().front().phase_counts;
  for (std::size_t byte = 0; byte < counts.size(); ++byte)
    if (counts[byte] != 0) ours[std::string(1, static_cast<char>(byte))] = counts[byte];
  check_equal(ours, ref);
}

void check_categories(const Trace& trace, const Ref& ref) {
  std::map<std::string, std::uint64_t> ours;
  for (const Category& category : trace.categories())
    if (category.events != 0) ours[std::string(trace.text(category.name))] = category.events;
  const std::uint64_t without = trace.sources().front().without_category;
  // "null" in the facts of the shared traces, "(none)" in our own references.
  if (without != 0) ours[ref.contains("null") ? "null" : "(none)"] = without;
  check_equal(ours, ref);
}

}  // namespace

int check_reference(const Trace& trace, const nlohmann::json& reference) {
  int compared = 0;
  const auto section = [&](const char* key, auto&& check) {
    const auto found = reference.find(key);
    if (found == reference.end()) return;
    CAPTURE(key);
    check(*found);
    ++compared;
  };
  section("counts", [&](const Ref& r) { check_counts(trace, r); });
  section("kernels", [&](const Ref& r) { check_kernels(trace, r); });
  section("memcpy_memset_by_name", [&](const Ref& r) { check_equal(by_name(trace, is_copy_or_set, 10), r); });
  section("cpu_ops_top10_by_total", [&](const Ref& r) { check_equal(by_name(trace, is_operator, 10), r); });
  section("user_annotations_top10", [&](const Ref& r) { check_equal(like(by_name(trace, is_annotation, 10), r), r); });
  section("streams_all_gpu_activity", [&](const Ref& r) { check_streams(trace, r, false); });
  section("streams_kernels_only", [&](const Ref& r) { check_streams(trace, r, true); });
  section("devices_all_gpu_activity", [&](const Ref& r) { check_devices(trace, r); });
  section("busiest_stream", [&](const Ref& r) { check_busiest_stream(trace, r); });
  section("largest_gaps", [&](const Ref& r) { check_largest_gaps(trace, r); });
  section("linkage", [&](const Ref& r) { check_linkage(trace, r); });
  section("statistics", [&](const Ref& r) { check_statistics(trace, r); });
  section("phases", [&](const Ref& r) { check_phases(trace, r); });
  section("categories", [&](const Ref& r) { check_categories(trace, r); });
  section("span", [&](const Ref& r) {
    CHECK(trace.span().begin == r["start_ns"].get<Nanos>());
    CHECK(trace.span().end == r["end_ns"].get<Nanos>());
  });
  // The facts of the shared traces name two of these sections differently.
  section("ph", [&](const Ref& r) { check_phases(trace, r); });
  section("cat", [&](const Ref& r) { check_categories(trace, r); });
  section("events", [&](const Ref& r) { CHECK(trace.event_count() == r.get<std::uint64_t>()); });
  return compared;
}

}  // namespace lacuna
