// `lacuna memory` of a file of export_memory_timeline.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/json_writer.h"
#include "app/cli/memory.h"
#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/base/stable_sort.h"
#include "model/formats/memory_timeline/timeline_file.h"
#include "model/memory/out_of_memory.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::size_t asked_row(const CategoryTimeline& timeline, const std::string& at) {
  if (at == "peak") return timeline.peak();
  if (at == "start") return 0;
  if (at == "end") return timeline.times_us.size() - 1;
  std::int64_t time = parse_microseconds(at).value_or(0) / 1000;
  if (time < timeline.times_us.front()) time += timeline.times_us.front();
  const auto after = std::ranges::upper_bound(timeline.times_us, time);
  return after == timeline.times_us.begin() ? 0 : static_cast<std::size_t>(after - timeline.times_us.begin()) - 1;
}

std::uint64_t not_negative(std::int64_t bytes) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
}

/// Categories in the order of the file, and as holders, most bytes first.
struct CategoryRow {
  MemoryCategory category;
  std::int64_t bytes = 0;
  std::int64_t peak = 0;
};

std::vector<CategoryRow> rows_at(const CategoryTimeline& timeline, std::size_t at) {
  std::vector<CategoryRow> rows;
  for (std::size_t c = 0; c < kMemoryCategories; ++c) {
    CategoryRow row{CategoryTimeline::kOrder[c]};
    if (!timeline.bytes.empty()) row.bytes = row.peak = timeline.bytes[at][c];
    for (const auto& bytes : timeline.bytes) row.peak = std::max(row.peak, bytes[c]);
    rows.push_back(row);
  }
  return rows;
}

void write_timeline_json(const CategoryTimeline& timeline, const std::string& path, const std::string& at,
                         std::size_t row, std::vector<CategoryRow> rows, Output& out) {
  const bool any = !timeline.times_us.empty();
  JsonWriter json(out);
  json.member("file", path);
  json.member("kind", timeline.is_raw ? "memoryTimelineRaw" : "memoryTimeline");
  json.member("at", at);
  json.member("by", "category");
  json.member("rows", timeline.rows);
  json.member("moments", timeline.times_us.size());
  json.member("timeUs", any ? Json(timeline.times_us[row]) : Json());
  json.member("activeBytes", any ? Json(timeline.total(row)) : Json());
  json.member("peakActiveBytes", any ? Json(timeline.total(timeline.peak())) : Json());
  json.member("peakTimeUs", any ? Json(timeline.times_us[timeline.peak()]) : Json());
  json.begin_list("categories");
  for (const CategoryRow& c : rows)
    json.element({{"name", memory_category_key(c.category)}, {"bytes", c.bytes}, {"peakBytes", c.peak}});
  json.end();
  sort_stably(rows, std::ranges::greater(), &CategoryRow::bytes);
  json.begin_list("holders");
  for (const CategoryRow& c : rows)
    if (c.bytes != 0) json.element({{"name", memory_category_name(c.category)}, {"bytes", c.bytes}});
  json.end();
  json.member("outOfMemory", Json::array());
  json.member("notUnderstood", timeline.not_understood);
  json.finish();
}

}  // namespace

Result<void> print_timeline_memory(const OpenedFile& file, const std::string& path, const MemoryCommand& command,
                                   Output& out) {
  const Result<CategoryTimeline> timeline = read_category_timeline(*file.bytes, path);
  if (!timeline) return tl::make_unexpected(timeline.error());
  const std::size_t at = timeline->times_us.empty() ? 0 : asked_row(*timeline, command.at);
  const std::vector<CategoryRow> rows = rows_at(*timeline, at);
  if (command.json) {
    write_timeline_json(*timeline, path, command.at, at, rows, out);
    return {};
  }
  if (command.html || command.folded || !command.compare.empty())
    return fail(ErrorCode::kInvalidArgument, "of a memory timeline there is text and --json only", path);
  out.write(fmt::format("{}: memory timeline of PyTorch's profiler{}, {}, {}\n", printable(path),
                        timeline->is_raw ? ", raw" : "", counted(timeline->rows, "row"),
                        counted(timeline->times_us.size(), "moment")));
  if (timeline->not_understood > 0)
    out.write(fmt::format("{} {} not understood and left out\n", format_count(timeline->not_understood),
                          timeline->not_understood == 1 ? "row was" : "rows were"));
  if (timeline->times_us.empty()) return {};
  const std::size_t peak = timeline->peak();
  out.write(fmt::format("Peak {} at {} \xC2\xB5s; at {}, {} \xC2\xB5s: {}\n",
                        describe_size(not_negative(timeline->total(peak))), timeline->times_us[peak], command.at,
                        timeline->times_us[at], describe_size(not_negative(timeline->total(at)))));
  TableOf<CategoryRow> table(rows);
  table.number({"Held"}, [](const CategoryRow& row) { return describe_size(not_negative(row.bytes)); });
  table.number({"Own peak"}, [](const CategoryRow& row) { return describe_size(not_negative(row.peak)); });
  table.text({"Category"}, [](const CategoryRow& row) { return memory_category_name(row.category); });
  print_table(table, command.width, out);
  return {};
}

}  // namespace lacuna
