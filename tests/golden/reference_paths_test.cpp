// The numbers of every .ref.json once more, through the tables by group and the parts of the report.

#include <algorithm>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "model/groups/group_table.h"
#include "model/report/report_parts.h"
#include "tests/golden/check_reference.h"
#include "tests/golden/golden_support.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

using Ref = nlohmann::json;

struct Row {
  std::uint64_t count = 0;
  Nanos total = 0;
  Nanos min = kMaxNanos;
  Nanos max = 0;
};

/// Rows of one kind by name: files may write one name in several categories.
std::map<std::string, Row> rows_of(const Trace& trace, const GroupTable& table, auto&& wanted) {
  std::map<std::string, Row> rows;
  for (const GroupRow& group : table.rows) {
    if (!wanted(trace.category_class(group.category))) continue;
    Row& row = rows[group.label];
    row.count += group.count;
    row.total += group.total;
    row.min = std::min(row.min, group.min);
    row.max = std::max(row.max, group.max);
  }
  return rows;
}

/// Each row of the reference is there with its numbers, and what is not there is no larger.
void check_top(const std::map<std::string, Row>& rows, const Ref& reference) {
  Nanos least = kMaxNanos;
  std::map<std::string, bool> named;
  for (const Ref& expected : reference) {
    const std::string name = expected["name"].get<std::string>();
    CAPTURE(name);
    REQUIRE(rows.contains(name));
    const Row& row = rows.at(name);
    CHECK(row.count == expected["count"].get<std::uint64_t>());
    CHECK(row.total == expected["total_ns"].get<Nanos>());
    if (expected.contains("min_ns")) CHECK(row.min == expected["min_ns"].get<Nanos>());
    if (expected.contains("max_ns")) CHECK(row.max == expected["max_ns"].get<Nanos>());
    least = std::min(least, row.total);
    named[name] = true;
  }
  for (const auto& [name, row] : rows)
    if (!named.contains(name)) CHECK(row.total <= least);
}

std::uint64_t count(const std::map<std::string, Row>& rows) {
  std::uint64_t sum = 0;
  for (const auto& [name, row] : rows) sum += row.count;
  return sum;
}

void check_groups(const Trace& trace, const Ref& reference) {
  const Result<GroupTable> table = compute_groups(trace, {});
  REQUIRE(table.has_value());
  const auto of = [&](auto&& wanted) { return rows_of(trace, *table, wanted); };
  const Ref& counts = reference["counts"];
  CHECK(count(of(is_kernel)) == counts["kernels"].get<std::uint64_t>());
  CHECK(count(of(is_gpu_activity)) == counts["gpu_activities"].get<std::uint64_t>());
  CHECK(count(of(is_operator)) == counts["cpu_ops"].get<std::uint64_t>());
  CHECK(of(is_kernel).size() == reference["kernels"]["distinct_names"].get<std::size_t>());
  check_top(of(is_kernel), reference["kernels"]["top10"]);
  check_top(of(is_copy_or_set), reference["memcpy_memset_by_name"]);
  check_top(of(is_operator), reference["cpu_ops_top10_by_total"]);
  // Those that reference.py of this project makes have none.
  if (reference.contains("user_annotations_top10")) check_top(of(is_annotation), reference["user_annotations_top10"]);

  // By stream: what one stream did adds up to its sum of durations.
  GroupOptions by_stream;
  by_stream.by = GroupBy::kStream;
  const Result<GroupTable> streams = compute_groups(trace, by_stream);
  REQUIRE(streams.has_value());
  std::map<std::string, Row> by_label = rows_of(trace, *streams, is_gpu_activity);
  for (const Ref& stream : reference["streams_all_gpu_activity"]) {
    const std::string name =
        "GPU " + stream["device"].get<std::string>() + ", stream " + stream["stream"].get<std::string>();
    CAPTURE(name);
    REQUIRE(by_label.contains(name));
    CHECK(by_label[name].count == stream["events"].get<std::uint64_t>());
    CHECK(by_label[name].total == stream["sum_dur_ns"].get<Nanos>());
  }
}

/// The parts of the report over the whole trace instead of its measured steps.
void check_report(const Trace& trace, const Ref& reference) {
  Report report;
  report.source = SourceId{0};
  report.window = {trace.span().begin, trace.span().end};
  report_kernels(trace, 2, report);
  report_devices(trace, report, CauseIndex(trace));
  report_missing(trace, report);
  CHECK(report.kernel.count == reference["counts"]["kernels"].get<std::uint64_t>());
  CHECK(report.kernel.total == reference["kernels"]["total_ns"].get<Nanos>());
  CHECK(report.kernels.size() == reference["kernels"]["distinct_names"].get<std::size_t>());
  std::map<std::string, Row> kernels, copies;
  for (const auto& [list, rows] : {std::pair(&report.kernels, &kernels), {&report.copies, &copies}})
    for (const ReportKernel& kernel : *list)
      (*rows)[std::string(trace.text(kernel.name))] = {kernel.count, kernel.total, 0,
                                                       trace.span(kernel.longest).duration()};
  const auto without_min = [](Ref rows) {
    for (Ref& row : rows) row.erase("min_ns");
    return rows;
  };
  check_top(kernels, without_min(reference["kernels"]["top10"]));
  check_top(copies, without_min(reference["memcpy_memset_by_name"]));

  const Ref& devices = reference["devices_all_gpu_activity"];
  REQUIRE(report.devices.size() == devices.size());
  for (const Ref& expected : devices) {
    const auto device = std::ranges::find_if(report.devices, [&](const DeviceReport& d) {
      return trace.text(d.device) == expected["device"].get<std::string>();
    });
    REQUIRE(device != report.devices.end());
    CHECK(device->activities == expected["events"].get<std::uint64_t>());
    CHECK(device->busy == expected["busy_ns"].get<Nanos>());
    CHECK(device->idle - device->at_edges() == expected["window_ns"].get<Nanos>() - expected["busy_ns"].get<Nanos>());
  }
  CHECK(report.missing.activities == reference["linkage"]["gpu_activities"].get<std::uint64_t>());
  CHECK(report.missing.unlinked == reference["linkage"]["unlinked"].get<std::uint64_t>());
}

}  // namespace

TEST_CASE("the project's own traces with a .ref.json through the groups and the report") {
  constexpr const char* kOwnSuffix = ".pt.trace.ref.json";
  const auto check = [](const Trace& trace, const std::filesystem::path& path) {
    CAPTURE(path.string());
    const Ref reference = read_json(path);
    check_groups(trace, reference);
    check_report(trace, reference);
  };
  check(load_golden(demo_trace()), fixtures() / "demo.trace.ref.json");
  const auto references = files_ending_in(fixtures(), kOwnSuffix);
  CHECK(references.size() >= 3);
  for (const auto& path : references) check(load_golden(without_suffix(path, ".ref.json").string() + ".json.gz"), path);
}

TEST_CASE("every .ref.json through the groups and the report") {
  const auto folder = shared_traces();
  if (folder.empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  constexpr const char* kSuffix = ".ref.json";
  for (const auto& path : files_ending_in(folder, kSuffix)) {
    CAPTURE(path.string());
    const Trace trace = load_golden(without_suffix(path, kSuffix));
    const Ref reference = read_json(path);
    check_groups(trace, reference);
    check_report(trace, reference);
  }
}
