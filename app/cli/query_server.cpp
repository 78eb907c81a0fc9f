#include "app/cli/query_server.h"

#include <array>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "app/cli/json_writer.h"
#include "app/cli/load.h"
#include "app/cli/report.h"
#include "app/cli/report_tables.h"
#include "app/cli/stats.h"
#include "app/cli/torch_stats.h"
#include "model/query/exported_tables.h"

namespace lacuna {
namespace {

constexpr std::size_t kLongestRequest = std::size_t{8} << 20;

Json error_json(const Error& error) {
  Json json{{"error", error.message()}, {"cause", error.cause}};
  if (error.offset) json["offset"] = *error.offset;
  return json;
}

/// The next line without its end; nothing at the end of the input.
std::optional<std::string> next_line(std::FILE* in) {
  std::string line;
  for (int c = 0; (c = std::fgetc(in)) != EOF;) {
    if (c == '\n') return line;
    if (line.size() < kLongestRequest) line.push_back(static_cast<char>(c));
  }
  return line.empty() ? std::nullopt : std::optional(std::move(line));
}

/// "rows" of a JSON document of ours, as a table.
QueryRows rows_of(const Json& document) {
  QueryRows table;
  std::vector<std::string> keys, names;
  const auto rows = document.find("rows");
  if (rows == document.end()) return table;
  for (const Json& row : *rows) {
    if (keys.empty()) {
      for (const auto& [key, value] : row.items()) {
        keys.push_back(key);
        names.push_back(column_of_key(key));
      }
      table.start(names);
    }
    std::vector<Cell> cells;
    for (const std::string& key : keys) cells.push_back(row.contains(key) ? cell_of_json(row[key]) : Cell::null());
    if (!table.add(cells)) break;
  }
  return table;
}

class QueryServer {
 public:
  QueryServer(const Trace& trace, unsigned threads, Output& out)
      : trace_(trace), source_(trace, threads), tables_(source_), out_(out) {}

  void answer(const std::string& line) {
    Json request = Json::parse(line, nullptr, false);
    if (!request.is_object())
      return say(error_json({ErrorCode::kInvalidArgument, "a request is a JSON object", {}, {}}));
    try {
      if (request.contains("sql")) return answer_sql(request);
      if (request.contains("table")) return answer_table(request.at("table").get<std::string>());
      if (request.contains("report")) return answer_report(request.at("report"));
      if (request.contains("torch")) return answer_torch(request.at("torch"));
      if (request.contains("stats")) return answer_stats();
    } catch (const std::exception& error) {  // a value of another type
      return say(error_json({ErrorCode::kInvalidArgument, error.what(), {}, {}}));
    }
    say(error_json({ErrorCode::kInvalidArgument, "a request has sql, table, report, torch or stats", {}, {}}));
  }

 private:
  void say(const Json& line) { out_.write(to_text(line) + "\n"); }

  bool piece(std::string_view bytes) {
    while (!bytes.empty() && out_.ok()) {
      const std::string_view part = bytes.substr(0, std::size_t{1} << 30);
      const auto size = static_cast<std::uint32_t>(part.size());
      std::array<char, 4> head{};
      for (unsigned i = 0; i < 4; ++i) head[i] = static_cast<char>(size >> (8 * i) & 0xff);
      out_.write({head.data(), head.size()});
      out_.write(part);
      bytes.remove_prefix(part.size());
    }
    return out_.ok();
  }
  void end(const Json& trailer) {
    out_.write(std::string_view("\0\0\0\0", 4));
    say(trailer);
  }
  ArrowTableWriter::Sink sink() {
    return [this](std::string_view bytes) { return piece(bytes); };
  }

  void answer_rows(const QueryRows& rows, Json trailer) {
    say({{"kind", "arrow"}});
    const auto done = write_query_rows(rows, ArrowTableWriter::Format::kStream, sink());
    end(done ? trailer : error_json(done.error()));
  }

  void answer_sql(const Json& request) {
    if (!database_) {
      auto opened = QueryDatabase::open(source_);
      if (!opened) return say(error_json(opened.error()));
      database_ = std::move(*opened);
    }
    const auto sql = request.at("sql").get<std::string>();
    QueryDatabase::Options options;
    options.most_rows = request.value("limit", std::uint64_t{0});
    QueryRows rows;
    bool is_full = false;
    const auto done = database_->run(
        sql, options, [&](std::span<const std::string> names) { rows.start(names); },
        [&](std::span<const Cell> row) { return !(is_full = !rows.add(row)); });
    if (!done) return say(error_json(done.error()));
    if (is_full) return say(error_json({ErrorCode::kLimit, "the rows need more than 4 GiB of memory", {}, {}}));
    answer_rows(rows, {{"rows", done->rows}, {"hasMore", done->has_more}});
  }

  void answer_table(const std::string& name) {
    if (!ExportedTables::has(name))
      return say(error_json({ErrorCode::kInvalidArgument, "there is no table " + name, {}, {}}));
    say({{"kind", "arrow"}});
    const auto rows = tables_.write(name, ArrowTableWriter::Format::kStream, sink());
    end(rows ? Json{{"rows", *rows}} : error_json(rows.error()));
  }

  /// The document, or one of its lists as a table.
  void answer_report(const Json& wanted) {
    std::string text;
    Output into(text);
    ReportCommand command;
    command.json = true;
    if (auto done = print_reports(trace_, command, into); !done) return say(error_json(done.error()));
    if (wanted.is_object() && wanted.contains("table")) {
      const auto rows = report_rows(Json::parse(text), wanted.at("table").get<std::string>());
      return rows ? answer_rows(*rows, {{"rows", rows->size()}}) : say(error_json(rows.error()));
    }
    say({{"kind", "json"}});
    piece(text);
    end({{"rows", 1}});
  }

  void answer_torch(const Json& wanted) {
    std::string text;
    Output into(text);
    TorchStatsOptions options;
    options.table = "torch";
    if (wanted.is_object()) {
      options.grouping.group_by_input_shape = wanted.value("group_by_input_shape", false);
      options.grouping.group_by_stack_n = wanted.value("group_by_stack_n", std::size_t{0});
      options.top_level_only = wanted.value("top_level_events_only", false);
      options.grouping.include_python_functions = wanted.value("include_python_functions", false);
    }
    const std::string key = wanted.is_object() ? wanted.value("sort_by", std::string()) : std::string();
    if (!key.empty() && parse_torch_sort_key(key) == TorchSortKey::kNone)
      return say(error_json({ErrorCode::kInvalidArgument, "torch's table is not sorted by " + key, {}, {}}));
    if (auto done = print_torch_stats(trace_, options, key, StatsFormat::kJson, into); !done)
      return say(error_json(done.error()));
    const QueryRows rows = rows_of(Json::parse(text));
    answer_rows(rows, {{"rows", rows.size()}});
  }

  void answer_stats() {
    std::string text;
    Output into(text);
    StatsOptions options;
    options.format = StatsFormat::kJson;
    print_stats(trace_, options, into);
    const QueryRows rows = rows_of(Json::parse(text));
    answer_rows(rows, {{"rows", rows.size()}});
  }

  const Trace& trace_;
  QuerySource source_;
  ExportedTables tables_;
  std::unique_ptr<QueryDatabase> database_;
  Output& out_;
};

}  // namespace

Result<void> serve_queries(const std::vector<std::string>& paths, const ImportOptions& import, std::FILE* in,
                           Output& out) {
  const Result<Trace> trace = load_traces(paths, import);
  if (!trace) {
    out.write(to_text(error_json(trace.error())) + "\n");
    return out.finish();
  }
  print_warnings(*trace, stderr);
  out.write(to_text({{"ready", true}, {"slices", trace->slice_count()}, {"startNs", trace->span().begin}}) + "\n");
  if (auto done = out.finish(); !done) return done;
  QueryServer server(*trace, import.threads != 0 ? import.threads : 2, out);
  while (const auto line = next_line(in)) {
    server.answer(*line);
    if (auto done = out.finish(); !done) return done;
    if (!out.ok()) break;  // nobody reads any more
  }
  return {};
}

Result<QueryDatabase::Outcome> write_query_arrow(QueryDatabase& database, std::string_view sql, std::uint64_t most_rows,
                                                 Output& out) {
  QueryDatabase::Options options;
  options.most_rows = most_rows;
  QueryRows rows;
  bool is_full = false;
  auto done = database.run(
      sql, options, [&](std::span<const std::string> names) { rows.start(names); },
      [&](std::span<const Cell> row) { return !(is_full = !rows.add(row)); });
  if (!done) return done;
  if (is_full) return fail(ErrorCode::kLimit, "the rows need more than 4 GiB of memory");
  const auto written = write_query_rows(rows, ArrowTableWriter::Format::kStream, [&out](std::string_view bytes) {
    out.write(bytes);
    return out.ok();
  });
  if (!written && out.ok()) return tl::make_unexpected(written.error());
  return done;
}

}  // namespace lacuna
