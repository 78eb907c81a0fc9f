#include "app/cli/table_writers.h"

#include <optional>

#include <doctest/doctest.h>

#include "app/cli/text_table.h"
#include "model/query/query_rows.h"

using namespace lacuna;

namespace {

struct MadeRow {
  std::string label;
  Nanos time = 0;
  std::uint64_t runs = 0;
  std::optional<std::int64_t> rank;
  double share = 0;
};

const std::vector<MadeRow> kMadeRows = {{"a,b", 1'500, 1'234, 3, 0.5}, {"", 20, 7, std::nullopt, 1}};

Table made_table() {
  TableOf<MadeRow> table(kMadeRows);
  table.name({"Label", "label"}, &MadeRow::label);
  table.value("isLong", [](const MadeRow& row) { return row.time > 1'000; });
  table.duration({"Time", "timeNs"}, &MadeRow::time);
  table.count({"Runs", "runs", 1}, &MadeRow::runs);
  table.value("rank", &MadeRow::rank);
  table.number({"Twice"}, [](const MadeRow& row) { return std::to_string(2 * row.runs); });
  table.value("share", &MadeRow::share);
  table.value("list", [](const MadeRow&) { return JsonText{"[1,2]"}; });
  return table;
}

using Texts = std::vector<std::vector<std::string>>;
using Columns = std::vector<Table::Column>;

std::string print_texts(const Columns& columns, const Texts& rows, std::size_t width, std::size_t indent = 0) {
  std::string text;
  Output out(text);
  print_table(table_of_texts(columns, rows), width, out, indent);
  return text;
}

std::string text_of(const Table& table, std::size_t width) {
  std::string text;
  Output out(text);
  print_hidden(print_table(table, width, out), out);
  CHECK(out.finish());
  return text;
}

}  // namespace

TEST_CASE("a table as text: columns with a title, in the order that is shown, as many as there is room for") {
  Table table = made_table();
  CHECK(text_of(table, 80) ==
        "Label     Time   Runs  Twice\n"
        "a,b    1.50 \xC2\xB5s  1,234   2468\n"
        "         20 ns      7     14\n");
  table.shown = {"Time", "Runs", "Label"};
  table.limit(1);
  CHECK(text_of(table, 15) ==
        "   Time  Label\n"
        "1.50 \xC2\xB5s  a,b\n"
        "Not enough room for: Runs (see --csv or --json)\n");
}

TEST_CASE("columns are aligned, texts left and numbers right, without blanks at the line's end") {
  CHECK(print_texts({{{"Name"}}, {{"Count"}, true}, {{"Note"}}}, {{"aten::mm", "7", "x"}, {"a", "12,345", ""}}, 80) ==
        "Name       Count  Note\n"
        "aten::mm       7  x\n"
        "a         12,345\n");
}

TEST_CASE("long texts are shortened first, then columns are dropped by their order") {
  const Columns columns{{{"Name"}, false, true}, {{"Count"}, true}, {{"Min", {}, 2}, true}, {{"Max", {}, 1}, true}};
  const Texts rows{{std::string(100, 'k'), "12345", "11111111", "22222222"}};
  const auto hidden = [&](std::size_t width) {
    std::string text;
    Output out(text);
    return print_table(table_of_texts(columns, rows), width, out);
  };
  CHECK(print_texts(columns, rows, 200).find(std::string(100, 'k')) != std::string::npos);
  CHECK(hidden(200).empty());
  for (const std::size_t width : {100u, 60u, 51u}) {
    const std::string text = print_texts(columns, rows, width);
    CHECK(text.substr(text.find('\n') + 1).size() >= width);  // bytes: the … has three
    CHECK(display_width(text.substr(text.find('\n') + 1)) == width + 1);
    CHECK(hidden(width).empty());
  }
  CHECK(display_width(print_texts(columns, rows, 50)) > 0);
  CHECK(hidden(50) == std::vector<std::string>{"Min"});
  CHECK(hidden(40) == std::vector<std::string>{"Min", "Max"});
  CHECK(hidden(10) == std::vector<std::string>{"Min", "Max"});  // no room at all: as narrow as it gets
}

TEST_CASE("an indent counts towards the width; columns without a title are shown") {
  CHECK(print_texts({{{"A"}}, {{"B"}}}, {{"1", "2"}}, 80, 4) == "    A  B\n    1  2\n");
  CHECK(print_texts({{}, {{"B"}}}, {{"*", "2"}}, 80) == "   B\n*  2\n");
}

TEST_CASE("missing cells are empty; control characters cannot reach the terminal") {
  CHECK(print_texts({{{"A"}}, {{"B"}}}, {{"x\x1b[31m\n"}}, 80) == "A            B\nx\\x1b[31m\\n\n");
}

TEST_CASE("a table as JSON: columns with a key, in the order in which they were added") {
  std::string text;
  Output out(text);
  JsonWriter json(out);
  write_json_rows(made_table(), "rows", json, out);
  json.finish();
  CHECK(out.finish());
  CHECK(text ==
        R"({
  "rows": [
    {"label":"a,b","isLong":true,"timeNs":1500,"runs":1234,"rank":3,"share":0.5,"list":[1,2]},
    {"label":"","isLong":false,"timeNs":20,"runs":7,"rank":null,"share":1.0,"list":[1,2]}
  ]
}
)");
}

TEST_CASE("one row of a table as JSON") {
  CHECK(to_text(json_row(made_table(), 1)) ==
        R"({"label":"","isLong":false,"timeNs":20,"runs":7,"rank":null,"share":1.0,"list":[1,2]})");
}

TEST_CASE("a table as CSV: as many fields in each line, also where the first is empty") {
  std::string text;
  Output out(text);
  write_csv(made_table(), out);
  CHECK(out.finish());
  CHECK(text ==
        "label,is_long,time_ns,runs,rank,share,list\n"
        "\"a,b\",true,1500,1234,3,0.5,\"[1,2]\"\n"
        ",false,20,7,,1.0,\"[1,2]\"\n");
}

TEST_CASE("a table for Arrow: truths are numbers, lists are their JSON, nothing is null") {
  const QueryRows rows = query_rows(made_table());
  CHECK(rows.names() == std::vector<std::string>{"label", "is_long", "time_ns", "runs", "rank", "share", "list"});
  REQUIRE(rows.size() == 2);
  CHECK(rows.cell(0, 1).integer == 1);
  CHECK(rows.cell(0, 4).integer == 3);
  CHECK(rows.cell(1, 4).kind == Cell::Kind::kNull);
  CHECK(rows.cell(1, 5).real == 1);
  CHECK(rows.cell(0, 6).text == "[1,2]");
}
