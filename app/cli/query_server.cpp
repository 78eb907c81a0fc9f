#include "app/cli/query_server.h"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/cli/json_writer.h"
#include "app/cli/load.h"
#include "app/cli/report.h"
#include "app/cli/report_tables.h"
#include "app/cli/stats.h"
#include "app/cli/torch_stats.h"
#include "model/formats/chrome/json_text.h"
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

/// Part of a request: what its keys say, and what is wrong with them.
class RequestPart {
 public:
  /// `where`: the key that it stands at, for words.
  RequestPart(const Json& part, std::string_view where) : part_(part), where_(where) {
    if (!part.is_object()) refuse(where, "an object", part);
  }

  bool flag(std::string_view key) {
    const Json* value = find(key);
    if (value != nullptr && !value->is_boolean()) refuse(key, "true or false", *value);
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }
  std::uint64_t count(std::string_view key, std::uint64_t fallback) {
    const Json* value = find(key);
    if (value == nullptr) return fallback;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    refuse(key, "a whole number from 0 on", *value);
    return fallback;
  }
  std::string text(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    refuse(key, "a text", *value);
    return {};
  }
  /// To be called last: nothing when all is well, also that no key stands there which nobody asked for.
  std::optional<Error> error() {
    if (words_.empty() && part_.is_object()) {
      for (const auto& item : part_.items()) {
        if (std::ranges::find(asked_, item.key()) != asked_.end()) continue;
        words_ = fmt::format("{} knows no \"{}\": it has {}", where_, shown(item.key()), fmt::join(asked_, ", "));
        break;
      }
    }
    if (words_.empty()) return {};
    return Error{ErrorCode::kInvalidArgument, words_, {}, {}};
  }

 private:
  static std::string shown(const std::string& text) { return text.substr(0, utf8_cut(text, 40)); }
  const Json* find(std::string_view key) {
    asked_.emplace_back(key);
    if (!part_.is_object()) return nullptr;
    const auto found = part_.find(asked_.back());
    return found == part_.end() ? nullptr : &*found;
  }
  void refuse(std::string_view key, std::string_view wanted, const Json& value) {
    if (words_.empty()) words_ = fmt::format("\"{}\" is {}, not {}", key, wanted, shown(to_text(value)));
  }

  const Json& part_;
  const std::string where_;
  std::vector<std::string> asked_;
  std::string words_;  // of the first thing that is wrong
};

class QueryServer {
 public:
  QueryServer(const Trace& trace, unsigned threads, std::uint64_t most_steps, Output& out)
      : trace_(trace), source_(trace, threads), tables_(source_), most_steps_(most_steps), out_(out) {}

  void answer(const std::string& line) {
    Json request = Json::parse(line, nullptr, false);
    if (!request.is_object()) return refuse({ErrorCode::kInvalidArgument, "a request is a JSON object", {}, {}});
    const std::array<std::pair<std::string_view, void (QueryServer::*)(const Json&)>, 5> kinds{
        {{"sql", &QueryServer::answer_sql},
         {"table", &QueryServer::answer_table},
         {"report", &QueryServer::answer_report},
         {"torch", &QueryServer::answer_torch},
         {"stats", &QueryServer::answer_stats}}};
    const auto kind = std::ranges::find_if(kinds, [&](const auto& one) { return request.contains(one.first); });
    if (kind == kinds.end())
      return refuse({ErrorCode::kInvalidArgument, "a request has sql, table, report, torch or stats", {}, {}});
    try {
      (this->*kind->second)(request);
    } catch (const std::exception& error) {  // no memory, mostly
      refuse({ErrorCode::kLimit, std::string("the request cannot be answered: ") + error.what(), {}, {}});
    }
  }

 private:
  void say(const Json& line) { out_.write(to_text(line) + "\n"); }
  void refuse(const Error& error) { say(error_json(error)); }

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
    RequestPart part(request, "a request for SQL");
    const std::string sql = part.text("sql");
    QueryDatabase::Options options;
    options.most_rows = part.count("limit", 0);
    options.most_steps = part.count("steps", most_steps_);
    if (const auto error = part.error()) return refuse(*error);
    if (!database_) {
      auto opened = QueryDatabase::open(source_);
      if (!opened) return refuse(opened.error());
      database_ = std::move(*opened);
    }
    QueryRows rows;
    bool is_full = false;
    const auto done = database_->run(
        sql, options, [&](std::span<const std::string> names) { rows.start(names); },
        [&](std::span<const Cell> row) { return !(is_full = !rows.add(row)); });
    if (!done) return refuse(done.error());
    if (is_full) return refuse({ErrorCode::kLimit, "the rows need more than 4 GiB of memory", {}, {}});
    answer_rows(rows, {{"rows", done->rows}, {"hasMore", done->has_more}});
  }

  void answer_table(const Json& request) {
    RequestPart part(request, "a request for a table");
    const std::string name = part.text("table");
    if (const auto error = part.error()) return refuse(*error);
    if (!ExportedTables::has(name))
      return refuse({ErrorCode::kInvalidArgument, "there is no table " + name.substr(0, utf8_cut(name, 40)), {}, {}});
    say({{"kind", "arrow"}});
    const auto rows = tables_.write(name, ArrowTableWriter::Format::kStream, sink());
    end(rows ? Json{{"rows", *rows}} : error_json(rows.error()));
  }

  /// The document, or one of its lists as a table.
  void answer_report(const Json& request) {
    RequestPart part(request.at("report"), "report");
    const std::string table = part.text("table");
    if (const auto error = part.error()) return refuse(*error);
    std::string text;
    Output into(text);
    ReportCommand command;
    command.json = true;
    if (auto done = print_reports(trace_, command, into); !done) return refuse(done.error());
    if (request.at("report").contains("table")) {
      const auto rows = report_rows(Json::parse(text), table);
      return rows ? answer_rows(*rows, {{"rows", rows->size()}}) : refuse(rows.error());
    }
    say({{"kind", "json"}});
    piece(text);
    end({{"rows", 1}});
  }

  void answer_torch(const Json& request) {
    TorchStatsOptions options;
    options.table = "torch";
    RequestPart part(request.at("torch"), "torch");
    options.grouping.group_by_input_shape = part.flag("group_by_input_shape");
    options.grouping.group_by_stack_n = part.count("group_by_stack_n", 0);
    options.top_level_only = part.flag("top_level_events_only");
    options.grouping.include_python_functions = part.flag("include_python_functions");
    const std::string key = part.text("sort_by");
    if (const auto error = part.error()) return refuse(*error);
    if (!key.empty() && parse_torch_sort_key(key) == TorchSortKey::kNone)
      return refuse(
          {ErrorCode::kInvalidArgument, "torch's table is not sorted by " + key.substr(0, utf8_cut(key, 40)), {}, {}});
    const Result<QueryRows> rows = torch_stats_rows(trace_, options, key);
    rows ? answer_rows(*rows, {{"rows", rows->size()}}) : refuse(rows.error());
  }

  void answer_stats(const Json& request) {
    RequestPart part(request.at("stats"), "stats");
    if (const auto error = part.error()) return refuse(*error);
    const QueryRows rows = stats_rows(trace_);
    answer_rows(rows, {{"rows", rows.size()}});
  }

  const Trace& trace_;
  QuerySource source_;
  ExportedTables tables_;
  std::unique_ptr<QueryDatabase> database_;
  const std::uint64_t most_steps_;
  Output& out_;
};

}  // namespace

Result<void> serve_queries(const std::vector<std::string>& paths, const ImportOptions& import, std::uint64_t most_steps,
                           std::FILE* in, Output& out) {
  const Result<Trace> trace = load_traces(paths, import);
  if (!trace) {
    out.write(to_text(error_json(trace.error())) + "\n");
    return out.finish();
  }
  print_warnings(*trace, stderr);
  out.write(to_text({{"ready", true}, {"slices", trace->slice_count()}, {"startNs", trace->span().begin}}) + "\n");
  if (auto done = out.finish(); !done) return done;
  QueryServer server(*trace, import.threads != 0 ? import.threads : 2, most_steps, out);
  while (const auto line = next_line(in)) {
    server.answer(*line);
    if (auto done = out.finish(); !done) return done;
    if (!out.ok()) break;  // nobody reads any more
  }
  return {};
}

Result<QueryDatabase::Outcome> write_query_arrow(QueryDatabase& database, std::string_view sql,
                                                 const QueryDatabase::Options& options, Output& out) {
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
