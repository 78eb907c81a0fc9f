#include "app/cli/group_stats.h"

#include <algorithm>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "app/tables/group_columns.h"
#include "model/base/stable_sort.h"
#include "model/base/standard_error.h"
#include "model/groups/histogram.h"
#include "model/statistics/statistics.h"
#include "model/steps/step_choices.h"
#include "model/steps/steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::pair<std::string_view, GroupBy> kGroupings[] = {
    {"name", GroupBy::kName},   {"shape", GroupBy::kShape},   {"module", GroupBy::kModule},
    {"stack", GroupBy::kStack}, {"step", GroupBy::kStep},     {"stream", GroupBy::kStream},
    {"rank", GroupBy::kRank},   {"family", GroupBy::kFamily}, {"class", GroupBy::kClass}};

std::string group_keys() {
  std::string keys;
  for (const auto& [key, by] : kGroupings) keys.append(keys.empty() ? "" : ", ").append(key);
  return keys;
}

std::string column_keys() {
  std::string keys;
  for (const GroupColumn& column : group_columns()) keys.append(keys.empty() ? "" : ", ").append(column.key);
  return keys;
}

std::vector<const GroupColumn*> chosen_columns(const GroupStatsOptions& options) {
  std::vector<const GroupColumn*> columns;
  for (const std::string& key : options.columns)
    if (const GroupColumn* column = group_column(key)) columns.push_back(column);
  if (options.columns.empty())
    for (const GroupColumn& column : group_columns())
      if (column.is_usual) columns.push_back(&column);
  return columns;
}

void sort(const Trace& trace, GroupTable& table, const std::string& key) {
  const GroupColumn* column = group_column(key);
  sort_stably(table.rows, [&](const GroupRow& a, const GroupRow& b) {
    const bool last_a = comes_last(trace, a.category), last_b = comes_last(trace, b.category);
    if (last_a != last_b) return last_b;
    if (column != nullptr) {
      const double x = column->value(trace, table, a), y = column->value(trace, table, b);
      if (std::isnan(x) != std::isnan(y)) return std::isnan(y);
      if (!std::isnan(x) && x != y) return x > y;
    } else if (key == "category") {
      const auto x = trace.category_name(a.category), y = trace.category_name(b.category);
      if (x != y) return x < y;
    } else if (a.label != b.label) {
      return a.label < b.label;
    }
    return a.total != b.total ? a.total > b.total : a.label < b.label;
  });
}

Cell value_in(const Trace& trace, const GroupTable& table, const GroupRow& row, const GroupColumn& column) {
  const double value = column.value(trace, table, row);
  if (std::isnan(value)) return Cell::null();
  if (column.words != nullptr) return Cell::of_string(column.list != nullptr ? column.list(row) : column.words(row));
  // Above 2^63 only FLOPs can be.
  return column.is_whole && value < 9e18 ? Cell::of(static_cast<std::int64_t>(value)) : Cell::of_real(value);
}

Table groups_table(const Trace& trace, const GroupTable& groups, const std::vector<const GroupColumn*>& columns,
                   const GroupStatsOptions& options) {
  TableOf<GroupRow> table(groups.rows);
  std::string title = options.group_by;
  title[0] = static_cast<char>(title[0] - 32);
  table.name({title, "name"}, &GroupRow::label);
  table.text({"Category", "category", 9}, [&trace](const GroupRow& row) { return trace.category_name(row.category); });
  for (const GroupColumn* column : columns) {
    const bool is_usual = options.columns.empty();
    const int drop_order = is_usual && column->key == "min" ? 8 : is_usual && column->key == "max" ? 7 : 0;
    table
        .number(
            {std::string(column->title), std::string(column->json), drop_order},
            [&trace, &groups, column](const GroupRow& row) { return value_in(trace, groups, row, *column); },
            [&trace, &groups, column](const GroupRow& row) { return column->text_of(trace, groups, row); })
        .is_json = column->list != nullptr;
  }
  return table;
}

void print_grouped(const GroupTable& groups, const Table& table, const GroupStatsOptions& options, StatsFormat format,
                   std::size_t width, Output& out) {
  if (format == StatsFormat::kCsv) return write_csv(table, out);
  if (format == StatsFormat::kJson) {
    JsonWriter json(out);
    write_json_rows(table, "rows", json, out);
    json.member("rowCount", groups.rows.size());
    json.member("groupBy", options.group_by);
    json.member("cpuSelfNs", groups.cpu_self);
    json.member("gpuTotalNs", groups.gpu_total);
    json.finish();
    return;
  }
  if (table.rows == 0) return out.write("no slices in this selection\n");
  const std::vector<std::string> hidden = print_table(table, width, out);
  out.write(fmt::format("\n{} of {} rows. Share: of {} self time on CPU threads, or of {} GPU activity.\n",
                        format_count(table.rows), format_count(groups.rows.size()), format_duration(groups.cpu_self),
                        format_duration(groups.gpu_total)));
  print_hidden(hidden, out);
}

void print_group_histogram(const Trace& trace, const DurationHistogram& histogram, std::string_view name,
                           StatsFormat format, std::size_t width, Output& out) {
  if (format == StatsFormat::kJson) {
    JsonWriter json(out);
    json.member("name", name);
    json.member("count", histogram.count);
    json.member("minNs", histogram.min);
    json.member("maxNs", histogram.max);
    json.member("p50Ns", histogram.p50);
    json.member("p99Ns", histogram.p99);
    json.begin_list("bins");
    for (const HistogramBin& bin : histogram.bins)
      json.element({{"fromNs", bin.from},
                    {"toNs", bin.to},
                    {"count", bin.count},
                    {"totalNs", bin.total},
                    {"longestStartNs", bin.longest.valid() ? Json(trace.span(bin.longest).begin) : Json()}});
    json.end();
    json.begin_list("modes");
    for (const HistogramMode& mode : histogram.modes)
      json.element({{"fromNs", histogram.bins[mode.first].from},
                    {"toNs", histogram.bins[mode.last - 1].to},
                    {"count", mode.count},
                    {"totalNs", mode.total},
                    {"medianNs", mode.median}});
    json.end();
    json.finish();
    return;
  }
  if (format == StatsFormat::kCsv) {
    out.write("from_ns,to_ns,count,total_ns\n");
    for (const HistogramBin& bin : histogram.bins)
      out.write(fmt::format("{},{},{},{}\n", bin.from, bin.to, bin.count, bin.total));
    return;
  }
  out.write(printable(fmt::format("{}: {}, {} to {}, p50 {}, p99 {}", name, counted(histogram.count, "slice"),
                                  format_duration(histogram.min), format_duration(histogram.max),
                                  format_duration(histogram.p50), format_duration(histogram.p99))));
  out.write("\n\n");
  std::uint64_t most = 1;
  for (const HistogramBin& bin : histogram.bins) most = std::max(most, bin.count);
  const std::size_t room = width > 70 ? std::min<std::size_t>(width - 40, 60) : 30;
  std::size_t mode = 0;
  for (std::size_t b = 0; b < histogram.bins.size(); ++b) {
    while (mode + 1 < histogram.modes.size() && b >= histogram.modes[mode].last) ++mode;
    const HistogramBin& bin = histogram.bins[b];
    const auto length = static_cast<std::size_t>(
        std::ceil(static_cast<double>(bin.count) * static_cast<double>(room) / static_cast<double>(most)));
    const bool begins = histogram.modes.size() > 1 && b == histogram.modes[mode].first;
    out.write(fmt::format("{:>10} {:>8} {}{}\n", format_duration(bin.from), format_count(bin.count),
                          std::string(length, '#'), begins ? fmt::format("  <- mode {}", mode + 1) : ""));
  }
  out.write("\n");
  for (std::size_t m = 0; m < histogram.modes.size(); ++m) {
    const HistogramMode& one = histogram.modes[m];
    out.write(fmt::format("mode {}: {} to {}, {}, median {}, {} in all\n", m + 1,
                          format_duration(histogram.bins[one.first].from),
                          format_duration(histogram.bins[one.last - 1].to), counted(one.count, "slice"),
                          format_duration(one.median), format_duration(one.total)));
  }
}

}  // namespace

void GroupStatsOptions::add_range_to(CLI::App& stats) {
  const auto used = [this](const std::string&) { is_used = true; };
  stats.add_option("--steps", steps, "Only steps A to B, by their numbers: 3..5 or 4")
      ->check([](const std::string& text) {
        return parse_step_numbers(text) ? std::string{} : "'" + text + "' is not A..B, like 3..5";
      })
      ->type_name("A..B")
      ->each(used);
  stats.add_option("--from-us", from_us, "Only from then on: a ts of the file, or time since its start")
      ->check(is_microseconds)
      ->type_name("A")
      ->each(used);
  stats.add_option("--to-us", to_us, "Only up to then")->check(is_microseconds)->type_name("B")->each(used);
  stats.add_option("--stream", streams, "Only this GPU stream, for instance 0:7; may be repeated")
      ->allow_extra_args(false)
      ->type_name("DEVICE:STREAM")
      ->each(used);
  stats.add_option("--lanes", lanes, "Only tracks with this thread id, or this in their name; may be repeated")
      ->allow_extra_args(false)
      ->type_name("TEXT")
      ->each(used);
}

void GroupStatsOptions::add_to(CLI::App& stats) {
  const auto used = [this](const std::string&) { is_used = true; };
  stats.add_option("--group-by", group_by, fmt::format("{} (default: name)", group_keys()))
      ->check([](const std::string& text) {
        const bool known = std::ranges::any_of(kGroupings, [&](const auto& g) { return g.first == text; });
        return known ? std::string{} : fmt::format("'{}' is not one of {}", text, group_keys());
      })
      ->type_name("WHAT")
      ->each(used);
  stats.add_option("--columns", columns, "Columns to show, separated by commas; see below")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        return group_column(text) != nullptr ? std::string{}
                                             : fmt::format("'{}' is not one of {}", text, column_keys());
      })
      ->type_name("KEYS")
      ->each(used);
  add_range_to(stats);
  stats.add_option("--stack-frames", stack_frames, "With --group-by stack: frames (default: 5)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  stats.add_option("--histogram", histogram, "Durations of the slices of this name, with their modes")
      ->type_name("NAME")
      ->each(used);
}

std::string names_of(const std::vector<Step>& steps) {
  std::string names;
  for (const Step& step : steps) names += fmt::format("{}{}", names.empty() ? "" : ", ", step.number);
  return names;
}

Result<TimeSpan> chosen_range(const Trace& trace, const GroupStatsOptions& options,
                              std::vector<Step> (*find)(const Trace&)) {
  TimeSpan range = TimeSpan::everything();
  if (!options.steps.empty()) {
    const std::vector<Step> steps = find(trace);
    if (steps.empty())
      return fail(ErrorCode::kInvalidArgument,
                  trace.steps_from().empty() ? "this trace has no steps" : without_asked_steps(trace));
    const std::optional<StepRange> wanted = parse_step_range(steps, options.steps);
    if (!wanted)
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("no step in {}; there are {}", options.steps, names_of(steps)));
    range = range.intersect(span_of(steps, *wanted));
  }
  const AskedRange asked = parse_range(options.from_us, options.to_us);
  if (asked.may_be_since_start(trace.span()) && asked.from != trace.span().begin) {
    const Nanos since = saturating_sub(asked.from ? *asked.from : *asked.to, trace.span().begin);
    to_standard_error(fmt::format(
        "lacuna: --{}-us is taken for a ts of the file, {} after its start; with a plus it counts from there\n",
        asked.from ? "from" : "to", format_duration(since)));
  }
  range = range.intersect(asked.in(trace.span()));
  if (range.empty()) return fail(ErrorCode::kInvalidArgument, "the time range is empty");
  return range;
}

Result<std::vector<TrackId>> chosen_tracks(const Trace& trace, const GroupStatsOptions& options) {
  std::vector<TrackId> tracks;
  const auto add = [&](auto&& fits) -> bool {
    bool any = false;
    for (const Track& track : trace.tracks())
      if (fits(track)) {
        any = true;
        if (std::ranges::find(tracks, track.id) == tracks.end()) tracks.push_back(track.id);
      }
    return any;
  };
  for (const std::string& wanted : options.streams)
    if (!add([&](const Track& track) {
          return track.kind == TrackKind::kGpuStream &&
                 fmt::format("{}:{}", trace.text(track.device), trace.text(track.stream)) == wanted;
        }))
      return fail(ErrorCode::kInvalidArgument, fmt::format("no stream {}", wanted));
  for (const std::string& wanted : options.lanes)
    if (!add([&](const Track& track) {
          return track.slice_count > 0 &&
                 (trace.text(track.tid) == wanted || trace.text(track.name).find(wanted) != std::string_view::npos);
        }))
      return fail(ErrorCode::kInvalidArgument, fmt::format("no track whose name has '{}'", wanted));
  std::ranges::sort(tracks);
  return tracks;
}

bool is_group_sort_key(std::string_view key) {
  return group_column(key) != nullptr;
}

std::string group_sort_keys() {
  return column_keys();
}

Result<void> print_group_stats(const Trace& trace, const GroupStatsOptions& options, const std::string& sort_key,
                               StatsFormat format, std::size_t limit, std::size_t width, Output& out) {
  const Result<TimeSpan> range = chosen_range(trace, options);
  if (!range) return tl::make_unexpected(range.error());
  const Result<std::vector<TrackId>> tracks = chosen_tracks(trace, options);
  if (!tracks) return tl::make_unexpected(tracks.error());
  if (!options.histogram.empty()) {
    const StringId name = trace.strings().find(options.histogram);
    const DurationHistogram histogram =
        name.valid() ? duration_histogram(trace, name, {}, *range, *tracks) : DurationHistogram{};
    if (histogram.count == 0)
      return fail(ErrorCode::kNotFound, fmt::format("no slice is called '{}' there", options.histogram));
    print_group_histogram(trace, histogram, options.histogram, format, width, out);
    return {};
  }
  const std::vector<const GroupColumn*> columns = chosen_columns(options);
  GroupOptions group;
  for (const auto& [key, by] : kGroupings)
    if (key == options.group_by) group.by = by;
  group.range = *range;
  group.tracks = *tracks;
  group.stack_frames = options.stack_frames;
  for (const GroupColumn* column : columns) column->need(group.columns);
  if (const GroupColumn* column = group_column(sort_key)) column->need(group.columns);
  Result<GroupTable> table = compute_groups(trace, group);
  if (!table) return tl::make_unexpected(table.error());
  sort(trace, *table, sort_key);
  Table written = groups_table(trace, *table, columns, options);
  written.limit(limit);
  print_grouped(*table, written, options, format, width, out);
  return {};
}

std::string group_stats_help() {
  constexpr std::size_t kHelpWidth = 100;
  std::string json_keys;
  for (const GroupColumn& column : group_columns()) json_keys.append(json_keys.empty() ? "" : ", ").append(column.json);
  const std::string columns = fmt::format(
      "--columns: {}; --sort-by takes them, too. What each means: lacuna stats --explain COLUMN. JSON keys, in their "
      "order: {}; null where unknown; rowCount, groupBy, cpuSelfNs and gpuTotalNs stand beside rows[].",
      column_keys(), json_keys);
  return fmt::format(
      R"help(What counts: --steps, --from-us and --to-us cut times to the range (slices that overlap it count);
  --stream and --lanes choose tracks; a range that begins before the trace, or with a plus (+1000),
  means since its start. They hold for --table torch, too (there: events that start in the range; tracks
  do not apply).
--group-by: a row per (group, category). GPU work belongs to the shape, module, stack and step of the
  call that launched it. family: kernels without types, tile sizes and numbers. class: what GPU work is
  for (GEMM, attention, copy, communication …), by its name.
{}
--histogram NAME: name, count, minNs, maxNs, p50Ns, p99Ns, bins[] (fromNs, toNs, count, totalNs,
  longestStartNs; eight bins to an octave), modes[] (fromNs, toNs, count, totalNs, medianNs))help",
      fmt::join(wrapped(columns, kHelpWidth), "\n  "));
}

}  // namespace lacuna
