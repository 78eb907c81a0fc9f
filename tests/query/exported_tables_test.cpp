#include "model/query/exported_tables.h"

#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "model/arrow/owned.h"
#include "model/export/own_trace.h"
#include "tests/query/query_support.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

/// A stream of bytes as Arrow's readers see it: names, units and cells as text.
struct ReadBack {
  std::vector<std::string> names;
  std::map<std::string, std::string> units;
  std::map<std::string, std::string> facts;
  std::vector<std::vector<std::string>> rows;

  explicit ReadBack(const std::string& bytes) {
    ArrowBuffer buffer;
    ArrowBufferInit(&buffer);
    REQUIRE(ArrowBufferAppend(&buffer, bytes.data(), static_cast<std::int64_t>(bytes.size())) == NANOARROW_OK);
    ArrowIpcInputStream input{};
    REQUIRE(ArrowIpcInputStreamInitBuffer(&input, &buffer) == NANOARROW_OK);
    OwnedStream stream;
    REQUIRE(ArrowIpcArrayStreamReaderInit(stream.get(), &input, nullptr) == NANOARROW_OK);
    OwnedSchema schema;
    ArrowError error{};
    REQUIRE(ArrowArrayStreamGetSchema(stream.get(), schema.get(), &error) == NANOARROW_OK);
    facts["lacuna.table"] = fact(schema.get(), "lacuna.table");
    for (std::int64_t i = 0; i < schema.get()->n_children; ++i) {
      names.emplace_back(schema.get()->children[i]->name);
      units[names.back()] = fact(schema.get()->children[i], "unit");
    }
    for (;;) {
      OwnedArray array;
      REQUIRE(ArrowArrayStreamGetNext(stream.get(), array.get(), &error) == NANOARROW_OK);
      if (array.get()->release == nullptr) break;
      OwnedView view;
      REQUIRE(ArrowArrayViewInitFromSchema(view.get(), schema.get(), &error) == NANOARROW_OK);
      REQUIRE(ArrowArrayViewSetArray(view.get(), array.get(), &error) == NANOARROW_OK);
      for (std::int64_t r = 0; r < array.get()->length; ++r) {
        std::vector<std::string>& row = rows.emplace_back();
        for (std::int64_t c = 0; c < schema.get()->n_children; ++c) row.push_back(cell(view.get()->children[c], r));
      }
    }
  }

  static std::string fact(const ArrowSchema* schema, const char* key) {
    ArrowStringView value{nullptr, 0};
    if (schema->metadata == nullptr ||
        ArrowMetadataGetValue(schema->metadata, ArrowCharView(key), &value) != NANOARROW_OK || value.data == nullptr)
      return "";
    return {value.data, static_cast<std::size_t>(value.size_bytes)};
  }
  static std::string cell(const ArrowArrayView* column, std::int64_t row) {
    if (ArrowArrayViewIsNull(column, row) != 0) return "NULL";
    if (column->storage_type == NANOARROW_TYPE_STRING) {
      const ArrowStringView text = ArrowArrayViewGetStringUnsafe(column, row);
      return {text.data, static_cast<std::size_t>(text.size_bytes)};
    }
    if (column->storage_type == NANOARROW_TYPE_DOUBLE)
      return fmt::format("{}", ArrowArrayViewGetDoubleUnsafe(column, row));
    return std::to_string(ArrowArrayViewGetIntUnsafe(column, row));
  }
  /// One column's cells: "a; b".
  std::string column(const std::string& name) const {
    std::string text;
    const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    REQUIRE(at < names.size());
    for (const auto& row : rows) text.append(text.empty() ? "" : "; ").append(row[at]);
    return text;
  }
};

std::string exported(Asked& asked, std::string_view table) {
  ExportedTables tables(*asked.source);
  std::string bytes;
  const auto done = tables.write(table, ArrowTableWriter::Format::kStream, [&bytes](std::string_view more) {
    bytes.append(more);
    return true;
  });
  REQUIRE(done.has_value());
  return bytes;
}

TEST_CASE("exported slices have ids, times in ns with their unit, and whose they are") {
  Asked a(kSmallTrace);
  const ReadBack slices(exported(a, "slices"));
  CHECK(slices.facts.at("lacuna.table") == "slices");
  CHECK(slices.column("id") == "0; 1; 2; 3; 4; 5");
  CHECK(slices.column("ts") == "100000; 105500; 110000; 130000; 160000; 170000");
  CHECK(slices.column("dur") == "50000; 30000; 5000; 20000; 10000; 0");
  CHECK(slices.column("name") == "aten::linear; aten::mm; cudaLaunchKernel; gemm; relu; mark");
  CHECK(slices.column("parent_id") == "NULL; 0; 1; NULL; NULL; NULL");
  CHECK(slices.column("tid") == "11; 11; 11; 7; 7; 11");
  CHECK(slices.column("pid") == "10; 10; 10; 0; 0; 10");
  CHECK(slices.column("process_name") == "python; python; python; NULL; NULL; python");
  // Left out where they say nothing of such a trace, or the same again.
  for (const char* column : {"cat", "slice_id", "thread_instruction_count", "thread_instruction_delta"})
    CHECK(std::ranges::find(slices.names, column) == slices.names.end());
  CHECK(slices.units.at("ts") == "ns");
  CHECK(slices.units.at("dur") == "ns");
  CHECK(slices.units.at("name").empty());
}

TEST_CASE("exported gaps, launches, kernels, counters and args are those of SQL") {
  Asked a(kSmallTrace);
  const ReadBack gaps(exported(a, "gaps"));
  CHECK(gaps.column("ts") == "150000");
  CHECK(gaps.column("dur") == "10000");
  CHECK(gaps.column("before_id") == "3");
  CHECK(gaps.column("after_id") == "4");
  CHECK(gaps.column("cause") == a.ask("SELECT cause FROM gap"));
  CHECK(ReadBack(exported(a, "launches")).column("delay") == "20000");
  const ReadBack kernels(exported(a, "kernels"));
  CHECK(kernels.column("grid_y") == "2; NULL");
  CHECK(kernels.column("stream") == "7; 7");
  const ReadBack counters(exported(a, "counters"));
  CHECK(counters.column("name") == "mem bytes");
  CHECK(counters.column("value") == "5");
  CHECK(counters.column("pid") == "10");
  const ReadBack args(exported(a, "args"));
  CHECK(args.rows.size() == std::stoul(a.ask("SELECT COUNT(*) FROM args")));
  std::string values = a.ask("SELECT COALESCE(display_value, 'NULL') FROM args");
  CHECK(args.column("display_value") == values);
  CHECK(args.column("id") == a.ask("SELECT id FROM args"));
}

TEST_CASE("every column of an exported table that SQL calls a time has its unit") {
  Asked a(kSmallTrace);
  for (const QueryTable* table : a.database->tables()) {
    for (const QueryColumn& column : table->columns) {
      INFO(table->name << "." << column.name << ": " << column.help);
      const bool is_time = column.help.ends_with(" ns") || column.help.find("in ns") != std::string::npos;
      if (is_time) CHECK(unit_of_column(column.name) == "ns");
    }
  }
  CHECK(unit_of_column("name").empty());
}

TEST_CASE("rows of a query become columns of one type each") {
  Asked a(kSmallTrace);
  const auto written = [&a](std::string_view sql) {
    std::string bytes;
    REQUIRE(write_query_rows(rows_said(a, sql), ArrowTableWriter::Format::kStream, [&bytes](std::string_view more) {
              bytes.append(more);
              return true;
            }).has_value());
    return ReadBack(bytes);
  };
  const ReadBack mixed = written(
      "SELECT 1 AS i, 1 AS r, 'x' AS t, NULL AS n, 7 AS ts UNION ALL SELECT 2, 1.5, 3, NULL, NULL UNION ALL SELECT "
      "NULL, -9007199254740993, 0.5, NULL, 8");
  CHECK(mixed.column("i") == "1; 2; NULL");
  CHECK(mixed.column("r") == "1; 1.5; -9007199254740992");
  CHECK(mixed.column("t") == "x; 3; 0.5");
  CHECK(mixed.column("n") == "NULL; NULL; NULL");
  CHECK(mixed.units.at("ts") == "ns");
  CHECK(written("SELECT name FROM slice WHERE 0").rows.empty());
}

TEST_CASE("more rows than a batch, and texts that are no UTF-8") {
  std::string bytes;
  auto writer = ArrowTableWriter::start({{"n", ArrowKind::kInteger, "", ""}, {"t", ArrowKind::kText, "", ""}},
                                        ArrowTableWriter::Format::kStream, {}, [&bytes](std::string_view more) {
                                          bytes.append(more);
                                          return true;
                                        });
  REQUIRE(writer.has_value());
  constexpr std::int64_t kRows = ArrowTableWriter::kBatchRows + 3;
  for (std::int64_t i = 0; i < kRows; ++i) {
    (*writer)->integer(i);
    (*writer)->text(i == 1 ? "a\xff" : "");
    (*writer)->end_row();
  }
  REQUIRE((*writer)->finish().has_value());
  const ReadBack back(bytes);
  REQUIRE(back.rows.size() == kRows);
  CHECK(back.rows.back()[0] == std::to_string(kRows - 1));
  CHECK(back.rows[1][1] == "a\xef\xbf\xbd");
}

TEST_CASE("a sink that refuses is told, and unknown tables are") {
  Asked a(kSmallTrace);
  ExportedTables tables(*a.source);
  const auto refused = tables.write("slices", ArrowTableWriter::Format::kFile, [](std::string_view) { return false; });
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == ErrorCode::kNotWritable);
  const auto unknown = tables.write("slice", ArrowTableWriter::Format::kFile, [](std::string_view) { return true; });
  REQUIRE(!unknown.has_value());
  CHECK(unknown.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("only tables that lacuna wrote count as its own") {
  Asked a(kSmallTrace);
  const TemporaryFolder scratch;
  std::string bytes;
  ExportedTables tables(*a.source);
  REQUIRE(tables
              .write("gaps", ArrowTableWriter::Format::kFile,
                     [&bytes](std::string_view more) {
                       bytes.append(more);
                       return true;
                     })
              .has_value());
  CHECK(is_own_trace(scratch.write("ours.arrow", bytes)));
  CHECK(!is_own_trace(scratch.write("other.arrow", "ARROW1" + std::string(200, '\0'))));
}

TEST_CASE("kept rows sort as SQLite sorts") {
  Asked a(kSmallTrace);
  QueryRows rows =
      rows_said(a, "SELECT 'b' UNION ALL SELECT NULL UNION ALL SELECT 2 UNION ALL SELECT 1.5 UNION ALL SELECT 'a'");
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) { return rows.is_before(x, y, 0); });
  CHECK(order == std::vector<std::size_t>{1, 3, 2, 4, 0});
  for (std::size_t r = 0; r < rows.size(); ++r) CHECK(!rows.is_before(r, r, 0));
  const QueryRows large = rows_said(a, "SELECT 9007199254740993 UNION ALL SELECT 9007199254740992");  // one real
  CHECK(large.is_before(1, 0, 0));
  CHECK(!large.is_before(0, 1, 0));
  CHECK(rows.kind(0) == Cell::Kind::kText);
  const std::vector<Cell> row{Cell::of(1)};
  CHECK(!rows.add(row, rows.bytes() + 8));
  CHECK(rows.size() == 5);
}

}  // namespace
}  // namespace lacuna
