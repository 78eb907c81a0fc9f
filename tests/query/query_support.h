#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/query/query_database.h"
#include "model/query/query_rows.h"

namespace lacuna {

/// A trace and a database over it.
struct Asked {
  Trace trace;
  std::unique_ptr<QuerySource> source;
  std::unique_ptr<QueryDatabase> database;

  explicit Asked(std::string_view json) : Asked(import_json(json)) {}
  explicit Asked(Result<Trace> imported) {
    REQUIRE(imported.has_value());
    trace = std::move(*imported);
    source = std::make_unique<QuerySource>(trace);
    auto opened = QueryDatabase::open(*source);
    REQUIRE(opened.has_value());
    database = std::move(*opened);
  }

  static std::string show(const Cell& cell) {
    switch (cell.kind) {
      case Cell::Kind::kNull:
        return "NULL";
      case Cell::Kind::kInteger:
        return std::to_string(cell.integer);
      case Cell::Kind::kReal:
        return fmt::format("{}", cell.real);
      default:
        return cell.kind == Cell::Kind::kText ? std::string(cell.text) : cell.owned;
    }
  }

  /// Rows as "a|b; c|d", or "error at N: cause".
  std::string ask(std::string_view sql, std::uint64_t most_rows = 0) {
    std::string text;
    QueryDatabase::Options options;
    options.most_rows = most_rows;
    const auto done = database->run(
        sql, options, [](std::span<const std::string>) {},
        [&](std::span<const Cell> row) {
          if (!text.empty()) text += "; ";
          for (std::size_t i = 0; i < row.size(); ++i) text.append(i == 0 ? "" : "|").append(show(row[i]));
          return true;
        });
    if (done) return text + (done->has_more ? "; …" : "");
    return fmt::format("error at {}: {}", done.error().offset ? static_cast<long long>(*done.error().offset) : -1,
                       done.error().cause);
  }
};

/// Returns the rows of a query, which must succeed.
inline QueryRows rows_said(Asked& asked, std::string_view sql) {
  QueryRows rows;
  const auto done = asked.database->run(
      sql, {}, [&](std::span<const std::string> names) { rows.start(names); },
      [&](std::span<const Cell> row) { return rows.add(row); });
  REQUIRE(done.has_value());
  return rows;
}

/// Two operators, one inside the other, a launch, its kernel on a stream, a flow, a counter and a metadata event.
inline constexpr std::string_view kSmallTrace = R"({"traceEvents":[
{"ph":"M","name":"process_name","pid":10,"tid":0,"args":{"name":"python"}},
{"ph":"X","cat":"cpu_op","name":"aten::linear","pid":10,"tid":11,"ts":100,"dur":50,"args":{"External id":1,"Input Dims":[[2,3],[3]],"ok":true}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":10,"tid":11,"ts":105.5,"dur":30,"args":{"External id":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":11,"ts":110,"dur":5,"args":{"correlation":7}},
{"ph":"s","id":7,"cat":"ac2g","name":"ac2g","pid":10,"tid":11,"ts":110},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":130,"dur":20,"args":{"device":0,"stream":7,"correlation":7,"grid":[4,2,1],"x":1.5}},
{"ph":"f","bp":"e","id":7,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":130},
{"ph":"X","cat":"kernel","name":"relu","pid":0,"tid":7,"ts":160,"dur":10,"args":{"device":0,"stream":7,"correlation":8}},
{"ph":"i","s":"t","cat":"x","name":"mark","pid":10,"tid":11,"ts":170},
{"ph":"C","name":"mem","pid":10,"tid":11,"ts":120,"args":{"bytes":5}}
]})";

}  // namespace lacuna
