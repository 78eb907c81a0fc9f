#include "app/gui/panels/widgets/table_parts.h"

#include <doctest/doctest.h>

namespace lacuna {
namespace {

CopiedTable sample() {
  CopiedTable table;
  table.titles = {"Name", "Total"};
  table.is_number = {false, true};
  table.rows = {{"a,\"b\"", "1"}, {"\xC2\xB5s", "1,234"}, {"two\nlines", ""}};
  return table;
}

TEST_CASE("a copied table as CSV: quoted where needed") {
  CHECK(sample().csv() == "Name,Total\r\n\"a,\"\"b\"\"\",1\r\n\xC2\xB5s,\"1,234\"\r\n\"two\nlines\",\r\n");
}

TEST_CASE("a copied table as text: aligned by characters, one line a row") {
  CHECK(sample().text() ==
        "Name       Total\n"
        "a,\"b\"          1\n"
        "\xC2\xB5s         1,234\n"
        "two lines\n");
}

TEST_CASE("a copied table has the titles of the window's columns, with units in CSV") {
  const std::vector<TableColumn> columns = {{.title = "Name"},
                                            {.title = "Lost", .sample = "1,234 ms", .unit = "ns"},
                                            {.title = "Share", .sample = "100 %", .unit = "%", .is_copied = false},
                                            {.title = "Parts", .sample = "123"},
                                            {.title = "Lane", .text_px = 150}};
  const CopiedTable csv = copied_columns(columns, CopyFormat::kCsv);
  CHECK(csv.titles == std::vector<std::string>{"Name", "Lost (ns)", "Parts", "Lane"});
  CHECK(csv.is_number == std::vector<bool>{false, true, true, false});
  CHECK(csv.rows.empty());
  const CopiedTable text = copied_columns(columns, CopyFormat::kText);
  CHECK(text.titles == std::vector<std::string>{"Name", "Lost", "Parts", "Lane"});
  CHECK(text.is_number == csv.is_number);
}

TEST_CASE("every column of torch's table and of the statistics has a definition") {
  for (const char* title : {"Name", "Count", "Total", "Self", "Avg", "Min", "Max", "Share"}) {
    CAPTURE(title);
    CHECK(!column_definition("statistics", title).empty());
  }
  for (const char* title : {"Self CPU %", "Self CUDA", "Self XPU %", "CUDA total", "CUDA covered", "Self overlap",
                            "# of Calls", "Input Shapes", "Source Location"}) {
    CAPTURE(title);
    CHECK(!column_definition("torch", title).empty());
  }
  CHECK(column_definition("torch", "nonsense").empty());
}

}  // namespace
}  // namespace lacuna
